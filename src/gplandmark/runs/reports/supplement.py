# SPDX-License-Identifier: MIT
"""A further part of the report of an analysis: tables, pictures, and sections that show them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gplandmark.visual.html_page import Section

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Supplement:
    """What a further analysis adds to the report.

    Attributes
    ----------
    tables : texts of its tables, by the names of their files
    descriptions : of the tables
    captions : of the pictures, by name
    figures : draws the pictures
    sections : makes the sections of the page from pictures in HTML, by name
    summary : what was found, for the beginning of the page
    rows : the same in few words, by name, for the terminal
    """

    tables: Mapping[str, str]
    descriptions: Mapping[str, str]
    captions: Mapping[str, str]
    figures: Callable[[], Mapping[str, "Figure"]]
    sections: Callable[[Mapping[str, str]], list[Section]]
    summary: str = ""
    rows: tuple[tuple[str, str], ...] = ()
