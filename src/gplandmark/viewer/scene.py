# SPDX-License-Identifier: MIT
"""A specimen and its landmarks as things in viser's scene."""

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from gplandmark.arrays import FloatArray
from gplandmark.geometry.areas import triangle_normals
from gplandmark.pictures import ColourScale
from gplandmark.pictures.colours import EARLIER, NEW
from gplandmark.specimens import sphere
from gplandmark.viewer.colours import LIGHT, bar_colours, row_of_colours, sent_light
from gplandmark.viewer.glb import PackedMesh, pack
from gplandmark.viewer.paintings import Exhibit
from gplandmark.viewer.pose import Pose
from gplandmark.viewer.steps import Steps

if TYPE_CHECKING:
    from viser import SceneApi

__all__ = ["Marks", "Specimen", "add_lights", "shares_on"]

LARGEST_MARK, SMALLEST_MARK, CROWDING = 0.026, 0.010, 0.17
LETTER_HEIGHT = 1.7  # of a number, in radii of a mark
LABEL_HEIGHT = 2.2  # of a number above the surface, in radii of a mark
POINT_SIZE = 0.012
SETTLING = 0.5  # seconds that a browser may take to read a mesh, after it has arrived
UNTURNED = np.array([1, 0, 0, 0], dtype=np.float32)

# From where light comes, and its share of `LIGHT`; x is to the right, y up, z to the viewer. The
# back is lit as the front.
LIGHTS = {
    "key": ((-0.45, 0.45, 0.77), 0.62),
    "fill": ((0.5, -0.5, 0.71), 0.14),
    "back key": ((0.45, 0.45, -0.77), 0.62),
    "back fill": ((-0.5, -0.5, -0.71), 0.14),
}
AMBIENT = 0.36


def add_lights(scene: "SceneApi") -> None:
    """Our own lights in place of viser's, under which `row_of_colours` has the colours meant."""
    scene.configure_default_lights(False)
    scene.configure_environment_map(None)
    scene.set_up_direction("+y")
    brightness = np.pi * LIGHT  # a white surface under a light of pi is white
    scene.add_light_ambient("/lights/all around", intensity=AMBIENT * brightness)
    for name, (place, share) in LIGHTS.items():
        scene.add_light_directional(
            f"/lights/{name}", intensity=share * brightness, position=place, cast_shadow=False
        )


def shares_on(values: FloatArray | None, scale: ColourScale | None, count: int) -> FloatArray:
    """Places (k,) of values on the colour bar, 0 to 1."""
    if values is None or scale is None:
        return np.zeros(count)
    share = np.clip((values - scale.low) / (scale.high - scale.low), 0, 1)
    return np.asarray(share**scale.power)


class Specimen:
    """The surface of one exhibit in the scene.

    A mesh whose bytes change vanishes until the browser has read the new ones. So there are two
    meshes in one place, which change in turn. The older one is hidden a moment later, when the
    newer one has surely been read; until then it does not matter which of them is drawn over the
    other.
    """

    def __init__(self, scene: "SceneApi", name: str, exhibit: Exhibit, pose: Pose) -> None:
        self._scene, self._name = scene, name
        points = pose.in_scene(exhibit.surface.points[exhibit.mesh.vertices])
        self._count = len(points)
        self._points = points
        self._packed: PackedMesh | None = None
        if exhibit.mesh.triangles is not None:
            self._packed = pack(points, exhibit.mesh.triangles)
        self._meshes: list[Any] = []
        self._colours: tuple[ColourScale | None, bytes] | None = None
        self._settling = threading.Timer(0, self.settle)

    def paint(self, values: FloatArray | None, scale: ColourScale | None) -> None:
        """Paint the specimen by values (k,) of the vertices drawn, or in the colour of bone."""
        shares = shares_on(values, scale, self._count)
        if self._packed is None:
            self._paint_points(shares, scale)
            return
        if self._colours is None or self._colours[0] != scale:
            self._colours = (scale, row_of_colours(bar_colours(scale)))
        content = self._packed.painted(shares, self._colours[1])
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

    def settle(self) -> None:
        """Hide the older mesh."""
        for older in self._meshes[:-1]:
            older.visible = False

    def close(self) -> None:
        """Leave everything as it is from now on."""
        self._settling.cancel()
        self._meshes.clear()

    def _paint_points(self, shares: FloatArray, scale: ColourScale | None) -> None:
        colours = bar_colours(scale)
        shown = colours[np.round(shares * (len(colours) - 1)).astype(int)]
        if self._meshes:
            self._meshes[0].colors = np.round(255 * shown).astype(np.uint8)
            return
        self._meshes = [
            self._scene.add_point_cloud(
                f"{self._name}/points", self._points, shown, point_size=POINT_SIZE,
                point_shape="circle",
            )
        ]  # fmt: skip


class Marks:
    """The landmarks of one exhibit in the scene: balls, and numbers beside them."""

    def __init__(
        self,
        scene: "SceneApi",
        name: str,
        exhibit: Exhibit,
        pose: Pose,
        steps: Steps,
        magnified: float = 1.0,
    ) -> None:
        self._points = pose.in_scene(steps.points)
        size = CROWDING / np.sqrt(max(len(steps), 1))
        radius = magnified * np.clip(size, SMALLEST_MARK, LARGEST_MARK)
        ball = sphere(2).surface
        self._balls = scene.add_batched_meshes_simple(
            f"{name}/landmarks", radius * ball.points, ball.faces(),
            UNTURNED[None], np.zeros((1, 3)), lod="off", cast_shadow=False,
            receive_shadow=False, visible=False,
        )  # fmt: skip
        above = self._points + LABEL_HEIGHT * radius * _outwards(exhibit, pose, self._points)
        self._labels = [
            scene.add_label(
                f"{name}/numbers/{number}", text, position=place, depth_test=True,
                anchor="center-center", visible=False, font_size_mode="scene",
                font_scene_height=LETTER_HEIGHT * radius,
            )
            for number, (text, place) in enumerate(zip(steps.labels, above, strict=True))
        ]  # fmt: skip

    def show(self, count: int, *, numbers: bool = True) -> None:
        """Show the first landmarks, the newest in red."""
        colours = sent_light(np.array([_rgb(EARLIER)] * (count - 1) + [_rgb(NEW)]))
        self._balls.visible = count > 0
        if count > 0:
            self._balls.batched_positions = self._points[:count].astype(np.float32)
            self._balls.batched_wxyzs = np.tile(UNTURNED, (count, 1))
            self._balls.batched_colors = np.round(255 * colours).astype(np.uint8)
        for number, label in enumerate(self._labels):
            label.visible = numbers and number < count

    def show_hidden_numbers(self, is_shown: bool) -> None:
        """Draw the numbers of landmarks behind the specimen, or let it hide them."""
        for label in self._labels:
            label.depth_test = not is_shown

    def remove(self) -> None:
        """Take all of it out of the scene."""
        for each in (self._balls, *self._labels):
            each.remove()


def _rgb(colour: str) -> list[float]:
    """Red, green and blue, 0 to 1, of a colour like #5be34b."""
    return [each / 255 for each in bytes.fromhex(colour.removeprefix("#"))]


def _outwards(exhibit: Exhibit, pose: Pose, points: FloatArray) -> FloatArray:
    """Directions (k, 3) of the scene away from the surface at points of the scene."""
    from scipy.spatial import cKDTree

    drawn = pose.in_scene(exhibit.surface.points[exhibit.mesh.vertices])
    if exhibit.mesh.triangles is None:
        away = points - pose.shift
    else:
        corners = exhibit.mesh.triangles
        flat = triangle_normals(drawn, corners)
        sums = [
            np.bincount(corners.ravel(), np.repeat(flat[:, axis], 3), len(drawn))
            for axis in range(3)
        ]
        away = np.column_stack(sums)[cKDTree(drawn).query(points)[1]]
    lengths = np.linalg.norm(away, axis=1, keepdims=True)
    return np.asarray(away / np.where(lengths > 0, lengths, 1.0))
