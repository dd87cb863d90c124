"""Claim: kriging agrees with scikit-learn's GaussianProcessRegressor, and costs less.

The same kernel matrix of a tooth, the same noisy values at greedy landmarks, mean and variance at
every vertex. scikit-learn looks the matrix up; ours is asked for the same columns. Best of three.
Differences are relative to the largest mean and the largest variance.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Kernel as ScikitKernel
from specimens import specimens

from gplandmark import covariance, krige, select

COUNTS = (50, 200, 600)
WIDTHS = (9, 14, 12, 7, 10, 10)
NOISE = 1e-6  # of the largest entry


class LookedUp(ScikitKernel):  # type: ignore[misc]
    """A kernel over the numbers of the rows of a matrix."""

    def __init__(self, matrix: np.ndarray) -> None:
        self.matrix = matrix

    def __call__(self, rows: np.ndarray, columns: np.ndarray | None = None) -> np.ndarray:
        """Return the entries of rows and columns."""
        columns = rows if columns is None else columns
        return self.matrix[np.ix_(rows[:, 0].astype(int), columns[:, 0].astype(int))]

    def diag(self, rows: np.ndarray) -> np.ndarray:
        """Return the entries of the diagonal."""
        return self.matrix.diagonal()[rows[:, 0].astype(int)]

    def is_stationary(self) -> bool:
        """A matrix knows no translation."""
        return False


@dataclass(frozen=True)
class MatrixKernel:
    """The same matrix for gplandmark."""

    matrix: np.ndarray

    @property
    def size(self) -> int:
        """Number of points."""
        return len(self.matrix)

    def diagonal(self) -> np.ndarray:
        """Variance of every point."""
        return self.matrix.diagonal().copy()

    def columns(self, indices: np.ndarray) -> np.ndarray:
        """Columns of the matrix."""
        return self.matrix[:, indices]

    def block(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Entries of rows and columns."""
        return self.matrix[np.ix_(rows, columns)]


def best(work: Callable[[], Any]) -> tuple[float, Any]:
    times = []
    for _ in range(3):
        began = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - began)
    return min(times), result


def main() -> None:
    surface = specimens(1)[0].surface
    exact = covariance(surface)
    matrix = np.array(exact.columns(np.arange(exact.size)))
    kernel, largest = MatrixKernel(matrix), float(matrix.max())
    random = np.random.default_rng(0)
    truth = np.sin(20 * (surface.points[:, 0] - surface.points[:, 0].min()))
    every = np.arange(kernel.size)[:, None]
    chosen = select(kernel, max(COUNTS)).indices
    print(f"{surface.name}, {kernel.size:,} vertices; times in seconds")
    print(f"{'':>42}{'largest difference':>20}")
    titles = ("landmarks", "scikit-learn", "gplandmark", "ratio", "mean", "variance")
    print("".join(f"{title:>{w}}" for title, w in zip(titles, WIDTHS, strict=True)))
    for count in COUNTS:
        at = chosen[:count]
        values = truth[at] + 1e-3 * random.standard_normal(len(at))

        def scikit(at: np.ndarray = at, values: np.ndarray = values) -> Any:
            model = GaussianProcessRegressor(
                LookedUp(matrix), alpha=NOISE * largest, optimizer=None, copy_X_train=False
            )
            return model.fit(at[:, None], values).predict(every, return_std=True)

        def ours(at: np.ndarray = at, values: np.ndarray = values) -> Any:
            return krige(kernel, at, values, noise=NOISE * largest)

        slow, (mean, deviation) = best(scikit)
        quick, found = best(ours)
        means = np.abs(found.mean - mean).max() / np.abs(mean).max()
        variances = np.abs(found.variance - deviation**2).max() / largest
        print(
            f"{len(at):>9}{slow:>14.3f}{quick:>12.3f}{slow / quick:>7.1f}"
            f"{means:>10.0e}{variances:>10.0e}"
        )


if __name__ == "__main__":
    main()
