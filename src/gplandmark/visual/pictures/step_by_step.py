# SPDX-License-Identifier: MIT
"""Figure 1 of the paper: landmarks one by one, and the variance after each of them."""

from typing import TYPE_CHECKING

from gplandmark.errors import PictureError
from gplandmark.landmarks import Landmarks, MethodSettings, place
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.pictures.camera import cameras
from gplandmark.visual.pictures.canvas import RESOLUTION
from gplandmark.visual.pictures.colour_maps import Method, share_left, variance_scale
from gplandmark.visual.pictures.colours import EARLIER, NEW
from gplandmark.visual.pictures.landmark_sets import Placed, placed_on
from gplandmark.visual.pictures.panels import Marks, Panel, draw_panels
from gplandmark.visual.pictures.picture import SEVERAL

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["STEPS", "picture_of_steps", "step_panels"]

STEPS, MOST = 8, 40
COLUMNS = 4


def picture_of_steps(
    surface: Surface,
    landmarks: Landmarks | None = None,
    *,
    count: int = STEPS,
    view: str = "obverse",
    labels: str = "numbers",
    settings: MethodSettings | None = None,
    weight: FloatArray | None = None,
    width: float | None = None,
    resolution: int = RESOLUTION,
    unit: str = "file units",
) -> "Figure":
    """Draw the first landmarks one by one: the newest red, the others green.

    The heat map after each of them is the variance that they leave, as a share of the largest
    before any, on one scale for all. The scale follows the square root.

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
    (placed,) = placed_on(surface, {landmarks.specimen: landmarks}).values()
    if len(placed.vertices) < count:
        raise PictureError(
            f"{landmarks.specimen} has {len(placed.vertices)} landmarks, too few for {count} steps."
        )
    return draw_panels(
        step_panels(surface, placed, count, method, view, labels),
        columns=min(COLUMNS, count),
        width=width or SEVERAL,
        scale=variance_scale(100),
        unit=unit,
        resolution=resolution,
    )


def step_panels(
    surface: Surface, placed: Placed, count: int, method: Method, view: str, labels: str
) -> list[Panel]:
    """Return a panel for each of the first landmarks, with the variance left in per cent."""
    camera = next(iter(cameras(surface, [view]).values()))
    kernel, texts = method.kernel(surface), placed.texts(labels)
    panels = []
    for step in range(1, count + 1):
        marks = Marks(placed.points[:step], texts[:step], (EARLIER,) * (step - 1) + (NEW,))
        left = 100 * share_left(surface, kernel, placed.vertices[:step])
        title = f"after landmark {placed.numbers[step - 1]}"
        panels.append(Panel(surface, marks, left, title, camera))
    return panels
