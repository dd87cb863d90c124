# SPDX-License-Identifier: MIT
"""Kernels from eigenfunctions of the surface: two sides of a thin bone stay independent."""

from dataclasses import dataclass

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.gp.kernels.reweighted import check_masses
from gplandmark.gp.kernels.stationary import check_smoothness
from gplandmark.gp.kernels.weight import check_bandwidth
from gplandmark.mesh import Spectrum
from gplandmark.numerics.arguments import real_number
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.representation import short_repr


@dataclass(frozen=True, eq=False)
class FeatureKernel:
    """K = F F^T, equation (heat-kernel-as-inner-product): K(x, y) = <F(x), F(y)>.

    Made by `heat_kernel`, `reweighted_heat_kernel` and `spectral_matern_kernel`. Its rank is
    the number of features, and so is the largest number of landmarks that it can distinguish.

    Attributes
    ----------
    features : (n, k) the rows F(x)
    neglected : about the fraction of the trace that further features would add
    """

    features: FloatArray
    neglected: float = 0.0

    __repr__ = short_repr

    @property
    def size(self) -> int:
        """Number of points n."""
        return len(self.features)

    @property
    def engine(self) -> str:
        """How the entries are computed."""
        count = self.features.shape[1]
        return f"spectral, {count} eigenpairs, {self.neglected:.1e} of the trace neglected"

    def scaled(self, factor: float) -> "FeatureKernel":
        """Return this kernel times a positive factor, which changes no landmark."""
        return FeatureKernel(self.features * np.sqrt(factor), self.neglected)

    def diagonal(self) -> FloatArray:
        """K_ii = |F_i|^2, shape (n,)."""
        return np.asarray(np.einsum("ij,ij->i", self.features, self.features))

    def columns(self, indices: IndexArray) -> FloatArray:
        """Covariance of every point with those of the given indices, shape (n, m)."""
        return self.features @ self.features[indices].T

    def block(self, rows: IndexArray, columns: IndexArray) -> FloatArray:
        """Covariance of the points `rows` with the points `columns`, shape (r, c)."""
        return self.features[rows] @ self.features[columns].T


HEAT_TOLERANCE = 1e-3
MATERN_TOLERANCE = 1e-2  # eigenvalues count far longer than in a heat kernel


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
    """(n, k) exp(-lambda_i t / 2) phi_i, equation (heat-kernel-expansion-eigenfunctions)."""
    check_time(time)
    return np.asarray(spectrum.functions * np.exp(-spectrum.values * time / 2))


def embedding_constant(time: float, dimension: int = 2) -> float:
    """Return c(t) = sqrt(2) (4 pi)^(d/4) t^((d+2)/4), which makes the feature mapping isometric.

    c(t) |Phi_t(x) - Phi_t(y)| is the distance of near points along a manifold of dimension d, in
    the limit of small t (Berard, Besson and Gallot). The paper prints n for d in the exponent of t.
    """
    check_time(time)
    power = (4 * np.pi) ** (dimension / 4) * time ** ((dimension + 2) / 4)
    return float(np.sqrt(2) * power)


def heat_cutoff(time: float) -> float:
    """Eigenvalue beyond which HEAT_TOLERANCE of the trace of k_t lies, by Weyl's law.

    Eigenvalues are evenly dense on a surface, so that the fraction is exp(-lambda t).
    """
    check_time(time)
    return float(np.log(1 / HEAT_TOLERANCE) / time)


def neglected_heat(spectrum: Spectrum, time: float) -> float:
    """Fraction of the trace of k_t that lies beyond the last eigenvalue, by Weyl's law.

    rest / (rest + sum_i exp(-lambda_i t)),   rest = area exp(-lambda_k t) / (4 pi t)
    """
    if spectrum.complete:
        return 0.0
    weights = np.exp(-spectrum.values * time)
    rest = spectrum.area * weights[-1] / (4 * np.pi * time)
    return float(rest / (rest + weights.sum()))


def check_time(time: float) -> None:
    """Refuse a time that is not a positive number."""
    if not 0 < real_number(time, "The time of a heat kernel") < np.inf:
        raise SettingsError(f"The time of a heat kernel must be positive, got {time}.")


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
    neglected = float(rest / (rest + weights.sum()))
    return FeatureKernel(np.asarray(spectrum.functions * np.sqrt(weights)), neglected)


def matern_cutoff(eps: float, smoothness: float) -> float:
    """Eigenvalue with MATERN_TOLERANCE = (1 + lambda / a)^-nu of the trace beyond it, by Weyl."""
    check_bandwidth(eps)
    check_smoothness(smoothness)
    return float(4 * smoothness / eps * (MATERN_TOLERANCE ** (-1 / smoothness) - 1))
