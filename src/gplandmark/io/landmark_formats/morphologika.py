# SPDX-License-Identifier: MIT
"""Morphologika, ``.txt``: for Morphologika, geomorph, MorphoJ and the EVAN toolbox.

Sections ``[individuals]``, ``[landmarks]``, ``[dimensions]``, ``[names]`` and ``[rawpoints]``; in
the last a line that starts with ``'`` opens each specimen. geomorph looks for the names of the
sections in every line, and takes ``"`` for a comment: names of specimens are written without
them. A missing landmark is 9999 9999 9999; a blank line where a landmark should be is one too.
"""

import re
from collections.abc import Sequence

from gplandmark.errors import LandmarkFileError, warn
from gplandmark.io.formatting import (
    MISSING,
    coded_points,
    coordinate_rows,
    count,
    counted,
    even_count,
    kept_names,
    lines,
    one_line,
)
from gplandmark.io.homology import SHORT, mark_for
from gplandmark.landmarks import Landmarks
from gplandmark.numerics.arrays import FloatArray

SECTION = re.compile(r"\[\s*(\w+)\s*\]")
WORDS = re.compile("individuals|landmarks|dimensions|names|label|wireframe|rawpoints", re.I)
NUMBERED = re.compile(r"#\d+\b")
Rows = list[tuple[int, str]]


def text(collection: Sequence[Landmarks]) -> str:
    """Content of a Morphologika file with all specimens."""
    landmark_count = even_count(collection, "Morphologika")
    names = kept_names([each.specimen for each in collection], _spelling, "Morphologika")
    rows = ["[individuals]", str(len(collection)), "[landmarks]", str(landmark_count)]
    rows += ["[dimensions]", "3", "[names]", *names, "[rawpoints]"]
    mark = f" {SHORT}" if mark_for(collection) else ""
    for place, landmarks in enumerate(collection, start=1):
        rows.append(f"'#{place}{mark if place == 1 else ''}")  # readers skip what follows the '
        rows += coordinate_rows(landmarks, MISSING)
    return "\n".join(rows) + "\n"


def _spelling(name: str) -> str:
    name = re.sub(r"[\"\[\]]", "_", one_line(name))
    name = WORDS.sub(lambda word: f"{word[0][:-1]}_{word[0][-1]}", name)
    return re.sub("^'", "_", name)


def parse(content: str, specimen: str) -> tuple[Landmarks, ...]:
    """Every specimen of a Morphologika file; groups, labels and wireframes are left out."""
    sections = _sections(content)
    raw = sections.get("rawpoints", [])
    specimens = _promise(sections, "individuals", len(raw))
    landmark_count = _promise(sections, "landmarks", len(raw) // max(specimens, 1))
    if _promise(sections, "dimensions", 3) != 3:
        raise LandmarkFileError("its landmarks lie in the plane; only those in space can be read.")
    blocks = _blocks(raw, specimens, landmark_count)
    names = [line for _, line in sections.get("names", []) if line]
    if len(names) != specimens:
        names = _other_names(raw, specimens, len(names), specimen)
    return tuple(
        Landmarks.at(_points(block, landmark_count, name), name)
        for name, block in zip(names, blocks, strict=True)
    )


def _other_names(raw: Rows, specimens: int, named: int, specimen: str) -> list[str]:
    """Names from the lines that open the specimens, or after the file: [names] does not fit."""
    openers = [line[1:].strip() for _, line in raw if line.startswith("'")]
    given = [name for name in openers if name and not NUMBERED.match(name)]
    if given == openers and len(set(given)) == specimens:
        names, source = given, "those of [rawpoints] are taken"
    else:
        names = [specimen] if specimens == 1 else [f"{specimen}-{i + 1}" for i in range(specimens)]
        source = f"they are called after the file, {names[0]}" if names else "it is left out"
    if named:
        warn(
            f"{specimen}: [names] has {counted(named, 'name')} for "
            f"{counted(specimens, 'specimen')}; {source}.",
            stacklevel=4,
        )
    return names


def _sections(content: str) -> dict[str, Rows]:
    sections: dict[str, Rows] = {}
    current: Rows = []
    for place, line in enumerate(lines(content), start=1):
        line = line.strip()
        if found := SECTION.fullmatch(line):
            current = sections.setdefault(found[1].lower(), [])
        else:
            current.append((place, line))
    return sections


def _promise(sections: dict[str, Rows], name: str, at_most: int) -> int:
    values = [row for row in sections.get(name, []) if row[1]]
    if not values:
        raise LandmarkFileError(f"this is not a Morphologika file: it has no section [{name}].")
    return count(values[0][1], f"line {values[0][0]}, under [{name}],", at_most)


def _blocks(raw: Rows, specimens: int, landmark_count: int) -> list[Rows]:
    """Rows of each specimen; without lines that open them, they follow each other."""
    if not any(line.startswith("'") for _, line in raw):
        rows = [row for row in raw if row[1]]
        return [rows[i * landmark_count :][:landmark_count] for i in range(specimens)]
    blocks: list[Rows] = []
    for row in raw:
        if row[1].startswith("'"):
            blocks.append([])
        elif blocks:
            blocks[-1].append(row)
    if len(blocks) != specimens:
        raise LandmarkFileError(
            f"[individuals] declares {specimens} specimens, but [rawpoints] has {len(blocks)}. "
            "The file is damaged or cut short."
        )
    return blocks


def _points(block: Rows, landmark_count: int, name: str) -> FloatArray:
    rows = [row for row in block if row[1]]
    filled = len(rows)
    if filled < landmark_count and not any(line for _, line in block[landmark_count:]):
        rows = block[:landmark_count]  # a blank line stands for a missing landmark
    if len(rows) != landmark_count:
        raise LandmarkFileError(
            f"{name} has {filled} landmarks, expected {landmark_count}. "
            "The file is damaged or cut short."
        )
    words = [(f"line {place}", line.split() or [""] * 3) for place, line in rows]
    return coded_points(words, MISSING, name, declared=False)
