# SPDX-License-Identifier: MIT
"""``gplandmark slide``: semilandmarks slide along curves and surfaces."""

from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np

from gplandmark.cli.options.common import (
    PATH,
    file_option,
    format_option,
    headed_command,
    output_option,
    overwrite_option,
    quiet_option,
)
from gplandmark.cli.options.paths import missing_option, read_homologous
from gplandmark.cli.options.scans import checked_extension
from gplandmark.cli.tables import print_rows, print_title, rounded
from gplandmark.errors import SettingsError
from gplandmark.io.files import check_writable, write_atomically
from gplandmark.io.formatting import counted
from gplandmark.io.missing_codes import Codes
from gplandmark.io.overwrite import check_new_landmarks, check_not_input
from gplandmark.io.scans import read
from gplandmark.io.scans.rules import Rules
from gplandmark.io.write_landmarks import contents, folder_contents
from gplandmark.landmarks import Landmarks
from gplandmark.landmarks.curves import Curve
from gplandmark.morphometrics.semilandmarks import SlidCollection, Sliders, slide_collection
from gplandmark.morphometrics.semilandmarks.slide import CRITERIA, ROUNDS, TOLERANCE, Criterion
from gplandmark.morphometrics.semilandmarks.slider_tables import (
    listed_landmarks,
    read_curves,
    stated_sliders,
)
from gplandmark.runs.discover import scans_of


@headed_command
@click.argument("landmarks", nargs=-1, required=True, metavar="LANDMARKS...", type=PATH)
@output_option(
    "File for all specimens (.csv, .tps, ...), or a folder with a file for each.",
    "PATH",
    required=True,
)
@click.option(
    "--by",
    type=click.Choice(CRITERIA),
    default=CRITERIA[0],
    help="What to minimise: the bending energy or the Procrustes distance to the mean.",
)
@file_option(
    "--curves",
    metavar="TABLE",
    help="Table with the columns curve and landmark, or before, slide and after.  [default: the "
    "curves of the landmark files]",
)
@click.option(
    "--surface-points",
    metavar="LIST",
    help="Landmarks that slide over the surface, e.g. 14-43.  [default: those of type semi that "
    "are on no curve]",
)
@file_option(
    "--scans",
    metavar="FOLDER",
    help="Scans of the specimens: landmarks return to the triangles and the curve after each step.",
)
@click.option("--rounds", default=ROUNDS, help="Maximum number of rounds of sliding.")
@click.option(
    "--tolerance", default=TOLERANCE, help="Stop if the mean shape changes by less than this."
)
@click.option(
    "--like-geomorph",
    is_flag=True,
    help="Like gpagen, do not centre and scale specimens again after sliding.",
)
@format_option
@missing_option
@overwrite_option("Replace existing files.")
@quiet_option
def slide(
    landmarks: tuple[Path, ...],
    output: Path,
    by: Criterion,
    curves: Path | None,
    surface_points: str | None,
    scans: Path | None,
    rounds: int,
    tolerance: float,
    like_geomorph: bool,
    extension: str,
    missing: Codes,
    overwrite: bool,
    quiet: bool,
) -> None:
    """Slide the semilandmarks among LANDMARKS to where they differ least from the mean shape.

    LANDMARKS are the same on every specimen: a folder with a file for each, or one file with all.
    Points of curves slide along the line between their neighbours. Points of surfaces slide in
    the tangent plane of the scan if it is given, otherwise of the five nearest landmarks. Other
    landmarks stay where they are. A missing landmark stays missing.

    \b
    Examples:
      gplandmark slide skulls.csv --curves curves.csv -o slid.csv
      gplandmark slide matched --surface-points 14-43 --scans scans -o slid
    """  # fmt: skip
    if scans is not None and like_geomorph:
        raise SettingsError("With --scans there is no --like-geomorph: geomorph has no scans.")
    check_not_input(output, landmarks)
    collection = read_homologous(
        landmarks, "such landmarks have no mean shape. Match them first.", missing=missing
    )
    names = [each.specimen for each in collection]
    surfaces = None
    if scans is not None:
        every = Rules(components="all")  # a specimen may be in pieces
        surfaces = {name: read(path, every) for name, path in scans_of([scans], names).items()}
    lines, sliders = _sliders(collection, curves, surface_points)
    found = slide_collection(
        collection, lines, sliders, by,
        surfaces=surfaces, rounds=rounds, tolerance=tolerance, recentre=not like_geomorph,
    )  # fmt: skip
    files = _files(found.landmarks, output, checked_extension(extension))
    if not overwrite:
        check_new_landmarks(files)
    for path in files:
        check_writable(path)
    write_atomically(files)
    if not quiet:
        _print(found, sliders, by, output)


def _sliders(
    collection: Sequence[Landmarks], curves: Path | None, surface_points: str | None
) -> tuple[tuple[Curve, ...], Sliders]:
    if curves is None and surface_points is None:
        return stated_sliders(collection)
    labels = collection[0].labels
    lines, found = ((), Sliders()) if curves is None else read_curves(curves, labels)
    free = listed_landmarks(surface_points or "", labels)
    return lines, Sliders(found.curves, np.array(free, dtype=np.int64))


def _files(found: Sequence[Landmarks], output: Path, extension: str) -> dict[Path, str]:
    """Contents of one file, or of a file for each specimen in a folder, which is created."""
    if output.suffix and not output.is_dir():
        return contents(found, output)
    files = folder_contents(found, output, extension)
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"{output} cannot be created ({error.strerror}).") from None
    return files


def _print(found: SlidCollection, sliders: Sliders, by: str, output: Path) -> None:
    along, over = len(sliders.curves), len(sliders.surfaces)
    moved = found.moved[:, sliders.sliding]
    print_title(f"{counted(len(found.landmarks), 'specimen')}: semilandmarks slid by {by}")
    print_rows(
        [
            ("sliding", f"{along} along curves, {over} over surfaces"),
            ("rounds", str(found.rounds)),
            ("moved", f"{rounded(float(np.nanmedian(moved)))} file units (median), at most "
             f"{rounded(float(np.nanmax(moved)))}"),
            ("written", str(output)),
        ]
    )  # fmt: skip
