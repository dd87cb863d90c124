# SPDX-License-Identifier: MIT
"""``gplandmark view``: a specimen and its landmarks in the browser."""

import threading
from pathlib import Path
from typing import Any

import click

from gplandmark.cli.folders import check_order
from gplandmark.cli.options.common import overwrite_option
from gplandmark.cli.options.groups import HeadedCommand
from gplandmark.cli.options.method import is_method_given, method_options, settings_from
from gplandmark.cli.options.scans import cleaning_options
from gplandmark.cli.view_contents import Asked, asked_for, steps_for
from gplandmark.cli.view_editing import announce, edit, output_for
from gplandmark.errors import SettingsError
from gplandmark.io.region_files import read_weight
from gplandmark.io.scans import read
from gplandmark.io.scans.rules import rules_called
from gplandmark.landmarks.place import DEFAULT_COUNT
from gplandmark.visual.viewer import MOST_VERTICES, View, display_mesh, serve

__all__ = ["view"]

FILE = click.Path(path_type=Path)


@click.command(
    cls=HeadedCommand, short_help="A scan in the browser: look at its landmarks, edit them."
)
@click.argument("surface", type=FILE)
@click.argument("landmarks", type=FILE, required=False)
@click.option(
    "-n",
    "--count",
    type=int,
    default=DEFAULT_COUNT,
    show_default=True,
    help="How many landmarks to place where no LANDMARKS are given.",
)
@click.option(
    "--against",
    type=FILE,
    metavar="FILE",
    help="Other landmarks of the same scan, beside these: an observer's beside ours.",
)
@click.option(
    "--beside",
    type=FILE,
    metavar="SURFACE",
    help="Another scan beside this one, each at its own scale, turned together.",
)
@click.option(
    "--beside-landmarks",
    type=FILE,
    metavar="FILE",
    help="Landmarks of the scan of --beside; without them some are placed.",
)
@click.option(
    "--display-vertices",
    type=int,
    default=MOST_VERTICES,
    show_default=True,
    metavar="N",
    help="A scan with more vertices is drawn with fewer; clicks still meet the whole scan.",
)
@click.option(
    "-o",
    "--output",
    type=FILE,
    metavar="FILE",
    help="Where Save writes the edited landmarks; the ending says the format.  "
    "[default: LANDMARKS if such a file can be written, else SURFACE.mrk.json in the current "
    "folder]",
)
@overwrite_option("Replace OUTPUT without a question.")
@click.option("--port", type=int, help="Port on this computer.  [default: a free one]")
@click.option("--no-browser", is_flag=True, help="Only say the address to open.")
@method_options
@cleaning_options
def view(
    surface: Path,
    landmarks: Path | None,
    count: int,
    against: Path | None,
    beside: Path | None,
    beside_landmarks: Path | None,
    display_vertices: int,
    output: Path | None,
    overwrite: bool,
    port: int | None,
    no_browser: bool,
    preset: str,
    weight: str | None,
    clean: str,
    components: str | None,
    **changes: Any,
) -> None:
    """Look at the scan SURFACE and edit its LANDMARKS in the browser; without any, place some.

    Turn the specimen with the mouse. A slider goes through the landmarks in their order, and the
    colours show the variance that is left after each: figure 1 of the paper. Landmarks can be
    added, moved, deleted, named and marked, with undo; only Save writes them, to the file that is
    said at the start, and asks before it replaces one that is not ours. Every edit is kept beside
    that file until then. The page comes from this computer and is open to this computer
    only, at an address with a secret in it. Ctrl-C ends it.

    \b
    Examples:
      gplandmark view tooth.ply
      gplandmark view tooth.ply tooth.mrk.json -o edited.mrk.json
      gplandmark view tooth.ply tooth.mrk.json --against expert.csv
      gplandmark view tooth.ply --beside other.ply
    """  # fmt: skip
    check_order(surface, landmarks)
    _check_pair(against, beside, beside_landmarks)
    is_edited = against is None and beside is None
    if output is not None and not is_edited:
        raise SettingsError("Two things side by side are not edited: leave -o out.")
    chosen, weight_file = settings_from(preset, weight, changes)
    settings = chosen if is_method_given(weight, changes) else None
    given = None if weight_file is None else read_weight(weight_file)
    rules = rules_called(clean, components)
    scan = read(surface, rules)
    mesh = display_mesh(scan, display_vertices)
    asked = [asked_for(scan, mesh, landmarks, settings, given, count, is_edited=is_edited)]
    if is_edited:
        place_to_save = output_for(surface, scan, output, landmarks, force=overwrite)
        if place_to_save is not None:
            edit(asked[0], place_to_save, port, no_browser)
            return
    if against is not None:
        asked.append(asked_for(scan, mesh, against, settings, given))
        for each in asked:
            each.exhibit.title = each.name
    if beside is not None:
        second = read(beside, rules)
        drawn = display_mesh(second, display_vertices)
        asked.append(asked_for(second, drawn, beside_landmarks, settings, count=count))
    _show(asked, port, no_browser)


def _check_pair(against: Path | None, beside: Path | None, beside_landmarks: Path | None) -> None:
    if against is not None and beside is not None:
        raise SettingsError("Two things fit side by side: leave --against or --beside out.")
    if beside_landmarks is not None and beside is None:
        raise SettingsError("--beside-landmarks needs the scan they lie on: add --beside.")


def _show(asked: list[Asked], port: int | None, no_browser: bool) -> None:
    """Serve until Ctrl-C. The specimen shows at once, and landmarks as soon as there are any."""
    title = " | ".join(dict.fromkeys(each.exhibit.surface.name for each in asked))
    served = serve(port, title)
    try:
        shown = View(served, [each.exhibit for each in asked])
        announce(served, no_browser)
        for number, each in enumerate(asked):
            shown.show_steps(number, steps_for(each))
        click.echo("Ctrl-C ends the viewer.")
        threading.Event().wait()
    except KeyboardInterrupt:
        click.echo("The viewer has ended.")
    finally:
        served.stop()
