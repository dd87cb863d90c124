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
from gplandmark.landmarks.curves import Curve

UNREADABLE = (
    LandmarkFileError, ValueError, KeyError, TypeError, AttributeError, OverflowError,
    RecursionError,
)  # fmt: skip
"""Errors that mean that there is no record, but another program's file of that name."""

# what some formats hold, under the name of the field
HELD = {
    "specimens": "specimen",
    "names": "labels",
    "types": "kinds",
    "system": "system",
    "classes": "classes",
    "curves": "curves",
}


def record_path(path: Path, extension: str) -> Path:
    """Where the record of a landmark file lies."""
    return path.with_name(path.name[: -len(extension)] + ".record.json")


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
            **_curves(landmarks),
            "places": [
                {
                    "triangle": place.triangle,
                    "corners": place.corners.tolist(),
                    "shares": place.barycentric.tolist(),
                }
                for place in landmarks.places
            ],
        },
    }


def _curves(landmarks: Landmarks) -> dict[str, Any]:
    """Curves, for landmarks that have some: earlier records stay as they are."""
    curves = [
        {"name": each.name, "members": list(each.members), "closed": each.is_closed}
        for each in landmarks.curves
    ]
    return {"curves": curves} if curves else {}


def is_same_record(path: Path, text: str) -> bool:
    """Tell whether a record on disk is about the same landmarks, made in the same way.

    Names, types, classes and the system may differ: one of several formats may hold what another
    cannot.
    """
    try:
        return bool(_core(json.loads(content_of(path))) == _core(json.loads(text)))
    except UNREADABLE:
        return False


def _core(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {**each, "landmarks": [each["landmarks"][key] for key in ("points", "vertices")]}
        for each in content.get("specimens", [content])
    ]


def recorded(collection: Sequence[Landmarks], path: Path) -> tuple[Landmarks, ...]:
    """Those landmarks of a file that the record is about, with what it adds to them."""
    changed = with_records(collection, path, keeps=())  # leaves the others as they are
    return tuple(new for old, new in zip(collection, changed, strict=True) if new is not old)


def is_as_recorded(found: Landmarks, expected: Landmarks) -> bool:
    """Tell whether a file still has the names, types, classes and system of its record.

    Formats differ in what they hold and how they spell it. What to expect is therefore read from
    the landmarks of the record as the format writes them.
    """
    return (found.labels, found.kinds, found.classes) == (
        expected.labels,
        expected.kinds,
        expected.classes,
        # an older file of the same record may have been written before the system was known
    ) and (found.system == expected.system or None in (found.system, expected.system))


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def with_records(
    collection: Sequence[Landmarks], path: Path, keeps: Collection[str]
) -> tuple[Landmarks, ...]:
    """Add the records beside the file to those landmarks that they are about.

    Names, types, classes and the system come from the record only where the format does not keep
    them: what the file itself says is newer.
    """
    try:
        content = json.loads(content_of(path))
        contents = content.get("specimens", [content])
        pairs = list(zip(collection, contents, strict=True))
    except UNREADABLE:
        return tuple(collection)  # no record, or another program's file of that name
    return tuple(_with_record(landmarks, content, keeps) for landmarks, content in pairs)


def _with_record(
    landmarks: Landmarks, content: Mapping[str, Any], keeps: Collection[str]
) -> Landmarks:
    try:
        known = content["landmarks"]
        points = np.array(known["points"], dtype=np.float64).reshape(landmarks.points.shape)
        if not np.array_equal(points, landmarks.points, equal_nan=True):
            return landmarks
        added: dict[str, Any] = {
            field: _field(field, known[field])
            for held, field in HELD.items()
            if held not in keeps and field in known
        }
        return replace(
            landmarks,
            vertices=np.array(known["vertices"], dtype=np.int64),
            variances=np.array(known["variances"], dtype=np.float64),
            record=Record.of_dict(content),
            places=tuple(map(_place, known.get("places", ()))),
            **added,
        )
    except UNREADABLE:
        return landmarks  # another program's file of that name, or a damaged one


def _place(content: Mapping[str, Any]) -> SurfacePoint:
    return SurfacePoint(
        int(content["triangle"]),
        np.array(content["shares"], dtype=np.float64).reshape(3),
        np.array(content["corners"], dtype=np.int64).reshape(3),
    )


def _field(field: str, value: Any) -> Any:
    if field == "classes":
        return classes_of(value)
    if field == "curves":
        return tuple(
            Curve(str(each["name"]), tuple(map(int, each["members"])), bool(each["closed"]))
            for each in value
        )
    if field in ("labels", "kinds"):
        return tuple(map(str, value))
    if not isinstance(value, str) and (field, value) != ("system", None):
        raise TypeError(f"{field} must be a text.")
    return value
