# SPDX-License-Identifier: MIT
"""Charts of an analysis: scores, explained variance and distances."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gplandmark.io.formatting import printable
from gplandmark.morphometrics.analysis.analyse import Analysis
from gplandmark.morphometrics.analysis.shape_distances import ContinuousAnalysis
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.visual.pictures.annotations import label_offsets
from gplandmark.visual.pictures.image_files import new_figure, styled
from gplandmark.visual.print_style import (
    COLOURS,
    MARK_SIZE,
    MARK_SIZES,
    NAMED,
    UNKNOWN,
    group_colour,
    group_mark,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TICKED = 80  # specimens up to which a map of distances names each
LEGEND = 24  # groups in a column of the legend
WIDEST = 10.0  # inches
MOST_BARS = 15


def score_chart(analysis: Analysis, across: int, up: int) -> "Figure":
    """Draw specimens by their scores on two components, with a colour and a mark per group."""
    parts = analysis.components
    scores = parts.scores[:, [across, up]]
    groups = analysis.groups
    names = sorted({group for group in groups if group is not None})
    columns = -(-len(names) // LEGEND)
    figure = new_figure(min(4.7 + 1.5 * columns, WIDEST), 4.6)
    with styled():
        axes = figure.add_subplot()
        axes.axhline(0, color="#d0d0d0", linewidth=0.6, zorder=0)
        axes.axvline(0, color="#d0d0d0", linewidth=0.6, zorder=0)
        draw_groups(axes, scores, groups if names else (), hulls=True)
        axes.set(xlabel=_axis(analysis, across), ylabel=_axis(analysis, up))
        axes.set_aspect("equal", adjustable="datalim")
        axes.margins(x=0.16)  # room for names to the right of points
        if names:
            figure.legend(loc="outside right upper", ncols=columns, handletextpad=0.2)
        figure.set_layout_engine("constrained")
        figure.canvas.draw()  # the final positions of the points, for the names
        if len(scores) <= NAMED:
            _write_names(axes, scores, parts.names)
    return figure


def draw_groups(
    axes: Any, points: FloatArray, groups: Sequence[str | None], *, hulls: bool = False
) -> None:
    """Draw points (n, 2) with a colour and a mark per group, and the hulls of groups."""
    names = sorted({group for group in groups if group is not None})
    for number, name in enumerate([*names, None]):
        members = np.array([group == name for group in groups or (None,) * len(points)])
        if not members.any():
            continue
        colour = UNKNOWN if name is None else group_colour(number)
        mark = "o" if name is None else group_mark(number)
        axes.plot(
            *points[members].T, mark, color=colour if names else COLOURS[1],
            markersize=MARK_SIZES.get(mark, MARK_SIZE), linestyle="", markeredgecolor="white",
            markeredgewidth=0.5, label="no group" if name is None else plain(name),
        )  # fmt: skip
        if hulls and name is not None:
            _draw_hull(axes, points[members], colour)


def _draw_hull(axes: Any, points: FloatArray, colour: str) -> None:
    """Fill the convex hull of points that span an area."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        corners = points[ConvexHull(points).vertices]
    except (QhullError, ValueError):  # fewer than three, or all on a line
        return
    axes.fill(*corners.T, facecolor=colour, edgecolor=colour, alpha=0.12, linewidth=0.8, zorder=1)


def scree_chart(analysis: Analysis) -> "Figure":
    """Draw the variance explained by each component, and cumulatively."""
    percent = 100 * analysis.components.variance_fractions
    count = min(len(percent), MOST_BARS)
    numbers = np.arange(1, count + 1)
    figure = new_figure(5.0, 2.8)
    with styled():
        axes = figure.add_subplot()
        axes.bar(numbers, percent[:count], color=COLOURS[1], width=0.7, label="component")
        axes.plot(
            numbers, np.cumsum(percent)[:count], "o-", color=COLOURS[2], markersize=3,
            linewidth=1.2, label="cumulative",
        )  # fmt: skip
        axes.set(
            xlabel="principal component", ylabel="variance explained, %", ylim=(0, 104),
            xticks=numbers,
        )  # fmt: skip
        axes.legend(loc="center right")
        figure.set_layout_engine("tight")
    return figure


def distance_chart(names: Sequence[str], by: Analysis | ContinuousAnalysis, title: str) -> "Figure":
    """Draw distances as a map, specimens in the order of their groups; `title` says which."""
    groups = [group or "" for group in by.groups] or [""] * len(names)
    order = np.argsort(np.array(groups), kind="stable")
    size = min(7.0, 3.0 + 0.13 * len(order))
    figure = new_figure(size, size * 0.8)
    with styled():
        figure.set_layout_engine("constrained")
        axes = figure.add_subplot()
        shown = axes.imshow(
            by.distances[np.ix_(order, order)], cmap="viridis_r", vmin=0, aspect="auto"
        )
        places, short, long = _ticks(names, groups, order)
        letters = min(7.0, 260 / max(len(places), 1))
        axes.set_xticks(places, short, rotation=90, fontsize=letters)
        axes.set_yticks(places, long, fontsize=letters)
        axes.tick_params(length=0)
        bar = figure.colorbar(shown, ax=axes, shrink=0.6)
        bar.set_label(title)
        bar.outline.set_linewidth(0.4)
    return figure


def _ticks(
    names: Sequence[str], groups: Sequence[str], order: IndexArray
) -> tuple[list[float], list[str], list[str]]:
    """Places, names below and names beside the map: specimens, or groups where those are many."""
    if len(order) <= TICKED:
        short = [plain(names[i]) for i in order]
        long = [f"{plain(groups[i])}  {name}" for i, name in zip(order, short, strict=True)]
        return [float(place) for place in range(len(order))], short, long
    found, first, sizes = np.unique(np.array(groups)[order], return_index=True, return_counts=True)
    written = [plain(str(name)) for name in found]
    return [float(place) for place in first + (sizes - 1) / 2], written, written


def plain(name: str) -> str:
    """A name that matplotlib writes literally: no formula, and not left out of legends."""
    text = printable(name).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def _axis(analysis: Analysis, number: int) -> str:
    unit = ", file units" if analysis.aligned.keep_size else ""
    return f"PC{number + 1} ({100 * analysis.components.variance_fractions[number]:.1f} %{unit})"


def _write_names(axes: Any, scores: FloatArray, names: Sequence[str]) -> None:
    """Write the names where they cover neither points nor each other."""
    pixels = axes.transData.transform(scores)
    unit = 72 / axes.figure.dpi
    offsets = label_offsets(pixels * unit, names, MARK_SIZE, axes.figure.bbox.width * unit)
    for place, name, offset in zip(scores, names, offsets, strict=True):
        axes.annotate(
            plain(name), tuple(place), xytext=tuple(offset), textcoords="offset points",
            ha="center", va="center", fontsize=6, color="#404040", annotation_clip=False,
        ).set_in_layout(False)  # fmt: skip
