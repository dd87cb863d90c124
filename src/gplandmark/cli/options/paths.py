# SPDX-License-Identifier: MIT
"""Files and folders of commands: their options, and checks before the work starts."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gplandmark.cli.options.common import file_option, grouped, output_option
from gplandmark.errors import AnalysisError, LandmarkFileError, SettingsError
from gplandmark.io.files import check_writable, write_atomically
from gplandmark.io.homology import why_not_homologous
from gplandmark.io.landmark_files import folder_files, read_files
from gplandmark.io.missing_codes import Codes
from gplandmark.io.overwrite import check_not_input, check_own_start
from gplandmark.io.scans import is_scan
from gplandmark.landmarks import Landmarks
from gplandmark.runs.joint_files import NAMES, read_results, results_of
from gplandmark.visual.pictures import check_picture, picture_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURE = re.compile(rb"\x89PNG|%PDF|\s*<(\?xml|!DOCTYPE svg|svg)")

results_option = output_option(
    "Folder for the results; created if needed.", "FOLDER", required=True
)
groups_option = file_option("--groups", help="CSV table with the columns specimen and group.")
table_options = grouped(
    (
        file_option(
            "--csv", "table", help="Write the numbers to this .csv file.",
        ),
        file_option(
            "--plot", help="Draw the numbers as .png, .pdf or .svg.",
        ),
    )
)  # fmt: skip


def _codes(_: click.Context, __: click.Parameter, words: tuple[str, ...]) -> Codes:
    """Read codes for missing landmarks; None if they are to be found."""
    if words in ((), ("auto",)):
        return None
    if words == ("none",):
        return ()
    try:
        return tuple(map(float, words))
    except ValueError:
        raise SettingsError(
            f"--missing {' '.join(words)}: give a number, e.g. -999, or 'auto', or 'none'."
        ) from None


missing_option = click.option(
    "--missing",
    multiple=True,
    callback=_codes,
    metavar="CODE",
    help="Number that means a missing landmark if all coordinates have it, e.g. -999. May be "
    "repeated. 'none' keeps all numbers as coordinates.  [default: auto, with a note]",
)


def read_specimens(
    paths: Iterable[Path], without: Collection[Path] = (), *, missing: Codes = None
) -> list[Landmarks]:
    """Read the landmarks of files, of folders, and of results of runs.

    `without` are files in the folders that are not landmarks. `missing` is that of
    `gplandmark.io.landmark_files.read_landmarks`.

    Raises
    ------
    LandmarkFileError
        One does not exist, or cannot be read.
    """
    found: list[Landmarks] = []
    for is_run, group in groupby(paths, lambda path: results_of(path) is not None):
        if is_run:
            found += [each for path in group for each in read_results(results_of(path) or path)]
        else:
            files = [file for path in group for file in _landmark_files(path, without)]
            found += read_files(files, missing=missing)
    return found


def read_homologous(
    paths: Sequence[Path],
    otherwise: str,
    without: Collection[Path] = (),
    *,
    missing: Codes = None,
) -> list[Landmarks]:
    """Read landmarks that are the same places on every specimen.

    Raises
    ------
    AnalysisError
        They are not; `otherwise` says what cannot be done then.
    LandmarkFileError
        A file does not exist, or cannot be read.
    """
    found = read_specimens(paths, without, missing=missing)
    if reason := why_not_homologous(found, paths):
        raise AnalysisError(f"{reason}; {otherwise}")
    return found


def _landmark_files(path: Path, without: Collection[Path]) -> list[Path]:
    if not path.exists():
        raise LandmarkFileError(f"{path}: there is no such file or folder.")
    if path.is_dir():
        return folder_files(path, without)
    if path.name in NAMES and (results := results_of(path.absolute().parent)) is not None:
        read_results(results)  # warns if this joint file has other landmarks
    return [path]


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
    if landmarks is not None and is_scan(landmarks) and not is_scan(scan):
        command = click.get_current_context().info_name
        raise SettingsError(f"The scan comes first: gplandmark {command} {landmarks} {scan}")


def check_outputs(
    table: Path | None, plot: Path | None, inputs: Sequence[Path], columns: Sequence[str]
) -> None:
    """Refuse, before the work starts, outputs that cannot be written or would replace other files.

    Only a table with the same columns, as the command wrote it before, and a picture are replaced.

    Raises
    ------
    SettingsError
        The extension of the table is not .csv, it is an input or not such a table, or the plot
        would replace something that is not a picture.
    PictureError
        The extension of the plot is unknown, or matplotlib is not installed.
    LandmarkFileError
        One of them cannot be written there.
    """
    if table is not None:
        if table.suffix.lower() != ".csv":
            raise SettingsError(f"{table}: a table needs the extension .csv, not '{table.suffix}'.")
        check_not_input(table, inputs)
        check_writable(table)
        header = re.escape(",".join(columns).encode())
        start = re.compile(rb"(\xef\xbb\xbf)?" + header + rb"\r?\n")
        check_own_start(table, start, "an earlier table of this command")
    if plot is not None:
        check_picture(plot)
        check_own_start(plot, PICTURE, "a picture")


def write_outputs(
    table: Path | None, content: str, plot: Path | None, chart: Callable[[], "Figure"]
) -> None:
    """Write the content of the table, and the chart, if they are wanted."""
    contents: dict[Path, str | bytes] = {} if table is None else {table: content}
    if plot is not None:
        contents[plot] = picture_bytes(chart(), plot.suffix.lower())
    if contents:
        write_atomically(contents)
