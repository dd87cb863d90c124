# SPDX-License-Identifier: MIT
"""``gplandmark picture``: a picture of a scan with landmarks on it."""

from pathlib import Path
from typing import Any

import click

from gplandmark.cli.options.common import (
    PATH,
    file_option,
    headed_command,
    output_option,
    overwrite_option,
    quiet_option,
)
from gplandmark.cli.options.method import ChosenMethod, method_options
from gplandmark.cli.options.paths import check_order
from gplandmark.cli.options.scans import cleaning_options
from gplandmark.cli.terminal import echo
from gplandmark.errors import SettingsError
from gplandmark.io.overwrite import check_new
from gplandmark.io.scans import read, specimen_name
from gplandmark.io.scans.rules import Rules
from gplandmark.io.start_landmarks import read_sets
from gplandmark.visual.pictures import check_picture, picture_of_steps, write_picture
from gplandmark.visual.pictures import picture as draw_picture
from gplandmark.visual.pictures.colour_maps import COLOURS
from gplandmark.visual.pictures.image_files import RESOLUTION
from gplandmark.visual.pictures.landmark_sets import LABELS


@headed_command
@click.argument("surface", type=PATH)
@click.argument("landmarks", required=False, type=PATH)
@output_option(
    "The .png, .pdf or .svg file to write.  [default: SURFACE.png in the current folder]"
)
@click.option(
    "--view",
    "views",
    multiple=True,
    metavar="VIEW",
    help="In any pose: obverse, reverse, or auto (obverse; if the surface is closed, both). "
    "In the axes of the file: top, bottom, front, back, left, right, or AZIMUTH,ELEVATION in "
    "degrees. Repeat it for a grid of views.  [default: auto]",
)
@click.option(
    "--colour",
    type=click.Choice(COLOURS),
    help="Colour the surface by the variance that remains after LANDMARKS, by the mean curvature, "
    "or by the weight of the method.  [default: plain; variance with --steps]",
)
@click.option(
    "--labels", type=click.Choice(LABELS), default="numbers", help="Labels next to the landmarks."
)
@click.option(
    "--steps",
    type=int,
    metavar="COUNT",
    help="Draw the first COUNT landmarks one by one, the newest in red, with the variance after "
    "each. Without LANDMARKS, they are placed first. Figure 1 of the paper has 8.",
)
@file_option(
    "--against",
    multiple=True,
    help="Another landmark file, drawn in another colour. May be repeated.",
)
@click.option(
    "--width",
    type=click.FloatRange(min=0, min_open=True),
    metavar="INCHES",
    help="Width of the picture.  [default: 4.5 with one view, 7 with more]",
)
@click.option(
    "--dpi",
    type=click.IntRange(min=1),
    default=RESOLUTION,
    help="Pixels per inch, also for surfaces in a PDF or SVG.",
)
@click.option("--unit", default="file units", help="Unit of the coordinates of the scan.")
@overwrite_option("Replace an existing picture.")
@quiet_option
@method_options
@cleaning_options
def picture(
    surface: Path,
    landmarks: Path | None,
    output: Path | None,
    views: tuple[str, ...],
    colour: str | None,
    labels: str,
    steps: int | None,
    against: tuple[Path, ...],
    width: float | None,
    dpi: int,
    unit: str,
    overwrite: bool,
    quiet: bool,
    method: ChosenMethod,
    rules: Rules,
) -> None:
    """Draw the scan SURFACE with LANDMARKS on it, for a publication or a quick look.

    Landmarks that are hidden in a view are drawn faintly, without a number. Variance and weight
    come from the method in the record of LANDMARKS, or from the options given here. No display
    is needed. The extra 'pictures' must be installed.

    \b
    Examples:
      gplandmark picture tooth.ply tooth.mrk.json -o tooth.png
      gplandmark picture skull.ply skull.csv --view top --view left --view 30,20 -o skull.pdf
      gplandmark picture tooth.ply tooth.mrk.json --colour variance --unit mm -o heat.png
      gplandmark picture tooth.ply --steps 8 -o figure-1.pdf
      gplandmark picture tooth.ply expert.csv --against tooth.mrk.json -o figure-2.pdf
    """
    check_order(surface, landmarks)
    output = output or Path(f"{specimen_name(surface)}.png")
    check_picture(output)
    if not overwrite:
        check_new(output)
    if steps is not None:
        _check_steps(views, colour, against)
    scan = read(surface, rules)
    sets = read_sets(scan, against if landmarks is None else (landmarks, *against))
    common: dict[str, Any] = {
        "labels": labels,
        "settings": method.overriding,
        "weight": method.read_weight(),
        "resolution": dpi,
        "unit": unit,
        "width": width,
    }
    if steps is None:
        figure = draw_picture(
            scan, sets, views=views or ("auto",), colour=colour or "plain", **common
        )
    else:
        first = next(iter(sets.values()), None)
        figure = picture_of_steps(
            scan, first, count=steps, view=views[0] if views else "obverse", **common
        )
    write_picture(figure, output)
    if not quiet:
        echo(f"written {output}")


def _check_steps(views: tuple[str, ...], colour: str | None, against: tuple[Path, ...]) -> None:
    """Refuse options that do not fit a picture of steps."""
    if against:
        raise SettingsError("--steps shows one set of landmarks. Leave --against out.")
    if colour not in (None, "variance"):
        raise SettingsError(f"--steps shows the variance. Leave --colour {colour} out.")
    if len(views) > 1:
        raise SettingsError("--steps shows every step in one view. Give --view once.")
