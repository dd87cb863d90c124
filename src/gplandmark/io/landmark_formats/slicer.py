# SPDX-License-Identifier: MIT
"""Markups of 3D Slicer, ``.mrk.json``: what SlicerMorph and Morpho read.

Slicer reads meshes without a tag as LPS. Landmarks that do not tell their system are those of
the mesh, unchanged, and are marked LPS: both are then read under the same assumption and
coincide. Reading keeps the numbers of the file, and its system.

A missing landmark has the status "undefined" and no position; SlicerMorph writes whether a
landmark is fixed or slides ("Fixed", "Semi") into the description, and so do we.

A curve is a markup of its own, of the type Curve or ClosedCurve. A file of landmarks with curves
has all landmarks as the first markup, which every program reads, and then the curves, whose
points have the labels of the landmarks. A file of curves alone has one markup for each.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gplandmark.errors import LandmarkFileError, warn
from gplandmark.io.formatting import point_array
from gplandmark.landmarks import Landmarks
from gplandmark.landmarks.curves import Curve

SCHEMA = (
    "https://raw.githubusercontent.com/slicer/slicer/master/Modules/Loadable/Markups/"
    "Resources/Schema/markups-schema-v1.0.3.json#"
)
UPRIGHT = {
    "LPS": [-1.0, -0.0, -0.0, -0.0, -1.0, -0.0, 0.0, 0.0, 1.0],
    "RAS": [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
}
NUMBERED = {"0": "RAS", "1": "LPS"}  # how old files spell them
POINTS = "Fiducial"
OPEN, CLOSED = CURVES = ("Curve", "ClosedCurve")
CHECK = "Save it again from 3D Slicer as a markups file."


def text(collection: Sequence[Landmarks]) -> str:
    """Content of a markups file with one control point per landmark, and the curves after them."""
    (landmarks,) = collection
    markups = [_written(landmarks, "Fiducial")]
    if len(set(landmarks.labels)) < len(landmarks) and landmarks.curves:
        warn(f"{landmarks.specimen}: the curves are left out, because landmarks share a name.")
        return json.dumps({"@schema": SCHEMA, "markups": markups}, indent=1) + "\n"
    for curve in landmarks.curves:
        own = replace(landmarks.chosen(curve.members), curves=())
        markup = _written(own, CLOSED if curve.is_closed else OPEN)
        markups.append({**markup, "name": curve.name})
    return json.dumps({"@schema": SCHEMA, "markups": markups}, indent=1) + "\n"


def _written(landmarks: Landmarks, markup_type: str) -> dict[str, Any]:
    """One markup with a control point per landmark."""
    system = landmarks.system or "LPS"
    kinds = landmarks.kinds or ("",) * len(landmarks)
    points = []
    for number, (label, point, kind) in enumerate(
        zip(landmarks.labels, landmarks.points, kinds, strict=True), start=1
    ):
        missing = bool(np.isnan(point).any())
        points.append(
            {
                "id": str(number),
                "label": label,
                "description": kind.capitalize(),
                "associatedNodeID": "",
                **({} if missing else {"position": [float(value) for value in point]}),
                "orientation": UPRIGHT[system],
                "selected": True,
                "locked": False,
                "visibility": True,
                "positionStatus": "undefined" if missing else "defined",
            }
        )
    return {
        "type": markup_type,
        "coordinateSystem": system,
        "coordinateUnits": "mm",
        "locked": False,
        "fixedNumberOfControlPoints": False,
        "labelFormat": "%N-%d",
        "lastUsedControlPointNumber": len(points),
        "controlPoints": points,
        "measurements": [],
    }


def parse(content: str, specimen: str) -> tuple[Landmarks, ...]:
    """Landmarks of the file, with its curves."""
    markups = _markups(content)
    first = _landmarks(markups[0], specimen)
    if markups[0].get("type") in CURVES:
        first = replace(first, curves=(_curve(markups[0], range(len(first)), 1),))
    parts = [first, *(_landmarks(each, specimen) for each in markups[1:])]
    return (_joined(parts, markups),)


def _joined(parts: Sequence[Landmarks], markups: Sequence[dict[str, Any]]) -> Landmarks:
    """All landmarks once, and the curves through them.

    A point of a curve that has the label and the place of a landmark is that landmark; others
    are landmarks of their own, called after the curve.
    """
    whole = parts[0]
    for number, (part, markup) in enumerate(zip(parts[1:], markups[1:], strict=True), start=2):
        if part.system != whole.system:
            raise LandmarkFileError(f"its markups are in LPS and in RAS. {CHECK}")
        known = {label: at for at, label in enumerate(whole.labels)}
        same = all(
            label in known and np.array_equal(whole.points[known[label]], point, equal_nan=True)
            for label, point in zip(part.labels, part.points, strict=True)
        )
        if same:
            members: Sequence[int] = [known[label] for label in part.labels]
        else:
            members = range(len(whole), len(whole) + len(part))
            name = markup.get("name") or number
            whole = Landmarks.at(
                np.vstack([whole.points, part.points]),
                whole.specimen,
                labels=(*whole.labels, *(f"{name}-{at + 1}" for at in range(len(part)))),
                kinds=(*(whole.kinds or ("",) * len(whole)), *(part.kinds or ("",) * len(part))),
                system=whole.system,
                curves=whole.curves,
            )
        whole = replace(whole, curves=(*whole.curves, _curve(markup, members, number)))
    return whole


def _curve(markup: dict[str, Any], members: Sequence[int], number: int) -> Curve:
    name = str(markup.get("name") or number)
    return Curve(name, tuple(members), markup.get("type") == CLOSED)


def _landmarks(markup: dict[str, Any], specimen: str) -> Landmarks:
    """Landmarks of one markup; those of a curve slide, unless they say that they are fixed."""
    placed = markup.get("controlPoints", [])
    if not isinstance(placed, list) or not all(isinstance(each, dict) for each in placed):
        raise LandmarkFileError(f"its control points are not a list of points. {CHECK}")
    labels = tuple(str(each.get("label") or place) for place, each in enumerate(placed, start=1))
    points = [_position(*pair) for pair in zip(placed, labels, strict=True)]
    kind = str(markup.get("type", POINTS))
    if kind not in (POINTS, *CURVES):
        warn(
            f"{specimen}: the file holds a {kind[:40]} of 3D Slicer. Its {len(placed)} control "
            "points are read as landmarks, and what it measures is lost.",
            stacklevel=4,
        )
    units = markup.get("coordinateUnits", "mm")
    if units not in ("mm", ["mm", "UCUM", "millimeter"]):
        warn(
            f"{specimen}: the unit of the file is {units!r}, not mm; its numbers are kept.",
            stacklevel=3,
        )
    return Landmarks.at(
        point_array(points),
        specimen,
        labels=labels,
        kinds=_kinds(markup, [str(each.get("description", "")) for each in placed]),
        system=system_of(str(markup.get("coordinateSystem", "LPS"))),
    )


def _kinds(markup: dict[str, Any], descriptions: Sequence[str]) -> tuple[str, ...]:
    kinds = [kind_of(each) for each in descriptions]
    if markup.get("type") not in CURVES or any(kinds):
        return tuple(kinds)
    ends = () if markup.get("type") == CLOSED else (0, len(kinds) - 1)
    return tuple("fixed" if at in ends else "semi" for at in range(len(kinds)))


def system_of(word: str) -> str:
    """LPS or RAS, from the name or the number that a file of Slicer has for it."""
    system = NUMBERED.get(word, word)
    if system not in UPRIGHT:
        raise LandmarkFileError(
            f"its coordinate system '{word[:40]}' is neither LPS nor RAS. {CHECK}"
        )
    return system


def kind_of(description: str) -> str:
    """The kind of a landmark, where SlicerMorph has written it into the description."""
    word = description.strip().lower()
    return word if word in ("fixed", "semi") else ""


def _markups(content: str) -> list[dict[str, Any]]:
    try:
        found: list[dict[str, Any]] = json.loads(content)["markups"]
        found[0].get("controlPoints")
        kinds = [each.get("type") for each in found]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        raise LandmarkFileError(f"this is not a 3D Slicer markups file. {CHECK}") from None
    if any(kind not in CURVES for kind in kinds[1:]):
        raise LandmarkFileError(
            f"it holds {len(found)} markups, expected one list of points, and curves. {CHECK}"
        )
    return found


def _position(point: dict[str, Any], label: str) -> list[float]:
    """Coordinates of a control point; NaN where it is not placed."""
    position = point.get("position") or []
    if point.get("positionStatus", "defined") != "defined" or position == []:
        return [np.nan] * 3
    try:
        values = [float(value) for value in position]
    except (TypeError, ValueError, OverflowError):
        values = []
    if len(values) != 3 or not np.isfinite(values).all():
        raise LandmarkFileError(
            f"the position of landmark '{label[:40]}' is not three numbers. "
            "Place it again or delete it."
        )
    return values
