# SPDX-License-Identifier: MIT
"""The landmark file that an editor writes: checks, saving, and a lock against other editors."""

from pathlib import Path

from gplandmark.errors import LandmarkFileError
from gplandmark.io.files import check_writable
from gplandmark.io.landmark_formats.formats import check_dimension, writer_of
from gplandmark.io.locks import Lock, holder_of
from gplandmark.io.overwrite import check_own_landmarks, why_not_own
from gplandmark.io.write_landmarks import write
from gplandmark.mesh.surface import Surface
from gplandmark.visual.editor.editor import Editor


def lock_path(output: Path) -> Path:
    """``.tooth.mrk.json.lock`` beside ``tooth.mrk.json``."""
    return output.with_name(f".{output.name}.lock")


def lock_output(output: Path) -> Lock:
    """Lock an output against other editors.

    Raises
    ------
    LandmarkFileError
        Another editor holds it, or it cannot be locked.
    """
    path = lock_path(output)
    try:
        return Lock(path)
    except BlockingIOError:
        raise LandmarkFileError(
            f"{output} is being edited by {holder_of(path)}. Close it first, or choose another "
            "output."
        ) from None
    except OSError as error:
        raise LandmarkFileError(
            f"{output} cannot be locked by {path.name} beside it ({error.strerror or error}). "
            "Choose another folder."
        ) from None


def is_locked(output: Path) -> bool:
    """Whether an editor, here or in another program, holds the lock of an output."""
    path = lock_path(output)
    if not path.exists():
        return False
    try:
        Lock(path).release()
    except BlockingIOError:
        return True
    except OSError:  # e.g. a disk that is read-only: nobody edits there
        return False
    return False


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
