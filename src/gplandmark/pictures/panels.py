# SPDX-License-Identifier: MIT
"""Surfaces with landmarks on them, side by side on one sheet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gplandmark.arrays import FloatArray
from gplandmark.pictures.camera import Camera
from gplandmark.pictures.canvas import RESOLUTION, new_figure, styled
from gplandmark.pictures.labels import label_offsets
from gplandmark.pictures.renderer import Paint, Rendering, render
from gplandmark.surface import Surface

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["CLASS_COLOURS", "ColourScale", "Marks", "Panel", "draw_panels"]

CLASS_COLOURS: Mapping[str, str] = {
    "sharp": "#d62828",
    "semilandmark": "#1f6fd1",
    "outline": "#1a9850",
}
"""The three colours of figure 2 of the paper."""

FADED = 0.25
GUTTER = 0.12  # inches on either side of a panel, for numbers at the edge of the specimen
HEADER, FOOTER = 0.22, 0.55  # inches above each row for titles, and below all for legend and bar


@dataclass(frozen=True)
class ColourScale:
    """What the colours of a heat map mean.

    Attributes
    ----------
    low, high : values at the two ends
    label : what they are, with the unit
    name : of a colour map of matplotlib; the default serves colour-blind readers too
    power : colours follow this power of the value's share of the range; below 1 shows more
        among small values
    """

    low: float
    high: float
    label: str
    name: str = "viridis"
    power: float = 1.0

    def norm(self) -> Any:
        """Return matplotlib's function from values to shares of the colour map."""
        from matplotlib.colors import PowerNorm

        return PowerNorm(self.power, self.low, self.high, clip=True)

    def paint(self) -> Paint:
        """Return the function from values to colours."""
        from matplotlib import colormaps

        colours, norm = colormaps[self.name], self.norm()

        def painted(values: FloatArray) -> FloatArray:
            return np.asarray(colours(np.asarray(norm(values)))[:, :3])

        return painted


@dataclass(frozen=True, eq=False)
class Marks:
    """Landmarks to draw on a panel: points (k, 3), a text and a colour for each."""

    points: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))
    labels: tuple[str, ...] = ()
    colours: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Panel:
    """One view of one surface.

    Attributes
    ----------
    surface : what is seen
    marks : landmarks on it; those that are hidden from the viewer are drawn faintly
    values : (n,) painted by the sheet's colour scale; None for the colour of bone
    title : above the panel
    camera : by default the view in which the specimen shows most
    """

    surface: Surface
    marks: Marks = field(default_factory=Marks)
    values: FloatArray | None = None
    title: str = ""
    camera: Camera | None = None


def draw_panels(
    panels: Sequence[Panel],
    *,
    columns: int,
    width: float = 7.0,
    scale: ColourScale | None = None,
    legend: Mapping[str, str] | None = None,
    unit: str = "file units",
    mark_size: float = 5.0,
) -> "Figure":
    """Draw panels in rows on one sheet.

    Parameters
    ----------
    columns : panels per row
    width : of the sheet, in inches
    scale : the meaning of the values' colours, shown as a bar
    legend : names of the marks' colours
    unit : of the file's coordinates, beside the scale bar
    mark_size : diameter of a landmark, in points

    Returns
    -------
    matplotlib.figure.Figure
        Surfaces are images in it; landmarks, numbers and text are vectors.
    """
    paint = None if scale is None else scale.paint()
    across = width / columns - 2 * GUTTER
    views = [
        render(
            each.surface, each.camera, values=each.values, paint=paint,
            width=round(across * RESOLUTION),
        )
        for each in panels
    ]  # fmt: skip
    tall = [view.image.shape[0] / view.image.shape[1] * across for view in views]
    rows = [max(tall[start : start + columns]) for start in range(0, len(tall), columns)]
    height = sum(rows) + HEADER * len(rows) + FOOTER
    figure = new_figure(width, height)
    with styled():
        for number, (panel, view) in enumerate(zip(panels, views, strict=True)):
            row, column = divmod(number, columns)
            bottom = height - sum(rows[: row + 1]) - HEADER * (row + 1)
            left = column * width / columns + GUTTER
            box = (left / width, bottom / height, across / width, rows[row] / height)
            _draw_panel(figure.add_axes(box), panel, view, mark_size)
        _draw_lengths(figure, views, unit, height)
        if scale is not None:
            _draw_bar(figure, scale, height)
        if legend:
            _draw_legend(figure, legend, height)
    return figure


def _draw_panel(axes: Any, panel: Panel, view: Rendering, mark_size: float) -> None:
    axes.imshow(np.clip(view.image, 0, 1), extent=view.frame, interpolation="antialiased", zorder=0)
    axes.set_axis_off()
    axes.set_title(panel.title, pad=3)
    marks = panel.marks
    if len(marks.points) == 0:
        return
    seen = view.camera.project(marks.points)[:, :2]
    strength = np.where(view.shows(marks.points), 1.0, FADED)
    for place, colour, alpha in zip(seen, marks.colours, strength, strict=True):
        axes.plot(
            *place, "o", markersize=mark_size, color=colour, alpha=alpha,
            markeredgecolor="white", markeredgewidth=0.12 * mark_size, zorder=2, clip_on=False,
        )  # fmt: skip
    inches = axes.get_position().width * axes.figure.get_figwidth()
    points_per_unit = 72 * inches / (view.frame[1] - view.frame[0])
    offsets = label_offsets(seen * points_per_unit, marks.labels, mark_size)
    for place, text, offset, alpha in zip(seen, marks.labels, offsets, strength, strict=True):
        _draw_label(axes, place, text, offset, max(alpha, 2 * FADED))


def _draw_label(axes: Any, place: FloatArray, text: str, offset: FloatArray, alpha: float) -> None:
    """Write dark text over a light halo; the text itself stays text in vector files."""
    from matplotlib.patheffects import Stroke

    where: dict[str, Any] = {
        "xy": tuple(place), "xytext": tuple(offset), "textcoords": "offset points",
        "ha": "center", "va": "center", "alpha": alpha, "annotation_clip": False,
    }  # fmt: skip
    halo = axes.annotate(text, **where, color="white", zorder=3)
    halo.set_path_effects([Stroke(linewidth=1.8, foreground="white")])
    axes.annotate(text, **where, color="black", zorder=4)


def _draw_lengths(figure: Any, views: Sequence[Rendering], unit: str, height: float) -> None:
    """Draw a length scale below all panels, or in each of them where their scales differ."""
    widths = [view.frame[1] - view.frame[0] for view in views]
    panels = figure.axes[: len(views)]
    if max(widths) > min(widths) * (1 + 1e-9):
        for axes, view, seen in zip(panels, views, widths, strict=True):
            _draw_length(axes, view.frame[0], view.frame[2], seen, unit)
        return
    box = panels[0].get_position()
    axes = figure.add_axes((0.04, 0.35 / height, box.width, 0.1 / height))
    axes.set(xlim=(0, widths[0]), ylim=(0, 1))
    axes.set_axis_off()
    _draw_length(axes, 0, 0, widths[0], unit)


def _draw_length(axes: Any, left: float, bottom: float, seen: float, unit: str) -> None:
    length = _round_length(seen / 2.5)
    axes.plot(
        [left, left + length], [bottom, bottom], color="black", linewidth=1.5,
        solid_capstyle="butt", clip_on=False,
    )  # fmt: skip
    axes.annotate(
        f"{length:g} {unit}", (left, bottom), xytext=(0, -3), textcoords="offset points",
        ha="left", va="top", annotation_clip=False,
    )  # fmt: skip


def _draw_bar(figure: Any, scale: ColourScale, height: float) -> None:
    from matplotlib.cm import ScalarMappable

    axes = figure.add_axes((0.55, 0.33 / height, 0.41, 0.09 / height))
    colours = ScalarMappable(scale.norm(), scale.name)
    bar = figure.colorbar(colours, cax=axes, orientation="horizontal")
    bar.outline.set_linewidth(0.4)
    bar.set_ticks([tick for tick in bar.get_ticks() if scale.low <= tick <= scale.high])
    axes.tick_params(length=2, pad=1.5, labelsize=7)
    figure.text(0.535, 0.375 / height, scale.label, ha="right", va="center")


def _draw_legend(figure: Any, legend: Mapping[str, str], height: float) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], linestyle="", marker="o", markersize=5, color=colour, label=name)
        for name, colour in legend.items()
    ]
    figure.legend(
        handles=handles, loc="lower right", ncols=len(handles), columnspacing=1.2,
        handletextpad=0.2, bbox_to_anchor=(0.99, 0.02 / height), borderaxespad=0.3,
    )  # fmt: skip


def _round_length(length: float) -> float:
    """Largest of 1, 2 and 5 times a power of ten that is not longer."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(power * max(step for step in (1, 2, 5) if step * power <= length * (1 + 1e-9)))
