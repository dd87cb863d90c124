# SPDX-License-Identifier: MIT
"""One picture of a specimen with its landmarks, from one side or from several."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from gplandmark.landmarks import Landmarks, MethodSettings
from gplandmark.landmarks.landmarks import drawing
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.pictures.camera import cameras
from gplandmark.visual.pictures.canvas import RESOLUTION, picture_bytes
from gplandmark.visual.pictures.colour_maps import Method, heat_map
from gplandmark.visual.pictures.landmark_sets import legend_of, marks_of, placed_on
from gplandmark.visual.pictures.panels import Panel, draw_panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["picture", "thumbnail"]


ONE, SEVERAL = 4.5, 7.0  # inches: width of a sheet with one panel, and with more
COLUMNS = {1: 1, 2: 2, 3: 3, 4: 2, 5: 3, 6: 3}


def picture(
    surface: Surface,
    landmarks: Landmarks | Mapping[str, Landmarks] | None = None,
    *,
    views: Sequence[str] = ("auto",),
    colour: str = "plain",
    labels: str = "numbers",
    settings: MethodSettings | None = None,
    weight: FloatArray | None = None,
    width: float | None = None,
    resolution: int = RESOLUTION,
    unit: str = "file units",
) -> "Figure":
    """Draw a surface with landmarks on it.

    Landmarks that are hidden in a view are drawn faintly there, without their number.

    Parameters
    ----------
    surface : with triangles, or a bare cloud in space
    landmarks : on it; or several sets by name, which get a colour each and a legend
    views : names or angles as `gplandmark.visual.pictures.cameras` takes them; several make a grid
    colour : "plain"; "variance", what the first set leaves; "curvature", the mean curvature; or
        "weight", that of the method
    labels : "numbers" counts the landmarks of a set from 1, "names" takes their own; or "none"
    settings : the method that variance and weight belong to; by default that which made the first
        set, or the paper's
    weight : (n,) in place of the weight of the settings
    width : of the picture in inches; by default 4.5 with one view and 7 with more
    resolution : pixels per inch
    unit : of the coordinates

    Returns
    -------
    matplotlib.figure.Figure
        For `gplandmark.visual.pictures.write_picture`; a notebook shows it.

    Raises
    ------
    PictureError
        matplotlib is missing; there is no such view, colour or label; or too many sets.
    LandmarkFileError
        The landmarks do not lie on the surface.
    """
    sets = _named(landmarks)
    seen = cameras(surface, views)
    placed = placed_on(surface, sets)
    marks = marks_of(placed, labels)
    method = Method.of(next(iter(sets.values()), None), settings, weight)
    first = next((each.vertices for each in placed.values()), np.zeros(0, dtype=np.int64))
    heat = heat_map(surface, colour, first, method, unit)
    values, scale = (None, None) if heat is None else (heat.values, heat.scale)
    panels = [
        Panel(surface, marks, values, title if len(seen) > 1 else "", camera)
        for title, camera in seen.items()
    ]
    return draw_panels(
        panels,
        columns=COLUMNS.get(len(panels), 4),
        width=width or (ONE if len(panels) == 1 else SEVERAL),
        scale=scale,
        legend=legend_of(placed),
        unit=unit,
        resolution=resolution,
    )


def _named(landmarks: Landmarks | Mapping[str, Landmarks] | None) -> dict[str, Landmarks]:
    if landmarks is None:
        return {}
    return {landmarks.specimen: landmarks} if isinstance(landmarks, Landmarks) else dict(landmarks)


WIDTH, RESOLUTION = 5.0, 100


@drawing
def thumbnail(landmarks: Landmarks) -> bytes | None:
    """Return landmarks on their surface as a PNG file.

    None without a surface in space, without landmarks, or without matplotlib.
    """
    surface = landmarks.surface
    if surface is None or surface.points.shape[1] != 3 or find_spec("matplotlib") is None:
        return None
    if landmarks.missing.all():
        return None
    return picture_bytes(picture(surface, landmarks, width=WIDTH, resolution=RESOLUTION), ".png")
