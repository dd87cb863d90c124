# SPDX-License-Identifier: MIT
"""Numbers from text, by the million."""

import re
import warnings
from collections.abc import Sequence

import numpy as np

from gplandmark.io.scans.content import DamagedError
from gplandmark.numerics.arrays import FloatArray

__all__ = ["MARK", "numbers", "table", "without_sharps"]

MARK = b"\xef\xbb\xbf"  # of UTF-8, which some editors write before any text

# How some programs of Windows write NaN and infinity.
SHARP_NAN = re.compile(rb"1\.#(?:QNAN|SNAN|IND)\w*", re.IGNORECASE)
SHARP_INFINITY = re.compile(rb"1\.#INF\w*", re.IGNORECASE)
NAN_IN_BRACKETS = re.compile(rb"nan\(\w*\)", re.IGNORECASE)


def numbers(text: bytes) -> FloatArray:
    """All numbers of a text, separated by white space.

    Raises
    ------
    DamagedError
        Something else stands among them.
    """
    text = without_sharps(text)
    if b"(" in text:
        text = NAN_IN_BRACKETS.sub(b"nan", text)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        try:
            return np.fromstring(text.decode("ascii"), dtype=np.float64, sep=" ")
        except (ValueError, DeprecationWarning):
            raise DamagedError("there is something else where numbers are due") from None


def without_sharps(text: bytes) -> bytes:
    """NaN and infinity in the usual spelling; before comments are cut, which begin with # too."""
    if b"#" not in text or b"1.#" not in text:  # the first is seen far quicker
        return text
    return SHARP_INFINITY.sub(b"inf", SHARP_NAN.sub(b"nan", text))


def table(lines: Sequence[bytes], columns: int) -> FloatArray:
    """The first columns of lines of numbers, shape (n, columns); lines may have more.

    Raises
    ------
    DamagedError
        A line has fewer numbers, or other words.
    """
    if not lines:
        return np.zeros((0, columns))
    widths = {len(line.split()) for line in lines}
    if min(widths) < columns:
        raise DamagedError(f"a line has {min(widths)} numbers where {columns} are due")
    if len(widths) > 1:
        lines = [b" ".join(line.split()[:columns]) for line in lines]
    flat = numbers(b" ".join(lines))
    if flat.size % len(lines):
        raise DamagedError("lines of numbers do not end where they should")
    return flat.reshape(len(lines), -1)[:, :columns]
