# SPDX-License-Identifier: MIT
"""The result: ordered points on a specimen, the variance they leave, and how they were made."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gplandmark.errors import LandmarkFileError, SettingsError
from gplandmark.gp.selection import Selection
from gplandmark.landmarks.arithmetic import PointArithmetic
from gplandmark.landmarks.between_vertices import SurfacePoint
from gplandmark.landmarks.classes import LandmarkClass
from gplandmark.landmarks.conversions import Conversions
from gplandmark.landmarks.curves import Curve, shifted
from gplandmark.landmarks.record import Record
from gplandmark.mesh.surface import Surface
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arguments import mask, numbers, vertex_list, whole_number
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray, number_outside

UNKNOWN_VERTEX = -1
KINDS = ("fixed", "semi")
SYSTEMS = ("LPS", "RAS")


@dataclass(frozen=True, eq=False)
class Landmarks(Conversions, PointArithmetic):
    """Landmarks of one specimen, in the order in which they were placed.

    The first k of them are what asking for k would have given.

    Attributes
    ----------
    vertices : (m,) vertex numbers in the specimen's file, from 0; -1 where a landmark file
        does not state them. `Surface.vertices_of` gives the rows of `Surface.points`, which kernels
        count by
    points : (m, d) coordinates, d = 3 in space, in the units and pose of the specimen's file; NaN
        where a landmark is missing
    variances : (m,) variance at each landmark just before it was placed, the largest on the
        surface; NaN where a landmark file does not state it
    uncertainty : (n,) variance left at every vertex of the surface; None for landmarks read
        from a file
    record : what made them
    specimen : name of the specimen
    labels : a name for each landmark; by default its number, from 1
    classes : what kind of place each marks, by `gplandmark.landmarks.classify`; empty if unknown
    state : what is needed to place more without starting over
    kinds : "fixed", "semi" or "" (unknown) for each landmark; empty if all are unknown
    system : "LPS" or "RAS" where a landmark file or the file of the surface states it; None is that
        of the specimen's file
    places : triangle and barycentric coordinates of each landmark that was moved from its vertex
        to the largest variance near it; empty where landmarks are vertices
    surface : what they were placed on, in the same coordinates; None where that is not known
    curves : through landmarks that follow each other along a line; a file or a person states them
    """

    vertices: IndexArray
    points: FloatArray
    variances: FloatArray
    uncertainty: FloatArray | None
    record: Record
    specimen: str = "specimen"
    labels: tuple[str, ...] = ()
    classes: tuple[LandmarkClass, ...] = ()
    state: Selection | None = field(default=None, repr=False)
    kinds: tuple[str, ...] = ()
    system: str | None = None
    places: tuple[SurfacePoint, ...] = ()
    surface: Surface | None = field(default=None, repr=False)
    curves: tuple[Curve, ...] = ()

    def __post_init__(self) -> None:
        count = len(self.points)
        if self.system is None and self.surface is not None:
            object.__setattr__(self, "system", self.surface.system)
        if not self.labels:
            object.__setattr__(self, "labels", tuple(str(i + 1) for i in range(count)))
        lengths = {len(self.vertices), len(self.variances), len(self.labels)}
        lengths |= {len(self.classes)} if self.classes else set()
        if lengths != {count}:
            raise LandmarkFileError(
                f"{self.specimen}: expected {count} vertices, variances, labels and classes, "
                f"one per landmark, got {sorted(lengths)}."
            )
        self._check_kinds(count)
        self._check_curves(count)

    def _check_kinds(self, count: int) -> None:
        """Check the kinds and the system; kinds that are all unknown become empty."""
        if not any(self.kinds):
            object.__setattr__(self, "kinds", ())
        elif len(self.kinds) != count or not {"", *KINDS} >= set(self.kinds):
            raise LandmarkFileError(
                f"{self.specimen}: expected 'fixed', 'semi' or '' for each of {count} landmarks, "
                f"got {self.kinds[:9]}."
            )
        if self.system not in (None, *SYSTEMS):
            raise LandmarkFileError(
                f"{self.specimen}: the coordinate system must be LPS, RAS or None, "
                f"got {self.system!r}."
            )

    def _check_curves(self, count: int) -> None:
        for curve in self.curves:
            if not all(0 <= member < count for member in curve.members):
                raise LandmarkFileError(
                    f"{self.specimen}: curve {curve.name} has a landmark that does not exist."
                )

    @property
    def missing(self) -> BoolArray:
        """Which landmarks have no position, shape (m,)."""
        return np.asarray(np.isnan(self.points).any(axis=1))

    def __len__(self) -> int:
        return len(self.points)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array of points, (m, d)."""
        return self.points.shape

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        """Return the points (m, d): what NumPy makes of landmarks."""
        return np.array(self.points, dtype=dtype, copy=True if copy is None else copy)

    def chosen(self, places: Sequence[int] | IndexArray) -> "Landmarks":
        """Return those at these positions, from 0, in that order; placing cannot be continued."""
        order = vertex_list(places, "Positions of landmarks")
        if (bad := number_outside(order, len(self))) is not None:
            raise SettingsError(
                f"There is no landmark {bad}: they are numbered 0 to {len(self) - 1}."
            )
        places = order.tolist()
        return replace(
            self,
            vertices=self.vertices[order],
            points=self.points[order],
            variances=self.variances[order],
            uncertainty=None,
            labels=tuple(self.labels[place] for place in places),
            classes=tuple(self.classes[place] for place in places if self.classes),
            state=None,
            kinds=tuple(self.kinds[place] for place in places if self.kinds),
            places=tuple(self.places[place] for place in places if self.places),
            curves=shifted(self.curves, order.tolist()),
        )

    def __getitem__(self, which: Any) -> Any:
        """Return a point (d,) by its position or its label, or the landmarks at several positions.

        ``landmarks[0]`` and ``landmarks["apex"]`` are points; ``landmarks[:10]``,
        ``landmarks[[2, 5]]`` and ``landmarks[mask]`` are `Landmarks`.
        """
        if isinstance(which, str):
            if which not in self.labels:
                raise SettingsError(f"{self.specimen} has no landmark '{which}'.")
            return self.points[self.labels.index(which)]
        if isinstance(which, slice):
            return self.chosen(range(*which.indices(len(self))))
        chosen = np.asarray(which)
        if chosen.ndim == 0:
            place = whole_number(which, "The position of a landmark")
            (point,) = self.chosen([place + len(self) if place < 0 else place]).points
            return point
        if chosen.dtype == bool:
            which = np.flatnonzero(mask(chosen, len(self), "The choice of landmarks"))
        return self.chosen(which)

    def __contains__(self, which: Any) -> bool:
        """Whether there is a landmark of this label, or exactly at this point (d,)."""
        if isinstance(which, str):
            return which in self.labels
        try:
            point = np.asarray(which, dtype=np.float64)
        except Exception:  # no point
            return False
        return point.shape == self.shape[1:] and bool((self.points == point).all(axis=1).any())

    def __iter__(self) -> Iterator[FloatArray]:
        """Iterate over the points (d,)."""
        return iter(self.points)

    def __repr__(self) -> str:
        missing = int(self.missing.sum())
        more = [f"{missing} missing"] if missing else []
        more += [self.system] if self.system else []
        kind = f"{len(self)} points of dimension {self.points.shape[1]}"
        return f"Landmarks({', '.join([repr(self.specimen), kind, *more])})"

    @classmethod
    def at(
        cls,
        points: FloatArray,
        specimen: str,
        *,
        labels: tuple[str, ...] = (),
        classes: tuple[LandmarkClass, ...] = (),
        vertices: IndexArray | None = None,
        variances: FloatArray | None = None,
        record: Record | None = None,
        kinds: tuple[str, ...] = (),
        system: str | None = None,
        surface: Surface | None = None,
        curves: tuple[Curve, ...] = (),
    ) -> "Landmarks":
        """Landmarks at known points (m, d), from a person or a file."""
        points = numbers(points, f"{specimen}: points", LandmarkFileError)
        if points.ndim != 2:
            raise LandmarkFileError(
                f"{specimen}: expected points of shape (m, d), got {points.shape}."
            )
        count = len(points)
        return cls(
            np.full(count, UNKNOWN_VERTEX) if vertices is None else vertices,
            points,
            np.full(count, np.nan) if variances is None else variances,
            None,
            record or Record(),
            specimen,
            labels,
            classes,
            kinds=kinds,
            system=system,
            surface=surface,
            curves=curves,
        )
