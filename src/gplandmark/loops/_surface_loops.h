/* Loops over the triangles of a surface: normals, the normal cycle, principal curvatures. */

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
