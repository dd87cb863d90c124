# SPDX-License-Identifier: MIT
"""Which poses bring two surfaces together, and whether one of them is clearly the best."""

from dataclasses import dataclass
from itertools import permutations, product

import numpy as np

from gplandmark.morphometrics.matching.points import Levels, OrientedPoints
from gplandmark.morphometrics.matching.registration import (
    Pose,
    refine_poses,
    refine_similarity,
    squared_distances,
)
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.numerics.threads import single_threaded

__all__ = ["UNLIKE", "Alignment", "align_surfaces", "align_without_reflections", "asymmetry"]

# All ways to lay three axes on three others: 24 turns and 24 reflections.
FRAMES = np.array(
    [
        np.eye(3)[list(order)] * np.array(signs)[:, None]
        for order in permutations(range(3))
        for signs in product((1.0, -1.0), repeat=3)
    ]
)
STEPS, SURVIVORS = 14, {1: 24, 3: 12, 8: 8}
APART = np.pi / 6  # poses at a larger angle are different
OF_A_SIDE = 3  # poses without a reflection that are compared closely, and with one
AROUND = 7  # samples that give the features of the surface between them
REACH = 1.0  # area of a disc as wide as the gaps between samples, in shares of the area
TIED = 1.01  # a reflection must be this much better than none
UNLIKE, STEEP = 0.11, 16  # distance at which two hardly show the same anatomy; how sharply
BLUR, SHARE = 0.0055, 0.1  # what says nothing: of the size; of the squared distance
COMPARED = 2000  # samples of a surface that others are compared with
SYMMETRIC = 0.012  # asymmetry up to which a specimen may count as symmetric; teeth have 0.02
EVEN = 2.5  # times what the best 80 % of the area leave: more is no noise, but single features
ALIKE = 2.0  # symmetric: a chance asymmetry counts twice between the sides, once between specimens
OVERWHELMING = 0.5  # a symmetric specimen is mirrored if that leaves less than this much


@dataclass(frozen=True, eq=False)
class Alignment:
    """The best pose of one surface on another, and the next best.

    Attributes
    ----------
    pose : takes the source to the target, both of unit size
    distance : root of the mean squared distance of features, in units of size
    turned : the same for the best pose that is turned otherwise but reflects alike; inf if none
    mirrored : the same for the best pose that reflects where this one does not, or the reverse;
        inf if reflections were not tried, or both specimens are symmetric
    """

    pose: Pose
    distance: float
    turned: float
    mirrored: float

    @property
    def certainty(self) -> float:
        """How clearly this pose is the best, and both show the same anatomy, from 0 to 1.

            (1 - exp(-(e^2 - d^2) / (b^2 + d^2 / 10))) / (1 + (d / 0.11)^16),

        with d the distance, e that of the next best pose and b = 0.0055 what sampling alone can
        do. It is near 0 for a shape with a symmetry, and for specimens that are too unlike.
        """
        gap = min(self.turned, self.mirrored) ** 2 - self.distance**2
        clear = -np.expm1(-max(gap, 0.0) / (BLUR**2 + SHARE * self.distance**2))
        return float(clear / (1 + (self.distance / UNLIKE) ** STEEP))


@single_threaded
def align_surfaces(job: tuple[Levels, Levels, float]) -> Alignment:
    """Find how the source lies on the target: every frame is tried, the best are refined.

    The starts lay the principal axes of one area on those of the other in all 48 ways. Axes are
    exchanged too, because those of a compact specimen have nearly the same spread. The third of
    the job is the larger `asymmetry` of both: symmetric specimens are not called mirror images.
    """
    source, target, asymmetric = job
    found, costs = _compared(source, target, FRAMES)
    if asymmetric < SYMMETRIC:
        found, costs = _without_mirror_images(source, target, found, costs, asymmetric)
    return _best(found, costs)


@single_threaded
def align_without_reflections(job: tuple[Levels, Levels, float]) -> Alignment:
    """The same without reflections, for specimens that are never mirror images of each other."""
    source, target, _ = job
    own = np.linalg.det(_frame(source[0])) * np.linalg.det(_frame(target[0]))
    return _best(*_compared(source, target, FRAMES[np.linalg.det(FRAMES) * own > 0]))


@single_threaded
def asymmetry(levels: Levels) -> float:
    """What a specimen and its own mirror image leave in the best pose, in units of size.

    Of skulls it is 0.004 to 0.008, of teeth, jaws and bones of one side 0.02 and more. Chance makes
    the sides of a symmetric specimen differ everywhere. Where they differ in single features far
    more than elsewhere, as by a cusp, the specimen has sides, and its asymmetry is infinite.
    """
    axis = np.array([-1.0, 1.0, 1.0])
    image = tuple(
        OrientedPoints(each.positions * axis, each.normals * axis, each.form, each.weights)
        for each in levels
    )
    pose = align_without_reflections((levels, image, np.inf)).pose
    left = refine_similarity(levels[-1], image[-1], pose)[1]
    return left.whole if left.whole <= EVEN * left.best else np.inf


def _compared(source: Levels, target: Levels, frames: FloatArray) -> tuple[list[Pose], FloatArray]:
    """The best different poses that frames of the principal axes lead to, and their distances."""
    starts = _frame(source[0]) @ frames @ _frame(target[0]).T
    shifts = np.zeros((len(starts), 3))
    rotations, shifts, _ = refine_poses(source[0], target[0], (starts, shifts), STEPS, SURVIVORS)
    found = _distinct([Pose(*each) for each in zip(rotations, shifts, strict=True)])
    return found, np.array([_cost(source, target, pose) for pose in found])


def _without_mirror_images(
    source: Levels, target: Levels, found: list[Pose], costs: FloatArray, asymmetric: float
) -> tuple[list[Pose], FloatArray]:
    """Leave reflections out if both specimens are symmetric.

    They are if their own mirror images fit them about as well as they fit each other. Then the
    reflection is taken only if it leaves less than half, and then the other poses are left out.
    """
    reflects = np.array([pose.reflects for pose in found])
    if reflects.all() or not reflects.any():
        return found, costs
    left = [
        refine_similarity(source[-1], target[-1], _cheapest(found, costs, side))[1].whole
        for side in (~reflects, reflects)
    ]
    if asymmetric > ALIKE * min(left):
        return found, costs
    side = reflects if left[1] < OVERWHELMING * left[0] else ~reflects
    return [found[k] for k in np.flatnonzero(side)], costs[side]


def _cheapest(found: list[Pose], costs: FloatArray, among: BoolArray) -> Pose:
    return found[int(np.argmin(np.where(among, costs, np.inf)))]


def _best(found: list[Pose], costs: FloatArray) -> Alignment:
    """The best pose, and how well the next best ones do."""
    reflects = np.array([pose.reflects for pose in found])
    best = int(np.argmin(np.where(reflects, TIED, 1.0) * costs))
    angles = np.array([found[best].angle_to(pose) for pose in found])
    flipped = reflects != reflects[best]
    return Alignment(
        found[best],
        float(costs[best]),
        float(np.min(costs, initial=np.inf, where=(angles > APART) & ~flipped)),
        float(np.min(costs, initial=np.inf, where=flipped)),
    )


def _frame(points: OrientedPoints) -> FloatArray:
    """Principal axes of the area, the columns of (3, 3), the longest first."""
    centred = points.positions - points.weights @ points.positions
    return np.asarray(np.linalg.eigh(centred.T @ (points.weights[:, None] * centred))[1][:, ::-1])


def _cost(source: Levels, target: Levels, pose: Pose) -> float:
    """Distance of features of a few points of each surface from the other surface."""
    there, back = _one_way(source, target, pose), _one_way(target, source, pose.inverse())
    return float(np.sqrt((there + back) / 2))


def _one_way(source: Levels, target: Levels, pose: Pose) -> float:
    """Mean squared distance of features, from a surface through many points of the target.

    How the target was sampled must not count: its features are the mean of those nearest, and up
    to the radius of a sample, distances along the surface are left out.
    """
    few, many = source[-1].part(0, len(source[0].positions)), target[-1].part(0, COMPARED)
    here = few.features(pose.at(few.positions), few.normals @ pose.rotation)
    there = many.features(many.positions, many.normals)
    table = squared_distances(here, there)
    radius = REACH / len(many.positions)
    near, squares = _smallest(table, AROUND)
    window = np.exp((squares[:, :1] - squares) / (2 * radius))
    offsets = here - np.einsum("ij,ijk->ik", window, there[near]) / window.sum(axis=1)[:, None]
    normals = many.normals[near[:, 0]]
    across = np.einsum("ij,ij->i", offsets[:, :3], normals)
    along = np.einsum("ij,ij->i", offsets[:, :3], offsets[:, :3]) - across**2
    apart = np.einsum("ij,ij->i", offsets, offsets) - np.clip(along, 0.0, radius)
    return float(source[0].weights @ np.maximum(apart, 0.0))


def _smallest(table: FloatArray, count: int) -> tuple[IndexArray, FloatArray]:
    """Columns (m, count) of the smallest entries of each row, in order, and the entries.

    For a few, taking the minimum again and again is faster than a partial sort.
    """
    left, rows = table.copy(), np.arange(len(table))
    columns = np.empty((len(table), count), dtype=np.int64)
    for k in range(count):
        columns[:, k] = left.argmin(axis=1)
        left[rows, columns[:, k]] = np.inf
    return columns, np.take_along_axis(table, columns, axis=1)


def _distinct(poses: list[Pose]) -> list[Pose]:
    """The first poses that differ, so many of each side; others came to the same as one before."""
    kept: list[Pose] = []
    for pose in poses:
        alike = [other for other in kept if other.reflects == pose.reflects]
        if len(alike) < OF_A_SIDE and all(pose.angle_to(other) > APART for other in alike):
            kept.append(pose)
    return kept
