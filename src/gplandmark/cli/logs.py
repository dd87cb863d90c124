# SPDX-License-Identifier: MIT
"""The log of a run: a line for each specimen as it ends."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gplandmark.collections import Entry
from gplandmark.errors import LandmarkFileError

__all__ = ["logged"]


@contextmanager
def logged(path: Path) -> Iterator[Callable[[Entry], None]]:
    """Yield what writes the line of a specimen at the end of a file.

    Raises
    ------
    LandmarkFileError
        The file cannot be written.
    """
    try:
        file = path.open("a", encoding="utf-8", errors="replace")
    except OSError as error:
        raise LandmarkFileError(f"{path} cannot be written ({error.strerror}).") from None

    def tell(entry: Entry) -> None:
        words = f"done    {entry.key}" if entry.is_done else f"failed  {entry.key}: {entry.reason}"
        now = time.strftime("%Y-%m-%d %H:%M:%S")
        file.write(f"{now}  {words}  ({entry.seconds:.2f} s)\n")
        file.flush()

    with file:
        yield tell
