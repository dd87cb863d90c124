# SPDX-License-Identifier: MIT
"""Numbers, points and names in text files: what all landmark formats have in common."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence

import numpy as np

from gplandmark.errors import LandmarkFileError, warn
from gplandmark.landmarks import Landmarks
from gplandmark.numerics.arrays import FloatArray

LONGEST = 400  # characters of a number; the largest double has 309 digits
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?", re.ASCII)
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
ONE_NAME = "would make one name of"
MISSING = 9999.0  # three times: a missing landmark of Landmark Editor and Morphologika


def lines(content: str) -> list[str]:
    """Split at the line endings of any system, and at nothing else."""
    return re.split(r"\r\n|\r|\n", content)


def numbered_lines(content: str) -> list[tuple[int, str]]:
    """Lines that are not blank, without space around them, with their numbers from 1."""
    stripped = ((place, line.strip()) for place, line in enumerate(lines(content), start=1))
    return [(place, line) for place, line in stripped if line]


def number(word: str, where: str, column: str = "") -> float:
    """Read a finite number; `where` opens the sentence of the error, e.g. "line 3"."""
    if len(word) <= LONGEST:
        if NUMBER.fullmatch(word) and np.isfinite(float(word)):
            return float(word)
        if COMMA.fullmatch(word):
            raise LandmarkFileError(
                f"{where} has a number with a decimal comma: '{word}'. "
                "Export the file with decimal points."
            )
    place = f" in column {column}" if column else ""
    raise LandmarkFileError(f"{where} has no number{place}: '{word[:40]}'.")


def count(word: str, where: str, at_most: int) -> int:
    """Read how many things a file declares, and refuse more than it can possibly hold."""
    if not re.fullmatch(r"\d{1,18}", word, re.ASCII):
        raise LandmarkFileError(f"{where} has no integer: '{word[:40]}'.")
    if int(word) > at_most:
        raise LandmarkFileError(
            f"{where} declares {int(word):,}, but the file holds at most {at_most:,}. "
            "It is damaged or cut short."
        )
    return int(word)


def counted(number: int, noun: str) -> str:
    """A number of things, e.g. "1 specimen" or "1,200 specimens"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def joined(words: Sequence[str]) -> str:
    """Return words as in a sentence: ``a, b and c``."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def listed(noun: str, names: Sequence[str]) -> str:
    """Names in a sentence, e.g. "specimens a, b and 3 more"."""
    return f"{noun}{'' if len(names) == 1 else 's'} {abbreviated(names, 12)}"


def abbreviated(items: Sequence[str], most: int = 3) -> str:
    """The first items of a list, and how many more there are: "a, b, c and 4 more"."""
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return f"{', '.join(items[:most])}{more}"


def is_missing(word: str) -> bool:
    """Tell whether a text means a missing coordinate."""
    return word.strip().lower() in ("", "na", "nan")


def point(words: Sequence[str], where: str) -> list[float]:
    """Read the three coordinates of a landmark; NaN if it is missing.

    A landmark is missing if all its coordinates are "NA" or "NaN", or blank. One with some
    coordinates only is refused.
    """
    if len(words) != 3:
        raise LandmarkFileError(f"{where} has {len(words)} coordinates, expected 3.")
    if all(map(is_missing, words)):
        return [np.nan] * 3
    return [number(word, where) for word in words]


def coded_points(
    rows: Sequence[tuple[str, Sequence[str]]], code: float | None, specimen: str, *, declared: bool
) -> FloatArray:
    """Read landmarks (m, 3) from places and coordinates; three times the code is a missing one.

    One that has the code among other numbers is refused where the file itself declares the code.
    Where it is only a custom of the format, it may be a coordinate, and is kept with a warning.
    """
    points = point_array([point(words, where) for where, words in rows])
    coded = points == code
    points[coded.all(axis=1)] = np.nan
    some = (coded.any(axis=1) & ~coded.all(axis=1)).tolist()
    lone = [where for (where, _), is_partly in zip(rows, some, strict=True) if is_partly]
    if lone and declared:
        raise LandmarkFileError(
            f"{lone[0]} has {code:g}, the number for a missing landmark, in some coordinates "
            "only. Write it in all three or in none."
        )
    if lone:
        more = f" ({counted(len(lone) - 1, 'other landmark')} as well)" if len(lone) > 1 else ""
        warn(
            f"{specimen}: {lone[0]} has {code:g} among its coordinates{more}. It is kept as a "
            "number; only three of them mean a missing landmark.",
            stacklevel=4,
        )
    return points


def point_array(points: Sequence[Sequence[float]], dimension: int = 3) -> FloatArray:
    """Points as an array of shape (m, d), also if there are none."""
    return np.array(points, dtype=np.float64).reshape(-1, dimension)


def digits(value: float) -> str:
    """The shortest decimals that read back as this very number, plain where that is short."""
    if value and not 1e-4 <= abs(value) < 1e16 and 1e-20 < abs(value) < 1e20:
        return str(np.format_float_positional(value, trim="0"))  # some readers know no exponent
    return repr(float(value))


def coordinate_rows(landmarks: Landmarks, missing: float | None = None) -> list[str]:
    """One line "x y z" per landmark; a missing one has the format's number three times, or NA."""
    if (landmarks.points == missing).all(axis=1).any():
        raise LandmarkFileError(
            f"{landmarks.specimen} has a landmark at {missing:g} {missing:g} {missing:g}, which "
            "means a missing one in this format. Use .csv or .tps."
        )
    absent = " ".join(["NA" if missing is None else f"{missing:.0f}"] * 3)
    return [
        absent if gone else " ".join(map(digits, each))
        for each, gone in zip(landmarks.points, landmarks.missing, strict=True)
    ]


def one_line(name: str) -> str:
    """A name without line breaks and control characters, and without space around it."""
    return printable(name).strip() or "_"


def printable(name: str) -> str:
    """A name with a space for line breaks, control characters and halves of characters."""
    return UNPRINTABLE.sub(" ", name)


def kept_names(
    names: Sequence[str], spelling: Callable[[str], str], format_name: str
) -> tuple[str, ...]:
    """Return names in the spelling that a format can hold, and say which had to change.

    Different names stay different: those of which the spelling would make one get numbers.
    """
    kept, together = _kept_apart(names, tuple(map(spelling, names)))
    if together:
        warn(f"{format_name} {ONE_NAME} {abbreviated(together)}: they get numbers.", stacklevel=4)
    changed = [f"'{old}' as '{new}'" for old, new in zip(names, kept, strict=True) if old != new]
    if changed:
        warn(f"{format_name} cannot hold every name: written {abbreviated(changed)}.", stacklevel=4)
    return kept


def _kept_apart(
    names: Sequence[str], spelled: tuple[str, ...]
) -> tuple[tuple[str, ...], list[str]]:
    """Spellings that differ where the names do, and which names one spelling would make equal."""
    if len(set(spelled)) == len(set(names)):
        return spelled, []
    pairs = list(zip(names, spelled, strict=True))
    owners = {name: name for name, spelling in pairs if name == spelling}  # of each spelling
    found: dict[str, str] = {}
    together: list[str] = []
    often: Counter[str] = Counter()
    taken = set(spelled)
    for name, spelling in pairs:
        if name in found:
            continue
        found[name] = spelling
        if owners.setdefault(spelling, name) != name:
            together.append(f"'{owners[spelling]}' and '{name}'")
            while found[name] in taken:
                often[spelling] += 1
                found[name] = f"{spelling}-{often[spelling] + 1}"
            taken.add(found[name])
    return tuple(found[name] for name in names), together


def are_numbers(labels: tuple[str, ...]) -> bool:
    """Tell whether the labels are not names but the numbers from 1."""
    return labels == tuple(str(i + 1) for i in range(len(labels)))


def even_count(collection: Sequence[Landmarks], format_name: str) -> int:
    """Return the number of landmarks, which must be the same on all specimens."""
    first = collection[0]
    for other in collection:
        if len(other) != len(first):
            raise LandmarkFileError(
                f"{format_name} needs the same landmarks on every specimen, but {first.specimen} "
                f"has {len(first)} and {other.specimen} has {len(other)}. Use .csv or .tps."
            )
    return len(first)


def full_names(names: Collection[str]) -> dict[str, str]:
    """Names as ``site/a`` by their last part, where only one has it."""
    ends = Counter(name.rpartition("/")[2] for name in names)
    return {end: name for name in names if ends[end := name.rpartition("/")[2]] == 1}
