# SPDX-License-Identifier: MIT
"""Results as bytes: plain values, arrays and a few dataclasses, and nothing that could run.

A header in JSON has the shape of the value; the contents of arrays follow it. Folders of results
are passed around, so that reading one must never do more than make what `CLASSES` lists.
"""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from gplandmark.errors import LandmarkFileError
from gplandmark.landmarks import Landmarks, Record
from gplandmark.mesh.surface import Numbers, Source, Surface
from gplandmark.morphometrics.matching.deformation import Deformation
from gplandmark.morphometrics.matching.points import OrientedPoints, SampledSurface
from gplandmark.morphometrics.matching.pose_search import Alignment
from gplandmark.morphometrics.matching.registration import Pose

Class = TypeVar("Class", bound=type)

# Names in files stay what they are when a class is renamed here.
CLASSES: dict[str, type] = {
    "Alignment": Alignment,
    "Deformation": Deformation,
    "Landmarks": Landmarks,
    "Numbers": Numbers,
    "Points": OrientedPoints,
    "Pose": Pose,
    "Record": Record,
    "Sampled": SampledSurface,
    "Source": Source,
    "Surface": Surface,
}
KINDS = "biuf"  # of arrays: truth values, integers, floats
LENGTH = 8  # bytes for the length of the header


def storable(name: str) -> Callable[[Class], Class]:
    """Return a decorator that lets a store keep a dataclass, under a name in its files."""

    def register(kind: Class) -> Class:
        CLASSES[name] = kind
        return kind

    return register


def encoded(value: Any) -> bytes:
    """Return a value as bytes, which `decoded` takes.

    Raises
    ------
    TypeError
        It holds something else than plain values, arrays of numbers and `CLASSES`.
    """
    contents: list[bytes] = []
    header = json.dumps(_outline(value, contents)).encode()
    return len(header).to_bytes(LENGTH, "little") + header + b"".join(contents)


def decoded(content: bytes) -> Any:
    """Return the value that bytes stand for.

    Raises
    ------
    ValueError, TypeError, KeyError
        They do not come from `encoded`.
    """
    length = int.from_bytes(content[:LENGTH], "little")
    start = LENGTH + length
    outline = json.loads(content[LENGTH:start])
    return _Reader(memoryview(content)[start:]).value(outline)


def _outline(value: Any, contents: list[bytes]) -> Any:
    """The value as JSON: plain ones as they are, all others as a list that begins with a kind."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, bytes):
        contents.append(value)
        return ["bytes", len(value)]
    if isinstance(value, np.ndarray) and value.dtype.kind in KINDS:
        contents.append(value.tobytes())
        return ["array", value.dtype.str, list(value.shape)]
    if isinstance(value, (tuple, list)):
        return [type(value).__name__, [_outline(each, contents) for each in value]]
    if isinstance(value, Mapping):
        return ["map", {str(name): _outline(each, contents) for name, each in value.items()}]
    name = next((name for name, kind in CLASSES.items() if kind is type(value)), None)
    if name is None:
        raise TypeError(f"A result cannot hold a {type(value).__name__}.")
    parts = {each.name: getattr(value, each.name) for each in fields(value)}
    return [name, {part: _outline(each, contents) for part, each in parts.items()}]


class _Reader:
    """Reads the contents in the order in which they were written."""

    def __init__(self, contents: memoryview) -> None:
        self.contents = contents
        self.at = 0

    def value(self, outline: Any) -> Any:
        if not isinstance(outline, list):
            return outline
        kind, *rest = outline
        if kind == "bytes":
            return bytes(self.take(int(rest[0])))
        if kind == "array":
            return self.array(*rest)
        if kind in ("tuple", "list"):
            values = [self.value(each) for each in rest[0]]
            return tuple(values) if kind == "tuple" else values
        parts = {str(name): self.value(each) for name, each in rest[0].items()}
        return parts if kind == "map" else CLASSES[kind](**parts)

    def array(self, code: str, shape: list[int]) -> Any:
        dtype = np.dtype(code)
        if dtype.kind not in KINDS or min(shape, default=0) < 0:
            raise ValueError(f"An array of kind {code} and shape {shape} is none of ours.")
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        return np.frombuffer(self.take(size), dtype).reshape(shape).copy()

    def take(self, size: int) -> memoryview:
        part = self.contents[self.at : self.at + size]
        if len(part) < size:
            raise ValueError("The contents end too early.")
        self.at += size
        return part


TABLE = "CREATE TABLE IF NOT EXISTS results (name TEXT PRIMARY KEY, digest BLOB, content BLOB)"
# A power cut may cost the file, which is then started again; a commit per result costs nothing.
PRAGMA = "PRAGMA synchronous = OFF"


class Store:
    """A file of results; without a path it lives in memory, and `readonly` it never changes.

    What it lacks is taken over from another store, `earlier`, if there is one.

    Raises
    ------
    LandmarkFileError
        The file cannot be opened, or another program holds it.
    """

    def __init__(
        self, path: Path | None = None, *, readonly: bool = False, earlier: Any = None
    ) -> None:
        self._path, self._readonly, self._earlier = path, readonly, earlier
        self._used: set[str] = set()
        self._database = self._opened()

    def get(self, name: str) -> Any:
        """Return what is kept under a name; None if that is nothing that can be read."""
        try:
            found = self._database.execute(
                "SELECT digest, content FROM results WHERE name = ?", (name,)
            ).fetchone()
            if found is None or hashlib.sha256(found[1]).digest() != found[0]:
                value = self._earlier and self._earlier.get(name)
                return None if value is None else self.put(name, value)
            value = decoded(found[1])
        except (sqlite3.DatabaseError, ValueError, TypeError, KeyError, AttributeError):
            return None  # damaged, or of another version: it will be computed again
        self._used.add(name)
        return value

    def put(self, name: str, value: Any) -> Any:
        """Keep a value, and return it.

        Raises
        ------
        LandmarkFileError
            There is no room for it.
        """
        content = encoded(value)
        row = (name, hashlib.sha256(content).digest(), content)
        try:
            self._insert(row)
        except sqlite3.OperationalError as error:
            raise self._unusable(error) from None
        except sqlite3.DatabaseError:
            self._database.close()
            self._database = self._started_again()
            self._insert(row)
        self._used.add(name)
        return value

    def forget_others(self) -> None:
        """Drop what was not used since the store was opened, as far as there is room for it."""
        with suppress(sqlite3.Error):
            names = [row[0] for row in self._database.execute("SELECT name FROM results")]
            old = [(name,) for name in names if name not in self._used]
            if old:
                self._database.executemany("DELETE FROM results WHERE name = ?", old)
                self._database.commit()
                self._database.execute("VACUUM")

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _insert(self, row: tuple[str, bytes, bytes]) -> None:
        with self._database:
            self._database.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", row)

    def _opened(self) -> sqlite3.Connection:
        """Open the file; one that is damaged is started again, for it holds only saved work."""
        try:
            return self._connected()
        except sqlite3.OperationalError as error:
            raise self._unusable(error) from None
        except sqlite3.DatabaseError as error:
            if self._readonly:
                raise self._unusable(error) from None
            return self._started_again()

    def _started_again(self) -> sqlite3.Connection:
        if self._path is not None:
            self._path.unlink(missing_ok=True)
        return self._connected()

    def _connected(self) -> sqlite3.Connection:
        if self._readonly and self._path is not None:
            address = f"{self._path.absolute().as_uri()}?mode=ro"
            database = sqlite3.connect(address, uri=True)
        else:
            database = sqlite3.connect(self._path or ":memory:")
            database.execute(PRAGMA)
            database.execute(TABLE)
        database.execute("SELECT name, digest, content FROM results LIMIT 1").fetchone()
        return database

    def _unusable(self, error: sqlite3.Error) -> LandmarkFileError:
        return LandmarkFileError(
            f"{self._path} cannot be used ({error}). Check the space on the disk, and whether "
            "another run has it."
        )
