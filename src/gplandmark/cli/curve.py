# SPDX-License-Identifier: MIT
"""``gplandmark curve``: how many landmarks are enough."""

from pathlib import Path

import click

from gplandmark.cli.options.common import PATH, headed_command
from gplandmark.cli.options.method import ChosenMethod, method_options
from gplandmark.cli.options.paths import check_outputs, table_options, write_outputs
from gplandmark.cli.options.scans import cleaning_options
from gplandmark.cli.progress import landmark_progress
from gplandmark.cli.tables import percent, print_table, print_title
from gplandmark.io.scans import read
from gplandmark.io.scans.rules import Rules
from gplandmark.landmarks import place
from gplandmark.landmarks.variance_curve import COLUMNS, VarianceCurve, variance_curve
from gplandmark.visual.charts.variance_charts import curve_chart


@headed_command
@click.argument("surface", type=PATH)
@click.option("-n", "--count", default=150, help="Number of landmarks on the curve.")
@table_options
@method_options
@cleaning_options
def curve(
    surface: Path,
    count: int,
    table: Path | None,
    plot: Path | None,
    method: ChosenMethod,
    rules: Rules,
) -> None:
    """Find out how many landmarks the scan SURFACE needs.

    Places landmarks and reports how many bring the largest variance below 50, 20, 10 and 5 % of
    its initial value, and where the curve has its knee. The knee is the point farthest below the
    straight line between the ends of the curve, with the variance on a logarithmic scale. It
    depends on the length of the curve.

    \b
    Examples:
      gplandmark curve tooth.ply
      gplandmark curve tooth.ply -n 300 --csv curve.csv --plot curve.pdf
    """
    check_outputs(table, plot, (surface,), COLUMNS)
    scan = read(surface, rules)
    with landmark_progress(count, shown=True) as progress:
        landmarks = place(
            scan, count, settings=method.settings, weight=method.read_weight(), progress=progress
        )
    found = variance_curve(landmarks)
    write_outputs(table, found.table(), plot, lambda: curve_chart(found, scan.name))
    print_title(f"{scan.name}: {len(landmarks)} landmarks placed")
    print_table(("largest remaining variance", "landmarks"), _rows(found))


def _rows(found: VarianceCurve) -> list[tuple[str, str]]:
    longest = len(found.fractions) - 1
    rows = [
        (f"{100 * fraction:g} % of initial", f"more than {longest}" if at is None else str(at))
        for fraction, at in found.reached.items()
    ]
    if found.knee is not None:
        rows.append((f"{percent(found.fractions[found.knee])}, the knee", str(found.knee)))
    return [*rows, (f"{percent(found.fractions[-1])}, the end of the curve", str(longest))]
