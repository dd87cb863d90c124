# SPDX-License-Identifier: MIT
"""The paper's kernel on the surface itself: the heat kernel with a weight in its middle."""

import numpy as np

from gplandmark.arrays import FloatArray
from gplandmark.geometry import Spectrum
from gplandmark.kernel.features import FeatureKernel
from gplandmark.kernel.heat import heat_features, neglected_heat
from gplandmark.kernel.reweighted import check_masses

__all__ = ["reweighted_heat_kernel"]


def reweighted_heat_kernel(spectrum: Spectrum, time: float, masses: FloatArray) -> FeatureKernel:
    """K = k_{t/2} diag(w nu) k_{t/2}, equation (location-prior-kernel).

        k_t^w(x, y) = integral of k_{t/2}(x, z) k_{t/2}(z, y) w(z) dz

    With w = 1 it is the plain heat kernel k_t again. In the basis of eigenfunctions it is
    Psi C Psi^T, where Psi_i = exp(-lambda_i t / 2) phi_i and C = phi^T diag(w nu) phi.

    Parameters
    ----------
    spectrum : eigenpairs up to `heat_cutoff(time / 2)`, for the entries of k_{t/2}
    time : t, twice the eps of the Euclidean kernel divided by 4
    masses : (n,) w(x_k) nu(x_k), with nu the mass of the spectrum
    """
    check_masses(masses, len(spectrum.functions))
    middle = spectrum.functions.T @ (masses[:, None] * spectrum.functions)
    values, vectors = np.linalg.eigh(middle)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return FeatureKernel(heat_features(spectrum, time) @ root, neglected_heat(spectrum, time / 2))
