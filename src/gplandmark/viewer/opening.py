# SPDX-License-Identifier: MIT
"""Opening a browser, and what to say where there is none."""

import getpass
import os
import socket
import sys
import webbrowser

from gplandmark.viewer.server import HERE, Served

__all__ = ["how_to_open", "open_browser"]


def open_browser(address: str) -> bool:
    """Open the address in a browser with a window; tell whether there is one."""
    has_window = sys.platform in ("win32", "darwin") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    try:
        return has_window and webbrowser.open(address)
    except webbrowser.Error:
        return False


def how_to_open(served: Served) -> str:
    """Say how to look from this computer, and from another one."""
    port, host = served.port, socket.gethostname()
    return (
        f"Open {served.address}\n"
        f"From another computer, first run there: "
        f"ssh -L {port}:{HERE}:{port} {_user()}@{host}"
    )


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user without a name, as in some containers
        return "user"
