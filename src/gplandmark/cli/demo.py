# SPDX-License-Identifier: MIT
"""``gplandmark demo``: the complete method on a synthetic molar."""

import shlex
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import numpy as np

from gplandmark.cli.options.common import file_option, headed_command, quiet_option
from gplandmark.cli.progress import landmark_progress
from gplandmark.cli.summaries import print_landmarks
from gplandmark.cli.tables import print_rows
from gplandmark.cli.terminal import echo
from gplandmark.errors import SettingsError
from gplandmark.io.files import write_atomically
from gplandmark.io.scans import as_ply, read
from gplandmark.io.write_landmarks import write
from gplandmark.landmarks import Landmarks
from gplandmark.landmarks import place as place_landmarks
from gplandmark.mesh import surface_area
from gplandmark.mesh.synthetic import Molar, MolarShape, make_molar

PROPORTIONS = {
    "length": "Length of the crown, in mm.",
    "width": "Width of the crown, in mm.",
    "wall_height": "Height of the wall, from the rim to the brow, in mm.",
    "cusp_height": "Height of the tallest cusp above the brow, in mm.",
    "ridge_height": "Height of the crests, as a fraction of the cusps.",
    "basin_depth": "Depth of the basin below the brow, in mm.",
    "variation": "How much individuals differ.",
}


def shape_options(command: Any) -> Any:
    """Add an option for each proportion of a molar."""
    for each in reversed(fields(MolarShape)):
        command = click.option(
            f"--{each.name.replace('_', '-')}", default=each.default,
            help=PROPORTIONS[each.name],
        )(command)  # fmt: skip
    return command


@headed_command
@file_option(
    "-o",
    "--output",
    default=Path("gplandmark-demo"),
    metavar="FOLDER",
    help="Folder to write to; created if needed.",
)
@click.option("-n", "--count", default=40, help="Number of landmarks.")
@click.option("--seed", default=0, help="Which individual to make; 0 is the standard shape.")
@click.option(
    "--specimens", default=1, help="Make a family of this many individuals, starting at --seed."
)
@click.option("--vertices", default=5000, help="Approximate number of vertices.")
@quiet_option
@shape_options
def demo(
    output: Path, count: int, seed: int, specimens: int, vertices: int, quiet: bool, **shape: float
) -> None:
    """Make a synthetic molar, place landmarks on it and write the files.

    The molar has five cusps at known places, ridges, a basin and an open rim. The positions of
    its cusps are written as well, in the same order for every individual of a family.

    \b
    Examples:
      gplandmark demo
      gplandmark demo --specimens 5 --output family
    """
    if specimens < 1:
        raise SettingsError(f"The number of specimens must be at least 1, got {specimens}.")
    if not 1 <= count <= vertices:
        raise SettingsError(f"The number of landmarks must be from 1 to {vertices:,}, got {count}.")
    proportions = MolarShape(**shape)
    molars = [
        make_molar(each, vertex_count=vertices, shape=proportions)
        for each in range(seed, seed + specimens)
    ]
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"{output} cannot be created ({error.strerror}). Choose another folder."
        ) from None
    for molar in molars:
        _one(molar, output, count, quiet)
    if not quiet:
        _next_steps(output / f"{molars[0].surface.name}.ply")


def _one(molar: Molar, folder: Path, count: int, quiet: bool) -> None:
    name = molar.surface.name
    scan = folder / f"{name}.ply"
    write_atomically({scan: as_ply(molar.surface)})
    write(Landmarks.at(molar.cusps, name, labels=molar.cusp_names), folder / f"{name}-cusps.csv")
    began = time.perf_counter()
    surface = read(scan)
    with landmark_progress(count, shown=not quiet) as progress:
        landmarks = place_landmarks(surface, count, progress=progress)
    write(landmarks, folder / f"{name}.mrk.json")
    table, record = write(landmarks, folder / f"{name}.csv")
    if quiet:
        return
    print_landmarks(
        landmarks, (scan, folder / f"{name}.mrk.json", table, record), time.perf_counter() - began
    )
    found = np.linalg.norm(molar.cusps[:, None] - landmarks.points, axis=2).min(axis=1)
    near = 0.05 * np.sqrt(surface_area(surface))
    close = int(np.count_nonzero(found < near))
    print_rows([("cusps", f"{close} of {len(found)} have a landmark within {near:.2f} mm")])


def _next_steps(scan: Path) -> None:
    named = shlex.quote(str(scan))
    echo(
        "",
        "To try next:",
        f"  gplandmark view {named}   in the browser (needs the extra 'viewer')",
        f"  gplandmark place {named} --until 0.05 -o more.csv   until 5 % of the variance remains",
        f"  gplandmark place {named} --weight uniform -o even.csv   spaced by area only",
        "  gplandmark place your-scan.ply -n 40 -o your-scan.mrk.json   your own specimen",
        "Open the .ply and the .mrk.json together in 3D Slicer, or the .csv in R.",
    )
