# SPDX-License-Identifier: MIT
"""The part of ``gplandmark view`` that edits: the output, recovered edits, and the end."""

import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click

from gplandmark.cli.view_contents import Asked, landmarks_for
from gplandmark.errors import LandmarkFileError
from gplandmark.io.scans import specimen_name
from gplandmark.mesh.surface import Surface
from gplandmark.visual.editor import (
    Autosave,
    Editor,
    History,
    Recovered,
    autosave_path,
    check_output,
    recover,
)
from gplandmark.visual.editor.open import opened
from gplandmark.visual.viewer import Served, View, how_to_open, open_browser, serve
from gplandmark.visual.viewer.editing import Controls, Session

__all__ = ["Output", "announce", "edit", "output_for"]


@dataclass(frozen=True, eq=False)
class Output:
    """Where edited landmarks go.

    Attributes
    ----------
    path : the landmark file
    scan : the file of the specimen
    force : whether it may be replaced without a question
    autosave : open, and so ours alone
    found : what the autosave held before
    """

    path: Path
    scan: Path
    force: bool
    autosave: Autosave
    found: Recovered


def output_for(
    scan: Path, surface: Surface, path: Path | None, landmarks: Path | None, *, force: bool
) -> Output | None:
    """The output that was named, if it can be written; or the usual one.

    Usual are the landmarks that were opened if such a file can be written, so that Save brings
    them up to date, and otherwise a file in the current folder.

    Where the usual one cannot be written, or is being edited, there is none, and a sentence says
    so: looking is possible all the same.

    Raises
    ------
    LandmarkFileError
        The output that was named cannot be written, is being edited, or has an autosave beside it
        that is not of this surface: the next edit would replace it.
    """
    output = path or _usual(scan, surface, landmarks)
    try:
        check_output(output, surface, force=True)
        return Output(output, scan, force, *_kept(output, surface))
    except LandmarkFileError as error:
        if path is not None:
            raise
        click.echo(f"Landmarks can be looked at, but not edited. {error}")
        return None


def edit(asked: Asked, output: Output, port: int | None, no_browser: bool) -> None:
    """Serve an editor until Ctrl-C. The specimen shows at once, and landmarks when they are."""
    with output.autosave:
        if output.found.sentence:
            click.echo(output.found.sentence)
        click.echo(f"Save writes to {output.path}.")
        served = serve(port, asked.exhibit.title)
        session = None
        try:
            view = View(served, [asked.exhibit])
            announce(served, no_browser)
            session = _session(view, asked, output)
            Controls(session, str(output.path), force=output.force)
            click.echo("Ctrl-C ends the viewer.")
            threading.Event().wait()
        except KeyboardInterrupt:
            pass
        finally:
            served.stop()
        click.echo("The viewer has ended.")
        if session is not None and session.has_unsaved:
            click.echo(
                f"Unsaved edits are kept in {autosave_path(output.path)}. "
                "Run the same command to go on with them."
            )


def _usual(scan: Path, surface: Surface, landmarks: Path | None) -> Path:
    if landmarks is not None:
        with suppress(LandmarkFileError):
            check_output(landmarks, surface, force=True)
            return landmarks
    return Path(f"{specimen_name(scan)}.mrk.json")


def _kept(output: Path, surface: Surface) -> tuple[Autosave, Recovered]:
    autosave = Autosave(output, surface)
    found = recover(output, surface)
    if found.sentence and found.history is None:
        autosave.close()
        raise LandmarkFileError(f"{found.sentence} Or choose another output with -o.")
    return autosave, found


def announce(served: Served, no_browser: bool) -> None:
    """Open a browser, or say how."""
    is_open = not no_browser and open_browser(served.address)
    click.echo(f"Opened {served.address}" if is_open else how_to_open(served))


def _session(view: View, asked: Asked, output: Output) -> Session:
    method, found = asked.exhibit.method, output.found
    start = None if found.history is not None else landmarks_for(asked)
    editor = Editor(
        asked.exhibit.surface, start, method.settings, weight=method.weight, history=found.history
    )

    def afresh() -> History:
        return History.starting(opened(editor.finder, landmarks_for(asked)))

    return Session(view, editor, output.autosave, output.scan, found.sentence, afresh)
