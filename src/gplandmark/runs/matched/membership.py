# SPDX-License-Identifier: MIT
"""Who belongs to a sample and since when, so that nobody moves when others are added."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from gplandmark.io.files import write_atomically
from gplandmark.runs.discover import HIDDEN

__all__ = ["Books", "read_books", "store_path", "write_books"]


@dataclass(frozen=True)
class Books:
    """The members of a sample.

    Attributes
    ----------
    reference : key of the reference
    members : for each specimen by its key, in their order, a mark of what its scan holds and how
        that is cleaned
    kept : the name under which the store has each of them
    together : how many of them were matched together; the rest was added one by one
    reflections : whether one may be the mirror image of another
    version : of gplandmark, that computed them
    """

    reference: str
    members: Mapping[str, str]
    kept: Mapping[str, str]
    together: int
    reflections: bool
    version: str

    def gone(self, now: Mapping[str, str]) -> list[str]:
        """Keys of members whose scans are no longer there, or not what they were."""
        return [key for key, mark in self.members.items() if now.get(key) != mark]

    def is_sound(self) -> bool:
        """Tell whether all parts fit together."""
        return (
            self.reference in self.members
            and set(self.kept) == set(self.members)
            and 1 <= self.together <= len(self.members)
        )


def store_path(output: Path) -> Path:
    """Where a folder of results keeps what its maps are made of."""
    return output / HIDDEN / "matching.sqlite"


def _path(output: Path) -> Path:
    return output / HIDDEN / "sample.json"


def read_books(output: Path) -> Books | None:
    """Return the members of an earlier run; None if there are none that can be read."""
    try:
        books = Books(**json.loads(_path(output).read_text(encoding="utf-8")))
        return books if books.is_sound() else None
    except (OSError, ValueError, TypeError):
        return None


def write_books(output: Path, books: Books) -> None:
    """Write the members."""
    write_atomically({_path(output): json.dumps(asdict(books), indent=1) + "\n"})
