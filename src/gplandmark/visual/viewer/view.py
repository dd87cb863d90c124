# SPDX-License-Identifier: MIT
"""The view: specimens, their landmarks step by step, and the panel that controls them."""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from gplandmark.visual.viewer.displayed_specimen import (
    DisplayedSpecimen,
    Steps,
    colour_scale,
    values_of,
)
from gplandmark.visual.viewer.framing import (
    TITLE_HEIGHT,
    Framing,
    arranged_in_row,
    scene_pose,
    set_camera,
)
from gplandmark.visual.viewer.landmark_markers import LandmarkMarkers
from gplandmark.visual.viewer.panel import ControlPanel, Wanted
from gplandmark.visual.viewer.picking import Picker
from gplandmark.visual.viewer.scene import SpecimenMesh, add_lights
from gplandmark.visual.viewer.server import Served

MAGNIFIED = 1.4  # marks of specimens side by side, which are drawn smaller


class View:
    """Specimens in a browser, from left to right, each at its own scale.

    Their landmarks may come later, and change.
    """

    def __init__(self, served: Served, specimens: Sequence[DisplayedSpecimen]) -> None:
        self.served = served
        # A control set by the program calls `update` at once. Whoever changes the data of the
        # steps holds the lock meanwhile.
        self.lock = threading.RLock()
        self._shown: tuple[Any, ...] | None = None
        self.specimens = list(specimens)
        self.poses = arranged_in_row(tuple(scene_pose(each.surface) for each in specimens))
        scene = served.viser.scene
        add_lights(scene)
        self.meshes = [
            SpecimenMesh(scene, f"/{number}", each, pose)
            for number, (each, pose) in enumerate(zip(specimens, self.poses, strict=True))
        ]
        self.marks: list[LandmarkMarkers | None] = [None] * len(self.specimens)
        self._add_titles()
        self._distance = set_camera(served.viser.initial_camera, self.poses)
        self.panel = ControlPanel(served.viser.gui, self.specimens, self.update)
        self._pickers = [Picker(*each) for each in zip(self.specimens, self.poses, strict=True)]
        scene.on_click()(self._clicked)
        self.update()
        served.viser.on_client_connect(self._frame)
        served.closing.extend(each.close for each in self.meshes)

    def show_steps(self, number: int, steps: Steps, step: int | None = None) -> None:
        """Give a specimen landmarks, or others than it had; show the last step, or a given one."""
        with self.lock:
            self.specimens[number].steps = steps
            marks = self.marks[number]
            if marks is None:
                self.marks[number] = LandmarkMarkers(
                    self.served.viser.scene, f"/{number}", self.specimens[number],
                    self.poses[number], steps, MAGNIFIED if len(self.specimens) > 1 else 1.0,
                )  # fmt: skip
            else:
                marks.change(steps)
            self._shown = None
            self.panel.offer_steps(self.specimens, step)
        self.update()

    def show_selection(self, number: int, steps: Steps) -> None:
        """Give a specimen the landmarks that it has, others of them selected."""
        with self.lock:
            self.specimens[number].steps = steps
            marks = self.marks[number]
            if marks is not None:
                marks.change(steps)
            self._show_marks(self.panel.wanted())

    def update(self) -> None:
        """Show what the panel is set to. Of many changes at once only the last is drawn."""
        with self.lock:
            wanted = self.panel.wanted()
            if wanted == self._shown:
                return
            before, self._shown = self._shown, wanted
            if before is None or before[:2] != wanted[:2]:
                self._paint(wanted.painting, wanted.step)
            self._show_marks(wanted)
            self.panel.mark_step(wanted.step)

    def _show_marks(self, wanted: Wanted) -> None:
        for specimen, marks in zip(self.specimens, self.marks, strict=True):
            if marks is not None and specimen.steps is not None:
                marks.show(min(wanted.step, len(specimen.steps)), numbers=wanted.numbers)
                marks.show_hidden_numbers(wanted.hidden_numbers)

    def _paint(self, painting: str, step: int) -> None:
        scale = colour_scale(self.specimens, painting, step)
        for specimen, mesh in zip(self.specimens, self.meshes, strict=True):
            excluded = None if specimen.steps is None else specimen.steps.excluded
            mesh.paint(values_of(specimen, painting, step), scale, excluded)
        self.panel.show_scale(scale)

    def _frame(self, client: Any) -> None:
        """Show all specimens in a new browser, whatever the size of its window."""
        framing = Framing(self.poses, self._distance)
        framing.follow(client.camera)
        client.camera.on_update(framing.follow)

    def _clicked(self, event: Any) -> None:
        """Show where a click met a specimen, in the coordinates of its file."""
        origin, direction = np.array(event.ray_origin), np.array(event.ray_direction)
        found = [picker.pick(origin, direction) for picker in self._pickers]
        hits = [each for each in found if each is not None]
        if hits:
            self.panel.show_pick(min(hits, key=lambda each: each.distance))

    def _add_titles(self) -> None:
        if len(self.specimens) < 2:
            return
        for number, (specimen, pose) in enumerate(zip(self.specimens, self.poses, strict=True)):
            top = pose.shift + np.array([0, pose.half[1] + TITLE_HEIGHT / 2, 0])
            self.served.viser.scene.add_label(
                f"/{number}/title", specimen.title, position=top, anchor="bottom-center",
                font_screen_scale=1.3,
            )  # fmt: skip
