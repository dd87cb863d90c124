# SPDX-License-Identifier: MIT
"""Dense correspondence: a thousand corresponding points on every specimen, and their file."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy

from gplandmark.errors import LandmarkFileError
from gplandmark.morphometrics.matching.carry import Route
from gplandmark.morphometrics.matching.points import nearest_on_surface
from gplandmark.morphometrics.matching.sample_match import SampleMatch
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.threads import single_threaded

COUNT = 1000  # points of the reference
CORRESPONDENCE = "correspondence.npz"  # name of the file in a folder of results
FARTHEST = 1e12  # sizes from the origin, where coordinates lose all precision
ROUNDING = 1e-6  # tolerance of the sum of the weights
Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Correspondence:
    """The same m points on each of s specimens.

    Attributes
    ----------
    names : of the specimens
    points : (s, m, 3) on their surfaces, in the coordinates of each specimen's file
    weights : (s, m) fraction of the area of a specimen that each of its points represents
    sizes : (s,) sqrt(area), in file units
    """

    names: tuple[str, ...]
    points: FloatArray
    weights: FloatArray
    sizes: FloatArray

    def subset(self, names: Sequence[str]) -> "Correspondence":
        """The points of the named specimens, in their order, as far as they have any."""
        rows = {name: number for number, name in enumerate(self.names)}
        kept = [rows[name] for name in names if name in rows]
        return replace(
            self,
            names=tuple(self.names[row] for row in kept),
            points=self.points[kept],
            weights=self.weights[kept],
            sizes=self.sizes[kept],
        )


@single_threaded
def points_on(route: Route) -> tuple[FloatArray, FloatArray]:
    """Carry the evenly spaced points of the first specimen of a route to its last.

    The weight of a point is the area of the sample points of that specimen nearest to it.

    Returns
    -------
    points : (m, 3) in the coordinates of the specimen's file
    weights : (m,) fractions of the area
    """
    last = route.end
    carried = nearest_on_surface(route.start, route.start.levels[-1].positions[:COUNT])
    if route.chains:
        carried = nearest_on_surface(last, route.chains[0].there.at(carried))
    own = last.levels[-1]
    nearest = scipy.spatial.cKDTree(carried).query(own.positions)[1]
    weights = np.bincount(nearest, own.weights, len(carried))
    return last.in_file(carried), np.asarray(weights / weights.sum())


def correspondence(sample: SampleMatch) -> Correspondence:
    """Evenly spaced points of the reference, carried to every whole specimen of a sample."""
    wholes = [k for k, each in enumerate(sample.specimens) if not each.is_fragment]
    found = [points_on(sample.route(sample.reference, k)) for k in wholes]
    return Correspondence(
        tuple(sample.specimens[k].name for k in wholes),
        np.stack([points for points, _ in found]),
        np.stack([weights for _, weights in found]),
        np.array([sample.specimens[k].root_area for k in wholes]),
    )


def correspondence_bytes(given: Correspondence) -> bytes:
    """The content of a file that `read_correspondence` reads; equal points give equal bytes."""
    buffer = BytesIO()
    arrays = {each.name: np.asarray(getattr(given, each.name)) for each in fields(given)}
    np.savez(buffer, **arrays)  # type: ignore[arg-type]  # since NumPy 2.1 it has an option
    return buffer.getvalue()


def read_correspondence(path: Path) -> Correspondence:
    """Read corresponding points from a file.

    Raises
    ------
    LandmarkFileError
        It cannot be read, or holds something else.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise LandmarkFileError(f"{path} cannot be read ({error.strerror}).") from None
    try:
        with np.load(BytesIO(content), allow_pickle=False) as kept:
            arrays = [np.asarray(kept[each.name]) for each in fields(Correspondence)]
    except Exception:  # NumPy and zipfile raise many kinds of error for broken archives
        raise _no_correspondence(path, "it is broken, or another kind of file") from None
    if reason := _wrong(*arrays):
        raise _no_correspondence(path, reason)
    return Correspondence(tuple(map(str, arrays[0])), *arrays[1:])


def _no_correspondence(path: Path, reason: str) -> LandmarkFileError:
    return LandmarkFileError(
        f"{path} contains no corresponding points: {reason}. Match the specimens again."
    )


@np.errstate(over="ignore")
def _wrong(names: Array, points: Array, weights: Array, sizes: Array) -> str:
    """Why arrays are not a correspondence; empty if they are."""
    numbers = all(each.dtype == np.float64 for each in (points, weights, sizes))
    if names.dtype.kind != "U" or not numbers:
        return "names must be text, and everything else numbers of double precision"
    shape = weights.shape
    expected = (names.shape, points.shape, sizes.shape) == (shape[:1], (*shape, 3), shape[:1])
    if len(shape) != 2 or 0 in shape or not expected:
        return "the shapes of its arrays do not fit each other"
    if len(set(names.tolist())) < len(names):
        return "several specimens have the same name"
    if not (np.isfinite(sizes) & (sizes > 0)).all():
        return "sizes must be positive"
    if not (np.abs(points) < FARTHEST * sizes[:, None, None]).all():
        return "points must be finite and not out of reach"
    if not ((weights >= 0).all() and (np.abs(weights.sum(axis=1) - 1) < ROUNDING).all()):
        return "weights must be fractions of an area"
    return ""
