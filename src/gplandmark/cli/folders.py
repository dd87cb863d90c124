# SPDX-License-Identifier: MIT
"""Folders that commands read landmarks from, and those that they write into."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from gplandmark.errors import LandmarkFileError, SettingsError
from gplandmark.io.landmark_files import read_collection, read_folder
from gplandmark.io.scans import is_mesh
from gplandmark.landmarks import Landmarks
from gplandmark.runs.joint_files import read_results, results_of

__all__ = [
    "check_order",
    "groups_option",
    "make_for_results",
    "read_specimens",
    "results_option",
]

results_option = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FOLDER",
    help="Folder for the results, made if need be.",
)
groups_option = click.option(
    "--groups",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Table with the columns specimen and group (.csv).",
)


def read_specimens(path: Path, without: Collection[Path] = ()) -> tuple[Landmarks, ...]:
    """Read the landmarks of a file, of a folder, or of what a batch wrote.

    Raises
    ------
    LandmarkFileError
        There is no such thing, or it cannot be read.
    """
    if not path.exists():
        raise LandmarkFileError(f"{path}: there is no such file or folder.")
    if not path.is_dir():
        return read_collection(path)
    results = results_of(path)
    return read_folder(path, without) if results is None else read_results(results)


def make_for_results(output: Path) -> None:
    """Make a folder; when the command ends, it goes again if nothing was written into it.

    Raises
    ------
    SettingsError
        It cannot be made.
    """
    click.get_current_context().with_resource(_made(output))


@contextmanager
def _made(output: Path) -> Iterator[None]:
    new = [path for path in (output, *output.parents) if not path.exists()]
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"{output} cannot be made ({error.strerror}).") from None
    try:
        yield
    finally:
        with suppress(OSError):  # there is something in it
            for path in new:
                path.rmdir()


def check_order(scan: Path, landmarks: Path | None) -> None:
    """Say so where the two arguments of the command that runs are swapped."""
    if landmarks is not None and is_mesh(landmarks) and not is_mesh(scan):
        command = click.get_current_context().info_name
        raise SettingsError(f"The scan comes first: gplandmark {command} {landmarks} {scan}")
