# SPDX-License-Identifier: MIT
"""The record that lies beside a landmark file, ``tooth.record.json``."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from gplandmark.landmarks import Landmarks, Record, classes_of

__all__ = ["record_path", "record_text", "with_record"]


def record_path(path: Path, ending: str) -> Path:
    """Where the record of a landmark file lies."""
    return path.with_name(path.name[: -len(ending)] + ".record.json")


def record_text(landmarks: Landmarks) -> str:
    """Return the record, and what not every landmark format can hold, as JSON."""
    content = {
        **landmarks.record.as_dict(),
        "landmarks": {
            "vertices": landmarks.vertices.tolist(),
            "variances": [None if np.isnan(value) else value for value in landmarks.variances],
            "points": landmarks.points.tolist(),
            "classes": list(landmarks.classes),
        },
    }
    return json.dumps(content, indent=1) + "\n"


def with_record(landmarks: Landmarks, path: Path) -> Landmarks:
    """Add the record beside the file, if it is about these very points."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        known = content["landmarks"]
        same = np.array_equal(
            np.array(known["points"]).reshape(landmarks.points.shape), landmarks.points
        )
    except (OSError, ValueError, KeyError, TypeError):
        return landmarks  # no record, or somebody else's file of that name
    if not same:
        return landmarks
    return replace(
        landmarks,
        vertices=np.array(known["vertices"], dtype=np.int64),
        variances=np.array(known["variances"], dtype=np.float64),
        classes=classes_of(known.get("classes", [])),
        record=Record.of_dict(content),
        specimen=content.get("input", {}).get("specimen", landmarks.specimen),
    )
