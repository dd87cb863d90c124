# SPDX-License-Identifier: MIT
"""Landmarks as compression: how well they alone give the surface back."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.gp.conditioning import checked_landmarks
from gplandmark.gp.kernels import Kernel
from gplandmark.gp.regression.kriging import krige
from gplandmark.mesh import surface_area, vertex_areas
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray

__all__ = ["Reconstruction", "reconstruct"]


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


def reconstruct(
    surface: Surface,
    kernel: Kernel,
    landmarks: Sequence[int] | IndexArray,
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
        shape = krige(kernel, indices[:count], observed - centre).mean
        rebuilt = shape + centre
        squares = ((rebuilt - surface.points)[surface.covered()] ** 2).sum(axis=1)
        rms.append(np.sqrt(np.average(squares, weights=areas[surface.covered()])) / size)
        largest.append(np.sqrt(squares.max()) / size)
    return Reconstruction(chosen, np.array(rms), np.array(largest), rebuilt)


def _checked_counts(counts: Sequence[int] | IndexArray | None, most: int) -> IndexArray:
    if counts is None:
        powers = 2 ** np.arange(max(most, 1).bit_length())
        return np.unique(np.append(powers[powers < most], most)).astype(np.int64)
    chosen = np.unique(np.asarray(counts, dtype=np.int64))
    if len(chosen) == 0 or chosen[0] < 1 or chosen[-1] > most:
        raise SettingsError(f"The counts must be from 1 to {most}, the landmarks, got {counts}.")
    return chosen
