# SPDX-License-Identifier: MIT
"""The viewer: specimens, their landmarks step by step, and the panel that turns the steps."""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from gplandmark.visual.viewer.displayed_specimen import Exhibit, Steps, colour_scale, values_of
from gplandmark.visual.viewer.framing import (
    TITLE_HEIGHT,
    Framing,
    pose_of,
    set_camera,
    side_by_side,
)
from gplandmark.visual.viewer.landmark_marks import Marks
from gplandmark.visual.viewer.panel import Panel, Wanted
from gplandmark.visual.viewer.picking import Picker
from gplandmark.visual.viewer.scene import Specimen, add_lights
from gplandmark.visual.viewer.server import Served

__all__ = ["View"]

MAGNIFIED = 1.4  # marks of specimens side by side, which are drawn smaller


class View:
    """One or more specimens in a browser, with landmarks that may come later and change.

    Parameters
    ----------
    served : the server that shows them
    exhibits : from left to right, each at its own scale
    """

    def __init__(self, served: Served, exhibits: Sequence[Exhibit]) -> None:
        self.served = served
        # A control that we move ourselves calls `update` at once. Who changes what the steps are
        # made of holds the lock meanwhile.
        self.lock = threading.RLock()
        self._shown: tuple[Any, ...] | None = None
        self.exhibits = list(exhibits)
        self.poses = side_by_side(tuple(pose_of(each.surface) for each in exhibits))
        scene = served.viser.scene
        add_lights(scene)
        self.specimens = [
            Specimen(scene, f"/{number}", each, pose)
            for number, (each, pose) in enumerate(zip(exhibits, self.poses, strict=True))
        ]
        self.marks: list[Marks | None] = [None] * len(self.exhibits)
        self._add_titles()
        self._distance = set_camera(served.viser.initial_camera, self.poses)
        self.panel = Panel(served.viser.gui, self.exhibits, self.update)
        self._pickers = [Picker(*each) for each in zip(self.exhibits, self.poses, strict=True)]
        scene.on_click()(self._clicked)
        self.update()
        served.viser.on_client_connect(self._welcome)
        served.closing.extend(each.close for each in self.specimens)

    def show_steps(self, number: int, steps: Steps, step: int | None = None) -> None:
        """Give an exhibit landmarks, or others than it had; show the last step, or a given one."""
        with self.lock:
            self.exhibits[number].steps = steps
            marks = self.marks[number]
            if marks is None:
                self.marks[number] = Marks(
                    self.served.viser.scene, f"/{number}", self.exhibits[number],
                    self.poses[number], steps, MAGNIFIED if len(self.exhibits) > 1 else 1.0,
                )  # fmt: skip
            else:
                marks.change(steps)
            self._shown = None
            self.panel.offer_steps(self.exhibits, step)
        self.update()

    def show_selection(self, number: int, steps: Steps) -> None:
        """Give an exhibit the landmarks that it has, others of them selected."""
        with self.lock:
            self.exhibits[number].steps = steps
            marks = self.marks[number]
            if marks is not None:
                marks.change(steps)
            self._show_marks(self.panel.wanted())

    def update(self) -> None:
        """Show what the panel says. Of many changes at once only the last is drawn."""
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
        for exhibit, marks in zip(self.exhibits, self.marks, strict=True):
            if marks is not None and exhibit.steps is not None:
                marks.show(min(wanted.step, len(exhibit.steps)), numbers=wanted.numbers)
                marks.show_hidden_numbers(wanted.hidden_numbers)

    def _paint(self, painting: str, step: int) -> None:
        scale = colour_scale(self.exhibits, painting, step)
        for exhibit, specimen in zip(self.exhibits, self.specimens, strict=True):
            excluded = None if exhibit.steps is None else exhibit.steps.excluded
            specimen.paint(values_of(exhibit, painting, step), scale, excluded)
        self.panel.explain(scale)

    def _welcome(self, client: Any) -> None:
        """Show a browser all of the specimens, whatever its window."""
        framing = Framing(self.poses, self._distance)
        framing.follow(client.camera)
        client.camera.on_update(framing.follow)

    def _clicked(self, event: Any) -> None:
        """Tell where a click met a specimen, in the coordinates of its file."""
        origin, direction = np.array(event.ray_origin), np.array(event.ray_direction)
        found = [picker.pick(origin, direction) for picker in self._pickers]
        hits = [each for each in found if each is not None]
        if hits:
            self.panel.tell(min(hits, key=lambda each: each.distance))

    def _add_titles(self) -> None:
        if len(self.exhibits) < 2:
            return
        for number, (exhibit, pose) in enumerate(zip(self.exhibits, self.poses, strict=True)):
            top = pose.shift + np.array([0, pose.half[1] + TITLE_HEIGHT / 2, 0])
            self.served.viser.scene.add_label(
                f"/{number}/title", exhibit.title, position=top, anchor="bottom-center",
                font_screen_scale=1.3,
            )  # fmt: skip
