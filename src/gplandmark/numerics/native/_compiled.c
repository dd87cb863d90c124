/* The compiled loops as functions of Python: how each is called, and what it needs beyond its signature.
 *
 * Every function works on one thread, without the interpreter lock; callers run several calls at once on
 * disjoint outputs. Lengths are in grid steps, so that the Gaussian factor of a kernel entry is
 * exp(-decay |x - y|^2) and nothing knows about bandwidths. Sums are accumulated in an order that does
 * not depend on how a caller divides its work into calls. */
#include "_dispatcher.h"

#include <limits.h>

#include "_gaussian_loops.h"
#include "_surface_loops.h"
#include "_viewing_loops.h"

static const gaussian_loops_t *gaussian = &gplandmark_plain_loops;

/* ---- sums of Gaussians, Cholesky downdates ------------------------------------------------------- */

static const char OUTSIDE[] = "a point lies outside the grid";

static grid_t read_grid(const call_t *c, int argument)
{
    return (grid_t){array(c, argument), {size_of(c, 'x'), size_of(c, 'y'), size_of(c, 'z')}};
}

/* A window has the shape (p, t) and the width w in all signatures. */
static const char *read_window(const call_t *c, int argument, window_t *w)
{
    *w = (window_t){array(c, argument), size_of(c, 'p') - 1, size_of(c, 't'), size_of(c, 'w')};
    if (w->degree >= 0 && w->padded % 4 == 0 && w->padded <= MAX_TAPS && w->width >= 1 && w->width <= w->padded)
        return NULL;
    return "window: expected (degree + 1, taps padded to 4, 8, 12 or 16) and a width that fits";
}

static const char *run_spread(call_t *c)
{
    const grid_t g = read_grid(c, 0);
    window_t w;
    const char *problem = read_window(c, 3, &w);
    if (problem) return problem;
    return gaussian->spread(&w, &g, size_of(c, 'n'), array(c, 1), array(c, 2)) ? OUTSIDE : NULL;
}

static const char *run_interpolate(call_t *c)
{
    const grid_t g = read_grid(c, 0);
    window_t w;
    const char *problem = read_window(c, 2, &w);
    if (problem) return problem;
    return gaussian->interpolate(&w, &g, size_of(c, 'n'), array(c, 1), array(c, 3)) ? OUTSIDE : NULL;
}

static const char *run_entries(call_t *c)
{
    const grid_t g = read_grid(c, 0);
    window_t w;
    const char *problem = read_window(c, 3, &w);
    if (problem) return problem;
    const int failed = gaussian->entries(&w, &g, size_of(c, 'r'), array(c, 1), size_of(c, 'c'), array(c, 2),
                                         c->numbers[6], c->numbers[7], array(c, 4));
    return failed ? OUTSIDE : NULL;
}

static const char *run_tensor_entries(call_t *c)
{
    const grid_t g = read_grid(c, 0);
    const index_t counts[3] = {size_of(c, 'i'), size_of(c, 'j'), size_of(c, 'k')}, length = size_of(c, 'e');
    const double *nodes[3] = {array(c, 1), array(c, 2), array(c, 3)}, *pivots = array(c, 4);
    double *out = array(c, 6);
    index_t room[3];
    window_t w;
    const char *problem = read_window(c, 5, &w);
    if (problem) return problem;
    for (int axis = 0; axis < 3; axis++)
        if (counts[axis] < 1 || counts[axis] > MAX_NODES) return "expected between 1 and 32 nodes along each axis";
    if (length != counts[0] * counts[1] * counts[2]) return "expected out (c, x * y * z)";
    for (int axis = 0; axis < 3; axis++) {
        const double extent = 0.5 * (nodes[axis][counts[axis] - 1] - nodes[axis][0]);
        room[axis] = w.width + 6 + (extent > 0.0 && extent < (double)g.shape[axis] ? (index_t)extent : 0);
    }
    double *work = malloc((size_t)(counts[0] * (room[1] + counts[1]) * room[2] + MAX_NODES * room[2]) * sizeof *work);
    if (work == NULL) return NO_MEMORY;
    for (index_t j = 0; j < size_of(c, 'c') && !problem; j++)
        if (gaussian->tensor(&w, &g, counts, nodes, pivots + 3 * j, c->numbers[8], work, out + j * length))
            problem = OUTSIDE;
    free(work);
    return problem;
}

static const char *run_chebyshev_series(call_t *c)
{
    const index_t n[3] = {size_of(c, 'x'), size_of(c, 'y'), size_of(c, 'z')};
    const double *a = array(c, 0), threshold = c->numbers[4];
    index_t lengths[MAX_NODES * MAX_NODES];
    if (n[0] > MAX_NODES || n[1] > MAX_NODES || n[2] > MAX_NODES)
        return "expected at most 32 coefficients along each axis";
    for (index_t row = 0; row < n[0] * n[1]; row++) {
        double dropped = 0.0;
        lengths[row] = n[2];
        while (lengths[row] > 0 && (dropped += fabs(a[row * n[2] + lengths[row] - 1])) <= threshold) lengths[row]--;
    }
    gaussian->series(n, a, lengths, array(c, 1), size_of(c, 'n'), array(c, 2), array(c, 3));
    return NULL;
}

static const char *run_convolve(call_t *c)
{
    const index_t taps = size_of(c, 't');
    if (taps % 2 == 0 || array(c, 0) == array(c, 2))
        return "expected an odd number of taps, and an array other than the table as out";
    gaussian->convolve(array(c, 0), size_of(c, 'a'), size_of(c, 'b'), array(c, 1), taps / 2, array(c, 2));
    return NULL;
}

static const char *run_downdate(call_t *c)
{
    const index_t known = size_of(c, 'k'), fresh = size_of(c, 'f');
    const downdate_t d = {array(c, 0),     array(c, 3), array(c, 1), array(c, 2),
                          size_of(c, 'n'), known,       fresh,       size_of(c, 'w')};
    if (size_of(c, 'w') - fresh < known || size_of(c, 'r') - fresh < known)
        return "expected factor (>= known + fresh, n) and weights (fresh, >= known + fresh)";
    gaussian->downdate(&d);
    return NULL;
}

static const char *run_subtract_squares(call_t *c)
{
    const squares_t s = {array(c, 0),
                         {array(c, 1), array(c, 2), array(c, 3)},
                         array(c, 4),
                         size_of(c, 'c'),
                         {size_of(c, 'i'), size_of(c, 'j'), size_of(c, 'k')},
                         {size_of(c, 'x'), size_of(c, 'y'), size_of(c, 'z')}};
    for (int axis = 0; axis < 3; axis++)
        if (s.nodes[axis] < 1 || s.nodes[axis] > MAX_NODES || s.others[axis] < 1 || s.others[axis] > MAX_NODES)
            return "expected between 1 and 32 nodes along each axis";
    if (size_of(c, 'n') != s.nodes[0] * s.nodes[1] * s.nodes[2]
        || size_of(c, 'v') != s.others[0] * s.others[1] * s.others[2])
        return "expected columns (c, i * j * k) and variances (x * y * z)";
    const index_t row = s.nodes[2] + 3, plane = s.nodes[1] * row; /* padded by at most three */
    const index_t room = (s.nodes[0] + s.others[0]) * plane + s.others[0] * s.others[1] * row + row * (MAX_NODES + 3);
    double *work = malloc((size_t)room * sizeof *work);
    if (work == NULL) return NO_MEMORY;
    gaussian->squares(&s, work);
    free(work);
    return NULL;
}

static const char *run_neighbour_sums(call_t *c)
{
    const sources_t s = {array(c, 0), array(c, 1), array(c, 2), array(c, 3), array(c, 4), size_of(c, 'k')};
    const double *points = array(c, 5);
    double *out = array(c, 6);
    if (size_of(c, 's') != s.cells + 1) return "expected one more start than keys";
    for (index_t i = 0; i < size_of(c, 'm'); i++) out[i] = gaussian->neighbours(&s, points + 3 * i, c->numbers[7]);
    return NULL;
}

static const char *run_pair_sums(call_t *c)
{
    const pairs_t s = {array(c, 0),     array(c, 1),     array(c, 2),     array(c, 3),     size_of(c, 'n'),
                       size_of(c, 'm'), size_of(c, 'd'), size_of(c, 'k'), size_of(c, 'r'), size_of(c, 'l')};
    if (s.lengths == 0) return "expected at least one length";
    double *room = malloc(sizeof(double) * PAIR_LANES * (size_t)(s.dimension + s.mixtures * s.columns + 1));
    if (!room) return NO_MEMORY;
    gaussian->pair_sums(&s, c->numbers[5], room, array(c, 4));
    free(room);
    return NULL;
}

/* ---- surfaces ------------------------------------------------------------------------------------ */

static const char *run_normals(call_t *c)
{
    triangle_normals(array(c, 0), array(c, 1), size_of(c, 'm'), array(c, 2));
    return NULL;
}

static const char *run_double_areas(call_t *c)
{
    double_areas(array(c, 0), array(c, 1), size_of(c, 'm'), array(c, 2));
    return NULL;
}

static const char *run_voronoi_areas(call_t *c)
{
    const long long *triangles = array(c, 1);
    for (index_t t = 0; t < size_of(c, 'm'); t++) add_voronoi_areas(array(c, 0), triangles + 3 * t, array(c, 2));
    return NULL;
}

/* Group the half-edges of `triangles`, and write pairs of them, or the rim, whichever is wanted. */
static const char *run_half_edges(call_t *c, long long *one, long long *two, long long *rim)
{
    const index_t count = size_of(c, 'm'), vertices = size_of(c, 'v');
    index_t *starts = calloc((size_t)vertices + 1, sizeof *starts);
    half_edge_t *slots = malloc((size_t)(3 * count + 1) * sizeof *slots);
    const int enough = starts != NULL && slots != NULL;
    if (enough) group_half_edges(array(c, 0), count, vertices, starts, slots);
    if (enough && one) c->result = pair_half_edges(vertices, starts, slots, one, two);
    if (enough && rim) mark_rim(vertices, starts, slots, rim);
    free(starts);
    free(slots);
    return enough ? NULL : NO_MEMORY;
}

static const char *run_edge_pairs(call_t *c)
{
    if (2 * size_of(c, 'e') < 3 * size_of(c, 'm') - 1) return "expected one and two (3 m / 2)";
    return run_half_edges(c, array(c, 2), array(c, 3), NULL);
}

static const char *run_rim_vertices(call_t *c) { return run_half_edges(c, NULL, NULL, array(c, 1)); }

static const char *run_count_defects(call_t *c)
{
    const index_t count = size_of(c, 'm'), vertices = size_of(c, 'v');
    if (vertices > INT_MAX || count > UINT_MAX / 3 || size_of(c, 'r') < 3 * count) return "expected room (3 m)";
    return count_defects(array(c, 0), count, vertices, array(c, 2), array(c, 3)) ? NULL : NO_MEMORY;
}

static const char *run_components(call_t *c)
{
    label_components(array(c, 0), size_of(c, 'm'), size_of(c, 'v'), array(c, 1));
    return NULL;
}

static const char *run_edge_tensors(call_t *c)
{
    const long long *one = array(c, 3), *two = array(c, 4);
    for (index_t k = 0; k < size_of(c, 'h'); k++)
        add_edge_tensor(array(c, 0), array(c, 1), array(c, 2), one[k], two[k], array(c, 5));
    return NULL;
}

static const char *run_principal_curvatures(call_t *c)
{
    const double *tensors = array(c, 0);
    double *out = array(c, 1);
    for (index_t k = 0; k < size_of(c, 'n'); k++) principal_curvatures(tensors + 6 * k, out + 2 * k);
    return NULL;
}

/* ---- visibility ---------------------------------------------------------------------------------- */

static const char *run_block_rays(call_t *c)
{
    const index_t columns = size_of(c, 'c'), cells = size_of(c, 's') - 1;
    if (columns < 1 || cells < 1 || cells % columns) return "expected a start for each cell and one more";
    block_rays(array(c, 0), array(c, 1), size_of(c, 'm'), array(c, 2), array(c, 3), array(c, 4), cells / columns,
               columns, c->numbers[7], array(c, 5));
    return NULL;
}

static const char *run_rasterize(call_t *c)
{
    rasterize(array(c, 0), array(c, 1), size_of(c, 'm'), size_of(c, 'h'), size_of(c, 'w'), array(c, 2), array(c, 3),
              array(c, 4));
    return NULL;
}

static const char *run_interpolate_corners(call_t *c)
{
    interpolate_corners(array(c, 0), size_of(c, 'c'), array(c, 1), array(c, 2), array(c, 3), size_of(c, 'k'),
                        array(c, 4));
    return NULL;
}

/* ---- the module ---------------------------------------------------------------------------------- */

/* clang-format off */
static const signature_t signatures[] = {
    {"spread", run_spread,
     "grid:Dxyz points:dn3 masses:dn window:dpt width:iw",
     "Add masses to the grid."},
    {"interpolate", run_interpolate,
     "grid:dxyz points:dn3 window:dpt out:Dn width:iw",
     "Interpolate the grid at points."},
    {"entries", run_entries,
     "grid:dxyz rows:dr3 columns:dc3 window:dpt out:Dcr width:iw decay:f cutoff:f",
     "Kernel entries of points; zero where the exponent exceeds the cutoff."},
    {"tensor_entries", run_tensor_entries,
     "grid:dxyz x:di y:dj z:dk columns:dc3 window:dpt out:Dce width:iw decay:f",
     "Kernel entries of the nodes x * y * z with every column."},
    {"chebyshev_series", run_chebyshev_series,
     "coefficients:dxyz box:d23 points:dn3 out:Dn threshold:f",
     "Evaluate a Chebyshev series at points of a box."},
    {"convolve", run_convolve,
     "table:dab taps:dt out:Dab",
     "Convolve along the first axis."},
    {"downdate", run_downdate,
     "factor:Drn weights:dfw scales:df variances:Dn known:ik",
     "Turn kernel columns into Cholesky columns; subtract their squares from the variances."},
    {"subtract_squares", run_subtract_squares,
     "columns:dcn x:dxi y:dyj z:dzk variances:Dv",
     "Subtract squares of columns at tensor nodes from variances at others."},
    {"neighbour_sums", run_neighbour_sums,
     "sources:dn3 masses:dn keys:qk starts:qs^n shape:q3 points:dm3 out:Dm decay:f",
     "Sum Gaussians of the sources in the 27 cells around every point."},
    {"pair_sums", run_pair_sums,
     "points:ddn others:dmd values:dmk factors:drl out:Drkn decay:f",
     "Add sums of Gaussians of one or several lengths over all pairs."},
    {"normals", run_normals,
     "points:dn3 triangles:qm3<n out:Dm3",
     "Normals of triangles, as long as twice their areas."},
    {"double_areas", run_double_areas,
     "points:dn3 triangles:qm3<n out:Dm",
     "Twice the areas of triangles."},
    {"voronoi_areas", run_voronoi_areas,
     "points:dn3 triangles:qm3<n out:Dn",
     "Add mixed Voronoi areas to the vertices."},
    {"edge_pairs", run_edge_pairs,
     "triangles:qm3<v count:iv one:Qe two:Qe",
     "Half-edges of the edges in exactly two triangles; returns how many."},
    {"rim_vertices", run_rim_vertices,
     "triangles:qm3<v out:Qv",
     "Write 1 for the vertices of edges in exactly one triangle."},
    {"count_defects", run_count_defects,
     "triangles:qm3<v count:iv room:Qr totals:Q5",
     "Count the defects of edges and vertices."},
    {"components", run_components,
     "triangles:qm3<v out:Qv",
     "The lowest vertex that each vertex is connected to."},
    {"edge_tensors", run_edge_tensors,
     "points:dn3 triangles:qm3<n normals:dm3 one:qh<3m two:qh<3m out:Dn6",
     "Add the curvature tensors of edges to their ends."},
    {"principal_curvatures", run_principal_curvatures,
     "tensors:dn6 out:Dn2",
     "Product and mean of the principal curvatures."},
    {"block_rays", run_block_rays,
     "points:dn3 triangles:qm3<n rays:dk3 vertices:qk starts:qs^k out:Qk columns:ic margin:f",
     "Write 1 where a triangle blocks a ray."},
    {"rasterize", run_rasterize,
     "points:dn3 triangles:qm3<n triangle:Qhw weights:Dhw2 depth:Dhw",
     "The nearest triangle in every pixel."},
    {"interpolate_corners", run_interpolate_corners,
     "values:dnc triangles:qm3<n triangle:qk<m weights:dk2 out:Dkc",
     "Interpolate values between the corners of triangles."},
};
/* clang-format on */

enum { FUNCTIONS = sizeof signatures / sizeof *signatures };

static PyMethodDef methods[FUNCTIONS];

static int add_function(PyObject *module, int k)
{
    methods[k] =
        (PyMethodDef){signatures[k].name, (PyCFunction)(void (*)(void))dispatch, METH_FASTCALL, signatures[k].text};
    PyObject *capsule = PyCapsule_New((void *)&signatures[k], NULL, NULL);
    PyObject *function = capsule ? PyCFunction_New(&methods[k], capsule) : NULL;
    Py_XDECREF(capsule);
    if (function && PyModule_AddObject(module, signatures[k].name, function) == 0) return 0;
    Py_XDECREF(function);
    return -1;
}

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_compiled", "Compiled loops of gplandmark.", -1, NULL, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__compiled(void)
{
    PyObject *module = PyModule_Create(&definition);
#ifdef HAS_AVX2_LOOPS
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) gaussian = &gplandmark_avx2_loops;
#endif
    for (int k = 0; module && k < FUNCTIONS; k++)
        if (add_function(module, k) < 0) Py_CLEAR(module);
    return module;
}
