# SPDX-License-Identifier: MIT
"""Results of jobs, kept in one file by their fingerprints: what was done once is not done again."""

import io
import pickle
import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from gplandmark.errors import LandmarkFileError

__all__ = ["Store"]

COMMITTED = 1.0  # seconds of work that a power cut may cost
TABLE = "CREATE TABLE IF NOT EXISTS results (name TEXT PRIMARY KEY, content BLOB)"
OURS = {
    "gplandmark.cleaning.report": ("Report",),
    "gplandmark.landmarks.between": ("SurfacePoint",),
    "gplandmark.landmarks.landmarks": ("Landmarks",),
    "gplandmark.landmarks.record": ("Record",),
    "gplandmark.matching.candidates": ("Alignment",),
    "gplandmark.matching.deformation": ("Deformation",),
    "gplandmark.matching.points": ("Points", "Sampled"),
    "gplandmark.matching.rigid": ("Pose",),
    "gplandmark.samples.landing": ("Landed",),
    "gplandmark.samples.scans": ("Ready",),
    "gplandmark.surface": ("Numbers", "Source", "Surface"),
    "numpy": ("dtype", "ndarray"),
    "numpy._core.multiarray": ("_reconstruct", "scalar"),
    "numpy._core.numeric": ("_frombuffer",),
}
"""What a result may be made of. Folders of results are passed around: a store that holds anything
else, which could run a stranger's program, is not read."""


class Store:
    """A file of results; without a path it lives in memory."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._used: set[str] = set()
        self._database = self._opened()
        self._committed = time.monotonic()

    def get(self, name: str) -> Any:
        """Return what is kept under a name; None if that is nothing that can be read."""
        with suppress(sqlite3.DatabaseError, pickle.UnpicklingError, EOFError, AttributeError):
            found = self._database.execute("SELECT content FROM results WHERE name = ?", (name,))
            row = found.fetchone()
            if row is not None:
                value = _Reader(io.BytesIO(row[0])).load()
                self._used.add(name)
                return value
        return None

    def put(self, name: str, value: Any) -> None:
        """Keep a value.

        Raises
        ------
        LandmarkFileError
            There is no room for it.
        """
        row = (name, pickle.dumps(value, protocol=5))
        try:
            self._database.execute("INSERT OR REPLACE INTO results VALUES (?, ?)", row)
            if time.monotonic() - self._committed > COMMITTED:
                self._database.commit()
                self._committed = time.monotonic()
        except sqlite3.Error as error:
            raise LandmarkFileError(
                f"{self._path} cannot be written ({error}). Check the space on the disk."
            ) from None
        self._used.add(name)

    def forget_others(self) -> None:
        """Drop what nobody asked for since the store was opened."""
        names = [row[0] for row in self._database.execute("SELECT name FROM results")]
        old = [(name,) for name in names if name not in self._used]
        if old:
            self._database.executemany("DELETE FROM results WHERE name = ?", old)
            self._database.commit()
            self._database.execute("VACUUM")

    def close(self) -> None:
        """Write everything through, and close the file."""
        with suppress(sqlite3.Error):
            self._database.commit()
        self._database.close()

    def _opened(self) -> sqlite3.Connection:
        """Open the file; one that is damaged is begun anew, for it holds only saved work."""
        for attempt in (1, 2):
            try:
                database = sqlite3.connect(self._path or ":memory:")
                database.execute(TABLE)
                database.execute("SELECT count(*) FROM results").fetchone()
                return database
            except sqlite3.DatabaseError as error:
                if attempt == 2 or self._path is None:
                    raise LandmarkFileError(f"{self._path} cannot be used ({error}).") from None
                with suppress(OSError):
                    self._path.unlink()
        raise AssertionError("unreachable")


class _Reader(pickle.Unpickler):
    """Reads results, and nothing that is not in `OURS`."""

    def find_class(self, module: str, name: str) -> Any:
        if name not in OURS.get(module, ()):
            raise pickle.UnpicklingError(f"{module}.{name} is no part of a result")
        return super().find_class(module, name)
