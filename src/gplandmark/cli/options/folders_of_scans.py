# SPDX-License-Identifier: MIT
"""The options of commands that place landmarks on scans of whole folders."""

from pathlib import Path
from typing import Any

import click

from gplandmark.cli.options.groups import adding
from gplandmark.cli.options.method import method_options, settings_from
from gplandmark.cli.options.scans import cleaning_options, region_options
from gplandmark.errors import SettingsError
from gplandmark.io.landmark_files import writer_of
from gplandmark.io.region_files import RegionOptions
from gplandmark.io.scans.rules import rules_called
from gplandmark.landmarks.place import DEFAULT_COUNT
from gplandmark.runs.place_request import Request

__all__ = ["request_from", "request_options"]

OPTIONS = (
    click.option(
        "--format", "ending", default=".mrk.json", show_default=True, metavar="ENDING",
        help="Of the landmark file of each specimen, as .csv or .tps.",
    ),
    method_options,
    cleaning_options,
    region_options,
    click.option(
        "--between-vertices", is_flag=True,
        help="Move each landmark to the largest variance on the triangles around its vertex.",
    ),
    click.option(
        "--seed", type=int, help="Break ties at random; by default the lowest vertex wins.",
    ),
)  # fmt: skip

request_options = adding(OPTIONS)


def request_from(asked: dict[str, Any]) -> Request:
    """Take the options of the method, of cleaning and of regions."""
    for name in ("exclude", "only"):  # workers may be elsewhere
        asked[name] = asked[name] and asked[name].absolute()
    regions = RegionOptions.taken_from(asked)
    names = ("count", "target", "ending", "between_vertices", "seed")
    own = {name: asked.pop(name) for name in names}
    own["ending"] = "." + own["ending"].lstrip(".")
    writer_of(Path("landmarks" + own["ending"]))
    if own["count"] is None and not own["target"]:
        own["count"] = DEFAULT_COUNT
    if own["count"] is not None and own["count"] < 1:
        raise SettingsError(f"The number of landmarks must be at least 1, got {own['count']}.")
    rules = rules_called(asked.pop("clean"), asked.pop("components"))
    settings, weight = settings_from(asked.pop("preset"), asked.pop("weight"), asked)
    weight = weight and weight.absolute()
    return Request(settings=settings, rules=rules, regions=regions, weight=weight, **own)
