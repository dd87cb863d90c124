# SPDX-License-Identifier: MIT
"""Options for reading scans, for where landmarks may go, and for placing them in whole folders."""

from pathlib import Path
from typing import Any

import click

from gplandmark.cli.options.common import (
    PATH,
    between_vertices_option,
    format_option,
    grouped,
    seed_option,
)
from gplandmark.cli.options.method import method_options, settings_from
from gplandmark.errors import SettingsError
from gplandmark.io.landmark_files import writer_of
from gplandmark.io.region_files import RegionOptions
from gplandmark.io.scans.rules import RULES, rules_called
from gplandmark.landmarks.place import DEFAULT_COUNT
from gplandmark.runs.place_request import Request

__all__ = [
    "checked_extension",
    "cleaning_options",
    "region_options",
    "request_from",
    "request_options",
]

CLEANING = (
    click.option(
        "--clean", type=click.Choice(list(RULES)), default="default", show_default=True,
        help="How to treat defects of the scan: repair them where that is safe (default), ignore "
        "them (none), or refuse the scan (strict).",
    ),
    click.option(
        "--components", metavar="WHICH",
        help="Connected components to keep: 'largest', 'all', or those with at least this fraction "
        "of the area, e.g. 0.05.  [default: largest]",
    ),
)  # fmt: skip
REGIONS = (
    click.option(
        "--exclude", type=PATH, metavar="FILE",
        help="Vertices to exclude: a text file of vertex indices, counted from 0.",
    ),
    click.option(
        "--only", type=PATH, metavar="FILE",
        help="The only vertices that may become landmarks: a text file of vertex indices, counted "
        "from 0.",
    ),
    click.option(
        "--exclude-rim", type=float, metavar="DISTANCE",
        help="Exclude everything within this distance of the open rim, measured along the surface "
        "in units of the file.",
    ),
    click.option(
        "--exclude-plane", multiple=True, metavar="X,Y,Z,NX,NY,NZ",
        help="Exclude the side of a plane that its normal points to. Give a point of the plane "
        "and the normal. May be repeated.",
    ),
    click.option(
        "--exclude-box", multiple=True, metavar="X,Y,Z,X,Y,Z",
        help="Exclude the box between two opposite corners. May be repeated.",
    ),
    click.option(
        "--only-box", multiple=True, metavar="X,Y,Z,X,Y,Z",
        help="Use only the box between two opposite corners.",
    ),
    click.option(
        "--exclude-painted", multiple=True, metavar="COLOUR|CONDITION",
        help="Exclude vertices of a PLY file by colour, e.g. red or #ff0000, or by a property, "
        "e.g. 'label=3' or 'quality>0.5'. May be repeated.",
    ),
    click.option(
        "--only-painted", multiple=True, metavar="COLOUR|CONDITION",
        help="Use only vertices with this colour or property.",
    ),
    click.option(
        "--outer-only", is_flag=True,
        help="Use only vertices that are visible from outside (by ray casting).",
    ),
)  # fmt: skip

cleaning_options = grouped(CLEANING, "Cleaning")
region_options = grouped(REGIONS, "Where landmarks may go")
request_options = grouped(
    (
        format_option,
        method_options,
        cleaning_options,
        region_options,
        between_vertices_option,
        seed_option,
    )
)


def request_from(options: dict[str, Any]) -> Request:
    """Turn the options of `request_options` and the count into what is asked of each scan.

    Raises
    ------
    SettingsError
        The count is below 1, or options contradict each other.
    """
    for name in ("exclude", "only"):  # workers may run in another folder
        options[name] = options[name] and options[name].absolute()
    regions = RegionOptions.taken_from(options)
    own = {name: options.pop(name) for name in ("count", "target", "between_vertices", "seed")}
    if own["count"] is None and not own["target"]:
        own["count"] = DEFAULT_COUNT
    if own["count"] is not None and own["count"] < 1:
        raise SettingsError(f"The number of landmarks must be at least 1, got {own['count']}.")
    ending = checked_extension(options.pop("extension"))
    rules = rules_called(options.pop("clean"), options.pop("components"))
    settings, weight = settings_from(options.pop("preset"), options.pop("weight"), options)
    weight = weight and weight.absolute()
    return Request(
        settings=settings, rules=rules, regions=regions, weight=weight, ending=ending, **own
    )


def checked_extension(extension: str) -> str:
    """Return an extension with its dot, if landmarks can be written in that format."""
    extension = "." + extension.lstrip(".")
    writer_of(Path("landmarks" + extension))
    return extension
