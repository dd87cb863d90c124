# SPDX-License-Identifier: MIT
"""Who may see what this computer serves: the user who started it, and nobody else.

The address has a secret in it. Every user of a computer can read the arguments of all processes,
so that a browser is not started with the address but with a page that only its owner can read,
which leads there. Web sites do not know the secret either, and have other names or ports.
"""

import atexit
import getpass
import html
import os
import socket
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from gplandmark.errors import ViewerError

LOCALHOST = "127.0.0.1"
OUR_NAMES = (LOCALHOST, "localhost")  # a page under another host name is not ours
MINUTE = 60.0  # seconds that a browser has to start
REDIRECT = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>gplandmark</title>
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}"></head>
<body><a href="{address}">Open the viewer</a></body></html>
"""


class Listening(Protocol):
    """A server with a secret in its address."""

    @property
    def port(self) -> int:
        """Where it listens on this computer."""

    @property
    def address(self) -> str:
        """What to open in a browser."""


def is_our_host(hosts: Sequence[str], origins: Sequence[str]) -> bool:
    """Whether a request has one host, which is this computer, and comes from a page of ours.

    A page that another program serves on this computer has another port, and is not ours.
    """
    if len(hosts) != 1:
        return False
    try:
        name = urlsplit(f"//{hosts[0]}").hostname
    except ValueError:
        return False
    return name in OUR_NAMES and all(each == f"http://{hosts[0]}" for each in origins)


def check_port(port: int | None) -> None:
    """Refuse a port that cannot be used; None stands for a free one.

    Raises
    ------
    ViewerError
        It is no port, or reserved, or in use.
    """
    if port is None:
        return
    if not 1 <= port <= 65_535:
        raise ViewerError(f"A port is a number from 1 to 65,535, got {port}.")
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as asked:
        asked.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            asked.bind((LOCALHOST, port))
        except PermissionError:
            raise ViewerError(f"Port {port} is reserved. Choose one above 1023.") from None
        except OSError:
            raise ViewerError(port_taken(port)) from None


def port_taken(port: int) -> str:
    """Say that another program has a port, and what to do."""
    return f"Port {port} is in use by another program. Omit --port to get a free one."


def open_browser(address: str) -> bool:
    """Open a secret address in a browser with a window; return whether there is one."""
    has_window = sys.platform in ("win32", "darwin") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    if not has_window:
        return False
    try:
        return webbrowser.open(_redirecting_page(address).as_uri())
    except (webbrowser.Error, OSError):
        return False


def _redirecting_page(address: str) -> Path:
    """Write a page that leads to an address; it goes after a minute, or with this program.

    Browsers in a sandbox, as on Ubuntu, read neither the folder for temporary files nor hidden
    folders: it lies in the user's own folder.
    """
    try:
        file, name = tempfile.mkstemp(".html", "gplandmark-opens-", Path.home())
    except (OSError, RuntimeError):  # there is none, or it is not writable
        file, name = tempfile.mkstemp(".html", "gplandmark-opens-")
    with open(file, "w", encoding="utf-8") as page:  # only its owner can read it
        page.write(REDIRECT.format(address=html.escape(address)))
    atexit.register(_remove, name)
    later = threading.Timer(MINUTE, _remove, (name,))
    later.daemon = True
    later.start()
    return Path(name)


def _remove(name: str) -> None:
    with suppress(OSError):
        os.unlink(name)


def how_to_open(served: Listening) -> str:
    """How to open what is served from this computer, and from another one."""
    port, host = served.port, socket.gethostname()
    return (
        f"Open {served.address}\n"
        f"From another computer, first run there: "
        f"ssh -L {port}:{LOCALHOST}:{port} {_user()}@{host}"
    )


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user without a name, e.g. in some containers
        return "user"
