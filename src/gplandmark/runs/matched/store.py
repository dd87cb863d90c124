# SPDX-License-Identifier: MIT
"""Results of jobs, kept in one file by their fingerprints: what was done once is not done again."""

import hashlib
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

from gplandmark.errors import LandmarkFileError
from gplandmark.runs.matched.encoding import decoded, encoded

__all__ = ["Store"]

TABLE = "CREATE TABLE IF NOT EXISTS results (name TEXT PRIMARY KEY, digest BLOB, content BLOB)"
# A power cut may cost the file, which is then begun anew; a commit for each result costs nothing.
PRAGMA = "PRAGMA synchronous = OFF"


class Store:
    """A file of results; without a path it lives in memory, and `readonly` it never changes.

    Raises
    ------
    LandmarkFileError
        The file cannot be opened, or another program holds it.
    """

    def __init__(self, path: Path | None = None, *, readonly: bool = False) -> None:
        self._path, self._readonly = path, readonly
        self._used: set[str] = set()
        self._database = self._opened()

    def get(self, name: str) -> Any:
        """Return what is kept under a name; None if that is nothing that can be read."""
        try:
            found = self._database.execute(
                "SELECT digest, content FROM results WHERE name = ?", (name,)
            ).fetchone()
            if found is None or hashlib.sha256(found[1]).digest() != found[0]:
                return None
            value = decoded(found[1])
        except (sqlite3.DatabaseError, ValueError, TypeError, KeyError, AttributeError):
            return None  # damaged, or of another version: it will be computed again
        self._used.add(name)
        return value

    def put(self, name: str, value: Any) -> None:
        """Keep a value.

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
            self._database = self._begun_anew()
            self._insert(row)
        self._used.add(name)

    def forget_others(self) -> None:
        """Drop what nobody asked for since the store was opened, as far as there is room for it."""
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
        """Open the file; one that is damaged is begun anew, for it holds only saved work."""
        try:
            return self._connected()
        except sqlite3.OperationalError as error:
            raise self._unusable(error) from None
        except sqlite3.DatabaseError as error:
            if self._readonly:
                raise self._unusable(error) from None
            return self._begun_anew()

    def _begun_anew(self) -> sqlite3.Connection:
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
