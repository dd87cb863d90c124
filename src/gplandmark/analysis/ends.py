# SPDX-License-Identifier: MIT
"""What a component means: the shapes at both of its ends, as landmarks and as surfaces."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gplandmark.analysis.alignment import Aligned
from gplandmark.analysis.components import Components
from gplandmark.analysis.splines import warped
from gplandmark.arrays import FloatArray
from gplandmark.comparison.surface_vertices import FARTHEST, distances_off
from gplandmark.errors import AnalysisError
from gplandmark.geometry import surface_area
from gplandmark.pictures import Marks, Panel, default_camera, draw_panels
from gplandmark.pictures.canvas import new_figure, styled
from gplandmark.surface import Surface

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["landmark_ends", "specimen_of", "surface_at", "surface_ends"]

LOW, HIGH, MIDDLE = "#0072B2", "#D55E00", "#6f6f6f"
NUMBERED = 60  # landmarks up to which each has its label beside it


def landmark_ends(aligned: Aligned, components: Components, count: int) -> "Figure":
    """Draw how landmarks move along the first components, seen along two axes of the consensus."""
    figure = new_figure(7.0, 0.4 + 2.7 * count)
    with styled():
        panels = figure.subplots(count, 2, squeeze=False, sharex=True)
        for number in range(count):
            ends = components.ends(number)
            for axes, down in zip(panels[number], (1, 2), strict=True):
                _draw_moves(axes, aligned, ends, [0, down])
                axes.set(
                    title=f"PC{number + 1} ({100 * components.shares[number]:.1f} %)",
                    xlabel="first axis", ylabel=f"{'second' if down == 1 else 'third'} axis",
                )  # fmt: skip
        handles, labels = panels[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
        figure.set_layout_engine("constrained")
    return figure


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
            axes.annotate(label, tuple(place), xytext=(3, 3), textcoords="offset points",
                          fontsize=5.5, color="#505050")  # fmt: skip
    axes.set_aspect("equal", adjustable="datalim")
    axes.tick_params(labelsize=6)


def specimen_of(surface: Surface, aligned: Aligned) -> int:
    """Number of the specimen whose landmarks lie on a surface.

    Raises
    ------
    AnalysisError
        The landmarks of none lie on it.
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
            f"The landmarks of no specimen lie on {surface.name}; those of {aligned.names[best]} "
            f"come nearest and are up to {far[best]:.4g} (file units) off. Name the scan of one of "
            "the specimens."
        )
    return best


def surface_at(surface: Surface, aligned: Aligned, number: int, shape: FloatArray) -> Surface:
    """Return the surface of a specimen, bent by a thin-plate spline onto a shape (k, 3).

    The triangles of a specimen that is a mirror image are turned over, so that outside stays out.
    """
    points = warped(surface.points, aligned.points[number], shape, reflect=aligned.reflect)
    faces = surface.faces()
    return replace(
        surface,
        points=points,
        triangles=faces[:, ::-1].copy() if aligned.mirrored[number] else faces,
        source=None,
    )


def surface_ends(
    surface: Surface, aligned: Aligned, components: Components, count: int
) -> "Figure":
    """Draw a surface bent to both ends of the first components, and to the consensus."""
    number = specimen_of(surface, aligned)
    middle = surface_at(surface, aligned, number, aligned.consensus)
    camera = default_camera(middle)
    panels = []
    for component in range(count):
        name = f"PC{component + 1} ({100 * components.shares[component]:.1f} %)"
        low, high = components.ends(component)
        for shape, title, colour in (
            (low, f"{name}, lowest", LOW),
            (aligned.consensus, "consensus", MIDDLE),
            (high, f"{name}, highest", HIGH),
        ):
            bent = middle if title == "consensus" else surface_at(surface, aligned, number, shape)
            marks = Marks(shape, ("",) * len(shape), (colour,) * len(shape))
            panels.append(Panel(bent, marks, title=title, camera=camera))
    unit = "file units" if aligned.keep_size else "centroid sizes"
    return draw_panels(panels, columns=3, unit=unit, mark_size=3.0)
