# SPDX-License-Identifier: MIT
"""What a notebook shows of landmarks: a table, below a picture."""

from base64 import b64encode
from collections.abc import Sequence
from html import escape

import numpy as np

from gplandmark.numerics.arrays import FloatArray

MOST_ROWS = 10


def axis_names(dimension: int) -> list[str]:
    """Names of the coordinates: x, y and z in space, x1, x2, ... beyond."""
    return list("xyz"[:dimension]) if dimension <= 3 else [f"x{i + 1}" for i in range(dimension)]


def landmark_table(
    title: str,
    labels: Sequence[str],
    points: FloatArray,
    classes: Sequence[str],
    png: bytes | None = None,
) -> str:
    """Return the first landmarks as a table in HTML, below a picture of all of them."""
    picture = ""
    if png is not None:
        source = f"data:image/png;base64,{b64encode(png).decode('ascii')}"
        picture = f'<img alt="picture" src="{source}"/>'
    axes = axis_names(points.shape[1])
    rows = [_row("th", ["landmark", *axes, *(["class"] if classes else [])])]
    for number in range(min(len(points), MOST_ROWS)):
        cells = [labels[number], *map(_number, points[number]), *classes[number : number + 1]]
        rows.append(_row("td", cells))
    if (left := len(points) - MOST_ROWS) > 0:
        rows.append(_row("td", [f"and {left} more"]))
    caption = f"<caption>{escape(title)}</caption>"
    return f"<div>{picture}<table>{caption}{''.join(rows)}</table></div>"


def _row(kind: str, cells: list[str]) -> str:
    return "<tr>" + "".join(f"<{kind}>{escape(cell)}</{kind}>" for cell in cells) + "</tr>"


def _number(value: float) -> str:
    return "missing" if np.isnan(value) else f"{value:.6g}"
