"""The simple baselines for maps between specimens, which ours are measured beside.

`carried`: unit area, principal axes with all eight signs, 25 steps of iterative closest points from
600 points, the best of eight, and the nearest vertex.

`carried_by_similarity`: the same made strong. Closest points in both directions, with a scale: each
start with 600 points drawn by area, the best of them then with 5,000 until it rests.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.spatial import cKDTree

from gplandmark import Surface
from gplandmark.landmarks.baselines import farthest_point
from gplandmark.mesh import principal_frame, surface_area, vertex_areas

POINTS, STEPS = 600, 25
DRAWN, MOST, RESTING = 5000, 100, 1e-6  # points and steps of the last fit, and where it ends


@dataclass(frozen=True, eq=False)
class Similarity:
    """x -> a x Q + s, with Q orthogonal; a reflection if det Q = -1."""

    rotation: np.ndarray
    shift: np.ndarray
    scale: float = 1.0

    def at(self, points: np.ndarray) -> np.ndarray:
        """Points of the source on the target."""
        return self.scale * points @ self.rotation + self.shift

    def back(self, points: np.ndarray) -> np.ndarray:
        """Points of the target on the source."""
        return (points - self.shift) @ self.rotation.T / self.scale


def spread(surface: Surface) -> np.ndarray:
    """Vertices far from each other."""
    return surface.vertices_of(farthest_point(surface, POINTS).vertices)


def drawn(surface: Surface) -> np.ndarray:
    """Vertices at random, by area, always the same."""
    areas = vertex_areas(surface)
    count = min(DRAWN, np.count_nonzero(areas))
    return np.random.default_rng(0).choice(len(areas), count, replace=False, p=areas / areas.sum())


class Specimen:
    """Vertices in principal axes and unit area, some of them, and a tree of all.

    The axes are right-handed, so that a reflection between two specimens is one of their files.
    """

    def __init__(self, surface: Surface, chosen: Callable[[Surface], np.ndarray] = spread) -> None:
        self.surface = surface
        self.centre, self.axes = principal_frame(surface)
        self.axes[2] *= np.linalg.det(self.axes)
        self.size = np.sqrt(surface_area(surface))
        self.vertices = self.placed(surface.points)
        self.points = self.vertices[chosen(surface)]
        self.tree = cKDTree(self.vertices)

    def placed(self, points: np.ndarray) -> np.ndarray:
        """Points of the file, in principal axes and unit area."""
        return (points - self.centre) @ self.axes.T / self.size

    def nearest(self, points: np.ndarray) -> np.ndarray:
        """The nearest vertices, as points."""
        return self.vertices[self.tree.query(points)[1]]


def fitted(
    ours: np.ndarray, theirs: np.ndarray, sign: float, *, scaled: bool = False
) -> Similarity:
    """Best rotation and shift of paired points, a reflection if the sign is -1.

    The scale is the ratio of the spreads, which is the same from either side (Horn 1987).
    """
    one, two = ours.mean(axis=0), theirs.mean(axis=0)
    left, _, right = np.linalg.svd((ours - one).T @ (theirs - two))
    left[:, 2] *= np.sign(np.linalg.det(left @ right)) * sign
    rotation = left @ right
    scale = np.linalg.norm(theirs - two) / np.linalg.norm(ours - one) if scaled else 1.0
    return Similarity(rotation, two - scale * one @ rotation, float(scale))


def closest_points(source: Specimen, target: Specimen) -> tuple[Similarity, float]:
    """The best of eight starts, and its root mean square distance."""
    found = []
    for signs in product((1.0, -1.0), repeat=3):
        pose = Similarity(np.diag(signs), np.zeros(3))
        for _ in range(STEPS):
            near = target.nearest(pose.at(source.points))
            pose = fitted(source.points, near, np.prod(signs))
        distances = target.tree.query(pose.at(source.points))[0]
        found.append((pose, float(np.sqrt((distances**2).mean()))))
    return min(found, key=lambda each: each[1])


def carried(source: Specimen, target: Specimen, vertices: np.ndarray) -> tuple[np.ndarray, float]:
    """Vertices of the source as vertices of the target, and the distance of the two."""
    pose, distance = closest_points(source, target)
    return target.tree.query(pose.at(source.vertices[vertices]))[1], distance


def pairs(
    source: Specimen, target: Specimen, pose: Similarity, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Points of the source and of the target, the closest to each other in both directions."""
    ours, theirs = source.points[:count], target.points[:count]
    forth, back = target.nearest(pose.at(ours)), source.nearest(pose.back(theirs))
    return np.vstack([ours, back]), np.vstack([forth, theirs])


def refined(
    source: Specimen, target: Specimen, pose: Similarity, count: int, steps: int
) -> Similarity:
    """Closest points in both directions, until the source moves no more."""
    sign = np.sign(np.linalg.det(pose.rotation))
    for _ in range(steps):
        before, pose = pose, fitted(*pairs(source, target, pose, count), sign, scaled=True)
        moved = pose.at(source.points[:POINTS]) - before.at(source.points[:POINTS])
        if np.abs(moved).max() < RESTING:
            break
    return pose


def distance(source: Specimen, target: Specimen, pose: Similarity) -> float:
    """Root mean square distance of both from each other."""
    ours, theirs = pairs(source, target, pose, POINTS)
    return float(np.sqrt(((pose.at(ours) - theirs) ** 2).sum(axis=1).mean()))


def similarity(source: Specimen, target: Specimen, *, reflections: bool) -> Similarity:
    """The pose and scale of the best start; of four, or of eight with reflections."""
    starts = [
        Similarity(np.diag(signs), np.zeros(3))
        for signs in product((1.0, -1.0), repeat=3)
        if reflections or np.prod(signs) > 0
    ]
    tried = [refined(source, target, start, POINTS, STEPS) for start in starts]
    best = min(tried, key=lambda pose: distance(source, target, pose))
    return refined(source, target, best, DRAWN, MOST)


def carried_by_similarity(
    source: Surface, target: Surface, points: np.ndarray, *, reflections: bool
) -> np.ndarray:
    """Points of the source's file as vertices of the target, in its file's coordinates."""
    here, there = Specimen(source, drawn), Specimen(target, drawn)
    pose = similarity(here, there, reflections=reflections)
    return target.points[there.tree.query(pose.at(here.placed(points)))[1]]
