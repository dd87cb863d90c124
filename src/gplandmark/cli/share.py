# SPDX-License-Identifier: MIT
"""``gplandmark share``: a web page in one file, with a specimen and its landmarks."""

from pathlib import Path

import click

from gplandmark.cli.options.common import PATH, headed_command, output_option, overwrite_option
from gplandmark.cli.options.method import ChosenMethod, method_options
from gplandmark.cli.options.paths import check_order
from gplandmark.cli.options.scans import cleaning_options
from gplandmark.cli.terminal import echo
from gplandmark.errors import SettingsError
from gplandmark.io.files import check_writable, write_atomically
from gplandmark.io.formatting import counted
from gplandmark.io.overwrite import check_new
from gplandmark.io.scans import read, specimen_name
from gplandmark.io.scans.rules import Rules
from gplandmark.io.start_landmarks import read_sets
from gplandmark.visual.pictures.colour_maps import Method
from gplandmark.visual.pictures.landmark_sets import checked_sets
from gplandmark.visual.viewer import (
    SHARED_VERTICES,
    DisplayedSpecimen,
    display_mesh,
    shared_html,
    steps_of,
)

EXTENSIONS = (".html", ".htm")


@headed_command
@click.argument("surface", type=PATH)
@click.argument("landmarks", type=PATH)
@output_option("The .html file to write.  [default: SURFACE.html in the current folder]")
@overwrite_option("Replace an existing file.")
@click.option(
    "--display-vertices",
    default=SHARED_VERTICES,
    metavar="N",
    help="Draw at most this many vertices; more make a larger file.",
)
@method_options
@cleaning_options
def share(
    surface: Path,
    landmarks: Path,
    output: Path | None,
    overwrite: bool,
    display_vertices: int,
    method: ChosenMethod,
    rules: Rules,
) -> None:
    """Write one page that shows LANDMARKS on the scan SURFACE to anyone with a browser.

    The page needs no network and no other program. It opens with a double click, turns with the
    mouse, and plays the landmarks in order, with the variance that remains after each one.

    The page contains the shape of the specimen, with rounded coordinates and fewer vertices.
    Whoever has the page has the shape of the specimen.

    \b
    Example:
      gplandmark share tooth.ply tooth.mrk.json -o tooth.html
    """  # fmt: skip
    check_order(surface, landmarks)
    output = output or Path(f"{specimen_name(surface)}.html")
    _check_output(output, overwrite)
    scan = read(surface, rules)
    ((name, found),) = read_sets(scan, (landmarks,)).items()
    checked_sets(scan, {name: found})  # a note says if they do not lie on it
    kernel = Method.of(found, method.overriding, method.read_weight()).kernel(scan)
    mesh = display_mesh(scan, display_vertices)
    steps = steps_of(scan, kernel, found, mesh.vertices, name)
    specimen = DisplayedSpecimen(scan, scan.name, mesh, steps)
    page = shared_html(specimen)
    write_atomically({output: page})
    drawn = len(specimen.mesh.vertices)
    echo(
        f"{output}: {len(page.encode()) / 1e6:.1f} MB, {counted(len(steps), 'landmark')}, "
        f"{drawn:,} of {scan.vertex_count:,} vertices"
    )


def _check_output(output: Path, overwrite: bool) -> None:
    if output.suffix.lower() not in EXTENSIONS:
        raise SettingsError(f"{output}: the extension must be .html.")
    check_writable(output)
    if not overwrite:
        check_new(output)
