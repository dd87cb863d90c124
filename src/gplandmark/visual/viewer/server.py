# SPDX-License-Identifier: MIT
"""The local server: this computer only, a free port, and a secret token in the address.

viser serves the page and the websocket to anyone who knows the port. Both pass through one hook of
the websockets library, `process_request`, where we check the token first. `access` has what decides
who may see the page.
"""

import html
import http
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gplandmark.errors import ViewerError
from gplandmark.visual.viewer.access import LOCALHOST, check_port, is_our_host, port_taken

if TYPE_CHECKING:
    from viser import ViserServer


@dataclass(frozen=True, eq=False)
class Served:
    """A running server.

    Attributes
    ----------
    viser : the library's server
    port : that it listens on
    token : the secret part of the address
    """

    viser: "ViserServer"
    port: int
    token: str

    @property
    def address(self) -> str:
        """What to open in a browser; anyone who knows it can see the specimen."""
        return f"http://{LOCALHOST}:{self.port}/{self.token}/"

    def stop(self) -> None:
        """Close all connections and end the server's thread."""
        with _silent():
            self.viser.stop()


def start_server(port: int | None = None, title: str = "gplandmark") -> Served:
    """Start a server on this computer, at a free port unless one is given; the title is the tab's.

    Raises
    ------
    ViewerError
        viser is not installed, or the port is invalid or in use.
    """
    viser = _viser()
    check_port(port)
    token = secrets.token_urlsafe(24)
    with _silent(), _guarded_servers(token, title):
        server = viser.ViserServer(LOCALHOST, port or 0, verbose=False)
    served = Served(server, server.get_port(), token)
    if port and served.port != port:  # taken between the check and the start
        served.stop()
        raise ViewerError(port_taken(port))
    # viser can publish the page through a public server; that is never allowed.
    server.request_share_url = lambda verbose=True: None  # noqa: ARG005
    server.gui.configure_theme(show_share_button=False, show_logo=False, control_width="large")
    return served


def guarded(answer: Callable[[Any, Any], Any], token: str) -> Callable[[Any, Any], Any]:
    """Pass a request on to `answer` only if its path has the token and its host is this computer.

    This protects against other web sites: they can send requests to this computer and, by DNS
    rebinding, read the answers. They do not know the token and have another host name, and other
    programs of this computer serve pages at other ports.
    """
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    def ask(connection: Any, request: Any) -> Any:
        path, _, query = request.path.partition("?")
        first, _, rest = path.removeprefix("/").partition("/")
        known = secrets.compare_digest(first.encode(errors="replace"), token.encode())
        headers = request.headers
        is_ours = is_our_host(headers.get_all("Host"), headers.get_all("Origin"))
        if not (known and is_ours):
            text = b"This address is incomplete. Open the address that gplandmark printed.\n"
            plain = Headers({"Content-Type": "text/plain", "Content-Length": str(len(text))})
            return Response(http.HTTPStatus.FORBIDDEN, "Forbidden", plain, text)
        request.path = f"/{rest}" + (f"?{query}" if query else "")
        return answer(connection, request)

    return ask


@contextmanager
def _guarded_servers(token: str, title: str) -> Iterator[None]:
    """In this context, servers of the websockets library are guarded from their first request on.

    viser has no setting for it, but looks the function up when it starts.
    """
    import websockets.asyncio.server as library

    original = library.serve

    def guarded_serve(*arguments: Any, process_request: Any, **options: Any) -> Any:
        guard = guarded(with_title(process_request, title), token)
        return original(*arguments, process_request=guard, **options)

    library.serve = guarded_serve
    try:
        yield
    finally:
        library.serve = original


@contextmanager
def _silent() -> Iterator[None]:
    """In this context, nothing is printed through rich, as viser does when it starts."""
    import rich

    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before


def _viser() -> Any:
    try:
        import viser
    except ImportError:
        raise ViewerError(
            "The viewer needs viser, which is not installed. "
            "Run: python -m pip install 'gplandmark[viewer]'"
        ) from None
    return viser


def titled(page: str, title: str) -> str:
    """A page of HTML with another title."""
    new = f"<title>{html.escape(title)}</title>"
    return re.sub("<title>.*?</title>", lambda _: new, page, count=1, flags=re.DOTALL)


def with_title(answer: Callable[[Any, Any], Any], title: str) -> Callable[[Any, Any], Any]:
    """Give the page that `answer` sends another title; all other answers stay as they are."""

    def ask(connection: Any, request: Any) -> Any:
        if request.path.partition("?")[0] not in ("/", "/index.html"):
            return answer(connection, request)
        # A compressed page cannot be changed, and compression saves only a fifth.
        if "Accept-Encoding" in request.headers:
            del request.headers["Accept-Encoding"]
        response = answer(connection, request)
        if response is not None:  # None for a websocket, which has the same path
            response.body = titled(response.body.decode(), title).encode()
            del response.headers["Content-Length"]
            response.headers["Content-Length"] = str(len(response.body))
        return response

    return ask
