# SPDX-License-Identifier: MIT
"""Markups of 3D Slicer, ``.mrk.json``: what SlicerMorph and Morpho read.

Slicer reads meshes without a tag as LPS. Our coordinates are those of the mesh, unchanged,
and marked LPS: both are then read under the same assumption and coincide. A file marked RAS
is brought to LPS by turning the signs of x and y, and the record says so.
"""

import json
from typing import Any

import numpy as np

from gplandmark.errors import LandmarkFileError
from gplandmark.landmarks import Landmarks, Record, classes_of

__all__ = ["parse", "text"]

SCHEMA = (
    "https://raw.githubusercontent.com/slicer/slicer/master/Modules/Loadable/Markups/"
    "Resources/Schema/markups-schema-v1.0.3.json#"
)
UPRIGHT_LPS = [-1.0, -0.0, -0.0, -0.0, -1.0, -0.0, 0.0, 0.0, 1.0]
CHECK = "Save it again from 3D Slicer as a markups file."


def text(landmarks: Landmarks) -> str:
    """Content of a markups file with one control point per landmark."""
    points = [
        {
            "id": str(number + 1),
            "label": label,
            "description": kind,
            "associatedNodeID": "",
            "position": [float(value) for value in point],
            "orientation": UPRIGHT_LPS,
            "selected": True,
            "locked": False,
            "visibility": True,
            "positionStatus": "defined",
        }
        for number, (label, point, kind) in enumerate(
            zip(
                landmarks.labels,
                landmarks.points,
                landmarks.classes or [""] * len(landmarks),
                strict=True,
            )
        )
    ]
    markup = {
        "type": "Fiducial",
        "coordinateSystem": "LPS",
        "coordinateUnits": "mm",
        "locked": False,
        "fixedNumberOfControlPoints": False,
        "labelFormat": "%N-%d",
        "lastUsedControlPointNumber": len(points),
        "controlPoints": points,
        "measurements": [],
    }
    return json.dumps({"@schema": SCHEMA, "markups": [markup]}, indent=1) + "\n"


def parse(content: str, specimen: str) -> Landmarks:
    """Landmarks of the one markup in the file."""
    markup = _markup(content)
    placed = markup.get("controlPoints", [])
    labels = tuple(
        str(point.get("label") or number) for number, point in enumerate(placed, start=1)
    )
    points = np.array([_position(*pair) for pair in zip(placed, labels, strict=True)])
    points = points.reshape(-1, 3)
    system = str(markup.get("coordinateSystem", "LPS"))
    record = Record()
    if system in ("RAS", "0"):
        points = points * np.array([-1.0, -1.0, 1.0])
        record = Record(warnings=("Read from RAS: the signs of x and y were turned.",))
    elif system not in ("LPS", "1"):
        raise LandmarkFileError(f"its coordinate system '{system}' is neither LPS nor RAS. {CHECK}")
    classes = classes_of([str(point.get("description", "")) for point in placed])
    return Landmarks.at(points, specimen, labels=labels, classes=classes, record=record)


def _markup(content: str) -> dict[str, Any]:
    try:
        found = json.loads(content)["markups"]
        markup: dict[str, Any] = found[0]
    except (ValueError, KeyError, TypeError, IndexError):
        raise LandmarkFileError(f"this is no 3D Slicer markups file. {CHECK}") from None
    if len(found) > 1:
        raise LandmarkFileError(f"it holds {len(found)} markups, expected one. {CHECK}")
    return markup


def _position(point: dict[str, Any], label: str) -> list[float]:
    try:
        position = [float(value) for value in point["position"]]
    except (KeyError, TypeError, ValueError):
        position = []
    if (
        point.get("positionStatus", "defined") != "defined"
        or len(position) != 3
        or not np.isfinite(position).all()
    ):
        raise LandmarkFileError(f"landmark '{label}' has no position. Place it or delete it.")
    return position
