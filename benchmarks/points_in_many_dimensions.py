"""Claim: points in ten dimensions need no matrix, whatever their number.

40 landmarks on normally distributed points, from the points to the landmarks, with sums over all
pairs. At 4,000 points the picks are compared with those of Cholesky on the whole matrix.
"""

import sys
import time

import numpy as np
from contest import contest, measured

import gplandmark

DIMENSION, COUNT = 10, 40


def points_of(size: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((size, DIMENSION))


def place(size: int) -> list[int]:
    return gplandmark.place(points_of(size), COUNT).vertices.tolist()


def whole_matrix(size: int) -> list[int]:
    kernel = gplandmark.covariance(points_of(size))
    nearness = np.exp(-((kernel.points[:, None] - kernel.points) ** 2).sum(axis=2) / kernel.eps)
    matrix = (nearness * kernel.masses) @ nearness
    return gplandmark.select(matrix, COUNT).indices.tolist()


def main() -> None:
    print(f"{'points':>8}{'seconds':>10}{'MB':>8}  same picks as the whole matrix")
    for size in (4_000, 20_000, 100_000):
        result = contest(__file__, size)
        same = f"{np.sum(np.equal(result.picks, whole_matrix(size)))}" if size == 4_000 else ""
        print(f"{size:>8,}{result.seconds:>10.1f}{result.memory / 1e6:>8.0f}  {same}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        began = time.process_time()
        measured(lambda: place(int(sys.argv[1])))
        print(f"{time.process_time() - began:.0f} s of processor time", file=sys.stderr)
    else:
        main()
