"""Claim: kriging and its parameters agree with scikit-learn's, and cost no more.

The same kernel matrix of a tooth, the same noisy values at greedy landmarks, mean and variance at
every vertex. scikit-learn looks the matrix up; ours is asked for the same columns. Best of three.
Differences are relative to the largest mean and the largest variance.

Then bandwidth, scale and noise by maximum likelihood, from the same guess, on one thread of linear
algebra, and the difference of the logarithm of the likelihood.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.gaussian_process.kernels import Kernel as ScikitKernel
from specimens import specimens
from threadpoolctl import threadpool_limits

from gplandmark import covariance, fit_kernel, krige, select
from gplandmark.gp.kernels import SquaredExponentialKernel

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


def fits() -> None:
    random = np.random.default_rng(5)
    print(f"{'values':>9}{'scikit-learn':>14}{'gplandmark':>12}{'ratio':>7}{'likelihood':>12}")
    for count in COUNTS:
        points = random.random((count, 2))
        waves = 30 * np.sin(5 * points[:, 0]) * np.cos(4 * points[:, 1])
        values = waves + 2 * random.standard_normal(count)

        def scikit(points: np.ndarray = points, values: np.ndarray = values) -> float:
            kernel = ConstantKernel(100.0, (1e-3, 1e7)) * RBF(0.3) + WhiteKernel(1.0)
            model = GaussianProcessRegressor(kernel).fit(points, values)
            return float(model.log_marginal_likelihood_value_)

        def ours(points: np.ndarray = points, values: np.ndarray = values) -> float:
            return fit_kernel(
                lambda eps: SquaredExponentialKernel(points, eps),
                np.arange(len(points)),
                values,
                start={"eps": 0.18},
            ).score

        with threadpool_limits(1):
            slow, theirs = best(scikit)
            quick, found = best(ours)
        difference = abs(found - theirs)
        print(f"{count:>9}{slow:>14.3f}{quick:>12.3f}{slow / quick:>7.1f}{difference:>12.0e}")


if __name__ == "__main__":
    main()
    fits()
