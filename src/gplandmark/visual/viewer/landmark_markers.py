# SPDX-License-Identifier: MIT
"""The landmarks of a specimen in viser's scene: balls, and names beside them."""

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from gplandmark.mesh.synthetic import sphere
from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.pictures.colour_maps import EARLIER, NEW
from gplandmark.visual.pictures.raster import vertex_normals
from gplandmark.visual.viewer.displayed_specimen import DisplayedSpecimen, Steps
from gplandmark.visual.viewer.framing import ScenePose
from gplandmark.visual.viewer.screen_colours import sent_light

if TYPE_CHECKING:
    from viser import SceneApi

LARGEST_MARK, SMALLEST_MARK, CROWDING = 0.026, 0.010, 0.17
LETTER_HEIGHT = 1.7  # of a number, in radii of a mark
LABEL_HEIGHT = 2.2  # of a number above the surface, in radii of a mark
UNTURNED = np.array([1, 0, 0, 0], dtype=np.float32)


class LandmarkMarkers:
    """The landmarks of one specimen."""

    def __init__(
        self,
        scene: "SceneApi",
        name: str,
        specimen: DisplayedSpecimen,
        pose: ScenePose,
        steps: Steps,
    ) -> None:
        self._scene, self._pose, self._specimen = scene, pose, specimen
        self._points = pose.in_scene(steps.points)
        size = CROWDING / np.sqrt(max(len(steps), 1))
        radius = float(np.clip(size, SMALLEST_MARK, LARGEST_MARK))
        ball = sphere(2).surface
        self._balls = scene.add_batched_meshes_simple(
            f"{name}/landmarks", radius * ball.points, ball.faces(), UNTURNED[None],
            np.zeros((1, 3)), lod="off", cast_shadow=False, receive_shadow=False, visible=False,
        )  # fmt: skip
        above = np.where(self._is_there()[:, None], self._points, 0.0)
        away = self._away(above)
        above = above + LABEL_HEIGHT * radius * away
        self._labels = [
            scene.add_label(
                f"{name}/numbers/{number}", text, position=above[number], depth_test=True,
                anchor=_anchor(away[number]), visible=False, font_size_mode="scene",
                font_scene_height=LETTER_HEIGHT * radius,
            )
            for number, text in enumerate(steps.labels)
        ]  # fmt: skip

    def show(self, count: int) -> None:
        """Show the first landmarks, the newest in red."""
        there = self._is_there()
        shown = np.flatnonzero(there[:count])
        # Also if unchanged: a page that is played backwards needs it at each step.
        self._balls.visible = len(shown) > 0
        if len(shown):
            colours = np.tile(_sent(EARLIER), (len(shown), 1))
            colours[shown == count - 1] = _sent(NEW)
            self._balls.batched_positions = self._points[shown].astype(np.float32)
            self._balls.batched_wxyzs = np.tile(UNTURNED, (len(shown), 1))
            self._balls.batched_colors = colours
        for number, label in enumerate(self._labels):
            label.visible = bool(number < count and there[number])

    def _is_there(self) -> Any:
        return ~np.isnan(self._points).any(axis=1)

    def _away(self, points: FloatArray) -> FloatArray:
        """Directions (k, 3) away from the surface at points of the scene."""
        if self._specimen.mesh.triangles is None:
            away = points
        else:
            tree, normals = self._normals
            away = normals[tree.query(points)[1]] if len(points) else points
        lengths = np.linalg.norm(away, axis=1, keepdims=True)
        return np.asarray(away / np.where(lengths > 0, lengths, 1.0))

    @cached_property
    def _normals(self) -> tuple[Any, FloatArray]:
        """A search tree of the vertices drawn, and their normals."""
        mesh = self._specimen.mesh
        assert mesh.triangles is not None
        drawn = self._pose.in_scene(self._specimen.surface.points[mesh.vertices])
        return scipy.spatial.cKDTree(drawn), vertex_normals(drawn, mesh.triangles)


def _anchor(away: FloatArray) -> str:
    """The corner of a number that is next to its mark, seen from the front or from the back."""
    is_right = away[0] * (1 if away[2] >= 0 else -1) >= 0
    return f"{'bottom' if away[1] >= 0 else 'top'}-{'left' if is_right else 'right'}"


@cache
def _sent(colour: str) -> Any:
    """What to send, (3,), for a colour like #5be34b."""
    screen = np.array(list(bytes.fromhex(colour.removeprefix("#")))) / 255
    return np.round(255 * sent_light(screen[None])[0]).astype(np.uint8)
