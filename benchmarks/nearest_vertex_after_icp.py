"""The simple baseline for maps between specimens, which ours is measured beside.

Unit area, principal axes with all eight signs, 25 steps of iterative closest points from 600
points, the best of eight, and the nearest vertex.
"""

from itertools import product

import numpy as np
from scipy.spatial import cKDTree

from gplandmark import Surface
from gplandmark.baselines import farthest_point
from gplandmark.geometry import principal_frame, surface_area

POINTS, STEPS = 600, 25


class Specimen:
    """Vertices in principal axes and unit area, some of them, and a tree of all."""

    def __init__(self, surface: Surface) -> None:
        centre, axes = principal_frame(surface)
        self.vertices = (surface.points - centre) @ axes.T / np.sqrt(surface_area(surface))
        some = surface.vertices_of(farthest_point(surface, POINTS).vertices)
        self.points = self.vertices[some]
        self.tree = cKDTree(self.vertices)


def fitted(ours: np.ndarray, theirs: np.ndarray, sign: float) -> tuple[np.ndarray, np.ndarray]:
    """Best rotation and shift of paired points, a reflection if the sign is -1."""
    one, two = ours.mean(axis=0), theirs.mean(axis=0)
    left, _, right = np.linalg.svd((ours - one).T @ (theirs - two))
    left[:, 2] *= np.sign(np.linalg.det(left @ right)) * sign
    return left @ right, two - one @ left @ right


def closest_points(source: Specimen, target: Specimen) -> tuple[np.ndarray, np.ndarray, float]:
    """Rotation, shift and the root mean square distance of the best of eight starts."""
    found = []
    for signs in product((1.0, -1.0), repeat=3):
        rotation, shift = np.diag(signs), np.zeros(3)
        for _ in range(STEPS):
            near = target.tree.query(source.points @ rotation + shift)[1]
            rotation, shift = fitted(source.points, target.vertices[near], np.prod(signs))
        distances = target.tree.query(source.points @ rotation + shift)[0]
        found.append((rotation, shift, float(np.sqrt((distances**2).mean()))))
    return min(found, key=lambda each: each[2])


def carried(source: Specimen, target: Specimen, vertices: np.ndarray) -> tuple[np.ndarray, float]:
    """Vertices of the source as vertices of the target, and the distance of the two."""
    rotation, shift, distance = closest_points(source, target)
    return target.tree.query(source.vertices[vertices] @ rotation + shift)[1], distance
