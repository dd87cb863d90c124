# SPDX-License-Identifier: MIT
"""Which of several poses of a fragment in a whole specimen is right, and how certain that is.

In the right pose, a smooth deformation takes the fragment to the whole specimen with little
bending, and leaves little. In a wrong one it must bend more and leaves more, also where the rigid
distances of both poses are alike because the specimens differ.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy

from gplandmark.morphometrics.matching.deformation import (
    STAGES,
    Composition,
    Deformation,
    fit_deformation,
)
from gplandmark.morphometrics.matching.fragment_map import some_points
from gplandmark.morphometrics.matching.fragment_search import (
    candidate_poses,
    differ,
    feature_distance,
    with_form,
)
from gplandmark.morphometrics.matching.multiscale_kernel import covariance
from gplandmark.morphometrics.matching.open_border import (
    FAR,
    distance_from_border,
    outside_border,
)
from gplandmark.morphometrics.matching.points import SampledSurface
from gplandmark.morphometrics.matching.pose_search import APART, Alignment
from gplandmark.morphometrics.matching.registration import Pose
from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.threads import single_threaded

LEVEL = STAGES[0].level  # of detail of the points that are compared
BENDING = 5e-5  # squared distance that a unit of the energy of a deformation counts
OVERLAP = 0.02  # distance beyond the border up to which the whole has a counterpart
RIVALS, CLOSE = 4, 1.3  # poses that are bent, and rigid distance over the best of others
ELSEWHERE = 0.2  # distance of middles above which poses are different


@single_threaded
def find_fragment(
    fragment: SampledSurface,
    whole: SampledSurface,
    signs: Sequence[int],
    further: Sequence[Pose] = (),
    known: float | None = None,
) -> Alignment:
    """Find the pose of a fragment in a whole specimen, and how clearly it is the best.

    The parameters are those of `candidate_poses`. Distances are those of `bent_distance`.
    """
    inner = distance_from_border(fragment, fragment.levels[LEVEL].positions)
    poses, rigid = candidate_poses(
        fragment.levels, inner, whole.levels, signs, further, known
    )  # fmt: skip
    rows = _distinct(poses, rigid)
    return _best([poses[row] for row in rows], _bent(fragment, whole, poses, rigid, rows))


def bent_distance(fragment: SampledSurface, whole: SampledSurface, pose: Pose) -> float:
    """Distance of a fragment from a whole specimen in a pose, after a smooth deformation.

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
    return float(np.sqrt((left**2 + BENDING * _energy(found)) / np.sqrt(pose.scale)))


def _energy(deformation: Deformation) -> float:
    """Squared norm a K a of a deformation, over all coordinates."""
    values = covariance(deformation.centres, deformation.centres) @ deformation.coefficients
    return float((values * deformation.coefficients).sum())


def _distinct(poses: Sequence[Pose], rigid: FloatArray) -> list[int]:
    """Rows of distinct poses, the best first."""
    kept: list[int] = []
    for row in np.argsort(rigid, kind="stable").tolist():
        if all(differ(poses[row], poses[other]) for other in kept):
            kept.append(row)
    return kept


def _bent(
    fragment: SampledSurface,
    whole: SampledSurface,
    poses: Sequence[Pose],
    rigid: FloatArray,
    rows: Sequence[int],
) -> FloatArray:
    """Distances of the poses in some rows, the best first; those far behind it are not bent."""
    close = [row for row in rows[:RIVALS] if rigid[row] < CLOSE * rigid[rows[0]]] or rows[:1]
    known = {row: bent_distance(fragment, whole, poses[row]) for row in close}
    factor = known[rows[0]] / rigid[rows[0]]
    return np.array([known.get(row, factor * rigid[row]) for row in rows])


def _best(poses: Sequence[Pose], distances: FloatArray) -> Alignment:
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
