# SPDX-License-Identifier: MIT
"""The landmarks of a specimen in viser's scene: balls, and names beside them."""

from collections.abc import Callable
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gplandmark.mesh.synthetic import sphere
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.visual.pictures.colour_maps import EARLIER, NEW
from gplandmark.visual.pictures.raster import vertex_normals
from gplandmark.visual.viewer.displayed_specimen import DisplayedSpecimen, Steps
from gplandmark.visual.viewer.framing import ScenePose
from gplandmark.visual.viewer.panel import set_new
from gplandmark.visual.viewer.screen_colours import sent_light

if TYPE_CHECKING:
    from viser import SceneApi

LARGEST_MARK, SMALLEST_MARK, CROWDING = 0.026, 0.010, 0.17
LETTER_HEIGHT = 1.7  # of a number, in radii of a mark
LABEL_HEIGHT = 2.2  # of a number above the surface, in radii of a mark
CHOSEN, CHOSEN_SIZE = "#ff3df2", 1.45  # colour of selected landmarks, and how much larger they are
UNTURNED = np.array([1, 0, 0, 0], dtype=np.float32)


class LandmarkMarkers:
    """The landmarks of one specimen. They may change: what stays the same is not sent again."""

    def __init__(
        self,
        scene: "SceneApi",
        name: str,
        specimen: DisplayedSpecimen,
        pose: ScenePose,
        steps: Steps,
        magnified: float = 1.0,
    ) -> None:
        self._scene, self._name, self._pose, self._magnified = scene, name, pose, magnified
        self._specimen = specimen
        self._ball = sphere(2).surface
        self._labels: list[Any] = []
        self._hidden_numbers = False
        self.shown: IndexArray = np.zeros(0, dtype=np.int64)
        self.radius = 0.0
        self._balls = scene.add_batched_meshes_simple(
            f"{name}/landmarks", LARGEST_MARK * self._ball.points, self._ball.faces(),
            UNTURNED[None], np.zeros((1, 3)), lod="off", cast_shadow=False,
            receive_shadow=False, visible=False,
        )  # fmt: skip
        self.change(steps)

    def change(self, steps: Steps) -> None:
        """Other landmarks; call `show` afterwards."""
        self._steps = steps
        self._points = self._pose.in_scene(steps.points)
        size = CROWDING / np.sqrt(max(len(steps), 1))
        radius = self._magnified * float(np.clip(size, SMALLEST_MARK, LARGEST_MARK))
        if radius != self.radius:
            self.radius = radius
            self._balls.vertices = (radius * self._ball.points).astype(np.float32)
            for label in self._labels:
                label.font_scene_height = LETTER_HEIGHT * radius
        while len(self._labels) > len(steps):
            self._labels.pop().remove()
        there = self._is_there()
        above = np.where(there[:, None], self._points, 0.0)
        away = self._away(above)
        above = above + LABEL_HEIGHT * radius * away
        for number, text in enumerate(steps.labels):
            self._put_label(number, text, above[number], _anchor(away[number]))

    def show(self, count: int, *, numbers: bool = True) -> None:
        """Show the first landmarks, the newest in red; the selected ones are highlighted."""
        there = self._is_there()
        self.shown = np.flatnonzero(there[:count])
        # Also if unchanged: a page that is played backwards needs it at each step.
        self._balls.visible = len(self.shown) > 0
        if len(self.shown):
            chosen = np.isin(self.shown, np.array(self._steps.selected, dtype=np.int64))
            colours = np.tile(_sent(EARLIER), (len(self.shown), 1))
            colours[self.shown == count - 1] = _sent(NEW)
            colours[chosen] = _sent(CHOSEN)
            if self._balls.batched_scales is not None:  # a size for each that is there, or none
                self._balls.batched_scales = None
            self._balls.batched_positions = self._points[self.shown].astype(np.float32)
            self._balls.batched_wxyzs = np.tile(UNTURNED, (len(self.shown), 1))
            if chosen.any():
                self._balls.batched_scales = np.where(chosen, CHOSEN_SIZE, 1).astype(np.float32)
            self._balls.batched_colors = colours
        for number, label in enumerate(self._labels):
            label.visible = bool(numbers and number < count and there[number])

    def show_hidden_numbers(self, is_shown: bool) -> None:
        """Draw the numbers of landmarks behind the specimen, or let it hide them."""
        self._hidden_numbers = is_shown
        for label in self._labels:
            set_new(label, "depth_test", not is_shown)

    def let_drag(self, dragged: Callable[[Any], Any] | None) -> None:
        """Call a function when the mouse drags a ball; None to let the mouse turn the scene."""
        self._balls.remove_drag_callback()
        if dragged is not None:
            self._balls.on_drag("left")(dragged)

    def _is_there(self) -> Any:
        return ~np.isnan(self._points).any(axis=1)

    def _put_label(self, number: int, text: str, place: FloatArray, anchor: str) -> None:
        if number < len(self._labels):
            label = self._labels[number]
            set_new(label, "text", text)
            set_new(label, "anchor", anchor)
            if not np.array_equal(label.position, place):
                label.position = place
            return
        self._labels.append(
            self._scene.add_label(
                f"{self._name}/numbers/{number}", text, position=place,
                depth_test=not self._hidden_numbers, anchor=anchor, visible=False,
                font_size_mode="scene", font_scene_height=LETTER_HEIGHT * self.radius,
            )
        )  # fmt: skip

    def _away(self, points: FloatArray) -> FloatArray:
        """Directions (k, 3) away from the surface at points of the scene."""
        if self._specimen.mesh.triangles is None:
            away = points - self._pose.shift
        else:
            tree, normals = self._normals
            away = normals[tree.query(points)[1]] if len(points) else points
        lengths = np.linalg.norm(away, axis=1, keepdims=True)
        return np.asarray(away / np.where(lengths > 0, lengths, 1.0))

    @cached_property
    def _normals(self) -> tuple[Any, FloatArray]:
        """A search tree of the vertices drawn, and their normals."""
        from scipy.spatial import cKDTree

        mesh = self._specimen.mesh
        assert mesh.triangles is not None
        drawn = self._pose.in_scene(self._specimen.surface.points[mesh.vertices])
        return cKDTree(drawn), vertex_normals(drawn, mesh.triangles)


def _anchor(away: FloatArray) -> str:
    """The corner of a number that is next to its mark, seen from the front or from the back."""
    is_right = away[0] * (1 if away[2] >= 0 else -1) >= 0
    return f"{'bottom' if away[1] >= 0 else 'top'}-{'left' if is_right else 'right'}"


@cache
def _sent(colour: str) -> Any:
    """What to send, (3,), for a colour like #5be34b."""
    screen = np.array(list(bytes.fromhex(colour.removeprefix("#")))) / 255
    return np.round(255 * sent_light(screen[None])[0]).astype(np.uint8)
