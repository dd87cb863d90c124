# SPDX-License-Identifier: MIT
"""The options that say how scans are cleaned."""

from pathlib import Path

import click

from gplandmark.cli.options.groups import adding
from gplandmark.io.scans.rules import RULES

__all__ = ["cleaning_options", "region_options"]

CLEANING = (
    click.option(
        "--clean", type=click.Choice(list(RULES)), default="default", show_default=True,
        help="What is done about defects of the scan: mended where that is safe, nothing, or any "
        "defect refused (strict).",
    ),
    click.option(
        "--components", metavar="WHICH",
        help="Pieces to keep: 'largest', 'all', or those with at least this share of the area, as "
        "0.05.  [default: largest]",
    ),
)  # fmt: skip

cleaning_options = adding(CLEANING, "Cleaning")


OPTIONS = (
    click.option(
        "--exclude", type=click.Path(path_type=Path), metavar="FILE",
        help="Vertices that are never picked: a text file of vertex numbers, from 0.",
    ),
    click.option(
        "--only", type=click.Path(path_type=Path), metavar="FILE",
        help="The only vertices that may be picked: a text file of vertex numbers, from 0.",
    ),
    click.option(
        "--exclude-rim", type=float, metavar="DISTANCE",
        help="Pick nothing within this distance of the open rim, along the surface, in units of "
        "the file.",
    ),
    click.option(
        "--exclude-plane", multiple=True, metavar="X,Y,Z,NX,NY,NZ",
        help="Pick nothing on the side of a plane that its normal points to: a point of it and "
        "the normal. May be given several times.",
    ),
    click.option(
        "--exclude-box", multiple=True, metavar="X,Y,Z,X,Y,Z",
        help="Pick nothing in the box between two corners. May be given several times.",
    ),
    click.option(
        "--only-box", multiple=True, metavar="X,Y,Z,X,Y,Z",
        help="Pick only in the box between two corners.",
    ),
    click.option(
        "--exclude-painted", multiple=True, metavar="COLOUR|CONDITION",
        help="Pick nothing where vertices of the PLY file have a colour, as red or #ff0000, or a "
        "property, as 'label=3' or 'quality>0.5'. May be given several times.",
    ),
    click.option(
        "--only-painted", multiple=True, metavar="COLOUR|CONDITION",
        help="Pick only there.",
    ),
    click.option(
        "--outer-only", is_flag=True,
        help="Pick only vertices that are visible from outside, by ray casting.",
    ),
)  # fmt: skip

region_options = adding(OPTIONS, "Where landmarks may go")
