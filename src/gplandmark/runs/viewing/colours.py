# SPDX-License-Identifier: MIT
"""The colours of a specimen's vertices: bone, the scan's own, or a map of values."""

from pathlib import Path

import numpy as np
import scipy

from gplandmark.errors import SettingsError
from gplandmark.io.scans import specimen_name
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray
from gplandmark.runs.viewing.open_specimen import OpenSpecimen
from gplandmark.visual.editor import NotBoneEditor
from gplandmark.visual.pictures import ColourScale
from gplandmark.visual.pictures.colour_maps import surface_heat_map, variance_scale
from gplandmark.visual.viewer.displayed_specimen import LOWEST
from gplandmark.visual.viewer.page_data import colour_message

CLOSE = 1e-5  # of the size: a vertex this close is the same one
COLOURINGS = ("bone", "scan", "variance", "curvature", "weight")


def colours_of(opened: OpenSpecimen, colouring: str, step: int | None) -> bytes:
    """A message with the colours of all vertices that are drawn.

    Raises
    ------
    SettingsError
        There is no such colouring, or the scan has no colours.
    """
    if colouring not in COLOURINGS:
        raise SettingsError(f"There is no colouring {colouring}.")
    drawn = opened.drawn.mesh.vertices
    with opened.lock:
        painted = opened.editor.painted[drawn], NotBoneEditor(opened.editor).mask[drawn]
        if colouring == "bone":
            return colour_message(None, None, *painted)
        if colouring == "scan":
            return colour_message(_scan_colours(opened)[drawn], None, *painted)
        values, scale = _values(opened, colouring, step)
    return colour_message(scale.paint()(values[drawn]), scale, *painted)


def _values(
    opened: OpenSpecimen, colouring: str, step: int | None
) -> tuple[FloatArray, ColourScale]:
    if colouring == "variance":
        editor = opened.editor
        count = None if step is None else min(step, len(editor.state.marks))
        covered = opened.surface.covered()
        initial = float(editor.variance(0)[covered].max())
        left = 100 * np.clip(editor.variance(count) / initial, 0, 1)
        return left, variance_scale(max(LOWEST, float(left[covered].max())))
    none = np.zeros(0, dtype=np.int64)
    found = surface_heat_map(opened.surface, colouring, none, opened.method, "file unit")
    assert found is not None
    return found.values, found.scale


def variance_curve(opened: OpenSpecimen) -> list[float]:
    """Largest remaining variance after 0, 1, ... landmarks, in per cent of the initial one."""
    with opened.lock:
        largest = opened.editor.curve().largest
    return [float(f"{each:.4g}") for each in 100 * largest / largest[0]]


def _scan_colours(opened: OpenSpecimen) -> FloatArray:
    """Colours (n, 3) of the scan's vertices: those in its file, or of its texture there."""
    colours = file_colours(opened.specimen.scan, opened.surface)
    if colours is None:
        raise SettingsError(f"{specimen_name(opened.specimen.scan)} has no colours of its own.")
    return colours


def file_colours(path: Path, surface: Surface) -> FloatArray | None:
    """Colours (n, 3), 0 to 1, of the vertices of a surface in its file; None if it has none."""
    import trimesh

    try:
        found = trimesh.load(path, process=False, maintain_order=True, force="mesh")
        visual = found.visual
        if not visual.defined:
            return None
        colours = visual.to_color() if visual.kind == "texture" else visual
        rows = np.asarray(colours.vertex_colors)[:, :3] / 255
        points = np.asarray(found.vertices)
    except Exception:  # colours are extra: whatever a foreign reader says, the shape is shown
        return None
    if len(rows) == surface.file_vertex_count:
        return rows[surface.in_file(np.arange(surface.vertex_count))]
    # A vertex on a seam of the texture has several places in it, and is there several times.
    distances, at = scipy.spatial.cKDTree(points).query(surface.points)
    return rows[at] if distances.max() <= CLOSE * np.ptp(points) else None
