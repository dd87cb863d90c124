# SPDX-License-Identifier: MIT
"""``gplandmark study``: the variance curve of a whole folder of scans."""

import time
from pathlib import Path

import click

from gplandmark.cli.options.common import PATH, headed_command, output_option, overwrite_option
from gplandmark.cli.options.parallel import workers_for, workers_option
from gplandmark.cli.options.paths import make_for_results
from gplandmark.cli.options.scans import cleaning_options
from gplandmark.cli.progress import item_progress
from gplandmark.cli.tables import percent, print_rows, print_table, print_title
from gplandmark.errors import warn
from gplandmark.io.files import write_atomically
from gplandmark.io.formatting import counted
from gplandmark.io.overwrite import check_own_folder
from gplandmark.io.scans.rules import Rules
from gplandmark.landmarks.variance_curve import Study, deviation
from gplandmark.runs.study import scans_in, study_scans
from gplandmark.visual.charts.variance_charts import study_chart
from gplandmark.visual.pictures import check_picture, picture_bytes

WORTHWHILE = 5_000_000  # bytes of scans, some fifteen teeth, above which workers are started


@headed_command
@click.argument("folder", type=PATH)
@click.option("-n", "--count", default=150, help="Number of landmarks on each scan.")
@output_option(
    "Folder for study.png, study.pdf and the numbers; created if needed.", "FOLDER", required=True
)
@cleaning_options
@workers_option("0 for a few scans, otherwise one per processor")
@overwrite_option("Also replace files that are not from an earlier study.")
def study(
    folder: Path, count: int, output: Path, rules: Rules, workers: int | None, overwrite: bool
) -> None:
    """Show how fast the variance falls on all scans of FOLDER: figure 3 of the paper.

    Plots the mean squared prediction error against the number of landmarks, for the reweighted
    and the Euclidean kernel. The error is the largest remaining variance of each surface, as a
    fraction of its initial value, averaged over the scans. A band shows two standard deviations.
    Scans that cannot be used are reported and left out.

    \b
    Example:
      gplandmark study teeth -n 150 -o figure-3
    """
    scans = scans_in(folder)
    if not overwrite:
        check_own_folder(output, "study.csv", ("summary.csv", "study.png", "study.pdf"))
    make_for_results(output)
    check_picture(output / "study.png")
    began = time.perf_counter()
    with item_progress("Scans") as progress, workers_for(scans, workers, WORTHWHILE) as running:
        found = study_scans(scans, count, rules=rules, progress=progress, workers=running)
    seconds = time.perf_counter() - began
    for reason in found.failed.values():
        warn(f"Left out: {reason}")
    chart = study_chart(found)
    contents: dict[Path, str | bytes] = {
        output / "study.csv": found.table(),
        output / "summary.csv": found.summary(),
        output / "study.png": picture_bytes(chart, ".png"),
        output / "study.pdf": picture_bytes(chart, ".pdf"),
    }
    write_atomically(contents)
    total = len(found.specimens) + len(found.failed)
    print_title(f"{len(found.specimens)} of {counted(total, 'scan')}, {counted(count, 'landmark')}")
    print_table(
        ("largest remaining variance", *(f"{name} kernel" for name in found.largest)), _rows(found)
    )
    written = ", ".join(map(str, contents))
    print_rows([("time", f"{seconds:.1f} s"), ("written", written)], width=8, indent="")


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
