# SPDX-License-Identifier: MIT
"""Locks against other programs, as hidden files that say who holds them.

The operating system holds a lock and drops it when the program ends, however it ends: a lock file
that a killed program left behind is free.
"""

import json
import os
import re
import socket
import sys
from contextlib import suppress
from pathlib import Path

from gplandmark.numerics.safe_files import hold, is_at, open_regular


class Lock:
    """A lock, from now until `release` or the end of the program.

    Raises
    ------
    BlockingIOError
        Another program holds it.
    OSError
        It cannot be made there, e.g. because its name is that of a link.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = self._taken()

    def release(self) -> None:
        """Release the lock, and remove its file."""
        if self._file is None:
            return
        file, self._file = self._file, None
        if sys.platform == "win32":
            os.close(file)  # an open file cannot be removed there
            with suppress(OSError):
                self._path.unlink()
        else:
            self._path.unlink(missing_ok=True)
            os.close(file)

    def _taken(self) -> int:
        while True:
            file = open_regular(self._path, os.O_RDWR | os.O_CREAT)
            try:
                hold(file)
                if is_at(file, self._path):
                    _sign(file)
                    return file
            except OSError:
                os.close(file)
                raise
            os.close(file)  # its holder removed it just now


def _sign(file: int) -> None:
    """Write who holds the lock, unless that would change a file that has another name, too."""
    if os.fstat(file).st_nlink == 1:
        os.ftruncate(file, 0)
        holder = {"process": os.getpid(), "machine": socket.gethostname()}
        os.write(file, f"{json.dumps(holder)}\n".encode())


def holder_of(path: Path) -> str:
    """Say who holds a lock: "process 12 on desk", or "another program" if that is not known."""
    try:
        with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
            holder = json.loads(file.read(1000))
        machine = re.sub(r"[^\w.-]", "", str(holder["machine"])[:64])
        return f"process {int(holder['process'])} on {machine}"
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return "another program"
