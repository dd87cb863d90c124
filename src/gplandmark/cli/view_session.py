# SPDX-License-Identifier: MIT
"""What ``gplandmark view`` shows and edits: a scan, and landmarks from a file or placed now."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import click

from gplandmark.cli.options.scans import check_count
from gplandmark.cli.progress import landmark_progress
from gplandmark.errors import LandmarkFileError
from gplandmark.io.scans import specimen_name
from gplandmark.io.start_landmarks import read_sets
from gplandmark.landmarks import Landmarks, MethodSettings, place
from gplandmark.landmarks.on_surface import vertices_on
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray
from gplandmark.runs.refresh import refresh_results, results_around
from gplandmark.visual.editor import (
    Autosave,
    Editor,
    History,
    Recovered,
    autosave_path,
    check_opens,
    check_output,
    recover,
)
from gplandmark.visual.editor.open import origin_of
from gplandmark.visual.pictures.colour_maps import Method
from gplandmark.visual.viewer import (
    DisplayedSpecimen,
    DisplayMesh,
    Served,
    Steps,
    View,
    how_to_open,
    open_browser,
    start_server,
    steps_of,
)
from gplandmark.visual.viewer.editing import Controls, Session

PLACED = "placed here"


@dataclass(frozen=True, eq=False)
class ViewRequest:
    """A scan to show, its landmarks, and how many to place if there are none."""

    specimen: DisplayedSpecimen
    landmarks: Landmarks | None
    name: str
    count: int


def view_request(
    surface: Surface,
    mesh: DisplayMesh,
    path: Path | None,
    settings: MethodSettings | None,
    weight: FloatArray | None = None,
    count: int = 0,
    *,
    is_edited: bool = False,
) -> ViewRequest:
    """A scan with the landmarks of a file, or with a number of landmarks to place later.

    Without settings the method is that of the landmarks' record, or the paper's. Missing landmarks
    can be edited, but not just viewed.

    Raises
    ------
    GplandmarkError
        The landmarks belong to another specimen, or the count is impossible.
    """
    landmarks, name = None, PLACED
    if path is not None:
        ((name, landmarks),) = read_sets(surface, (path,)).items()
        if is_edited:
            check_opens(surface, landmarks)
        else:
            vertices_on(surface, landmarks, name)
    else:
        check_count(count, surface)
    method = Method.of(landmarks, settings, weight)
    return ViewRequest(
        DisplayedSpecimen(surface, surface.name, mesh, method), landmarks, name, count
    )


def steps_for(request: ViewRequest) -> Steps:
    """The steps of the given landmarks, or of landmarks placed now."""
    surface, method = request.specimen.surface, request.specimen.method
    drawn = request.specimen.mesh.vertices
    return steps_of(surface, method.kernel(surface), landmarks_for(request), drawn, request.name)


def landmarks_for(request: ViewRequest) -> Landmarks:
    """The given landmarks, or the requested number of landmarks placed now."""
    if request.landmarks is not None:
        return request.landmarks
    surface, method = request.specimen.surface, request.specimen.method
    with landmark_progress(request.count, shown=True) as progress:
        return place(
            surface, request.count, settings=method.settings, weight=method.weight,
            progress=progress,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Output:
    """Where edited landmarks go.

    Attributes
    ----------
    path : the landmark file
    scan : the file of the specimen
    force : whether the landmark file may be replaced without asking
    autosave : open, and so locked for others
    found : edits that the autosave held before
    """

    path: Path
    scan: Path
    force: bool
    autosave: Autosave
    found: Recovered


def output_for(
    scan: Path, surface: Surface, path: Path | None, landmarks: Path | None, *, force: bool
) -> Output | None:
    """The named output if it can be written, or the default one.

    The default is the file of the opened landmarks if it can be written, so that Save updates it;
    otherwise a file in the current folder. If the default cannot be written, or is being edited,
    the result is None and a message says so: viewing is still possible.

    Raises
    ------
    LandmarkFileError
        The named output cannot be written, is being edited, or has an autosave of another surface
        next to it, which the next edit would replace.
    """
    output = path or _default_output(scan, surface, landmarks)
    try:
        check_output(output, surface, force=True)
        return Output(output, scan, force, *_autosave(output, surface))
    except LandmarkFileError as error:
        if path is not None:
            raise
        click.echo(f"Landmarks can be viewed, but not edited. {error}")
        return None


@contextmanager
def serving(port: int | None, title: str) -> Iterator[Served]:
    """Yield a server for what is to be shown, and keep it running after the block until Ctrl-C."""
    served = start_server(port, title)
    try:
        yield served
        click.echo("Ctrl-C ends the viewer.")
        threading.Event().wait()
    except KeyboardInterrupt:
        pass
    finally:
        served.stop()
    click.echo("The viewer has ended.")


def edit(request: ViewRequest, output: Output, port: int | None, no_browser: bool) -> None:
    """Serve an editor until Ctrl-C. The specimen appears at once, landmarks when they are ready."""
    with output.autosave:
        if output.found.sentence:
            click.echo(output.found.sentence)
        click.echo(f"Save writes to {output.path}.")
        session = None
        with serving(port, request.specimen.title) as served:
            view = View(served, [request.specimen])
            announce(served, no_browser)
            session = _session(view, request, output)
            session.saved = update_results
            Controls(session, str(output.path), force=output.force)
        if session is not None and session.has_unsaved:
            click.echo(
                f"Unsaved edits are kept in {autosave_path(output.path)}. "
                "Run the same command again to continue."
            )


def update_results(path: Path) -> None:
    """Let the joint files and the summary follow landmarks that are saved in a run's results."""
    results = results_around(path)
    if results is not None:
        refresh_results(results)


def _default_output(scan: Path, surface: Surface, landmarks: Path | None) -> Path:
    if landmarks is not None:
        with suppress(LandmarkFileError):
            check_output(landmarks, surface, force=True)
            return landmarks
    return Path(f"{specimen_name(scan)}.mrk.json")


def _autosave(output: Path, surface: Surface) -> tuple[Autosave, Recovered]:
    autosave = Autosave(output, surface)
    found = recover(output, surface)
    if found.sentence and found.history is None:
        autosave.close()
        raise LandmarkFileError(f"{found.sentence} Or choose another output with -o.")
    return autosave, found


def announce(served: Served, no_browser: bool) -> None:
    """Open a browser, or print how to."""
    is_open = not no_browser and open_browser(served.address)
    click.echo(f"Opened {served.address}" if is_open else how_to_open(served))


def _session(view: View, request: ViewRequest, output: Output) -> Session:
    method, found = request.specimen.method, output.found
    start = None if found.history is not None else landmarks_for(request)
    editor = Editor(
        request.specimen.surface,
        start,
        method.settings,
        weight=method.weight,
        history=found.history,
    )

    def start_again() -> History:
        return History.starting(origin_of(editor.finder, landmarks_for(request)))

    return Session(view, editor, output.autosave, output.scan, found.sentence, start_again)
