# SPDX-License-Identifier: MIT
"""A small web server for our own page: this computer only, with a secret in the address."""

import secrets
import socket
import threading
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from gplandmark.errors import ViewerError
from gplandmark.visual.viewer.access import LOCALHOST, check_port, is_our_host

if TYPE_CHECKING:
    import uvicorn
    from starlette.routing import BaseRoute

PAGE = Path(__file__).parent / "page"  # our own HTML, CSS and JavaScript
ENDING = 2.0  # seconds that open requests have when the server stops
INCOMPLETE = b"This address is incomplete. Open the address that gplandmark printed.\n"
NOTHING_ELSE = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' blob: data:; connect-src 'self'; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'"
)
SAFETY = [
    (b"content-security-policy", NOTHING_ELSE.encode()),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
]

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(frozen=True, eq=False)
class WebServer:
    """A running server.

    Attributes
    ----------
    port : that it listens on
    token : the secret part of the address
    """

    port: int
    token: str
    _server: "uvicorn.Server" = field(repr=False)
    _thread: threading.Thread = field(repr=False)

    @property
    def address(self) -> str:
        """What to open in a browser; anyone who knows it can see and change the collection."""
        return f"http://{LOCALHOST}:{self.port}/{self.token}/"

    def stop(self) -> None:
        """Close all connections and end the server's thread."""
        self._server.should_exit = True
        self._thread.join()


def page_application(routes: Sequence["BaseRoute"], first: str = "index.html") -> Application:
    """Our page and some routes.

    Raises
    ------
    ViewerError
        The extra ``viewer`` is not installed.
    """
    web_library()
    from starlette.applications import Starlette
    from starlette.responses import FileResponse
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles

    root = Route("/", lambda _: FileResponse(PAGE / first))
    return Starlette(routes=[*routes, root, Mount("/", StaticFiles(directory=PAGE))])


def start_web_server(application: Application, port: int | None = None) -> WebServer:
    """Serve an application on this computer, at a free port unless one is given.

    Raises
    ------
    ViewerError
        The extra ``viewer`` is not installed, or the port is invalid or in use.
    """
    uvicorn = web_library()
    check_port(port)
    token = secrets.token_urlsafe(24)
    listening = socket.create_server((LOCALHOST, port or 0))
    server = uvicorn.Server(
        uvicorn.Config(
            guarded_application(application, token), log_config=None, access_log=False,
            lifespan="off", ws="none", timeout_graceful_shutdown=int(ENDING), server_header=False,
        )
    )  # fmt: skip
    thread = threading.Thread(
        target=server.run, kwargs={"sockets": [listening]}, name="web server", daemon=True
    )
    thread.start()
    return WebServer(listening.getsockname()[1], token, server, thread)


def web_library() -> Any:
    """The module uvicorn; a sentence says what to install if it, or starlette, is missing."""
    try:
        import starlette  # noqa: F401
        import uvicorn
    except ImportError:
        raise ViewerError(
            "The viewer needs starlette and uvicorn, which are not installed. "
            "Run: python -m pip install 'gplandmark[viewer]'"
        ) from None
    return uvicorn


def guarded_application(application: Application, token: str) -> Application:
    """Pass requests on only if their path has the token, and host and origin are this computer.

    Other web sites can send requests to this computer and, by DNS rebinding, read the answers.
    They do not know the token and have another host name.
    """

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        first, _, rest = scope["path"].removeprefix("/").partition("/")
        known = secrets.compare_digest(first.encode(errors="replace"), token.encode())
        headers = [
            (name.decode("latin-1"), text.decode("latin-1")) for name, text in scope["headers"]
        ]
        hosts = [text for name, text in headers if name == "host"]
        origins = [text for name, text in headers if name == "origin"]
        if not (known and is_our_host(hosts, origins)):
            await _refuse(send)
            return

        async def send_safely(event: MutableMapping[str, Any]) -> None:
            if event["type"] == "http.response.start":
                headers = list(event.get("headers", ()))
                given = {name.lower() for name, _ in headers}
                event["headers"] = headers + [each for each in SAFETY if each[0] not in given]
            await send(event)

        inside = {**scope, "path": f"/{rest}", "raw_path": f"/{rest}".encode()}
        await application(inside, receive, send_safely)

    return guard


async def _refuse(send: Send) -> None:
    headers = [(b"content-type", b"text/plain"), (b"content-length", b"%d" % len(INCOMPLETE))]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": INCOMPLETE})
