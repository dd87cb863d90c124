# SPDX-License-Identifier: MIT
"""What is edited, at one moment, and one function for each edit: from a state to the next one."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.landmarks.curves import Curve
from gplandmark.landmarks.landmarks import KINDS
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

AuthorName: TypeAlias = Literal["algorithm", "human"]
AUTHORS = get_args(AuthorName)


@dataclass(frozen=True)
class Location:
    """Where a landmark is.

    Attributes
    ----------
    point : its coordinates, those of a landmark file to the last digit
    vertex : the vertex of the surface (a row of `Surface.points`) that is nearest on its triangle
    triangle : row of `Surface.triangles` it lies on; -1 where it is the vertex itself
    barycentric : weights of the corners of that triangle; empty where it is the vertex itself
    """

    point: tuple[float, ...]
    vertex: int
    triangle: int = -1
    barycentric: tuple[float, ...] = ()


@dataclass(frozen=True)
class Mark:
    """One landmark.

    Attributes
    ----------
    identity : stays the same through all edits; no two landmarks of an editor ever share it
    label : its name
    place : where it is; None if it is missing
    kind : "fixed", "semi" or "" (unspecified)
    author : who decided on its place, "algorithm" or "human"
    """

    identity: int
    label: str
    place: Location | None
    kind: str = ""
    author: AuthorName = "human"


@dataclass(frozen=True)
class State:
    """Landmarks in their order, the painted region, selection and curves. Nothing can change.

    Attributes
    ----------
    marks : the landmarks
    painted : one bit per vertex, set where no landmark is placed by the algorithm; empty for none
    selected : identities of the landmarks that are selected
    following : identity of the next landmark
    curves : through landmarks, whose members are identities of these
    not_bone : one bit per vertex, set where the scan is not bone; empty for none
    """

    marks: tuple[Mark, ...] = ()
    painted: bytes = b""
    selected: frozenset[int] = frozenset()
    following: int = 0
    curves: tuple[Curve, ...] = ()
    not_bone: bytes = b""

    def points(self, dimension: int = 3) -> FloatArray:
        """Coordinates (m, d) of the landmarks, NaN where one is missing."""
        absent = (np.nan,) * dimension
        points = [absent if mark.place is None else mark.place.point for mark in self.marks]
        return np.array(points, dtype=np.float64).reshape(len(points), dimension)

    def vertices(self) -> IndexArray:
        """Nearest vertices (m,) of the surface, -1 where a landmark is missing."""
        found = [-1 if mark.place is None else mark.place.vertex for mark in self.marks]
        return np.array(found, dtype=np.int64)


def mask_to_bytes(mask: BoolArray) -> bytes:
    """A mask (n,) in n / 8 bytes; nothing for one that is False everywhere."""
    return np.packbits(mask).tobytes() if mask.any() else b""


def mask_from_bytes(painted: bytes, count: int) -> BoolArray:
    """The mask (n,) that `mask_to_bytes` was given, a fresh array."""
    if not painted:
        return np.zeros(count, dtype=bool)
    return np.unpackbits(np.frombuffer(painted, dtype=np.uint8), count=count).astype(bool)


def added(state: State, place: Location, label: str, kind: str, author: AuthorName) -> State:
    """One more landmark, the last; without a label it gets the next number."""
    label = new_label(state, label) if label else _following_label(state)
    mark = Mark(state.following, label, place, _checked_kind(kind), author)
    return replace(state, marks=(*state.marks, mark), following=state.following + 1)


def moved(state: State, index: int, place: Location) -> State:
    """A landmark elsewhere, by a person; one that was missing is there now."""
    return _with(state, {index: replace(_mark(state, index), place=place, author="human")})


def deleted(state: State, indices: int | Iterable[int]) -> State:
    """Without some landmarks; curves go on without them."""
    gone = positions(state, indices)
    marks = tuple(mark for at, mark in enumerate(state.marks) if at not in gone)
    there = {mark.identity for mark in marks}
    shorter = [_among(curve, there) for curve in state.curves]
    left = replace(state, marks=marks, curves=tuple(each for each in shorter if each.members))
    return _selecting(left, state.selected)


def renamed(state: State, index: int, label: str) -> State:
    """A landmark with another name, which no other has."""
    mark = _mark(state, index)
    if label.strip() == mark.label:
        return state
    return _with(state, {index: replace(mark, label=new_label(state, label))})


def reordered(state: State, index: int, to: int) -> State:
    """A landmark at another position; those between make room."""
    mark = _mark(state, index)
    _mark(state, to)
    rest = [other for other in state.marks if other is not mark]
    return replace(state, marks=(*rest[:to], mark, *rest[to:]))


def of_kind(state: State, indices: int | Iterable[int], kind: str) -> State:
    """Some landmarks as "fixed", "semi" or "" (unspecified)."""
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


def _among(curve: Curve, there: set[int]) -> Curve:
    members = tuple(member for member in curve.members if member in there)
    return replace(curve, members=members, is_closed=curve.is_closed and len(members) > 2)


def _following_label(state: State) -> str:
    """The number after the largest that is a label, and after the number of landmarks."""
    labels = [mark.label for mark in state.marks]
    numbers = [int(each) for each in labels if each.isascii() and each.isdigit() and len(each) < 10]
    return str(max([len(labels), *numbers]) + 1)


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


def new_label(state: State, label: str) -> str:
    """A name for a landmark, if it is one and no other has it."""
    label = label.strip()
    if not label or not label.isprintable():
        raise SettingsError(f"{label!r} is no name for a landmark: use characters of one line.")
    if any(mark.label == label for mark in state.marks):
        raise SettingsError(f"There is a landmark '{label}' already. Choose another name.")
    return label


def _checked_kind(kind: str) -> str:
    if kind not in ("", *KINDS):
        raise SettingsError(f"A landmark is 'fixed', 'semi' or '' (unspecified), got {kind!r}.")
    return kind
