# SPDX-License-Identifier: MIT
"""The heat kernel of the surface itself: two sides of a thin bone do not see each other."""

import numpy as np

from gplandmark.arrays import FloatArray
from gplandmark.errors import SettingsError
from gplandmark.geometry import Spectrum
from gplandmark.kernel.features import FeatureKernel

__all__ = ["heat_cutoff", "heat_features", "heat_kernel", "neglected_heat"]

TOLERANCE = 1e-3


def heat_kernel(spectrum: Spectrum, time: float) -> FeatureKernel:
    """Heat kernel of a surface after some time, equation (manifold-heat-kernel).

        k_t(x, y) = sum_i exp(-lambda_i t) phi_i(x) phi_i(y)

    For small t it is exp(-d(x, y)^2 / (4 t)) / (4 pi t), with d the distance along the surface:
    that of W with eps = 4 t.

    Parameters
    ----------
    spectrum : eigenpairs up to `heat_cutoff(time)` at least
    time : t, in squared units of the file
    """
    return FeatureKernel(heat_features(spectrum, time), neglected_heat(spectrum, time))


def heat_features(spectrum: Spectrum, time: float) -> FloatArray:
    """Features exp(-lambda_i t / 2) phi_i, equation (heat-kernel-expansion-eigenfunctions).

    Shape (n, k).
    """
    check_time(time)
    return np.asarray(spectrum.functions * np.exp(-spectrum.values * time / 2))


def heat_cutoff(time: float, tolerance: float = TOLERANCE) -> float:
    """Eigenvalue beyond which a share `tolerance` of the trace of k_t lies, by Weyl's law.

    Eigenvalues are evenly dense on a surface, so that the share is exp(-lambda t).
    """
    check_time(time)
    return float(np.log(1 / tolerance) / time)


def neglected_heat(spectrum: Spectrum, time: float) -> float:
    """Share of the trace of k_t that lies beyond the last eigenvalue, by Weyl's law.

    rest / (rest + sum_i exp(-lambda_i t)),   rest = area exp(-lambda_k t) / (4 pi t)
    """
    if spectrum.complete:
        return 0.0
    weights = np.exp(-spectrum.values * time)
    rest = spectrum.area * weights[-1] / (4 * np.pi * time)
    return float(rest / (rest + weights.sum()))


def check_time(time: float) -> None:
    """Refuse a time that is not a positive number."""
    if not 0 < time < np.inf:
        raise SettingsError(f"The time of a heat kernel must be positive, got {time}.")
