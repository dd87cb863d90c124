# SPDX-License-Identifier: MIT
"""Maps between a fragment and a whole specimen, where both overlap, and what is not there."""

import numpy as np
import scipy

from gplandmark.morphometrics.matching.deformation import Deformation, fit_deformation
from gplandmark.morphometrics.matching.fragments.fragment_bending import bent_distance, some_points
from gplandmark.morphometrics.matching.fragments.open_border import (
    BEYOND,
    ON_BORDER,
    is_there,
    outside_border,
)
from gplandmark.morphometrics.matching.points import (
    Levels,
    SampledSurface,
    nearest_on_surface,
)
from gplandmark.morphometrics.matching.registration import Pose, refine_similarity
from gplandmark.numerics.arrays import BoolArray, FloatArray
from gplandmark.numerics.threads import single_threaded

FACING = 0.0  # cosine of normals below which points do not correspond
ROUNDS = 3  # of finding the overlap, and the pose by it


@single_threaded
def fit_fragment(
    job: tuple[SampledSurface, SampledSurface, Pose],
) -> tuple[Deformation, Deformation, float]:
    """Fit deformations from a whole specimen to a fragment and back, where both overlap.

    The job is the whole specimen, the fragment, and a pose of the fragment on the whole. Returned
    is also the fraction of the area of the whole specimen that the fragment covers.
    """
    whole, fragment, start = job
    pose = start
    for _ in range(ROUNDS):
        ours, _ = _overlap(whole.levels, fragment, pose.inverse())
        theirs, _ = _overlap(fragment.levels, whole, pose)
        pose, _ = refine_similarity(theirs[-1], ours[-1], pose)
    pose = min(pose, start, key=lambda each: bent_distance(fragment, whole, each))
    ours, _ = _overlap(whole.levels, fragment, pose.inverse())
    theirs, _ = _overlap(fragment.levels, whole, pose)
    forward = fit_deformation(ours, theirs, pose.inverse())
    backward = fit_deformation(theirs, ours, pose)
    ours, share = _overlap(whole.levels, fragment, forward)
    theirs, _ = _overlap(fragment.levels, whole, backward)
    forward = fit_deformation(ours, theirs, pose.inverse())
    backward = fit_deformation(theirs, ours, pose)
    return forward, backward, share


def _overlap(
    source: Levels, target: SampledSurface, carry: Pose | Deformation
) -> tuple[Levels, float]:
    """Those points of each level that have a counterpart on the target, and their share of area."""
    turn = (carry if isinstance(carry, Pose) else carry.pose).rotation
    own = target.levels[-1]
    tree = scipy.spatial.cKDTree(own.positions)
    kept, share = [], 1.0
    for level in source:
        places, normals = carry.at(level.positions), level.normals @ turn
        near = own.normals[tree.query(places, 4)[1]]
        faces = (np.einsum("ij,ikj->ik", normals, near) > FACING).any(axis=1)
        there = is_there(target, places) & faces
        share = float(level.weights @ there)
        kept.append(some_points(level, there))
    return tuple(kept), share


def presence(
    fragment: SampledSurface, places: FloatArray, square: FloatArray
) -> tuple[BoolArray, FloatArray]:
    """Which places (m, 3) are not on the fragment, and the probability that they are, (m,).

    A place at the distance t outside the border, negative inside, is there with the probability
    Phi((0.006 - t) / s), with 2 s^2 the expected squared error: what is on the border is there.
    """
    outside = outside_border(fragment, places)[0] - ON_BORDER
    gone = (outside > 0) | ~is_there(fragment, places)
    deviation = np.sqrt(square / 2) + BEYOND / 10
    likely = scipy.special.ndtr(-outside / deviation)
    return np.asarray(gone), np.where(gone, 0.0, likely)


def on_left_out(specimen: SampledSurface, places: FloatArray) -> BoolArray:
    """Which places (m, 3) are nearer to what was painted as not bone than to the surface, (m,)."""
    painted = specimen.surface.left_out
    if painted is None:
        return np.zeros(len(places), dtype=bool)
    apart = scipy.spatial.cKDTree(specimen.in_unit(painted)).query(places)[0]
    off = np.linalg.norm(places - nearest_on_surface(specimen, places), axis=1)
    return np.asarray(apart < off)
