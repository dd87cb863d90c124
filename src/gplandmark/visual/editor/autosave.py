# SPDX-License-Identifier: MIT
"""A hidden file beside the output that holds every edit until the landmarks are saved."""

import hashlib
import json
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gplandmark.errors import LandmarkFileError
from gplandmark.io.files import check_writable, content_of, write_atomically
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.safe_files import remove_abandoned
from gplandmark.visual.editor.history import History, history_of, text_of
from gplandmark.visual.editor.output_file import lock_output

VERSION = 1
DAMAGED = (
    ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError, RecursionError,
    zlib.error,
)  # fmt: skip


def autosave_path(output: Path) -> Path:
    """``.tooth.mrk.json.autosave`` beside ``tooth.mrk.json``."""
    return output.with_name(f".{output.name}.autosave")


def surface_fingerprint(surface: Surface) -> str:
    """SHA-256 of the points and triangles of a surface, whatever file they came from."""
    content = hashlib.sha256(np.ascontiguousarray(surface.points, dtype="<f8").tobytes())
    if surface.triangles is not None:
        content.update(np.ascontiguousarray(surface.triangles, dtype="<i8").tobytes())
    return content.hexdigest()


@dataclass(frozen=True)
class Recovered:
    """A history to continue, or None; and a sentence for the user, empty without an autosave."""

    history: History | None = None
    sentence: str = ""


def recover(output: str | Path, surface: Surface) -> Recovered:
    """Look for unsaved edits of exactly this surface; a bad file never raises."""
    path = autosave_path(Path(output))
    if not path.exists():
        return Recovered()
    damaged = Recovered(None, f"{path} is damaged: the edits in it are lost. Remove it.")
    try:
        heading, _, text = content_of(path).partition("\n")
        known = json.loads(heading)
        version, of = known["autosave"], known["surface"]
        whole = known["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    except (LandmarkFileError, *DAMAGED):
        return damaged
    if version != VERSION:
        return Recovered(None, f"{path} was written by another version and is left unchanged.")
    if of != surface_fingerprint(surface):
        return Recovered(
            None, f"{path} has edits of another surface than {surface.name} and is left unchanged."
        )
    if not whole:
        return damaged
    try:
        history = history_of(text, surface)
    except DAMAGED:
        return damaged
    count = len(history.state.marks)
    return Recovered(history, f"{path} has unsaved edits, {count} landmarks. They were recovered.")


class Autosave:
    """Writes a history beside the output after every edit, atomically.

    While it is open no other editor can open one for the same output, the landmark file.

    Raises
    ------
    LandmarkFileError
        The output's folder is missing or not writable, or another program edits this output.
    """

    def __init__(self, output: str | Path, surface: Surface) -> None:
        self.output = Path(output)
        check_writable(self.output)
        self.problem = ""
        self._lock = lock_output(self.output)
        self._fingerprint = surface_fingerprint(surface)
        remove_abandoned(self.output.parent)

    def write(self, history: History) -> None:
        """Write the history; if that fails, `problem` says why, and editing goes on."""
        text = text_of(history)
        heading = {
            "autosave": VERSION,
            "surface": self._fingerprint,
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
        }
        try:
            write_atomically({autosave_path(self.output): f"{json.dumps(heading)}\n{text}"})
            self.problem = ""
        except LandmarkFileError as error:
            self.problem = str(error)

    def remove(self) -> None:
        """Remove the autosave: the edits are saved or discarded."""
        autosave_path(self.output).unlink(missing_ok=True)

    def close(self) -> None:
        """Release the output to other editors; the autosave stays."""
        self._lock.release()

    def __enter__(self) -> "Autosave":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
