# SPDX-License-Identifier: MIT
"""Markups of 3D Slicer, ``.mrk.json``: what SlicerMorph and Morpho read.

Slicer reads meshes without a tag as LPS. Landmarks that do not tell their system are those of
the mesh, unchanged, and are marked LPS: both are then read under the same assumption and
coincide. Reading keeps the numbers of the file, and its system.

A missing landmark has the status "undefined" and no position; SlicerMorph writes whether a
landmark is fixed or slides ("Fixed", "Semi") into the description, and so do we.
"""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from gplandmark.errors import LandmarkFileError, warn
from gplandmark.io.formatting import point_array
from gplandmark.landmarks import Landmarks

SCHEMA = (
    "https://raw.githubusercontent.com/slicer/slicer/master/Modules/Loadable/Markups/"
    "Resources/Schema/markups-schema-v1.0.3.json#"
)
UPRIGHT = {
    "LPS": [-1.0, -0.0, -0.0, -0.0, -1.0, -0.0, 0.0, 0.0, 1.0],
    "RAS": [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
}
NUMBERED = {"0": "RAS", "1": "LPS"}  # how old files spell them
CHECK = "Save it again from 3D Slicer as a markups file."


def text(collection: Sequence[Landmarks]) -> str:
    """Content of a markups file with one control point per landmark."""
    (landmarks,) = collection
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
    markup = {
        "type": "Fiducial",
        "coordinateSystem": system,
        "coordinateUnits": "mm",
        "locked": False,
        "fixedNumberOfControlPoints": False,
        "labelFormat": "%N-%d",
        "lastUsedControlPointNumber": len(points),
        "controlPoints": points,
        "measurements": [],
    }
    return json.dumps({"@schema": SCHEMA, "markups": [markup]}, indent=1) + "\n"


def parse(content: str, specimen: str) -> tuple[Landmarks, ...]:
    """Landmarks of the one markup in the file."""
    markup = _markup(content)
    placed = markup.get("controlPoints", [])
    if not isinstance(placed, list) or not all(isinstance(each, dict) for each in placed):
        raise LandmarkFileError(f"its control points are not a list of points. {CHECK}")
    labels = tuple(str(each.get("label") or place) for place, each in enumerate(placed, start=1))
    points = [_position(*pair) for pair in zip(placed, labels, strict=True)]
    units = markup.get("coordinateUnits", "mm")
    if units not in ("mm", ["mm", "UCUM", "millimeter"]):
        warn(
            f"{specimen}: the unit of the file is {units!r}, not mm; its numbers are kept.",
            stacklevel=3,
        )
    landmarks = Landmarks.at(
        point_array(points),
        specimen,
        labels=labels,
        kinds=tuple(kind_of(str(each.get("description", ""))) for each in placed),
        system=system_of(str(markup.get("coordinateSystem", "LPS"))),
    )
    return (landmarks,)


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


def _markup(content: str) -> dict[str, Any]:
    try:
        found = json.loads(content)["markups"]
        markup: dict[str, Any] = found[0]
        markup.get("controlPoints")
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        raise LandmarkFileError(f"this is not a 3D Slicer markups file. {CHECK}") from None
    if len(found) > 1:
        raise LandmarkFileError(f"it holds {len(found)} markups, expected one. {CHECK}")
    return markup


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
