# SPDX-License-Identifier: MIT
"""What every reader of scans shares: the content of a file, its errors, and numbers from text."""

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gplandmark.errors import ScanError
from gplandmark.mesh.surface import Source
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray, number_outside

if TYPE_CHECKING:
    from gplandmark.io.volumes.preview import Preview

IN_ORDER = "vertices as numbered in the file, from 0"


class DamagedError(ValueError):
    """The bytes are not what the format declares; the text says where, without the file's name."""


@dataclass(frozen=True, eq=False)
class Content:
    """Points (n, 3) and triangles (m, 3) of a file; notes on what the reader had to decide.

    The system is "LPS" or "RAS" if the file says so.
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


def check_fits(count: int, smallest: int, available: int, what: str) -> None:
    """Refuse at once a file that declares more than its bytes can hold.

    Raises
    ------
    DamagedError
        `count` things of at least `smallest` bytes each do not fit into the `available` bytes.
    """
    if count < 0 or count * smallest > available:
        raise DamagedError(
            f"it is damaged or cut short: it declares {count:,} {what}, and {max(available, 0):,} "
            "bytes are too few for them"
        )


TAG = re.compile(rb"SPACE=(LPS|RAS)")


def space_tag(header: bytes) -> str | None:
    """Return LPS or RAS if a header has that tag; None without one, or with both."""
    found = set(TAG.findall(header))
    return found.pop().decode() if len(found) == 1 else None


MARK = b"\xef\xbb\xbf"  # of UTF-8, which some editors write before any text

# How some programs of Windows write NaN and infinity.
SHARP_NAN = re.compile(rb"1\.#(?:QNAN|SNAN|IND)\w*", re.IGNORECASE)
SHARP_INFINITY = re.compile(rb"1\.#INF\w*", re.IGNORECASE)
NAN_IN_BRACKETS = re.compile(rb"nan\(\w*\)", re.IGNORECASE)


def numbers_in_text(text: bytes) -> FloatArray:
    """All numbers of a text, separated by white space.

    Raises
    ------
    DamagedError
        There is something else among them.
    """
    text = with_standard_nan(text)
    if b"(" in text:
        text = NAN_IN_BRACKETS.sub(b"nan", text)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        try:
            return np.fromstring(text.decode("ascii"), dtype=np.float64, sep=" ")
        except (ValueError, DeprecationWarning):
            raise DamagedError("something else was found where numbers are expected") from None


def with_standard_nan(text: bytes) -> bytes:
    """NaN and infinity in the usual spelling; before comments are cut, which begin with # too."""
    if b"#" not in text or b"1.#" not in text:  # the first is seen far quicker
        return text
    return SHARP_INFINITY.sub(b"inf", SHARP_NAN.sub(b"nan", text))


def number_table(lines: Sequence[bytes], columns: int) -> FloatArray:
    """The first columns of lines of numbers, shape (n, columns); lines may have more.

    Raises
    ------
    DamagedError
        A line has fewer numbers, or something else.
    """
    if not lines:
        return np.zeros((0, columns))
    widths = {len(line.split()) for line in lines}
    if min(widths) < columns:
        raise DamagedError(f"a line has {min(widths)} numbers where {columns} are expected")
    if len(widths) > 1:
        lines = [b" ".join(line.split()[:columns]) for line in lines]
    flat = numbers_in_text(b" ".join(lines))
    if flat.size % len(lines):
        raise DamagedError("lines of numbers do not end where they should")
    return flat.reshape(len(lines), -1)[:, :columns]


@dataclass(frozen=True, eq=False)
class Scan:
    """Points and triangles of a file, in its numbering; coordinates may be NaN or infinite.

    Attributes
    ----------
    points : (n, d), d = 3 where there are triangles
    triangles : (m, 3) vertex numbers, or None for a bare cloud
    name : of the specimen
    source : the file, if any
    notes : what the reader had to decide, one sentence each
    preview : of a volume, what the picture of the threshold shows
    not_bone : (n,) vertices that a person painted as not bone

    Raises
    ------
    ScanError
        There is no vertex, or a triangle names one that does not exist.
    """

    points: FloatArray
    triangles: IndexArray | None = None
    name: str = "scan"
    source: Source | None = None
    notes: tuple[str, ...] = ()
    preview: "Preview | None" = None
    not_bone: BoolArray | None = None

    def __post_init__(self) -> None:
        """Bring the arrays to their types, and check what no rule could repair."""
        object.__setattr__(self, "points", np.ascontiguousarray(self.points, dtype=np.float64))
        if self.triangles is None:
            return
        triangles = np.ascontiguousarray(self.triangles, dtype=np.int64).reshape(-1, 3)
        object.__setattr__(self, "triangles", triangles)
        count = len(self.points)
        if (bad := number_outside(triangles, count)) is not None:
            raise ScanError.of(
                self.name,
                f"has a triangle that names vertex {bad}, but its vertices are "
                f"numbered 0 to {count - 1}. The file is damaged or cut short; export it again.",
            )
