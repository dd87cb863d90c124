# SPDX-License-Identifier: MIT
"""Sliding the semilandmarks of many specimens, some of whose landmarks may be missing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gplandmark.errors import AnalysisError, warn
from gplandmark.io.formatting import listed
from gplandmark.landmarks import Landmarks
from gplandmark.landmarks.coordinate_system import in_system_of
from gplandmark.landmarks.curves import Curve
from gplandmark.landmarks.landmarks import UNKNOWN_VERTEX
from gplandmark.landmarks.record import software_versions
from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.analysis import generalised_procrustes
from gplandmark.morphometrics.semilandmarks.slide import Criterion, slide
from gplandmark.morphometrics.semilandmarks.sliders import Sliders
from gplandmark.morphometrics.semilandmarks.specimen_surface import SpecimenSurface
from gplandmark.numerics.arrays import FloatArray

FEWEST_HELD = 4  # affine changes of shape bend nothing: so many points are needed to hold them
FEW_HELD = (
    "Only {} of the landmarks are fixed or on a curve. Bending energy does not hold a patch then: "
    "it may slide far. Add fixed landmarks, or slide by Procrustes distance."
)


@dataclass(frozen=True, eq=False)
class SlidCollection:
    """Landmarks of all specimens after sliding, and how far they moved.

    Attributes
    ----------
    landmarks : of each specimen, in its own coordinates
    moved : (s, k) how far each landmark moved, in file units; NaN where it is missing
    rounds : how often they slid
    """

    landmarks: tuple[Landmarks, ...]
    moved: FloatArray
    rounds: int


def slide_collection(
    collection: Sequence[Landmarks],
    curves: Sequence[Curve],
    sliders: Sliders,
    by: Criterion = "bending-energy",
    *,
    surfaces: Mapping[str, Surface] | None = None,
    **options: Any,
) -> SlidCollection:
    """Slide the semilandmarks of specimens; see `slide` for the method and its options.

    Missing landmarks are estimated first by thin-plate splines, so that the others can slide,
    and are missing again in the result. Vertex numbers of landmarks that slid are unknown.

    Parameters
    ----------
    curves : to which landmarks return, if there are surfaces
    surfaces : by the name of the specimen; then landmarks return to the triangles after each round

    Raises
    ------
    AnalysisError
        Specimens cannot be compared, or one of them has no surface.
    """
    if surfaces is not None:
        lacking = [each.specimen for each in collection if each.specimen not in surfaces]
        if lacking:
            raise AnalysisError(f"There is no scan of {listed('specimen', lacking)}.")
        collection = [in_system_of(surfaces[each.specimen], each) for each in collection]
    aligned = generalised_procrustes(collection)
    if len(aligned.labels) < len(collection[0]) or len(aligned.names) < len(collection):
        raise AnalysisError(
            "A landmark is on no specimen, or a specimen has no landmark. Leave them out first: "
            "sliding needs the same landmarks everywhere."
        )
    held = len(aligned.labels) - len(sliders.surfaces)
    if by == "bending-energy" and held < FEWEST_HELD:
        warn(FEW_HELD.format(held))
    laid = [
        SpecimenSurface(surfaces[name], points, curves)
        for name, points in zip(aligned.names, aligned.points, strict=True)
    ] if surfaces is not None else []  # fmt: skip
    slid = slide(aligned.points, sliders, by, surfaces=laid, **options)
    moved = np.linalg.norm(slid.points - aligned.points, axis=2)
    moved[aligned.missing] = np.nan
    points = np.where(aligned.missing[..., None], np.nan, slid.points)
    request = {"by": by, "rounds": slid.rounds, "scans": surfaces is not None,
               "sliding": [aligned.labels[number] for number in sliders.sliding]}  # fmt: skip
    first = collection[0]
    found = [
        _slid(each if each.labels == first.labels else _reordered(each, first.labels), own, request,
              sliders, tuple(curves))
        for each, own in zip(collection, points, strict=True)
    ]  # fmt: skip
    return SlidCollection(tuple(found), moved, slid.rounds)


def _reordered(landmarks: Landmarks, labels: Sequence[str]) -> Landmarks:
    return landmarks.chosen([landmarks.labels.index(label) for label in labels])


def _slid(
    landmarks: Landmarks,
    points: FloatArray,
    request: Mapping[str, Any],
    sliders: Sliders,
    curves: tuple[Curve, ...],
) -> Landmarks:
    """Landmarks at their new places, whose record says so."""
    record = landmarks.record
    vertices = landmarks.vertices.copy()
    vertices[sliders.sliding] = UNKNOWN_VERTEX
    kinds = np.array(landmarks.kinds or ["fixed"] * len(landmarks))
    kinds[sliders.sliding] = "semi"
    fixed = np.delete(np.arange(len(points)), sliders.sliding)
    points = points.copy()
    points[fixed] = landmarks.points[fixed]  # to the last digit
    return replace(
        landmarks,
        points=points,
        vertices=vertices,
        uncertainty=None,
        state=None,
        places=(),
        kinds=tuple(map(str, kinds)),
        curves=curves or landmarks.curves,
        record=replace(
            record,
            request={**record.request, "slide": dict(request)},
            software=record.software or software_versions(),
        ),
    )
