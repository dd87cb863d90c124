# SPDX-License-Identifier: MIT
"""What a component means on a whole surface, bent by thin-plate splines to both of its ends."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gplandmark.errors import AnalysisError
from gplandmark.landmarks.on_surface import FARTHEST, distances_off
from gplandmark.mesh import surface_area
from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.analysis.principal_components import Components
from gplandmark.morphometrics.analysis.procrustes import Aligned, thin_plate_spline
from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.charts.component_charts import HIGH, LOW, MIDDLE, component_name
from gplandmark.visual.pictures import Rendering, default_camera, render
from gplandmark.visual.pictures.canvas import RESOLUTION, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["specimen_of", "surface_at", "surface_ends"]

PANEL = 2.2  # inches across
HIDDEN = 0.25  # strength of a landmark behind the surface


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
    points = thin_plate_spline(
        surface.points, aligned.points[number], shape, reflect=aligned.reflect
    )
    faces = surface.faces()
    turned = faces[:, ::-1].copy() if aligned.mirrored[number] else faces
    return replace(surface, points=points, triangles=turned, source=None)


def surface_ends(
    surface: Surface, aligned: Aligned, components: Components, count: int
) -> "Figure":
    """Draw a surface bent to the ends of the first components, and to the consensus.

    All are seen from one side and drawn to one scale.
    """
    number = specimen_of(surface, aligned)
    middle = surface_at(surface, aligned, number, aligned.consensus)
    camera = default_camera(middle)

    def seen(shape: FloatArray) -> Rendering:
        bent = surface_at(surface, aligned, number, shape)
        return render(bent, camera, width=round(PANEL * RESOLUTION))

    consensus = (seen(aligned.consensus), aligned.consensus, "consensus", MIDDLE)
    panels = []
    for component in range(count):
        name = component_name(components, component)
        low, high = components.extremes(component)
        panels += [
            (seen(low), low, f"{name}, lowest", LOW),
            consensus,
            (seen(high), high, f"{name}, highest", HIGH),
        ]
    frames = np.array([view.frame for view, *_ in panels])
    left, right, bottom, top = (
        pick(frames[:, at]) for at, pick in enumerate((np.min, np.max, np.min, np.max))
    )
    height = PANEL * (top - bottom) / (right - left)
    figure = new_figure(7.0, count * (height + 0.3))
    with styled():
        for axes, panel in zip(figure.subplots(count, 3).flat, panels, strict=True):
            _draw(axes, *panel)
            axes.set(xlim=(left, right), ylim=(bottom, top))
        figure.set_layout_engine("compressed")
    return figure


def _draw(axes: Any, view: Rendering, shape: FloatArray, title: str, colour: str) -> None:
    axes.imshow(np.clip(view.image, 0, 1), extent=view.frame, interpolation="antialiased")
    places = view.camera.project(shape)[:, :2]
    shows = view.shows(shape)
    for which, strength in ((shows, 1.0), (~shows, HIDDEN)):
        axes.plot(*places[which].T, "o", markersize=3, color=colour, alpha=strength,
                  markeredgecolor="white", markeredgewidth=0.4)  # fmt: skip
    axes.set_title(title)
    axes.set_axis_off()
