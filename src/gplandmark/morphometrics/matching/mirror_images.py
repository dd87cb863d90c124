# SPDX-License-Identifier: MIT
"""Whether a specimen is symmetric, and whether one is the mirror image of another."""

from collections.abc import Callable

import numpy as np

from gplandmark.morphometrics.matching.points import Levels, OrientedPoints
from gplandmark.morphometrics.matching.pose_search import (
    FRAMES,
    Alignment,
    align_without_reflections,
    best_alignment,
    compared_poses,
)
from gplandmark.morphometrics.matching.registration import Pose, refine_similarity
from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.threads import single_threaded

SYMMETRIC = 0.012  # asymmetry below which a specimen may be symmetric; teeth have 0.02
EVEN = 2.5  # times the residual of the best 80 % of the area: more is not noise, but features
ALIKE = 2.0  # random asymmetry counts twice between the sides, once between specimens
OVERWHELMING = 0.5  # ratio of residuals below which a symmetric specimen is mirrored


@single_threaded
def align_surfaces(job: tuple[Levels, Levels, float]) -> Alignment:
    """Find the best pose of the source on the target.

    Initial poses align the principal axes of both surfaces in all 48 ways, exchanges of axes
    included, because a compact specimen has nearly equal principal moments. The best are refined.
    The third part of the job is the larger `asymmetry` of both: symmetric specimens are not
    reported as mirror images.
    """
    source, target, asymmetric = job
    found, costs = compared_poses(source, target, FRAMES)
    if asymmetric < SYMMETRIC:
        found, costs = _without_mirror_images(source, target, found, costs, asymmetric)
    return best_alignment(found, costs)


def aligner(reflections: bool) -> Callable[[tuple[Levels, Levels, float]], Alignment]:
    """The search with reflections, or the one without."""
    return align_surfaces if reflections else align_without_reflections


@single_threaded
def asymmetry(levels: Levels) -> float:
    """Residual between a specimen and its own mirror image in the best pose, in units of size.

    It is 0.004 to 0.008 for skulls, and 0.02 or more for teeth, jaws and bones of one side. Random
    (fluctuating) asymmetry is everywhere. If the sides differ far more in single features, e.g. by
    a cusp, the specimen is a left or a right, and its asymmetry is infinite.
    """
    axis = np.array([-1.0, 1.0, 1.0])
    image = tuple(
        OrientedPoints(each.positions * axis, each.normals * axis, each.form, each.weights)
        for each in levels
    )
    pose = align_without_reflections((levels, image, np.inf)).pose
    left = refine_similarity(levels[-1], image[-1], pose)[1]
    return left.overall if left.overall <= EVEN * left.best else np.inf


def _without_mirror_images(
    source: Levels, target: Levels, found: list[Pose], costs: FloatArray, asymmetric: float
) -> tuple[list[Pose], FloatArray]:
    """Exclude reflections if both specimens are symmetric.

    They are if their own mirror images fit them about as well as they fit each other. Then a
    reflection is taken only if it has less than half of the residual, and rotations are excluded.
    """
    reflects = np.array([pose.reflects for pose in found])
    if reflects.all() or not reflects.any():
        return found, costs
    cheapest = [int(np.argmin(np.where(side, costs, np.inf))) for side in (~reflects, reflects)]
    left = [refine_similarity(source[-1], target[-1], found[k])[1].overall for k in cheapest]
    if asymmetric > ALIKE * min(left):
        return found, costs
    side = reflects if left[1] < OVERWHELMING * left[0] else ~reflects
    return [found[k] for k in np.flatnonzero(side)], costs[side]
