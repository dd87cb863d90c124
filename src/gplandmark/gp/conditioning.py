# SPDX-License-Identifier: MIT
"""The process given landmarks: the variance after each, and the factor that kriging needs."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import scipy

from gplandmark.errors import KernelError, SettingsError
from gplandmark.gp.kernels import Kernel, kernel_of, noise_floor
from gplandmark.gp.kernels.protocol import ROUNDING_FLOOR
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arguments import vertex_list
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.numerics.representation import short_repr

DIP = 1e-5  # of the largest variance: kernels in single precision pass
# Fractions of the noise floor for landmarks that are given, and not chosen by their variance. A
# landmark at or below is refused, or skipped.
REFUSED = 0.125  # selected landmarks pass, although pivots are rounded again
SKIPPED = (
    25  # by an approximate kernel: errors of its entries grow where landmarks are far from greedy
)


@dataclass(frozen=True, eq=False)
class VarianceHistory:
    """The variance after 0, 1, ..., m landmarks.

    Attributes
    ----------
    largest : (m + 1,) v_n = max_x v_n(x), the squared sigma_n of equation (defn-sigma) where the
        landmarks are greedy
    mean : (m + 1,) sum of mu(x) v_n(x), its mean under the measure
    variance : (n,) what is left at every point in the end
    ranks : (m + 1,) how many of the first n landmarks added something
    skipped : landmarks that those before them determine, such as duplicates; they change nothing
    """

    largest: FloatArray
    mean: FloatArray
    variance: FloatArray
    ranks: IndexArray
    skipped: tuple[int, ...] = ()

    __repr__ = short_repr

    def relative(self) -> "VarianceHistory":
        """The same as fractions of the start; `variance` as a fraction of the largest."""
        start, mean = self.largest[0], self.mean[0]
        fractions = self.largest / start, self.mean / mean, self.variance / start
        return VarianceHistory(*fractions, self.ranks, self.skipped)


def variance_given(diagonal: FloatArray, rows: FloatArray) -> FloatArray:
    """v(x) = K(x, x) - sum_i L_i(x)^2 of rows (m, n); rounding that dips below 0 is cut off."""
    return np.asarray(np.maximum(diagonal - np.einsum("ij,ij->j", rows, rows), 0.0))


def check_positive(
    left: FloatArray, points: IndexArray, initial: float, count: int, dip: float = DIP
) -> None:
    """Refuse a kernel whose variances (k,) at some points (k,) fell clearly below 0."""
    lowest = int(left.argmin())
    if not left[lowest] >= -dip * initial:  # also when it is not a number
        raise KernelError(
            f"The kernel is not positive semidefinite: after {count} landmarks the "
            f"variance of point {points[lowest]} would be {left[lowest]:g}."
        )


def refusal_floor(kernel: Kernel) -> float:
    """Fraction of the largest variance at or below which a given landmark is refused."""
    return REFUSED * noise_floor(kernel)


def skipping_floor(kernel: Kernel) -> float:
    """Fraction of the largest variance at or below which a given landmark is skipped.

    That is early: landmarks of a person or of another method may be close together, and rows of
    the factor are then differences of entries that are not exact.
    """
    floor = noise_floor(kernel)
    return floor * (SKIPPED if floor > ROUNDING_FLOOR else 1)


class ConditionedProcess:
    """Variance and factor rows of all points, brought up to date after every landmark.

    With x_1, x_2, ... the landmarks, by equation (uncertainty-score),

        L_m(x) = (K(x, x_m) - sum_{i < m} L_i(x_m) L_i(x)) / sqrt(v_{m-1}(x_m))
        v_m(x) = v_{m-1}(x) - L_m(x)^2,    v_0(x) = K(x, x)

    It asks its kernel for the diagonal and one column per landmark. Time O(n m) per landmark.

    Parameters
    ----------
    kernel : over n points
    allowed : (n,) the points whose variance counts as the largest; by default all
    room : landmarks expected
    floor : variances at or below this fraction of the largest are noise; by default that of the
        kernel
    """

    def __init__(
        self,
        kernel: Kernel,
        allowed: BoolArray | None = None,
        room: int | None = None,
        floor: float | None = None,
    ) -> None:
        self.kernel = kernel
        self.noise = noise_floor(kernel) if floor is None else floor
        self.allowed = np.ones(kernel.size, dtype=bool) if allowed is None else allowed.copy()
        self.variances = kernel.diagonal()
        self.initial = float(self.variances[self.allowed].max())
        self.count = 0
        self.room = room or 64
        self.rows = np.zeros((0, kernel.size))  # made when the first point is observed

    def bytes_per_landmark(self) -> float:
        """Memory that one more landmark takes: a row of the factor."""
        return 8.0 * self.kernel.size

    def largest(self) -> float:
        """Largest variance of an allowed point."""
        return float(np.max(self.variances, where=self.allowed, initial=0.0))

    def column(self, index: int) -> FloatArray:
        """Covariance of every point with one, shape (n,)."""
        return np.asarray(self.kernel.columns(np.array([index]))[:, 0])

    def condition(self, index: int) -> float | None:
        """Observe a point and return its variance; None if those before it determine it."""
        peak = float(self.variances[index])
        if peak <= self.noise * self.initial:
            return None
        m = self.count
        if m == len(self.rows):
            more = np.zeros((max(self.room - m, m, 1), self.kernel.size))
            self.rows = np.vstack([self.rows, more])
        column = self.column(index)
        self.rows[m] = (column - self.rows[:m, index] @ self.rows[:m]) / np.sqrt(peak)
        left = self.variances - self.rows[m] ** 2
        check_positive(left, np.arange(self.kernel.size), self.initial, m + 1)
        self.variances = np.maximum(left, 0.0)  # rounding may dip below 0
        self.variances[index] = 0.0
        self.allowed[index] = False
        self.count += 1
        return peak

    def history(self, landmarks: Iterable[int], measure: FloatArray) -> VarianceHistory:
        """Condition on landmarks one by one, each asked for after the one before is known.

        `measure` (n,) weighs the points for the mean.
        """
        largest, mean = [self.largest()], [float(self.variances @ measure)]
        ranks, skipped = [0], []
        for index in landmarks:
            if self.condition(int(index)) is None:
                skipped.append(int(index))
            largest.append(self.largest())
            mean.append(float(self.variances @ measure))
            ranks.append(len(ranks) - len(skipped))
        curves = np.array(largest), np.array(mean)
        return VarianceHistory(*curves, self.variances, np.array(ranks), tuple(skipped))


@dataclass(frozen=True, eq=False)
class Whitened:
    """K(X, X) + noise = R R^T with R lower triangular, and the rows R^-1 K(X, .)."""

    factor: FloatArray  # (m, m) R
    rows: FloatArray  # (m, n) R^-1 K(X, .), so that v(x) = K(x, x) - sum of squares of column x
    variance: FloatArray  # (n,) v


def whiten(kernel: Kernel, landmarks: npt.ArrayLike, noise: float | FloatArray = 0.0) -> Whitened:
    """Factor the covariance of the landmarks, in the order given.

    Parameters
    ----------
    kernel : over n points
    landmarks : (m,) points, at least one
    noise : variance of the error of an observation, one for all or (m,)

    Raises
    ------
    SettingsError
        There is no landmark, or one that does not exist.
    KernelError
        Without noise, a landmark is repeated or determined by those before it. Or the kernel is
        not positive semidefinite.
    """
    kernel = kernel_of(kernel)
    indices = checked_landmarks(landmarks, kernel.size, least=1)
    columns = np.ascontiguousarray(kernel.columns(indices).T)
    covariance = columns[:, indices] + np.diag(np.broadcast_to(noise, len(indices)))
    diagonal = kernel.diagonal()
    factor = _cholesky(covariance, indices, refusal_floor(kernel) * float(diagonal.max()))
    rows = scipy.linalg.solve_triangular(factor, columns, lower=True, overwrite_b=True)
    left = diagonal - np.einsum("ij,ij->j", rows, rows)
    dip = max(DIP, skipping_floor(kernel))
    check_positive(left, np.arange(kernel.size), float(diagonal.max()), len(indices), dip)
    return Whitened(factor, rows, np.maximum(left, 0.0))  # rounding may dip below 0


def checked_landmarks(
    landmarks: npt.ArrayLike, size: int, least: int = 0, what: str = "Landmarks"
) -> IndexArray:
    """Landmarks as an array (m,), if they are numbers of vertices that exist, `least` or more."""
    given: IndexArray = vertex_list(landmarks, what)
    if given.size < min(least, 1):
        raise SettingsError(f"There are no {what.lower()}. Give at least one.")
    if given.size < least:
        raise SettingsError(f"Expected at least {least} {what.lower()}, got {given.size}.")
    wrong = (given < 0) | (given >= size)
    if wrong.any():
        raise SettingsError(
            f"Vertex {given[wrong][0]} does not exist: vertices are numbered 0 to {size - 1}."
        )
    return given


def _cholesky(covariance: FloatArray, indices: IndexArray, floor: float) -> FloatArray:
    """Lower factor; a pivot at the floor names the landmark that adds nothing."""
    factor, failed = scipy.linalg.lapack.dpotrf(covariance, lower=1)
    pivots = np.diag(factor)[: failed - 1 if failed else None]
    low = np.flatnonzero(pivots**2 <= floor)
    if failed or len(low):
        raise singular(int(indices[low[0] if len(low) else failed - 1]))
    return np.asarray(factor)


def singular(landmark: int) -> KernelError:
    """The error of a landmark that adds nothing."""
    return KernelError(
        f"The landmark at vertex {landmark} is repeated or determined by those before it: their "
        "covariance is singular. Leave it out, or allow for more noise."
    )
