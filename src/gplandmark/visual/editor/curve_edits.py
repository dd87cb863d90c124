# SPDX-License-Identifier: MIT
"""Edits of curves: one function for each, from a state to the next one.

A point that is clicked for a curve is a semilandmark called after it, "ridge-3". Landmarks that
were there before stay as they are.
"""

from collections.abc import Sequence
from dataclasses import replace

from gplandmark.errors import SettingsError
from gplandmark.landmarks.curves import Curve
from gplandmark.visual.editor.state import Location, Mark, State, deleted, new_label

FEWEST_CLOSED = 3
CLOSED = "The curve {} is closed. Click its line to put a point between two others."


def curve_of(state: State, name: str) -> Curve:
    """The curve of a name.

    Raises
    ------
    SettingsError
        There is none.
    """
    for curve in state.curves:
        if curve.name == name:
            return curve
    raise SettingsError(f"There is no curve {name} any more.")


def following_name(state: State) -> str:
    """A name for a new curve: curve1, curve2, ..."""
    names = {curve.name for curve in state.curves}
    return next(name for at in range(1, len(names) + 2) if (name := f"curve{at}") not in names)


def started(state: State, name: str) -> State:
    """One more curve, without a point yet."""
    return replace(state, curves=(*state.curves, Curve(_new_name(state, name), ())))


def extended(state: State, name: str, place: Location) -> State:
    """A new point at the end of a curve."""
    curve = _open_curve(state, name)
    state, identity = _with_point(state, name, place)
    return _with_members(state, curve, (*curve.members, identity))


def led_through(state: State, name: str, index: int) -> State:
    """A landmark at the end of a curve; if it is the first of the curve, this closes it."""
    curve, identity = _open_curve(state, name), state.marks[index].identity
    if curve.members and identity == curve.members[0]:
        return closed(state, name, True)
    if identity in curve.members:
        label = state.marks[index].label
        raise SettingsError(f"The curve {name} goes through {label} already.")
    return _with_members(state, curve, (*curve.members, identity))


def inserted(state: State, name: str, after: int, place: Location) -> State:
    """A new point behind the member with an identity."""
    curve = curve_of(state, name)
    if after not in curve.members:
        raise SettingsError(f"The curve {name} has changed meanwhile. Try again.")
    at = curve.members.index(after) + 1
    state, identity = _with_point(state, name, place)
    return _with_members(state, curve, (*curve.members[:at], identity, *curve.members[at:]))


def closed(state: State, name: str, is_closed: bool) -> State:
    """A curve whose last point is followed by the first, or not."""
    curve = curve_of(state, name)
    if is_closed and len(curve.members) < FEWEST_CLOSED:
        raise SettingsError(f"A closed curve needs {FEWEST_CLOSED} points. Add more first.")
    return _with_curve(state, curve, replace(curve, is_closed=is_closed))


def renamed(state: State, name: str, new: str) -> State:
    """A curve of another name, and with it the points that are called after it."""
    curve = curve_of(state, name)
    if new.strip() == name:
        return state
    new = _new_name(state, new)
    state = _with_curve(state, curve, replace(curve, name=new))
    own = [
        mark
        for mark in state.marks
        if mark.identity in curve.members and _is_called_after(mark, name)
    ]
    labels = {mark.identity: new_label(state, new + mark.label.removeprefix(name)) for mark in own}
    marks = (replace(mark, label=labels.get(mark.identity, mark.label)) for mark in state.marks)
    return replace(state, marks=tuple(marks))


def removed(state: State, name: str) -> State:
    """Without a curve; its points stay."""
    curve = curve_of(state, name)
    return replace(state, curves=tuple(each for each in state.curves if each is not curve))


def respaced(state: State, name: str, places: Sequence[Location]) -> State:
    """A curve with other points between its ends, or after the first if it is closed.

    Raises
    ------
    SettingsError
        A landmark that is no semilandmark, or is on another curve, would be deleted.
    """
    curve = curve_of(state, name)
    inner = curve.members[1:] if curve.is_closed else curve.members[1:-1]
    elsewhere = {m for each in state.curves if each is not curve for m in each.members}
    at = {mark.identity: position for position, mark in enumerate(state.marks)}
    for member in inner:
        if state.marks[at[member]].kind != "semi" or member in elsewhere:
            raise SettingsError(
                f"The curve {name} goes through {state.marks[at[member]].label}, which is a "
                "landmark of its own and would be deleted. Draw two curves that meet there."
            )
    state = deleted(state, [at[member] for member in inner])
    new = []
    for place in places:
        state, identity = _with_point(state, name, place)
        new.append(identity)
    last = () if curve.is_closed else curve.members[-1:]
    whole = replace(curve, members=(curve.members[0], *new, *last))
    return _numbered(_with_curve(state, curve_of(state, name), whole), whole)


def _open_curve(state: State, name: str) -> Curve:
    curve = curve_of(state, name)
    if curve.is_closed:
        raise SettingsError(CLOSED.format(name))
    return curve


def _with_point(state: State, name: str, place: Location) -> tuple[State, int]:
    labels, number = {mark.label for mark in state.marks}, 1
    while f"{name}-{number}" in labels:
        number += 1
    mark = Mark(state.following, f"{name}-{number}", place, "semi", "human")
    return replace(state, marks=(*state.marks, mark), following=state.following + 1), mark.identity


def _with_members(state: State, curve: Curve, members: tuple[int, ...]) -> State:
    return _with_curve(state, curve, replace(curve, members=members))


def _with_curve(state: State, old: Curve, new: Curve) -> State:
    return replace(state, curves=tuple(new if each is old else each for each in state.curves))


def _numbered(state: State, curve: Curve) -> State:
    """The points that are called after a curve get numbers along it, and are listed in this order.

    So points of a curve that was drawn on several specimens have the same names.
    """
    held = {mark.identity: mark for mark in state.marks}
    own = [each for each in curve.members if _is_called_after(held[each], curve.name)]
    rest = replace(state, marks=tuple(mark for mark in state.marks if mark.identity not in own))
    places = {member: place for place, member in enumerate(curve.members, start=1)}
    labels = [new_label(rest, f"{curve.name}-{places[each]}") for each in own]
    named = [replace(held[each], label=label) for each, label in zip(own, labels, strict=True)]
    return replace(state, marks=(*rest.marks, *named))


def _is_called_after(mark: Mark, name: str) -> bool:
    return mark.label.startswith(f"{name}-") and mark.label[len(name) + 1 :].isdigit()


def _new_name(state: State, name: str) -> str:
    name = name.strip()
    if not name or not name.isprintable() or any(each in name for each in ":;"):
        raise SettingsError(f"{name!r} is no name for a curve: leave out : and ;")
    if any(curve.name == name for curve in state.curves):
        raise SettingsError(f"There is a curve {name} already. Choose another name.")
    return name
