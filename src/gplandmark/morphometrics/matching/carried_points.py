# SPDX-License-Identifier: MIT
"""Points that were carried to another specimen, with their expected error and confidence."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from gplandmark.morphometrics.matching.expected_error import (
    Estimates,
    confidence,
    mean_error,
    radius_90,
)
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

MIN_CONFIDENCE = 0.5  # confidence below which a landmark counts as missing


@dataclass(frozen=True, eq=False)
class Carried:
    """Points on the target, with their expected error and confidence.

    Attributes
    ----------
    points : (m, 3) on the target's triangles, or at the offset that they have from the source's, in
        the coordinates of the target's file
    confidence : (m,) from 0 to 1: the probability of an error below 0.1 of the target's size, times
        the certainty of the pose and the plausibility of the distortion
    variance : (m,) v, expected squared error, in squared units of the target's file
    loop : (m,) inverse consistency error: distance of the point carried back from its start, in
        units of the source's file
    spread : (m,) standard deviation of several estimates, in units of the target's file
    stretch : (m,) largest factor by which lengths on the surface grow or shrink
    absent : (m,) which lie on a part that the target, a fragment, lacks, or that is painted as not
        bone; their confidence is 0
    """

    points: FloatArray
    confidence: FloatArray
    variance: FloatArray
    loop: FloatArray
    spread: FloatArray
    stretch: FloatArray
    absent: BoolArray

    @classmethod
    def exact(cls, points: FloatArray) -> "Carried":
        """Points of a specimen carried to itself: unchanged, with confidence 1."""
        zeros = np.zeros(len(points))
        return cls(points, zeros + 1, zeros, zeros, zeros, zeros + 1, zeros > 0)

    @classmethod
    def chosen(cls, found: Sequence["Carried"], rows: IndexArray) -> "Carried":
        """Every point (m,) as one of several results has it, whose number is given."""
        names = [each.name for each in fields(cls)]
        columns = np.arange(len(rows))
        return cls(
            *(np.array([getattr(each, name) for each in found])[rows, columns] for name in names)
        )

    def taken(self, order: IndexArray) -> "Carried":
        """The points in another order (m,)."""
        return Carried(*(getattr(self, each.name)[order] for each in fields(self)))

    @property
    def error(self) -> FloatArray:
        """Expected error E|e|, (m,), in units of the target's file."""
        return mean_error(self.variance)

    @property
    def radius(self) -> FloatArray:
        """Radius within which a point lies with a probability of 90 %, (m,); likewise."""
        return radius_90(self.variance)

    def missing(self, least: float = MIN_CONFIDENCE) -> BoolArray:
        """Which points have too little confidence to count, (m,)."""
        return np.asarray((self.confidence < least) | self.absent)

    def kept(self, least: float = MIN_CONFIDENCE) -> FloatArray:
        """The points (m, 3), NaN where they are missing."""
        return np.where(self.missing(least)[:, None], np.nan, self.points)


@dataclass(frozen=True, eq=False)
class CarriedEstimates:
    """Several estimates of where m points lie on the target.

    Attributes
    ----------
    found : the estimates, in normalised coordinates of the target
    offsets : (m, 3) of points that lie off the surface, likewise
    jacobians : (m, 3, 3) of the map, in file units of both specimens
    square : (m,) expected squared error, in squared units of size
    plausibility : (m,) of the pose and the distortion, from 0 to 1
    stretch : (m,) largest factor by which lengths on the surface grow or shrink
    absent : (m,) which lie on a part that the target, a fragment, lacks
    sizes : of the source and of the target, in file units
    centre : (3,) of the target, in its file's coordinates
    """

    found: Estimates
    offsets: FloatArray
    jacobians: FloatArray
    square: FloatArray
    plausibility: FloatArray
    stretch: FloatArray
    absent: BoolArray
    sizes: tuple[float, float]
    centre: FloatArray

    @property
    def points(self) -> FloatArray:
        """The estimates (k, m, 3), in the coordinates of the target's file."""
        return np.asarray((self.found.each + self.offsets) * self.sizes[1] + self.centre)

    def combined(self) -> Carried:
        """The weighted mean of the estimates, with its expected error and confidence."""
        here, there = self.sizes
        return Carried(
            (self.found.places + self.offsets) * there + self.centre,
            self.plausibility * confidence(self.square),
            self.square * there**2,
            self.found.loop * here,
            self.found.spread * there,
            self.stretch,
            self.absent,
        )
