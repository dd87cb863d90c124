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
from gplandmark.cli.view_session import (
    ViewRequest,
    announce,
    edit,
    output_for,
    serving,
    steps_for,
    view_request,
)
from gplandmark.errors import SettingsError
from gplandmark.io.scans import read
from gplandmark.io.scans.rules import Rules
from gplandmark.landmarks.place import DEFAULT_COUNT
from gplandmark.visual.viewer import MOST_VERTICES, View, display_mesh


@headed_command
@click.argument("surface", type=PATH)
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
    "LANDMARKS if that file can be written, otherwise SURFACE.mrk.json in the current folder]"
)
@overwrite_option("Replace the output without asking.")
@click.option("--port", type=int, help="Port on this computer.  [default: a free one]")
@click.option("--no-browser", is_flag=True, help="Do not open a browser; print the address only.")
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
    method: ChosenMethod,
    rules: Rules,
) -> None:
    """View the scan SURFACE and edit its LANDMARKS in the browser; without LANDMARKS, place some.

    Rotate the specimen with the mouse. A slider steps through the landmarks in order, and the
    colours show the variance that remains after each one: figure 1 of the paper.

    Landmarks can be added, moved, deleted, named and marked, with undo. Only Save writes them, to
    the file that is printed at the start. It asks before it replaces a file that gplandmark did
    not write. Until then, every edit is kept in an autosave next to that file.

    The page is served by this computer, to this computer only, at a secret address. Ctrl-C ends
    it.

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
        raise SettingsError("Two views side by side cannot be edited: leave -o out.")
    weight = method.read_weight()
    scan = read(surface, rules)
    mesh = display_mesh(scan, display_vertices)
    requests = [
        view_request(scan, mesh, landmarks, method.overriding, weight, count, is_edited=is_edited)
    ]
    if is_edited:
        saved_to = output_for(surface, scan, output, landmarks, force=overwrite)
        if saved_to is not None:
            edit(requests[0], saved_to, port, no_browser)
            return
    if against is not None:
        requests.append(view_request(scan, mesh, against, method.overriding, weight))
        for each in requests:
            each.specimen.title = each.name
    if beside is not None:
        second = read(beside, rules)
        drawn = display_mesh(second, display_vertices)
        requests.append(
            view_request(second, drawn, beside_landmarks, method.overriding, count=count)
        )
    _show(requests, port, no_browser)


def _check_pair(against: Path | None, beside: Path | None, beside_landmarks: Path | None) -> None:
    if against is not None and beside is not None:
        raise SettingsError("Only two views fit side by side: leave --against or --beside out.")
    if beside_landmarks is not None and beside is None:
        raise SettingsError("--beside-landmarks needs the scan they lie on: add --beside.")


def _show(requests: list[ViewRequest], port: int | None, no_browser: bool) -> None:
    """Serve until Ctrl-C. The specimen appears at once, landmarks when they are ready."""
    title = " | ".join(dict.fromkeys(each.specimen.surface.name for each in requests))
    with serving(port, title) as served:
        shown = View(served, [each.specimen for each in requests])
        announce(served, no_browser)
        for number, each in enumerate(requests):
            shown.show_steps(number, steps_for(each))
