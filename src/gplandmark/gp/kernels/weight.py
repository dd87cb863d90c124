# SPDX-License-Identifier: MIT
"""The weight function w of the paper, large where the surface is strongly curved."""

import warnings

import numpy as np

from gplandmark.errors import GplandmarkWarning, SettingsError
from gplandmark.mesh.curvature import Curvature
from gplandmark.numerics.arguments import real_number
from gplandmark.numerics.arrays import FloatArray

# A surface is flat if its squared curvature, integrated over the surface, is below FLAT; a
# sphere of any size has 4 pi. One curvature vanishes if its integral is below VANISHING times
# that of the other. All three integrals are pure numbers: they depend on no unit.
FLAT = 1e-6
VANISHING_GAUSSIAN = 1e-2
VANISHING_MEAN = 1e-3


def curvature_weight(
    curvature: Curvature, areas: FloatArray, *, mixture: float = 0.5, exponent: float = 1.0
) -> FloatArray:
    """Weight of every vertex by its curvature, equation (weight-function-discrete), shape (n,).

        w(x_i) = lambda |kappa(x_i)|^rho / sum_k |kappa(x_k)|^rho nu(x_k)
               + (1 - lambda) |eta(x_i)|^rho / sum_k |eta(x_k)|^rho nu(x_k)

    so that sum_k w(x_k) nu(x_k) = 1. Where one curvature vanishes everywhere, as kappa does on
    a cylinder, its term is 0/0 and is dropped, and the other has all the weight. Where both
    do, as on a plane, the weight is uniform. Each comes with a warning.

    Parameters
    ----------
    curvature : kappa and eta at the vertices
    areas : (n,) nu, the area that belongs to each vertex
    mixture : lambda, fraction of the Gaussian curvature, from 0 to 1
    exponent : rho, above 0; larger values sharpen the preference
    """
    check_mixture(mixture, exponent)
    weight = np.zeros(len(areas))
    for fraction, values in _terms(curvature, areas, mixture):
        # Relative to the largest, so that no power over- or underflows in any unit.
        powers = (np.abs(values) / np.abs(values).max()) ** exponent
        weight += fraction * powers / (powers @ areas)
    return weight


def _terms(
    curvature: Curvature, areas: FloatArray, mixture: float
) -> list[tuple[float, FloatArray]]:
    """Return the terms that do not vanish, with their fractions."""
    gaussian = float(np.abs(curvature.gaussian) @ areas)
    mean = float(curvature.mean**2 @ areas)
    uniform = [(1.0, np.ones(len(areas)))]
    if max(gaussian, mean) < FLAT:
        _warn(
            "Both curvatures vanish: this surface is flat, or its triangles share no edges. "
            "The weight is uniform."
        )
        return uniform
    terms = []
    if mixture > 0:
        if gaussian < VANISHING_GAUSSIAN * mean:
            _warn("The Gaussian curvature vanishes everywhere: its term of the weight is dropped.")
        else:
            terms.append((mixture, curvature.gaussian))
    if mixture < 1:
        if mean < VANISHING_MEAN * gaussian:
            _warn("The mean curvature vanishes everywhere: its term of the weight is dropped.")
        else:
            terms.append((1 - mixture, curvature.mean))
    total = sum(fraction for fraction, _ in terms)
    return [(fraction / total, values) for fraction, values in terms] or uniform


def _warn(text: str) -> None:
    warnings.warn(text, GplandmarkWarning, stacklevel=4)


def check_mixture(mixture: float, exponent: float) -> None:
    """Refuse a lambda outside [0, 1] and a rho that is not positive."""
    if not 0 <= real_number(mixture, "lambda") <= 1:
        raise SettingsError(
            f"lambda, the fraction of the Gaussian curvature, must be from 0 to 1, got {mixture}. "
            "The paper uses 0.5."
        )
    if not 0 < real_number(exponent, "rho") < np.inf:
        raise SettingsError(
            f"rho, the exponent of the curvature, must be positive, got {exponent}. "
            "The paper uses 1."
        )


DEFAULT_FRACTION = 0.008  # docs/math.md says what it was measured against


def bandwidth(area: float, fraction: float = DEFAULT_FRACTION) -> float:
    """Bandwidth eps = fraction * area, in squared units of the file.

    An area, like the eps of W = exp(-|x - y|^2 / eps): it follows the size of the specimen
    and never the resolution of its mesh.
    """
    check_bandwidth(fraction)
    return fraction * area


def check_bandwidth(value: float) -> None:
    """Refuse a bandwidth that is not a positive number."""
    if not 0 < real_number(value, "The bandwidth") < np.inf:
        raise SettingsError(
            f"The bandwidth must be positive, got {value}. Try {DEFAULT_FRACTION} of the area."
        )
