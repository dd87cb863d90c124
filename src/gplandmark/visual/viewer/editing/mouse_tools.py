# SPDX-License-Identifier: MIT
"""The mouse and its tools: what clicks, drags and boxes do, tool by tool."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.visual.editor import Editor
from gplandmark.visual.viewer.editing.session import Session
from gplandmark.visual.viewer.editing.worker import Worker
from gplandmark.visual.viewer.picking import Eye, Ray, ray_to, under

HINTS = {
    "Look": "Turn and zoom. Click to read coordinates.",
    "Add": "Click the specimen to add a landmark.",
    "Move": "Drag a landmark, or click it and then its new place.",
    "Select": "Click a landmark, or drag a box around several. Hold Shift to extend the selection.",
    "Paint": "Click or drag to mask a region: the algorithm places no landmarks there.",
}
TOOLS = tuple(HINTS)
HIDDEN = 2.0  # radii that a mark may lie behind the surface and still be seen
REACH = 1.6  # radii around a mark in which a click means it


def click(session: Session, ray: Ray, *, is_more: bool = False) -> None:
    """A click with the active tool; `is_more` if Shift was held."""
    if session.tool in CLICKS:
        CLICKS[session.tool](session, ray, is_more)


def drag_mark(session: Session, position: int, ray: Ray, *, is_first: bool) -> None:
    """A landmark follows the mouse over the surface."""

    def follow(editor: Editor) -> None:
        place = editor.finder.along(*_ray_in_file(session, ray))
        if place is not None:  # beside the specimen it stays where it was
            editor.move(position, place.point, joined=not is_first)

    session.edit(follow)


def drag_paint(session: Session, ray: Ray, *, is_first: bool) -> None:
    """Paint under the mouse; one stroke is undone in one step."""

    def sweep(editor: Editor) -> None:
        place = editor.finder.along(*_ray_in_file(session, ray))
        if place is not None:
            _brush(session, editor)(place.point, session.brush_radius, joined=not is_first)

    session.edit(sweep)


def box(session: Session, eye: Eye, low: Any, high: Any, *, is_more: bool = False) -> None:
    """Select the landmarks in a box of the screen that the specimen does not hide."""

    def choose(editor: Editor) -> None:
        positions, points = shown_marks(session)
        inside = eye.in_box(points, low, high)
        found = zip(positions[inside].tolist(), points[inside], strict=True)
        seen = [at for at, point in found if is_visible(session, eye.position, point)]
        editor.select({*seen, *(editor.selected if is_more else ())})

    session.edit(choose)


def _add(session: Session, ray: Ray, _is_more: bool) -> None:
    session.edit(lambda editor: editor.select(editor.add(*_aimed(session, ray))))


def _move(session: Session, ray: Ray, _is_more: bool) -> None:
    met = _mark_under(session, ray)
    if met is not None:
        session.edit(lambda editor: editor.select(met))
        return

    def move(editor: Editor) -> None:
        if len(editor.selected) != 1:
            raise SettingsError("First click the landmark to move, then its new place.")
        editor.move(editor.selected[0], *_aimed(session, ray))

    session.edit(move)


def _select(session: Session, ray: Ray, is_more: bool) -> None:
    met = _mark_under(session, ray)

    def choose(editor: Editor) -> None:
        now = set(editor.selected) if is_more else set()
        editor.select(now if met is None else now ^ {met})

    session.edit(choose)


def _paint(session: Session, ray: Ray, _is_more: bool) -> None:
    def dab(editor: Editor) -> None:
        _brush(session, editor)(editor.at(*_aimed(session, ray)).point, session.brush_radius)

    session.edit(dab)


def _aimed(session: Session, ray: Ray) -> tuple[FloatArray, FloatArray]:
    """The ray of a click in the coordinates of the file; a miss is refused."""
    aimed = _ray_in_file(session, ray)
    if session.editor.finder.along(*aimed) is None:
        raise SettingsError("The click missed the specimen.")
    return aimed


def _brush(session: Session, editor: Editor) -> Callable[..., None]:
    return editor.unpaint if session.is_erasing else editor.paint


def _mark_under(session: Session, ray: Ray) -> int | None:
    positions, points = shown_marks(session)
    met = under(ray, points, REACH * _mark_radius(session), depth_along(session, ray))
    return None if met is None else int(positions[met])


def _ray_in_file(session: Session, ray: Ray) -> tuple[FloatArray, FloatArray]:
    """Origin and direction of a ray of the scene in the coordinates of the file."""
    pose = session.view.poses[0]
    return pose.in_file(ray.origin[None])[0], pose.direction_in_file(ray.direction)


def depth_along(session: Session, ray: Ray) -> float:
    """How far along a ray the surface is, in the scene; infinite where the ray misses it."""
    with session.view.lock:
        place = session.editor.finder.along(*_ray_in_file(session, ray))
    if place is None:
        return float("inf")
    point = session.view.poses[0].in_scene(np.array([place.point]))[0]
    return float(np.linalg.norm(point - ray.origin))


def is_visible(session: Session, eye: FloatArray, point: FloatArray) -> bool:
    """Whether nothing lies between the eye and a point of the scene."""
    away = float(np.linalg.norm(point - eye))
    return depth_along(session, ray_to(eye, point)) > away - HIDDEN * _mark_radius(session)


def shown_marks(session: Session) -> tuple[IndexArray, FloatArray]:
    """Positions of the landmarks that are shown, and where they are in the scene."""
    marks = session.view.marks[0]
    shown = np.zeros(0, dtype=np.int64) if marks is None else marks.shown
    return shown, session.view.poses[0].in_scene(session.editor.points[shown])


def _mark_radius(session: Session) -> float:
    marks = session.view.marks[0]
    return 0.0 if marks is None else marks.radius


# Of Look there is none: the viewer itself shows the coordinates.
CLICKS = {"Add": _add, "Move": _move, "Select": _select, "Paint": _paint}


class Mouse:
    """Listens only to the events that the active tool needs: all others turn the specimen.

    The callbacks are coroutines, which viser calls in the order of the events.
    """

    def __init__(self, session: Session, worker: Worker) -> None:
        self._session, self._worker = session, worker
        self._scene = session.view.served.viser.scene
        self._tool = ""
        self._held, self._is_first = -1, True
        self._scene.on_click()(self._clicked)
        self._scene.on_click(modifier="shift")(self._clicked)

    def follow_tool(self) -> None:
        """Listen to drags as the active tool needs them."""
        view, tool = self._session.view, self._session.tool
        if tool == self._tool:
            return
        self._tool = tool
        self._scene.remove_rect_select_callback()
        if tool == "Select":
            self._scene.on_rect_select()(self._boxed)
            self._scene.on_rect_select(modifier="shift")(self._boxed)
        view.meshes[0].let_drag(self._swept if tool == "Paint" else None)
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
            held = int(shown_marks(self._session)[0][event.instance_index])
            self._held, self._is_first = held, True
            self._worker.submit(lambda: self._session.select(held))
            return
        ray, held = ray_to(event.client.camera.position, event.end_position), self._held
        first, self._is_first = self._is_first, False
        name = "" if first else f"drag {held}"
        self._worker.submit(lambda: drag_mark(self._session, held, ray, is_first=first), name)

    async def _swept(self, event: Any) -> None:
        ray = ray_to(event.client.camera.position, event.end_position)
        first = event.phase == "start"
        self._worker.submit(lambda: drag_paint(self._session, ray, is_first=first))
