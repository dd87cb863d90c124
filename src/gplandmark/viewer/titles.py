# SPDX-License-Identifier: MIT
"""The title of a page, which the browser shows on its tab; viser has no setting for it."""

import html
import re
from collections.abc import Callable
from typing import Any

__all__ = ["titled", "with_title"]

PAGES = ("/", "/index.html")


def titled(page: str, title: str) -> str:
    """A page of HTML with another title."""
    new = f"<title>{html.escape(title)}</title>"
    return re.sub("<title>.*?</title>", lambda _: new, page, count=1, flags=re.DOTALL)


def with_title(answer: Callable[[Any, Any], Any], title: str) -> Callable[[Any, Any], Any]:
    """Give the page that `answer` sends another title; all other answers stay as they are."""

    def ask(connection: Any, request: Any) -> Any:
        if request.path.partition("?")[0] not in PAGES:
            return answer(connection, request)
        # A packed page cannot be changed, and packing saves a fifth of it only.
        if "Accept-Encoding" in request.headers:
            del request.headers["Accept-Encoding"]
        response = answer(connection, request)
        if response is not None:  # as for a websocket, which has the same path
            response.body = titled(response.body.decode(), title).encode()
            del response.headers["Content-Length"]
            response.headers["Content-Length"] = str(len(response.body))
        return response

    return ask
