# SPDX-License-Identifier: MIT
"""``gplandmark match``: the same points on every specimen of whole folders."""

import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from gplandmark.cli.folder_runs import SOME_FAILED, STOPPED, print_stopped, stored_run
from gplandmark.cli.options.common import (
    PATH,
    count_options,
    file_option,
    headed_command,
    quiet_option,
)
from gplandmark.cli.options.matching import estimate_option, matching_options
from gplandmark.cli.options.parallel import Execution, worker_options
from gplandmark.cli.options.paths import results_option
from gplandmark.cli.options.scans import request_from, request_options
from gplandmark.cli.summaries import print_match
from gplandmark.errors import SettingsError, warn
from gplandmark.io.landmark_files import read_landmarks
from gplandmark.io.overwrite import check_own_folder
from gplandmark.io.start_landmarks import note_of_another
from gplandmark.morphometrics.matching.dense_points import CORRESPONDENCE
from gplandmark.runs.discover import HIDDEN, Findings, find_scans
from gplandmark.runs.job_runner import StoppedError
from gplandmark.runs.label_maps import with_labels
from gplandmark.runs.matched.estimated_landmarks import ESTIMATED, update_estimates
from gplandmark.runs.matched.match import MatchRequest, match_folder
from gplandmark.runs.matched.sample_files import is_matched, write_results
from gplandmark.runs.run_folder import COMMAND, check_command

RESULTS = (
    "report.html", "summary.csv", "pairs.csv", "distances.csv", "expected_errors.csv", "run.json",
    CORRESPONDENCE, ESTIMATED,
)  # fmt: skip


@headed_command
@click.argument("folders", nargs=-1, required=True, type=PATH)
@results_option
@count_options(
    "Number of landmarks, including an expert's",
    "Stop when the largest variance on the reference has fallen to this fraction of its initial "
    "value.",
)
@click.option(
    "--reference",
    metavar="NAME",
    help="Specimen whose landmarks are carried to the others.  [default: that of --landmarks, or "
    "the most central one]",
)
@file_option(
    "--landmarks",
    "experts",
    multiple=True,
    help="An expert's landmarks on the reference. They come first; ours are added to them. Repeat "
    "the option for the same landmarks on other specimens: they improve the result.",
)
@click.option(
    "--in-pairs",
    is_flag=True,
    help="For symmetric specimens, e.g. skulls: place landmarks in pairs (1L and 1R) and on the "
    "midline (2M). Implies --never-mirrored.",
)
@matching_options
@estimate_option
@worker_options
@request_options
@quiet_option
def match(
    folders: tuple[Path, ...],
    output: Path,
    reference: str | None,
    experts: tuple[Path, ...],
    in_pairs: bool,
    least: float,
    never_mirrored: bool,
    same_scale: bool,
    on_surface: bool,
    overwrite: bool,
    estimate_missing: bool,
    execution: Execution,
    quiet: bool,
    **options: Any,
) -> None:
    """Find the same landmarks on every scan in FOLDERS and their subfolders.

    Specimens may have any pose and unit, and may be left or right. All are compared with each
    other. Landmarks are placed on the most central specimen, or on the one that you name, and
    carried to all others over chains of similar specimens. Number 7 is then the same place
    everywhere. Each landmark has a confidence, and is missing where that is too low. Fragments
    are found in whole specimens, and lack what is broken off. Look at report.html first; the
    least certain specimens are at its top.

    Failed scans are listed in summary.csv with the reason. If interrupted, run the same command
    again to resume. Specimens that are added later do not change the landmarks of the others. The
    exit code is 3 if some scans failed or got no landmark.

    \b
    Examples:
      gplandmark match teeth -n 40 -o matched
      gplandmark match teeth --reference B03 --landmarks expert.mrk.json -o matched
      gplandmark match skulls --in-pairs -o matched
      gplandmark analyze matched --groups genera.csv -o shapes
    """
    request = request_from(**options)
    if in_pairs and (experts or request.target):
        raise SettingsError(
            "--in-pairs places a number of landmarks itself. Leave out --landmarks and --until."
        )
    found = with_labels(find_scans(folders, output), request.rules)
    check_command(output, "match")
    notes = () if not experts else _notes_on(experts[0], reference, found)
    asked = MatchRequest(
        request,
        reference or (read_landmarks(experts[0]).specimen if experts else None),
        experts[0].absolute() if experts else None,
        least,
        on_surface,
        overwrite,
        not (never_mirrored or in_pairs),
        tuple(path.absolute() for path in experts[1:]),
        in_pairs,
        estimate_missing,
        same_scale,
        notes,
    )
    sys.exit(run_match(found, asked, output, execution, quiet))


def _notes_on(expert: Path, reference: str | None, found: Findings) -> tuple[str, ...]:
    """What is said of an expert's file that is of another specimen than the reference.

    Raises
    ------
    SettingsError
        That specimen is among the scans, and should be the reference.
    """
    if reference is None:
        return ()
    specimen = read_landmarks(expert).specimen.rpartition("/")[2]
    names = {each.key.rpartition("/")[2] for each in found.specimens}
    if specimen != reference.rpartition("/")[2] and specimen in names:
        raise SettingsError(
            f"{expert} has landmarks of {specimen}, but --reference is {reference}. Leave out "
            f"--reference, or name {specimen}."
        )
    notes = note_of_another(expert, reference, "reference")
    for note in notes:
        warn(note)
    return notes


def run_match(
    found: Findings, asked: MatchRequest, output: Path, execution: Execution, quiet: bool
) -> int:
    """Match the scans, print a summary, and return the exit code.

    Raises
    ------
    SettingsError
        There is no such reference, nothing can be read, or the folder belongs to another run.
    ClusterError
        The workers are gone.
    LandmarkFileError
        A result cannot be written, or an expert's landmarks cannot be used.
    """
    began, start = datetime.now(UTC), time.monotonic()
    if not asked.force:
        check_own_folder(output, f"{HIDDEN}/{COMMAND}", RESULTS)
    with stored_run(output, "match", execution, quiet) as (journal, store, jobs, log):
        try:
            run = match_folder(found, asked, output, journal, jobs, log)
        except StoppedError:
            print_stopped()
            return STOPPED
        notes = write_results(run, asked, output, sys.argv, began)
        notes += update_estimates(run.entries, output, wanted=asked.estimate_missing)
        store.forget_others()
    for note in notes:
        warn(note)
    if not quiet:
        print_match(run, output, time.monotonic() - start)
    return 0 if all(map(is_matched, run.entries)) else SOME_FAILED
