# SPDX-License-Identifier: MIT
"""Curves in a table of landmarks: a column that says which curves a landmark is on, and where.

A cell is ``ridge:3`` for the third point of the curve called ridge, ``rim (closed):1`` for the
first point of a closed curve, and ``ridge:3; rim (closed):1`` where they meet.
"""

from collections.abc import Sequence

from gplandmark.errors import LandmarkFileError
from gplandmark.io.formatting import printable
from gplandmark.landmarks.curves import Curve

CURVE = "curve"  # name of the column
CLOSED = " (closed)"


def curve_cells(curves: Sequence[Curve], count: int) -> list[str]:
    """Cells of the column for `count` landmarks; empty for one that is on no curve."""
    cells: list[list[str]] = [[] for _ in range(count)]
    for curve in curves:
        name = printable(curve.name).replace(";", ",") + CLOSED * curve.is_closed
        for place, member in enumerate(curve.members, start=1):
            cells[member].append(f"{name}:{place}")
    return ["; ".join(each) for each in cells]


def curves_of_cells(cells: Sequence[str]) -> tuple[Curve, ...]:
    """Curves that the cells of the column describe, in the order in which they first occur.

    A cell without a number is a point after those before it.

    Raises
    ------
    LandmarkFileError
        A place on a curve is not a number, or two landmarks have the same.
    """
    found: dict[str, dict[int, int]] = {}
    for member, cell in enumerate(cells):
        for part in filter(None, map(str.strip, cell.split(";"))):
            name, colon, place = part.rpartition(":")
            if not colon:
                name, place = part, str(len(found.get(part, {})) + 1)
            if not place.strip().isdecimal():
                raise LandmarkFileError(
                    f"the column {CURVE} has '{part[:40]}'. Write the name of the curve, a colon "
                    "and the place on it, e.g. ridge:3."
                )
            on = found.setdefault(name.strip(), {})
            if on.setdefault(int(place), member) != member:
                raise LandmarkFileError(f"curve {name[:40]} has two landmarks in place {place}.")
    return tuple(
        Curve(name.removesuffix(CLOSED), tuple(on[place] for place in sorted(on)), CLOSED in name)
        for name, on in found.items()
    )
