# SPDX-License-Identifier: MIT
"""Text around the panels of a picture: labels of landmarks, scale bar, colour bar and legend."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.pictures.colour_maps import ColourScale
from gplandmark.visual.pictures.renderer import Rendering

OUTSIDE = 1e6  # square points: worse than to cover any other label
LETTER = np.array([5.1, 7.4])  # width and height of a digit, in points, at the size we use
GAP = 1.0
DIRECTIONS = np.array(
    [[np.cos(angle), np.sin(angle)] for angle in np.radians([45, 0, 90, 135, -45, 180, -90, -135])]
)


def label_offsets(
    places: FloatArray, labels: Sequence[str], mark_size: float, right: float = np.inf
) -> FloatArray:
    """Choose, one after the other, the side of each mark where its label overlaps least.

    Parameters
    ----------
    places : (k, 2) centres of the marks, in points
    labels : their texts
    mark_size : diameter of a mark, in points
    right : where the picture ends, in points; labels stay to the left of it

    Returns
    -------
    (k, 2) from each mark to the centre of its label, in points. Of equal sides the first
    of `DIRECTIONS` is taken: above and to the right.
    """
    count = len(places)
    centres, halves = np.zeros((2 * count, 2)), np.full((2 * count, 2), mark_size / 2)
    centres[:count] = places
    for number, text in enumerate(labels):
        taken = count + number
        halves[taken] = half = LETTER * np.array([max(len(text), 1), 1]) / 2
        sides = places[number] + DIRECTIONS * (half + mark_size / 2 + GAP)
        apart, smaller = np.abs(centres[:taken] - sides[:, None]), np.minimum(halves[:taken], half)
        shared = np.clip(half + halves[:taken] - apart, 0, 2 * smaller)
        overlaps = shared.prod(axis=2).sum(axis=1)  # areas, on each side
        overlaps += OUTSIDE * (sides[:, 0] + half[0] > right)
        centres[taken] = sides[int(np.argmin(np.round(overlaps, 6)))]
    return centres[count:] - places


ABOVE, BELOW = 0.35, 0.33  # inches above and below the bars
LEGEND = 0.2  # inches for a legend below them
LEFT = 0.2  # inches from the side of the figure
MOST_TICKS = 6
LONGEST_BAR = 0.35  # of the width of a panel


def draw_footer(
    figure: Any,
    views: Sequence[Rendering],
    unit: str,
    scale: ColourScale | None,
    legend: Mapping[str, str] | None,
) -> None:
    """Draw lengths, colours and legend below the first axes of a figure, which show the views."""
    base = footer_height(scale, legend) - ABOVE
    _draw_lengths(figure, views, unit, base)
    if scale is not None:
        _draw_bar(figure, scale, base)
    if legend:
        _draw_legend(figure, legend)


def footer_height(scale: ColourScale | None, legend: Mapping[str, str] | None) -> float:
    """Inches below the panels; a legend beside a colour bar needs a line of its own."""
    return ABOVE + BELOW + (LEGEND if scale is not None and legend else 0)


def _draw_lengths(figure: Any, views: Sequence[Rendering], unit: str, base: float) -> None:
    """Draw a length scale below all panels, or in each of them where their scales differ."""
    widths = [view.frame[1] - view.frame[0] for view in views]
    panels = figure.axes[: len(views)]
    if max(widths) > min(widths) * (1 + 1e-9):
        for axes, view, seen in zip(panels, views, widths, strict=True):
            _draw_length(axes, view.frame[0], view.frame[2], seen, unit)
        return
    width, height = figure.get_size_inches()
    box = panels[0].get_position()
    axes = figure.add_axes((LEFT / width, (base + 0.02) / height, box.width, 0.1 / height))
    axes.set(xlim=(0, widths[0]), ylim=(0, 1))
    axes.set_axis_off()
    _draw_length(axes, 0, 0, widths[0], unit)


def _draw_length(axes: Any, left: float, bottom: float, seen: float, unit: str) -> None:
    """Draw the largest of 1, 2 and 5 times a power of ten that is not longer than allowed."""
    longest = seen * LONGEST_BAR
    power = 10.0 ** np.floor(np.log10(longest))
    length = power * max(step for step in (1, 2, 5) if step * power <= longest * (1 + 1e-9))
    axes.plot(
        [left, left + length], [bottom, bottom], color="black", linewidth=1.5,
        solid_capstyle="butt", clip_on=False,
    )  # fmt: skip
    axes.annotate(
        f"{length:g} {unit}", (left, bottom), xytext=(0, -3), textcoords="offset points",
        ha="left", va="top", annotation_clip=False, parse_math=False,
    )  # fmt: skip


def _draw_bar(figure: Any, scale: ColourScale, base: float) -> None:
    """Draw the colours and their numbers at the right, and what they are above them."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.ticker import MaxNLocator

    height = figure.get_figheight()
    axes = figure.add_axes((0.52, (base - 0.02) / height, 0.44, 0.09 / height))
    colours = ScalarMappable(scale.norm(), scale.name)
    bar = figure.colorbar(
        colours, cax=axes, orientation="horizontal", extend=scale.extend, extendfrac=0.03
    )
    bar.outline.set_linewidth(0.4)
    ticks = MaxNLocator(MOST_TICKS).tick_values(scale.low, scale.high)
    bar.set_ticks([tick for tick in ticks if scale.low <= tick <= scale.high], minor=False)
    axes.tick_params(length=2, pad=1.5, labelsize=7)
    figure.text(0.52, (base + 0.1) / height, scale.label, ha="left", va="bottom", parse_math=False)


def _draw_legend(figure: Any, legend: Mapping[str, str]) -> None:
    """Name the colours of the marks, in the last line."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], linestyle="", marker="o", markersize=5, color=colour, label=name)
        for name, colour in legend.items()
    ]
    drawn = figure.legend(
        handles=handles, loc="lower right", ncols=len(handles), columnspacing=1.2,
        handletextpad=0.2, bbox_to_anchor=(0.99, 0.02 / figure.get_figheight()), borderaxespad=0.3,
    )  # fmt: skip
    for text in drawn.get_texts():
        text.set_parse_math(False)
