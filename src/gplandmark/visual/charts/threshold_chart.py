# SPDX-License-Identifier: MIT
"""The picture of a threshold: the histogram with the cut, and three slices with the outline."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gplandmark.io.volumes.preview import Preview, Slice
from gplandmark.visual.pictures.image_files import RESOLUTION, new_figure, styled
from gplandmark.visual.print_style import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DARKEST, BRIGHTEST = 0.2, 99.8  # percentiles of the values that are drawn black and white


def threshold_chart(preview: Preview, specimen: str, resolution: int = RESOLUTION) -> "Figure":
    """Draw where a volume was cut."""
    figure = new_figure(9.0, 2.9, resolution)
    with styled():
        first, *others = figure.subplots(1, 4, width_ratios=[1.25, 1, 1, 1])
        _histogram(first, preview)
        for axes, each in zip(others, preview.slices, strict=True):
            _slice(axes, each, preview.cut.threshold)
        figure.suptitle(f"{specimen}: {preview.cut.sentence()}", fontsize=8.5)
        figure.set_layout_engine("tight")
    return figure


def _histogram(axes: Any, preview: Preview) -> None:
    cut = preview.cut
    is_inside = preview.edges[:-1] >= cut.threshold
    chosen = cut.threshold
    if cut.label is not None:
        middle = (preview.edges[:-1] + preview.edges[1:]) / 2
        is_inside = np.abs(middle - cut.label) < 0.5
        chosen = float(cut.label)
    for part, colour in ((~is_inside, "#9a9a9a"), (is_inside, COLOURS[1])):
        counts = np.where(part, preview.counts, 0)
        axes.stairs(counts, preview.edges, fill=True, color=colour)
    axes.axvline(chosen, color=COLOURS[2], linewidth=1.2)
    axes.set_yscale("log")
    axes.set(ylim=(0.7, None), xlabel="label" if cut.label is not None else "value")
    axes.set_ylabel("voxels")
    axes.set_xlim(preview.edges[0], preview.edges[-1])


def _slice(axes: Any, part: Slice, level: float) -> None:
    width, height = part.extent
    low, high = np.percentile(part.values, [DARKEST, BRIGHTEST])
    axes.imshow(
        part.values, cmap="gray", vmin=min(low, level), vmax=max(high, level),
        extent=(0, width, height, 0), interpolation="nearest",
    )  # fmt: skip
    if part.values.min() < level <= part.values.max():
        rows, columns = part.values.shape
        across = (np.arange(columns) + 0.5) * width / columns
        down = (np.arange(rows) + 0.5) * height / rows
        axes.contour(across, down, part.values, levels=[level], colors=COLOURS[2], linewidths=0.8)
    axis, place = part.place
    title = f"slice {axis} = {place}, at {part.position:.4g}"
    axes.set(title=title, xlabel=part.axes[0], ylabel=part.axes[1])
    axes.tick_params(labelsize=6)
