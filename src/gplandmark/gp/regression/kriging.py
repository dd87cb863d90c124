# SPDX-License-Identifier: MIT
"""Simple kriging: values everywhere, or the surface itself, from those at the landmarks."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from gplandmark.errors import SettingsError
from gplandmark.gp.conditioning import Whitened, checked_landmarks, whiten
from gplandmark.gp.kernels import Kernel, kernel_of
from gplandmark.mesh import surface_area, vertex_areas
from gplandmark.mesh.surface import Surface
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arguments import finite_numbers, instance, numbers, whole_numbers
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.representation import short_repr


@dataclass(frozen=True, eq=False)
class Prediction:
    """What is expected at every point, and how far off it may be.

    Attributes
    ----------
    mean : (n,) or (n, q) the best linear predictor, in units of the values
    variance : (n,) its mean squared prediction error: in squared units of the values if the kernel
        is, as that of `learn` is
    """

    mean: FloatArray
    variance: FloatArray

    @property
    def standard_deviation(self) -> FloatArray:
        """Root of the variance, shape (n,)."""
        return np.asarray(np.sqrt(self.variance))

    __repr__ = short_repr


def krige(
    kernel: Kernel,
    landmarks: npt.ArrayLike,
    values: npt.ArrayLike,
    *,
    noise: float | FloatArray = 0.0,
    mean: npt.ArrayLike = 0.0,
    trend: npt.ArrayLike | None = None,
) -> Prediction:
    """Predict values at all points from those at the landmarks.

    The best linear predictor, equation (blp), and its error, equation (prediction-error),

        Y*(x) = m(x) + k(x)^T (K(X, X) + noise)^-1 (Y - m(X))
        MSPE(x) = K(x, x) - k(x)^T (K(X, X) + noise)^-1 k(x),    k(x) = K(X, x).

    Without noise the error is the variance by which landmarks are selected.

    Parameters
    ----------
    kernel : over n points
    landmarks : (m,) observed points, or what `select` returned
    values : (m,) or (m, q) what was observed there; q quantities share one kernel
    noise : variance of the error of an observation in units of the kernel, one for all or (m,)
    mean : m(x), the mean of the process: a number, (n,), or (n, q)
    trend : (n, p) functions f of which the mean has an unknown sum in addition, universal kriging:

            Y*(x) = m(x) + f(x) b + k(x)^T C^-1 (Y - m(X) - F b),    b = (F^T C^-1 F)^-1 F^T C^-1 Y
            MSPE(x) += g (F^T C^-1 F)^-1 g^T,    g = f(x) - k(x)^T C^-1 F

        with C = K(X, X) + noise and F = f(X). A column of ones is an unknown constant

    Raises
    ------
    SettingsError
        A landmark does not exist, values or mean are wrong in number or not finite, or the
        noise is negative.
    KernelError
        Without noise, a landmark is repeated or determined by those before it. Or the kernel is
        not positive semidefinite.
    """
    kernel = kernel_of(kernel)
    indices = checked_landmarks(landmarks, kernel.size)
    observed = finite_numbers(values, "The observed values")
    if observed.ndim not in (1, 2) or len(observed) != len(indices):
        raise SettingsError(
            f"Expected {len(indices)} observed values, one per landmark, "
            f"got shape {observed.shape}."
        )
    prior = checked_mean(mean, (kernel.size, *observed.shape[1:]))
    white = whiten(kernel, indices, checked_noise(noise, len(indices)))
    surprise = scipy.linalg.solve_triangular(white.factor, observed - prior[indices], lower=True)
    if trend is not None:
        return _with_trend(white, surprise, prior, trend, indices)
    return Prediction(prior + white.rows.T @ surprise, white.variance)


def _with_trend(
    white: Whitened, surprise: FloatArray, prior: FloatArray, trend: npt.ArrayLike, at: IndexArray
) -> Prediction:
    """Universal kriging, from the whitened observations."""
    functions = finite_numbers(trend, "The trend")
    functions = functions[:, None] if functions.ndim == 1 else functions
    if functions.ndim != 2 or len(functions) != len(prior):
        raise SettingsError(
            f"The trend must be of shape ({len(prior)}, p), a column for each function, "
            f"got {functions.shape}."
        )
    observed = scipy.linalg.solve_triangular(white.factor, functions[at], lower=True)
    if np.linalg.matrix_rank(observed) < functions.shape[1]:
        raise SettingsError(
            f"The {len(at)} landmarks do not determine a trend of {functions.shape[1]} functions. "
            "Give more landmarks, or fewer functions."
        )
    weights = np.linalg.lstsq(observed, surprise, rcond=None)[0]
    gap = functions - white.rows.T @ observed
    mean = prior + functions @ weights + white.rows.T @ (surprise - observed @ weights)
    more = np.linalg.solve(observed.T @ observed, gap.T).T
    return Prediction(mean, white.variance + np.einsum("ij,ij->i", gap, more))


def checked_noise(noise: float | FloatArray, count: int) -> float | FloatArray:
    """The noise, if it is one variance or one for each landmark, and none is negative."""
    array = numbers(noise, "The noise")
    if array.shape not in ((), (count,)):
        raise SettingsError(f"Expected one noise or {count}, one per landmark, got {array.shape}.")
    if not np.isfinite(array).all() or (array < 0).any():
        raise SettingsError(f"The noise is a variance and cannot be negative, got {array.min()}.")
    return array


def checked_mean(mean: npt.ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """Mean of the process at every point, in the shape of the prediction."""
    array = finite_numbers(mean, "The mean")
    if array.shape == shape[:1] and len(shape) == 2:
        array = array[:, None]
    if array.shape not in ((), shape, (shape[0], 1)[: len(shape)]):
        raise SettingsError(
            f"The mean must be a number or of shape {shape}, one per point and value, "
            f"got {array.shape}."
        )
    return np.array(np.broadcast_to(array, shape))


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """Error of a surface rebuilt from the first landmarks, against their number.

    Attributes
    ----------
    counts : (c,) how many landmarks
    rms : (c,) root of the area-weighted mean squared error, relative to sqrt(area)
    largest : (c,) largest error at a vertex, relative to sqrt(area)
    points : (n, 3) the surface rebuilt from the most landmarks
    """

    counts: IndexArray
    rms: FloatArray
    largest: FloatArray
    points: FloatArray

    __repr__ = short_repr


def reconstruct(
    surface: Surface,
    kernel: Kernel,
    landmarks: npt.ArrayLike,
    counts: Sequence[int] | IndexArray | None = None,
) -> Reconstruction:
    """Krige the surface's own coordinates from those of its landmarks.

    The coordinates x are a function on the surface with values in space, observed at the
    landmarks. The mean of the process is constant, the mean of the observed points, so that the
    answer does not depend on where the specimen lies. A trend that is linear in x would be the
    answer itself and leave nothing to measure.

    Parameters
    ----------
    surface : with triangles
    kernel : over its vertices
    landmarks : (m,) vertices of the surface, in order: `Surface.vertices_of` of the file's numbers
    counts : use the first so many of them, each from 1 to m; by default 1, 2, 4, ... and m

    Raises
    ------
    SettingsError
        The kernel is that of another surface, a landmark does not exist, or a count is out of
        range.
    KernelError
        A landmark is repeated or determined by those before it.
    """
    instance(surface, Surface, "Use gplandmark.read first.")
    kernel = kernel_of(kernel)
    if kernel.size != surface.vertex_count:
        raise SettingsError(
            f"The kernel is over {kernel.size:,} points, but {surface.name} has "
            f"{surface.vertex_count:,} vertices. Use the kernel of this surface."
        )
    indices = checked_landmarks(landmarks, kernel.size)
    chosen = _checked_counts(counts, len(indices))
    areas, size = vertex_areas(surface), np.sqrt(surface_area(surface))
    rms, largest = [], []
    rebuilt = surface.points
    for count in chosen:
        observed = surface.points[indices[:count]]
        centre = observed.mean(axis=0)
        rebuilt = krige(kernel, indices[:count], observed - centre).mean + centre
        squares = ((rebuilt - surface.points)[surface.covered()] ** 2).sum(axis=1)
        rms.append(np.sqrt(np.average(squares, weights=areas[surface.covered()])) / size)
        largest.append(np.sqrt(squares.max()) / size)
    return Reconstruction(chosen, np.array(rms), np.array(largest), rebuilt)


def _checked_counts(counts: Sequence[int] | IndexArray | None, most: int) -> IndexArray:
    if counts is None:
        powers = 2 ** np.arange(max(most, 1).bit_length())
        return np.unique(np.append(powers[powers < most], most)).astype(np.int64)
    chosen = np.unique(whole_numbers(counts, "The counts"))
    if len(chosen) == 0 or chosen[0] < 1 or chosen[-1] > most:
        raise SettingsError(f"The counts must be from 1 to {most}, the landmarks, got {counts}.")
    return chosen
