# SPDX-License-Identifier: MIT
"""The viewer: specimens and landmarks in a browser, from a local server or as one file.

Import from this package. `web_server` serves our page (in ``page``), which shows and edits
collections; this needs the extra ``viewer``. `shared_html` makes one file of the same parts.
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
from gplandmark.visual.viewer.shared_page import SHARED_VERTICES, shared_html, show

__all__ = [
    "MOST_VERTICES", "SHARED_VERTICES", "DisplayMesh", "DisplayedSpecimen", "Steps",
    "display_mesh", "how_to_open", "open_browser", "shared_html", "show", "steps_of",
]  # fmt: skip
