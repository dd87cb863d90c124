# SPDX-License-Identifier: MIT
"""Edited landmarks go to the one file that the user named."""

from pathlib import Path

from gplandmark.errors import LandmarkFileError
from gplandmark.io.files import check_writable
from gplandmark.io.landmark_files import check_dimension, format_of, write, writer_of
from gplandmark.io.overwrite import ADVICE, why_foreign
from gplandmark.io.record_files import record_path
from gplandmark.mesh.surface import Surface
from gplandmark.visual.editor.editor import Editor

__all__ = ["check_output", "save", "why_ask"]


def check_output(output: str | Path, surface: Surface, *, force: bool = False) -> None:
    """Refuse an output for landmarks of a surface before any work goes into it.

    Raises
    ------
    LandmarkFileError
        Its ending is none that we write, or for points in space only; its folder is not writable;
        or, unless `force`, it exists and was not written by gplandmark for this specimen, or a
        record beside it is of something else.
    """
    path = Path(output)
    writer_of(path)
    check_dimension(path, surface.points.shape[1])
    check_writable(path)
    reason = "" if force else why_ask(path, surface)
    if reason:
        raise LandmarkFileError(f"{reason} {ADVICE}")


def why_ask(output: str | Path, surface: Surface) -> str:
    """Why a person must agree before an output is replaced, in one sentence; empty if not."""
    path = Path(output)
    record = record_path(path, format_of(path)[0])
    if record.exists() and not path.exists():
        return (
            f"{record} exists and belongs to other landmarks, and the record of {path.name} would "
            "replace it."
        )
    return why_foreign(path, surface.name, by_hand=True)


def save(editor: Editor, output: str | Path, *, force: bool = False) -> tuple[Path, Path]:
    """Write the landmarks and their record, both whole or not at all; returns the two paths.

    Raises
    ------
    LandmarkFileError
        As `check_output`; or the format cannot hold the landmarks.
    """
    check_output(output, editor.surface, force=force)
    written = write(editor.landmarks(), output, overwrite=True)
    editor.history.mark_saved()
    return written
