# SPDX-License-Identifier: MIT
"""Landmarks of experts carried to one specimen: several estimates from every annotated specimen."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.morphometrics.evaluation.observers import Observed, distances_from_surface
from gplandmark.morphometrics.matching import SampleMatch
from gplandmark.morphometrics.matching.carry import Route
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

RADII = (0.02, 0.045, 0.09)  # of the patches that give an estimate each, in units of size
KINDS = len(RADII) + 2  # of estimates: the weighted mean, the smooth map, each patch


@dataclass(frozen=True, eq=False)
class ExpertTask:
    """Landmarks (m, 3) of one annotated specimen to carry along a route; NaN where missing."""

    route: Route
    points: FloatArray
    on_surface: bool = False


@dataclass(frozen=True, eq=False)
class ExpertEstimates:
    """Estimates of m landmarks of one expert on one target, in the coordinates of its file.

    All are NaN where the expert lacks the landmark.

    Attributes
    ----------
    points : (k, m, 3) the estimates: their weighted mean, by the smooth map, and by patches
    variance : (m,) expected squared error of the weighted mean
    plausibility : (m,) of the pose and of the distortion, from 0 to 1
    jacobians : (m, 3, 3) of the map from the expert's specimen
    off_surface : (m,) whether the landmark lies off the surface of the expert's specimen
    absent : (m,) whether it lies on a part that the target, a fragment, lacks
    """

    points: FloatArray
    variance: FloatArray
    plausibility: FloatArray
    jacobians: FloatArray
    off_surface: BoolArray
    absent: BoolArray


def on_largest_pieces(sample: SampleMatch, found: Observed) -> BoolArray:
    """Which landmarks (e, m) of the experts are known and not on a smaller piece.

    Only the largest piece of an annotated specimen is mapped to the others.
    """
    usable = ~found.given.missing
    for row, number in enumerate(found.numbers.tolist()):
        if number in sample.pieces:
            specimen, points = sample.specimens[number], found.given.points[row]
            known = usable[row]
            off = distances_from_surface(specimen, points[known])
            usable[row, known] = off <= distances_from_surface(specimen.entire, points[known])
    return np.asarray(usable)


def carry_expert(task: ExpertTask) -> ExpertEstimates:
    """Carry the landmarks of an expert to a target, by several estimates."""
    known = np.asarray(~np.isnan(task.points).any(axis=1))
    points = np.full((KINDS, len(known), 3), np.nan)
    variance, plausibility = np.full((2, len(known)), np.nan)
    jacobians = np.full((len(known), 3, 3), np.nan)
    off_surface, absent = np.zeros((2, len(known)), dtype=np.bool_)
    if known.any():
        found = task.route.estimate(task.points[known], radii=RADII, on_surface=task.on_surface)
        mean = found.combined()
        points[0, known], points[1:, known] = mean.points, found.points
        variance[known], plausibility[known] = mean.variance, found.plausibility
        jacobians[known] = found.jacobians
        off_surface[known] = (found.offsets != 0).any(axis=1)
        absent[known] = found.absent
    return ExpertEstimates(points, variance, plausibility, jacobians, off_surface, absent)


@dataclass(frozen=True, eq=False)
class TargetEstimates:
    """Estimates from e annotated specimens on one target.

    Attributes
    ----------
    experts : (e,) their indices among all annotated specimens
    points : (e, k, m, 3) NaN where the expert lacks the landmark
    variance, plausibility : (e, m) likewise
    rotations : (e, m, 3, 3) orthogonal parts of the maps' derivatives
    off_surface : (m,) whether most experts put the landmark off the surface
    absent : (m,) whether most put it where the target, a fragment, has no surface
    distances : (e,) of the annotated specimens from the target
    between : (e, e) distances of the annotated specimens from each other
    """

    experts: IndexArray
    points: FloatArray
    variance: FloatArray
    plausibility: FloatArray
    rotations: FloatArray
    off_surface: BoolArray
    absent: BoolArray
    distances: FloatArray
    between: FloatArray

    @property
    def known(self) -> BoolArray:
        """Which experts have which landmark, (e, m)."""
        return np.asarray(~np.isnan(self.variance))


def gather_estimates(
    experts: IndexArray,
    estimates: Sequence[ExpertEstimates],
    distances: FloatArray,
    between: FloatArray,
    trusted: BoolArray,
) -> TargetEstimates:
    """Estimates on one target from all experts; those that are not `trusted` (e, m) are left out.

    Parameters
    ----------
    experts : (e,) indices of the annotated specimens
    estimates : of each of them
    distances, between : as of `TargetEstimates`
    """
    points = np.array([each.points for each in estimates])
    points[~np.broadcast_to(trusted[:, None, :], points.shape[:3])] = np.nan
    variance = np.where(trusted, [each.variance for each in estimates], np.nan)
    jacobians = np.array([each.jacobians for each in estimates])
    left, _, right = np.linalg.svd(np.where(np.isnan(jacobians), np.eye(3), jacobians))
    off = _most(variance, [each.off_surface for each in estimates])
    absent = _most(variance, [each.absent for each in estimates])
    plausibility = np.array([each.plausibility for each in estimates])
    return TargetEstimates(
        experts, points, variance, plausibility, left @ right, off, absent, distances, between
    )


def _most(variance: FloatArray, votes: Sequence[BoolArray]) -> BoolArray:
    """What most experts that have a landmark, with a known variance, say of it, (m,)."""
    known = ~np.isnan(variance)
    counted = (np.array(votes) & known).sum(axis=0)
    return np.asarray(counted / np.maximum(known.sum(axis=0), 1) > 1 / 2)
