# SPDX-License-Identifier: MIT
"""``gplandmark predict``: an expert's landmarks on all scans, from a few annotated ones."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from gplandmark.cli.folder_runs import SOME_FAILED, STOPPED, print_stopped, stored_run
from gplandmark.cli.options.common import (
    PATH,
    format_option,
    headed_command,
    output_option,
    quiet_option,
)
from gplandmark.cli.options.matching import estimate_option, matching_options
from gplandmark.cli.options.parallel import Execution, worker_options
from gplandmark.cli.options.paths import missing_option, read_homologous
from gplandmark.cli.options.scans import checked_extension, cleaning_options
from gplandmark.cli.prediction_output import print_prediction, print_suggestions
from gplandmark.errors import ScanError, SettingsError, warn
from gplandmark.io.missing_codes import Codes
from gplandmark.io.overwrite import check_own_folder
from gplandmark.io.scans.rules import Rules
from gplandmark.io.volumes.volume_files import is_volume
from gplandmark.landmarks import Landmarks
from gplandmark.runs.discover import HIDDEN, Findings, ScanFile, find_scans
from gplandmark.runs.job_runner import StoppedError
from gplandmark.runs.journal import read_entries
from gplandmark.runs.label_maps import with_labels
from gplandmark.runs.matched.estimated_landmarks import ESTIMATED, update_estimates
from gplandmark.runs.matched.predict import PredictRequest, PredictResult, predict_folder
from gplandmark.runs.matched.prediction_files import write_prediction_results
from gplandmark.runs.matched.sample_files import is_matched
from gplandmark.runs.result_scans import volume_of_entry
from gplandmark.runs.run_folder import COMMAND, check_command, command_of

RESULTS = (
    "report.html", "summary.csv", "expected_errors.csv", "leave_one_out.csv", "suggestions.csv",
    "distances.csv", "run.json", ESTIMATED,
)  # fmt: skip
SUGGESTED = 3  # by default

UNLEARNT = "number 7 of one specimen is not number 7 of another, so nothing can be learned."


@headed_command
@click.argument("scans", type=PATH)
@click.argument("experts", required=False, type=PATH)
@output_option("Folder for the results; created if needed. Required with EXPERTS.", "FOLDER")
@click.option(
    "--suggest",
    "suggestions",
    type=click.IntRange(0),
    metavar="N",
    help="Name N specimens to annotate next. EXPERTS may then be left out.  "
    f"[default: {SUGGESTED} with EXPERTS]",
    show_default=False,
)
@missing_option
@format_option
@matching_options
@estimate_option
@cleaning_options
@worker_options
@quiet_option
def predict(
    scans: Path,
    experts: Path | None,
    output: Path | None,
    suggestions: int | None,
    missing: Codes,
    extension: str,
    least: float,
    never_mirrored: bool,
    same_scale: bool,
    on_surface: bool,
    overwrite: bool,
    estimate_missing: bool,
    rules: Rules,
    execution: Execution,
    quiet: bool,
) -> None:
    """Put the landmarks of EXPERTS on all scans of the folder SCANS.

    EXPERTS is a folder with landmark files of some of the scans, or one file with all of them;
    landmarks may be missing. SCANS may be a folder of 'gplandmark match', whose maps are reused.
    Every expert's landmarks are carried to every other scan and combined. Each annotated specimen
    is also predicted from the others: this shows how best to combine them, and the errors that
    you may expect. Each landmark has an expected error, and is missing where it is too uncertain.
    Points of curves are put at equal distances on every specimen, annotated ones included.

    Then look at report.html, correct some of the predictions ('gplandmark view FOLDER', or 3D
    Slicer), and list these specimens in FOLDER/checked.txt, one per line. Run the same command
    again: they count as annotated. Nothing that a person changed is overwritten.

    If interrupted, run the same command again to resume. The exit code is 3 if some scans failed
    or got no landmark.

    \b
    Examples:
      gplandmark predict scans --suggest 5
      gplandmark predict scans expert -o predicted
      gplandmark predict scans expert.csv -o predicted --suggest 10
    """
    if experts is None and not suggestions and output is None:
        raise SettingsError(
            "Name the experts' landmarks, or ask which specimens to annotate with --suggest 5."
        )
    if experts is not None and output is None:
        raise SettingsError("Name the folder for the results with -o.")
    if experts is None and output is not None:
        warn("Nothing is predicted without annotated specimens. Name their landmarks as EXPERTS.")
    count = suggestions if suggestions is not None else SUGGESTED
    asked = PredictRequest(
        rules, checked_extension(extension), least, on_surface, overwrite, not never_mirrored,
        count, estimate_missing, same_scale,
    )  # fmt: skip
    given = [] if experts is None else read_homologous([experts], UNLEARNT, missing=missing)
    with _folder(output) as folder:
        sys.exit(_run(scans, given, asked, folder, execution, quiet, is_kept=output is not None))


@contextmanager
def _folder(output: Path | None) -> Iterator[Path]:
    """The folder of results, or one that is removed."""
    if output is not None:
        yield output
        return
    with TemporaryDirectory(prefix="gplandmark-") as folder:
        yield Path(folder)


def _run(
    scans: Path,
    given: list[Landmarks],
    asked: PredictRequest,
    output: Path,
    execution: Execution,
    quiet: bool,
    *,
    is_kept: bool,
) -> int:
    """Predict, print a summary, and return the exit code."""
    began, start = datetime.now(UTC), time.monotonic()
    found, earlier = _find(scans, output, asked.rules)
    check_command(output, "predict")
    if not asked.force:
        check_own_folder(output, f"{HIDDEN}/{COMMAND}", RESULTS)
    with stored_run(output, "predict", execution, quiet, earlier) as (journal, store, jobs, log):
        try:
            run = predict_folder(found, given, asked, output, journal, jobs, log, earlier)
        except StoppedError:
            print_stopped()
            return STOPPED
        notes: list[str] = []
        if run.predicted is not None:
            notes = write_prediction_results(run, asked, output, sys.argv, began)
            notes += update_estimates(run.entries, output, wanted=asked.estimate_missing)
        store.forget_others()
    for note in notes:
        warn(note)
    return _finish(run, output if is_kept else None, time.monotonic() - start, quiet)


def _finish(run: PredictResult, output: Path | None, seconds: float, quiet: bool) -> int:
    if run.predicted is None or output is None:
        print_suggestions(run, quiet)
        return 0
    if not quiet:
        print_prediction(run, output, seconds)
    return 0 if all(map(is_matched, run.entries)) else SOME_FAILED


def _find(scans: Path, output: Path, rules: Rules) -> tuple[Findings, Path | None]:
    """The scans of a folder; or those of a folder of 'match', and that folder."""
    if scans.is_file() and not is_volume(scans):
        raise ScanError(f"{scans} is one file. Name the folder with all scans.")
    command = command_of(scans)
    if command == "":
        return with_labels(find_scans((scans,), output), rules), None
    if command != "match":
        raise ScanError(
            f"{scans} is what 'gplandmark {command}' wrote. Name the folder of the scans, or one "
            "of 'gplandmark match'."
        )
    found = Findings()
    found.specimens = sorted(
        ScanFile(entry.key, Path(entry.file), volume_of_entry(entry))
        for entry in read_entries(scans).values()
        if entry.kind != "gone"
    )
    if lost := [each for each in found.specimens if not each.path.exists()]:
        raise ScanError(
            f"{scans} was made of {lost[0].path}, which is not there any more. Run this in "
            "the folder where 'gplandmark match' ran, or name the folder of the scans."
        )
    return found, scans
