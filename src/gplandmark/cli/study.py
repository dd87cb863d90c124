# SPDX-License-Identifier: MIT
"""``gplandmark study``: the variance curve of a whole folder of scans."""

import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from gplandmark.cli.folders import make_for_results
from gplandmark.cli.options.common import overwrite_option
from gplandmark.cli.options.groups import HeadedCommand
from gplandmark.cli.options.scans import cleaning_options
from gplandmark.cli.options.workers import workers_for, workers_option
from gplandmark.cli.tables import print_table
from gplandmark.cli.terminal import percent
from gplandmark.errors import GplandmarkWarning
from gplandmark.io.files import write_atomically
from gplandmark.io.formatting import counted
from gplandmark.io.overwrite import check_own_folder
from gplandmark.io.scans.rules import rules_called
from gplandmark.landmarks.variance_curve import Study, deviation
from gplandmark.runs.study import StudyProgress, scans_in, study_scans
from gplandmark.visual.charts.variance_charts import study_chart
from gplandmark.visual.pictures import check_picture, picture_bytes

__all__ = ["study"]

WORTHWHILE = 5_000_000  # bytes of scans, some fifteen teeth, that workers are started for


@click.command(
    cls=HeadedCommand, short_help="How fast the variance falls on all scans of a folder."
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "-n", "--count", type=int, default=150, show_default=True, help="Landmarks on each scan."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="OUT",
    help="Folder for study.png, study.pdf and the numbers, made if need be.",
)
@cleaning_options
@workers_option("0 for a few scans, else one for each processor")
@overwrite_option(
    "Replace files that are not of an earlier study; those of one are replaced anyway."
)
def study(
    folder: Path,
    count: int,
    output: Path,
    clean: str,
    components: str | None,
    workers: int | None,
    overwrite: bool,
) -> None:
    """Show how fast the variance falls on all scans of FOLDER: figure 3 of the paper.

    The mean squared prediction error against the number of landmarks, for the reweighted and
    the Euclidean kernel: the largest variance left on each surface, as a share of its start,
    averaged over the scans, with a band of two standard deviations. A scan that cannot be used
    is named and left out.

    \b
    Example:
      gplandmark study teeth -n 150 -o figure-3
    """
    rules = rules_called(clean, components)
    scans = scans_in(folder)
    if not overwrite:
        check_own_folder(output, "study.csv", ("summary.csv", "study.png", "study.pdf"))
    make_for_results(output)
    check_picture(output / "study.png")
    began = time.perf_counter()
    with _progress() as progress, workers_for(scans, workers, WORTHWHILE) as running:
        found = study_scans(scans, count, rules=rules, progress=progress, workers=running)
    seconds = time.perf_counter() - began
    for reason in found.failed.values():
        warnings.warn(f"Left out: {reason}", GplandmarkWarning, stacklevel=1)
    chart = study_chart(found)
    contents: dict[Path, str | bytes] = {
        output / "study.csv": found.table(),
        output / "summary.csv": found.summary(),
        output / "study.png": picture_bytes(chart, ".png"),
        output / "study.pdf": picture_bytes(chart, ".pdf"),
    }
    write_atomically(contents)
    total = len(found.specimens) + len(found.failed)
    click.echo(
        click.style(
            f"{len(found.specimens)} of {counted(total, 'scan')}, {counted(count, 'landmark')}",
            bold=True,
        )
    )
    print_table(
        ("largest variance left", *(f"{name} kernel" for name in found.largest)), _rows(found)
    )
    click.echo(f"time     {seconds:.1f} s")
    click.echo(f"written  {', '.join(map(str, contents))}")


def _rows(found: Study) -> list[tuple[str, ...]]:
    """Mean and standard deviation at a few numbers of landmarks."""
    longest = next(iter(found.largest.values())).shape[1]
    rows = []
    for count in sorted({each for each in (1, 10, 20, 50, 100) if each < longest} | {longest}):
        cells = [
            f"{percent(curves[:, count - 1].mean())} ± {percent(deviation(curves)[count - 1])}"
            for curves in found.largest.values()
        ]
        rows.append((f"after {count}", *cells))
    return rows


@contextmanager
def _progress() -> Iterator[StudyProgress | None]:
    """Yield a callback that draws a bar on the error stream if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Scans")

        def advance(done: int, total: int, name: str) -> None:
            bar.update(task, completed=done, total=total, description=name)

        yield advance
