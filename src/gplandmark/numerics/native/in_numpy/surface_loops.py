# SPDX-License-Identifier: MIT
"""Triangles: the twins of ``_surface_loops.h``."""

import numpy as np
import scipy

from gplandmark.numerics.arrays import FloatArray, IndexArray


def normals(points: FloatArray, triangles: IndexArray, out: FloatArray) -> None:
    """Normals of triangles, as long as twice their areas."""
    first, second, third = (points[triangles[:, corner]] for corner in range(3))
    out[:] = np.cross(second - first, third - first)


def double_areas(points: FloatArray, triangles: IndexArray, out: FloatArray) -> None:
    """Twice the areas of triangles."""
    across = np.zeros((len(triangles), 3))
    normals(points, triangles, across)
    out[:] = np.linalg.norm(across, axis=1)


def edge_tensors(
    points: FloatArray,
    triangles: IndexArray,
    normals: FloatArray,
    one: IndexArray,
    two: IndexArray,
    out: FloatArray,
) -> None:
    """Add ``beta |e| e e^T / 2`` of every edge e in two triangles to both of its ends.

    An edge is given by its half-edges ``3 * triangle + corner``, one of each triangle; the entries
    of a symmetric matrix are in the order 00 11 22 01 02 12.
    """
    start, end = triangles.ravel()[one], triangles.ravel()[one - one % 3 + (one + 1) % 3]
    far = triangles.ravel()[two - two % 3 + (two + 2) % 3]
    first, second = normals[one // 3], normals[two // 3]
    along = points[end] - points[start]
    sine = np.linalg.norm(np.cross(first, second), axis=1)
    cosine = np.einsum("ij,ij->i", first, second)
    # Convex where the far corner of the right triangle lies below the left triangle.
    depth = np.einsum("ij,ij->i", points[far] - points[start], first)
    angle = np.copysign(np.arctan2(sine, cosine), -depth)
    half = 0.5 * angle / np.linalg.norm(along, axis=1)
    for entry, (i, j) in enumerate(((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))):
        value = half * along[:, i] * along[:, j]
        for ends in (start, end):
            out[:, entry] += np.bincount(ends, value, len(points))


def principal_curvatures(tensors: FloatArray, out: FloatArray) -> None:
    """Product and mean of the two eigenvalues largest in magnitude of symmetric matrices."""
    a, b, c, d, e, f = tensors.T
    matrices = np.stack([a, d, e, d, b, f, e, f, c], axis=1).reshape(-1, 3, 3)
    values = np.linalg.eigvalsh(matrices)
    order = np.argsort(np.abs(values), axis=1)
    two = np.take_along_axis(values, order[:, 1:], axis=1)
    out[:, 0], out[:, 1] = two.prod(axis=1), two.mean(axis=1)


def voronoi_areas(points: FloatArray, triangles: IndexArray, out: FloatArray) -> None:
    """Add the mixed Voronoi area of every corner to its vertex.

    A corner P with edges PQ and PR gets ``(|PR|^2 cot Q + |PQ|^2 cot R) / 8``; in an obtuse
    triangle the obtuse corner gets half of its area and the others a quarter.
    """
    corners = points[triangles]
    after, before = np.roll(corners, -1, axis=1), np.roll(corners, 1, axis=1)
    cosine = np.einsum("tci,tci->tc", after - corners, before - corners)
    square = ((after - before) ** 2).sum(axis=2)  # of the opposite edge
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    double = np.linalg.norm(cross, axis=1, keepdims=True)
    opposite = square * cosine / np.where(double > 0, double, 1.0)
    voronoi = (np.roll(opposite, -1, axis=1) + np.roll(opposite, 1, axis=1)) / 8
    mixed = np.where(cosine < 0, double / 4, double / 8)
    is_obtuse = (cosine < 0).any(axis=1, keepdims=True)
    out += np.bincount(triangles.ravel(), np.where(is_obtuse, mixed, voronoi).ravel(), len(points))


def edge_pairs(triangles: IndexArray, count: int, one: IndexArray, two: IndexArray) -> int:
    """Half-edges ``3 * triangle + corner`` of every edge that lies in exactly two triangles.

    They are written to `one` and `two`, ordered by the ends of the edge; returns how many.
    `count` is the number of vertices.
    """
    start, end = triangles.ravel(), triangles[:, [1, 2, 0]].ravel()
    order = np.lexsort((np.maximum(start, end), np.minimum(start, end)))
    code = (np.minimum(start, end) * count + np.maximum(start, end))[order]
    same = code[1:] == code[:-1]
    # Exactly two: equal to the next, but neither to the one before nor to the one after it.
    first = np.flatnonzero(same & ~np.append(False, same[:-1]) & ~np.append(same[1:], False))
    one[: len(first)], two[: len(first)] = order[first], order[first + 1]
    return len(first)


def rim_vertices(triangles: IndexArray, out: IndexArray) -> None:
    """Write 1 for both ends of every edge that lies in exactly one triangle."""
    start, end = triangles.ravel(), triangles[:, [1, 2, 0]].ravel()
    # One integer per side sorts ten times faster than rows of two.
    codes = np.minimum(start, end) * len(out) + np.maximum(start, end)
    codes, counts = np.unique(codes, return_counts=True)
    for ends in (codes // len(out), codes % len(out)):
        out[ends[counts == 1]] = 1


def count_defects(triangles: IndexArray, count: int, room: IndexArray, totals: IndexArray) -> None:  # noqa: ARG001 -- only the compiled loop uses the room
    """Count the defects of edges and vertices of triangles; `count` is the number of vertices.

    Added to the totals:

    - edges in one triangle, in more than two, and in two of opposite orientation;
    - vertices whose triangles form more than one fan;
    - triangles with the corners of an earlier one.

    Triangles have three different corners.
    """
    start, end = triangles.ravel(), triangles[:, [1, 2, 0]].ravel()
    low, high = np.minimum(start, end), np.maximum(start, end)
    _, edge, together = np.unique(low * count + high, return_inverse=True, return_counts=True)
    forward = np.bincount(edge, start < end, len(together))
    different = len(np.unique(np.sort(triangles, axis=1), axis=0))
    odd = (together == 1, together > 2, (together == 2) & (forward != 1))
    totals[:3] += np.array([np.count_nonzero(each) for each in odd])
    totals[3] += np.count_nonzero(_fans(triangles, edge, count) > 1)
    totals[4] += len(triangles) - different


def components(triangles: IndexArray, out: IndexArray) -> None:
    """Label every vertex with the lowest one that triangles connect it to."""
    labels = _labels(triangles.ravel(), triangles[:, [1, 2, 0]].ravel(), len(out))
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    out[:] = first[inverse]


def _fans(triangles: IndexArray, edge: IndexArray, count: int) -> IndexArray:
    """Number of fans at every vertex: corners are connected by an edge at their vertex."""
    half_edges = np.arange(triangles.size)
    before = half_edges - half_edges % 3 + (half_edges + 2) % 3  # of the same triangle
    # A node is an edge at one of its ends; each corner joins the two edges that meet there.
    ends = triangles.ravel() * triangles.size + edge
    others = triangles.ravel() * triangles.size + edge[before]
    nodes, index = np.unique(np.concatenate([ends, others]), return_inverse=True)
    labels = _labels(index[: len(ends)], index[len(ends) :], len(nodes))
    _, first = np.unique(labels, return_index=True)
    return np.bincount(nodes[first] // triangles.size, minlength=count)


def _labels(one: IndexArray, two: IndexArray, count: int) -> IndexArray:
    graph = scipy.sparse.coo_array(
        (np.ones(len(one), dtype=np.int8), (one, two)), shape=(count, count)
    )
    return np.asarray(
        scipy.sparse.csgraph.connected_components(graph, directed=False)[1], dtype=np.int64
    )
