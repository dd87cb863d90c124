# SPDX-License-Identifier: MIT
"""Projects of Stratovan Checkpoint, ``.ckpt``: read only.

Of a row under ``[Landmarks]`` the third field says whether the landmark is there (N) or missing
(M), the fifth to seventh are its coordinates, the eleventh its name in quotation marks. Points
that ``[Curves]`` and ``[Patches]`` name by number, from 0, slide.
"""

import re

from gplandmark.errors import LandmarkFileError
from gplandmark.io.formatting import count, numbered_lines, point, point_array
from gplandmark.landmarks import Landmarks

WORD = re.compile(r'"[^"]*"|\S+')
SLIDING = ("[curves]", "[patches]")
Rows = list[tuple[int, str]]


def parse(content: str, specimen: str) -> tuple[Landmarks, ...]:
    """Landmarks of the one specimen of a project."""
    sections = _sections(numbered_lines(content))
    rows = sections.get("[landmarks]", [])
    if not rows or not rows[0][1].lower().startswith("numberofpoints:"):
        raise LandmarkFileError("this is not a Checkpoint project: [Landmarks] has no points.")
    place, heading = rows[0]
    rows = [row for row in rows[1:] if not row[1].lower().startswith("units:")]
    declared = count(heading.partition(":")[2].strip(), f"line {place}", len(rows))
    table = [(place, WORD.findall(line)) for place, line in rows[:declared]]
    points = [_point(words, place) for place, words in table]
    labels = tuple(
        words[10].strip('"') or str(number) if len(words) > 10 else str(number)
        for number, (_, words) in enumerate(table, start=1)
    )
    sliding = {number for name in SLIDING for number in _numbers(sections.get(name, []))}
    kinds = tuple("semi" if number in sliding else "fixed" for number in range(declared))
    landmarks = Landmarks.at(
        point_array(points), specimen, labels=labels, kinds=kinds if sliding else ()
    )
    return (landmarks,)


def _sections(rows: Rows) -> dict[str, Rows]:
    sections: dict[str, Rows] = {}
    current: Rows = []
    for place, line in rows:
        if line.startswith("["):
            current = sections.setdefault(line.lower(), [])
        else:
            current.append((place, line))
    return sections


def _point(words: list[str], place: int) -> list[float]:
    if len(words) < 7:
        raise LandmarkFileError(f"line {place} is not a row of a Checkpoint landmark.")
    return point(["NA"] * 3 if words[2].upper() == "M" else words[4:7], f"line {place}")


def _numbers(rows: Rows) -> list[int]:
    """Numbers of the points of every curve or patch: between the colon and the name."""
    lists = (line.partition(":")[2].partition('"')[0] for _, line in rows[1:])
    return [int(word) for each in lists for word in each.split() if word.isdecimal()]
