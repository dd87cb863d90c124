# SPDX-License-Identifier: MIT
"""Clicks, boxes and drags of all browsers, handed to the tools one after the other."""

from typing import Any

import numpy as np

from gplandmark.visual.viewer.editing.mouse_rays import Eye, Ray, ray_to
from gplandmark.visual.viewer.editing.session import Session
from gplandmark.visual.viewer.editing.tools import box, click, drag_mark, drag_paint
from gplandmark.visual.viewer.editing.worker import Worker

__all__ = ["Mouse"]


class Mouse:
    """Listens to what the tool in hand needs, and to no more: the rest turns the specimen.

    The functions that viser calls are coroutines, which it calls in the order of the events.
    """

    def __init__(self, session: Session, worker: Worker) -> None:
        self._session, self._worker = session, worker
        self._scene = session.view.served.viser.scene
        self._tool = ""
        self._held, self._is_first = -1, True
        self._scene.on_click()(self._clicked)
        self._scene.on_click(modifier="shift")(self._clicked)

    def follow_tool(self) -> None:
        """Listen to drags as the tool in hand needs them."""
        view, tool = self._session.view, self._session.tool
        if tool == self._tool:
            return
        self._tool = tool
        self._scene.remove_rect_select_callback()
        if tool == "Select":
            self._scene.on_rect_select()(self._boxed)
            self._scene.on_rect_select(modifier="shift")(self._boxed)
        view.specimens[0].let_drag(self._swept if tool == "Paint" else None)
        marks = view.marks[0]
        if marks is not None:
            marks.let_drag(self._dragged if tool == "Move" else None)

    async def _clicked(self, event: Any) -> None:
        ray = Ray(np.array(event.ray_origin), np.array(event.ray_direction))
        is_more = event.modifier == "shift"
        self._worker.submit(lambda: click(self._session, ray, is_more=is_more))

    async def _boxed(self, event: Any) -> None:
        eye, is_more = Eye.of(event.client.camera), event.modifier == "shift"
        low, high = event.screen_min, event.screen_max
        self._worker.submit(lambda: box(self._session, eye, low, high, is_more=is_more))

    async def _dragged(self, event: Any) -> None:
        if event.phase == "start":
            self._held = int(self._session.shown_marks()[0][event.instance_index])
            held = self._held
            self._worker.submit(lambda: self._session.select(held))
            self._is_first = True
            return
        ray, held = ray_to(event.client.camera.position, event.end_position), self._held
        first, self._is_first = self._is_first, False
        name = "" if first else f"drag {held}"
        self._worker.submit(lambda: drag_mark(self._session, held, ray, is_first=first), name)

    async def _swept(self, event: Any) -> None:
        ray = ray_to(event.client.camera.position, event.end_position)
        first = event.phase == "start"
        self._worker.submit(lambda: drag_paint(self._session, ray, is_first=first))
