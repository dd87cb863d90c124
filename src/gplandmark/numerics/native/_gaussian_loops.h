/* Sums of Gaussians on grids and Cholesky downdates: the types, and one table of functions for each
 * instruction set. */
#ifndef GPLANDMARK_GAUSSIAN_LOOPS_H
#define GPLANDMARK_GAUSSIAN_LOOPS_H

#include "_common.h"

enum { MAX_TAPS = 16, MAX_NODES = 32 };

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

/* Columns (columns, x * y * z) at tensor nodes, the matrices (others, nodes) that lead to other nodes along each
 * axis, and the variances there. */
typedef struct {
    const double *values, *matrices[3];
    double *variances;
    index_t columns, nodes[3], others[3];
} squares_t;

/* Sources sorted by the cell (side 1) that holds them. `keys` are the occupied cells, ascending, and
 * starts[c] .. starts[c + 1] the sources of cell c. */
typedef struct {
    const double *points, *masses;
    const long long *keys, *starts, *shape;
    index_t cells;
} sources_t;

/* Points by axis, (dimension, count), other points (others, dimension), their values (others, columns), and
 * factors (mixtures, lengths) of Gaussians, each of half the length of the one before it. */
typedef struct {
    const double *points, *other_points, *values, *factors;
    index_t count, others, dimension, columns, mixtures, lengths;
} pairs_t;

enum { PAIR_LANES = 16 }; /* points that pair_sums works on together */

/* The functions that return int return -1 if a point lies outside the grid. */
typedef struct {
    int (*spread)(const window_t *, const grid_t *, index_t, const double *, const double *);
    int (*interpolate)(const window_t *, const grid_t *, index_t, const double *, double *);
    int (*entries)(const window_t *, const grid_t *, index_t, const double *, index_t, const double *, double, double,
                   double *);
    int (*tensor)(const window_t *, const grid_t *, const index_t *, const double *const *, const double *, double,
                  double *, double *);
    void (*series)(const index_t *, const double *, const index_t *, const double *, index_t, const double *, double *);
    void (*convolve)(const double *, index_t, index_t, const double *, index_t, double *);
    void (*downdate)(const downdate_t *);
    void (*squares)(const squares_t *, double *);
    double (*neighbours)(const sources_t *, const double *, double);
    void (*pair_sums)(const pairs_t *, double, double *, double *);
} gaussian_loops_t;

extern const gaussian_loops_t gplandmark_plain_loops;

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define HAS_AVX2_LOOPS 1
extern const gaussian_loops_t gplandmark_avx2_loops;
#endif

#endif
