# SPDX-License-Identifier: MIT
"""The mesh of a specimen in viser's scene, and the lights."""

import threading
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gplandmark.numerics.arrays import BoolArray, FloatArray
from gplandmark.visual.pictures import ColourScale
from gplandmark.visual.viewer.displayed_specimen import DisplayedSpecimen
from gplandmark.visual.viewer.framing import ScenePose
from gplandmark.visual.viewer.glb import EncodedMesh, encode_mesh
from gplandmark.visual.viewer.screen_colours import (
    LIGHT,
    bar_colours,
    covered_up,
    from_0_to_1,
    row_of_colours,
)

if TYPE_CHECKING:
    from viser import SceneApi

POINT_SIZE = 0.012
SETTLING = 0.5  # seconds that a browser may take to read a mesh, after it has arrived

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


@cache
def _colours_of(scale: ColourScale | None) -> bytes:
    """A row of colours for a scale, and one for what is excluded."""
    colours = bar_colours(scale)
    return row_of_colours(colours, covered_up(colours))


class SpecimenMesh:
    """The surface of one specimen in the scene.

    A mesh whose bytes change disappears until the browser has read the new ones. So there are two
    meshes in the same place, which change in turn. The older one is hidden a moment later, when
    the newer one has surely been read.
    """

    def __init__(
        self, scene: "SceneApi", name: str, specimen: DisplayedSpecimen, pose: ScenePose
    ) -> None:
        self._scene, self._name = scene, name
        self._points = pose.in_scene(specimen.surface.points[specimen.mesh.vertices])
        self._triangles = specimen.mesh.triangles
        self._encoded: EncodedMesh | None = None
        if self._triangles is not None:
            self._encoded = encode_mesh(self._points, self._triangles)
        self._meshes: list[Any] = []
        self._settling = threading.Timer(0, self.settle)
        self._skin: Any = None

    def paint(
        self,
        values: FloatArray | None,
        scale: ColourScale | None,
        excluded: BoolArray | None = None,
    ) -> None:
        """Paint the specimen by values (k,) of the vertices drawn, or in the colour of bone.

        Vertices that are excluded (k,) are covered by grey.
        """
        positions = bar_positions(values, scale, len(self._points))
        if self._encoded is None:
            self._paint_points(positions, scale, excluded)
            return
        content = self._encoded.painted(positions, _colours_of(from_0_to_1(scale)), excluded)
        self._settling.cancel()
        if len(self._meshes) < 2:
            name = f"{self._name}/surface {len(self._meshes)}"
            self._meshes.append(self._scene.add_glb(name, content, cast_shadow=False))
        else:
            older = self._meshes.pop(0)
            older.glb_data = content
            older.visible = True
            self._meshes.append(older)
        self._settling = threading.Timer(SETTLING, self.settle)
        self._settling.daemon = True
        self._settling.start()

    def let_drag(self, dragged: Callable[[Any], Any] | None) -> None:
        """Call a function when the mouse drags over the specimen; None to let it turn.

        A drag ends when its mesh is hidden, as ours are in turn. So the mouse touches a third,
        invisible mesh, which stays. Point clouds cannot be dragged over.
        """
        if self._skin is not None:
            self._skin.remove()
            self._skin = None
        if dragged is not None and self._triangles is not None:
            self._skin = self._scene.add_mesh_simple(
                f"{self._name}/skin", self._points.astype(np.float32), self._triangles,
                opacity=0.0, side="double", cast_shadow=False, receive_shadow=False,
            )  # fmt: skip
            self._skin.on_drag("left")(dragged)

    def settle(self) -> None:
        """Hide the older mesh."""
        for older in self._meshes[:-1]:
            older.visible = False

    def close(self) -> None:
        """Change nothing any more."""
        self._settling.cancel()
        self._meshes.clear()

    def _paint_points(
        self, positions: FloatArray, scale: ColourScale | None, excluded: BoolArray | None
    ) -> None:
        colours = bar_colours(scale)
        shown = colours[np.round(positions * (len(colours) - 1)).astype(int)]
        if excluded is not None:
            shown[excluded] = covered_up(shown[excluded])
        if self._meshes:
            self._meshes[0].colors = np.round(255 * shown).astype(np.uint8)
            return
        self._meshes = [
            self._scene.add_point_cloud(
                f"{self._name}/points", self._points, shown, point_size=POINT_SIZE,
                point_shape="circle",
            )
        ]  # fmt: skip
