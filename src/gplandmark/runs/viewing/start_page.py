# SPDX-License-Identifier: MIT
"""The start page: recent folders, folders to look into, commands, and what is opened from it."""

import threading
from collections.abc import MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from gplandmark.errors import GplandmarkError, SettingsError
from gplandmark.io.files import content_of
from gplandmark.runs.reports.viewer_links import with_viewer_links
from gplandmark.runs.viewing.api import answering, answering_post, report_page, routes
from gplandmark.runs.viewing.collection import open_collection
from gplandmark.runs.viewing.collection_view import REPORT, CollectionView, ViewOptions
from gplandmark.runs.viewing.commands import FORMS, RunningCommand, arguments_of
from gplandmark.runs.viewing.recent import look_into, read_recent, remember
from gplandmark.visual.viewer.web_server import Application, Receive, Send, page_application

OPENED = "open"  # first part of the path of an opened folder


class StartPage:
    """What the start page asks for. Opened folders have paths of their own below it.

    Parameters
    ----------
    folder : where commands run, and where the first look goes
    recent : the file that remembers folders
    commands : names of commands that are offered
    """

    def __init__(
        self, folder: Path, recent: Path, options: ViewOptions, commands: set[str]
    ) -> None:
        self._folder, self._recent, self._options = folder, recent, options
        self._forms = {name: form for name, form in FORMS.items() if name in commands}
        self._views: list[CollectionView] = []
        self._applications: list[Application] = []
        self._running: list[RunningCommand] = []
        self._lock = threading.Lock()
        gets = {"start": self._start, "folder": self._look, "command": self._command}
        posts = {"open": self._open, "run": self._run, "stop": self._stop}
        self._start_application = page_application(
            [
                *(Route(f"/api/{name}", answering(each)) for name, each in gets.items()),
                *(
                    Route(f"/api/{name}", answering_post(each), methods=["POST"])
                    for name, each in posts.items()
                ),
                Route("/report/{number:int}", answering(self._report)),
            ],
            "start.html",
        )

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Pass a request on to the start page, or to the folder that it names."""
        first, _, rest = scope["path"].removeprefix("/").partition("/")
        number, slash, inside = rest.partition("/")
        if first == OPENED and slash and number.isdigit() and int(number) < len(self._applications):
            path = f"/{inside}"
            scope = {**scope, "path": path, "raw_path": path.encode()}
            await self._applications[int(number)](scope, receive, send)
        else:
            await self._start_application(scope, receive, send)

    @property
    def unsaved(self) -> list[str]:
        """Keys of specimens with unsaved edits."""
        return [key for view in self._views for key in view.unsaved]

    def close(self) -> None:
        """End commands and release specimens."""
        for each in self._running:
            each.stop()
        for view in self._views:
            view.close()

    def _start(self, _: Request) -> Response:
        return JSONResponse(
            {
                "recent": read_recent(self._recent),
                "folder": str(self._folder.absolute()),
                "forms": {name: vars(form) for name, form in self._forms.items()},
                "running": [each.content() | {"lines": []} for each in self._running],
            }
        )

    def _look(self, request: Request) -> Response:
        return JSONResponse(look_into(self._path(request.query_params.get("path", ""))))

    def _path(self, text: str) -> Path:
        path = Path(text.strip()).expanduser()
        return path if path.is_absolute() else self._folder.absolute() / path

    def _open(self, asked: dict[str, Any]) -> dict[str, Any]:
        folder = self._path(str(asked["folder"]))
        collection = open_collection(folder)
        remember(self._recent, folder)
        with self._lock:
            for number, view in enumerate(self._views):
                if view.collection == collection:
                    return {"address": f"{OPENED}/{number}/"}
            view = CollectionView(collection, self._options, has_start_page=True)
            self._views.append(view)
            self._applications.append(page_application(routes(view)))
            return {"address": f"{OPENED}/{len(self._views) - 1}/"}

    def _run(self, asked: dict[str, Any]) -> dict[str, Any]:
        words = arguments_of({**asked, **self._absolute(asked)})
        with self._lock:
            self._running.append(RunningCommand(words, self._folder))
            return {"number": len(self._running) - 1}

    def _absolute(self, asked: dict[str, Any]) -> dict[str, str]:
        fields = [field for form in self._forms.values() for field in form.folders]
        return {field: str(self._path(str(asked[field]))) for field in fields if asked.get(field)}

    def _number(self, text: object) -> RunningCommand:
        if not str(text).isdigit() or int(str(text)) >= len(self._running):
            raise SettingsError("There is no such command.")
        return self._running[int(str(text))]

    def _command(self, request: Request) -> Response:
        return JSONResponse(self._number(request.query_params.get("number")).content())

    def _stop(self, asked: dict[str, Any]) -> dict[str, Any]:
        self._number(asked["number"]).stop()
        return {"done": "The command was stopped. Run it again to continue."}

    def _report(self, request: Request) -> Response:
        """The report of a command, with links to its specimens."""
        folder = self._number(request.path_params["number"]).output
        page, viewer = content_of(folder / REPORT), ""
        with suppress(GplandmarkError):  # a report without specimens needs no links
            viewer = self._open({"folder": str(folder)})["address"]
        return report_page(with_viewer_links(page, f"../{viewer}") if viewer else page)
