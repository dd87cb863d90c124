/* Loops over the triangles of a surface: normals, areas, the normal cycle, principal curvatures, defects. */
#include "_common.h"

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

/* Normals of triangles, as long as twice their areas. */
static void triangle_normals(const double *points, const long long *triangles, index_t count, double *out)
{
    for (index_t t = 0; t < count; t++) {
        double one[3], two[3];
        subtract_points(points + 3 * triangles[3 * t + 1], points + 3 * triangles[3 * t], one);
        subtract_points(points + 3 * triangles[3 * t + 2], points + 3 * triangles[3 * t], two);
        cross(one, two, out + 3 * t);
    }
}

/* Twice the areas of triangles. */
static void double_areas(const double *points, const long long *triangles, index_t count, double *out)
{
    for (index_t t = 0; t < count; t++) {
        double normal[3];
        triangle_normals(points, triangles + 3 * t, 1, normal);
        out[t] = sqrt(dot(normal, normal));
    }
}

/* Mixed Voronoi areas of the corners of one triangle, added to its vertices. */
static void add_voronoi_areas(const double *points, const long long *triangle, double *areas)
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

/* A half-edge 3 * triangle + corner with the higher of its ends; it is sorted by the lower one. */
typedef struct {
    long long high, half_edge;
} half_edge_t;

static int compare_half_edges(const void *a, const void *b)
{
    const half_edge_t *one = a, *two = b;
    if (one->high != two->high) return one->high < two->high ? -1 : 1;
    return one->half_edge < two->half_edge ? -1 : one->half_edge > two->half_edge;
}

static void sort_half_edges(half_edge_t *slots, index_t count)
{
    if (count > 32) { /* the hub of a large fan */
        qsort(slots, (size_t)count, sizeof *slots, compare_half_edges);
        return;
    }
    for (index_t i = 1; i < count; i++) {
        const half_edge_t moving = slots[i];
        index_t j = i;
        for (; j > 0 && compare_half_edges(&moving, &slots[j - 1]) < 0; j--) slots[j] = slots[j - 1];
        slots[j] = moving;
    }
}

/* Sort half-edges by the ends of their edge. `starts` has room for the vertices and one more, `slots` for
 * all half-edges. Afterwards starts[v] is the end of those whose lower end is v. */
static void group_half_edges(const long long *triangles, index_t count, index_t vertices, index_t *starts,
                             half_edge_t *slots)
{
    for (int pass = 0; pass < 2; pass++) { /* count, then store */
        for (index_t h = 0; h < 3 * count; h++) {
            const long long start = triangles[h], end = triangles[h % 3 == 2 ? h - 2 : h + 1];
            const long long low = start < end ? start : end, high = start < end ? end : start;
            if (pass == 0)
                starts[low + 1]++;
            else
                slots[starts[low]++] = (half_edge_t){high, h};
        }
        if (pass == 0)
            for (index_t v = 0; v < vertices; v++) starts[v + 1] += starts[v];
    }
    for (index_t v = 0, from = 0; v < vertices; from = starts[v++]) /* storing moved starts[v] to its end */
        sort_half_edges(slots + from, starts[v] - from);
}

/* Half-edges of every edge that lies in exactly two triangles, ordered by the ends of the edge; returns
 * how many. */
static index_t pair_half_edges(index_t vertices, const index_t *starts, const half_edge_t *slots, long long *one,
                               long long *two)
{
    index_t found = 0;
    for (index_t v = 0, k = 0, next; v < vertices; v++)
        for (; k < starts[v]; k = next) {
            for (next = k + 1; next < starts[v] && slots[next].high == slots[k].high;) next++;
            if (next - k != 2) continue;
            one[found] = slots[k].half_edge;
            two[found++] = slots[k + 1].half_edge;
        }
    return found;
}

/* Write 1 for both ends of every edge that lies in exactly one triangle. */
static void mark_rim(index_t vertices, const index_t *starts, const half_edge_t *slots, long long *rim)
{
    for (index_t v = 0, k = 0, next; v < vertices; v++)
        for (; k < starts[v]; k = next) {
            for (next = k + 1; next < starts[v] && slots[next].high == slots[k].high;) next++;
            if (next - k == 1) rim[v] = rim[slots[k].high] = 1;
        }
}

/* The other two corners of a triangle seen from one corner, in the direction of its winding. */
typedef struct {
    int next, last;
} opposite_t;

/* A neighbour of a vertex, with the number of triangles that leave towards it and that come from it, and
 * the fan of triangles that it belongs to. */
typedef struct {
    index_t vertex, leaving, coming, fan;
} neighbour_t;

/* Memory for the neighbours of one vertex. */
typedef struct {
    neighbour_t *neighbours;
    half_edge_t *opposite;     /* edges opposite the vertex, in triangles of which it is the lowest corner */
    index_t *stamp, *position; /* where a neighbour is in `neighbours`, if there are many */
} neighbourhood_t;

enum { FEW = 24 }; /* neighbours that are found by looking at all of them */
enum { BOUNDARY, NON_MANIFOLD, MISORIENTED, PINCHED, REPEATED, DEFECTS };

static index_t root_of(long long *parent, index_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static index_t fan_of(neighbour_t *neighbours, index_t i)
{
    while (neighbours[i].fan != i) i = neighbours[i].fan = neighbours[neighbours[i].fan].fan;
    return i;
}

static index_t neighbour_index(const neighbourhood_t *around, index_t vertex, index_t wanted, int few, index_t *known)
{
    index_t k = 0;
    if (few) {
        while (k < *known && around->neighbours[k].vertex != wanted) k++;
        if (k < *known) return k;
    } else {
        if (around->stamp[wanted] == vertex + 1) return around->position[wanted];
        k = *known;
        around->stamp[wanted] = vertex + 1;
        around->position[wanted] = k;
    }
    around->neighbours[k] = (neighbour_t){wanted, 0, 0, k};
    (*known)++;
    return k;
}

/* True if a walk from neighbour to neighbour returns to its start after `count` triangles and not before.
 * It has then visited as many neighbours as there are triangles, so that one triangle leaves each. */
INLINE int walk_closes(const opposite_t *opposite, index_t count)
{
    int next[FEW], last[FEW];
    for (index_t c = 0; c < count; c++) {
        next[c] = opposite[c].next;
        last[c] = opposite[c].last;
    }
    int at = last[0];
    for (index_t k = 1; k < count; k++) {
        int onward = at;
        if (at == next[0]) return 0;
        for (index_t c = 1; c < count; c++) /* without branches: a search that stops early is slower */
            onward = next[c] == at ? last[c] : onward;
        at = onward;
    }
    return at == next[0];
}

/* True if triangles form one closed fan around a vertex, all oriented alike. This is the common case, in
 * which there is nothing to count. */
static int one_closed_fan(const opposite_t *opposite, index_t count)
{
    switch (count) { /* constants let the compiler unroll the loops, which is four times as fast */
    case 5: return walk_closes(opposite, 5);
    case 6: return walk_closes(opposite, 6);
    case 7: return walk_closes(opposite, 7);
    default: return count >= 3 && count <= FEW && walk_closes(opposite, count);
    }
}

/* Add the defects at a vertex to the totals. Every edge and triangle is counted at its lowest corner. */
static void count_at_vertex(const neighbourhood_t *around, index_t vertex, index_t vertices, const opposite_t *opposite,
                            index_t count, long long *totals)
{
    index_t known = 0, lowest = 0, fans = 0;
    if (one_closed_fan(opposite, count)) return;
    for (index_t c = 0; c < count; c++) {
        const index_t next = opposite[c].next, last = opposite[c].last;
        const index_t to = neighbour_index(around, vertex, next, 2 * count <= FEW, &known);
        const index_t from = neighbour_index(around, vertex, last, 2 * count <= FEW, &known);
        around->neighbours[to].leaving++;
        around->neighbours[from].coming++;
        around->neighbours[fan_of(around->neighbours, to)].fan = fan_of(around->neighbours, from);
        if (vertex < next && vertex < last)
            around->opposite[lowest++] =
                (half_edge_t){next < last ? next * vertices + last : last * vertices + next, c};
    }
    for (index_t k = 0; k < known; k++) {
        const neighbour_t *each = around->neighbours + k;
        const index_t together = each->leaving + each->coming;
        fans += each->fan == k;
        if (each->vertex < vertex) continue;
        totals[BOUNDARY] += together == 1;
        totals[NON_MANIFOLD] += together > 2;
        totals[MISORIENTED] += together == 2 && each->leaving != 1;
    }
    totals[PINCHED] += fans > 1;
    sort_half_edges(around->opposite, lowest);
    for (index_t k = 1; k < lowest; k++) totals[REPEATED] += around->opposite[k].high == around->opposite[k - 1].high;
}

/* Label every vertex with the lowest vertex that triangles connect it to. */
static void label_components(const long long *triangles, index_t count, index_t vertices, long long *parent)
{
    for (index_t v = 0; v < vertices; v++) parent[v] = v;
    for (const long long *t = triangles; t < triangles + 3 * count; t += 3) {
        if (parent[t[0]] == parent[t[1]] && parent[t[1]] == parent[t[2]]) continue; /* the common case */
        for (int k = 0; k < 2; k++) { /* two sides connect three corners */
            const index_t i = root_of(parent, t[k]), j = root_of(parent, t[k + 1]);
            if (i < j)
                parent[j] = i;
            else
                parent[i] = j;
        }
    }
    for (index_t v = 0; v < vertices; v++) parent[v] = parent[parent[v]]; /* parents are lower, and done before */
}

/* Sort the corners of triangles by vertex; afterwards starts[v] is the end of those of v. Returns the largest
 * number at one vertex. */
static index_t group_by_corner(const long long *triangles, index_t count, index_t vertices, unsigned *starts,
                               opposite_t *opposite)
{
    unsigned most = 0;
    for (index_t h = 0; h < 3 * count; h++) starts[triangles[h] + 1]++;
    for (index_t v = 0; v < vertices; v++) {
        if (starts[v + 1] > most) most = starts[v + 1];
        starts[v + 1] += starts[v];
    }
    for (const long long *t = triangles; t < triangles + 3 * count; t += 3)
        for (int k = 0; k < 3; k++) opposite[starts[t[k]]++] = (opposite_t){(int)t[(k + 1) % 3], (int)t[(k + 2) % 3]};
    return most;
}

/* Allocate memory for vertices of at most `most` triangles; false if there is not enough. */
static int allocate_neighbourhood(neighbourhood_t *around, index_t vertices, index_t most)
{
    const size_t room = 2 * (size_t)most + 1, many = 2 * most > FEW ? (size_t)vertices : 1;
    around->neighbours = malloc(room * sizeof *around->neighbours);
    around->opposite = malloc(room * sizeof *around->opposite);
    around->stamp = calloc(many, sizeof *around->stamp);
    around->position = malloc(many * sizeof *around->position);
    return around->neighbours && around->opposite && around->stamp && around->position;
}

/* Add the defects of a surface to the totals; false if there is not enough memory. The caller provides the
 * room (3 count) for opposite edges: NumPy asks for large pages, which halves the time. */
static int count_defects(const long long *triangles, index_t count, index_t vertices, opposite_t *opposite,
                         long long *totals)
{
    neighbourhood_t around = {0};
    unsigned *starts = calloc((size_t)vertices + 1, sizeof *starts); /* smaller than pointers: more fit the cache */
    const int enough =
        starts != NULL
        && allocate_neighbourhood(&around, vertices, group_by_corner(triangles, count, vertices, starts, opposite));
    for (index_t i = 0, from = 0; enough && i < vertices; from = starts[i++])
        count_at_vertex(&around, i, vertices, opposite + from, starts[i] - from, totals);
    free(around.neighbours);
    free(around.opposite);
    free(around.stamp);
    free(around.position);
    free(starts);
    return enough;
}

/* Half of beta |e| e e^T of one edge e with dihedral angle beta, added to both of its ends. A symmetric
 * matrix has six entries in the order 00 11 22 01 02 12. `one` and `two` are the half-edges of e. */
static void add_edge_tensor(const double *points, const long long *triangles, const double *normals, long long one,
                            long long two, double *tensors)
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
static void principal_curvatures(const double *t, double *out)
{
    const double mean = (t[0] + t[1] + t[2]) / 3.0;
    const double a = t[0] - mean, b = t[1] - mean, c = t[2] - mean;
    const double off = t[3] * t[3] + t[4] * t[4] + t[5] * t[5];
    const double size = sqrt((a * a + b * b + c * c + 2.0 * off) / 6.0);
    double value[3] = {mean, mean, mean};
    if (size > 0.0) {
        const double determinant =
            a * (b * c - t[5] * t[5]) - t[3] * (t[3] * c - t[5] * t[4]) + t[4] * (t[3] * t[5] - b * t[4]);
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
