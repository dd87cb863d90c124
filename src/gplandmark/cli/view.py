# SPDX-License-Identifier: MIT
"""``gplandmark view``: a specimen and its landmarks in the browser."""

from pathlib import Path

import click

from gplandmark.cli.options.common import (
    PATH,
    file_option,
    headed_command,
    output_option,
    overwrite_option,
)
from gplandmark.cli.options.method import ChosenMethod, method_options
from gplandmark.cli.options.paths import check_order
from gplandmark.cli.options.scans import cleaning_options
from gplandmark.cli.terminal import echo
from gplandmark.cli.view_collection import serve_collection, serve_start_page, view_collection
from gplandmark.cli.view_specimen import ViewedScan, open_specimens, place_missing
from gplandmark.errors import SettingsError
from gplandmark.io.scans.rules import Rules
from gplandmark.landmarks.place import DEFAULT_COUNT
from gplandmark.runs.viewing.collection_view import ViewOptions
from gplandmark.visual.viewer import MOST_VERTICES
from gplandmark.visual.viewer.web_server import web_library


@headed_command
@click.argument("surface", type=PATH, required=False)
@click.argument("landmarks", type=PATH, required=False)
@click.option(
    "-n",
    "--count",
    default=DEFAULT_COUNT,
    help="Number of landmarks to place if no LANDMARKS are given.",
)
@file_option(
    "--against", help="Other landmarks of the same scan, shown next to these, e.g. an observer's."
)
@file_option(
    "--beside",
    metavar="SURFACE",
    help="Another scan next to this one. Each has its own scale; both turn together.",
)
@file_option(
    "--beside-landmarks",
    help="Landmarks of the scan of --beside; without them, landmarks are placed.",
)
@click.option(
    "--display-vertices",
    default=MOST_VERTICES,
    metavar="N",
    help="Draw at most this many vertices. Clicks still use all vertices of the scan.",
)
@output_option(
    "Where Save writes the edited landmarks; the extension selects the format.  [default: "
    "LANDMARKS if gplandmark wrote that file, otherwise a new file]"
)
@overwrite_option("Replace the output without asking.")
@file_option(
    "--scans", metavar="FOLDER", help="Where the scans of a folder of results are, if they moved."
)
@click.option("--specimen", metavar="NAME", help="Specimen of a folder to begin with.")
@click.option("--port", type=int, help="Port on this computer.  [default: a free one]")
@click.option("--no-browser", is_flag=True, help="Do not open a browser; print the address only.")
@method_options
@cleaning_options
def view(
    surface: Path | None,
    landmarks: Path | None,
    count: int,
    against: Path | None,
    beside: Path | None,
    beside_landmarks: Path | None,
    display_vertices: int,
    output: Path | None,
    overwrite: bool,
    scans: Path | None,
    specimen: str | None,
    port: int | None,
    no_browser: bool,
    method: ChosenMethod,
    rules: Rules,
) -> None:
    """View the scan SURFACE and edit its LANDMARKS in the browser; without LANDMARKS, place some.

    Without SURFACE a start page opens, with recent folders and forms for the commands.

    SURFACE may also be a folder of scans, or a folder that match, predict or batch wrote. Its
    specimens are listed, the least certain first. You can look through them, correct them, and
    mark them as checked.

    Rotate the specimen with the mouse. A slider steps through the landmarks in order, and colours
    can show the variance that remains after each one: figure 1 of the paper. Press ? for all keys.

    Landmarks can be added, moved, deleted and named, and curves can be drawn over the surface, all
    with undo. Only Save writes them, to the file that is printed at the start. It asks before it
    replaces a file that gplandmark did not write. Until then, every edit is kept in an autosave
    next to that file.

    The page is served by this computer, to this computer only, at a secret address. Ctrl-C ends
    it.

    \b
    Examples:
      gplandmark view
      gplandmark view matched
      gplandmark view tooth.ply
      gplandmark view tooth.ply tooth.mrk.json -o edited.mrk.json
      gplandmark view tooth.ply tooth.mrk.json --against expert.csv
      gplandmark view tooth.ply --beside other.ply
    """  # fmt: skip
    web_library()
    weight = method.read_weight()
    options = ViewOptions(method.overriding, weight, rules, display_vertices, overwrite)
    if surface is None:
        context = click.get_current_context().find_root()
        group = context.command
        commands = set(group.list_commands(context)) if isinstance(group, click.Group) else set()
        serve_start_page(options, commands, port, no_browser)
        return
    if surface.is_dir():
        _check_folder(landmarks, output, weight is not None)
        view_collection(surface, scans, specimen or "", options, port, no_browser)
        return
    check_order(surface, landmarks)
    _check_pair(against, beside, beside_landmarks)
    first, other = ViewedScan(surface, landmarks), None
    if against is not None:
        other = ViewedScan(surface, against)
    elif beside is not None:
        other = ViewedScan(beside, beside_landmarks)
    shown = open_specimens(first, other, output, count, options)
    opened = shown.opened(shown.collection.specimens[0].key)
    if opened.recovered:
        echo(opened.recovered)
    echo(f"Save writes to {opened.output}.")
    serve_collection(shown, port, no_browser, place_missing(shown, count))


def _check_folder(landmarks: Path | None, output: Path | None, has_weight: bool) -> None:
    if landmarks is not None or output is not None or has_weight:
        raise SettingsError(
            "A folder is viewed as it is: leave LANDMARKS, -o and a file of weights out. Landmarks "
            "are saved in the folder."
        )


def _check_pair(against: Path | None, beside: Path | None, beside_landmarks: Path | None) -> None:
    if against is not None and beside is not None:
        raise SettingsError("Only two views fit side by side: leave --against or --beside out.")
    if beside_landmarks is not None and beside is None:
        raise SettingsError("--beside-landmarks needs the scan they lie on: add --beside.")
