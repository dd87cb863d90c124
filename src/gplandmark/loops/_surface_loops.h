/* Loops over the triangles of a surface: normals, areas, the normal cycle, principal curvatures. */

static void subtract_points(const double *a, const double *b, double *out)
{
    for (int axis = 0; axis < 3; axis++) out[axis] = a[axis] - b[axis];
}

static void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Normals of triangles [from, to), as long as twice their areas. */
static void triangle_normals(const double *points, const long long *triangles, index_t count, double *out)
{
    for (index_t t = 0; t < count; t++) {
        double one[3], two[3];
        subtract_points(points + 3 * triangles[3 * t + 1], points + 3 * triangles[3 * t], one);
        subtract_points(points + 3 * triangles[3 * t + 2], points + 3 * triangles[3 * t], two);
        cross(one, two, out + 3 * t);
    }
}

/* Mixed Voronoi areas of the corners of one triangle, added to its vertices. */
static void add_cells(const double *points, const long long *triangle, double *areas)
{
    double side[3][3], square[3], cosine[3], normal[3], voronoi[3];
    int obtuse = -1;
    for (int k = 0; k < 3; k++) { /* side k lies opposite corner k */
        subtract_points(points + 3 * triangle[(k + 2) % 3], points + 3 * triangle[(k + 1) % 3], side[k]);
        square[k] = dot(side[k], side[k]);
    }
    for (int k = 0; k < 3; k++) {
        cosine[k] = -dot(side[(k + 1) % 3], side[(k + 2) % 3]);
        if (cosine[k] < 0.0) obtuse = k;
    }
    cross(side[0], side[1], normal);
    const double twice = sqrt(dot(normal, normal)), scale = twice > 0.0 ? 1.0 / twice : 0.0;
    for (int k = 0; k < 3; k++) voronoi[k] = square[k] * cosine[k] * scale;
    for (int k = 0; k < 3; k++)
        areas[triangle[k]] += obtuse >= 0 ? (k == obtuse ? twice / 4.0 : twice / 8.0)
                                          : (voronoi[(k + 1) % 3] + voronoi[(k + 2) % 3]) / 8.0;
}

/* A half-edge 3 * triangle + corner, filed under the lower of its ends. */
typedef struct { long long high, half_edge; } filed_t;

static int compare_filed(const void *a, const void *b)
{
    const filed_t *one = a, *two = b;
    if (one->high != two->high) return one->high < two->high ? -1 : 1;
    return one->half_edge < two->half_edge ? -1 : one->half_edge > two->half_edge;
}

static void sort_filed(filed_t *slots, index_t count)
{
    if (count > 32) { /* the hub of a large fan */
        qsort(slots, (size_t)count, sizeof *slots, compare_filed);
        return;
    }
    for (index_t i = 1; i < count; i++) {
        const filed_t moving = slots[i];
        index_t j = i;
        for (; j > 0 && compare_filed(&moving, &slots[j - 1]) < 0; j--) slots[j] = slots[j - 1];
        slots[j] = moving;
    }
}

/* Half-edges of every edge that lies in exactly two triangles, ordered by the ends of the edge; returns
 * how many. `starts` has room for the vertices and one more, `slots` for all half-edges. */
static index_t pair_half_edges(const long long *triangles, index_t count, index_t vertices, index_t *starts,
                               filed_t *slots, long long *one, long long *two)
{
    index_t found = 0;
    for (int pass = 0; pass < 2; pass++) { /* count, then file */
        for (index_t h = 0; h < 3 * count; h++) {
            const long long start = triangles[h], end = triangles[h % 3 == 2 ? h - 2 : h + 1];
            const long long low = start < end ? start : end, high = start < end ? end : start;
            if (pass == 0) starts[low + 1]++;
            else slots[starts[low]++] = (filed_t){high, h};
        }
        if (pass == 0)
            for (index_t v = 0; v < vertices; v++) starts[v + 1] += starts[v];
    }
    for (index_t v = 0, from = 0; v < vertices; from = starts[v++]) { /* filing moved starts[v] to its end */
        sort_filed(slots + from, starts[v] - from);
        for (index_t k = from, next; k < starts[v]; k = next) {
            for (next = k + 1; next < starts[v] && slots[next].high == slots[k].high;) next++;
            if (next - k == 2) {
                one[found] = slots[k].half_edge;
                two[found++] = slots[k + 1].half_edge;
            }
        }
    }
    return found;
}

/* Half of beta |e| e e^T of one hinge, added to both ends of its edge; six entries of a symmetric
 * matrix in the order 00 11 22 01 02 12. `one` and `two` are the half-edges of its two triangles. */
static void add_hinge(const double *points, const long long *triangles, const double *normals,
                      long long one, long long two, double *tensors)
{
    const long long *left = triangles + 3 * (one / 3), *right = triangles + 3 * (two / 3);
    const long long start = left[one % 3], end = left[(one + 1) % 3], far = right[(two + 2) % 3];
    const double *first = normals + 3 * (one / 3), *second = normals + 3 * (two / 3);
    double turn[3], along[3], across[3];
    cross(first, second, turn);
    subtract_points(points + 3 * end, points + 3 * start, along);
    subtract_points(points + 3 * far, points + 3 * start, across);
    /* Convex where the far corner of the right triangle lies below the left triangle. */
    const double angle = copysign(atan2(sqrt(dot(turn, turn)), dot(first, second)), -dot(across, first));
    const double half = 0.5 * angle / sqrt(dot(along, along));
    const double entries[6] = {along[0] * along[0], along[1] * along[1], along[2] * along[2],
                               along[0] * along[1], along[0] * along[2], along[1] * along[2]};
    for (int k = 0; k < 6; k++) {
        tensors[6 * start + k] += half * entries[k];
        tensors[6 * end + k] += half * entries[k];
    }
}

/* Product and mean of the two eigenvalues largest in magnitude of a symmetric matrix. */
static void principal_values(const double *t, double *out)
{
    const double mean = (t[0] + t[1] + t[2]) / 3.0;
    const double a = t[0] - mean, b = t[1] - mean, c = t[2] - mean;
    const double off = t[3] * t[3] + t[4] * t[4] + t[5] * t[5];
    const double size = sqrt((a * a + b * b + c * c + 2.0 * off) / 6.0);
    double value[3] = {mean, mean, mean};
    if (size > 0.0) {
        const double determinant = a * (b * c - t[5] * t[5]) - t[3] * (t[3] * c - t[5] * t[4])
                                   + t[4] * (t[3] * t[5] - b * t[4]);
        const double ratio = determinant / (2.0 * size * size * size);
        const double angle = acos(ratio < -1.0 ? -1.0 : ratio > 1.0 ? 1.0 : ratio) / 3.0;
        const double third = 2.0943951023931953; /* 2 pi / 3 */
        for (int k = 0; k < 3; k++) value[k] = mean + 2.0 * size * cos(angle + third * k);
    }
    int smallest = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(value[k]) < fabs(value[smallest])) smallest = k;
    const double one = value[(smallest + 1) % 3], two = value[(smallest + 2) % 3];
    out[0] = one * two;
    out[1] = 0.5 * (one + two);
}
