# SPDX-License-Identifier: MIT
"""The viewer: specimens and landmarks in a browser, from a local server or as one file.

Needs viser, the extra ``viewer``.
"""

from gplandmark.visual.viewer.displayed_specimen import (
    MOST_VERTICES,
    PAINTINGS,
    DisplayMesh,
    Exhibit,
    Steps,
    display_mesh,
    steps_of,
)
from gplandmark.visual.viewer.server import Served, how_to_open, open_browser, serve
from gplandmark.visual.viewer.shared_page import SHARED_VERTICES, share_page, show
from gplandmark.visual.viewer.view import View

__all__ = [
    "MOST_VERTICES",
    "PAINTINGS",
    "SHARED_VERTICES",
    "DisplayMesh",
    "Exhibit",
    "Served",
    "Steps",
    "View",
    "display_mesh",
    "how_to_open",
    "open_browser",
    "serve",
    "share_page",
    "show",
    "steps_of",
]
