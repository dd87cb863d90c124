/* Which points a surface hides from a distant viewer, and what each pixel of a picture shows. */
#include "_common.h"

static const double SIDE = 1e-12; /* the sides of a triangle block too: no ray passes between two triangles */

/* Rays start at points (u, v, depth) and go towards larger depth; u and v are in cells of side 1.
 * They are sorted by cell: starts[i * columns + j] is the first ray with floor(u) = i, floor(v) = j.
 * A triangle blocks the rays that it covers, that start more than `margin` behind it, and that do not
 * start at one of its corners. */
static void block_rays(const double *points, const long long *triangles, index_t count, const double *rays,
                       const long long *vertices, const long long *starts, index_t rows, index_t columns, double margin,
                       long long *blocked)
{
    for (index_t t = 0; t < count; t++) {
        const long long *corner = triangles + 3 * t;
        const double *a = points + 3 * corner[0], *b = points + 3 * corner[1], *c = points + 3 * corner[2];
        const double low[2] = {fmin(fmin(a[0], b[0]), c[0]), fmin(fmin(a[1], b[1]), c[1])};
        const double high[2] = {fmax(fmax(a[0], b[0]), c[0]), fmax(fmax(a[1], b[1]), c[1])};
        const double nearest = fmax(fmax(a[2], b[2]), c[2]) - margin;
        if (!(high[0] >= 0 && high[1] >= 0 && low[0] < (double)rows && low[1] < (double)columns)) continue;
        const index_t top = low[0] > 0 ? (index_t)low[0] : 0, left = low[1] > 0 ? (index_t)low[1] : 0;
        const index_t bottom = high[0] < (double)rows ? (index_t)high[0] : rows - 1;
        const index_t right = high[1] < (double)columns ? (index_t)high[1] : columns - 1;
        for (index_t i = top; i <= bottom; i++)
            for (long long k = starts[i * columns + left]; k < starts[i * columns + right + 1]; k++) {
                const double *p = rays + 3 * k;
                if (blocked[k] || !(p[2] < nearest)) continue;
                if (vertices[k] == corner[0] || vertices[k] == corner[1] || vertices[k] == corner[2]) continue;
                const double ax = a[0] - p[0], ay = a[1] - p[1], bx = b[0] - p[0], by = b[1] - p[1];
                const double cx = c[0] - p[0], cy = c[1] - p[1];
                const double one = bx * cy - by * cx, two = cx * ay - cy * ax, three = ax * by - ay * bx;
                const double total = one + two + three, sign = total < 0 ? -1.0 : 1.0;
                if (total == 0 || fmin(fmin(sign * one, sign * two), sign * three) < -SIDE * fabs(total)) continue;
                blocked[k] = (one * a[2] + two * b[2] + three * c[2]) / total > p[2] + margin;
            }
    }
}

static const double EDGE = 1e-9; /* a centre on the edge of two triangles belongs to both despite rounding */

/* First and last of `count` pixels whose centres lie from `low` to `high`. */
static void centres_between(double low, double high, index_t count, index_t *first, index_t *last)
{
    *first = (index_t)fmin(fmax(ceil(low - 0.5), 0), (double)count);
    *last = (index_t)fmin(fmax(floor(high - 0.5), -1), (double)count - 1);
}

/* The nearest triangle at the centre of every pixel. Points are (column, row, nearness) in pixels. */
static void rasterize(const double *points, const long long *triangles, index_t count, index_t height, index_t width,
                      long long *triangle, double *weights, double *depth)
{
    for (index_t t = 0; t < count; t++) {
        const double *a = points + 3 * triangles[3 * t], *b = points + 3 * triangles[3 * t + 1];
        const double *c = points + 3 * triangles[3 * t + 2];
        index_t top, bottom, left, right;
        centres_between(fmin(fmin(a[0], b[0]), c[0]), fmax(fmax(a[0], b[0]), c[0]), width, &left, &right);
        centres_between(fmin(fmin(a[1], b[1]), c[1]), fmax(fmax(a[1], b[1]), c[1]), height, &top, &bottom);
        double one[2] = {b[0] - a[0], b[1] - a[1]}, two[2] = {c[0] - a[0], c[1] - a[1]};
        const double doubled = one[0] * two[1] - one[1] * two[0];
        if (doubled == 0) continue;
        for (int axis = 0; axis < 2; axis++) one[axis] /= doubled, two[axis] /= doubled;
        for (index_t i = top; i <= bottom; i++)
            for (index_t j = left; j <= right; j++) {
                const double across = (double)j + 0.5 - a[0], down = (double)i + 0.5 - a[1];
                const double second = across * two[1] - down * two[0], third = down * one[0] - across * one[1];
                if (!(second >= -EDGE && third >= -EDGE && second + third <= 1 + EDGE)) continue;
                const double near = a[2] + second * (b[2] - a[2]) + third * (c[2] - a[2]);
                const index_t pixel = i * width + j;
                if (!(near > depth[pixel])) continue;
                depth[pixel] = near;
                triangle[pixel] = t;
                weights[2 * pixel] = second;
                weights[2 * pixel + 1] = third;
            }
    }
}

/* Values (n, channels) of vertices, interpolated linearly at `count` points of triangles. */
static void interpolate_corners(const double *values, index_t channels, const long long *triangles,
                                const long long *triangle, const double *weights, index_t count, double *out)
{
    for (index_t k = 0; k < count; k++) {
        const long long *corner = triangles + 3 * triangle[k];
        const double *a = values + channels * corner[0], *b = values + channels * corner[1];
        const double *c = values + channels * corner[2];
        for (index_t d = 0; d < channels; d++)
            out[channels * k + d] = a[d] + weights[2 * k] * (b[d] - a[d]) + weights[2 * k + 1] * (c[d] - a[d]);
    }
}
