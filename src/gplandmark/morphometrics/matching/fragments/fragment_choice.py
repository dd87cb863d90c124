# SPDX-License-Identifier: MIT
"""Which of several poses of a fragment in a whole specimen is right, and how certain that is.

In the right pose, a smooth deformation takes the fragment to the whole specimen with little
bending, and leaves little. In a wrong one it must bend more and leaves more, also where the rigid
distances of both poses are alike because the specimens differ.
"""

from collections.abc import Sequence

import numpy as np

from gplandmark.morphometrics.matching.fragments.fragment_bending import LEVEL, bend
from gplandmark.morphometrics.matching.fragments.fragment_search import (
    candidate_poses,
    differ,
    is_believable,
)
from gplandmark.morphometrics.matching.fragments.open_border import distance_from_border
from gplandmark.morphometrics.matching.points import SampledSurface
from gplandmark.morphometrics.matching.pose_search import APART, Alignment
from gplandmark.morphometrics.matching.registration import Pose
from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.threads import single_threaded

RIVALS, CLOSE = 4, 1.3  # poses that are bent: their number, and rigid distance over the best
STEPS, NEAR = 2, 1.15  # steps of those that are refined, and their distance over the best
ELSEWHERE = 0.2  # distance of middles above which poses are different


@single_threaded
def distinct_poses(
    fragment: SampledSurface,
    whole: SampledSurface,
    signs: Sequence[int],
    further: Sequence[Pose] = (),
    known: float | None = None,
) -> tuple[list[Pose], FloatArray]:
    """Find distinct poses of a fragment in a whole specimen, and their distances, (n,).

    The parameters are those of `candidate_poses`. Distances are those of `bent_distance`.
    """
    inner = distance_from_border(fragment, fragment.levels[LEVEL].positions)
    poses, rigid = candidate_poses(
        fragment.levels, inner, whole.levels, signs, further, known
    )  # fmt: skip
    order = _distinct(poses, rigid)
    poses, rigid = [poses[row] for row in order], rigid[order]
    close = [pose for pose, each in zip(poses, rigid, strict=True) if each <= CLOSE * rigid[0]]
    bent = [bend(fragment, whole, pose) for pose in close[:RIVALS]]
    distances = rigid * bent[0][0] / rigid[0]  # of those that are far behind
    distances[: len(bent)] = [distance for distance, _ in bent]
    for row in np.flatnonzero(distances[: len(bent)] < NEAR * distances.min()):
        refined = _refined(fragment, whole, poses[row], bent[row])
        if is_believable(refined[0].scale, known):
            poses[row], distances[row] = refined
    return poses, distances


def _refined(
    fragment: SampledSurface, whole: SampledSurface, pose: Pose, bent: tuple[float, Pose]
) -> tuple[Pose, float]:
    """A pose, or the similarity nearest to its deformation if that bends less; and its distance.

    Registration across the surface alone may find another scale, by sliding along it.
    """
    best, (least, following) = pose, bent
    for _ in range(STEPS):
        current = following
        distance, following = bend(fragment, whole, current)
        if distance < least:
            best, least = current, distance
    return best, least


def _distinct(poses: Sequence[Pose], rigid: FloatArray) -> list[int]:
    """Rows of distinct poses, the best first."""
    kept: list[int] = []
    for row in np.argsort(rigid, kind="stable").tolist():
        if all(differ(poses[row], poses[other]) for other in kept):
            kept.append(row)
    return kept


def best_pose(poses: Sequence[Pose], distances: FloatArray) -> Alignment:
    """The best of several poses, and how clearly it is."""
    best = int(np.argmin(distances))
    flipped = np.array([pose.reflects != poses[best].reflects for pose in poses])
    angles = np.array([poses[best].angle_to(pose) for pose in poses])
    moved = np.array([np.linalg.norm(poses[best].shift - pose.shift) for pose in poses])
    other = ((angles > APART) | (moved > ELSEWHERE)) & ~flipped
    return Alignment(
        poses[best],
        float(distances[best]),
        float(np.min(distances, initial=np.inf, where=other)),
        float(np.min(distances, initial=np.inf, where=flipped)),
        of_fragment=True,
    )
