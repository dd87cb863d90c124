# SPDX-License-Identifier: MIT
"""What the page asks for, as calls of the editor: one function for each kind of edit."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.numerics.arrays import FloatArray
from gplandmark.runs.viewing.open_specimen import OpenSpecimen
from gplandmark.visual.editor import CurveEditor, Editor, NotBoneEditor

Asked = Mapping[str, Any]
MISSED = "The click missed the specimen."


def edit(opened: OpenSpecimen, asked: Asked) -> str:
    """Do what a page asks for; returns what was done, in words.

    Raises
    ------
    SettingsError
        It is not possible, or not a request that the page makes.
    """
    try:
        return EDITS[asked["edit"]](opened, asked)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise SettingsError(f"The page sent a request that is not understood: {error!r}.") from None


def locate(opened: OpenSpecimen, asked: Asked) -> dict[str, Any]:
    """Where a click met the surface, in the coordinates of the file; and the nearest vertex."""
    place = opened.editor.at(*_aimed(opened, asked))
    number = opened.surface.in_file(np.array([place.vertex]))[0]
    return {"point": list(place.point), "vertex": int(number)}


def _add(opened: OpenSpecimen, asked: Asked) -> str:
    origin, way = _aimed(opened, asked)
    label = str(asked.get("label", ""))
    return opened.edit(lambda editor: editor.add(origin, way, label=label))


def _move(opened: OpenSpecimen, asked: Asked) -> str:
    origin, way = _aimed(opened, asked)
    at, is_joined = _position(opened, asked["id"]), bool(asked.get("joined"))
    return opened.edit(lambda editor: editor.move(at, origin, way, joined=is_joined))


def _delete(opened: OpenSpecimen, asked: Asked) -> str:
    at = [_position(opened, each) for each in asked["ids"]]
    return opened.edit(lambda editor: editor.delete(at))


def _rename(opened: OpenSpecimen, asked: Asked) -> str:
    at = _position(opened, asked["id"])
    return opened.edit(lambda editor: editor.rename(at, str(asked["label"]).strip()))


def _set_kind(opened: OpenSpecimen, asked: Asked) -> str:
    at = [_position(opened, each) for each in asked["ids"]]
    return opened.edit(lambda editor: editor.set_kind(at, str(asked["kind"])))


def _reorder(opened: OpenSpecimen, asked: Asked) -> str:
    at, by = _position(opened, asked["id"]), int(asked["by"])
    if not 0 <= at + by < len(opened.editor.state.marks):
        raise SettingsError(f"It is already the {'first' if by < 0 else 'last'} landmark.")
    return opened.edit(lambda editor: editor.reorder(at, at + by))


def _paint(opened: OpenSpecimen, asked: Asked) -> str:
    origin, way = _aimed(opened, asked)
    radius = float(asked["radius"]) * opened.drawn.pose.size
    is_joined = bool(asked.get("joined"))

    def brush(editor: Editor) -> None:
        paint = editor.unpaint if asked.get("erase") else editor.paint
        paint(editor.at(origin, way).point, radius, joined=is_joined)

    return opened.edit(brush)


def _paint_not_bone(opened: OpenSpecimen, asked: Asked) -> str:
    origin, way = _aimed(opened, asked)
    radius = float(asked["radius"]) * opened.drawn.pose.size
    is_joined = bool(asked.get("joined"))

    def brush(editor: Editor) -> None:
        painter = NotBoneEditor(editor)
        paint = painter.erase if asked.get("erase") else painter.paint
        paint(editor.at(origin, way), radius, joined=is_joined)

    return opened.edit(brush)


def _propose_not_bone(opened: OpenSpecimen, _: Asked) -> str:
    found = []
    done = opened.edit(lambda editor: found.append(NotBoneEditor(editor).propose()))
    if not found[0]:
        return "No suspicious region was found: no flat cut, and nothing that is rough out of line."
    return done


def _place(opened: OpenSpecimen, asked: Asked) -> str:
    return opened.edit(lambda editor: editor.place_more(int(asked["count"])))


def _draw(opened: OpenSpecimen, asked: Asked) -> str:
    """One more point of a curve: where a click met the surface, or a landmark."""
    name = str(asked["curve"])
    if "id" in asked:
        at = _position(opened, asked["id"])
        return opened.edit(lambda editor: CurveEditor(editor).lead_through(name, at))
    origin, way = _aimed(opened, asked)
    return opened.edit(lambda editor: CurveEditor(editor).extend(name, origin, way))


def _insert(opened: OpenSpecimen, asked: Asked) -> str:
    name, after = str(asked["curve"]), int(asked["after"])
    origin, way = _aimed(opened, asked)
    return opened.edit(lambda editor: CurveEditor(editor).insert(name, after, origin, way))


def _close_curve(opened: OpenSpecimen, asked: Asked) -> str:
    name, is_closed = str(asked["curve"]), bool(asked["closed"])
    return opened.edit(lambda editor: CurveEditor(editor).close(name, is_closed))


def _rename_curve(opened: OpenSpecimen, asked: Asked) -> str:
    name, new = str(asked["curve"]), str(asked["name"])
    return opened.edit(lambda editor: CurveEditor(editor).rename(name, new))


def _delete_curve(opened: OpenSpecimen, asked: Asked) -> str:
    return opened.edit(lambda editor: CurveEditor(editor).remove(str(asked["curve"])))


def _space_evenly(opened: OpenSpecimen, asked: Asked) -> str:
    name, count = str(asked["curve"]), int(asked["count"])
    paths = opened.curve_paths
    return opened.edit(lambda editor: CurveEditor(editor).space_evenly(name, count, paths))


def _position(opened: OpenSpecimen, identity: object) -> int:
    """Position of a landmark; it may be gone, deleted in another window."""
    for at, mark in enumerate(opened.editor.state.marks):
        if mark.identity == identity:
            return at
    raise SettingsError("This landmark is not there any more.")


def _aimed(opened: OpenSpecimen, asked: Asked) -> tuple[FloatArray, FloatArray]:
    """Origin and direction of a click in the coordinates of the file; a miss is refused."""
    pose = opened.drawn.pose
    origin, way = (np.array(asked["ray"][each], dtype=np.float64) for each in (0, 1))
    aimed = pose.in_file(origin[None])[0], pose.direction_in_file(way)
    if opened.editor.finder.along(*aimed) is None:
        raise SettingsError(MISSED)
    return aimed


EDITS: Mapping[str, Callable[[OpenSpecimen, Asked], str]] = {
    "add": _add,
    "move": _move,
    "delete": _delete,
    "rename": _rename,
    "kind": _set_kind,
    "reorder": _reorder,
    "paint": _paint,
    "clear mask": lambda opened, _: opened.edit(Editor.clear_paint),
    "paint not bone": _paint_not_bone,
    "clear not bone": lambda opened, _: opened.edit(lambda editor: NotBoneEditor(editor).clear()),
    "propose not bone": _propose_not_bone,
    "place": _place,
    "draw": _draw,
    "insert": _insert,
    "close curve": _close_curve,
    "rename curve": _rename_curve,
    "delete curve": _delete_curve,
    "space evenly": _space_evenly,
    "undo": lambda opened, _: opened.undo(-1),
    "redo": lambda opened, _: opened.undo(1),
    "discard": lambda opened, _: opened.discard(),
}
