# SPDX-License-Identifier: MIT
"""Landmarks as a notebook shows them: a table, and a picture by whoever can draw one."""

from base64 import b64encode
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from gplandmark.landmarks.landmarks import Landmarks

__all__ = ["as_html", "drawing"]

Drawer: TypeAlias = "Callable[[Landmarks], bytes | None]"
"""From landmarks to a PNG file, or None where there is nothing to draw or to draw with."""

MOST_ROWS = 10

_drawers: list[Drawer] = []


def drawing(draw: Drawer) -> Drawer:
    """Say who draws the picture beside the table: pictures know landmarks, not the reverse."""
    _drawers[:] = [draw]
    return draw


def as_html(landmarks: "Landmarks") -> str:
    """Return the first landmarks as a table in HTML, below a picture of all of them."""
    images = [png for draw in _drawers if (png := draw(landmarks)) is not None]
    pictures = "".join(
        f'<img alt="picture" src="data:image/png;base64,{b64encode(png).decode("ascii")}"/>'
        for png in images
    )
    title = f"{escape(landmarks.specimen)}: {len(landmarks)} landmarks"
    return f"<div>{pictures}<table><caption>{title}</caption>{_rows(landmarks)}</table></div>"


def _rows(landmarks: "Landmarks") -> str:
    dimension = landmarks.points.shape[1]
    axes = list("xyz"[:dimension]) if dimension <= 3 else [f"x{i + 1}" for i in range(dimension)]
    rows = [_row("th", ["landmark", *axes, *(["class"] if landmarks.classes else [])])]
    for number in range(min(len(landmarks), MOST_ROWS)):
        cells = [landmarks.labels[number], *map(_number, landmarks.points[number])]
        rows.append(_row("td", [*cells, *landmarks.classes[number : number + 1]]))
    left = len(landmarks) - MOST_ROWS
    return "".join(rows) + (_row("td", [f"and {left} more"]) if left > 0 else "")


def _row(kind: str, cells: list[str]) -> str:
    return "<tr>" + "".join(f"<{kind}>{escape(cell)}</{kind}>" for cell in cells) + "</tr>"


def _number(value: float) -> str:
    return "missing" if np.isnan(value) else f"{value:.6g}"
