/* The door to the hot loops: sums of Gaussians and Cholesky downdates (_gaussian_loops.h), and the
 * curvature of surfaces (_surface_loops.h) and what hides what (_viewing_loops.h).
 *
 * Every function works on float64 buffers, on one thread, without the interpreter lock; callers run
 * several calls at once on disjoint outputs.  Lengths are in grid steps, so that the Gaussian factor
 * of a kernel entry is exp(-decay |x - y|^2) and nothing here knows about bandwidths.  Sums are
 * accumulated in an order that does not depend on how a caller cuts its work into calls. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__) || defined(__clang__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

enum { MAX_TAPS = 16, MAX_NODES = 32, LANES = 16, WIDTH = 4, PACKS = LANES / WIDTH };
typedef Py_ssize_t index_t;

/* A window of `width` taps given as one polynomial per tap, padded to a multiple of four taps:
 * coefficients[power][tap], in the variable 2 t - 1 where t in [0, 1) is the first tap's offset. */
typedef struct {
    const double *coefficients;
    index_t degree, padded, width;
} window_t;

typedef struct {
    double *values;
    index_t shape[3];
} grid_t;

typedef struct {
    double *factor, *variances;
    const double *weights, *scales;
    index_t size, known, fresh, stride; /* stride of weights */
} downdate_t;

/* Sources sorted by the cell (side 1) that holds them; `keys` are the occupied cells, ascending, and
 * starts[c] .. starts[c + 1] the sources of cell c. */
typedef struct {
    const double *points, *masses;
    const long long *keys, *starts;
    index_t cells;
    long long shape[3];
} sources_t;

/* One set of loops for each instruction set; the processor's best is chosen when the module loads. */
typedef struct {
    int (*spread)(const grid_t *, const window_t *, index_t, const double *, const double *);
    int (*interpolate)(const grid_t *, const window_t *, index_t, const double *, double *);
    int (*entries)(const grid_t *, const window_t *, index_t, const double *, index_t, const double *, double, double,
                   double *);
    int (*tensor)(const grid_t *, const window_t *, const index_t *, const double *const *, const double *, double,
                  double *, double *);
    void (*series)(const index_t *, const double *, const index_t *, const double *, index_t, const double *, double *);
    void (*convolve)(const double *, index_t, index_t, const double *, index_t, double *);
    void (*downdate)(const downdate_t *);
    double (*neighbour)(const sources_t *, const double *, double);
} loops_t;
#define LOOPS {NAME(spread_points), NAME(interpolate_points), NAME(entries_points), NAME(tensor_column), \
               NAME(series_points), NAME(convolve_rows), NAME(downdate_rows), NAME(neighbour_sum)}

#define NAME(f) f##_plain
#include "_gaussian_loops.h"
static const loops_t plain = LOOPS;
#undef NAME

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#define NAME(f) f##_avx2
#include "_gaussian_loops.h"
static const loops_t avx2 = LOOPS;
#undef NAME
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#define BEST_LOOPS (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &avx2 : &plain)
#else
#define BEST_LOOPS (&plain)
#endif

static const loops_t *loops = &plain;

#include "_surface_loops.h"
#include "_viewing_loops.h"

/* ---- the door: buffers are checked here and nowhere else ------------------------------------------ */

typedef struct {
    const char *name;
    char kind; /* 'd' float64 or 'q' int64 */
    int dimensions, writable;
} spec_t;

static void release(Py_buffer *views, int count)
{
    while (count-- > 0) PyBuffer_Release(&views[count]);
}

static int matches(const Py_buffer *view, const spec_t *spec)
{
    const char *format = view->format;
    const int kind = format[0] != '\0' && format[1] == '\0'
                     && (spec->kind == 'd' ? format[0] == 'd' : format[0] == 'l' || format[0] == 'q');
    return kind && view->itemsize == 8 && view->ndim == spec->dimensions;
}

/* Take C-contiguous buffers for the first `count` arguments, all or none. */
static int acquire(PyObject *const *args, const spec_t *specs, int count, Py_buffer *views)
{
    for (int k = 0; k < count; k++) {
        const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (specs[k].writable ? PyBUF_WRITABLE : 0);
        if (PyObject_GetBuffer(args[k], &views[k], flags) < 0) {
            release(views, k);
            return -1;
        }
        if (!matches(&views[k], &specs[k])) {
            PyErr_Format(PyExc_ValueError, "%s: expected a %d-dimensional %s array, got %d dimensions of '%s'",
                         specs[k].name, specs[k].dimensions, specs[k].kind == 'd' ? "float64" : "int64",
                         views[k].ndim, views[k].format);
            release(views, k + 1);
            return -1;
        }
    }
    return 0;
}

static int expect(int condition, const char *message)
{
    if (!condition && !PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, message);
    return condition;
}

static int expect_arguments(Py_ssize_t got, Py_ssize_t wanted)
{
    if (got != wanted) PyErr_Format(PyExc_TypeError, "expected %zd arguments, got %zd", wanted, got);
    return got == wanted;
}

static int read_number(PyObject *argument, double *value)
{
    *value = PyFloat_AsDouble(argument);
    return expect(!PyErr_Occurred() && isfinite(*value), "expected a finite number");
}

static int read_window(const Py_buffer *view, PyObject *width, window_t *w)
{
    *w = (window_t){view->buf, view->shape[0] - 1, view->shape[1], PyNumber_AsSsize_t(width, PyExc_ValueError)};
    return expect(!PyErr_Occurred() && w->degree >= 0 && w->padded % 4 == 0 && w->padded <= MAX_TAPS
                      && w->width >= 1 && w->width <= w->padded,
                  "window: expected (degree + 1, taps padded to 4, 8, 12 or 16) and a width that fits");
}

static grid_t read_grid(const Py_buffer *view)
{
    return (grid_t){view->buf, {view->shape[0], view->shape[1], view->shape[2]}};
}

static PyObject *finish(Py_buffer *views, int count, int failed)
{
    release(views, count);
    if (failed && !PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "a point lies outside the grid");
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

#define RUN(statement) Py_BEGIN_ALLOW_THREADS statement; Py_END_ALLOW_THREADS
#define COUNT(specs) ((int)(sizeof(specs) / sizeof(*(specs))))

static PyObject *py_spread(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    static const spec_t specs[] = {{"grid", 'd', 3, 1}, {"points", 'd', 2, 0}, {"masses", 'd', 1, 0}, {"window", 'd', 2, 0}};
    Py_buffer v[4];
    window_t w;
    int failed = 1;
    (void)self;
    if (!expect_arguments(nargs, 5) || acquire(args, specs, COUNT(specs), v)) return NULL;
    if (read_window(&v[3], args[4], &w)
        && expect(v[1].shape[1] == 3 && v[1].shape[0] == v[2].shape[0], "points (n, 3) and masses (n) must agree")) {
        const grid_t g = read_grid(&v[0]);
        RUN(failed = loops->spread(&g, &w, v[1].shape[0], v[1].buf, v[2].buf))
    }
    return finish(v, COUNT(specs), failed);
}

static PyObject *py_interpolate(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    static const spec_t specs[] = {{"grid", 'd', 3, 0}, {"points", 'd', 2, 0}, {"window", 'd', 2, 0}, {"out", 'd', 1, 1}};
    Py_buffer v[4];
    window_t w;
    int failed = 1;
    (void)self;
    if (!expect_arguments(nargs, 5) || acquire(args, specs, COUNT(specs), v)) return NULL;
    if (read_window(&v[2], args[4], &w)
        && expect(v[1].shape[1] == 3 && v[1].shape[0] == v[3].shape[0], "points (n, 3) and out (n) must agree")) {
        const grid_t g = read_grid(&v[0]);
        RUN(failed = loops->interpolate(&g, &w, v[1].shape[0], v[1].buf, v[3].buf))
    }
    return finish(v, COUNT(specs), failed);
}

static PyObject *py_entries(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    static const spec_t specs[] = {{"grid", 'd', 3, 0}, {"rows", 'd', 2, 0}, {"columns", 'd', 2, 0},
                                   {"window", 'd', 2, 0}, {"out", 'd', 2, 1}};
    Py_buffer v[5];
    window_t w;
    double decay, cutoff;
    int failed = 1;
    (void)self;
    if (!expect_arguments(nargs, 8) || acquire(args, specs, COUNT(specs), v)) return NULL;
    if (read_window(&v[3], args[5], &w) && read_number(args[6], &decay) && read_number(args[7], &cutoff)
        && expect(v[1].shape[1] == 3 && v[2].shape[1] == 3 && v[4].shape[0] == v[2].shape[0]
                      && v[4].shape[1] == v[1].shape[0], "expected rows (r, 3), columns (c, 3) and out (c, r)")) {
        const grid_t g = read_grid(&v[0]);
        RUN(failed = loops->entries(&g, &w, v[1].shape[0], v[1].buf, v[2].shape[0], v[2].buf, decay, cutoff, v[4].buf))
    }
    return finish(v, COUNT(specs), failed);
}

static PyObject *py_tensor_entries(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    static const spec_t specs[] = {{"grid", 'd', 3, 0}, {"x", 'd', 1, 0}, {"y", 'd', 1, 0}, {"z", 'd', 1, 0},
                                   {"columns", 'd', 2, 0}, {"window", 'd', 2, 0}, {"out", 'd', 2, 1}};
    Py_buffer v[7];
    window_t w;
    double decay, *work = NULL;
    int failed = 1;
    (void)self;
    if (!expect_arguments(nargs, 9) || acquire(args, specs, COUNT(specs), v)) return NULL;
    const index_t counts[3] = {v[1].shape[0], v[2].shape[0], v[3].shape[0]};
    int sized = 1;
    for (int axis = 0; axis < 3; axis++) sized = sized && counts[axis] >= 1 && counts[axis] <= MAX_NODES;
    if (expect(sized, "expected between 1 and 32 nodes along each axis") && read_window(&v[5], args[7], &w)
        && read_number(args[8], &decay)
        && expect(v[4].shape[1] == 3 && v[6].shape[0] == v[4].shape[0]
                      && v[6].shape[1] == counts[0] * counts[1] * counts[2],
                  "expected columns (c, 3) and out (c, x * y * z)")) {
        const grid_t g = read_grid(&v[0]);
        const double *nodes[3] = {v[1].buf, v[2].buf, v[3].buf};
        index_t room[3];
        for (int axis = 0; axis < 3; axis++) {
            const double extent = 0.5 * (nodes[axis][counts[axis] - 1] - nodes[axis][0]);
            room[axis] = w.width + 6 + (extent > 0.0 && extent < (double)g.shape[axis] ? (index_t)extent : 0);
        }
        work = malloc((size_t)(counts[0] * (room[1] + counts[1]) * room[2] + MAX_NODES * room[2]) * sizeof(double));
        if (work == NULL) PyErr_NoMemory();
        else {
            const double *pivots = v[4].buf;
            double *out = v[6].buf;
            Py_BEGIN_ALLOW_THREADS
            failed = 0;
            for (index_t j = 0; j < v[4].shape[0] && !failed; j++)
                failed = loops->tensor(&g, &w, counts, nodes, pivots + 3 * j, decay, work, out + j * v[6].shape[1]);
            Py_END_ALLOW_THREADS
            free(work);
        }
    }
    return finish(v, COUNT(specs), failed);
}

static PyObject *py_series(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    static const spec_t specs[] = {{"coefficients", 'd', 3, 0}, {"box", 'd', 2, 0}, {"points", 'd', 2, 0}, {"out", 'd', 1, 1}};
    Py_buffer v[4];
    double threshold;
    int failed = 1;
    (void)self;
    if (!expect_arguments(nargs, 5) || acquire(args, specs, COUNT(specs), v)) return NULL;
    const index_t *n = v[0].shape;
    if (read_number(args[4], &threshold)
        && expect(n[0] <= MAX_NODES && n[1] <= MAX_NODES && n[2] <= MAX_NODES, "expected at most 32 coefficients along each axis")
        && expect(v[1].shape[0] == 2 && v[1].shape[1] == 3 && v[2].shape[1] == 3 && v[2].shape[0] == v[3].shape[0],
                  "expected box (2, 3), points (n, 3) and out (n)")) {
        index_t lengths[MAX_NODES * MAX_NODES];
        const double *a = v[0].buf;
        Py_BEGIN_ALLOW_THREADS
        for (index_t row = 0; row < n[0] * n[1]; row++) {
            double dropped = 0.0;
            lengths[row] = n[2];
            while (lengths[row] > 0 && (dropped += fabs(a[row * n[2] + lengths[row] - 1])) <= threshold) lengths[row]--;
        }
        loops->series(n, a, lengths, v[1].buf, v[2].shape[0], v[2].buf, v[3].buf);
        Py_END_ALLOW_THREADS
        failed = 0;
    }
    return finish(v, COUNT(specs), failed);
}

static PyObject *py_convolve(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    static const spec_t specs[] = {{"table", 'd', 2, 0}, {"taps", 'd', 1, 0}, {"out", 'd', 2, 1}};
    Py_buffer v[3];
    int failed = 1;
    (void)self;
    if (!expect_arguments(nargs, 3) || acquire(args, specs, COUNT(specs), v)) return NULL;
    if (expect(v[1].shape[0] % 2 == 1 && v[0].shape[0] == v[2].shape[0] && v[0].shape[1] == v[2].shape[1]
                   && v[0].buf != v[2].buf, "expected table and another array of its shape as out, and an odd number of taps")) {
        RUN(loops->convolve(v[0].buf, v[0].shape[0], v[0].shape[1], v[1].buf, v[1].shape[0] / 2, v[2].buf))
        failed = 0;
    }
    return finish(v, COUNT(specs), failed);
}

static PyObject *py_downdate(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    static const spec_t specs[] = {{"factor", 'd', 2, 1}, {"weights", 'd', 2, 0}, {"scales", 'd', 1, 0}, {"variances", 'd', 1, 1}};
    Py_buffer v[4];
    int failed = 1;
    (void)self;
    if (!expect_arguments(nargs, 5) || acquire(args, specs, COUNT(specs), v)) return NULL;
    const index_t fresh = v[2].shape[0], known = PyNumber_AsSsize_t(args[4], PyExc_ValueError);
    if (expect(!PyErr_Occurred() && known >= 0 && v[1].shape[0] == fresh && v[1].shape[1] >= known + fresh
                   && v[0].shape[0] >= known + fresh && v[0].shape[1] == v[3].shape[0],
               "expected factor (>= known + fresh, n), weights (fresh, >= known + fresh), scales (fresh) and variances (n)")) {
        const downdate_t d = {v[0].buf, v[3].buf, v[1].buf, v[2].buf, v[0].shape[1], known, fresh, v[1].shape[1]};
        RUN(loops->downdate(&d))
        failed = 0;
    }
    return finish(v, COUNT(specs), failed);
}

static PyObject *py_neighbours(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    static const spec_t specs[] = {{"sources", 'd', 2, 0}, {"masses", 'd', 1, 0}, {"keys", 'q', 1, 0}, {"starts", 'q', 1, 0},
                                   {"shape", 'q', 1, 0}, {"points", 'd', 2, 0}, {"out", 'd', 1, 1}};
    Py_buffer v[7];
    double decay;
    int failed = 1;
    (void)self;
    if (!expect_arguments(nargs, 8) || acquire(args, specs, COUNT(specs), v)) return NULL;
    sources_t s = {v[0].buf, v[1].buf, v[2].buf, v[3].buf, v[2].shape[0], {0, 0, 0}};
    int ordered = v[3].shape[0] == s.cells + 1 && s.starts[0] == 0 && s.starts[s.cells] == v[0].shape[0];
    for (index_t c = 0; ordered && c < s.cells; c++) ordered = s.starts[c] <= s.starts[c + 1];
    if (read_number(args[7], &decay) && expect(ordered, "starts must rise from 0 to the number of sources")
        && expect(v[0].shape[1] == 3 && v[1].shape[0] == v[0].shape[0] && v[4].shape[0] == 3 && v[5].shape[1] == 3
                      && v[5].shape[0] == v[6].shape[0],
                  "expected sources (n, 3), masses (n), shape (3), points (m, 3) and out (m)")) {
        const double *points = v[5].buf;
        double *out = v[6].buf;
        memcpy(s.shape, v[4].buf, sizeof s.shape);
        Py_BEGIN_ALLOW_THREADS
        for (index_t i = 0; i < v[5].shape[0]; i++) out[i] = loops->neighbour(&s, points + 3 * i, decay);
        Py_END_ALLOW_THREADS
        failed = 0;
    }
    return finish(v, COUNT(specs), failed);
}

/* True when every index lies in [0, limit). */
static int indexed(const Py_buffer *view, long long limit)
{
    /* An index or its distance from the last one has the sign bit: half the time of two comparisons. */
    const unsigned long long *index = view->buf, last = (unsigned long long)limit - 1;
    unsigned long long signs = 0;
    for (index_t k = 0; k < view->len / 8; k++) signs |= index[k] | (last - index[k]);
    return expect(!(signs >> 63), "an index lies outside its array");
}

static PyObject *py_normals(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    static const spec_t specs[] = {{"points", 'd', 2, 0}, {"triangles", 'q', 2, 0}, {"out", 'd', 2, 1}};
    Py_buffer v[3];
    (void)self;
    if (!expect_arguments(nargs, 3) || acquire(args, specs, COUNT(specs), v)) return NULL;
    if (expect(v[0].shape[1] == 3 && v[1].shape[1] == 3 && v[2].shape[1] == 3 && v[2].shape[0] == v[1].shape[0],
               "expected points (n, 3), triangles (m, 3) and out (m, 3)")
        && indexed(&v[1], v[0].shape[0])) {
        RUN(triangle_normals(v[0].buf, v[1].buf, v[1].shape[0], v[2].buf))
    }
    return finish(v, COUNT(specs), 0);
}

static PyObject *py_areas(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    static const spec_t specs[] = {{"points", 'd', 2, 0}, {"triangles", 'q', 2, 0}, {"out", 'd', 1, 1}};
    Py_buffer v[3];
    (void)self;
    if (!expect_arguments(nargs, 3) || acquire(args, specs, COUNT(specs), v)) return NULL;
    if (expect(v[0].shape[1] == 3 && v[1].shape[1] == 3 && v[2].shape[0] == v[1].shape[0],
               "expected points (n, 3), triangles (m, 3) and out (m)")
        && indexed(&v[1], v[0].shape[0])) {
        RUN(double_areas(v[0].buf, v[1].buf, v[1].shape[0], v[2].buf))
    }
    return finish(v, COUNT(specs), 0);
}

static PyObject *py_cells(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    static const spec_t specs[] = {{"points", 'd', 2, 0}, {"triangles", 'q', 2, 0}, {"out", 'd', 1, 1}};
    Py_buffer v[3];
    (void)self;
    if (!expect_arguments(nargs, 3) || acquire(args, specs, COUNT(specs), v)) return NULL;
    if (expect(v[0].shape[1] == 3 && v[1].shape[1] == 3 && v[2].shape[0] == v[0].shape[0],
               "expected points (n, 3), triangles (m, 3) and out (n)")
        && indexed(&v[1], v[0].shape[0])) {
        const long long *triangles = v[1].buf;
        Py_BEGIN_ALLOW_THREADS
        for (index_t t = 0; t < v[1].shape[0]; t++) add_cells(v[0].buf, triangles + 3 * t, v[2].buf);
        Py_END_ALLOW_THREADS
    }
    return finish(v, COUNT(specs), 0);
}

static PyObject *py_pairs(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    static const spec_t specs[] = {{"triangles", 'q', 2, 0}, {"one", 'q', 1, 1}, {"two", 'q', 1, 1}};
    Py_buffer v[3];
    index_t found = 0;
    (void)self;
    if (!expect_arguments(nargs, 4)) return NULL;
    PyObject *const buffers[] = {args[0], args[2], args[3]};
    if (acquire(buffers, specs, COUNT(specs), v)) return NULL;
    const index_t count = v[0].shape[0], vertices = PyNumber_AsSsize_t(args[1], PyExc_ValueError);
    if (expect(!PyErr_Occurred() && vertices >= 0 && v[0].shape[1] == 3 && 2 * v[1].shape[0] >= 3 * count - 1
                   && v[1].shape[0] == v[2].shape[0],
               "expected triangles (m, 3), the number of vertices, and one and two (3 m / 2)")
        && indexed(&v[0], vertices)) {
        index_t *starts = calloc((size_t)vertices + 1, sizeof *starts);
        filed_t *slots = malloc((size_t)(3 * count + 1) * sizeof *slots);
        if (starts == NULL || slots == NULL) PyErr_NoMemory();
        else { RUN(found = pair_half_edges(v[0].buf, count, vertices, starts, slots, v[1].buf, v[2].buf)) }
        free(starts);
        free(slots);
    }
    release(v, COUNT(specs));
    return PyErr_Occurred() ? NULL : PyLong_FromSsize_t(found);
}

/* Room for what lies around a vertex of at most `most` triangles; 0 where there is no memory. */
static int make_around(around_t *around, index_t vertices, index_t most)
{
    const size_t room = 2 * (size_t)most + 1, many = 2 * most > FEW ? (size_t)vertices : 1;
    around->neighbours = malloc(room * sizeof *around->neighbours);
    around->filed = malloc(room * sizeof *around->filed);
    around->stamp = calloc(many, sizeof *around->stamp);
    around->place = malloc(many * sizeof *around->place);
    return around->neighbours && around->filed && around->stamp && around->place;
}

static PyObject *py_census(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    /* The caller brings the room for the opposite edges: NumPy asks for large pages, which halves the time. */
    static const spec_t specs[] = {{"triangles", 'q', 2, 0}, {"room", 'q', 1, 1}, {"totals", 'q', 1, 1}};
    Py_buffer v[3];
    (void)self;
    if (!expect_arguments(nargs, 4)) return NULL;
    PyObject *const buffers[] = {args[0], args[2], args[3]};
    if (acquire(buffers, specs, COUNT(specs), v)) return NULL;
    const index_t count = v[0].shape[0], vertices = PyNumber_AsSsize_t(args[1], PyExc_ValueError);
    if (expect(!PyErr_Occurred() && 0 <= vertices && vertices <= INT_MAX && v[0].shape[1] == 3 && count <= UINT_MAX / 3
                   && v[1].shape[0] >= 3 * count && v[2].shape[0] == FINDINGS,
               "expected triangles (m, 3), the number of vertices, room (3 m) and totals (5)")
        && indexed(&v[0], vertices)) {
        around_t around = {0};
        opposite_t *opposite = v[1].buf;
        unsigned *starts = calloc((size_t)vertices + 1, sizeof *starts); /* half as large as pointers, so more in the cache */
        int enough = starts != NULL;
        Py_BEGIN_ALLOW_THREADS
        if (enough) enough = make_around(&around, vertices, file_triangles(v[0].buf, count, vertices, starts, opposite));
        for (index_t i = 0, from = 0; enough && i < vertices; from = starts[i++])
            count_around(&around, i, vertices, opposite + from, starts[i] - from, v[2].buf);
        Py_END_ALLOW_THREADS
        if (!enough) PyErr_NoMemory();
        free(around.neighbours);
        free(around.filed);
        free(around.stamp);
        free(around.place);
        free(starts);
    }
    return finish(v, COUNT(specs), 0);
}

static PyObject *py_pieces(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    static const spec_t specs[] = {{"triangles", 'q', 2, 0}, {"out", 'q', 1, 1}};
    Py_buffer v[2];
    (void)self;
    if (!expect_arguments(nargs, 2) || acquire(args, specs, COUNT(specs), v)) return NULL;
    if (expect(v[0].shape[1] == 3, "expected triangles (m, 3)") && indexed(&v[0], v[1].shape[0])) {
        Py_BEGIN_ALLOW_THREADS
        label_pieces(v[0].buf, v[0].shape[0], v[1].shape[0], v[1].buf);
        Py_END_ALLOW_THREADS
    }
    return finish(v, COUNT(specs), 0);
}

static PyObject *py_hinges(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    static const spec_t specs[] = {{"points", 'd', 2, 0}, {"triangles", 'q', 2, 0}, {"normals", 'd', 2, 0},
                                   {"one", 'q', 1, 0}, {"two", 'q', 1, 0}, {"out", 'd', 2, 1}};
    Py_buffer v[6];
    (void)self;
    if (!expect_arguments(nargs, 6) || acquire(args, specs, COUNT(specs), v)) return NULL;
    if (expect(v[0].shape[1] == 3 && v[1].shape[1] == 3 && v[2].shape[1] == 3 && v[2].shape[0] == v[1].shape[0]
                   && v[3].shape[0] == v[4].shape[0] && v[5].shape[0] == v[0].shape[0] && v[5].shape[1] == 6,
               "expected points (n, 3), triangles and normals (m, 3), one and two (h) and out (n, 6)")
        && indexed(&v[1], v[0].shape[0]) && indexed(&v[3], 3 * v[1].shape[0]) && indexed(&v[4], 3 * v[1].shape[0])) {
        const long long *one = v[3].buf, *two = v[4].buf;
        Py_BEGIN_ALLOW_THREADS
        for (index_t k = 0; k < v[3].shape[0]; k++)
            add_hinge(v[0].buf, v[1].buf, v[2].buf, one[k], two[k], v[5].buf);
        Py_END_ALLOW_THREADS
    }
    return finish(v, COUNT(specs), 0);
}

static PyObject *py_principal(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    static const spec_t specs[] = {{"tensors", 'd', 2, 0}, {"out", 'd', 2, 1}};
    Py_buffer v[2];
    (void)self;
    if (!expect_arguments(nargs, 2) || acquire(args, specs, COUNT(specs), v)) return NULL;
    if (expect(v[0].shape[1] == 6 && v[1].shape[1] == 2 && v[0].shape[0] == v[1].shape[0],
               "expected tensors (n, 6) and out (n, 2)")) {
        const double *tensors = v[0].buf;
        double *out = v[1].buf;
        Py_BEGIN_ALLOW_THREADS
        for (index_t k = 0; k < v[0].shape[0]; k++) principal_values(tensors + 6 * k, out + 2 * k);
        Py_END_ALLOW_THREADS
    }
    return finish(v, COUNT(specs), 0);
}

static PyObject *py_block(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    static const spec_t specs[] = {{"points", 'd', 2, 0}, {"triangles", 'q', 2, 0}, {"rays", 'd', 2, 0},
                                   {"vertices", 'q', 1, 0}, {"starts", 'q', 1, 0}, {"out", 'q', 1, 1}};
    Py_buffer v[6];
    double margin = 0;
    (void)self;
    if (!expect_arguments(nargs, 8) || acquire(args, specs, COUNT(specs), v)) return NULL;
    const index_t columns = PyNumber_AsSsize_t(args[6], PyExc_ValueError), cells = v[4].shape[0] - 1;
    const long long *starts = v[4].buf;
    int fits = !PyErr_Occurred() && read_number(args[7], &margin) && columns > 0 && cells > 0 && cells % columns == 0
               && v[0].shape[1] == 3 && v[1].shape[1] == 3 && v[2].shape[1] == 3 && v[3].shape[0] == v[2].shape[0]
               && v[5].shape[0] == v[2].shape[0] && starts[0] == 0 && starts[cells] == v[2].shape[0];
    for (index_t c = 0; fits && c < cells; c++) fits = starts[c] <= starts[c + 1];
    if (expect(fits, "expected points and rays (., 3), triangles (m, 3), vertices and out (k), starts from 0 to k")
        && indexed(&v[1], v[0].shape[0])) {
        RUN(block_rays(v[0].buf, v[1].buf, v[1].shape[0], v[2].buf, v[3].buf, starts, cells / columns, columns, margin,
                       v[5].buf))
    }
    return finish(v, COUNT(specs), 0);
}

static PyObject *py_cover(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    static const spec_t specs[] = {{"points", 'd', 2, 0}, {"triangles", 'q', 2, 0}, {"triangle", 'q', 2, 1},
                                   {"weights", 'd', 3, 1}, {"depth", 'd', 2, 1}};
    Py_buffer v[5];
    (void)self;
    if (!expect_arguments(nargs, 5) || acquire(args, specs, COUNT(specs), v)) return NULL;
    const index_t height = v[2].shape[0], width = v[2].shape[1];
    if (expect(v[0].shape[1] == 3 && v[1].shape[1] == 3 && v[3].shape[0] == height && v[3].shape[1] == width
                   && v[3].shape[2] == 2 && v[4].shape[0] == height && v[4].shape[1] == width,
               "expected points (n, 3), triangles (m, 3), triangle and depth (h, w), weights (h, w, 2)")
        && indexed(&v[1], v[0].shape[0])) {
        RUN(cover_pixels(v[0].buf, v[1].buf, v[1].shape[0], height, width, v[2].buf, v[3].buf, v[4].buf))
    }
    return finish(v, COUNT(specs), 0);
}

static PyObject *py_blend(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    static const spec_t specs[] = {{"values", 'd', 2, 0}, {"triangles", 'q', 2, 0}, {"triangle", 'q', 1, 0},
                                   {"weights", 'd', 2, 0}, {"out", 'd', 2, 1}};
    Py_buffer v[5];
    (void)self;
    if (!expect_arguments(nargs, 5) || acquire(args, specs, COUNT(specs), v)) return NULL;
    const index_t count = v[2].shape[0], channels = v[0].shape[1];
    if (expect(v[1].shape[1] == 3 && v[3].shape[0] == count && v[3].shape[1] == 2 && v[4].shape[0] == count
                   && v[4].shape[1] == channels,
               "expected values (n, c), triangles (m, 3), triangle (k), weights (k, 2) and out (k, c)")
        && indexed(&v[1], v[0].shape[0]) && indexed(&v[2], v[1].shape[0])) {
        RUN(blend_corners(v[0].buf, channels, v[1].buf, v[2].buf, v[3].buf, count, v[4].buf))
    }
    return finish(v, COUNT(specs), 0);
}

#define METHOD(name, text) {#name, (PyCFunction)(void (*)(void))py_##name, METH_FASTCALL, text}
static PyMethodDef methods[] = {
    METHOD(spread, "spread(grid, points, masses, window, width): add masses to the grid."),
    METHOD(interpolate, "interpolate(grid, points, window, out, width)"),
    METHOD(entries, "entries(grid, rows, columns, window, out, width, decay, cutoff)"),
    METHOD(tensor_entries, "tensor_entries(grid, x, y, z, columns, window, out, width, decay)"),
    METHOD(series, "series(coefficients, box, points, out, threshold)"),
    METHOD(convolve, "convolve(table, taps, out): along the first axis."),
    METHOD(downdate, "downdate(factor, weights, scales, variances, known)"),
    METHOD(neighbours, "neighbours(sources, masses, keys, starts, shape, points, out, decay)"),
    METHOD(normals, "normals(points, triangles, out): as long as twice the areas."),
    METHOD(areas, "areas(points, triangles, out): twice the areas."),
    METHOD(cells, "cells(points, triangles, out): add mixed Voronoi areas to the vertices."),
    METHOD(pairs, "pairs(triangles, count, one, two): half-edges of the edges in exactly two triangles; how many."),
    METHOD(census, "census(triangles, count, room, totals): what is odd about edges and vertices."),
    METHOD(pieces, "pieces(triangles, out): the lowest vertex that each vertex hangs together with."),
    METHOD(hinges, "hinges(points, triangles, normals, one, two, out): add the tensors of edges to their ends."),
    METHOD(principal, "principal(tensors, out): product and mean of the principal curvatures."),
    METHOD(block, "block(points, triangles, rays, vertices, starts, out, columns, margin): 1 where a ray is blocked."),
    METHOD(cover, "cover(points, triangles, triangle, weights, depth): the nearest triangle in every pixel."),
    METHOD(blend, "blend(values, triangles, triangle, weights, out): between the corners of triangles."),
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_compiled", "Hot loops of gplandmark.", -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__compiled(void)
{
    loops = BEST_LOOPS;
    return PyModule_Create(&module);
}
