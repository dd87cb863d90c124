# SPDX-License-Identifier: MIT
"""``gplandmark curve``: how many landmarks are enough."""

from pathlib import Path

import click

from gplandmark.cli.options.common import PATH, HeadedCommand
from gplandmark.cli.options.method import ChosenMethod, method_options
from gplandmark.cli.options.paths import check_plot, check_table, table_options
from gplandmark.cli.options.scans import cleaning_options
from gplandmark.cli.progress import landmark_progress
from gplandmark.cli.tables import percent, print_table, print_title
from gplandmark.io.files import write_atomically
from gplandmark.io.scans import read
from gplandmark.io.scans.rules import Rules
from gplandmark.landmarks import place
from gplandmark.landmarks.variance_curve import COLUMNS, Curve, variance_curve
from gplandmark.visual.charts.variance_charts import curve_chart
from gplandmark.visual.pictures import picture_bytes

__all__ = ["curve"]


@click.command(cls=HeadedCommand, short_help="Find out how many landmarks a scan needs.")
@click.argument("surface", type=PATH)
@click.option(
    "-n",
    "--count",
    type=int,
    default=150,
    show_default=True,
    help="Number of landmarks on the curve.",
)
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
    if table is not None:
        check_table(table, (surface,), COLUMNS)
    if plot is not None:
        check_plot(plot)
    scan = read(surface, rules)
    with landmark_progress(count, shown=True) as progress:
        landmarks = place(
            scan,
            count,
            settings=method.settings,
            weight=method.read_weight(),
            progress=progress,
        )
    found = variance_curve(landmarks)
    contents: dict[Path, str | bytes] = {}
    if table is not None:
        contents[table] = found.table()
    if plot is not None:
        contents[plot] = picture_bytes(curve_chart(found, scan.name), plot.suffix.lower())
    if contents:
        write_atomically(contents)
    print_title(f"{scan.name}: {len(landmarks)} landmarks placed")
    print_table(("largest remaining variance", "landmarks"), _rows(found))


def _rows(found: Curve) -> list[tuple[str, str]]:
    longest = len(found.fractions) - 1
    rows = [
        (f"{100 * fraction:g} % of initial", f"more than {longest}" if at is None else str(at))
        for fraction, at in found.reached.items()
    ]
    if found.knee is not None:
        rows.append((f"{percent(found.fractions[found.knee])}, the knee", str(found.knee)))
    return [*rows, (f"{percent(found.fractions[-1])}, the end of the curve", str(longest))]
