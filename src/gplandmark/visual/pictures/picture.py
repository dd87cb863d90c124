# SPDX-License-Identifier: MIT
"""Pictures of a specimen with its landmarks: from one side or several, or landmark by landmark."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from gplandmark.errors import PictureError
from gplandmark.landmarks import Landmarks, MethodSettings, place
from gplandmark.mesh.as_surface import as_surface
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arguments import instance
from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.pictures.camera import cameras
from gplandmark.visual.pictures.colour_maps import (
    EARLIER,
    NEW,
    Method,
    remaining_fraction,
    surface_heat_map,
    variance_scale,
)
from gplandmark.visual.pictures.image_files import RESOLUTION, picture_bytes
from gplandmark.visual.pictures.landmark_sets import LandmarkSet, checked_sets, legend_of, marks_of
from gplandmark.visual.pictures.panels import Marks, Panel, draw_panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ONE, SEVERAL = 4.5, 7.0  # inches: width of a figure with one panel, and with more
LANDMARKS = "Give Landmarks, or several of them by name."
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
    colour : "plain"; "variance", which remains after the first set; "curvature", the mean
        curvature; or "weight", that of the method
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
        matplotlib is missing; a view, colour or label is unknown; or there are too many sets.
    LandmarkFileError
        The landmarks do not lie on the surface.
    """
    surface = as_surface(surface)
    if isinstance(landmarks, Landmarks):
        landmarks = {landmarks.specimen: landmarks}
    sets = {} if landmarks is None else landmarks
    if not isinstance(sets, Mapping):
        raise PictureError(f"Expected Landmarks, got {type(sets).__name__}. {LANDMARKS}")
    for each in sets.values():
        instance(each, Landmarks, LANDMARKS, PictureError)
    seen = cameras(surface, views)
    placed = checked_sets(surface, sets)
    marks = marks_of(placed, labels)
    method = Method.of(next(iter(sets.values()), None), settings, weight)
    first = next((each.vertices for each in placed.values()), np.zeros(0, dtype=np.int64))
    heat = surface_heat_map(surface, colour, first, method, unit)
    values, scale = (None, None) if heat is None else (heat.values, heat.scale)
    panels = [
        Panel(surface, marks, values, title if len(seen) > 1 else "", camera)
        for title, camera in seen.items()
    ]
    return draw_panels(
        panels,
        columns=COLUMNS.get(len(panels), 4),
        width=(ONE if len(panels) == 1 else SEVERAL) if width is None else width,
        scale=scale,
        legend=legend_of(placed),
        unit=unit,
        resolution=resolution,
    )


def notebook_png(landmarks: Landmarks) -> bytes | None:
    """Return landmarks on their surface as a PNG file.

    None without a surface in space, without landmarks, or without matplotlib.
    """
    if landmarks.surface is None or landmarks.missing.all():
        return None
    return surface_png(landmarks.surface, landmarks)


def surface_png(surface: Surface, landmarks: Landmarks | None = None) -> bytes | None:
    """Return a surface as a PNG file; None if it is not in space, or without matplotlib."""
    if surface.points.shape[1] != 3 or find_spec("matplotlib") is None:
        return None
    return picture_bytes(picture(surface, landmarks, width=5.0, resolution=100), ".png")


MOST = 40  # steps in one picture


def picture_of_steps(
    surface: Surface,
    landmarks: Landmarks | None = None,
    *,
    count: int = 8,
    view: str = "obverse",
    labels: str = "numbers",
    settings: MethodSettings | None = None,
    weight: FloatArray | None = None,
    width: float | None = None,
    resolution: int = RESOLUTION,
    unit: str = "file units",
) -> "Figure":
    """Draw the first landmarks one by one: the newest red, the others green.

    The heat map after each of them is the remaining variance, as a fraction of the largest initial
    one, on one scale for all. The scale follows the square root.

    Parameters
    ----------
    landmarks : whose first ones are drawn; by default they are placed
    count : how many, from 1 to 40
    view : one of `gplandmark.visual.pictures.cameras`

    The others are those of `gplandmark.picture`.

    Raises
    ------
    PictureError
        The count is out of range, or larger than the number of landmarks; or as `picture` does.
    """
    if not 1 <= count <= MOST:
        raise PictureError(f"The number of steps must be from 1 to {MOST}, got {count}.")
    method = Method.of(landmarks, settings, weight)
    if landmarks is None:
        landmarks = place(surface, count, settings=method.settings, weight=weight)
    (placed,) = checked_sets(surface, {landmarks.specimen: landmarks}).values()
    if len(placed.vertices) < count:
        raise PictureError(
            f"{landmarks.specimen} has {len(placed.vertices)} landmarks, too few for {count} steps."
        )
    return draw_panels(
        step_panels(surface, placed, count, method, view, labels),
        columns=min(4, count),
        width=width or SEVERAL,
        scale=variance_scale(100),
        unit=unit,
        resolution=resolution,
    )


def step_panels(
    surface: Surface, placed: LandmarkSet, count: int, method: Method, view: str, labels: str
) -> list[Panel]:
    """Return a panel for each of the first landmarks, with the remaining variance in per cent."""
    camera = next(iter(cameras(surface, [view]).values()))
    kernel, texts = method.kernel(surface), placed.texts(labels)
    panels = []
    for step in range(1, count + 1):
        marks = Marks(placed.points[:step], texts[:step], (EARLIER,) * (step - 1) + (NEW,))
        left = 100 * remaining_fraction(surface, kernel, placed.vertices[:step])
        title = f"after landmark {placed.numbers[step - 1]}"
        panels.append(Panel(surface, marks, left, title, camera))
    return panels
