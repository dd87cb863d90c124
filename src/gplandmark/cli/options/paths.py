# SPDX-License-Identifier: MIT
"""Files and folders of commands: their options, and checks before the work starts."""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from gplandmark.cli.options.common import PATH, grouped, output_option
from gplandmark.errors import LandmarkFileError, SettingsError
from gplandmark.io.files import check_writable
from gplandmark.io.landmark_files import read_collection, read_folder
from gplandmark.io.overwrite import check_not_input, check_own_start
from gplandmark.io.scans import is_mesh
from gplandmark.landmarks import Landmarks
from gplandmark.runs.joint_files import read_results, results_of
from gplandmark.visual.pictures import check_picture

__all__ = [
    "check_order",
    "check_plot",
    "check_table",
    "groups_option",
    "make_for_results",
    "read_specimens",
    "results_option",
    "table_options",
]

PICTURE = re.compile(rb"\x89PNG|%PDF|\s*<(\?xml|!DOCTYPE svg|svg)")

results_option = output_option(
    "Folder for the results; created if needed.", "FOLDER", required=True
)
groups_option = click.option(
    "--groups",
    type=PATH,
    metavar="FILE",
    help="CSV table with the columns specimen and group.",
)
table_options = grouped(
    (
        click.option(
            "--csv", "table", type=PATH, metavar="FILE",
            help="Write the numbers to this .csv file.",
        ),
        click.option(
            "--plot", type=PATH, metavar="FILE",
            help="Draw the numbers as .png, .pdf or .svg.",
        ),
    )
)  # fmt: skip


def read_specimens(path: Path, without: Collection[Path] = ()) -> tuple[Landmarks, ...]:
    """Read the landmarks of a file, of a folder, or of the results of a run.

    Raises
    ------
    LandmarkFileError
        It does not exist, or cannot be read.
    """
    if not path.exists():
        raise LandmarkFileError(f"{path}: there is no such file or folder.")
    if not path.is_dir():
        return read_collection(path)
    results = results_of(path)
    return read_folder(path, without) if results is None else read_results(results)


def make_for_results(output: Path) -> None:
    """Create a folder; it is removed at the end of the command if it is empty.

    Raises
    ------
    SettingsError
        It cannot be created.
    """
    click.get_current_context().with_resource(_made(output))


@contextmanager
def _made(output: Path) -> Iterator[None]:
    new = [path for path in (output, *output.parents) if not path.exists()]
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"{output} cannot be created ({error.strerror}).") from None
    try:
        yield
    finally:
        with suppress(OSError):  # it is not empty
            for path in new:
                path.rmdir()


def check_order(scan: Path, landmarks: Path | None) -> None:
    """Refuse a scan and landmarks in the wrong order."""
    if landmarks is not None and is_mesh(landmarks) and not is_mesh(scan):
        command = click.get_current_context().info_name
        raise SettingsError(f"The scan comes first: gplandmark {command} {landmarks} {scan}")


def check_table(path: Path, inputs: Sequence[Path], columns: Sequence[str]) -> None:
    """Refuse, before the work starts, a table that cannot be written or would replace another.

    Only a table with the same columns, as the command wrote it before, is replaced.

    Raises
    ------
    SettingsError
        The extension is not .csv, or the file is an input or not such a table.
    LandmarkFileError
        It cannot be written there.
    """
    if path.suffix.lower() != ".csv":
        raise SettingsError(f"{path}: a table needs the extension .csv, not '{path.suffix}'.")
    check_not_input(path, inputs)
    check_writable(path)
    header = ",".join(columns).encode()
    start = re.compile(rb"(\xef\xbb\xbf)?" + re.escape(header) + rb"\r?\n")
    check_own_start(path, start, "an earlier table of this command")


def check_plot(path: Path) -> None:
    """Refuse, before the work starts, a plot that cannot be drawn or would replace another file.

    Raises
    ------
    PictureError
        The extension is unknown, or matplotlib is not installed.
    SettingsError
        The file exists and is not a picture.
    LandmarkFileError
        It cannot be written there.
    """
    check_picture(path)
    check_own_start(path, PICTURE, "a picture")
