# SPDX-License-Identifier: MIT
"""What a component means: how landmarks move between its two ends."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gplandmark.morphometrics.analysis.principal_components import Components
from gplandmark.morphometrics.analysis.procrustes import Aligned
from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.charts.shape_charts import plain
from gplandmark.visual.pictures.canvas import new_figure, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["HIGH", "LOW", "MIDDLE", "component_name", "landmark_ends"]

LOW, HIGH, MIDDLE = "#0072B2", "#D55E00", "#6f6f6f"
NUMBERED = 60  # landmarks up to which each has its label beside it
PANEL = 3.0  # inches across
ROOM = 0.07  # on each side, of what is drawn


def component_name(components: Components, number: int) -> str:
    """Number and share of a component, as "PC1 (32.5 %)"."""
    return f"PC{number + 1} ({100 * components.variance_fractions[number]:.1f} %)"


def landmark_ends(aligned: Aligned, components: Components, count: int) -> "Figure":
    """Draw how landmarks move along the first components, seen along two axes of the consensus."""
    ends = [components.extremes(number) for number in range(count)]
    drawn = np.array([aligned.consensus, *(shape for pair in ends for shape in pair)])
    left, right = _limits(drawn[..., 0])
    bottom, top = _limits(drawn[..., 1:])
    figure = new_figure(7.0, 0.6 + count * (0.35 + PANEL * (top - bottom) / (right - left)))
    with styled():
        panels = figure.subplots(count, 2, squeeze=False, sharex=True, sharey=True)
        for number, row in enumerate(panels):
            for axes, down in zip(row, (1, 2), strict=True):
                _draw_moves(axes, aligned, ends[number], [0, down])
                axes.set(
                    xlim=(left, right), ylim=(bottom, top), aspect="equal",
                    title=component_name(components, number),
                    ylabel=f"{'second' if down == 1 else 'third'} axis",
                    xlabel="first axis" if number == count - 1 else "",
                )  # fmt: skip
        handles, labels = panels[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
        figure.set_layout_engine("compressed")
    return figure


def _limits(values: FloatArray) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    room = ROOM * (high - low)
    return low - room, high + room


def _draw_moves(
    axes: Any, aligned: Aligned, ends: tuple[FloatArray, FloatArray], shown: list[int]
) -> None:
    middle = aligned.consensus[:, shown]
    for end, colour, name in zip(ends, (LOW, HIGH), ("lowest score", "highest score"), strict=True):
        lines = np.stack([middle, end[:, shown]])
        axes.plot(lines[..., 0], lines[..., 1], color=colour, linewidth=1.1, zorder=2)
        axes.plot(*end[:, shown].T, "o", color=colour, markersize=3.2, label=name, zorder=3)
    axes.plot(*middle.T, "o", color=MIDDLE, markersize=2.2, label="consensus", zorder=4)
    if len(middle) <= NUMBERED:
        for place, label in zip(middle, aligned.labels, strict=True):
            axes.annotate(plain(label), tuple(place), xytext=(3, 3), textcoords="offset points",
                          fontsize=5.5, color="#505050")  # fmt: skip
    axes.tick_params(labelsize=6)
