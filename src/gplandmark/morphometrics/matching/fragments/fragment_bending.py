# SPDX-License-Identifier: MIT
"""How much a fragment must be bent to fit a whole specimen in a pose, and what is left."""

from dataclasses import replace

import numpy as np
import scipy

from gplandmark.morphometrics.matching.deformation import (
    STAGES,
    Composition,
    Deformation,
    fit_deformation,
)
from gplandmark.morphometrics.matching.fragments.fragment_search import feature_distance, with_form
from gplandmark.morphometrics.matching.fragments.open_border import (
    FAR,
    distance_from_border,
    outside_border,
)
from gplandmark.morphometrics.matching.multiscale_kernel import covariance
from gplandmark.morphometrics.matching.points import OrientedPoints, SampledSurface
from gplandmark.morphometrics.matching.registration import Pose
from gplandmark.numerics.arrays import BoolArray, FloatArray
from gplandmark.numerics.rotations import kabsch_rotations

LEVEL = STAGES[0].level  # of detail of the points that are compared
BENDING = 5e-5  # squared distance that a unit of the energy of a deformation counts
OVERLAP = 0.02  # distance beyond the border up to which the whole has a counterpart
FEWEST = 30  # points of a level that are kept in any case


def bent_distance(fragment: SampledSurface, whole: SampledSurface, pose: Pose) -> float:
    """Distance of a fragment from a whole specimen in a pose, after a smooth deformation."""
    return bend(fragment, whole, pose)[0]


def bend(fragment: SampledSurface, whole: SampledSurface, pose: Pose) -> tuple[float, Pose]:
    """Distance of a fragment from a whole specimen, and the pose nearest to its deformation.

        d^2 = (m^2 + 0.00005 a K a) / sqrt(c),

    with m the root mean square feature distance that a coarse deformation of the fragment leaves,
    a K a the energy of the deformation, and c the scale of the pose: a smaller fragment fits more
    easily. The deformation is fitted where both overlap.
    """
    formed = with_form(fragment.levels[LEVEL], pose.scale)
    other = whole.levels[LEVEL]
    outside, off = outside_border(fragment, pose.inverse().at(other.positions))
    overlap = (outside * pose.scale <= OVERLAP) & (off * pose.scale < FAR)
    found = fit_deformation(
        (*fragment.levels[:LEVEL], formed),
        (*whole.levels[:LEVEL], some_points(other, overlap)),
        pose,
        STAGES[:1],
    )
    places, normals = Composition((found,)).with_normals(formed.positions, formed.normals)
    left = feature_distance(
        replace(formed, positions=places, normals=normals),
        pose.scale * distance_from_border(fragment, formed.positions),
        whole.levels[-1],
        scipy.spatial.cKDTree(whole.levels[-1].positions),
    )
    distance = float(np.sqrt((left**2 + BENDING * _energy(found)) / np.sqrt(pose.scale)))
    return distance, _similarity(formed, places, pose.reflects)


def _similarity(points: OrientedPoints, places: FloatArray, reflects: bool) -> Pose:
    """The pose x -> c x Q + s with the smallest squared distance of points from places (m, 3)."""
    weights = points.weights[:, None] / points.weights.sum()
    middle, goal = ((weights * each).sum(axis=0) for each in (points.positions, places))
    here, there = points.positions - middle, places - goal
    moments = here.T @ (weights * there)
    turn = kabsch_rotations(moments[None], np.array([-1.0 if reflects else 1.0]))[0]
    scale = float((moments * turn).sum() / (weights * here**2).sum())
    return Pose(turn, goal - scale * middle @ turn, scale)


def _energy(deformation: Deformation) -> float:
    """Squared norm a K a of a deformation, over all coordinates."""
    values = covariance(deformation.centres, deformation.centres) @ deformation.coefficients
    return float((values * deformation.coefficients).sum())


def some_points(level: OrientedPoints, there: BoolArray) -> OrientedPoints:
    """Some points of a level; all of it if there are too few."""
    if there.sum() < min(FEWEST, len(there)):
        return level
    weights = level.weights[there]
    return OrientedPoints(
        level.positions[there], level.normals[there], level.form[there], weights / weights.sum()
    )
