# SPDX-License-Identifier: MIT
"""A folder matched: the work, and what is said of it at the end."""

import shlex
import sys
import time
import warnings
from collections.abc import Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path

import click
import numpy as np

from gplandmark.cli.batch_output import tell_failed
from gplandmark.cli.options.groups import adding
from gplandmark.cli.options.workers import Labour
from gplandmark.cli.progress import logged, seeing_stages
from gplandmark.cli.terminal import number
from gplandmark.errors import ClusterError, GplandmarkWarning
from gplandmark.io.formatting import counted, printable
from gplandmark.io.overwrite import check_own_folder
from gplandmark.morphometrics.matching.carry import LEAST
from gplandmark.morphometrics.matching.dense_points import CORRESPONDENCE
from gplandmark.runs.discover import HIDDEN, Findings
from gplandmark.runs.engine import start_workers, stopped_by_signals
from gplandmark.runs.journal import Entry
from gplandmark.runs.matched.match import Asked, Matched, match_folder
from gplandmark.runs.matched.membership import store_path
from gplandmark.runs.matched.run_jobs import StoppedError, Workshop
from gplandmark.runs.matched.sample_tables import is_matched
from gplandmark.runs.matched.store import Store
from gplandmark.runs.matched.write_sample import write_results
from gplandmark.runs.reports.unusual_specimens import unusual
from gplandmark.runs.run_folder import COMMAND, opened

__all__ = ["matching_options", "run_match"]


SOME_FAILED, STOPPED = 3, 130
OWN = (
    "report.html", "summary.csv", "pairs.csv", "distances.csv", "expected_errors.csv", "run.json",
    CORRESPONDENCE,
)  # fmt: skip
OPTIONS = (
    click.option(
        "--least", type=click.FloatRange(0, 1), default=LEAST, show_default=True,
        help="Confidence below which a landmark is missing on a specimen.",
    ),
    click.option(
        "--never-mirrored", is_flag=True,
        help="No specimen is the mirror image of another, as with bones of one side.",
    ),
    click.option(
        "--on-surface", is_flag=True,
        help="Put all landmarks on the surface. By default those off it keep their offset.",
    ),
)  # fmt: skip

matching_options = adding(OPTIONS)


MOST_REASONS = 3  # outliers whose reasons are told on the terminal
SHOWN = 8  # names, and remarks, on the terminal; the report has all


def run_match(
    found: Findings,
    asked: Asked,
    output: Path,
    labour: Labour,
    quiet: bool,
) -> int:
    """Do the work, say what came of it, and return the exit code.

    Raises
    ------
    SettingsError
        There is no such reference, nothing can be read, or the folder is of another run.
    ClusterError
        The workers have gone.
    LandmarkFileError
        A result cannot be written, or an expert's landmarks cannot be used.
    """
    began, start = datetime.now(UTC), time.monotonic()
    if not asked.force:
        check_own_folder(output, f"{HIDDEN}/{COMMAND}", OWN)
    with ExitStack() as stack:
        stop = stack.enter_context(stopped_by_signals())
        journal = stack.enter_context(opened(output, "match"))
        store = stack.enter_context(closing(Store(store_path(output))))
        tell = stack.enter_context(logged(output / "run.log"))
        see = stack.enter_context(seeing_stages(shown=not quiet))
        machines = labour.machines
        workers = None if machines is None else stack.enter_context(start_workers(machines))
        shop = Workshop(store, workers, stop, see)
        try:
            run = match_folder(found, asked, output, journal, shop, tell)
            notes = write_results(run, asked, output, sys.argv, began)
            store.forget_others()
        except StoppedError:
            click.echo("Stopped. Nothing is lost: run the same command again to go on.", err=True)
            return STOPPED
        except ClusterError as error:
            raise ClusterError(
                f"{error} What is finished stands: run the same command again to go on."
            ) from None
    for note in notes:
        warnings.warn(note, GplandmarkWarning, stacklevel=1)
    if not quiet:
        _tell(run, output, time.monotonic() - start)
    return 0 if all(map(is_matched, run.entries)) else SOME_FAILED


def _tell(run: Matched, output: Path, seconds: float) -> None:
    """Say what was matched, what to look at, and what to do next."""
    failed = [entry for entry in run.entries if not entry.is_done]
    done = [entry for entry in run.entries if entry.is_done]
    tell_failed(failed)
    for remark in (*run.notes, *run.sample.remarks)[:SHOWN]:
        click.echo(f"note: {remark}", err=True)
    lost = [entry.key for entry in done if not is_matched(entry)]
    words = f"{counted(len(done) - len(lost), 'specimen')} matched"
    asides = f", {len(lost):,} not matched" if lost else ""
    asides += f", {len(failed):,} failed" if failed else ""
    click.echo(click.style(words, bold=True) + asides)
    lacking = [entry for entry in done if entry.facts.get("missing")]
    gone = sum(entry.facts["missing"] for entry in lacking)
    mirrored = [
        entry.key for entry in done if entry.facts.get("mirrored") and entry.key not in lost
    ]
    edited = [entry.key for entry in done if entry.reason]
    missing = f", {gone:,} missing on {counted(len(lacking), 'specimen')}" if gone else ""
    rows = [("not", f"{_some(lost)}: no landmark is certain enough")] if lost else []
    rows += [
        ("reference", run.reference),
        ("landmarks", f"{len(run.landmarks)} on each{missing}"),
        *_expected(run, done),
        ("mirrored", f"{len(mirrored)}: {_some(mirrored)}" if mirrored else "none"),
        *([("edited", f"{_some(edited)}: left alone")] if edited else []),
        *_outliers(done),
        ("time", f"{seconds:.0f} s"),
        ("written", f"{output / 'report.html'}: look at it first"),
    ]
    if len(done) - len(lost) > 2:
        reflect = " --reflect" if mirrored else ""
        rows.append(("next", f"gplandmark analyze {shlex.quote(str(output))} -o shapes{reflect}"))
    for name, value in rows:
        click.echo(f"  {name:<10} {printable(value)}")


def _expected(run: Matched, done: Sequence[Entry]) -> list[tuple[str, str]]:
    """The expected error of the landmarks that were carried."""
    means = [
        (entry.facts["mean_expected_error"], entry.facts["mean_radius_90"])
        for entry in done
        if entry.key != run.reference and is_matched(entry) and "mean_radius_90" in entry.facts
    ]
    if not means:
        return []
    error, radius = np.median(means, axis=0)
    words = f"{number(error)} file units, and 90 % within {number(radius)} (median of specimens)"
    return [("expected", f"error {words}")]


def _outliers(done: Sequence[Entry]) -> list[tuple[str, str]]:
    """Who is out of line, and why; a wrong unit is among the reasons."""
    strange = unusual(done)
    rows = [("outlier", f"{each.key}: {' '.join(each.reasons)}") for each in strange[:MOST_REASONS]]
    more = [each.key for each in strange[MOST_REASONS:]]
    return [*rows, *([("outliers", f"{_some(more)}: the report says why")] if more else [])]


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
