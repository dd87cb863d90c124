/* The way into every compiled loop: a signature for each function, and one dispatcher that checks the
 * arguments of a call against it, releases the interpreter lock and runs the function.
 *
 * Buffers are checked here and in the functions of _compiled.c, and nowhere else. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "_common.h"

enum { MAX_ARGUMENTS = 9, MAX_NAME = 15, LETTERS = 26 };

/* A signature is a list of arguments such as "points:dn3 triangles:qm3<n out:Dm": after the name follow
 *
 * - the kind: d or q is an array of float64 or int64 that is read, D or Q one that is written, i an
 *   integer that is not negative, f a finite number;
 * - the shape of an array, one character for each dimension: a digit is its size, a letter a size that
 *   must agree wherever the letter occurs. An integer has one letter, which stands for its value;
 * - a rule for the entries of an array, or none: <3m if all lie in [0, 3 m), ^n if they rise from 0 to n. */
typedef struct {
    char name[MAX_NAME + 1], kind;
    const char *shape, *rule, *end;
    int dimensions;
} argument_t;

typedef struct {
    Py_buffer views[MAX_ARGUMENTS]; /* of the arrays; others have no object */
    double numbers[MAX_ARGUMENTS];
    index_t sizes[LETTERS];
    index_t result; /* what the call returns; None if negative */
} call_t;

/* A function runs without the interpreter lock and returns NULL or what is wrong. */
typedef const char *function_t(call_t *);

typedef struct {
    const char *name;
    function_t *run;
    const char *arguments, *text;
} signature_t;

static const char NO_MEMORY[] = "no memory";

INLINE void *array(const call_t *call, int argument) { return call->views[argument].buf; }

INLINE index_t size_of(const call_t *call, char letter) { return call->sizes[letter - 'a']; }

/* Read the next argument of a signature, and move to the one after it; false at the end. */
static int next_argument(const char **signature, argument_t *next)
{
    const char *name = *signature + strspn(*signature, " ");
    const size_t length = strcspn(name, ":");
    if (*name == '\0') return 0;
    memcpy(next->name, name, length);
    next->name[length] = '\0';
    next->kind = name[length + 1];
    next->shape = name + length + 2;
    next->dimensions = (int)strcspn(next->shape, "<^ ");
    next->rule = next->shape + next->dimensions;
    *signature = next->end = next->rule + strcspn(next->rule, " ");
    return 1;
}

/* The size that a character of a shape stands for; a letter that is new stands for `size`. */
static index_t expected_size(call_t *call, char character, index_t size)
{
    if (character >= '0' && character <= '9') return character - '0';
    index_t *known = &call->sizes[character - 'a'];
    if (*known < 0) *known = size;
    return *known;
}

static int read_array(call_t *call, int k, const argument_t *expected, PyObject *object)
{
    Py_buffer *view = &call->views[k];
    const int real = expected->kind == 'd' || expected->kind == 'D';
    const int access = expected->kind == 'D' || expected->kind == 'Q' ? PyBUF_WRITABLE : 0;
    if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | access) < 0) return -1;
    const char *format = view->format;
    if (!(view->itemsize == 8 && view->ndim == expected->dimensions && format[0] != '\0' && format[1] == '\0'
          && (real ? format[0] == 'd' : format[0] == 'l' || format[0] == 'q'))) {
        PyErr_Format(PyExc_ValueError, "%s: expected a %d-dimensional %s array, got %d dimensions of '%s'",
                     expected->name, expected->dimensions, real ? "float64" : "int64", view->ndim, format);
        return -1;
    }
    for (int axis = 0; axis < expected->dimensions; axis++) {
        const index_t size = expected_size(call, expected->shape[axis], view->shape[axis]);
        if (size == view->shape[axis]) continue;
        PyErr_Format(PyExc_ValueError, "%s: expected size %zd along axis %d, got %zd", expected->name, size, axis,
                     view->shape[axis]);
        return -1;
    }
    return 0;
}

static int read_argument(call_t *call, int k, const argument_t *expected, PyObject *object)
{
    if (expected->kind == 'f') {
        call->numbers[k] = PyFloat_AsDouble(object);
        if (!PyErr_Occurred() && !isfinite(call->numbers[k]))
            PyErr_Format(PyExc_ValueError, "%s: expected a finite number", expected->name);
        return PyErr_Occurred() ? -1 : 0;
    }
    if (expected->kind != 'i') return read_array(call, k, expected, object);
    const index_t value = PyNumber_AsSsize_t(object, PyExc_ValueError);
    if (!PyErr_Occurred() && value < 0)
        PyErr_Format(PyExc_ValueError, "%s: expected at least 0, got %zd", expected->name, value);
    call->sizes[*expected->shape - 'a'] = value;
    return PyErr_Occurred() ? -1 : 0;
}

/* True if all entries lie in [0, limit). */
static int all_below(const Py_buffer *view, index_t limit)
{
    /* An index or its distance from the last one has the sign bit: half the time of two comparisons. */
    const unsigned long long *index = view->buf, last = (unsigned long long)limit - 1;
    unsigned long long signs = 0;
    for (index_t k = 0; k < view->len / 8; k++) signs |= index[k] | (last - index[k]);
    return !(signs >> 63);
}

/* True if entries rise from 0 to the limit. */
static int rises_to(const Py_buffer *view, index_t limit)
{
    const long long *starts = view->buf;
    const index_t last = view->shape[0] - 1;
    if (last < 0 || starts[0] != 0 || starts[last] != limit) return 0;
    for (index_t k = 0; k < last; k++)
        if (starts[k] > starts[k + 1]) return 0;
    return 1;
}

/* Check the entries of an array against its rule; NULL or what is wrong. */
static const char *check_entries(const call_t *call, int k, const argument_t *expected)
{
    index_t limit = 1;
    for (const char *factor = expected->rule + 1; factor < expected->end; factor++)
        limit *= *factor >= '0' && *factor <= '9' ? *factor - '0' : size_of(call, *factor);
    if (*expected->rule == '<' && !all_below(&call->views[k], limit)) return "an index lies outside its array";
    if (*expected->rule == '^' && !rises_to(&call->views[k], limit))
        return "expected starts that rise from 0 to the end";
    return NULL;
}

/* Check all entries and run the function; NULL or what is wrong. */
static const char *run(call_t *call, const signature_t *signature)
{
    const char *rest = signature->arguments, *problem = NULL;
    argument_t argument;
    for (int k = 0; !problem && next_argument(&rest, &argument); k++) problem = check_entries(call, k, &argument);
    return problem ? problem : signature->run(call);
}

/* What Python calls; `self` is a capsule with the signature. */
static PyObject *dispatch(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    const signature_t *signature = PyCapsule_GetPointer(self, NULL);
    const char *rest = signature->arguments, *problem = NULL;
    call_t call = {.result = -1};
    argument_t argument;
    Py_ssize_t expected = 0, read = 0;
    while (next_argument(&rest, &argument)) expected++;
    if (count != expected)
        return PyErr_Format(PyExc_TypeError, "%s: expected %zd arguments, got %zd", signature->name, expected, count);
    for (int letter = 0; letter < LETTERS; letter++) call.sizes[letter] = -1;
    for (rest = signature->arguments; next_argument(&rest, &argument); read++)
        if (read_argument(&call, (int)read, &argument, args[read]) < 0) break;
    if (read == expected) {
        Py_BEGIN_ALLOW_THREADS problem = run(&call, signature);
        Py_END_ALLOW_THREADS
    }
    for (int k = 0; k < expected; k++) PyBuffer_Release(&call.views[k]); /* does nothing where there is none */
    if (read < expected) return NULL;
    if (problem == NO_MEMORY) return PyErr_NoMemory();
    if (problem) return PyErr_Format(PyExc_ValueError, "%s: %s", signature->name, problem);
    if (call.result >= 0) return PyLong_FromSsize_t(call.result);
    Py_RETURN_NONE;
}
