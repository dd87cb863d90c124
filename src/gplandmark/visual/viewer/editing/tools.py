# SPDX-License-Identifier: MIT
"""What the mouse does, tool by tool: so that no click is ambiguous."""

from collections.abc import Callable
from typing import Any

from gplandmark.errors import SettingsError
from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.editor import Editor
from gplandmark.visual.viewer.editing.mouse_rays import Eye, Ray, under
from gplandmark.visual.viewer.editing.session import Session

__all__ = ["HINTS", "TOOLS", "box", "click", "drag_mark", "drag_paint"]

HINTS = {
    "Look": "Turn and zoom. A click tells the place.",
    "Add": "Click the specimen: a landmark goes there.",
    "Move": "Drag a landmark; or click it, and then where it should go.",
    "Select": "Click a landmark, or drag a box around some. Shift keeps those selected.",
    "Paint": "Click or drag over the region where the algorithm must not place landmarks.",
}
TOOLS = tuple(HINTS)
REACH = 1.6  # radii around a mark in which a click means it


def click(session: Session, ray: Ray, *, is_more: bool = False) -> None:
    """A click with the tool in hand; `is_more` if Shift was held."""
    CLICKS[session.tool](session, ray, is_more)


def drag_mark(session: Session, position: int, ray: Ray, *, is_first: bool) -> None:
    """A landmark follows the mouse over the surface."""

    def follow(editor: Editor) -> None:
        place = editor.finder.along(*session.in_file(ray))
        if place is not None:  # beside the specimen it stays where it was
            editor.move(position, place.point, joined=not is_first)

    session.edit(follow)


def drag_paint(session: Session, ray: Ray, *, is_first: bool) -> None:
    """Paint under the mouse; one sweep is undone at once."""

    def sweep(editor: Editor) -> None:
        place = editor.finder.along(*session.in_file(ray))
        if place is not None:
            _brush(session, editor)(place.point, session.brush_radius, joined=not is_first)

    session.edit(sweep)


def box(session: Session, eye: Eye, low: Any, high: Any, *, is_more: bool = False) -> None:
    """Select the landmarks in a box of the screen that the specimen does not hide."""

    def choose(editor: Editor) -> None:
        positions, points = session.shown_marks()
        inside = eye.in_box(points, low, high)
        seen = [
            int(at)
            for at, point in zip(positions[inside], points[inside], strict=True)
            if session.is_seen(eye.position, point)
        ]
        editor.select({*seen, *(editor.selected if is_more else ())})

    session.edit(choose)


def _look(_session: Session, _ray: Ray, _is_more: bool) -> None:
    """The viewer itself tells the place."""


def _add(session: Session, ray: Ray, _is_more: bool) -> None:
    session.edit(lambda editor: editor.select(editor.add(*_aimed(session, ray))))


def _move(session: Session, ray: Ray, _is_more: bool) -> None:
    met = _mark_under(session, ray)
    if met is not None:
        session.edit(lambda editor: editor.select(met))
        return

    def move(editor: Editor) -> None:
        if len(editor.selected) != 1:
            raise SettingsError("Click the landmark that shall move first, then its new place.")
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
    """The ray of a click in the coordinates of the file; one that misses the specimen is told."""
    aimed = session.in_file(ray)
    if session.editor.finder.along(*aimed) is None:
        raise SettingsError("You clicked beside the specimen.")
    return aimed


def _brush(session: Session, editor: Editor) -> Callable[..., None]:
    return editor.unpaint if session.is_erasing else editor.paint


def _mark_under(session: Session, ray: Ray) -> int | None:
    positions, points = session.shown_marks()
    met = under(ray, points, REACH * session.mark_radius, session.depth(ray))
    return None if met is None else int(positions[met])


CLICKS = {"Look": _look, "Add": _add, "Move": _move, "Select": _select, "Paint": _paint}
