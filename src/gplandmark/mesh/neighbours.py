# SPDX-License-Identifier: MIT
"""Nearest neighbours of points in any dimension, and points far from each other."""

from collections.abc import Callable

import numpy as np
import scipy

from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.threads import thread_count

DEEPEST = 12  # a tree prunes nothing in more dimensions than this, and plain products are faster
PAIRS = 2**23  # distances held at a time


def nearest(
    points: FloatArray, count: int, queries: FloatArray | None = None
) -> tuple[FloatArray, IndexArray]:
    """Distances to the `count` nearest points and their numbers, both (m, count), nearest first.

    `queries` (m, d) are the points themselves unless given; each is then its own nearest.
    """
    if points.shape[1] > DEEPEST:
        return _by_products(points, count, points if queries is None else queries)
    tree, ranks = scipy.spatial.cKDTree(points), np.arange(1, count + 1)
    if queries is not None:
        distances, found = tree.query(queries, ranks, workers=thread_count())
        return distances, found.astype(np.int64)
    distances, found = np.empty((len(points), count)), np.empty((len(points), count), np.int64)
    # Neighbours in turn read the same part of the tree.
    order = tree.indices
    distances[order], found[order] = tree.query(points[order], ranks, workers=thread_count())
    return distances, found


def _by_products(
    points: FloatArray, count: int, queries: FloatArray
) -> tuple[FloatArray, IndexArray]:
    """The same by |x|^2 + |y|^2 - 2 x y; the distances of those found are then exact."""
    middle = points.mean(axis=0)
    centred, asked = points - middle, queries - middle
    squares = np.einsum("ij,ij->i", centred, centred)
    found = np.zeros((len(queries), count), dtype=np.int64)
    distances = np.zeros((len(queries), count))
    step = max(1, PAIRS // len(points))
    for start in range(0, len(queries), step):
        part = slice(start, start + step)
        relative = squares - 2 * asked[part] @ centred.T
        near = np.argpartition(relative, count - 1, axis=1)[:, :count]
        pairs = zip(near, asked[part], strict=True)
        exact = np.stack([np.linalg.norm(centred[some] - point, axis=1) for some, point in pairs])
        order = np.argsort(exact, axis=1, kind="stable")
        found[part] = np.take_along_axis(near, order, axis=1)
        distances[part] = np.take_along_axis(exact, order, axis=1)
    return distances, found


def pick_farthest(
    distances: Callable[[int], FloatArray], first: int, count: int
) -> tuple[IndexArray, FloatArray]:
    """Farthest-point sampling: x_{m+1} = argmax_x min_{i <= m} |x - x_i|, each point at most once.

    Parameters
    ----------
    distances : from the number of a point to the distances (n,) of all points to it
    first : x_1
    count : at most n

    Returns
    -------
    picks : (count,) numbers of the points
    radii : (count,) distance of the farthest point to the nearest of the first m
    """
    picks, radii = np.zeros(count, dtype=np.int64), np.zeros(count)
    nearest = distances(first).copy()
    following = first
    for k in range(count):
        picks[k] = following
        if k:
            np.minimum(nearest, distances(following), out=nearest)
        nearest[following] = -1.0  # never again, even if others coincide with it
        following = int(nearest.argmax())
        radii[k] = max(nearest[following], 0.0)
    return picks, radii
