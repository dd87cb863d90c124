# SPDX-License-Identifier: MIT
"""The colour bar of a page: what the colours mean, in numbers."""

import html
from functools import cache

import numpy as np

from gplandmark.pictures import ColourScale
from gplandmark.viewer.colours import bar_colours, from_0_to_1, shown_colours

__all__ = ["colour_bar"]

STOPS = 33
TICKS = 5


def colour_bar(scale: ColourScale | None) -> str:
    """A bar of colours as they come out on the screen, with numbers below, as HTML."""
    if scale is None:
        return ""
    numbers = "".join(
        f"<span style='position:absolute;left:{100 * share:.1f}%;"
        f"transform:translateX(-{100 * share:.0f}%)'>{value:.3g}</span>"
        for share, value in _ticks(scale)
    )
    return (
        "<div class='colour-bar' style='font-size:0.8em;line-height:1.3;padding:0.4em 0.9em'>"
        f"<div>{html.escape(scale.label)}</div>"
        "<div style='height:0.9em;border-radius:2px;"
        f"background:linear-gradient(to right, {_stops(from_0_to_1(scale))})'></div>"
        f"<div style='position:relative;height:1.3em'>{numbers}</div></div>"
    )


@cache
def _stops(scale: ColourScale | None) -> str:
    colours = shown_colours(bar_colours(scale)[np.linspace(0, 255, STOPS).astype(int)])
    return ", ".join(f"rgb({r:.0f},{g:.0f},{b:.0f})" for r, g, b in 255 * colours)


def _ticks(scale: ColourScale) -> list[tuple[float, float]]:
    """Places on the bar, 0 to 1, and the values there."""
    shares = np.linspace(0, 1, TICKS)
    values = scale.low + (scale.high - scale.low) * shares ** (1 / scale.power)
    return list(zip(shares.tolist(), values.tolist(), strict=True))
