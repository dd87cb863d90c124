# SPDX-License-Identifier: MIT
"""From a report to a specimen in the viewer.

A report is a file, and the address of the viewer is secret and new each time. So the report shows
the command that opens a specimen. The viewer serves the same report with links in their place.
"""

import re
import shlex
from html import unescape
from urllib.parse import quote

from gplandmark.visual.html_page import safe

COMMAND = "gplandmark view . --specimen"
PLACE = re.compile(r'<code class="view" title="([^"]*)">(.*?)</code>', re.DOTALL)


def open_command(key: str) -> str:
    """The command that opens a specimen, run in the folder of the report."""
    command = safe(f"{COMMAND} {shlex.quote(key)}")
    return f'<p class=soft><code class="view" title="{safe(key)}">{command}</code></p>'


def with_viewer_links(page: str, viewer: str = "./") -> str:
    """A report whose commands have become links to the specimens in the viewer that serves it.

    `viewer` is where the page of the collection is, as seen from the report.
    """

    def link(found: re.Match[str]) -> str:
        return (
            f'<a class="view" href="{viewer}#{quote(unescape(found[1]))}">Open it in the viewer</a>'
        )

    return PLACE.sub(link, page)
