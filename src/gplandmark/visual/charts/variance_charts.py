# SPDX-License-Identifier: MIT
"""Charts of the variance: one curve, sets of landmarks compared, a study of many specimens."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gplandmark.landmarks.compare import SetQuality
from gplandmark.landmarks.variance_curve import Study, VarianceCurve, deviation
from gplandmark.visual.pictures.image_files import new_figure, styled
from gplandmark.visual.print_style import COLOURS, LINES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COUNT_LABEL = "number of landmarks"


def curve_chart(curve: VarianceCurve, specimen: str) -> "Figure":
    """Draw the largest variance against the number of landmarks, with the suggested counts."""
    figure = new_figure(4.6, 3.2)
    with styled():
        axes = figure.add_subplot()
        counts = np.arange(len(curve.fractions))
        shown = curve.fractions > 0
        axes.semilogy(counts[shown], 100 * curve.fractions[shown], color=COLOURS[1], linewidth=1.3)
        for fraction, count in curve.reached.items():
            if count is not None:
                axes.plot(count, 100 * curve.fractions[count], "o", markersize=4, color=COLOURS[2])
                _note(axes, f"{100 * fraction:g} %: {count}", (count, 100 * curve.fractions[count]))
        if curve.knee is not None:
            place = (curve.knee, 100 * curve.fractions[curve.knee])
            axes.plot(*place, "D", markersize=4.5, color=COLOURS[0])
            _note(axes, f"knee: {curve.knee}", place, below=True)
        axes.set(
            xlabel=COUNT_LABEL, ylabel="largest remaining variance, % of initial", title=specimen,
            xlim=(0, max(len(counts) - 1, 1)),
        )  # fmt: skip
        _plain_logarithms(axes.yaxis)
        _integer_ticks(axes.xaxis)
        figure.set_layout_engine("tight")
    return figure


def comparison_chart(qualities: Sequence[SetQuality], specimen: str) -> "Figure":
    """Draw the remaining variance of each set, landmark by landmark: the largest, and the mean."""
    figure = new_figure(7.0, 3.3)
    with styled():
        panels = figure.subplots(1, 2, sharex=True, sharey=True)
        for axes, kind in zip(panels, ("largest", "mean"), strict=True):
            for number, quality in enumerate(qualities):
                fractions = getattr(quality.left, kind)
                shown = fractions > 0
                axes.semilogy(
                    np.arange(len(fractions))[shown], 100 * fractions[shown], label=quality.name,
                    color=COLOURS[number % len(COLOURS)], linewidth=1.2,
                    linestyle=LINES[number % len(LINES)],
                )  # fmt: skip
            axes.set(xlabel=COUNT_LABEL, ylabel=f"{kind} remaining variance, % of initial")
            axes.yaxis.set_tick_params(labelleft=True)
            _plain_logarithms(axes.yaxis)
        panels[0].set_xlim(left=0)
        _integer_ticks(panels[0].xaxis)
        handles, labels = panels[0].get_legend_handles_labels()
        figure.suptitle(specimen, fontsize=9)
        figure.legend(handles, labels, loc="outside lower center", ncols=min(4, len(labels)))
        figure.set_layout_engine("constrained")
    return figure


def study_chart(study: Study) -> "Figure":
    """Draw figure 3 of the paper: MSPE against the number of landmarks, for each kernel.

    The line is the mean over specimens, the band two standard deviations to either side. On a
    logarithmic axis a band that reaches 0 ends at the foot of the plot.
    """
    figure = new_figure(3.5 * len(study.largest), 3.1)
    with styled():
        panels = figure.subplots(1, len(study.largest), squeeze=False, sharey=True)[0]
        lowest = min(float(curves.mean(axis=0).min()) for curves in study.largest.values())
        floor = max(lowest, 1e-15) / 4
        for number, (axes, kernel) in enumerate(zip(panels, study.largest, strict=True)):
            curves = study.largest[kernel]
            counts = np.arange(1, curves.shape[1] + 1)
            mean, band = curves.mean(axis=0), 2 * deviation(curves)
            colour = COLOURS[number + 1]
            axes.fill_between(
                counts, np.maximum(mean - band, floor), np.maximum(mean + band, floor),
                color=colour, alpha=0.2, linewidth=0, label="± 2 standard deviations",
            )  # fmt: skip
            axes.loglog(counts, mean, color=colour, linewidth=1.4, label="mean")
            axes.set(
                xlabel=COUNT_LABEL, title=f"{kernel} kernel", ylim=(floor, 2),
                xlim=(1, max(len(counts), 2)),
            )  # fmt: skip
            axes.legend(loc="lower left", title=f"{len(study.specimens)} specimens")
            axes.yaxis.set_tick_params(labelleft=True)
            _plain_logarithms(axes.xaxis)
        panels[0].set_ylabel("largest MSPE, fraction of initial")
        figure.set_layout_engine("tight")
    return figure


def _note(axes: Any, text: str, place: tuple[float, float], *, below: bool = False) -> None:
    offset, side = ((-10, -20), ("left", "top")) if below else ((5, 4), ("left", "bottom"))
    axes.annotate(text, place, xytext=offset, textcoords="offset points", ha=side[0], va=side[1])


def _plain_logarithms(axis: Any) -> None:
    """Mark 1, 2, 5, 10, 20 and so on, and write 10 and not 10 to the power of 1."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _integer_ticks(axis: Any) -> None:
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True))
