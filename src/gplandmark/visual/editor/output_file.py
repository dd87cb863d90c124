# SPDX-License-Identifier: MIT
"""The landmark file that an editor writes: checks, saving, and a lock against other editors.

The operating system holds the lock and drops it when the program ends, however it ends: a lock
file that a killed program left behind is free.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

from gplandmark.errors import LandmarkFileError
from gplandmark.io.files import check_writable
from gplandmark.io.landmark_files import check_dimension, writer_of
from gplandmark.io.overwrite import check_own_landmarks, why_not_own
from gplandmark.io.write_landmarks import write
from gplandmark.mesh.surface import Surface
from gplandmark.visual.editor.editor import Editor

if sys.platform == "win32":
    import msvcrt

    BEYOND = 2**30  # what is locked cannot be read, so that the number of the process comes before

    def _hold(file: int) -> None:
        os.lseek(file, BEYOND, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _hold(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def lock_path(output: Path) -> Path:
    """``.tooth.mrk.json.lock`` beside ``tooth.mrk.json``."""
    return output.with_name(f".{output.name}.lock")


class Lock:
    """A lock on an output, from now until `release` or the end of the program.

    Raises
    ------
    LandmarkFileError
        Another editor holds it, or it cannot be made.
    """

    def __init__(self, output: Path) -> None:
        self._path = lock_path(output)
        try:
            self._file: int | None = self._taken()
        except (BlockingIOError, PermissionError):
            raise LandmarkFileError(_held(output, self._path)) from None
        except OSError as error:
            raise LandmarkFileError(
                f"{output} cannot be locked ({error.strerror or error}). Choose another folder."
            ) from None

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
            file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                _hold(file)
                if _is_at(file, self._path):
                    os.ftruncate(file, 0)
                    os.lseek(file, 0, os.SEEK_SET)
                    os.write(file, f"{os.getpid()}\n".encode())
                    return file
            except OSError:
                os.close(file)
                raise
            os.close(file)  # its holder removed it just now


def _is_at(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


def _held(output: Path, path: Path) -> str:
    try:
        process = f"process {int(path.read_text())}"
    except (OSError, ValueError):
        process = "another program"
    return f"{output} is being edited by {process}. Close it first, or choose another output."


def check_output(output: str | Path, surface: Surface, *, force: bool = False) -> None:
    """Refuse an output for landmarks of a surface before any work goes into it.

    Raises
    ------
    LandmarkFileError
        Its extension is none that we write, or is for points in space only; its folder is not
        writable; or, unless `force`, it exists and was not written by gplandmark for this specimen,
        or a record beside it belongs to something else.
    """
    path = Path(output)
    writer_of(path)
    check_dimension(path, surface.points.shape[1])
    check_writable(path)
    if not force:
        check_own_landmarks(path, surface.name, by_hand=True)


def why_ask(output: str | Path, surface: Surface) -> str:
    """Why a person must agree before an output is replaced, in one sentence; empty if not."""
    return why_not_own(Path(output), surface.name, by_hand=True)


def save(editor: Editor, output: str | Path, *, force: bool = False) -> tuple[Path, Path]:
    """Write the landmarks and their record, either both or neither; returns the two paths.

    Raises
    ------
    LandmarkFileError
        As `check_output`; or the format cannot hold the landmarks.
    """
    check_output(output, editor.surface, force=force)
    written = write(editor.landmarks(), output, overwrite=True)
    editor.history.saved = editor.state
    return written
