# SPDX-License-Identifier: MIT
"""Charts of principal components: landmarks and surfaces at the extreme scores."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gplandmark.errors import AnalysisError
from gplandmark.landmarks.on_surface import FARTHEST, distances_off
from gplandmark.mesh import surface_area
from gplandmark.mesh.areas import vertex_normals
from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.analysis.principal_components import Components
from gplandmark.morphometrics.analysis.procrustes import Aligned, thin_plate_spline
from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.charts.shape_charts import plain
from gplandmark.visual.pictures import Rendering, default_camera, render
from gplandmark.visual.pictures.colour_maps import ColourScale
from gplandmark.visual.pictures.image_files import RESOLUTION, new_figure, styled
from gplandmark.visual.print_style import HIGH, LOW, MIDDLE, OUTWARDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NUMBERED = 60  # landmarks up to which each has its label beside it
LANDMARK_PANEL = 3.0  # inches across
MARGIN = 0.07  # on each side, of what is drawn


def component_name(components: Components, number: int) -> str:
    """Number and explained variance of a component, e.g. "PC1 (32.5 %)"."""
    return f"PC{number + 1} ({100 * components.variance_fractions[number]:.1f} %)"


def component_landmarks_chart(aligned: Aligned, components: Components, count: int) -> "Figure":
    """Draw how landmarks move along the first components, seen along two axes of the consensus."""
    extremes = [components.extremes(number) for number in range(count)]
    drawn = np.array([aligned.consensus, *(shape for pair in extremes for shape in pair)])
    left, right = _limits(drawn[..., 0])
    bottom, top = _limits(drawn[..., 1:])
    figure = new_figure(
        7.0, 0.6 + count * (0.35 + LANDMARK_PANEL * (top - bottom) / (right - left))
    )
    with styled():
        panels = figure.subplots(count, 2, squeeze=False, sharex=True, sharey=True)
        for number, row in enumerate(panels):
            for axes, down in zip(row, (1, 2), strict=True):
                _draw_moves(axes, aligned, extremes[number], [0, down])
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
    margin = MARGIN * (high - low)
    return low - margin, high + margin


def _draw_moves(
    axes: Any, aligned: Aligned, extremes: tuple[FloatArray, FloatArray], shown: list[int]
) -> None:
    middle = aligned.consensus[:, shown]
    for end, colour, name in zip(
        extremes, (LOW, HIGH), ("lowest score", "highest score"), strict=True
    ):
        lines = np.stack([middle, end[:, shown]])
        axes.plot(lines[..., 0], lines[..., 1], color=colour, linewidth=1.1, zorder=2)
        axes.plot(*end[:, shown].T, "o", color=colour, markersize=3.2, label=name, zorder=3)
    axes.plot(*middle.T, "o", color=MIDDLE, markersize=2.2, label="consensus", zorder=4)
    if len(middle) <= NUMBERED:
        for place, label in zip(middle, aligned.labels, strict=True):
            axes.annotate(plain(label), tuple(place), xytext=(3, 3), textcoords="offset points",
                          fontsize=5.5, color="#505050")  # fmt: skip
    axes.tick_params(labelsize=6)


SURFACE_PANEL = 2.2  # inches across
BEYOND = 98.0  # per cent of the vertices whose displacement is on the scale
HIDDEN = 0.25  # strength of a landmark behind the surface


def specimen_of(surface: Surface, aligned: Aligned) -> int:
    """Number of the specimen whose landmarks lie on a surface.

    Raises
    ------
    AnalysisError
        No specimen has its landmarks on it.
    ScanError
        It has no triangles.
    """
    surface.faces()
    far = [
        float(distances_off(surface, points[~missing]).max())
        for points, missing in zip(aligned.points, aligned.missing, strict=True)
    ]
    best = int(np.argmin(far))
    if far[best] > FARTHEST * np.sqrt(surface_area(surface)):
        raise AnalysisError(
            f"No specimen has its landmarks on {surface.name}; those of {aligned.names[best]} are "
            f"nearest, up to {far[best]:.4g} (file units) off. Give the scan of one of the "
            "specimens."
        )
    return best


def surface_at(surface: Surface, aligned: Aligned, number: int, shape: FloatArray) -> Surface:
    """Return the surface of a specimen, warped by a thin-plate spline to a shape (k, 3).

    The triangles of a mirror image are flipped, so that their normals still point outwards.
    """
    points = thin_plate_spline(
        surface.points, aligned.points[number], shape, reflect=aligned.reflect
    )
    faces = surface.faces()
    turned = faces[:, ::-1].copy() if aligned.mirrored[number] else faces
    return replace(surface, points=points, triangles=turned, source=None)


def component_surfaces_chart(
    surface: Surface, aligned: Aligned, components: Components, count: int
) -> "Figure":
    """Draw a surface warped to the extremes of the first components, and to the consensus.

    All have the same view and scale. Colours say how far it moves out or in from the consensus.
    """
    number = specimen_of(surface, aligned)
    middle = surface_at(surface, aligned, number, aligned.consensus)
    camera = default_camera(middle)

    width = round(SURFACE_PANEL * RESOLUTION)
    normals = vertex_normals(middle.points, middle.faces())
    ends = [components.extremes(component) for component in range(count)]
    warped = [surface_at(surface, aligned, number, each) for pair in ends for each in pair]
    moves = [np.einsum("ij,ij->i", each.points - middle.points, normals) for each in warped]
    scale = _displacements(moves, in_file_units=aligned.keep_size)
    seen = iter(
        render(each, camera, values=move, paint=scale.paint(), width=width)
        for each, move in zip(warped, moves, strict=True)
    )
    consensus = (render(middle, camera, width=width), aligned.consensus, "consensus", MIDDLE)
    panels = []
    for component, (low, high) in enumerate(ends):
        name = component_name(components, component)
        panels += [
            (next(seen), low, f"{name}, lowest", LOW),
            consensus,
            (next(seen), high, f"{name}, highest", HIGH),
        ]
    frames = np.array([view.frame for view, *_ in panels])
    left, right, bottom, top = (
        pick(frames[:, at]) for at, pick in enumerate((np.min, np.max, np.min, np.max))
    )
    height = SURFACE_PANEL * (top - bottom) / (right - left)
    figure = new_figure(7.0, count * (height + 0.3) + 0.5)
    with styled():
        every = figure.subplots(count, 3)
        for axes, panel in zip(every.flat, panels, strict=True):
            _draw(axes, *panel)
            axes.set(xlim=(left, right), ylim=(bottom, top))
        _draw_scale(figure, every, scale)
        figure.set_layout_engine("compressed")
    return figure


def _displacements(moves: Sequence[FloatArray], *, in_file_units: bool) -> ColourScale:
    """Scale of displacements, equal on both sides; one vertex in fifty may be beyond it."""
    most = float(f"{np.percentile(np.abs(np.concatenate(moves)), BEYOND):.2g}") or 1.0
    unit = "file units" if in_file_units else "fraction of centroid size"
    label = f"outwards (+) or inwards (-) from the consensus, {unit}"
    return ColourScale(-most, most, label, OUTWARDS, extend="both")


def _draw_scale(figure: "Figure", every: Any, scale: ColourScale) -> None:
    from matplotlib.cm import ScalarMappable

    colours = ScalarMappable(scale.norm(), scale.name)
    bar = figure.colorbar(
        colours, ax=every, location="bottom", shrink=0.5, aspect=40, extend=scale.extend, pad=0.02
    )
    ticks = np.linspace(scale.low, scale.high, 5).tolist()
    bar.set_ticks(ticks, labels=[f"{each:.2g}" for each in ticks])
    bar.minorticks_off()
    bar.set_label(scale.label)
    bar.outline.set_linewidth(0.4)


def _draw(axes: Any, view: Rendering, shape: FloatArray, title: str, colour: str) -> None:
    axes.imshow(np.clip(view.image, 0, 1), extent=view.frame, interpolation="antialiased")
    places = view.camera.project(shape)[:, :2]
    shows = view.shows(shape)
    for which, strength in ((shows, 1.0), (~shows, HIDDEN)):
        axes.plot(*places[which].T, "o", markersize=3, color=colour, alpha=strength,
                  markeredgecolor="white", markeredgewidth=0.4)  # fmt: skip
    axes.set_title(title)
    axes.set_axis_off()
