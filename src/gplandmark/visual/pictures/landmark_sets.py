# SPDX-License-Identifier: MIT
"""Sets of landmarks to draw, after a check that they lie on the surface."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gplandmark.errors import GplandmarkWarning, PictureError
from gplandmark.landmarks import Landmarks
from gplandmark.landmarks.curves_on_surface import SurfacePaths
from gplandmark.landmarks.on_surface import vertices_on
from gplandmark.mesh import surface_area
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.visual.pictures.colour_maps import SET_COLOURS
from gplandmark.visual.pictures.panels import Marks

LABELS = ("numbers", "names", "none")
OFF = 0.01  # of sqrt(area): a warning names landmarks farther off the surface


@dataclass(frozen=True, eq=False)
class LandmarkSet:
    """A set of landmarks on a surface.

    Attributes
    ----------
    points : (k, 3) of those that are not missing
    numbers : (k,) of them in the set, from 1
    names : of them
    vertices : (k,) of the surface, nearest to them
    lines : of curves, polylines (m, 3) on the surface
    """

    points: FloatArray
    numbers: IndexArray
    names: tuple[str, ...]
    vertices: IndexArray
    lines: tuple[FloatArray, ...] = ()

    def texts(self, labels: str) -> tuple[str, ...]:
        """Text beside each landmark."""
        if not isinstance(labels, str) or labels not in LABELS:
            raise PictureError(f"Unknown labels '{labels}'. Choose one of {', '.join(LABELS)}.")
        if labels == "none":
            return ("",) * len(self.names)
        return self.names if labels == "names" else tuple(map(str, self.numbers.tolist()))


def checked_sets(surface: Surface, sets: Mapping[str, Landmarks]) -> dict[str, LandmarkSet]:
    """Check sets of landmarks by name; missing ones are left out, and a warning says so.

    Raises
    ------
    LandmarkFileError
        A set has no landmarks, or does not lie on the surface.
    """
    return {name: _checked_set(surface, landmarks, name) for name, landmarks in sets.items()}


def _checked_set(surface: Surface, landmarks: Landmarks, name: str) -> LandmarkSet:
    there = np.flatnonzero(~landmarks.missing)
    if len(there) < len(landmarks):
        _note(f"{len(landmarks) - len(there)} missing landmarks of {name} were left out.")
    names = tuple(landmarks.labels[number] for number in there)
    points = landmarks.points[there]
    vertices, farthest = vertices_on(surface, Landmarks.at(points, name, labels=names), name)
    relative = farthest / np.sqrt(surface_area(surface))
    if relative > OFF:
        _note(
            f"A landmark of {name} lies {farthest:.4g} (file units) off the surface, "
            f"{100 * relative:.2g} % of its size; it is drawn where it is."
        )
    return LandmarkSet(points, there + 1, names, vertices, _lines(surface, landmarks))


def _lines(surface: Surface, landmarks: Landmarks) -> tuple[FloatArray, ...]:
    """Curves on the surface, through those of their landmarks that are not missing."""
    if not landmarks.curves:
        return ()
    paths = (
        landmarks.points[[*curve.members, *curve.members[: curve.is_closed]]]
        for curve in landmarks.curves
    )
    known = [path[~np.isnan(path).any(axis=1)] for path in paths]
    known = [path for path in known if len(path) > 1]
    if surface.triangles is None:
        return tuple(known)
    over = SurfacePaths(surface)
    return tuple(over.laid(path) for path in known)


def marks_of(sets: Mapping[str, LandmarkSet], labels: str) -> Marks:
    """Marks of all sets, each in its colour."""
    colours = _colours(sets)
    return Marks(
        np.vstack([np.zeros((0, 3)), *(each.points for each in sets.values())]),
        tuple(text for each in sets.values() for text in each.texts(labels)),
        tuple(colours[name] for name, each in sets.items() for _ in each.names),
        is_text_coloured=len(sets) > 1,
        lines=tuple((line, colours[name]) for name, each in sets.items() for line in each.lines),
    )


def legend_of(sets: Mapping[str, LandmarkSet]) -> dict[str, str] | None:
    """Names of the colours, where there is more than one."""
    return _colours(sets) if len(sets) > 1 else None


def _colours(sets: Mapping[str, LandmarkSet]) -> dict[str, str]:
    if len(sets) > len(SET_COLOURS):
        raise PictureError(
            f"{len(sets)} sets of landmarks cannot be distinguished in one picture. "
            f"Give at most {len(SET_COLOURS)}."
        )
    return dict(zip(sets, SET_COLOURS, strict=False))


def _note(sentence: str) -> None:
    warnings.warn(sentence, GplandmarkWarning, stacklevel=5)
