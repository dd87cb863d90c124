# SPDX-License-Identifier: MIT
"""The lights of viser's scene, and where values are on the colour bar."""

from typing import TYPE_CHECKING

import numpy as np

from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.pictures import ColourScale
from gplandmark.visual.viewer.screen_colours import LIGHT

if TYPE_CHECKING:
    from viser import SceneApi


# From where light comes, and its fraction of `LIGHT`; x is to the right, y up, z to the viewer. The
# back is lit as the front.
LIGHTS = {
    "key": ((-0.45, 0.45, 0.77), 0.62),
    "fill": ((0.5, -0.5, 0.71), 0.14),
    "back key": ((0.45, 0.45, -0.77), 0.62),
    "back fill": ((-0.5, -0.5, -0.71), 0.14),
}
AMBIENT = 0.36


def add_lights(scene: "SceneApi") -> None:
    """Replace viser's lights by those under which `row_of_colours` shows the intended colours."""
    scene.configure_default_lights(False)
    scene.configure_environment_map(None)
    scene.set_up_direction("+y")
    brightness = np.pi * LIGHT  # a white surface under a light of pi is white
    scene.add_light_ambient("/lights/all around", intensity=AMBIENT * brightness)
    for name, (place, fraction) in LIGHTS.items():
        scene.add_light_directional(
            f"/lights/{name}", intensity=fraction * brightness, position=place, cast_shadow=False
        )


def bar_positions(values: FloatArray | None, scale: ColourScale | None, count: int) -> FloatArray:
    """Positions (k,) of values on the colour bar, 0 to 1."""
    if values is None or scale is None:
        return np.zeros(count)
    fraction = np.clip((values - scale.low) / (scale.high - scale.low), 0, 1)
    return np.asarray(fraction**scale.power)
