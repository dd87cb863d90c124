# SPDX-License-Identifier: MIT
"""``gplandmark pairs``: landmarks on a bilaterally symmetric scan, in pairs and on the midline."""

import json
import time
import warnings
from pathlib import Path
from typing import Any

import click

from gplandmark.cli.options.common import overwrite_option, quiet_option
from gplandmark.cli.options.groups import HeadedCommand
from gplandmark.cli.options.method import method_options, settings_from
from gplandmark.cli.options.scans import cleaning_options, region_options
from gplandmark.cli.terminal import progress_bar, summary
from gplandmark.errors import GplandmarkWarning
from gplandmark.io.files import check_writable, write_atomically
from gplandmark.io.landmark_files import format_of, read_landmarks, writer_of
from gplandmark.io.overwrite import check_own_landmarks, check_own_record, check_own_text
from gplandmark.io.record_files import record_text
from gplandmark.io.region_files import RegionOptions, read_weight, regions_from, six_numbers
from gplandmark.io.scans import read, specimen_name
from gplandmark.io.scans.rules import rules_called
from gplandmark.io.write_landmarks import write
from gplandmark.landmarks.place import DEFAULT_COUNT
from gplandmark.landmarks.symmetry import PairedLandmarks, place_pairs, plane_through
from gplandmark.landmarks.symmetry.paired_landmarks import pairs_table

__all__ = ["pairs"]


@click.command(
    cls=HeadedCommand, short_help="Landmarks in pairs on a bilaterally symmetric specimen."
)
@click.argument("surface", type=click.Path(path_type=Path))
@click.option(
    "-n", "--count", type=int, default=DEFAULT_COUNT, show_default=True,
    help="How many landmarks at most; a pair is not cut in two.",
)  # fmt: skip
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE",
    help="Where to write: .mrk.json for 3D Slicer, .csv for R. The pairs are written beside it.  "
    "[default: SURFACE.mrk.json in the current folder]",
)  # fmt: skip
@click.option(
    "--plane", metavar="X,Y,Z,NX,NY,NZ",
    help="The plane of symmetry: a point of it, and its normal towards the side called L.  "
    "[default: found]",
)  # fmt: skip
@method_options
@cleaning_options
@region_options
@overwrite_option("Replace landmarks that are not our own.")
@quiet_option
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def pairs(
    surface: Path,
    count: int,
    output: Path | None,
    plane: str | None,
    preset: str,
    weight: str | None,
    clean: str,
    components: str | None,
    overwrite: bool,
    quiet: bool,
    as_json: bool,
    **changes: Any,
) -> None:
    """Place landmarks on the scan SURFACE of a bilaterally symmetric specimen.

    Landmarks come in pairs, 1L and 1R, or alone on the midline, 2M. The table of pairs that
    geomorph's bilat.symmetry takes as land.pairs is written beside them, as NAME.pairs.csv. A
    specimen that is not symmetric is refused, unless its plane is given.

    \b
    Examples:
      gplandmark pairs skull.ply -n 40 -o skull.csv
      gplandmark pairs skull.ply --outer-only --plane 0,0,0,1,0,0
    """
    output = output or Path(f"{specimen_name(surface)}.mrk.json")
    writer_of(output)
    ending, _ = format_of(output)
    table = output.with_name(output.name[: -len(ending)] + ".pairs.csv")
    for path in (output, table):
        check_writable(path)
    if not overwrite:
        check_own_landmarks(output, specimen_name(surface))
        check_own_text(table, _earlier_table(output), output)
    if quiet:
        warnings.simplefilter("ignore", GplandmarkWarning)
    asked = RegionOptions.taken_from(changes)
    settings, weight_file = settings_from(preset, weight, changes)
    known = None if plane is None else six_numbers("--plane", plane)
    began = time.perf_counter()
    scan = read(surface, rules_called(clean, components))
    with progress_bar(count, shown=not quiet) as progress:
        paired = place_pairs(
            scan,
            count,
            plane=None if known is None else plane_through(scan, *known),
            settings=settings,
            weight=None if weight_file is None else read_weight(weight_file),
            regions=regions_from(asked, scan, surface),
            progress=progress,
        )
    if not overwrite:
        check_own_record(paired.landmarks, output)
    written = (*write(paired.landmarks, output, overwrite=True), table)
    write_atomically({table: paired.table()})
    if as_json:
        content = json.loads(record_text(paired.landmarks))
        click.echo(json.dumps({**content, "written": [str(path) for path in written]}, indent=1))
    elif not quiet:
        summary(paired.landmarks, written, time.perf_counter() - began)
        _say(paired)


def _say(paired: PairedLandmarks) -> None:
    plane = paired.plane
    how = "found" if plane.is_found else "given"
    click.echo(f"  {'pairs':<10} {len(paired.pairs)}, and {len(paired.midline)} on the midline")
    click.echo(
        f"  {'symmetry':<10} plane {how}, mirror image off by {plane.residual:.2g} sqrt(area)"
    )


def _earlier_table(output: Path) -> str | None:
    """The table of pairs that was written with landmarks; None if there is none."""
    pairs = read_landmarks(output).record.outcome.get("pairs") if output.exists() else None
    return None if pairs is None else pairs_table(pairs)
