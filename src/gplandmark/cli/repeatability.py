# SPDX-License-Identifier: MIT
"""``gplandmark repeatability``: how far landmarks move if the mesh changes."""

from pathlib import Path

import click
import numpy as np

from gplandmark.cli.options.common import (
    PATH,
    between_vertices_option,
    file_option,
    headed_command,
)
from gplandmark.cli.options.method import ChosenMethod, method_options
from gplandmark.cli.options.paths import check_outputs
from gplandmark.cli.options.scans import cleaning_options
from gplandmark.cli.tables import percent, print_table, print_title, rounded
from gplandmark.io.csv_tables import table_text
from gplandmark.io.files import write_atomically
from gplandmark.io.scans import read
from gplandmark.io.scans.rules import Rules
from gplandmark.landmarks.place import DEFAULT_COUNT
from gplandmark.landmarks.repeatability import COLUMNS, NEAR
from gplandmark.landmarks.repeatability import repeatability as stability_of


@headed_command
@click.argument("surface", type=PATH)
@click.option("-n", "--count", default=DEFAULT_COUNT, help="Number of landmarks.")
@file_option("--csv", "table", help="Write the numbers to this .csv file.")
@between_vertices_option
@click.option("--seed", default=0, help="Seed for the noise.")
@method_options
@cleaning_options
def repeatability(
    surface: Path,
    count: int,
    table: Path | None,
    between_vertices: bool,
    seed: int,
    method: ChosenMethod,
    rules: Rules,
) -> None:
    """Place landmarks on the scan SURFACE and on other meshes of it, and report how far they move.

    The other meshes have every triangle split into four, half the triangles, or vertices that are
    moved at random by a tenth of an edge. Distances are from each landmark to the nearest one on
    the other mesh, in file units. Repeated measurements by people are compared with
    'gplandmark analyze --repeats'.

    \b
    Examples:
      gplandmark repeatability tooth.ply
      gplandmark repeatability tooth.ply -n 60 --between-vertices --csv stability.csv
    """
    check_outputs(table, None, (surface,), COLUMNS)
    scan = read(surface, rules)
    found = stability_of(
        scan, count, settings=method.settings, between_vertices=between_vertices, seed=seed
    )
    if table is not None:
        write_atomically({table: table_text(COLUMNS, [each.row() for each in found])})
    print_title(f"{scan.name}: {count} landmarks on other meshes")
    print_table(
        ("mesh", "vertices", "median", "90 %", "largest", f"within {NEAR:g} sqrt(area)"),
        (
            (each.name, f"{each.vertices:,}",
             *map(rounded, (*np.quantile(each.distances, [0.5, 0.9]), each.distances.max())),
             percent(each.stayed))
            for each in found
        ),
    )  # fmt: skip
