# SPDX-License-Identifier: MIT
"""``gplandmark match``: the same points on every specimen of whole folders."""

import sys
import warnings
from pathlib import Path
from typing import Any

import click

from gplandmark.cli.folders import results_option
from gplandmark.cli.match_output import matching_options, run_match
from gplandmark.cli.options.common import count_options, overwrite_option, quiet_option
from gplandmark.cli.options.folders_of_scans import request_from, request_options
from gplandmark.cli.options.groups import HeadedCommand
from gplandmark.cli.options.workers import Labour, worker_options
from gplandmark.errors import GplandmarkWarning
from gplandmark.io.landmark_files import read_landmarks
from gplandmark.runs.discover import find
from gplandmark.runs.matched.match import Asked
from gplandmark.runs.run_folder import check_command

__all__ = ["match"]


@click.command(cls=HeadedCommand, short_help="The same landmarks on every scan of folders.")
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@results_option
@count_options(
    "How many landmarks, an expert's included",
    "Stop when the largest variance on the reference has fallen to this share of its start.",
)
@click.option(
    "--reference",
    metavar="NAME",
    help="Specimen whose landmarks are carried to the others.  [default: that of --landmarks, or "
    "the most central one]",
)
@click.option(
    "--landmarks",
    "expert",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Landmarks of an expert on the reference. They come first, ours add what they lack.",
)
@matching_options
@overwrite_option("Match all anew, and replace files of others and what people changed.")
@worker_options
@request_options
@quiet_option
def match(
    folders: tuple[Path, ...],
    output: Path,
    reference: str | None,
    expert: Path | None,
    least: float,
    never_mirrored: bool,
    on_surface: bool,
    overwrite: bool,
    labour: Labour,
    quiet: bool,
    **asked: Any,
) -> None:
    """Find the same landmarks on every scan in FOLDERS and the folders inside them.

    Specimens are compared with each other, in any pose and unit, left or right. Landmarks are
    placed on the most central one, or on the one that you name, and carried to all others over
    chains of similar specimens: number 7 is the same place everywhere. Each has a confidence, and
    is missing where that is too low. Look at report.html first; the least certain come first.

    A scan that fails is a row with its reason in summary.csv. Stopped or cut off, the same command
    goes on where it was. Specimens that are added later do not move the others. The exit code
    is 3 if some scans failed or got no landmark.

    \b
    Examples:
      gplandmark match teeth -n 40 -o matched
      gplandmark match teeth --reference B03 --landmarks expert.mrk.json -o matched
      gplandmark analyze matched --groups genera.csv -o shapes
    """
    if quiet:
        warnings.simplefilter("ignore", GplandmarkWarning)
    check_command(output, "match")
    wanted = Asked(
        request_from(asked),
        _reference(reference, expert),
        expert and expert.absolute(),
        least,
        on_surface,
        overwrite,
        labour.send,
        not never_mirrored,
        labour.timeout,
    )
    sys.exit(run_match(find(folders, output), wanted, output, labour, quiet))


def _reference(asked: str | None, expert: Path | None) -> str | None:
    """Name of the reference: as asked, or the specimen that an expert's file tells."""
    if expert is None:
        return asked
    name = read_landmarks(expert).specimen
    if asked is not None and asked.rpartition("/")[2] != name.rpartition("/")[2]:
        note = f"{expert} has landmarks of {name}, and the reference is {asked}."
        warnings.warn(note, GplandmarkWarning, stacklevel=1)
    return asked or name
