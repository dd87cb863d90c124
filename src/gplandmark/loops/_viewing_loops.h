/* Which points a surface hides from a far eye: parallel rays, all at once. */

#define SIDE 1e-12 /* of a triangle: its sides block too, so that no ray slips through between two */

/* Rays start at points (u, v, depth) and go towards larger depth; u and v are in cells of side 1.
 * They are sorted by cell: starts[i * columns + j] is the first ray with floor(u) = i, floor(v) = j.
 * A triangle blocks the rays that it covers, that start more than `margin` behind it, and that do not
 * start at one of its corners. */
static void block_rays(const double *points, const long long *triangles, index_t count, const double *rays,
                       const long long *vertices, const long long *starts, index_t rows, index_t columns,
                       double margin, long long *blocked)
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
                const double whole = one + two + three, sign = whole < 0 ? -1.0 : 1.0;
                if (whole == 0 || fmin(fmin(sign * one, sign * two), sign * three) < -SIDE * fabs(whole)) continue;
                blocked[k] = (one * a[2] + two * b[2] + three * c[2]) / whole > p[2] + margin;
            }
    }
}
