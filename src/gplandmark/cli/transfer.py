# SPDX-License-Identifier: MIT
"""``gplandmark transfer``: an expert's landmarks of one specimen on others."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click
import numpy as np

from gplandmark.cli.match import run_match
from gplandmark.cli.options.common import (
    PATH,
    format_option,
    headed_command,
    output_option,
    quiet_option,
)
from gplandmark.cli.options.matching import matching_options
from gplandmark.cli.options.parallel import Execution, worker_options
from gplandmark.cli.options.scans import checked_extension, cleaning_options
from gplandmark.cli.tables import percent, print_rows, print_title, rounded
from gplandmark.cli.terminal import echo
from gplandmark.errors import ScanError, SettingsError, warn
from gplandmark.io.files import check_writable, real_path
from gplandmark.io.landmark_formats.formats import FORMATS, writer_of
from gplandmark.io.overwrite import check_not_input, check_own_landmarks, check_own_record
from gplandmark.io.scans import is_scan, read, specimen_name
from gplandmark.io.scans.rules import Rules
from gplandmark.io.start_landmarks import note_of_another
from gplandmark.io.write_landmarks import write
from gplandmark.landmarks import Landmarks
from gplandmark.landmarks.record import EXPECTED, NOT_ON_FRAGMENT
from gplandmark.morphometrics.matching import SurfaceMap, match_pair
from gplandmark.morphometrics.matching.sample_landmarks import landmarks_over
from gplandmark.morphometrics.matching.surface_map import CLEAR
from gplandmark.runs.discover import Findings, ScanFile, find_scans
from gplandmark.runs.matched.match import MatchRequest
from gplandmark.runs.matched.reference_landmarks import expert_landmarks
from gplandmark.runs.place_request import Request
from gplandmark.runs.run_folder import check_command

NOTHING = 3  # exit code if no landmark could be carried


@headed_command
@click.argument("source", type=PATH)
@click.argument("landmarks", type=PATH)
@click.argument("targets", nargs=-1, required=True, type=PATH)
@output_option(
    "Landmark file for a single target; otherwise a folder, as with 'match', created if needed.",
    "PATH",
    required=True,
)
@format_option
@matching_options
@cleaning_options
@worker_options
@quiet_option
def transfer(
    source: Path,
    landmarks: Path,
    targets: tuple[Path, ...],
    output: Path,
    least: float,
    extension: str,
    never_mirrored: bool,
    same_scale: bool,
    on_surface: bool,
    overwrite: bool,
    rules: Rules,
    execution: Execution,
    quiet: bool,
) -> None:
    """Carry LANDMARKS of the scan SOURCE to TARGETS: scans, or folders of scans.

    Poses, units and sizes may differ, and some specimens may be left and others right. Landmarks
    are put on the surface of the target, in its coordinates. Those that lie off the surface of
    SOURCE keep their offset. Points of curves are at equal distances on every specimen. A
    landmark is missing where its confidence is too low, or where the target is broken. Several
    targets are also matched with each other, which improves the result: give all similar
    specimens that you have.

    \b
    Examples:
      gplandmark transfer a.ply a.mrk.json b.ply -o b.mrk.json
      gplandmark transfer a.ply a.mrk.json teeth -o transferred
    """
    request = Request(rules=rules, extension=checked_extension(extension))
    asked = MatchRequest(
        request,
        None,
        landmarks.absolute(),
        least,
        on_surface,
        overwrite,
        not never_mirrored,
        same_scale=same_scale,
    )
    is_single = len(targets) == 1 and not targets[0].is_dir()
    is_file = bool(output.suffix) and not output.is_dir()
    if is_file and (is_single or output.name.lower().endswith(tuple(FORMATS))):
        if not is_single:
            raise SettingsError(
                f"{output} is a file, but there are several targets. Name a folder with -o."
            )
        _to_one(source, targets[0], output, asked, quiet)
        return
    found, key = _found(source, targets, output)
    check_command(output, "match")
    asked = replace(asked, reference=key, notes=_noted(landmarks, source))
    sys.exit(run_match(found, asked, output, execution, quiet))


def _noted(landmarks: Path, source: Path) -> tuple[str, ...]:
    """What is noted, with a warning, if the landmarks are of another specimen."""
    notes = note_of_another(landmarks, specimen_name(source))
    for note in notes:
        warn(note)
    return notes


def _found(source: Path, targets: tuple[Path, ...], output: Path) -> tuple[Findings, str]:
    """The scans, including the source once, and the key of the source."""
    if not source.exists():
        raise ScanError(f"{source}: there is no such file. Check the name.")
    if not is_scan(source):
        raise ScanError(f"{source} is not a scan. Name the scan that the landmarks lie on.")
    found = find_scans(targets, output)
    same = [each for each in found.specimens if real_path(each.path) == real_path(source)]
    if same:
        return found, same[0].key
    key = specimen_name(source)
    while any(key.casefold() == each.key.casefold() for each in found.specimens):
        key = f"source-{key}"
    found.specimens = sorted([*found.specimens, ScanFile(key, source)])
    return found, key


def _to_one(source: Path, target: Path, output: Path, asked: MatchRequest, quiet: bool) -> None:
    """Carry landmarks to one specimen, and write one file."""
    assert asked.expert is not None
    writer_of(output)
    check_writable(output)
    check_not_input(output, [asked.expert])
    if not asked.force:
        check_own_landmarks(output, specimen_name(target))
    origin, to = read(source, asked.request.rules), read(target, asked.request.rules)
    given = expert_landmarks(origin, asked.expert)
    notes = (*_noted(asked.expert, source), *given.record.warnings)
    given = replace(given, record=replace(given.record, warnings=notes))
    pair = match_pair(origin, to, reflections=asked.reflections, same_scale=asked.same_scale)
    carried = landmarks_over(pair.route, given, 2, least=asked.least, on_surface=asked.on_surface)
    if not asked.force:
        check_own_record(carried, output)
    write(carried, output, overwrite=True)  # what may be replaced was checked before
    for remark in pair.remarks:
        echo(f"note: {remark}", err=True)
    if not quiet:
        _print_carried(carried, pair, output)
    if carried.missing.all():
        sys.exit(NOTHING)


def _print_carried(carried: Landmarks, pair: SurfaceMap, output: Path) -> None:
    outcome = carried.record.outcome
    confidence, error, radius = (
        float(np.mean([each for each in outcome[name] if each is not None])) for name in EXPECTED
    )
    lacking = outcome.get(NOT_ON_FRAGMENT, ())
    missing = [label for label, gone in zip(carried.labels, carried.missing, strict=True) if gone]
    uncertain = [label for label in missing if label not in lacking]
    print_title(f"{carried.specimen}: {len(carried)} landmarks of {pair.step.source.name}")
    rows = [
        (
            "expected",
            f"error {rounded(error)} file units on average, 90 % within {rounded(radius)}",
        ),
        ("confidence", f"{percent(confidence)} on average"),
        *_on_fragment(pair, lacking),
        *_missing(uncertain, lacking),
        ("mirrored", _mirrored(pair)),
        ("written", str(output)),
        ("hint", "give all similar specimens as TARGETS: the result is more accurate"),
    ]
    print_rows(rows)


def _on_fragment(pair: SurfaceMap, lacking: Sequence[str]) -> list[tuple[str, str]]:
    """Rows about a target that is a fragment, or painted."""
    if not pair.step.target.is_fragment:
        return [("not bone", ", ".join(lacking))] if lacking else []
    count = len(pair.maps)
    pieces = f", in {count} pieces" if count > 1 else ""
    return [
        ("fragment", f"about {percent(pair.overlap or 1.0)} of a whole specimen{pieces}"),
        ("not on it", ", ".join(lacking) or "none"),
    ]


def _missing(uncertain: Sequence[str], lacking: Sequence[str]) -> list[tuple[str, str]]:
    """The row about landmarks that are missing for another reason than that they are not there."""
    if lacking:
        return [("uncertain", f"{', '.join(uncertain)}: missing")] if uncertain else []
    return [("missing", ", ".join(uncertain) or "none")]


def _mirrored(pair: SurfaceMap) -> str:
    if pair.alignment.certainty < CLEAR:
        return "uncertain"
    return "yes" if pair.reflects else "no"
