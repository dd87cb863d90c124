# SPDX-License-Identifier: MIT
"""Options for reading scans, for where landmarks may go, and for placing them in whole folders."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from gplandmark.cli.options.common import (
    between_vertices_option,
    bundled,
    file_option,
    format_option,
    grouped,
    seed_option,
)
from gplandmark.cli.options.method import ChosenMethod, method_options
from gplandmark.errors import SettingsError
from gplandmark.io.landmark_formats.formats import writer_of
from gplandmark.io.region_files import RegionOptions
from gplandmark.io.scans.rules import RULES, Rules, rules_called
from gplandmark.io.volumes.options import ALL, MOST_VOXELS, VolumeOptions
from gplandmark.landmarks.place import DEFAULT_COUNT
from gplandmark.mesh.surface import Surface
from gplandmark.runs.place_request import Request

CLEANING = (
    click.option(
        "--clean", type=click.Choice(list(RULES)), default="default",
        help="How to treat defects of the scan: repair them where that is safe (default), ignore "
        "them (none), or refuse the scan (strict).",
    ),
    click.option(
        "--components", metavar="WHICH",
        help="Connected components to keep: 'largest', 'all', or those with at least this fraction "
        "of the area, e.g. 0.05.  [default: largest]",
    ),
)  # fmt: skip
VOLUMES = (
    click.option(
        "--threshold", type=float, metavar="VALUE",
        help="Voxels of a volume with at least this value are inside.  [default: by Otsu's method]",
    ),
    click.option(
        "--label", metavar="N|all",
        help="Use this label of a label map. 'all' makes each label a specimen of its own.",
    ),
    click.option(
        "--smooth", type=float, metavar="LENGTH",
        help="Smooth a volume by a Gaussian with this standard deviation, in units of the file.  "
        "[default: 0, and one voxel for labels]",
    ),
    click.option(
        "--spacing", metavar="X,Y,Z",
        help="Size of a voxel, e.g. 0.02,0.02,0.02, instead of the one in the file.",
    ),
    click.option(
        "--max-voxels", type=int, metavar="N",
        help=f"Reduce volumes with more voxels than this.  [default: {MOST_VOXELS}]",
    ),
)  # fmt: skip
REGIONS = (
    file_option(
        "--exclude", help="Vertices to exclude: a text file of vertex indices, counted from 0.",
    ),
    file_option(
        "--only",
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
        help="Exclude the side of a plane that its normal points to. Give a point on the plane "
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


def _rules(options: dict[str, Any]) -> Rules:
    rules = rules_called(options.pop("clean"), options.pop("components"))
    names = ("threshold", "label", "smooth", "spacing", "max_voxels")
    given = {name: options.pop(name) for name in names}
    if all(value is None for value in given.values()):
        return rules
    given["label"] = _label(given["label"])
    given["spacing"] = _spacing(given["spacing"])
    return replace(rules, volume=VolumeOptions(**given))


def _label(word: str | None) -> int | str | None:
    if word is None or word == ALL:
        return word
    try:
        return int(word)
    except ValueError:
        raise SettingsError(f"--label {word}: give a whole number, or 'all'.") from None


def _spacing(text: str | None) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        lengths = tuple(map(float, text.split(",")))
    except ValueError:
        lengths = ()
    if len(lengths) != 3 or not all(0 < each < math.inf for each in lengths):
        raise SettingsError(f"--spacing {text}: give three positive lengths, e.g. 0.02,0.02,0.02.")
    return lengths


cleaning_options = bundled(
    (*CLEANING, grouped(VOLUMES, "Volumes (CT scans, label maps)")), "Cleaning", "rules", _rules
)
region_options = bundled(REGIONS, "Where landmarks may go", "regions", RegionOptions.taken_from)
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


def check_count(count: int, scan: Surface) -> None:
    """Refuse an impossible number of landmarks before the work starts."""
    if not 1 <= count <= scan.vertex_count:
        raise SettingsError(
            f"{scan.name}: the number of landmarks must be from 1 to {scan.vertex_count:,}, "
            f"the number of vertices, got {count}."
        )


def request_from(
    method: ChosenMethod,
    regions: RegionOptions,
    extension: str,
    count: int | None,
    target: float,
    **others: Any,
) -> Request:
    """Turn the options of `request_options` and the count into a request for each scan.

    Raises
    ------
    SettingsError
        The count is below 1.
    """
    if count is not None and count < 1:
        raise SettingsError(f"The number of landmarks must be at least 1, got {count}.")
    return Request(
        settings=method.settings,
        weight=_absolute(method.weight_file),
        regions=replace(regions, exclude=_absolute(regions.exclude), only=_absolute(regions.only)),
        extension=checked_extension(extension),
        count=DEFAULT_COUNT if count is None and not target else count,
        target=target,
        **others,
    )


def _absolute(path: Path | None) -> Path | None:
    """A path for workers that may run in another folder."""
    return None if path is None else path.absolute()


def checked_extension(extension: str) -> str:
    """Return an extension with its dot, if landmarks can be written in that format."""
    extension = "." + extension.lstrip(".")
    writer_of(Path("landmarks" + extension))
    return extension
