# SPDX-License-Identifier: MIT
"""Landmark Editor and Checkpoint, ``.pts``: one specimen, landmarks without names.

The first letter of a line says what a landmark is: S a single point (fixed), C a point of a curve
or P of a patch (both slide). Missing is 9999 9999 9999. A blank line ends the file, because
SlicerMorph's converter skips the last line. Coordinates are those of the mesh.
"""

from collections.abc import Sequence
from itertools import count as counting

from gplandmark.errors import LandmarkFileError
from gplandmark.io.formatting import MISSING, coded_points, coordinate_rows, count, numbered_lines
from gplandmark.landmarks import Landmarks

LETTERS = {"s": "fixed", "c": "semi", "p": "semi"}


def text(collection: Sequence[Landmarks]) -> str:
    """Content of the file; landmarks of no known kind are single points."""
    (landmarks,) = collection
    kinds = landmarks.kinds or ("",) * len(landmarks)
    numbers = {"S": counting(), "P": counting()}
    rows = ["Version 1.0", str(len(landmarks))]
    for kind, row in zip(kinds, coordinate_rows(landmarks, MISSING), strict=True):
        letter = "P" if kind == "semi" else "S"
        rows.append(f"{letter}{next(numbers[letter]):03d} {row}")
    return "\n".join(rows) + "\n\n"


def parse(content: str, specimen: str) -> tuple[Landmarks, ...]:
    """Landmarks of the one specimen in the file."""
    rows = numbered_lines(content)
    if len(rows) < 2 or not rows[0][1].lower().startswith("version"):
        raise LandmarkFileError(
            "this is not a Landmark Editor file: it does not begin with a line 'Version 1.0'."
        )
    place, declared = rows[1]
    declared_count = count(declared, f"line {place}", len(rows) - 2)
    if declared_count != len(rows) - 2:
        raise LandmarkFileError(
            f"line {place} declares {declared_count} landmarks, but {len(rows) - 2} follow."
        )
    words = [(place, line.split()) for place, line in rows[2:]]
    landmarks = Landmarks.at(
        coded_points(
            [(f"line {place}", each[1:]) for place, each in words],
            MISSING,
            specimen,
            declared=False,
        ),
        specimen,
        kinds=tuple(LETTERS.get(each[0][0].lower(), "") for _, each in words),
    )
    return (landmarks,)
