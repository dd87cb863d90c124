# SPDX-License-Identifier: MIT
"""``gplandmark compare``: sets of landmarks on one surface, side by side."""

from pathlib import Path

import click

from gplandmark.cli.options.common import PATH, file_option, headed_command
from gplandmark.cli.options.method import ChosenMethod, method_options
from gplandmark.cli.options.paths import check_outputs, table_options, write_outputs
from gplandmark.cli.options.scans import cleaning_options
from gplandmark.cli.tables import percent, print_table, print_title, rounded
from gplandmark.errors import warn
from gplandmark.io.scans import read
from gplandmark.io.scans.rules import Rules
from gplandmark.io.start_landmarks import read_sets
from gplandmark.landmarks import covariance, place
from gplandmark.landmarks.baselines import SAMPLERS
from gplandmark.landmarks.compare import COLUMNS, SetQuality, comparison_table
from gplandmark.landmarks.compare import compare as compare_sets
from gplandmark.mesh import surface_area
from gplandmark.mesh.surface import Surface
from gplandmark.visual.charts.variance_charts import comparison_chart

HEADER = (
    "landmarks", "count", "largest variance", "mean variance", "fill", "fill along surface",
    "to reference", "at most",
)  # fmt: skip


@headed_command
@click.argument("surface", type=PATH)
@click.argument("landmarks", nargs=-1, required=True, type=PATH)
@file_option(
    "--reference", help="Landmarks to measure distances from.  [default: the first LANDMARKS]"
)
@click.option(
    "--baselines",
    is_flag=True,
    help="Add our own landmarks and five other samplers, each with as many as the reference.",
)
@table_options
@method_options
@cleaning_options
def compare(
    surface: Path,
    landmarks: tuple[Path, ...],
    reference: Path | None,
    baselines: bool,
    table: Path | None,
    plot: Path | None,
    method: ChosenMethod,
    rules: Rules,
) -> None:
    """Compare landmark files on the scan SURFACE, e.g. an expert's with ours.

    For each file, the table has

    \b
    - the largest remaining variance, and its mean over the area, each as a fraction of its own
      initial value (so that the mean may be above the largest),
    - the fill distance: the largest distance from a point of the surface to the nearest landmark,
      in space and along the surface,
    - the mean and largest distance from a landmark of the reference to the nearest of these.

    Distances are in file units.

    \b
    Examples:
      gplandmark compare tooth.ply expert.csv tooth.mrk.json
      gplandmark compare tooth.ply expert.csv --baselines --csv table.csv --plot plot.pdf
    """
    first = reference or landmarks[0]
    paths = tuple(dict.fromkeys((first, *landmarks)))
    check_outputs(table, plot, (surface, *paths), COLUMNS)
    scan = read(surface, rules)
    weight = method.read_weight()
    sets = read_sets(scan, paths, SAMPLERS)
    name = next(iter(sets))
    if baselines:
        count = len(sets[name])
        sets["gaussian-process"] = place(scan, count, settings=method.settings, weight=weight)
        sets |= {each: sampler(scan, count) for each, sampler in SAMPLERS.items()}
    qualities = compare_sets(scan, covariance(scan, method.settings, weight), sets, name)
    content = comparison_table(qualities)
    write_outputs(table, content, plot, lambda: comparison_chart(qualities, scan.name))
    _note_offsets(qualities, scan)
    print_title(f"{scan.name}, distances from {name}")
    print_table(HEADER, map(_row, qualities))


def _note_offsets(qualities: tuple[SetQuality, ...], scan: Surface) -> None:
    size = surface_area(scan) ** 0.5
    for each in qualities:
        if each.off_surface > 1e-6 * size:
            warn(
                f"The landmarks of {each.name} lie up to {rounded(each.off_surface)} (file units) "
                f"off the surface, {percent(each.off_surface / size)} of its size; variances are "
                "those of the nearest vertices."
            )


def _row(each: SetQuality) -> tuple[str, ...]:
    return (
        each.name,
        str(each.landmarks),
        percent(each.largest_variance),
        percent(each.mean_variance),
        rounded(each.fill_distance),
        rounded(each.geodesic_fill_distance),
        rounded(each.reference_mean),
        rounded(each.reference_largest),
    )
