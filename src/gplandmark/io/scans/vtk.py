# SPDX-License-Identifier: MIT
"""Legacy VTK files of polydata, ascii and binary.

The VTK library ends the program at some damaged files, so we read this ourselves.
"""

import re
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from gplandmark.io.scans.content import (
    Content,
    DamagedError,
    check_fits,
    numbers_in_text,
    space_tag,
)
from gplandmark.io.scans.polygons import faces_in_turn, strip_triangles, triangulated
from gplandmark.numerics.arrays import FloatArray, IndexArray

KINDS = {
    "char": "i1", "unsigned_char": "u1", "short": "i2", "unsigned_short": "u2", "int": "i4",
    "unsigned_int": "u4", "long": "i8", "unsigned_long": "u8", "float": "f4", "double": "f8",
    "vtktypeint64": "i8", "vtkidtype": "i4",
}  # fmt: skip
HEAD = re.compile(
    rb"# vtk DataFile Version[^\r\n]*(?:\r\n|\r|\n)[^\r\n]*(?:\r\n|\r|\n)"
    rb"\s*(ASCII|BINARY)\s+DATASET\s+(\w+)\s*[\r\n]",
    re.IGNORECASE,
)
LINE = re.compile(rb"[^\n]*\n?")
WORD = re.compile(rb"\S+")
KEYWORD = re.compile(rb"^[ \t]*[A-Z_]{4,}", re.MULTILINE)
STRINGS = ("string", "utf8_string")
CELLS = ("VERTICES", "LINES", "POLYGONS", "TRIANGLE_STRIPS")

Lists = tuple[IndexArray, IndexArray]  # sizes and corners
NOTHING: Lists = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def read_vtk(content: bytes) -> Content:
    """Points, and the triangles of polygons and strips."""
    body = _body(content)
    points, cells = np.zeros((0, 3)), dict.fromkeys(CELLS, NOTHING)
    while words := body.words():
        match words:
            case ["POINTS", count, kind]:
                points = body.values(kind, 3 * int(count)).reshape(-1, 3)
            case [("VERTICES" | "LINES" | "POLYGONS" | "TRIANGLE_STRIPS") as name, count, size]:
                cells[name] = _cells(body, int(count), int(size))
            case ["METADATA", *_]:
                body.skip_metadata()
            case ["FIELD", _, count]:
                _skip_fields(body, int(count))
            case _:
                break  # data of points and faces, which come last
    found = polydata(points, cells["POLYGONS"], cells["TRIANGLE_STRIPS"])
    return replace(found, system=body.system)


def polydata(points: FloatArray, polygons: Lists, strips: Lists) -> Content:
    """Polygons and strips as triangles."""
    triangles, notes = triangulated(points, *polygons)
    sizes, corners = strips
    more = strip_triangles(np.insert(corners, np.cumsum(sizes), -1), len(points))
    return Content(points, np.concatenate([triangles, more]), notes)


@dataclass
class Body:
    """A place in the file, and what can be read from there."""

    content: bytes
    place: int
    is_text: bool
    system: str | None = None

    def words(self) -> list[str]:
        """Words of the next line that has any; none at the end of the file."""
        while self.place < len(self.content):
            line = LINE.match(self.content, self.place)
            assert line is not None
            self.place = line.end()
            if words := line.group().decode("latin-1").split():
                return [words[0].upper(), *words[1:]]
        return []

    def values(self, kind: str, count: int) -> FloatArray:
        """The next numbers, of a kind that VTK knows."""
        size = self._check_numbers(kind, count)
        if self.is_text:
            following = KEYWORD.search(self.content, self.place)
            end = len(self.content) if following is None else following.start()
            found = numbers_in_text(self.content[self.place : end])
            self.place = end
            if len(found) < count:
                raise DamagedError(
                    f"it is damaged or cut short: {len(found):,} of {count:,} numbers"
                )
            return found[:count]
        kind = ">" + KINDS[kind.lower()]
        found = np.frombuffer(self.content, kind, count, self.place).astype(np.float64)
        self.place += count * size
        return found

    def _check_numbers(self, kind: str, count: int) -> int:
        """Fewest bytes of each."""
        if kind.lower() not in KINDS:
            raise DamagedError(f"it has numbers of the kind '{kind[:20]}'")
        size = 1 if self.is_text else int(KINDS[kind.lower()][1])
        check_fits(count, size, len(self.content) - self.place, "numbers")
        return size

    def skip(self, kind: str, count: int) -> None:
        """Go behind values of a field."""
        if kind.lower() in STRINGS:
            check_fits(count, 1, len(self.content) - self.place, "strings")
            for _ in range(count):
                self._skip_string()
            return
        size = self._check_numbers(kind, count)
        if not self.is_text:
            self.place += count * size
        elif count:  # not up to the next keyword, for names of fields may be any words
            word = next(islice(WORD.finditer(self.content, self.place), count - 1, None), None)
            self.place = len(self.content) if word is None else word.end()

    def _skip_string(self) -> None:
        """A line of text; or bytes behind their number, whose first two bits give its own size."""
        if self.is_text:
            line = LINE.match(self.content, self.place)
            assert line is not None
            self.place = line.end()
            return
        first = int.from_bytes(self.content[self.place : self.place + 1], "big")
        size = (8, 4, 2, 1)[first >> 6]
        number = int.from_bytes(self.content[self.place : self.place + size], "big")
        length = number & ((1 << (8 * size - 2)) - 1)
        self.place += size
        check_fits(length, 1, len(self.content) - self.place, "characters")
        self.place += length

    def skip_metadata(self) -> None:
        """Go behind the next empty line."""
        end = self.content.find(b"\n\n", self.place - 1)
        self.place = len(self.content) if end < 0 else end + 2


def _body(content: bytes) -> Body:
    """What follows the header; text with its lines ended alike."""
    head = HEAD.match(content)
    if head is None:
        raise DamagedError("it does not begin with the header of a legacy VTK file")
    if head.group(2).upper() != b"POLYDATA":
        kind = head.group(2).decode("latin-1")
        raise DamagedError(f"it holds a dataset of the kind {kind}, and a surface is POLYDATA")
    system = space_tag(head.group())
    if head.group(1).upper() == b"BINARY":
        return Body(content, head.end(), is_text=False, system=system)
    text = content[head.end() :].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return Body(text, 0, is_text=True, system=system)


def _cells(body: Body, count: int, size: int) -> Lists:
    start = body.place
    match body.words():
        case ["OFFSETS", kind]:  # version 5: offsets and corners are separate
            offsets = body.values(kind, count).astype(np.int64)
            match body.words():
                case ["CONNECTIVITY", corner_kind]:
                    corners = body.values(corner_kind, size).astype(np.int64)
                    return np.diff(offsets), corners[: offsets[-1] if count else 0]
            raise DamagedError("it has offsets of faces but no corners")
    body.place = start
    return faces_in_turn(body.values("int", size), count)


def _skip_fields(body: Body, count: int) -> None:
    for _ in range(count):
        match body.words():
            case [_, components, tuples, kind]:
                body.skip(kind, int(components) * int(tuples))
            case _:
                raise DamagedError("it has a field that cannot be read")
        behind = body.place
        if body.words()[:1] == ["METADATA"]:
            body.skip_metadata()
        else:
            body.place = behind
