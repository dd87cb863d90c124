# SPDX-License-Identifier: MIT
"""The Matern kernel of the surface itself."""

import numpy as np

from gplandmark.geometry import Spectrum
from gplandmark.kernel.bandwidth import check_bandwidth
from gplandmark.kernel.features import FeatureKernel
from gplandmark.kernel.matern import check_smoothness

__all__ = ["matern_cutoff", "spectral_matern_kernel"]

TOLERANCE = 1e-2  # eigenvalues count far longer than in a heat kernel


def spectral_matern_kernel(
    spectrum: Spectrum, eps: float, smoothness: float = 2.5
) -> FeatureKernel:
    """K(x, y) = 4 pi nu a^nu sum_i (a + lambda_i)^(-nu - 1) phi_i(x) phi_i(y), a = 4 nu / eps.

    The solution of a stochastic differential equation on the surface (Whittle; Lindgren et
    al.; Borovitskiy et al.), with l^2 = eps / 2 and a = 2 nu / l^2. The factor makes it equal
    to `MaternKernel` on a plane, where its diagonal is 1.

    Parameters
    ----------
    spectrum : eigenpairs up to `matern_cutoff(eps, smoothness)`
    eps : in squared units of the file
    smoothness : nu, up to 50
    """
    check_bandwidth(eps)
    check_smoothness(smoothness)
    scale = 4 * smoothness / eps
    relative = 1 + spectrum.values / scale
    weights = 4 * np.pi * smoothness / scale * relative ** (-smoothness - 1)
    # By Weyl's law the eigenvalues beyond the last have density area / (4 pi).
    rest = 0.0 if spectrum.complete else spectrum.area * relative[-1] ** -smoothness
    return FeatureKernel(
        np.asarray(spectrum.functions * np.sqrt(weights)), float(rest / (rest + weights.sum()))
    )


def matern_cutoff(eps: float, smoothness: float, tolerance: float = TOLERANCE) -> float:
    """Eigenvalue beyond which a share `tolerance` of the trace lies, by Weyl's law.

    That share is (1 + lambda / a)^-nu.
    """
    check_bandwidth(eps)
    check_smoothness(smoothness)
    return float(4 * smoothness / eps * (tolerance ** (-1 / smoothness) - 1))
