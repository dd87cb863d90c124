# SPDX-License-Identifier: MIT
"""``gplandmark pairs``: landmarks on a bilaterally symmetric scan, in pairs and on the midline."""

import time
from pathlib import Path

import click

from gplandmark.cli.options.common import (
    PATH,
    headed_command,
    json_option,
    output_option,
    overwrite_option,
    quiet_option,
)
from gplandmark.cli.options.method import ChosenMethod, method_options
from gplandmark.cli.options.scans import cleaning_options, region_options
from gplandmark.cli.progress import landmark_progress
from gplandmark.cli.summaries import print_as_json, print_landmarks
from gplandmark.cli.tables import print_rows
from gplandmark.io.files import check_writable, write_atomically
from gplandmark.io.landmark_files import read_landmarks
from gplandmark.io.landmark_formats.formats import format_of, writer_of
from gplandmark.io.overwrite import check_own_landmarks, check_own_record, check_own_text
from gplandmark.io.region_files import RegionOptions, regions_from, six_numbers
from gplandmark.io.scans import read, specimen_name
from gplandmark.io.scans.rules import Rules
from gplandmark.io.write_landmarks import write
from gplandmark.landmarks.place import DEFAULT_COUNT
from gplandmark.landmarks.symmetry import PairedLandmarks, place_pairs, plane_through
from gplandmark.landmarks.symmetry.paired_landmarks import pairs_table


@headed_command
@click.argument("surface", type=PATH)
@click.option(
    "-n", "--count", default=DEFAULT_COUNT,
    help="Maximum number of landmarks; a pair is never split.",
)  # fmt: skip
@output_option(
    "Landmark file to write: .mrk.json for 3D Slicer, .csv for R, or another format.  "
    "[default: SURFACE.mrk.json in the current folder]"
)
@click.option(
    "--plane", metavar="X,Y,Z,NX,NY,NZ",
    help="Plane of symmetry: a point on it, and its normal, which points to the side called L.  "
    "[default: found automatically]",
)  # fmt: skip
@method_options
@cleaning_options
@region_options
@overwrite_option("Also replace landmark files that gplandmark did not write.")
@quiet_option
@json_option
def pairs(
    surface: Path,
    count: int,
    output: Path | None,
    plane: str | None,
    method: ChosenMethod,
    rules: Rules,
    overwrite: bool,
    quiet: bool,
    as_json: bool,
    regions: RegionOptions,
) -> None:
    """Place landmarks on the scan SURFACE of a bilaterally symmetric specimen.

    Landmarks come in pairs, e.g. 1L and 1R, or singly on the midline, e.g. 2M. A table of the
    pairs is written next to them as NAME.pairs.csv; bilat.symmetry of geomorph takes it as
    land.pairs. A specimen that is not symmetric is refused unless --plane is given.

    \b
    Examples:
      gplandmark pairs skull.ply -n 40 -o skull.csv
      gplandmark pairs skull.ply --outer-only --plane 0,0,0,1,0,0
    """
    specimen = specimen_name(surface, rules.volume)
    output = output or Path(f"{specimen}.mrk.json")
    writer_of(output)
    extension, _ = format_of(output)
    table = output.with_name(output.name[: -len(extension)] + ".pairs.csv")
    for path in (output, table):
        check_writable(path)
    if not overwrite:
        check_own_landmarks(output, specimen)
        check_own_text(table, _earlier_table(output), output)
    known = None if plane is None else six_numbers("--plane", plane)
    began = time.perf_counter()
    scan = read(surface, rules)
    with landmark_progress(count, shown=not quiet) as progress:
        paired = place_pairs(
            scan,
            count,
            plane=None if known is None else plane_through(scan, *known),
            settings=method.settings,
            weight=method.read_weight(),
            regions=regions_from(regions, scan, surface),
            progress=progress,
        )
    if not overwrite:
        check_own_record(paired.landmarks, output)
    written = (*write(paired.landmarks, output, overwrite=True), table)
    write_atomically({table: paired.table()})
    if as_json:
        print_as_json(paired.landmarks, written)
    elif not quiet:
        print_landmarks(paired.landmarks, written, time.perf_counter() - began)
        _print_pairs(paired)


def _print_pairs(paired: PairedLandmarks) -> None:
    plane = paired.plane
    how = "found" if plane.is_found else "given"
    print_rows(
        [
            ("pairs", f"{len(paired.pairs)}, and {len(paired.midline)} on the midline"),
            ("symmetry", f"plane {how}, mirror image off by {plane.residual:.2g} sqrt(area)"),
        ]
    )


def _earlier_table(output: Path) -> str | None:
    """The table of pairs that was written with landmarks; None if there is none."""
    pairs = read_landmarks(output).record.outcome.get("pairs") if output.exists() else None
    return None if pairs is None else pairs_table(pairs)
