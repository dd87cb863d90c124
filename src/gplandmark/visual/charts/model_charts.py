# SPDX-License-Identifier: MIT
"""Charts of models of shape: allometry, canonical variates, disparity."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gplandmark.morphometrics.asymmetry import Asymmetry
from gplandmark.morphometrics.models import (
    Allometry,
    CanonicalVariates,
    Disparity,
    PartialLeastSquares,
)
from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.charts.shape_charts import draw_groups, plain
from gplandmark.visual.pictures.image_files import new_figure, styled
from gplandmark.visual.print_style import COLOURS, MARK_SIZE, NAMED, group_colour

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def allometry_chart(found: Allometry, groups: Sequence[str]) -> "Figure":
    """Draw regression scores of shape against size, and what the model predicts of each group."""
    figure = new_figure(5.6, 3.8)
    with styled():
        axes = figure.add_subplot()
        points = np.column_stack([found.size, found.regression_scores])
        lines = np.column_stack([found.size, found.fitted_scores])
        draw_groups(axes, points, groups)
        for number, name in enumerate(sorted(set(groups)) or [""]):
            own = lines[[each == name for each in groups]] if groups else lines
            if np.ptp(own[:, 0]) > 0:
                _line(axes, own, group_colour(number))
        axes.set(xlabel="log centroid size", ylabel="regression score of shape")
        if groups:
            figure.legend(loc="outside right upper")
        figure.set_layout_engine("constrained")
    return figure


def _line(axes: Any, points: FloatArray, colour: str) -> None:
    """Draw the least-squares line through points."""
    slope, height = np.polyfit(points[:, 0], points[:, 1], 1)
    ends = np.array([points[:, 0].min(), points[:, 0].max()])
    axes.plot(ends, slope * ends + height, color=colour, linewidth=0.9, zorder=1)


def canonical_chart(found: CanonicalVariates) -> "Figure":
    """Draw specimens by their first two canonical variates, or along the only one."""
    groups = [found.groups[each] for each in found.members]
    figure = new_figure(5.6, 3.8 if found.scores.shape[1] > 1 else 1.8)
    with styled():
        axes = figure.add_subplot()
        if found.scores.shape[1] > 1:
            draw_groups(axes, found.scores[:, :2], groups, hulls=True)
            axes.set(ylabel=_variate(found, 1))
            axes.set_aspect("equal", adjustable="datalim")  # distances are Mahalanobis distances
        else:
            places = np.column_stack([found.scores[:, 0], found.members])
            draw_groups(axes, places, groups)
            axes.set(ylim=(-0.5, len(found.groups) - 0.5))
            axes.set_yticks([])
        axes.set(xlabel=_variate(found, 0))
        figure.legend(loc="outside right upper")
        figure.set_layout_engine("constrained")
    return figure


def _variate(found: CanonicalVariates, number: int) -> str:
    percent = 100 * found.roots[number] / found.roots.sum()
    return f"CV{number + 1} ({percent:.1f} % of the variance between groups)"


def asymmetry_chart(found: Asymmetry) -> "Figure":
    """Draw the asymmetry of each individual, the largest first, and without the mean asymmetry."""
    order = np.argsort(found.index)[::-1]
    figure = new_figure(min(7.0, 3.6 + 0.16 * len(order)), 3.2)
    with styled():
        axes = figure.add_subplot()
        places = np.arange(len(order))
        rest = np.linalg.norm(found.fluctuating, axis=(1, 2))
        axes.plot(
            places, found.index[order], "o", color=COLOURS[1], markersize=MARK_SIZE,
            label="all asymmetry",
        )  # fmt: skip
        axes.plot(
            places, rest[order], "s", color=COLOURS[2], markersize=MARK_SIZE - 1,
            label="without directional asymmetry",
        )  # fmt: skip
        if len(order) <= NAMED:
            axes.set_xticks(places, [plain(found.individuals[at]) for at in order], rotation=90)
        axes.set(ylabel="Procrustes distance of the sides", ylim=(0, None))
        figure.legend(loc="outside upper center", ncols=2)
        figure.set_layout_engine("constrained")
    return figure


def disparity_chart(found: Disparity) -> "Figure":
    """Draw the Procrustes variance of each group."""
    figure = new_figure(4.6, 0.8 + 0.32 * len(found.groups))
    with styled():
        axes = figure.add_subplot()
        places = np.arange(len(found.groups))[::-1]
        colours = [group_colour(number) for number in range(len(places))]
        axes.barh(places, found.variances, color=colours, height=0.6)
        axes.set_yticks(places, [plain(name) for name in found.groups])
        axes.set(xlabel="Procrustes variance about the mean of the group")
        figure.set_layout_engine("constrained")
    return figure


def blocks_chart(
    found: PartialLeastSquares, names: tuple[str, str], groups: Sequence[str | None]
) -> "Figure":
    """Draw specimens by their scores on the first pair of axes of two blocks."""
    figure = new_figure(5.6, 3.8)
    with styled():
        axes = figure.add_subplot()
        points = np.column_stack([found.first_scores[:, 0], found.second_scores[:, 0]])
        draw_groups(axes, points, groups)
        axes.set(xlabel=f"block {plain(names[0])}", ylabel=f"block {plain(names[1])}")
        if any(groups):
            figure.legend(loc="outside right upper")
        figure.set_layout_engine("constrained")
    return figure
