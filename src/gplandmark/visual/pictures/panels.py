# SPDX-License-Identifier: MIT
"""Surfaces with landmarks on them, side by side on one figure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gplandmark.errors import PictureError
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arguments import real_number, whole_number
from gplandmark.numerics.arrays import BoolArray, FloatArray
from gplandmark.visual.pictures.annotations import draw_footer, footer_height, label_offsets
from gplandmark.visual.pictures.camera import Camera, default_camera
from gplandmark.visual.pictures.colour_maps import ColourScale
from gplandmark.visual.pictures.image_files import RESOLUTION, new_figure, styled
from gplandmark.visual.pictures.renderer import Frame, Rendering, frame_of, render

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FADED = 0.25
GUTTER = 0.12  # inches on either side of a panel, for numbers at the edge of the specimen
HEADER, UNTITLED = 0.32, 0.15  # inches above each row, for a title and for numbers at the top
TALLEST = 1.2  # height of a panel beside its width
WIDEST = 6_000  # pixels, which take some four gigabytes; 10 inches at 600 to the inch


@dataclass(frozen=True, eq=False)
class Marks:
    """Landmarks to draw on a panel.

    Attributes
    ----------
    points : (k, 3)
    labels : a text for each, may be empty
    colours : of each
    is_text_coloured : whether the texts have these colours too; they are black otherwise
    lines : polylines (m, 3) of curves, each with its colour
    """

    points: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))
    labels: tuple[str, ...] = ()
    colours: tuple[str, ...] = ()
    is_text_coloured: bool = False
    lines: tuple[tuple[FloatArray, str], ...] = ()


@dataclass(frozen=True, eq=False)
class Panel:
    """One view of one surface.

    Attributes
    ----------
    surface : what is seen
    marks : landmarks on it; those that are hidden from the viewer are drawn faintly, and without
        their text
    values : (n,) painted by the figure's colour scale; None for the colour of bone
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
    resolution: int = RESOLUTION,
) -> "Figure":
    """Draw panels in rows on one figure; views of one surface are of one scale.

    Parameters
    ----------
    columns : panels per row
    width : of the figure, in inches
    scale : the meaning of the values' colours, shown as a bar
    legend : names of the marks' colours
    unit : of the file's coordinates, beside the scale bar
    mark_size : diameter of a landmark, in points
    resolution : pixels per inch, of the surfaces also in a PDF or SVG

    Returns
    -------
    matplotlib.figure.Figure
        Surfaces are images in it; landmarks, numbers and text are vectors.

    Raises
    ------
    PictureError
        The figure would be too narrow for its panels, or too large.
    """
    width = real_number(width, "The width of a picture", PictureError)
    resolution = whole_number(resolution, "The resolution of a picture", PictureError)
    across = width / columns - 2 * GUTTER
    if not (across * resolution >= 1 and width * resolution <= WIDEST):
        raise PictureError(
            f"A picture {width:g} inches wide at {resolution} pixels per inch cannot be drawn: its "
            f"panels would be too small, or it would be wider than {WIDEST:,} pixels."
        )
    paint = None if scale is None else scale.paint()
    views = [
        render(
            each.surface, camera, values=each.values, paint=paint,
            width=round(across * resolution), frame=frame,
        )
        for each, (camera, frame) in zip(panels, _framed(panels), strict=True)
    ]  # fmt: skip
    tall = [view.image.shape[0] / view.image.shape[1] * across for view in views]
    rows = [max(tall[start : start + columns]) for start in range(0, len(tall), columns)]
    header = HEADER if any(each.title for each in panels) else UNTITLED
    height = sum(rows) + header * len(rows) + footer_height(scale, legend)
    figure = new_figure(width, height, resolution)
    with styled():
        for number, (panel, view) in enumerate(zip(panels, views, strict=True)):
            row, column = divmod(number, columns)
            bottom = height - sum(rows[: row + 1]) - header * (row + 1)
            left = column * width / columns + GUTTER
            box = (left / width, bottom / height, across / width, rows[row] / height)
            _draw_panel(figure.add_axes(box), panel, view, mark_size)
        draw_footer(figure, views, unit, scale, legend)
    return figure


def _framed(panels: Sequence[Panel]) -> list[tuple[Camera, Frame]]:
    """Camera and frame of each panel: views of one surface get one width, in file units."""
    cameras = [each.camera or default_camera(each.surface) for each in panels]
    frames = [frame_of(each.surface, camera) for each, camera in zip(panels, cameras, strict=True)]
    spans = [max(f[1] - f[0], (f[3] - f[2]) / TALLEST) for f in frames]
    if len({id(each.surface) for each in panels}) == 1:
        spans = [max(spans)] * len(spans)
    framed = []
    for camera, (left, right, bottom, top), span in zip(cameras, frames, spans, strict=True):
        middle = (left + right) / 2
        framed.append((camera, (middle - span / 2, middle + span / 2, bottom, top)))
    return framed


def _draw_panel(axes: Any, panel: Panel, view: Rendering, mark_size: float) -> None:
    image = np.round(255 * np.clip(view.image, 0, 1)).astype(np.uint8)
    axes.imshow(image, extent=view.frame, interpolation="antialiased", zorder=0)
    axes.set_axis_off()
    axes.set_anchor("N")  # align the titles of a row
    axes.set_title(panel.title, pad=10)
    if len(panel.marks.points):
        shown = view.shows(panel.marks.points)
        seen = view.camera.project(panel.marks.points)[:, :2]
        for place, colour, is_shown in zip(seen, panel.marks.colours, shown, strict=True):
            axes.plot(
                *place, "o", markersize=mark_size, color=colour, alpha=1.0 if is_shown else FADED,
                markeredgecolor="white", markeredgewidth=0.12 * mark_size, clip_on=False,
                zorder=2 if is_shown else 1,
            )  # fmt: skip
        _draw_lines(axes, view, panel.marks, 0.2 * mark_size)
        _draw_labels(axes, view, seen, panel.marks, shown, mark_size)


def _draw_lines(axes: Any, view: Rendering, marks: Marks, width: float) -> None:
    """Draw curves, faintly where they are hidden."""
    from matplotlib.collections import LineCollection

    for line, colour in marks.lines:
        seen, shown = view.camera.project(line)[:, :2], view.shows(line)
        opacity = np.where(shown[1:] & shown[:-1], 1.0, FADED)
        steps = list(np.stack([seen[:-1], seen[1:]], axis=1))
        axes.add_collection(
            LineCollection(steps, colors=colour, linewidths=width, alpha=opacity, zorder=1.5),
            autolim=False,
        )


def _draw_labels(
    axes: Any, view: Rendering, seen: FloatArray, marks: Marks, shown: BoolArray, mark_size: float
) -> None:
    """Write the texts of those landmarks that show, where they cover least."""
    inches = axes.get_position().width * axes.figure.get_figwidth()
    points_per_unit = 72 * inches / (view.frame[1] - view.frame[0])
    numbers = np.flatnonzero(shown)
    texts = [marks.labels[number] for number in numbers]
    offsets = label_offsets(seen[shown] * points_per_unit, texts, mark_size)
    for number, text, offset in zip(numbers, texts, offsets, strict=True):
        if text:
            colour = marks.colours[number] if marks.is_text_coloured else "black"
            _draw_label(axes, seen[number], text, offset, colour)


def _draw_label(axes: Any, place: FloatArray, text: str, offset: FloatArray, colour: str) -> None:
    """Write dark text over a light halo; the text itself stays text in vector files."""
    from matplotlib.patheffects import Stroke

    where: dict[str, Any] = {
        "xy": tuple(place), "xytext": tuple(offset), "textcoords": "offset points",
        "ha": "center", "va": "center", "annotation_clip": False, "parse_math": False,
    }  # fmt: skip
    halo = axes.annotate(text, **where, color="white", zorder=3)
    halo.set_path_effects([Stroke(linewidth=1.8, foreground="white")])
    axes.annotate(text, **where, color=colour, zorder=4)
