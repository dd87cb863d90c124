# SPDX-License-Identifier: MIT
"""The viewer: specimens and landmarks in a browser, from a local server or as one file.

Import from this package. `web_server` serves our own page (in ``page``), which shows and edits
collections; viser makes the page of `shared_html`. Both need the extra ``viewer``.
"""

from gplandmark.visual.viewer.access import how_to_open, open_browser
from gplandmark.visual.viewer.displayed_specimen import (
    MOST_VERTICES,
    DisplayedSpecimen,
    DisplayMesh,
    Steps,
    display_mesh,
    steps_of,
)
from gplandmark.visual.viewer.server import Served, start_server
from gplandmark.visual.viewer.shared_page import SHARED_VERTICES, shared_html, show

__all__ = [
    "MOST_VERTICES", "SHARED_VERTICES", "DisplayMesh", "DisplayedSpecimen", "Served",
    "Steps", "display_mesh", "how_to_open", "open_browser", "shared_html", "show",
    "start_server", "steps_of",
]  # fmt: skip
