# SPDX-License-Identifier: MIT
"""The record that lies beside a landmark file, ``tooth.record.json``.

It has the record of how the landmarks were made, and what their format cannot hold. Beside a
file of several specimens it is a list, in the order of the file.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gplandmark.errors import LandmarkFileError
from gplandmark.io.files import content_of
from gplandmark.landmarks import Landmarks, Record, SurfacePoint, classes_of

__all__ = [
    "check_not_edited",
    "record_path",
    "record_text",
    "records_text",
    "tells_the_same",
    "with_records",
]

# what some formats hold, under the name of the field
HELD = {
    "specimens": "specimen",
    "names": "labels",
    "types": "kinds",
    "system": "system",
    "classes": "classes",
}


def record_path(path: Path, ending: str) -> Path:
    """Where the record of a landmark file lies."""
    return path.with_name(path.name[: -len(ending)] + ".record.json")


def record_text(landmarks: Landmarks) -> str:
    """Return the record, and what not every landmark format can hold, as JSON."""
    return json.dumps(_content(landmarks), indent=1) + "\n"


def records_text(collection: Sequence[Landmarks]) -> str:
    """Return the record of a file with one specimen or several."""
    if len(collection) == 1:
        return record_text(collection[0])
    return json.dumps({"specimens": [_content(each) for each in collection]}, indent=1) + "\n"


def _content(landmarks: Landmarks) -> dict[str, Any]:
    return {
        **landmarks.record.as_dict(),
        "landmarks": {
            "specimen": landmarks.specimen,
            "system": landmarks.system,
            "labels": list(landmarks.labels),
            "kinds": list(landmarks.kinds),
            "vertices": landmarks.vertices.tolist(),
            "variances": [_or_none(value) for value in landmarks.variances],
            "points": [[_or_none(value) for value in point] for point in landmarks.points],
            "classes": list(landmarks.classes),
            "places": [
                {
                    "triangle": place.triangle,
                    "corners": place.corners.tolist(),
                    "shares": place.shares.tolist(),
                }
                for place in landmarks.places
            ],
        },
    }


def check_not_edited(path: Path, ending: str) -> None:
    """Refuse to replace landmarks that a person edited, as the record beside them tells.

    Raises
    ------
    LandmarkFileError
        They were edited.
    """
    try:
        content = json.loads(content_of(record_path(path, ending)))
        edited = path.exists() and bool(content["request"].get("edits"))
    except (LandmarkFileError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return  # no record, or somebody else's file of that name
    if edited:
        raise LandmarkFileError(
            f"{path} has landmarks that a person edited. Choose another name, or overwrite=True."
        )


def tells_the_same(path: Path, text: str) -> bool:
    """Tell whether a record on disk is about the same landmarks, made in the same way.

    Names, types, classes and the system may differ: one file of a pair may hold what the other
    cannot.
    """
    try:
        old, new = json.loads(content_of(path)), json.loads(text)
        return bool(_core(old) == _core(new))
    except (LandmarkFileError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False


def _core(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {**each, "landmarks": [each["landmarks"][key] for key in ("points", "vertices")]}
        for each in content.get("specimens", [content])
    ]


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def with_records(
    collection: Sequence[Landmarks], path: Path, keeps: Collection[str]
) -> tuple[Landmarks, ...]:
    """Add the records beside the file to those landmarks that they are about.

    Names, types, classes and the system come from the record only where the format does not keep
    them: what the file itself tells is newer.
    """
    try:
        content = json.loads(content_of(path))
        contents = content.get("specimens", [content])
        pairs = list(zip(collection, contents, strict=True))
    except (LandmarkFileError, ValueError, TypeError, AttributeError, RecursionError):
        return tuple(collection)  # no record, or somebody else's file of that name
    return tuple(_with_record(landmarks, content, keeps) for landmarks, content in pairs)


def _with_record(
    landmarks: Landmarks, content: Mapping[str, Any], keeps: Collection[str]
) -> Landmarks:
    try:
        known = content["landmarks"]
        points = np.array(known["points"], dtype=np.float64).reshape(landmarks.points.shape)
        if not np.array_equal(points, landmarks.points, equal_nan=True):
            return landmarks
        told: dict[str, Any] = {
            field: _told(field, known[field])
            for held, field in HELD.items()
            if held not in keeps and field in known
        }
        return replace(
            landmarks,
            vertices=np.array(known["vertices"], dtype=np.int64),
            variances=np.array(known["variances"], dtype=np.float64),
            record=Record.of_dict(content),
            places=tuple(map(_place, known.get("places", ()))),
            **told,
        )
    except (LandmarkFileError, ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return landmarks  # somebody else's file of that name, or a damaged one


def _place(content: Mapping[str, Any]) -> SurfacePoint:
    return SurfacePoint(
        int(content["triangle"]),
        np.array(content["shares"], dtype=np.float64).reshape(3),
        np.array(content["corners"], dtype=np.int64).reshape(3),
    )


def _told(field: str, value: Any) -> Any:
    if field == "classes":
        return classes_of(value)
    return tuple(map(str, value)) if field in ("labels", "kinds") else value
