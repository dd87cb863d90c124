# SPDX-License-Identifier: MIT
"""Stationary kernels: the covariance depends only on the distance of two points."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import scipy

from gplandmark.errors import KernelError, SettingsError
from gplandmark.gp.kernels.weight import check_bandwidth
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arguments import finite_numbers, real_number
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.representation import short_repr


class StationaryKernel(ABC):
    """K(x, y) of |x - y| alone, with K(x, x) = 1."""

    points: FloatArray  # (n, d)

    @property
    def size(self) -> int:
        """Number of points n."""
        return len(self.points)

    def diagonal(self) -> FloatArray:
        """Return ones, shape (n,)."""
        return np.ones(self.size)

    def columns(self, indices: IndexArray) -> FloatArray:
        """Covariance of every point with those of the given indices, shape (n, m)."""
        return self.between(self.points, self.points[indices])

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Covariance of the points `rows` with the points `columns`, shape (r, c)."""
        return self.between(self.points[rows], self.points[columns])

    @abstractmethod
    def between(self, points: FloatArray, others: FloatArray) -> FloatArray:
        """Covariance of points anywhere in space, shape (a, b)."""


def gaussian(points: FloatArray, others: FloatArray, eps: float) -> FloatArray:
    """Matrix exp(-|x - y|^2 / eps), shape (a, b), without differences of large squares."""
    squares = scipy.spatial.distance.cdist(points, others, "sqeuclidean")
    squares *= -1 / eps
    entries: FloatArray = np.exp(squares, out=squares)
    return entries


@dataclass(frozen=True, eq=False)
class SquaredExponentialKernel(StationaryKernel):
    """K(x, y) = exp(-|x - y|^2 / eps), equation (sq-exp-kernel-submfld).

    Parameters
    ----------
    points : (n, d)
    eps : the t of that equation, in squared units of the points
    """

    points: FloatArray
    eps: float

    __repr__ = short_repr

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", checked_points(self.points))
        check_bandwidth(self.eps)

    def between(self, points: FloatArray, others: FloatArray) -> FloatArray:
        """Covariance of points anywhere in space, shape (a, b)."""
        return gaussian(points, others, self.eps)


SMOOTHEST = 50.0  # beyond, Bessel functions overflow, and it is the squared exponential


@dataclass(frozen=True, eq=False)
class MaternKernel(StationaryKernel):
    """K(x, y) = 2^(1 - nu) / Gamma(nu) r^nu K_nu(r), r = sqrt(2 nu) |x - y| / l, l^2 = eps / 2.

    As nu grows it becomes exp(-|x - y|^2 / eps), so that a bandwidth means the same in both.

    Parameters
    ----------
    points : (n, d)
    eps : in squared units of the points
    smoothness : nu, up to 50; 1/2 is exp(-|x - y| / l), 3/2 and 5/2 have short formulas too
    """

    points: FloatArray
    eps: float
    smoothness: float = 2.5

    __repr__ = short_repr

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", checked_points(self.points))
        check_bandwidth(self.eps)
        check_smoothness(self.smoothness)

    def between(self, points: FloatArray, others: FloatArray) -> FloatArray:
        """Covariance of points anywhere in space, shape (a, b)."""
        scale = np.sqrt(2 * self.smoothness / (self.eps / 2))
        return matern(scale * scipy.spatial.distance.cdist(points, others), self.smoothness)


def matern(distance: FloatArray, smoothness: float) -> FloatArray:
    """2^(1 - nu) / Gamma(nu) r^nu K_nu(r) of distances r, 1 at 0."""
    decay = np.exp(-distance)
    if smoothness == 0.5:
        return decay
    if smoothness == 1.5:
        return np.asarray((1 + distance) * decay)
    if smoothness == 2.5:
        return np.asarray((1 + distance + distance**2 / 3) * decay)
    from scipy.special import gammaln, kve

    # In logarithms, because r^nu K_nu(r) is 0 times infinity for small r.
    tiny = np.maximum(distance, 1e-3 / 2**smoothness)
    logarithm = (1 - smoothness) * np.log(2) - gammaln(smoothness) + smoothness * np.log(tiny)
    values = np.exp(logarithm + np.log(kve(smoothness, tiny)) - tiny)
    return np.where(distance < tiny, 1.0, np.minimum(values, 1.0))


def checked_points(points: npt.ArrayLike) -> FloatArray:
    """Points of a kernel as an array of doubles (n, d)."""
    array = finite_numbers(points, "The points of a kernel", KernelError)
    if array.ndim != 2 or array.size == 0:
        hint = " Use points[:, None]." if array.ndim == 1 and array.size else ""
        raise KernelError(
            f"The points of a kernel must have shape (n, d), a row for each, got {array.shape}."
            + hint
        )
    return array


def check_smoothness(smoothness: float) -> None:
    """Refuse a smoothness that is not a positive number, or too large to compute with."""
    if not 0 < real_number(smoothness, "The smoothness") <= SMOOTHEST:
        raise SettingsError(
            f"The smoothness must be above 0 and at most {SMOOTHEST:g}, got {smoothness}. Try 2.5."
        )
