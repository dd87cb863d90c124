# SPDX-License-Identifier: MIT
"""``gplandmark place``: landmarks on one scan."""

import time
from dataclasses import replace
from pathlib import Path

import click

from gplandmark.cli.options.common import (
    PATH,
    between_vertices_option,
    count_options,
    file_option,
    headed_command,
    json_option,
    output_option,
    overwrite_option,
    quiet_option,
    seed_option,
)
from gplandmark.cli.options.method import (
    GAUSSIAN_PROCESS,
    ChosenMethod,
    check_alone,
    method_options,
)
from gplandmark.cli.options.scans import check_count, cleaning_options, region_options
from gplandmark.cli.progress import landmark_progress
from gplandmark.cli.summaries import print_as_json, print_landmarks
from gplandmark.io.files import check_writable
from gplandmark.io.landmark_formats.formats import check_dimension, writer_of
from gplandmark.io.overwrite import check_not_input, check_own_landmarks, check_own_record
from gplandmark.io.region_files import RegionOptions
from gplandmark.io.scans import read, specimen_name
from gplandmark.io.scans.rules import Rules
from gplandmark.io.vertex_lists import read_exclusion
from gplandmark.io.write_landmarks import write
from gplandmark.landmarks.baselines import SAMPLERS
from gplandmark.landmarks.place import DEFAULT_COUNT
from gplandmark.runs.place_request import Request, place_requested


@headed_command
@click.argument("surface", type=PATH)
@count_options(
    "Number of landmarks, including those of --start",
    "Stop when the largest variance has fallen to this fraction of its initial value, e.g. 0.05.",
)
@output_option(
    "Landmark file to write: .mrk.json for 3D Slicer, .csv or .tps for R, or another format.  "
    "[default: SURFACE.mrk.json in the current folder]"
)
@click.option(
    "--method",
    "sampler",
    type=click.Choice([GAUSSIAN_PROCESS, *SAMPLERS]),
    default=GAUSSIAN_PROCESS,
    help="The paper's method, or another sampler for comparison, which takes only -n and --seed.",
)
@method_options
@cleaning_options
@file_option(
    "--start", help="Landmarks that come first: a landmark file, or a text file of vertex indices."
)
@region_options
@between_vertices_option
@seed_option
@overwrite_option("Also replace landmark files that gplandmark did not write.")
@quiet_option
@json_option
def place(
    surface: Path,
    count: int | None,
    output: Path | None,
    target: float,
    sampler: str,
    method: ChosenMethod,
    rules: Rules,
    start: Path | None,
    regions: RegionOptions,
    between_vertices: bool,
    seed: int | None,
    overwrite: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Place landmarks on the scan SURFACE (PLY, OBJ, STL, OFF, VTK, GLB; points as XYZ, CSV, NPY).

    SURFACE may be compressed (.gz), and - is the standard input. Vertex indices always refer to
    the original scan, even if cleaning removes vertices.

    Landmarks are in the coordinates and units of the scan, the most informative first: the first
    20 of 40 are those that -n 20 would give. A record of how they were placed is written next
    to them.

    \b
    Examples:
      gplandmark place tooth.ply -n 40 -o tooth.mrk.json
      gplandmark place tooth.ply --until 0.05 -o tooth.csv
      gplandmark place cloud.xyz -n 40 -o cloud.csv
      gplandmark place tooth.ply -n 60 --start expert.mrk.json -o tooth.csv
    """
    specimen = specimen_name(surface, rules.volume)
    output = output or Path(f"{specimen}.mrk.json")
    writer_of(output)
    check_writable(output)
    check_not_input(output, [surface])
    if not overwrite:
        check_own_landmarks(output, specimen)
    began = time.perf_counter()
    if sampler != GAUSSIAN_PROCESS:
        check_alone(sampler, method, regions, (start, target, between_vertices))
    scan = read(surface, rules)
    check_dimension(output, scan.points.shape[1])
    if count is not None:
        check_count(count, scan)
    if sampler != GAUSSIAN_PROCESS:
        landmarks = SAMPLERS[sampler](scan, count or DEFAULT_COUNT, seed=seed)
    else:
        wanted = count or (None if target else DEFAULT_COUNT)
        with landmark_progress(wanted, shown=not quiet) as progress:
            request = Request(
                count,
                target,
                method.settings,
                rules,
                replace(regions, exclude=None),
                method.weight_file,
                start,
                between_vertices,
                seed,
            )
            excluded = () if regions.exclude is None else read_exclusion(regions.exclude)
            landmarks = place_requested(scan, surface, request, exclude=excluded, progress=progress)
    if not overwrite:
        check_own_record(landmarks, output)
    written = write(landmarks, output, overwrite=True)  # what may be replaced was checked before
    if as_json:
        print_as_json(landmarks, written)
    elif not quiet:
        print_landmarks(landmarks, written, time.perf_counter() - began)
