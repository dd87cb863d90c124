# SPDX-License-Identifier: MIT
"""``gplandmark share``: one page to mail, with a specimen and its landmarks step by step."""

from pathlib import Path
from typing import Any

import click

from gplandmark.cli.folders import check_order
from gplandmark.cli.options.common import overwrite_option
from gplandmark.cli.options.groups import HeadedCommand
from gplandmark.cli.options.method import is_method_given, method_options, settings_from
from gplandmark.cli.options.scans import cleaning_options
from gplandmark.cli.view_contents import asked_for, steps_for
from gplandmark.errors import SettingsError
from gplandmark.io.files import check_writable, write_atomically
from gplandmark.io.formatting import counted
from gplandmark.io.overwrite import check_new
from gplandmark.io.region_files import read_weight
from gplandmark.io.scans import read, specimen_name
from gplandmark.io.scans.rules import rules_called
from gplandmark.visual.viewer import SHARED_VERTICES, display_mesh, share_page

__all__ = ["share"]

ENDINGS = (".html", ".htm")


@click.command(
    cls=HeadedCommand, short_help="One page that shows landmarks to anyone with a browser."
)
@click.argument("surface", type=click.Path(path_type=Path))
@click.argument("landmarks", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write, as .html.  [default: SURFACE.html in the current folder]",
)
@overwrite_option("Replace a file that is there.")
@click.option(
    "--display-vertices",
    type=int,
    default=SHARED_VERTICES,
    show_default=True,
    metavar="N",
    help="A scan with more vertices is drawn with fewer; more make a larger file.",
)
@method_options
@cleaning_options
def share(
    surface: Path,
    landmarks: Path,
    output: Path | None,
    overwrite: bool,
    display_vertices: int,
    preset: str,
    weight: str | None,
    clean: str,
    components: str | None,
    **changes: Any,
) -> None:
    """Write one page that shows LANDMARKS on the scan SURFACE to anyone with a browser.

    The page needs no network and no program: it opens by a double click, turns by the mouse, and
    plays the landmarks in their order with the variance that is left after each. It holds the
    shape of the specimen, rounded and with fewer vertices, but enough to see it: whoever has the
    page has the specimen's shape.

    \b
    Example:
      gplandmark share tooth.ply tooth.mrk.json -o tooth.html
    """  # fmt: skip
    check_order(surface, landmarks)
    output = output or Path(f"{specimen_name(surface)}.html")
    _check_output(output, overwrite)
    chosen, weight_file = settings_from(preset, weight, changes)
    settings = chosen if is_method_given(weight, changes) else None
    given = None if weight_file is None else read_weight(weight_file)
    scan = read(surface, rules_called(clean, components))
    asked = asked_for(scan, display_mesh(scan, display_vertices), landmarks, settings, given)
    exhibit, steps = asked.exhibit, steps_for(asked)
    exhibit.steps = steps
    page = share_page(exhibit)
    write_atomically({output: page})
    drawn = len(exhibit.mesh.vertices)
    click.echo(
        f"{output}: {len(page.encode()) / 1e6:.1f} MB, {counted(len(steps), 'landmark')}, "
        f"{drawn:,} of {scan.vertex_count:,} vertices"
    )


def _check_output(output: Path, overwrite: bool) -> None:
    if output.suffix.lower() not in ENDINGS:
        raise SettingsError(f"{output}: the page is written as .html. Choose such a name.")
    check_writable(output)
    if not overwrite:
        check_new(output)
