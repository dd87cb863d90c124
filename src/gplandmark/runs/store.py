# SPDX-License-Identifier: MIT
"""A file of results by name, which a run resumes from. It may come from somebody else."""

import hashlib
import sqlite3
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from gplandmark.errors import LandmarkFileError
from gplandmark.io.files import read_regular
from gplandmark.runs.stored_values import decoded, encoded

# At the end of a journal of SQLite that names another file, which SQLite would then remove.
NAMES_A_FILE = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"


def _check_files(path: Path) -> None:
    """Refuse links, and a journal of SQLite that names a file: ours never do.

    Raises
    ------
    LandmarkFileError
        The store is not what we wrote.
    """
    journals = [path.with_name(f"{path.name}-{end}") for end in ("journal", "wal", "shm")]
    for each in (path, *journals):
        try:
            content = read_regular(each)[-len(NAMES_A_FILE) :] if each in journals else b""
            is_strange = content == NAMES_A_FILE or each.is_symlink()
        except FileNotFoundError:
            is_strange = each.is_symlink()
        except OSError:
            is_strange = True
        if is_strange:
            raise LandmarkFileError.of(each, "was not written by gplandmark. Remove it.")


TABLE = "CREATE TABLE IF NOT EXISTS results (name TEXT PRIMARY KEY, digest BLOB, content BLOB)"
# A power cut may cost the file, which is then started again; a commit per result costs nothing.
PRAGMA = "PRAGMA synchronous = OFF"
RECENT = 64  # values that are kept in memory after they were read


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
        self.recent = lru_cache(RECENT)(self._required)

    def get(self, name: str) -> Any:
        """Return what is kept under a name; None if that is nothing that can be read."""
        try:
            found = self._database.execute(
                "SELECT digest, content FROM results WHERE name = ?", (name,)
            ).fetchone()
            is_whole = found is not None and hashlib.sha256(found[1]).digest() == found[0]
            value = decoded(found[1]) if is_whole else None
        except Exception:  # damaged, of another version or made up: it will be computed again
            return None
        if not is_whole:
            value = self._earlier and self._earlier.get(name)
            return None if value is None else self.put(name, value)
        self._used.add(name)
        return value

    def _required(self, name: str) -> Any:
        """Return what is kept under a name.

        Raises
        ------
        LandmarkFileError
            It cannot be read.
        """
        value = self.get(name)
        if value is None:
            raise self._unusable(sqlite3.DatabaseError("a part of it is gone"))
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
        if self._path is not None:
            _check_files(self._path)
        if self._readonly and self._path is not None:
            address = f"{self._path.absolute().as_uri()}?mode=ro"
            database = sqlite3.connect(address, uri=True, check_same_thread=False)
        else:
            database = sqlite3.connect(self._path or ":memory:")
            database.execute(PRAGMA)
            database.execute(TABLE)
        kinds = database.execute("SELECT type FROM sqlite_master WHERE sql NOT NULL").fetchall()
        if kinds != [("table",)]:
            raise sqlite3.DatabaseError("it has other things than a table of results")
        database.execute("SELECT name, digest, content FROM results LIMIT 1").fetchone()
        return database

    def _unusable(self, error: sqlite3.Error) -> LandmarkFileError:
        advice = "Run the command that wrote it again."
        if isinstance(error, sqlite3.OperationalError):
            advice = "Check the space on the disk, and whether another run has it."
        return LandmarkFileError(f"{self._path} cannot be used ({error}). {advice}")
