# SPDX-License-Identifier: MIT
"""``gplandmark convert``: landmark files from one format to another."""

from collections.abc import Collection, Sequence
from pathlib import Path

import click

from gplandmark.cli.options.common import PATH, headed_command, overwrite_option, quiet_option
from gplandmark.cli.options.paths import missing_option, read_specimens
from gplandmark.cli.terminal import echo
from gplandmark.errors import LandmarkFileError, SettingsError, warn
from gplandmark.io.files import check_writable, write_atomically
from gplandmark.io.formatting import counted
from gplandmark.io.landmark_formats.formats import WRITABLE, format_of
from gplandmark.io.missing_codes import Codes
from gplandmark.io.overwrite import check_new_landmarks
from gplandmark.io.write_landmarks import contents, folder_contents
from gplandmark.landmarks import Landmarks, scaled, to_system
from gplandmark.landmarks.resampled_curves import resample_curves as resampled_to


@headed_command
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...", type=PATH)
@click.argument("output", type=PATH)
@click.option(
    "--each",
    type=click.Choice(WRITABLE),
    metavar="EXTENSION",
    help="Make OUTPUT a folder with a file of this format, e.g. .tps, for each specimen.  "
    "[default: .mrk.json if OUTPUT is a folder]",
)
@click.option("--to-lps", is_flag=True, help="Convert RAS to LPS: change the signs of x and y.")
@click.option("--to-ras", is_flag=True, help="Convert LPS to RAS: change the signs of x and y.")
@click.option(
    "--scale",
    type=float,
    metavar="FACTOR",
    help="Multiply all coordinates by this factor, e.g. 0.001 for um to mm.",
)
@click.option(
    "--resample-curves",
    type=int,
    metavar="COUNT",
    help="Replace the points of each curve by this many at equal distances; its ends stay.",
)
@missing_option
@overwrite_option("Replace existing files.")
@quiet_option
def convert(
    inputs: tuple[Path, ...],
    output: Path,
    each: str | None,
    to_lps: bool,
    to_ras: bool,
    scale: float | None,
    resample_curves: int | None,
    missing: Codes,
    overwrite: bool,
    quiet: bool,
) -> None:
    """Convert landmark files; the extensions select the formats.

    INPUT is a landmark file or a folder of landmark files, or several of these. OUTPUT is a file
    with all specimens, or a folder with a file for each. Coordinates do not change, to the last
    digit, unless --to-lps, --to-ras, --scale or --resample-curves is given. A note says what
    a format cannot store.

    \b
    Examples:
      gplandmark convert tooth.mrk.json tooth.tps
      gplandmark convert teeth/*.mrk.json all.tps
      gplandmark convert all.tps teeth --each .mrk.json
      gplandmark convert old.fcsv new.mrk.json --to-lps
      gplandmark convert metres.csv millimetres.csv --scale 1000
      gplandmark convert all.tps all.csv --missing -999
    """
    if to_lps and to_ras:
        raise SettingsError("Give either --to-lps or --to-ras, not both.")
    collection = read_specimens(inputs, missing=missing)
    before = _systems(collection)
    if to_lps or to_ras:
        system = "LPS" if to_lps else "RAS"
        _warn_there_already(collection, system)
        collection = [to_system(found, system) for found in collection]
    if scale is not None:
        collection = [scaled(landmarks, scale) for landmarks in collection]
    if resample_curves is not None:
        collection = [resampled_to(landmarks, resample_curves) for landmarks in collection]
    files = _files(collection, output, each)
    _warn_marked(collection, next(iter(files)))
    if not overwrite:
        check_new_landmarks(files)
    for path in files:
        check_writable(path)
    write_atomically(files)
    if not quiet:
        now = _systems(collection)
        change = before if now == before else f"{before}, written as {now}"
        echo(
            f"{counted(len(collection), 'specimen')}, {_landmark_counts(collection)}; "
            f"coordinate system: {change}",
            f"  written    {_written(files, output)}",
        )


def _files(collection: Sequence[Landmarks], output: Path, each: str | None) -> dict[Path, str]:
    """Contents of all files to write; creates the folder if needed."""
    if each is None and not output.is_dir():
        if not output.suffix:
            each = ".mrk.json"
        else:
            return contents(collection, output)
    if output.exists() and not output.is_dir():
        raise SettingsError(f"{output} is a file, but with --each the output is a folder.")
    files = folder_contents(collection, output, each or ".mrk.json")
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LandmarkFileError(f"{output} cannot be created ({error.strerror}).") from None
    return files


def _written(files: Collection[Path], output: Path) -> str:
    """Names of a file and its record, or of the folder."""
    return str(output) if output in {path.parent for path in files} else ", ".join(map(str, files))


def _warn_there_already(collection: Sequence[Landmarks], system: str) -> None:
    """Warn that landmarks that are already in the system do not change."""
    there = [each.specimen for each in collection if each.system == system]
    if there:
        warn(
            f"{', '.join(there)}: already marked {system}, so nothing was changed. "
            "If the mark is wrong, correct it in the file first."
        )


def _warn_marked(collection: Sequence[Landmarks], path: Path) -> None:
    """Warn that files of 3D Slicer state a system that their source does not."""
    system = format_of(path)[1].default_system
    if system and any(landmarks.system is None for landmarks in collection):
        warn(
            f"The input does not state its coordinate system. The output is marked {system}, which "
            "3D Slicer assumes for meshes. If the input is in RAS, use --to-lps."
        )


def _systems(collection: Sequence[Landmarks]) -> str:
    return " and ".join(sorted({landmarks.system or "unknown" for landmarks in collection}))


def _landmark_counts(collection: Sequence[Landmarks]) -> str:
    counts = sorted({len(landmarks) for landmarks in collection})
    if len(counts) > 1:
        return f"{counts[0]} to {counts[-1]} landmarks"
    return counted(counts[0], "landmark") + (" each" if len(collection) > 1 else "")
