# SPDX-License-Identifier: MIT
"""``gplandmark transfer``: an expert's landmarks of one specimen on others."""

import sys
import warnings
from dataclasses import replace
from pathlib import Path

import click
import numpy as np

from gplandmark.cli.match_output import matching_options, run_match
from gplandmark.cli.options.common import overwrite_option, quiet_option
from gplandmark.cli.options.groups import HeadedCommand
from gplandmark.cli.options.scans import cleaning_options
from gplandmark.cli.options.workers import Labour, worker_options
from gplandmark.cli.terminal import number, percent
from gplandmark.errors import GplandmarkWarning, ScanError, SettingsError
from gplandmark.io.files import check_writable
from gplandmark.io.landmark_files import FORMATS, writer_of
from gplandmark.io.overwrite import check_not_input, check_own_landmarks, check_own_record
from gplandmark.io.scans import is_mesh, read, specimen_name
from gplandmark.io.scans.rules import rules_called
from gplandmark.io.write_landmarks import write
from gplandmark.morphometrics.matching import SurfaceMap, match_pair
from gplandmark.morphometrics.matching.carry_landmarks import landmarks_over
from gplandmark.morphometrics.matching.surface_map import CLEAR
from gplandmark.runs.discover import Findings, Specimen, find
from gplandmark.runs.matched.match import Asked
from gplandmark.runs.matched.reference import expert_landmarks
from gplandmark.runs.place_request import Request
from gplandmark.runs.run_folder import check_command

__all__ = ["transfer"]

NOTHING = 3  # exit code if no landmark could be carried


@click.command(cls=HeadedCommand, short_help="An expert's landmarks from one scan to others.")
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("landmarks", type=click.Path(path_type=Path))
@click.argument("targets", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="Landmark file for a single target, else a folder as of 'match', made if need be.",
)
@click.option(
    "--format",
    "ending",
    default=".mrk.json",
    show_default=True,
    metavar="ENDING",
    help="Of the landmark files in a folder, as .csv or .tps.",
)
@matching_options
@overwrite_option("Match all anew, and replace files of others and what people changed.")
@cleaning_options
@worker_options
@quiet_option
def transfer(
    source: Path,
    landmarks: Path,
    targets: tuple[Path, ...],
    output: Path,
    least: float,
    ending: str,
    never_mirrored: bool,
    on_surface: bool,
    overwrite: bool,
    clean: str,
    components: str | None,
    labour: Labour,
    quiet: bool,
) -> None:
    """Carry LANDMARKS of the scan SOURCE to the scans TARGETS, or to all scans in such folders.

    Poses, units and sizes may differ, and one may be a left and the other a right. Points come to
    lie on the target's surface, in its coordinates; those that lie off the source's surface keep
    their offset. Where the confidence is too low they are missing. Many targets are matched with
    each other: give all that you have, similar ones help.

    \b
    Examples:
      gplandmark transfer a.ply a.mrk.json b.ply -o b.mrk.json
      gplandmark transfer a.ply a.mrk.json teeth -o transferred
    """
    if quiet:
        warnings.simplefilter("ignore", GplandmarkWarning)
    ending = "." + ending.lstrip(".")
    writer_of(Path("landmarks" + ending))
    request = Request(rules=rules_called(clean, components), ending=ending)
    asked = Asked(
        request,
        None,
        landmarks.absolute(),
        least,
        on_surface,
        overwrite,
        labour.send,
        not never_mirrored,
        labour.timeout,
    )
    is_single = len(targets) == 1 and not targets[0].is_dir()
    is_file = bool(output.suffix) and not output.is_dir()
    if is_file and (is_single or output.name.lower().endswith(tuple(FORMATS))):
        if not is_single:
            raise SettingsError(f"{output} is one file, for one target. Name a folder with -o.")
        _to_one(source, targets[0], output, asked, quiet)
        return
    check_command(output, "match")
    found, key = _found(source, targets, output)
    sys.exit(run_match(found, replace(asked, reference=key), output, labour, quiet))


def _found(source: Path, targets: tuple[Path, ...], output: Path) -> tuple[Findings, str]:
    """The scans, the source among them once, and the key of the source."""
    if not source.exists():
        raise ScanError(f"{source}: there is no such file. Check the name.")
    if not is_mesh(source):
        raise ScanError(f"{source} is no scan. Name the scan that the landmarks lie on.")
    found = find(targets, output)
    same = [each for each in found.specimens if each.path.resolve() == source.resolve()]
    if same:
        return found, same[0].key
    key = specimen_name(source)
    while any(key.casefold() == each.key.casefold() for each in found.specimens):
        key = f"source-{key}"
    found.specimens = sorted([*found.specimens, Specimen(key, source)])
    return found, key


def _to_one(source: Path, target: Path, output: Path, asked: Asked, quiet: bool) -> None:
    """Carry landmarks to one specimen, and write one file."""
    assert asked.expert is not None
    writer_of(output)
    check_writable(output)
    check_not_input(output, [asked.expert])
    if not asked.force:
        check_own_landmarks(output, specimen_name(target))
    here, there = read(source, asked.request.rules), read(target, asked.request.rules)
    given = expert_landmarks(here, asked.expert)
    pair = match_pair(here, there, reflections=asked.reflections)
    carried = landmarks_over(pair.route, given, 2, least=asked.least, on_surface=asked.on_surface)
    if not asked.force:
        check_own_record(carried, output)
    write(carried, output, overwrite=True)  # what may be replaced was checked before
    for remark in pair.remarks:
        click.echo(f"note: {remark}", err=True)
    if quiet:
        return
    outcome = carried.record.outcome
    confidence, error, radius = (
        float(np.mean([each for each in outcome[name] if each is not None]))
        for name in ("confidence", "expected_error", "radius_90")
    )
    missing = [label for label, gone in zip(carried.labels, carried.missing, strict=True) if gone]
    click.echo(click.style(f"{there.name}: {len(given)} landmarks of {here.name}", bold=True))
    rows = [
        ("expected", f"error {number(error)} file units on average, 90 % within {number(radius)}"),
        ("confidence", f"{percent(confidence)} on average"),
        ("missing", ", ".join(missing) or "none"),
        ("mirrored", _mirrored(pair)),
        ("written", str(output)),
    ]
    for name, value in rows:
        click.echo(f"  {name:<10} {value}")
    if carried.missing.all():
        sys.exit(NOTHING)


def _mirrored(pair: SurfaceMap) -> str:
    if pair.alignment.certainty < CLEAR:
        return "not certain"
    return "yes" if pair.reflects else "no"
