# SPDX-License-Identifier: MIT
"""Whether landmarks lie on a surface, and if not, which common mistake would explain it.

Landmarks and scans come from different programs, which disagree about LPS and RAS and about
millimetres and metres. Every mistake of that kind is a change of signs and a scale; each is
undone in turn, and the change that brings the landmarks onto the surface is named.
"""

import warnings
from dataclasses import dataclass
from itertools import product

import numpy as np

from gplandmark.errors import LandmarkFileError
from gplandmark.landmarks.coordinate_system import OF_MESHES
from gplandmark.landmarks.landmarks import Landmarks
from gplandmark.landmarks.on_surface import distances_off
from gplandmark.mesh.as_surface import as_surface
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arguments import instance
from gplandmark.numerics.arrays import BoolArray, FloatArray

TOLERANCE = 0.005  # of the size: the median distance of landmarks that fit
OFF = 2  # times that: a single landmark that lies off, when most fit
MANY, CLOSER = 0.1, 4  # fraction that lies off, and how much closer a mistake brings them
AXES = "xyz"
FLIPS = ((), (0, 1), (0,), (1,), (2,), (0, 2), (1, 2), (0, 1, 2))
SCALES = {
    1.0: "",
    1e3: "m taken for mm, or mm for um",
    1e-3: "mm taken for m, or um for mm",
    10.0: "cm taken for mm",
    0.1: "mm taken for cm",
    25.4: "inches taken for mm",
    1 / 25.4: "mm taken for inches",
}


@dataclass(frozen=True)
class Change:
    """Signs to turn and a factor, and how far landmarks then lie from the surface.

    Attributes
    ----------
    flipped : the axes of the file's numbers whose sign is turned, as "xy"; empty if none is
    scale : what the coordinates are multiplied by
    median : median distance of the changed landmarks from the surface
    fits : whether that is small enough
    off : fraction of the landmarks that then lie off the surface
    marked : the axes that the file's own mark of its system turns already
    """

    flipped: str
    scale: float
    median: float
    fits: bool
    off: float
    marked: str = ""

    @property
    def turned(self) -> str:
        """The axes whose sign is turned besides those of the mark."""
        return "".join(axis for axis in AXES if (axis in self.flipped) != (axis in self.marked))

    @property
    def is_mark_wrong(self) -> bool:
        """Whether the numbers are taken as they are, against the mark."""
        return self.marked != "" and self.flipped == ""

    @property
    def steps(self) -> int:
        """How many things are changed besides what the mark says: 0, 1 or 2."""
        return (self.turned != "") + (self.scale != 1)

    def __str__(self) -> str:
        """What is changed besides what the mark says, in words."""
        parts = []
        if self.is_mark_wrong:
            parts.append("the mark of the coordinate system ignored (it is wrong)")
        elif self.turned == "xy":
            parts.append("the signs of x and y turned (LPS and RAS confused)")
        elif self.turned:
            parts.append(f"the sign of {' and '.join(self.turned)} turned (mirrored)")
        if self.scale != 1:
            parts.append(f"all coordinates times {self.scale:.6g} ({SCALES[self.scale]})")
        return " and ".join(parts) or "no change"


@dataclass(frozen=True, eq=False)
class Check:
    """How landmarks lie on a surface.

    Attributes
    ----------
    labels : names of the landmarks
    distances : (m,) of each from the surface, read as the file says; NaN if missing
    size : diagonal of the box around the surface
    tolerance : median distance up to which landmarks fit
    system : coordinate system that the landmark file states, if any
    stated : the change that the files state: none, or x and y turned where the landmark file
        states another system than the mesh, which is in LPS if it states none
    others : other changes that fit, the simplest and closest first
    mesh : coordinate system that the file of the surface states, if any
    """

    labels: tuple[str, ...]
    distances: FloatArray
    size: float
    tolerance: float
    system: str | None
    stated: Change
    others: tuple[Change, ...]
    mesh: str | None = None

    @property
    def told(self) -> Change:
        """Deprecated: use `stated`."""
        warnings.warn("Check.told is deprecated: use stated.", DeprecationWarning, stacklevel=2)
        return self.stated

    @property
    def fits(self) -> bool:
        """Whether the landmarks lie on the surface read as the file says."""
        return self.stated.fits and self.better is None

    @property
    def better(self) -> Change | None:
        """A single change by which none lies off, and all much closer, where many lie off now.

        On a specimen that is nearly symmetric most landmarks fit a little also when mirrored.
        """
        if not self.stated.fits or self.stated.off < MANY:
            return None
        closer = (each for each in self.others if each.median < self.stated.median / CLOSER)
        return next((each for each in closer if each.steps == 1 and each.off == 0), None)

    @property
    def off(self) -> BoolArray:
        """Which landmarks lie off the surface, by more than 1 % of its size, shape (m,)."""
        return np.asarray(self.distances > OFF * self.tolerance)

    @property
    def mistake(self) -> Change | None:
        """The simplest change that would make them fit, if they do not."""
        return self.better or (self.others[0] if self.others and not self.fits else None)


def check(surface: Surface, landmarks: Landmarks) -> Check:
    """Measure the distance of landmarks from a surface, and look for mistakes that explain it.

    Landmarks fit if the median of their distances from the triangles is at most 0.5 % of the
    diagonal of the box around the surface (or of that around the landmarks if it is smaller:
    shrunk to a dot they lie close to anything). Missing ones are ignored.

    Raises
    ------
    ScanError
        The surface has no triangles.
    LandmarkFileError
        All landmarks are missing, or they are not points in space.
    """
    surface = as_surface(surface)
    instance(landmarks, Landmarks, "Use gplandmark.read_landmarks first.")
    there = ~landmarks.missing
    points = landmarks.points[there]
    if not len(points):
        raise LandmarkFileError(f"{landmarks.specimen} has no landmark that is not missing.")
    if points.shape[1] != 3:
        raise LandmarkFileError(
            f"{landmarks.specimen} has dimension {points.shape[1]}; {surface.name} lies in space."
        )
    size = _diagonal(surface.points[surface.covered()])
    scales = SCALES if len(points) > 1 else {1.0: ""}
    options = list(product(FLIPS, scales))
    changed = np.array([points * _factors(*option) for option in options])
    distances = distances_off(surface, changed.reshape(-1, 3)).reshape(len(options), -1)
    marked = (0, 1) if landmarks.system not in (None, surface.system or OF_MESHES) else ()
    changes = []
    for (flip, scale), moved, each in zip(options, changed, distances, strict=True):
        tolerance = TOLERANCE * (min(size, _diagonal(moved)) if len(moved) > 1 else size)
        median = float(np.median(each))
        off = float((each > OFF * TOLERANCE * size).mean())
        fits = median <= tolerance
        changes.append(Change(_names(flip), scale, median, fits, off, _names(marked)))
    stated = options.index((marked, 1.0))
    others = [each for at, each in enumerate(changes) if each.fits and at != stated]
    all_distances = np.full(len(landmarks), np.nan)
    all_distances[there] = distances[stated]
    return Check(
        landmarks.labels,
        all_distances,
        size,
        TOLERANCE * size,
        landmarks.system,
        changes[stated],
        tuple(sorted(others, key=lambda each: (each.steps, each.median))),
        surface.system,
    )


def _factors(flip: tuple[int, ...], scale: float) -> FloatArray:
    factors = np.full(3, scale)
    factors[list(flip)] *= -1
    return factors


def _names(axes: tuple[int, ...]) -> str:
    return "".join(AXES[axis] for axis in axes)


def _diagonal(points: FloatArray) -> float:
    return float(np.linalg.norm(np.ptp(points, axis=0)))
