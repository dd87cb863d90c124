# SPDX-License-Identifier: MIT
"""What every reader of a mesh format gives, and what it says when it cannot."""

import re
from dataclasses import dataclass

import numpy as np

from gplandmark.numerics.arrays import FloatArray, IndexArray

__all__ = ["Content", "DamagedError", "check_room", "space_told"]

IN_ORDER = "vertices as numbered in the file, from 0"


class DamagedError(ValueError):
    """The bytes are not what the format promises; the text says where, without the file's name."""


@dataclass(frozen=True, eq=False)
class Content:
    """Points (n, 3) and triangles (m, 3) of a file; notes on what the reader had to decide.

    The system is "LPS" or "RAS" if the file tells it.
    """

    points: FloatArray
    triangles: IndexArray
    notes: tuple[str, ...] = ()
    numbering: str = IN_ORDER
    system: str | None = None

    @classmethod
    def of_points(cls, points: FloatArray) -> "Content":
        """Points without triangles."""
        return cls(points, np.zeros((0, 3), dtype=np.int64))


def check_room(count: int, smallest: int, room: int, what: str) -> None:
    """Refuse at once a file that promises more than its bytes can hold.

    Raises
    ------
    DamagedError
        `count` things of at least `smallest` bytes each do not fit into `room` bytes.
    """
    if count < 0 or count * smallest > room:
        raise DamagedError(
            f"it is damaged or cut short: it promises {count:,} {what}, and {max(room, 0):,} "
            "bytes are too few for them"
        )


TAG = re.compile(rb"SPACE=(LPS|RAS)")


def space_told(header: bytes) -> str | None:
    """Return LPS or RAS if a header has that tag; None without one, or with both."""
    found = set(TAG.findall(header))
    return found.pop().decode() if len(found) == 1 else None
