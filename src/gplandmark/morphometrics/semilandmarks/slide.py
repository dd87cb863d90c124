# SPDX-License-Identifier: MIT
"""Sliding semilandmarks along curves and surfaces to where they differ least from the mean."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import scipy

from gplandmark.errors import AnalysisError, SettingsError
from gplandmark.morphometrics.semilandmarks.bending_energy import bending_energy_matrix
from gplandmark.morphometrics.semilandmarks.sliders import Sliders
from gplandmark.morphometrics.semilandmarks.specimen_surface import SpecimenSurface
from gplandmark.morphometrics.semilandmarks.tangents import Directions, directions
from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.rotations import best_rotations

Criterion: TypeAlias = Literal["bending-energy", "procrustes"]
CRITERIA: tuple[Criterion, ...] = ("bending-energy", "procrustes")
ROUNDS = 9  # as many as gpagen does with max.iter = 10
TOLERANCE = 1e-4  # of gpagen


@dataclass(frozen=True, eq=False)
class Slid:
    """Configurations whose semilandmarks have slid.

    Attributes
    ----------
    points : (s, k, d) in the coordinates of each specimen
    shapes : (s, k, d) superimposed on the mean shape
    rounds : how often they slid
    change : of the squared norm of the sum of shapes over s, in the last round
    """

    points: FloatArray
    shapes: FloatArray
    rounds: int
    change: float


def slide(
    points: FloatArray,
    sliders: Sliders,
    by: Criterion = "bending-energy",
    *,
    rounds: int = ROUNDS,
    tolerance: float = TOLERANCE,
    recentre: bool = True,
    surfaces: Sequence[SpecimenSurface] = (),
    progress: Callable[[int], None] | None = None,
) -> Slid:
    """Slide semilandmarks, superimpose, and compute the mean again, until it changes little.

    Each round moves the sliding landmarks of a specimen y along their directions U to y - U t:

        procrustes      t = U^T (y - m)                     least distance to the mean m
        bending-energy  t = (U^T L U)^-1 U^T L (y - m)      least bending energy

    L is the bending energy matrix of m for each coordinate (Bookstein 1997, Gunz et al. 2005).
    Directions are those of the specimen itself and follow it from round to round. With
    `surfaces`, landmarks return to the surface and to the curve after every round.

    Parameters
    ----------
    points : (s, k, d), none missing
    rounds : most of them
    tolerance : change of |sum of shapes|^2 / s below which it stops
    recentre : centre and scale each specimen again after it slid. gpagen of geomorph does not:
        with `recentre` off and without surfaces the shapes are those of gpagen
    surfaces : of each specimen; by default unknown
    progress : called with the number of each round

    Raises
    ------
    AnalysisError
        A coordinate is missing, a specimen is a single place, or the sliders do not fit.
    SettingsError
        The criterion is unknown, or the number of rounds below 1.
    """
    if by not in CRITERIA or rounds < 1:
        raise SettingsError(
            f"Slide by {' or '.join(CRITERIA)}, and at least once; got {by!r} and {rounds} rounds."
        )
    _check(points, sliders, surfaces)
    current = np.array(points, dtype=np.float64)
    frames = _Frames(current)
    shapes = frames.onto(current, frames.into(current)[0])
    mean, total = shapes.mean(axis=0), _total(shapes)
    done, change = 0, np.inf
    while done < rounds and change > tolerance:
        moved = _moved(shapes, mean, sliders, by, _normals(current, sliders, surfaces, frames))
        current = frames.back(moved)
        for number, surface in enumerate(surfaces):
            current[number] = surface.returned(current[number], sliders)
        if recentre or surfaces:
            frames = _Frames(current)
        shapes = frames.onto(current, mean)
        mean = shapes.mean(axis=0)
        mean = mean / np.linalg.norm(mean - mean.mean(axis=0))
        change, total = abs(_total(shapes) - total), _total(shapes)
        done += 1
        if progress is not None:
            progress(done)
    return Slid(current, shapes, done, float(change))


def slide_once(
    points: FloatArray,
    reference: FloatArray,
    along: Directions,
    by: Criterion,
    bending: FloatArray | None = None,
) -> FloatArray:
    """Points (k, d) of one specimen after they slid once towards a reference (k, d).

    `bending` is the bending energy matrix (k, k) of the reference.
    """
    which, vectors = along.landmarks, along.vectors
    offsets = points - reference
    if by == "procrustes":
        steps = np.sum(vectors * offsets[which], axis=1)
    else:
        matrix = bending_energy_matrix(reference) if bending is None else bending
        normal = matrix[np.ix_(which, which)] * (vectors @ vectors.T)
        steps = _solved(normal, np.sum(vectors * (matrix @ offsets)[which], axis=1))
    slid = points.copy()
    np.subtract.at(slid, which, steps[:, None] * vectors)
    return slid


def _solved(normal: FloatArray, right: FloatArray) -> FloatArray:
    """Solution of a symmetric system; the shortest where it is singular."""
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", scipy.linalg.LinAlgWarning)
            return np.asarray(scipy.linalg.solve(normal, right, assume_a="pos"))
    except (scipy.linalg.LinAlgError, scipy.linalg.LinAlgWarning):
        return np.asarray(scipy.linalg.lstsq(normal, right)[0])


class _Frames:
    """Position, size and rotation of specimens (s, k, d) against the mean shape."""

    def __init__(self, points: FloatArray) -> None:
        self.centres = points.mean(axis=1, keepdims=True)
        self.sizes = np.linalg.norm(points - self.centres, axis=(1, 2))[:, None, None]
        self.rotations = np.broadcast_to(
            np.eye(points.shape[2]), (len(points), *points.shape[2:] * 2)
        )

    def into(self, points: FloatArray) -> FloatArray:
        return np.asarray((points - self.centres) / self.sizes)

    def onto(self, points: FloatArray, mean: FloatArray) -> FloatArray:
        """Shapes of points, each rotated onto the mean."""
        shapes = self.into(points)
        self.rotations = best_rotations(shapes, mean, reflect=False)
        return np.asarray(shapes @ self.rotations)

    def back(self, shapes: FloatArray) -> FloatArray:
        return np.asarray(shapes @ self.rotations.swapaxes(1, 2) * self.sizes + self.centres)


def _total(shapes: FloatArray) -> float:
    return float(np.sum(shapes.sum(axis=0) ** 2) / len(shapes))


def _normals(
    points: FloatArray, sliders: Sliders, surfaces: Sequence[SpecimenSurface], frames: _Frames
) -> list[FloatArray | None]:
    """Normals of the surfaces at the sliding landmarks, as the superimposed specimens have them."""
    if not surfaces or len(sliders.surfaces) == 0:
        return [None] * len(points)
    return [
        surface.normals(own[sliders.surfaces]) @ turn
        for surface, own, turn in zip(surfaces, points, frames.rotations, strict=True)
    ]


def _moved(
    shapes: FloatArray,
    mean: FloatArray,
    sliders: Sliders,
    by: Criterion,
    normals: Sequence[FloatArray | None],
) -> FloatArray:
    bending = bending_energy_matrix(mean) if by == "bending-energy" else None
    return np.stack([
        slide_once(shape, mean, directions(shape, sliders, normal), by, bending)
        for shape, normal in zip(shapes, normals, strict=True)
    ])  # fmt: skip


def _check(points: FloatArray, sliders: Sliders, surfaces: Sequence[SpecimenSurface]) -> None:
    if points.ndim != 3 or len(points) < 2:
        raise AnalysisError(
            "Semilandmarks slide towards the mean of at least two specimens, got "
            f"{len(points) if points.ndim == 3 else 1}."
        )
    if not np.isfinite(points).all():
        raise AnalysisError("A landmark is missing. Estimate missing landmarks before they slide.")
    if np.ptp(points, axis=1).max(axis=1).min() <= 0:
        raise AnalysisError("All landmarks of a specimen are in one place: it has no shape.")
    if surfaces and len(surfaces) != len(points):
        raise AnalysisError(
            f"Every specimen needs its surface: {len(points)} specimens, {len(surfaces)} surfaces."
        )
    sliders.check(points.shape[1])
