# SPDX-License-Identifier: MIT
"""What a person edits, at one moment: landmarks on a surface, paint, and what is selected."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

__all__ = ["AUTHORS", "AuthorName", "Mark", "Place", "State", "packed", "unpacked"]

AuthorName: TypeAlias = Literal["algorithm", "human"]
AUTHORS = get_args(AuthorName)


@dataclass(frozen=True)
class Place:
    """Where a landmark is.

    Attributes
    ----------
    point : its coordinates, those of a landmark file to the last digit
    vertex : the vertex of the surface (a row of `Surface.points`) that is nearest on its triangle
    triangle : row of `Surface.triangles` it lies on; -1 where it is the vertex itself
    shares : of the three corners of that triangle, with sum 1; empty where it is the vertex
    """

    point: tuple[float, ...]
    vertex: int
    triangle: int = -1
    shares: tuple[float, ...] = ()


@dataclass(frozen=True)
class Mark:
    """One landmark.

    Attributes
    ----------
    identity : stays the same through all edits; no two landmarks of an editor ever share it
    label : its name
    place : where it is; None if it is missing
    kind : "fixed", "semi" or "" (not told)
    author : who decided on its place, "algorithm" or "human"
    """

    identity: int
    label: str
    place: Place | None
    kind: str = ""
    author: AuthorName = "human"


@dataclass(frozen=True)
class State:
    """Landmarks in their order, the painted region, and the selection. Nothing in it can change.

    Attributes
    ----------
    marks : the landmarks
    painted : one bit per vertex, set where no landmark is placed by the algorithm; empty for none
    selected : identities of the landmarks that are selected
    following : identity of the next landmark
    """

    marks: tuple[Mark, ...] = ()
    painted: bytes = b""
    selected: frozenset[int] = frozenset()
    following: int = 0

    def points(self, dimension: int = 3) -> FloatArray:
        """Coordinates (m, d) of the landmarks, NaN where one is missing."""
        absent = (np.nan,) * dimension
        points = [absent if mark.place is None else mark.place.point for mark in self.marks]
        return np.array(points, dtype=np.float64).reshape(len(points), dimension)

    def vertices(self) -> IndexArray:
        """Nearest vertices (m,) of the surface, -1 where a landmark is missing."""
        found = [-1 if mark.place is None else mark.place.vertex for mark in self.marks]
        return np.array(found, dtype=np.int64)


def packed(mask: BoolArray) -> bytes:
    """A mask (n,) in n / 8 bytes; nothing for one that is False everywhere."""
    return np.packbits(mask).tobytes() if mask.any() else b""


def unpacked(painted: bytes, count: int) -> BoolArray:
    """The mask (n,) that was packed, a fresh array."""
    if not painted:
        return np.zeros(count, dtype=bool)
    return np.unpackbits(np.frombuffer(painted, dtype=np.uint8), count=count).astype(bool)
