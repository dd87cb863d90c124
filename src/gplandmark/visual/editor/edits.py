# SPDX-License-Identifier: MIT
"""One function for each thing a person does: from a state to the next one."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from gplandmark.errors import SettingsError
from gplandmark.landmarks.landmarks import KINDS
from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.editor.state import AuthorName, Mark, Place, State

__all__ = [
    "added",
    "deleted",
    "following_label",
    "moved",
    "of_kind",
    "positions",
    "renamed",
    "reordered",
    "selecting",
    "those_where",
]


def added(state: State, place: Place, label: str, kind: str, author: AuthorName) -> State:
    """One more landmark, the last; without a label it gets the next number."""
    label = _new_label(state, label) if label else following_label(state)
    mark = Mark(state.following, label, place, _checked_kind(kind), author)
    return replace(state, marks=(*state.marks, mark), following=state.following + 1)


def moved(state: State, index: int, place: Place) -> State:
    """A landmark elsewhere, by a person; one that was missing is there now."""
    return _with(state, {index: replace(_mark(state, index), place=place, author="human")})


def deleted(state: State, indices: int | Iterable[int]) -> State:
    """Without some landmarks."""
    gone = positions(state, indices)
    marks = tuple(mark for at, mark in enumerate(state.marks) if at not in gone)
    return _selecting(replace(state, marks=marks), state.selected)


def renamed(state: State, index: int, label: str) -> State:
    """A landmark with another name, which no other has."""
    mark = _mark(state, index)
    if label.strip() == mark.label:
        return state
    return _with(state, {index: replace(mark, label=_new_label(state, label))})


def reordered(state: State, index: int, to: int) -> State:
    """A landmark at another position; those between make room."""
    mark = _mark(state, index)
    _mark(state, to)
    rest = [other for other in state.marks if other is not mark]
    return replace(state, marks=(*rest[:to], mark, *rest[to:]))


def of_kind(state: State, indices: int | Iterable[int], kind: str) -> State:
    """Some landmarks as "fixed", "semi" or "" (not told)."""
    kind = _checked_kind(kind)
    chosen = positions(state, indices)
    return _with(state, {at: replace(state.marks[at], kind=kind) for at in chosen})


def selecting(state: State, indices: int | Iterable[int]) -> State:
    """Some landmarks selected, and no others."""
    chosen = positions(state, indices)
    return _selecting(state, frozenset(state.marks[at].identity for at in chosen))


def positions(state: State, indices: int | Iterable[int]) -> frozenset[int]:
    """Positions of landmarks, if they all exist.

    Raises
    ------
    SettingsError
        There is no landmark at a position.
    """
    several = indices if isinstance(indices, Iterable) else (indices,)
    chosen = frozenset(int(index) for index in several)
    for index in chosen:
        _mark(state, index)
    return chosen


def those_where(
    points: FloatArray, chooses: Callable[[FloatArray], npt.ArrayLike]
) -> tuple[int, ...]:
    """Positions of the landmarks (m, d) that a function of those not missing (k, d) chooses.

    Raises
    ------
    SettingsError
        It does not give one answer for each.
    """
    there = np.flatnonzero(~np.isnan(points).any(axis=1))
    answers = np.asarray(chooses(points[there]), dtype=bool)
    if answers.shape != there.shape:
        raise SettingsError(
            f"Expected one answer for each of {len(there)} landmarks, got shape {answers.shape}."
        )
    return tuple(there[answers].tolist())


def following_label(state: State) -> str:
    """The number after the largest that is a label, and after the number of landmarks."""
    numbers = [int(mark.label) for mark in state.marks if _is_number(mark.label)]
    return str(max([len(state.marks), *numbers]) + 1)


def _is_number(label: str) -> bool:
    return label.isascii() and label.isdigit() and len(label) < 10


def _mark(state: State, index: int) -> Mark:
    if not 0 <= index < len(state.marks):
        there = f"they are counted 0 to {len(state.marks) - 1}" if state.marks else "there are none"
        raise SettingsError(f"There is no landmark {index}: {there}.")
    return state.marks[index]


def _with(state: State, marks: dict[int, Mark]) -> State:
    changed = tuple(marks.get(at, mark) for at, mark in enumerate(state.marks))
    return state if changed == state.marks else replace(state, marks=changed)


def _selecting(state: State, identities: frozenset[int]) -> State:
    there = identities & {mark.identity for mark in state.marks}
    return state if there == state.selected else replace(state, selected=there)


def _new_label(state: State, label: str) -> str:
    label = label.strip()
    if not label or not label.isprintable():
        raise SettingsError(f"{label!r} is no name for a landmark: use characters of one line.")
    if any(mark.label == label for mark in state.marks):
        raise SettingsError(f"There is a landmark '{label}' already. Choose another name.")
    return label


def _checked_kind(kind: str) -> str:
    if kind not in ("", *KINDS):
        raise SettingsError(f"A landmark is 'fixed', 'semi' or '' (not told), got {kind!r}.")
    return kind
