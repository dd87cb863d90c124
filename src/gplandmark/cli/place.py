# SPDX-License-Identifier: MIT
"""``gplandmark place``: landmarks on one scan."""

import json
import time
import warnings
from pathlib import Path
from typing import Any

import click

from gplandmark.cli.options.common import count_options, overwrite_option, quiet_option
from gplandmark.cli.options.groups import HeadedCommand
from gplandmark.cli.options.method import (
    GAUSSIAN_PROCESS,
    check_alone,
    method_options,
    settings_from,
)
from gplandmark.cli.options.scans import cleaning_options, region_options
from gplandmark.cli.terminal import progress_bar, summary
from gplandmark.errors import GplandmarkWarning, SettingsError
from gplandmark.io.files import check_writable
from gplandmark.io.landmark_files import check_dimension, writer_of
from gplandmark.io.overwrite import check_not_input, check_own_landmarks, check_own_record
from gplandmark.io.record_files import record_text
from gplandmark.io.region_files import RegionOptions, read_exclusion, read_weight, regions_from
from gplandmark.io.scans import read, specimen_name
from gplandmark.io.scans.rules import rules_called
from gplandmark.io.start_landmarks import Start, read_start
from gplandmark.io.write_landmarks import write
from gplandmark.landmarks import Landmarks
from gplandmark.landmarks import place as place_landmarks
from gplandmark.landmarks.baselines import SAMPLERS
from gplandmark.landmarks.place import DEFAULT_COUNT
from gplandmark.mesh.surface import Surface

__all__ = ["place"]


@click.command(cls=HeadedCommand, short_help="Landmarks on a scan.")
@click.argument("surface", type=click.Path(path_type=Path))
@count_options(
    "How many landmarks, those of --start included",
    "Stop when the largest variance has fallen to this share of its start, as 0.05.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write: .mrk.json for 3D Slicer, .csv or .tps for R, or another landmark file.  "
    "[default: SURFACE.mrk.json in the current folder]",
)
@click.option(
    "--method",
    type=click.Choice([GAUSSIAN_PROCESS, *SAMPLERS]),
    default=GAUSSIAN_PROCESS,
    show_default=True,
    help="The paper's method, or another sampler to compare with; those take only -n and --seed.",
)
@method_options
@cleaning_options
@click.option(
    "--start",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Landmarks that come first: a landmark file, or a text file of vertex numbers.",
)
@region_options
@click.option(
    "--between-vertices",
    is_flag=True,
    help="Move each landmark to the largest variance on the triangles around its vertex.",
)
@click.option("--seed", type=int, help="Break ties at random; by default the lowest vertex wins.")
@overwrite_option("Replace landmarks that are not our own.")
@quiet_option
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def place(
    surface: Path,
    count: int | None,
    output: Path | None,
    target: float,
    method: str,
    preset: str,
    weight: str | None,
    clean: str,
    components: str | None,
    start: Path | None,
    exclude: Path | None,
    between_vertices: bool,
    seed: int | None,
    overwrite: bool,
    quiet: bool,
    as_json: bool,
    **changes: Any,
) -> None:
    """Place landmarks on the scan SURFACE (PLY, OBJ, STL, OFF, VTK, GLB; points as XYZ, CSV, NPY).

    SURFACE may be packed (.gz), and - is the standard input. Vertex numbers, of landmarks and of
    every other file, are those of the scan as it is, whatever cleaning leaves out.

    Landmarks come out in the scan's own coordinates and units, ordered by what they add:
    the first 20 of 40 are what asking for 20 would have given. The record of how they were
    made is written beside them.

    \b
    Examples:
      gplandmark place tooth.ply -n 40 -o tooth.mrk.json
      gplandmark place tooth.ply --until 0.05 -o tooth.csv
      gplandmark place cloud.xyz -n 40 -o cloud.csv
      gplandmark place tooth.ply -n 60 --start expert.mrk.json -o tooth.csv
    """
    output = output or Path(f"{specimen_name(surface)}.mrk.json")
    writer_of(output)
    check_writable(output)
    check_not_input(output, [surface])
    if not overwrite:
        check_own_landmarks(output, specimen_name(surface))
    if quiet:
        warnings.simplefilter("ignore", GplandmarkWarning)
    asked = RegionOptions.taken_from(changes)
    settings, weight_file = settings_from(preset, weight, changes)
    rules = rules_called(clean, components)
    began = time.perf_counter()
    if method != GAUSSIAN_PROCESS:
        given = (weight_file, start, exclude)
        check_alone(method, settings, given, asked, (target, between_vertices))
    scan = read(surface, rules)
    check_dimension(output, scan.points.shape[1])
    _check_count(count, scan)
    first = Start() if start is None else read_start(start, scan)
    for note in first.notes:
        warnings.warn(note, GplandmarkWarning, stacklevel=1)
    if method != GAUSSIAN_PROCESS:
        landmarks = SAMPLERS[method](scan, count or DEFAULT_COUNT, seed=seed)
        _finish(landmarks, output, overwrite, began, quiet, as_json)
        return
    with progress_bar(count or (None if target else DEFAULT_COUNT), shown=not quiet) as progress:
        landmarks = place_landmarks(
            scan,
            count,
            settings=settings,
            target=target,
            weight=None if weight_file is None else read_weight(weight_file),
            start=first.vertices,
            exclude=() if exclude is None else read_exclusion(exclude),
            regions=regions_from(asked, scan, surface),
            between_vertices=between_vertices,
            seed=seed,
            progress=progress,
        )
    _finish(first.remembered_by(landmarks), output, overwrite, began, quiet, as_json)


def _finish(
    landmarks: Landmarks, output: Path, overwrite: bool, began: float, quiet: bool, as_json: bool
) -> None:
    """Write the landmarks, and say so in the way that was asked for."""
    if not overwrite:
        check_own_record(landmarks, output)
    written = write(landmarks, output, overwrite=True)  # what may be replaced was checked before
    if as_json:
        content = json.loads(record_text(landmarks))
        click.echo(json.dumps({**content, "written": [str(path) for path in written]}, indent=1))
    elif not quiet:
        summary(landmarks, written, time.perf_counter() - began)


def _check_count(count: int | None, scan: Surface) -> None:
    """Refuse an impossible count before the work starts."""
    if count is not None and not 1 <= count <= scan.vertex_count:
        raise SettingsError(
            f"{scan.name}: the number of landmarks must be from 1 to {scan.vertex_count:,}, "
            f"the number of vertices, got {count}."
        )
