# SPDX-License-Identifier: MIT
"""What the page of a collection can ask for, as routes of the web server.

Ordinary functions run in threads; only the waiting for changes is a coroutine.
"""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from gplandmark.errors import GplandmarkError, SettingsError
from gplandmark.runs.viewing.collection_view import CollectionView
from gplandmark.runs.viewing.colours import colours_of, variance_curve
from gplandmark.runs.viewing.edits import edit, locate
from gplandmark.runs.viewing.specimen_content import count_inside, page_content

ALONE = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:"
)
LARGEST = 2**20  # bytes of a request
WAITING = 20.0  # seconds after which the page asks again for changes
PAUSE = 0.2
BETWEEN_LOOKS = 3.0  # seconds between looks at what other programs changed
NEVER = -1e9


def routes(view: CollectionView) -> list[Route]:
    """All routes of a collection."""
    return Api(view).routes()


class Api:
    """Answers the requests of all windows that show one collection."""

    def __init__(self, view: CollectionView) -> None:
        self._view = view
        self._looked = NEVER

    def routes(self) -> list[Route]:
        """All routes."""
        answers: dict[str, Callable[[Request], Any]] = {
            "collection": lambda _: JSONResponse(self._view.listing()),
            "specimen": self._specimen,
            "mesh": self._mesh,
            "colours": self._colours,
            "curve": self._curve,
            "inside": self._inside,
            "thumbnail": self._thumbnail,
        }
        posts: dict[str, Callable[[dict[str, Any]], Any]] = {
            "edit": self._edit,
            "save": self._save,
            "check": self._check,
            "locate": self._locate,
        }
        return [
            Route("/api/changes", self._changes),
            Route("/report", answering(lambda _: report_page(self._view.report()))),
            *(Route(f"/api/{name}", answering(each)) for name, each in answers.items()),
            *(
                Route(f"/api/{name}", answering_post(each), methods=["POST"])
                for name, each in posts.items()
            ),
        ]

    def _specimen(self, request: Request) -> Response:
        return JSONResponse(page_content(self._view.opened(_key(request))))

    def _mesh(self, request: Request) -> Response:
        return _bytes(self._view.opened(_key(request)).drawn.mesh_message())

    def _colours(self, request: Request) -> Response:
        step = request.query_params.get("step")
        colouring = request.query_params.get("colouring", "bone")
        opened = self._view.opened(_key(request))
        return _bytes(colours_of(opened, colouring, None if step is None else int(step)))

    def _curve(self, request: Request) -> Response:
        return JSONResponse(variance_curve(self._view.opened(_key(request))))

    def _inside(self, request: Request) -> Response:
        return JSONResponse(count_inside(self._view.opened(_key(request))))

    def _thumbnail(self, request: Request) -> Response:
        content = self._view.thumbnail(_key(request))
        return Response(content, status_code=200 if content else 404, media_type="image/png")

    def _edit(self, asked: dict[str, Any]) -> dict[str, Any]:
        opened = self._view.opened(str(asked["key"]))
        done = edit(opened, asked)
        return {"done": done, "specimen": page_content(opened)}

    def _save(self, asked: dict[str, Any]) -> dict[str, Any]:
        opened = self._view.opened(str(asked["key"]))
        output = Path(str(asked.get("output") or opened.output))
        done, question = self._view.save(
            opened.specimen.key, output, is_agreed=bool(asked.get("agreed"))
        )
        return {"done": done, "question": question, "specimen": page_content(opened)}

    def _check(self, asked: dict[str, Any]) -> dict[str, Any]:
        return {"done": self._view.check(str(asked["key"]), bool(asked["checked"]))}

    def _locate(self, asked: dict[str, Any]) -> dict[str, Any]:
        return locate(self._view.opened(str(asked["key"])), asked)

    async def _changes(self, request: Request) -> Response:
        """Wait until there are changes that a window has not seen, or for some seconds."""
        seen = int(request.query_params.get("since", -1))
        loop = asyncio.get_running_loop()
        end = loop.time() + WAITING
        while self._view.changes == seen and loop.time() < end:
            if loop.time() - self._looked > BETWEEN_LOOKS:
                self._looked = loop.time()
                await run_in_threadpool(self._view.refresh)
            await asyncio.sleep(PAUSE)
            if await request.is_disconnected():
                break
        return JSONResponse({"changes": self._view.changes})


def _key(request: Request) -> str:
    return str(request.query_params.get("key", ""))


def _bytes(content: bytes) -> Response:
    return Response(content, media_type="application/octet-stream")


def answering(answer: Callable[[Request], Any]) -> Callable[[Request], Any]:
    """An answer whose refusals become sentences for the page."""

    def called(request: Request) -> Any:
        try:
            return answer(request)
        except GplandmarkError as error:
            return refusal(error)
        except ValueError as error:
            return refusal(
                SettingsError(f"The page sent a request that is not understood: {error}.")
            )

    return called


def answering_post(answer: Callable[[dict[str, Any]], Any]) -> Callable[[Request], Any]:
    """An answer to what the page sends, in a thread; refusals become sentences for the page."""

    async def called(request: Request) -> Any:
        try:
            content = await read_content(request)
            return JSONResponse(await run_in_threadpool(answer, content))
        except GplandmarkError as error:
            return refusal(error)
        except KeyError as error:
            return refusal(SettingsError(f"The page sent a request without {error}."))

    return called


async def read_content(request: Request) -> dict[str, Any]:
    """The JSON of a request.

    Raises
    ------
    SettingsError
        It is not one that our page sends.
    """
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LARGEST:
            raise SettingsError("The request is too large.")
    try:
        content = json.loads(body)
    except ValueError:
        content = None
    if not isinstance(content, dict) or request.headers.get("content-type") != "application/json":
        raise SettingsError("The page sent a request that is not understood.")
    return content


def report_page(page: str) -> Response:
    """A report, which may run its own scripts but reach nothing else."""
    return HTMLResponse(page, headers={"content-security-policy": ALONE})


def refusal(error: GplandmarkError) -> Response:
    """The sentence of an error, for the page to show."""
    return JSONResponse({"error": str(error)}, status_code=400)
