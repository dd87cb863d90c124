# SPDX-License-Identifier: MIT
"""TPS with ``LM3=``, ``.tps``: for geomorph and the TPS programs.

A specimen is a line ``LM3=p``, p lines of coordinates, and lines ``KEY=value``. geomorph looks
for the letters of its keys in every line, also inside names; names are therefore written
without them, and without "=". It multiplies coordinates by ``SCALE=``, and so do we, and it
fails on an empty one; we write none. A missing landmark is ``NA NA NA``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from pathlib import PureWindowsPath

import numpy as np

from gplandmark.errors import LandmarkFileError, warn
from gplandmark.io.formatting import (
    coordinate_rows,
    count,
    kept_names,
    number,
    numbered_lines,
    one_line,
    point,
    point_array,
)
from gplandmark.io.homology import mark_for
from gplandmark.landmarks import Landmarks
from gplandmark.landmarks.curves import Curve

KEYS = re.compile("LM|ID|IMAGE|SCALE|CURVES|POINTS")
START = ("LM", "LM3")
POINTS = (*START, "POINTS")


@dataclass
class Part:
    """Points under one heading: the landmarks, a curve or an outline."""

    place: int
    group: str
    declared: int
    points: list[list[float]] = field(default_factory=list)


def text(collection: Sequence[Landmarks]) -> str:
    """Content of a TPS file, one specimen after the other."""
    names = kept_names([each.specimen for each in collection], _spelling, "TPS")
    mark = mark_for(collection)
    comment = [f"COMMENT={mark}"] if mark else []  # geomorph skips it; it has no key of TPS
    rows: list[str] = []
    for name, landmarks in zip(names, collection, strict=True):
        parts = _written_parts(landmarks)
        coordinates = coordinate_rows(landmarks)
        rows += [f"LM3={parts[0]}", *coordinates[: parts[0]]]
        if len(parts) > 1:
            rows.append(f"CURVES={len(parts) - 1}")
        for start, end in pairwise(accumulate(parts)):
            rows += [f"POINTS={end - start}", *coordinates[start:end]]
        rows += [*comment, f"ID={name}", ""]
    return "\n".join(rows) + "\n"


def _written_parts(landmarks: Landmarks) -> list[int]:
    """Number of landmarks, and of the points of each curve that follows them.

    A curve of a TPS file has points of its own, which come after all landmarks.
    """
    lengths = [len(curve.members) for curve in landmarks.curves]
    start = len(landmarks) - sum(lengths)
    members = [member for curve in landmarks.curves for member in curve.members]
    if members == list(range(start, len(landmarks))) and start >= 0:
        if any(curve.is_closed for curve in landmarks.curves):
            _warn(f"{landmarks.specimen}: TPS does not say that a curve is closed.")
        return [start, *lengths]
    _warn(
        f"{landmarks.specimen}: the curves are left out, their points are not. Curves of a TPS "
        "file come after all landmarks and share no points."
    )
    return [len(landmarks)]


def _spelling(name: str) -> str:
    name = one_line(name).replace("=", "_")
    return KEYS.sub(lambda key: key[0].lower(), name)


def parse(content: str, specimen: str) -> tuple[Landmarks, ...]:
    """Every specimen of a TPS file; points of curves follow as semilandmarks."""
    rows = numbered_lines(content)
    starts = [at for at, (_, line) in enumerate(rows) if _key(line) in START]
    if not starts or starts[0] > 0:
        raise LandmarkFileError("this is not a TPS file: it does not begin with LM3=.")
    ends = [*starts[1:], len(rows)]
    names = [specimen] if len(starts) == 1 else [f"{specimen}-{i + 1}" for i in range(len(starts))]
    return tuple(
        _specimen(rows[start:end], name)
        for start, end, name in zip(starts, ends, names, strict=True)
    )


def _key(line: str) -> str:
    key, equals, _ = line.partition("=")
    return key.strip().upper() if equals else ""


def _specimen(rows: list[tuple[int, str]], fallback: str) -> Landmarks:
    parts, fields = _parts(rows)
    for part in parts:
        if len(part.points) != part.declared:
            raise LandmarkFileError(
                f"line {part.place} declares {part.declared} points, but {len(part.points)} "
                "follow. The file is damaged or cut short."
            )
    name = fields.get("ID") or PureWindowsPath(fields.get("IMAGE", "")).stem or fallback
    if any(part.group == "OUTLINES" for part in parts):
        _warn(f"{name}: the outlines are left out; they are not landmarks.")
    kept = [part for part in parts if part.group != "OUTLINES"]
    points = point_array([each for part in kept for each in part.points])
    fixed = len(kept[0].points)
    sliding = len(points) - fixed
    ends = list(accumulate(len(part.points) for part in kept))
    curves = tuple(
        Curve(str(number), tuple(range(start, end)))
        for number, (start, end) in enumerate(pairwise(ends), start=1)
    )
    with np.errstate(over="ignore"):
        points *= _scale(fields, name)
    if np.isinf(points).any():
        raise LandmarkFileError(f"{name}: SCALE= takes its coordinates out of range.")
    return Landmarks.at(
        points,
        name,
        kinds=("fixed",) * fixed + ("semi",) * sliding if sliding else (),
        curves=curves,
    )


def _parts(rows: list[tuple[int, str]]) -> tuple[list[Part], dict[str, str]]:
    parts: list[Part] = []
    fields: dict[str, str] = {}
    group = "LM3"
    for place, line in rows:
        key, value = _key(line), line.partition("=")[2].strip()
        if not key and "=" not in line:
            parts[-1].points.append(_point(line, place))
        elif key in ("CURVES", "OUTLINES"):
            group = key
        elif key in POINTS:
            parts.append(Part(place, group, count(value, f"line {place}", len(rows))))
        else:
            fields.setdefault(key, value)
    return parts, fields


def _point(line: str, place: int) -> list[float]:
    words = line.split()
    if len(words) == 2:
        raise LandmarkFileError(
            f"line {place} has two coordinates: landmarks in the plane (LM=). "
            "Only landmarks in space (LM3=) can be read."
        )
    return point(words, f"line {place}")


def _scale(fields: dict[str, str], name: str) -> float:
    if not fields.get("SCALE"):
        return 1.0
    scale = number(fields["SCALE"], f"the line SCALE= of {name}")
    if scale <= 0:
        raise LandmarkFileError(f"{name}: SCALE={scale:g} is not a scale. Correct or remove it.")
    if scale != 1:
        _warn(f"{name}: the coordinates were multiplied by SCALE={scale!r}, as the file asks.")
    return scale


def _warn(note: str) -> None:
    warn(note, stacklevel=5)
