# SPDX-License-Identifier: MIT
"""The viewer: specimens and landmarks in a browser, from a local server or as one file.

Needs viser, the extra ``viewer``.
"""

from gplandmark.viewer.display import MOST_VERTICES, DisplayMesh, display_mesh
from gplandmark.viewer.notebook import show
from gplandmark.viewer.opening import how_to_open, open_browser
from gplandmark.viewer.paintings import PAINTINGS, Exhibit
from gplandmark.viewer.server import Served, serve
from gplandmark.viewer.share import SHARED_VERTICES, share_page
from gplandmark.viewer.steps import Steps, steps_of
from gplandmark.viewer.view import View

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
