/* Sums of Gaussians on grids, Chebyshev series and Cholesky downdates.
 *
 * _gaussian_loops_avx2.c includes this file: each instruction set is a translation unit, because vector
 * types must be compiled for the set that runs them, helpers included. */
#include "_gaussian_loops.h"

#ifndef GAUSSIAN_LOOPS
#define GAUSSIAN_LOOPS gplandmark_plain_loops
#endif

enum { LANES = 16, WIDTH = 4, PACKS = LANES / WIDTH };

/* Four numbers worked on together: a vector type where the compiler has one. */
#if defined(__GNUC__) || defined(__clang__)
typedef double pack_t __attribute__((vector_size(32)));
INLINE pack_t broadcast(double x) { return (pack_t){x, x, x, x}; }
INLINE pack_t multiply(pack_t a, pack_t b) { return a * b; }
INLINE pack_t multiply_add(pack_t a, pack_t b, pack_t c) { return a * b + c; }
#else
typedef struct {
    double lane[WIDTH];
} pack_t;
INLINE pack_t broadcast(double x) { return (pack_t){{x, x, x, x}}; }
INLINE pack_t multiply_add(pack_t a, pack_t b, pack_t c)
{
    for (int k = 0; k < WIDTH; k++) c.lane[k] += a.lane[k] * b.lane[k];
    return c;
}
INLINE pack_t multiply(pack_t a, pack_t b) { return multiply_add(a, b, broadcast(0.0)); }
#endif
INLINE pack_t load(const double *from)
{
    pack_t a;
    memcpy(&a, from, sizeof a);
    return a;
}
INLINE void store(double *to, pack_t a) { memcpy(to, &a, sizeof a); }

/* ---- window ---------------------------------------------------------------------------------- */

/* First tap for coordinate u, and the weights of all taps as `packs` packs. */
INLINE index_t weigh(const int packs, const window_t *w, double u, pack_t *weights)
{
    const double shifted = u - 0.5 * (double)w->width, first = ceil(shifted);
    const pack_t s = broadcast(2.0 * (first - shifted) - 1.0);
    const double *c = w->coefficients + w->degree * packs * WIDTH;
    for (int k = 0; k < packs; k++) weights[k] = load(c + WIDTH * k);
    for (index_t power = w->degree; power-- > 0;) {
        c -= packs * WIDTH;
        for (int k = 0; k < packs; k++) weights[k] = multiply_add(weights[k], s, load(c + WIDTH * k));
    }
    return (index_t)first;
}

/* True if all taps of a point lie on the grid; written so that NaN and huge values fail. */
INLINE int inside(const window_t *w, const grid_t *g, const double *u)
{
    const double half = 0.5 * (double)w->width;
    for (int axis = 0; axis < 3; axis++) {
        const double reach = (double)(axis == 2 ? w->padded : w->width);
        if (!(u[axis] >= half && u[axis] <= (double)g->shape[axis] + half - reach - 1.0)) return 0;
    }
    return 1;
}

typedef struct {
    double x[MAX_TAPS], y[MAX_TAPS];
    pack_t z[MAX_TAPS / WIDTH];
    index_t start;
} stencil_t;

INLINE void prepare_stencil(const int packs, const window_t *w, const grid_t *g, const double *u, stencil_t *s)
{
    pack_t weights[MAX_TAPS / WIDTH];
    const index_t x = weigh(packs, w, u[0], weights);
    for (int k = 0; k < packs; k++) store(s->x + WIDTH * k, weights[k]);
    const index_t y = weigh(packs, w, u[1], weights);
    for (int k = 0; k < packs; k++) store(s->y + WIDTH * k, weights[k]);
    s->start = (x * g->shape[1] + y) * g->shape[2] + weigh(packs, w, u[2], s->z);
}

INLINE double sample(const int packs, const window_t *w, const grid_t *g, const index_t width, const double *u)
{
    stencil_t s;
    pack_t sum[MAX_TAPS / WIDTH], total = broadcast(0.0);
    double lanes[WIDTH];
    prepare_stencil(packs, w, g, u, &s);
    for (int k = 0; k < packs; k++) sum[k] = broadcast(0.0);
    for (index_t i = 0; i < width; i++) {
        /* One sum for each plane: a single long chain of additions would wait for itself. */
        const double *row = g->values + s.start + i * g->shape[1] * g->shape[2];
        pack_t plane[MAX_TAPS / WIDTH];
        for (int k = 0; k < packs; k++) plane[k] = multiply(broadcast(s.y[0]), load(row + WIDTH * k));
        for (index_t j = 1; j < width; j++) {
            row += g->shape[2];
            for (int k = 0; k < packs; k++) plane[k] = multiply_add(broadcast(s.y[j]), load(row + WIDTH * k), plane[k]);
        }
        for (int k = 0; k < packs; k++) sum[k] = multiply_add(broadcast(s.x[i]), plane[k], sum[k]);
    }
    for (int k = 0; k < packs; k++) total = multiply_add(sum[k], s.z[k], total);
    store(lanes, total);
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

INLINE int spread_all(const int packs, const window_t *w, const grid_t *g, index_t count, const double *points,
                      const double *masses)
{
    for (index_t n = 0; n < count; n++) {
        stencil_t s;
        if (!inside(w, g, points + 3 * n)) return -1;
        prepare_stencil(packs, w, g, points + 3 * n, &s);
        for (index_t i = 0; i < w->width; i++)
            for (index_t j = 0; j < w->width; j++) {
                double *row = g->values + s.start + (i * g->shape[1] + j) * g->shape[2];
                const pack_t weight = broadcast(masses[n] * s.x[i] * s.y[j]);
                for (int k = 0; k < packs; k++)
                    store(row + WIDTH * k, multiply_add(weight, s.z[k], load(row + WIDTH * k)));
            }
    }
    return 0;
}

/* Call an inlined function with the number of packs as a constant, so that the taps stay in registers. */
#define WITH_PACKS(function, w, ...)                                                                                   \
    ((w)->padded == WIDTH       ? function(1, w, __VA_ARGS__)                                                          \
     : (w)->padded == 2 * WIDTH ? function(2, w, __VA_ARGS__)                                                          \
     : (w)->padded == 3 * WIDTH ? function(3, w, __VA_ARGS__)                                                          \
                                : function(4, w, __VA_ARGS__))

static int spread_points(const window_t *w, const grid_t *g, index_t count, const double *points, const double *masses)
{
    return WITH_PACKS(spread_all, w, g, count, points, masses);
}

/* out[j][i] = exp(-decay |x_i - y_j|^2) g((x_i + y_j) / 2); zero where the exponent passes cutoff. */
INLINE int entries_all(const int packs, const window_t *w, const grid_t *g, const index_t width, index_t rows,
                       const double *x, index_t columns, const double *y, double decay, double cutoff, double *out)
{
    for (index_t j = 0; j < columns; j++)
        for (index_t i = 0; i < rows; i++) {
            double middle[3], exponent = 0.0;
            for (int axis = 0; axis < 3; axis++) {
                const double difference = x[3 * i + axis] - y[3 * j + axis];
                exponent += decay * difference * difference;
                middle[axis] = 0.5 * (x[3 * i + axis] + y[3 * j + axis]);
            }
            double *entry = out + j * rows + i;
            *entry = 0.0;
            if (exponent > cutoff) continue;
            if (!inside(w, g, middle)) return -1;
            *entry = exp(-exponent) * sample(packs, w, g, width, middle);
        }
    return 0;
}

static int entries_points(const window_t *w, const grid_t *g, index_t rows, const double *x, index_t columns,
                          const double *y, double decay, double cutoff, double *out)
{
    /* The default tolerance has eight taps; as a constant this saves an eighth of the time. */
    if (w->width == 8 && w->padded == 8) return entries_all(2, w, g, 8, rows, x, columns, y, decay, cutoff, out);
    return WITH_PACKS(entries_all, w, g, w->width, rows, x, columns, y, decay, cutoff, out);
}

INLINE int interpolate_all(const int packs, const window_t *w, const grid_t *g, index_t rows, const double *x,
                           double *out)
{
    for (index_t i = 0; i < rows; i++) {
        if (!inside(w, g, x + 3 * i)) return -1;
        out[i] = sample(packs, w, g, w->width, x + 3 * i);
    }
    return 0;
}

static int interpolate_points(const window_t *w, const grid_t *g, index_t rows, const double *x, double *out)
{
    return WITH_PACKS(interpolate_all, w, g, rows, x, out);
}

/* ---- kernel entries on a tensor grid of nodes -------------------------------------------------- */

/* Interpolation along one axis to the midpoints of nodes and a pivot, Gaussian factors included:
 * node i takes weights[i] from the grid planes at first + starts[i]. */
typedef struct {
    index_t first, span, starts[MAX_NODES];
    double weights[MAX_NODES][MAX_TAPS];
} axis_t;

INLINE int prepare_axis(const int packs, const window_t *w, index_t count, const double *nodes, double pivot,
                        double decay, index_t size, axis_t *a)
{
    const double half = 0.5 * (double)w->width, low = 0.5 * (nodes[0] + pivot);
    const double high = 0.5 * (nodes[count - 1] + pivot);
    if (!(low >= half && low <= high && high <= (double)size - half - 1.0)) return -1;
    a->first = (index_t)ceil(low - half);
    a->span = (index_t)ceil(high - half) + w->width - a->first;
    for (index_t i = 0; i < count; i++) {
        pack_t weights[MAX_TAPS / WIDTH];
        const double difference = nodes[i] - pivot, middle = 0.5 * (nodes[i] + pivot);
        const pack_t factor = broadcast(exp(-decay * difference * difference));
        if (!(middle >= low && middle <= high)) return -1;
        a->starts[i] = weigh(packs, w, middle, weights) - a->first;
        for (int k = 0; k < packs; k++) store(a->weights[i] + WIDTH * k, multiply(weights[k], factor));
    }
    return 0;
}

/* out[0:packs] = sum_t weights[t] in[t * step][0:packs] */
INLINE void combine(const int packs, index_t taps, const double *weights, const double *in, index_t step, double *out)
{
    pack_t sum[MAX_TAPS / WIDTH];
    for (int k = 0; k < packs; k++) sum[k] = broadcast(0.0);
    for (index_t t = 0; t < taps; t++)
        for (int k = 0; k < packs; k++)
            sum[k] = multiply_add(broadcast(weights[t]), load(in + t * step + WIDTH * k), sum[k]);
    for (int k = 0; k < packs; k++) store(out + WIDTH * k, sum[k]);
}

/* The same for any length, four packs at a time. */
INLINE void combine_row(index_t length, index_t taps, const double *weights, const double *in, index_t step,
                        double *out)
{
    for (; length > 4; length -= 4, in += 4 * WIDTH, out += 4 * WIDTH) combine(4, taps, weights, in, step, out);
    switch (length) {
    case 1: combine(1, taps, weights, in, step, out); break;
    case 2: combine(2, taps, weights, in, step, out); break;
    case 3: combine(3, taps, weights, in, step, out); break;
    case 4: combine(4, taps, weights, in, step, out); break;
    }
}

/* out[i] = sum_t taps[t] in[i + t - reach] over the rows of a table; rows beyond its ends are zero. */
static void convolve_rows(const double *in, index_t size, index_t length, const double *taps, index_t reach,
                          double *out)
{
    const index_t full = length / WIDTH;
    for (index_t i = 0; i < size; i++) {
        const index_t low = i > reach ? i - reach : 0, high = i + reach < size ? i + reach + 1 : size;
        const double *weights = taps + (low - i + reach), *source = in + low * length;
        combine_row(full, high - low, weights, source, length, out + i * length);
        for (index_t k = full * WIDTH; k < length; k++) {
            double sum = 0.0;
            for (index_t t = 0; t < high - low; t++) sum += weights[t] * source[t * length + k];
            out[i * length + k] = sum;
        }
    }
}

/* The interpolation along an axis as a matrix [span][stride]. */
INLINE void fill_matrix(const axis_t *a, index_t count, index_t width, index_t stride, double *matrix)
{
    memset(matrix, 0, (size_t)(a->span * stride) * sizeof(double));
    for (index_t i = 0; i < count; i++)
        for (index_t t = 0; t < width; t++) matrix[(a->starts[i] + t) * stride + i] = a->weights[i][t];
}

/* One pivot against all nodes of a tensor grid: x, then y, then z. */
INLINE int tensor_all(const int packs, const window_t *w, const grid_t *g, const index_t *counts,
                      const double *const *nodes, const double *pivot, double decay, double *work, double *out)
{
    axis_t a[3];
    for (int axis = 0; axis < 3; axis++)
        if (prepare_axis(packs, w, counts[axis], nodes[axis], pivot[axis], decay, g->shape[axis], &a[axis])) return -1;
    const index_t length = (a[2].span + WIDTH - 1) / WIDTH, row = length * WIDTH;
    if (a[2].first + row > g->shape[2]) return -1;
    double *first = work, *second = work + counts[0] * a[1].span * row;
    const double *corner = g->values + (a[0].first * g->shape[1] + a[1].first) * g->shape[2] + a[2].first;
    for (index_t x = 0; x < counts[0]; x++)
        for (index_t y = 0; y < a[1].span; y++)
            combine_row(length, w->width, a[0].weights[x], corner + (a[0].starts[x] * g->shape[1] + y) * g->shape[2],
                        g->shape[1] * g->shape[2], first + (x * a[1].span + y) * row);
    for (index_t x = 0; x < counts[0]; x++)
        for (index_t y = 0; y < counts[1]; y++)
            combine_row(length, w->width, a[1].weights[y], first + (x * a[1].span + a[1].starts[y]) * row, row,
                        second + (x * counts[1] + y) * row);
    /* Along z the nodes are the vector: the first table is free again and holds the matrix. */
    const index_t depth = (counts[2] + WIDTH - 1) / WIDTH;
    fill_matrix(&a[2], counts[2], w->width, depth * WIDTH, first);
    for (index_t n = 0; n < counts[0] * counts[1]; n++) {
        double nodes_z[MAX_NODES];
        combine_row(depth, a[2].span, second + n * row, first, depth * WIDTH, nodes_z);
        for (index_t k = 0; k < counts[2]; k++) out[n * counts[2] + k] = nodes_z[k];
    }
    return 0;
}

static int tensor_column(const window_t *w, const grid_t *g, const index_t *counts, const double *const *nodes,
                         const double *pivot, double decay, double *work, double *out)
{
    return WITH_PACKS(tensor_all, w, g, counts, nodes, pivot, decay, work, out);
}

/* ---- Chebyshev series on a box ----------------------------------------------------------------- */

INLINE void chebyshev(index_t count, const double *u, pack_t (*t)[PACKS])
{
    for (int p = 0; p < PACKS; p++) {
        const pack_t x = load(u + WIDTH * p), twice = multiply(broadcast(2.0), x);
        t[0][p] = broadcast(1.0);
        if (count > 1) t[1][p] = x;
        for (index_t k = 2; k < count; k++)
            t[k][p] = multiply_add(twice, t[k - 1][p], multiply(broadcast(-1.0), t[k - 2][p]));
    }
}

/* Series sum a_ijk T_i T_j T_k at LANES points; lengths[i][j] is the number of k to add. */
INLINE void series_block(const index_t *n, const double *a, const index_t *lengths, const double (*u)[LANES],
                         double *out)
{
    pack_t tx[MAX_NODES][PACKS], ty[MAX_NODES][PACKS], tz[MAX_NODES][PACKS], total[PACKS];
    chebyshev(n[0], u[0], tx);
    chebyshev(n[1], u[1], ty);
    chebyshev(n[2], u[2], tz);
    for (int p = 0; p < PACKS; p++) total[p] = broadcast(0.0);
    for (index_t i = 0; i < n[0]; i++) {
        pack_t outer[PACKS];
        for (int p = 0; p < PACKS; p++) outer[p] = broadcast(0.0);
        for (index_t j = 0; j < n[1]; j++) {
            const double *c = a + (i * n[1] + j) * n[2];
            const index_t length = lengths[i * n[1] + j];
            pack_t inner[PACKS];
            if (length == 0) continue;
            for (int p = 0; p < PACKS; p++) inner[p] = broadcast(c[0]);
            for (index_t k = 1; k < length; k++)
                for (int p = 0; p < PACKS; p++) inner[p] = multiply_add(broadcast(c[k]), tz[k][p], inner[p]);
            for (int p = 0; p < PACKS; p++) outer[p] = multiply_add(inner[p], ty[j][p], outer[p]);
        }
        for (int p = 0; p < PACKS; p++) total[p] = multiply_add(outer[p], tx[i][p], total[p]);
    }
    for (int p = 0; p < PACKS; p++) store(out + WIDTH * p, total[p]);
}

static void series_points(const index_t *n, const double *a, const index_t *lengths, const double *box, index_t count,
                          const double *points, double *out)
{
    for (index_t start = 0; start < count; start += LANES) {
        double u[3][LANES], total[LANES];
        const index_t size = count - start < LANES ? count - start : LANES;
        for (int axis = 0; axis < 3; axis++)
            for (index_t lane = 0; lane < LANES; lane++) {
                const index_t point = start + (lane < size ? lane : 0);
                u[axis][lane] = (points[3 * point + axis] - box[axis]) * box[3 + axis];
            }
        series_block(n, a, lengths, (const double (*)[LANES])u, total);
        memcpy(out + start, total, (size_t)size * sizeof(double));
    }
}

/* ---- Cholesky ------------------------------------------------------------------------------------ */

/* Earlier columns are copied block by block, so that memory is read in long pieces. A panel of columns is
 * updated by each copy, strip by strip and four columns at a time, with all sums in registers. */
enum { GROUP = 4, STRIP_PACKS = 3, STRIP = STRIP_PACKS * WIDTH, TILE = 16 * STRIP, DEPTH = 32, PANEL = 32 };

/* Subtract `depth` earlier columns, `step` numbers apart, from `count` columns of one strip. */
INLINE void subtract(const int count, index_t depth, const double *weights, index_t stride, const double *earlier,
                     index_t step, double *target, index_t size)
{
    pack_t sum[GROUP][STRIP_PACKS];
    for (int j = 0; j < count; j++)
        for (int p = 0; p < STRIP_PACKS; p++) sum[j][p] = load(target + j * size + WIDTH * p);
    for (index_t i = 0; i < depth; i++) {
        pack_t one[STRIP_PACKS];
        for (int p = 0; p < STRIP_PACKS; p++) one[p] = load(earlier + i * step + WIDTH * p);
        for (int j = 0; j < count; j++) {
            const pack_t weight = broadcast(-weights[j * stride + i]);
            for (int p = 0; p < STRIP_PACKS; p++) sum[j][p] = multiply_add(weight, one[p], sum[j][p]);
        }
    }
    for (int j = 0; j < count; j++)
        for (int p = 0; p < STRIP_PACKS; p++) store(target + j * size + WIDTH * p, sum[j][p]);
}

/* Subtract all columns before `before` from `count` columns of a tile. */
static void subtract_earlier(const downdate_t *d, index_t column, index_t count, index_t before, index_t start,
                             index_t stop)
{
    double copy[TILE * DEPTH];
    for (index_t low = 0; low < before; low += DEPTH) {
        const index_t depth = low + DEPTH < before ? DEPTH : before - low;
        for (index_t i = 0; i < depth; i++)
            for (index_t k = start; k < stop; k += STRIP)
                memcpy(copy + (k - start) * DEPTH + i * STRIP, d->factor + (low + i) * d->size + k,
                       STRIP * sizeof(double));
        for (index_t j = 0; j < count; j += GROUP) {
            const double *weights = d->weights + (column + j) * d->stride + low;
            double *target = d->factor + (d->known + column + j) * d->size;
            for (index_t k = start; k < stop; k += STRIP) {
                const double *earlier = copy + (k - start) * DEPTH;
                switch (count - j) {
                case 1: subtract(1, depth, weights, d->stride, earlier, STRIP, target + k, d->size); break;
                case 2: subtract(2, depth, weights, d->stride, earlier, STRIP, target + k, d->size); break;
                case 3: subtract(3, depth, weights, d->stride, earlier, STRIP, target + k, d->size); break;
                default: subtract(GROUP, depth, weights, d->stride, earlier, STRIP, target + k, d->size);
                }
            }
        }
    }
}

INLINE void finish_column(const downdate_t *d, index_t column, index_t start, index_t stop)
{
    double *target = d->factor + (d->known + column) * d->size;
    for (index_t k = start; k < stop; k++) {
        target[k] /= d->scales[column];
        d->variances[k] -= target[k] * target[k];
    }
}

INLINE void downdate_tail(const downdate_t *d, index_t start)
{
    for (index_t j = 0; j < d->fresh; j++) {
        double *restrict target = d->factor + (d->known + j) * d->size;
        for (index_t i = 0; i < d->known + j; i++) {
            const double weight = d->weights[j * d->stride + i];
            const double *restrict earlier = d->factor + i * d->size;
            for (index_t k = start; k < d->size; k++) target[k] -= weight * earlier[k];
        }
        finish_column(d, j, start, d->size);
    }
}

/* Rows known .. known + fresh of factor hold kernel columns; turn each into its Cholesky column
 * c_j = (K_j - sum_{i<j} weights[j][i] c_i) / scales[j] and subtract its square from the variances. */
static void downdate_rows(const downdate_t *d)
{
    const index_t full = d->size / STRIP * STRIP;
    for (index_t start = 0; start < full; start += TILE) {
        const index_t stop = start + TILE < full ? start + TILE : full;
        for (index_t panel = 0; panel < d->fresh; panel += PANEL) {
            const index_t count = d->fresh - panel < PANEL ? d->fresh - panel : PANEL, before = d->known + panel;
            subtract_earlier(d, panel, count, before, start, stop);
            for (index_t j = 0; j < count; j++) {
                const double *weights = d->weights + (panel + j) * d->stride + before;
                for (index_t k = start; k < stop; k += STRIP)
                    subtract(1, j, weights, d->stride, d->factor + before * d->size + k, d->size,
                             d->factor + (before + j) * d->size + k, d->size);
                finish_column(d, panel + j, start, stop);
            }
        }
    }
    downdate_tail(d, full);
}

/* ---- squares of columns at other nodes ------------------------------------------------------------ */

/* out[0:count][0:packs * WIDTH] = in[0:count][0:length], filled up with zeros */
INLINE void pad_rows(index_t count, index_t length, index_t packs, const double *in, double *out)
{
    memset(out, 0, (size_t)(count * packs * WIDTH) * sizeof(double));
    for (index_t i = 0; i < count; i++)
        memcpy(out + i * packs * WIDTH, in + i * length, (size_t)length * sizeof(double));
}

/* Interpolate every column from its nodes to those of the variances, x, then y, then z, and subtract its
 * square from them. The matrix of an axis leads from its n nodes to m others. */
static void squares_of_columns(const squares_t *s, double *work)
{
    const index_t *n = s->nodes, *m = s->others, depth = (n[2] + WIDTH - 1) / WIDTH, last = (m[2] + WIDTH - 1) / WIDTH;
    const index_t row = depth * WIDTH, plane = n[1] * row;
    double *column = work, *first = column + n[0] * plane, *second = first + m[0] * plane;
    double *along_z = second + m[0] * m[1] * row, values[MAX_NODES];
    memset(along_z, 0, (size_t)(n[2] * last * WIDTH) * sizeof(double));
    for (index_t k = 0; k < m[2]; k++)
        for (index_t t = 0; t < n[2]; t++) along_z[t * last * WIDTH + k] = s->matrices[2][k * n[2] + t];
    for (index_t j = 0; j < s->columns; j++) {
        pad_rows(n[0] * n[1], n[2], depth, s->values + j * n[0] * n[1] * n[2], column);
        for (index_t x = 0; x < m[0]; x++)
            combine_row(n[1] * depth, n[0], s->matrices[0] + x * n[0], column, plane, first + x * plane);
        for (index_t x = 0; x < m[0]; x++)
            for (index_t y = 0; y < m[1]; y++)
                combine_row(depth, n[1], s->matrices[1] + y * n[1], first + x * plane, row,
                            second + (x * m[1] + y) * row);
        for (index_t i = 0; i < m[0] * m[1]; i++) {
            combine_row(last, n[2], second + i * row, along_z, last * WIDTH, values);
            for (index_t k = 0; k < m[2]; k++) s->variances[i * m[2] + k] -= values[k] * values[k];
        }
    }
}

/* ---- direct sums over neighbours ----------------------------------------------------------------- */

INLINE index_t lower_bound(const long long *keys, index_t count, long long key)
{
    index_t low = 0, high = count;
    while (low < high) {
        const index_t middle = low + (high - low) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

INLINE double gather(const sources_t *s, const double *u, double decay, index_t from, index_t to)
{
    double sum = 0.0;
    for (index_t k = from; k < to; k++) {
        const double *z = s->points + 3 * k;
        const double x = u[0] - z[0], y = u[1] - z[1], w = u[2] - z[2];
        sum += s->masses[k] * exp(-decay * (x * x + y * y + w * w));
    }
    return sum;
}

/* sum_k mass_k exp(-decay |u - z_k|^2) over the 27 cells around u; farther sources are dropped. */
static double neighbour_sum(const sources_t *s, const double *u, double decay)
{
    double sum = 0.0;
    long long cell[3];
    for (int axis = 0; axis < 3; axis++) {
        if (!(u[axis] > -1.0 && u[axis] < (double)s->shape[axis] + 1.0)) return 0.0;
        cell[axis] = (long long)floor(u[axis]);
    }
    const long long low = cell[2] > 1 ? cell[2] - 1 : 0;
    const long long high = cell[2] + 1 < s->shape[2] ? cell[2] + 1 : s->shape[2] - 1;
    for (long long x = cell[0] - 1; x <= cell[0] + 1; x++)
        for (long long y = cell[1] - 1; y <= cell[1] + 1; y++) {
            if (x < 0 || y < 0 || x >= s->shape[0] || y >= s->shape[1]) continue;
            const long long row = (x * s->shape[1] + y) * s->shape[2];
            const index_t from = lower_bound(s->keys, s->cells, row + low);
            const index_t to = lower_bound(s->keys, s->cells, row + high + 1);
            sum += gather(s, u, decay, s->starts[from], s->starts[to]);
        }
    return sum;
}

/* ---- direct sums over all pairs ------------------------------------------------------------------ */

/* exp(-decay x) of packs x >= 0, to rounding; nothing where that is below 2^-1000. */
#if defined(__GNUC__) || defined(__clang__)
typedef unsigned long long bits_t __attribute__((vector_size(32)));
INLINE pack_t exponential(pack_t x, double decay)
{
    /* It is 2^(n + f) with |f| <= 1/2. Adding 1.5 * 2^52 leaves n in the lowest bits. */
    const pack_t rate = broadcast(-1.4426950408889634 * decay), shift = broadcast(6755399441055744.0);
    const pack_t shifted = multiply_add(x, rate, shift), n = shifted - shift, f = multiply_add(x, rate, -n);
    /* The polynomial through 2^f at twelve Chebyshev points, the highest power first: its error is 3e-18. */
    static const double powers[] = {7.074194297288521e-09,  1.0178057087733941e-07, 1.3215432535912375e-06,
                                    1.5252733841556773e-05, 0.00015403530463724353, 0.001333355814640647,
                                    0.009618129107587256,   0.055504108664821625,   0.24022650695910158,
                                    0.6931471805599453,     1.0};
    pack_t sum = broadcast(4.4558179083360645e-10);
    for (int k = 0; k < 11; k++) sum = multiply_add(sum, f, broadcast(powers[k]));
    const pack_t power = (pack_t)(((bits_t)shifted << 52) + (bits_t)broadcast(1.0));
    const bits_t is_nothing = (bits_t)(n < broadcast(-1000.0));
    return (pack_t)(~is_nothing & (bits_t)(sum * power));
}
#else
INLINE pack_t exponential(pack_t x, double decay)
{
    for (int k = 0; k < WIDTH; k++) x.lane[k] = exp(-decay * x.lane[k]);
    return x;
}
#endif

enum { BATCH = 32 }; /* other points whose Gaussians are kept at a time */

/* Gaussians of LANES points x[axis][lane] with one other point. */
INLINE void gaussians(const pairs_t *s, const double *x, const double *other, double decay, pack_t *out)
{
    for (int p = 0; p < PACKS; p++) out[p] = broadcast(0.0);
    for (index_t axis = 0; axis < s->dimension; axis++) {
        const pack_t y = broadcast(-other[axis]);
        for (int p = 0; p < PACKS; p++) {
            const pack_t step = multiply_add(load(x + axis * LANES + p * WIDTH), broadcast(1.0), y);
            out[p] = multiply_add(step, step, out[p]);
        }
    }
    for (int p = 0; p < PACKS; p++) out[p] = exponential(out[p], decay);
}

/* The mixture sum_l factors[l] g^(4^l) of Gaussians g: of one length, half of it, a quarter and so on. */
INLINE void mix(const double *factors, index_t lengths, const pack_t *gaussian, pack_t *out)
{
    for (int p = 0; p < PACKS; p++) {
        pack_t power = gaussian[p];
        out[p] = multiply(power, broadcast(factors[0]));
        for (index_t l = 1; l < lengths; l++) {
            power = multiply(power, power);
            power = multiply(power, power);
            out[p] = multiply_add(power, broadcast(factors[l]), out[p]);
        }
    }
}

/* Add to sums[mixture][column][lane] at LANES points x[axis][lane]. */
INLINE void sum_lanes(const pairs_t *s, const double *x, double *sums, double decay)
{
    pack_t kept[BATCH][PACKS], mixed[BATCH][PACKS];
    for (index_t start = 0; start < s->others; start += BATCH) {
        const index_t used = s->others - start < BATCH ? s->others - start : BATCH;
        for (index_t j = 0; j < used; j++)
            gaussians(s, x, s->other_points + (start + j) * s->dimension, decay, kept[j]);
        for (index_t r = 0; r < s->mixtures; r++) {
            for (index_t j = 0; j < used; j++) mix(s->factors + r * s->lengths, s->lengths, kept[j], mixed[j]);
            for (index_t k = 0; k < s->columns; k++) {
                const double *values = s->values + start * s->columns + k;
                double *out = sums + (r * s->columns + k) * LANES;
                pack_t sum[PACKS];
                for (int p = 0; p < PACKS; p++) sum[p] = load(out + p * WIDTH);
                for (index_t j = 0; j < used; j++)
                    for (int p = 0; p < PACKS; p++)
                        sum[p] = multiply_add(mixed[j][p], broadcast(values[j * s->columns]), sum[p]);
                for (int p = 0; p < PACKS; p++) store(out + p * WIDTH, sum[p]);
            }
        }
    }
}

/* out[r][k][i] += sum_j sum_l factors[r][l] exp(-4^l decay |x_i - y_j|^2) values[j][k]; room for
 * LANES (dimension + mixtures columns) numbers. */
static void pair_sums(const pairs_t *s, double decay, double *room, double *out)
{
    double *sums = room + LANES * s->dimension;
    const index_t rows = s->mixtures * s->columns;
    for (index_t start = 0; start < s->count; start += LANES) {
        const index_t used = s->count - start < LANES ? s->count - start : LANES;
        for (index_t axis = 0; axis < s->dimension; axis++)
            for (index_t lane = 0; lane < LANES; lane++)
                room[axis * LANES + lane] = s->points[axis * s->count + start + (lane < used ? lane : 0)];
        memset(sums, 0, sizeof(double) * LANES * rows);
        sum_lanes(s, room, sums, decay);
        for (index_t k = 0; k < rows; k++)
            for (index_t lane = 0; lane < used; lane++) out[k * s->count + start + lane] += sums[k * LANES + lane];
    }
}

const gaussian_loops_t GAUSSIAN_LOOPS = {
    spread_points, interpolate_points, entries_points,     tensor_column, series_points,
    convolve_rows, downdate_rows,      squares_of_columns, neighbour_sum, pair_sums,
};
