# SPDX-License-Identifier: MIT
"""Search for the pose of one surface on another, and how clearly it is the best."""

from dataclasses import dataclass, field
from itertools import permutations, product

import numpy as np

from gplandmark.morphometrics.matching.points import Levels, OrientedPoints
from gplandmark.morphometrics.matching.registration import (
    Pose,
    refine_poses,
    squared_distances,
)
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.threads import single_threaded

# All ways to align three axes with three others: 24 rotations and 24 reflections.
FRAMES = np.array(
    [
        np.eye(3)[list(order)] * np.array(signs)[:, None]
        for order in permutations(range(3))
        for signs in product((1.0, -1.0), repeat=3)
    ]
)
STEPS, SURVIVORS = 14, {1: 24, 3: 12, 8: 8}
APART = np.pi / 6  # angle above which poses are different
OF_A_SIDE = 3  # poses that are compared closely, without reflection and with it
AROUND = 7  # samples between which features of a surface are interpolated
REACH = 1.0  # squared radius of a sample, times the number of samples
TIED = 1.01  # a reflection must be better by this factor
UNLIKE, STEEP = 0.11, 16  # distance of specimens with other anatomy; exponent of the transition
BLUR, FRACTION = 0.0055, 0.1  # noise of distances: in units of size; of the squared distance
OF_FRAGMENT = 0.2  # the latter of a fragment
COMPARED = 2000  # samples of a surface with which others are compared


@dataclass(frozen=True, eq=False)
class Alignment:
    """The best pose of one surface on another, and the next best.

    Attributes
    ----------
    pose : takes the source to the target, both of unit size
    distance : d, root mean square distance between features, in units of size
    turned : distance in the best pose with another rotation on the same side; inf if none
    mirrored : distance in the best pose on the other side; inf if reflections were not tried, or
        both specimens are symmetric
    of_fragment : whether the source is a fragment
    """

    pose: Pose
    distance: float
    turned: float
    mirrored: float
    of_fragment: bool = field(default=False, metadata={"later": True})

    @property
    def certainty(self) -> float:
        """Certainty of the pose, from 0 to 1: how clearly it is the best, with the same anatomy.

            (1 - exp(-(e^2 - d^2) / (b^2 + d^2 / 10))) / (1 + (d / 0.11)^16),

        with d the distance, e that of the next best pose and b = 0.0055 the noise of sampling. It
        is near 0 for a symmetric shape, and for specimens that are too dissimilar. Of a fragment,
        whose distances have twice the noise, the first factor is

            1 - exp(-((e^2 - d^2) / (b^2 + d^2 / 5))^2).
        """
        gap = min(self.turned, self.mirrored) ** 2 - self.distance**2
        fraction, power = (OF_FRAGMENT, 2) if self.of_fragment else (FRACTION, 1)
        noise = BLUR**2 + fraction * self.distance**2
        clear = -np.expm1(-((max(gap, 0.0) / noise) ** power))
        return float(clear / (1 + (self.distance / UNLIKE) ** STEEP))


@single_threaded
def align_without_reflections(job: tuple[Levels, Levels, float]) -> Alignment:
    """The same without reflections, for specimens that are not mirror images of each other."""
    source, target, _ = job
    own = np.linalg.det(_frame(source[0])) * np.linalg.det(_frame(target[0]))
    return best_alignment(*compared_poses(source, target, FRAMES[np.linalg.det(FRAMES) * own > 0]))


def compared_poses(
    source: Levels, target: Levels, frames: FloatArray
) -> tuple[list[Pose], FloatArray]:
    """The best distinct poses from alignments of the principal axes, and their distances.

    These are root mean square feature distances of a few points of each surface from the other.
    """
    starts = _frame(source[0]) @ frames @ _frame(target[0]).T
    shifts = np.zeros((len(starts), 3))
    rotations, shifts = refine_poses(source[0], target[0], (starts, shifts), STEPS, SURVIVORS)
    found = _distinct([Pose(*each) for each in zip(rotations, shifts, strict=True)])
    squares = [
        _one_way(source, target, pose) + _one_way(target, source, pose.inverse()) for pose in found
    ]
    return found, np.sqrt(np.array(squares) / 2)


def best_alignment(found: list[Pose], costs: FloatArray) -> Alignment:
    """The best pose, and the distances of the next best ones."""
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
    """Principal axes of the surface, the columns of (3, 3), the longest first."""
    centred = points.positions - points.weights @ points.positions
    return np.asarray(np.linalg.eigh(centred.T @ (points.weights[:, None] * centred))[1][:, ::-1])


def _one_way(source: Levels, target: Levels, pose: Pose) -> float:
    """Mean squared feature distance from a few points of the source to the target surface.

    To be independent of the sampling of the target, its features are interpolated between the
    nearest samples, and distances along the surface are ignored up to the radius of a sample.
    """
    few, many = source[-1].first(len(source[0].positions)), target[-1].first(COMPARED)
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

    For a few, repeated minima are faster than a partial sort.
    """
    left, rows = table.copy(), np.arange(len(table))
    columns = np.empty((len(table), count), dtype=np.int64)
    for k in range(count):
        columns[:, k] = left.argmin(axis=1)
        left[rows, columns[:, k]] = np.inf
    return columns, np.take_along_axis(table, columns, axis=1)


def _distinct(poses: list[Pose]) -> list[Pose]:
    """The first distinct poses, at most 3 of each side."""
    kept: list[Pose] = []
    for pose in poses:
        alike = [other for other in kept if other.reflects == pose.reflects]
        if len(alike) < OF_A_SIDE and all(pose.angle_to(other) > APART for other in alike):
            kept.append(pose)
    return kept
