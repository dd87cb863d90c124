# SPDX-License-Identifier: MIT
"""Who belongs to a sample and since when, so that nobody moves when others are added."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from gplandmark.collections.finding import HIDDEN
from gplandmark.files import write_whole

__all__ = ["Books", "read_books", "store_path", "write_books"]


@dataclass(frozen=True)
class Books:
    """The members of a sample.

    Attributes
    ----------
    reference : key of the reference
    members : fingerprint of the sampled scan of each specimen by its key, in their order
    together : how many of them were matched together; the rest was added one by one
    reflections : whether one may be the mirror image of another
    """

    reference: str
    members: Mapping[str, str]
    together: int
    reflections: bool = True

    def gone(self, now: Mapping[str, str]) -> list[str]:
        """Keys of members whose scans are no longer there, or not what they were."""
        return [key for key, mark in self.members.items() if now.get(key) != mark]


def store_path(output: Path) -> Path:
    """Where a folder of results keeps what its maps are made of."""
    return output / HIDDEN / "matching.sqlite"


def _path(output: Path) -> Path:
    return output / HIDDEN / "sample.json"


def read_books(output: Path) -> Books | None:
    """Return the members of an earlier run; None if there are none that can be read."""
    try:
        content = json.loads(_path(output).read_text(encoding="utf-8"))
        books = Books(
            content["reference"],
            dict(content["members"]),
            int(content["together"]),
            bool(content["reflections"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    is_sound = books.reference in books.members and 1 <= books.together <= len(books.members)
    return books if is_sound else None


def write_books(output: Path, books: Books) -> None:
    """Write the members."""
    write_whole({_path(output): json.dumps(asdict(books), indent=1) + "\n"})
