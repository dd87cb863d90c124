# SPDX-License-Identifier: MIT
"""The Matern kernel: like the squared exponential, but only as smooth as one asks."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from gplandmark.arrays import FloatArray
from gplandmark.errors import SettingsError
from gplandmark.kernel.bandwidth import check_bandwidth
from gplandmark.kernel.stationary import StationaryKernel

__all__ = ["MaternKernel", "check_smoothness", "matern"]

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

    def __post_init__(self) -> None:
        """Refuse what is no covariance."""
        check_bandwidth(self.eps)
        check_smoothness(self.smoothness)

    def between(self, points: FloatArray, others: FloatArray) -> FloatArray:
        """Covariance of points anywhere in space, shape (a, b)."""
        scale = np.sqrt(2 * self.smoothness / (self.eps / 2))
        return matern(scale * cdist(points, others), self.smoothness)


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


def check_smoothness(smoothness: float) -> None:
    """Refuse a smoothness that is not a positive number, or too large to compute with."""
    if not 0 < smoothness <= SMOOTHEST:
        raise SettingsError(
            f"The smoothness must be above 0 and at most {SMOOTHEST:g}, got {smoothness}. Try 2.5."
        )
