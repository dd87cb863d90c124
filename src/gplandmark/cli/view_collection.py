# SPDX-License-Identifier: MIT
"""``gplandmark view`` and ``gplandmark view FOLDER``: the start page, and a whole collection."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import click

from gplandmark.cli.terminal import echo
from gplandmark.io.formatting import counted
from gplandmark.runs.viewing.collection import Collection, open_collection
from gplandmark.runs.viewing.collection_view import CollectionView, ViewOptions
from gplandmark.visual.viewer import how_to_open, open_browser
from gplandmark.visual.viewer.web_server import (
    Application,
    WebServer,
    page_application,
    start_web_server,
)


def view_collection(
    folder: Path,
    scans: Path | None,
    first: str,
    options: ViewOptions,
    port: int | None,
    no_browser: bool,
) -> None:
    """Serve a folder of results or of scans until Ctrl-C."""
    collection = open_collection(folder, scans)
    shown = CollectionView(collection, options, first=first)
    echo(_summary(collection))
    serve_collection(shown, port, no_browser)


def serve_collection(
    shown: CollectionView,
    port: int | None,
    no_browser: bool,
    meanwhile: Callable[[], None] = lambda: None,
) -> None:
    """Serve a collection until Ctrl-C; something may be done meanwhile."""
    from gplandmark.runs.viewing.api import routes

    _serve(page_application(routes(shown)), shown, port, no_browser, meanwhile)


def serve_start_page(
    options: ViewOptions, commands: set[str], port: int | None, no_browser: bool
) -> None:
    """Serve the start page until Ctrl-C."""
    from gplandmark.runs.viewing.start_page import StartPage

    recent = Path(click.get_app_dir("gplandmark")) / "recent-folders.json"
    page = StartPage(Path.cwd(), recent, options, commands)
    _serve(page, page, port, no_browser, lambda: None)


class Closable(Protocol):
    """What is looked at, and may have unsaved edits."""

    @property
    def unsaved(self) -> list[str]:
        """Keys of specimens with unsaved edits."""

    def close(self) -> None:
        """Release everything."""


def _serve(
    application: Application,
    content: Closable,
    port: int | None,
    no_browser: bool,
    meanwhile: Callable[[], None],
) -> None:
    server = start_web_server(application, port)
    try:
        announce_page(server, no_browser)
        meanwhile()
        echo("Ctrl-C ends the viewer.")
        threading.Event().wait()
    except KeyboardInterrupt:
        pass
    finally:
        unsaved = content.unsaved
        server.stop()
        content.close()
    echo("The viewer has ended.")
    if unsaved:
        echo(f"Unsaved edits are kept: {', '.join(unsaved)}. Run the same command to continue.")


def announce_page(server: WebServer, no_browser: bool) -> None:
    """Open a browser, or print how to."""
    is_open = not no_browser and open_browser(server.address)
    echo(*[f"Opened {server.address}"] if is_open else how_to_open(server).splitlines())


def _summary(collection: Collection) -> str:
    what = f"results of {collection.command}" if collection.command else "scans"
    failed = sum(bool(each.failure) for each in collection.specimens)
    more = f", {failed} of which failed" if failed else ""
    return f"{collection.folder}: {what}, {counted(len(collection.specimens), 'specimen')}{more}."
