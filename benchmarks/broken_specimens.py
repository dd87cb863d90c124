"""Specimens broken on purpose: cut by planes to a share of their area, rough or bitten, turned."""

from dataclasses import dataclass, replace

import numpy as np
import scipy

from gplandmark import Surface
from gplandmark.landmarks.on_surface import distances_off
from gplandmark.mesh import surface_area
from gplandmark.mesh.areas import triangle_areas

NOISE = 0.003  # of sqrt(area): standard deviation of every coordinate of a rough one
BITE = 0.12  # of sqrt(area): radius of the sphere that takes a bite
ABSENT = 0.01  # of sqrt(area): a landmark farther than this from what is left is absent
WAYS = ("clean", "clean", "clean", "clean", "rough", "bitten")  # a third is damaged further


@dataclass(frozen=True, eq=False)
class Fragment:
    """A part of a specimen.

    Attributes
    ----------
    surface : what is left, in another pose
    points : (k, 3) where the expert's landmarks of the whole specimen come to lie in that pose
    absent : (k,) which of them lie on what was removed
    way : how it was damaged beyond the cut
    """

    surface: Surface
    points: np.ndarray
    absent: np.ndarray
    way: str


def broken(
    surface: Surface, points: np.ndarray, share: float, planes: int, seed: tuple[int, ...]
) -> Fragment:
    """Cut a specimen by one or two random planes to a share of its area."""
    random = np.random.default_rng(seed)
    way = WAYS[int(random.integers(len(WAYS)))]
    kept = np.ones(len(surface.faces()), dtype=bool)
    for number in range(1, planes + 1):
        kept &= beyond_random_plane(surface, kept, share ** (number / planes), random)
    length = np.sqrt(surface_area(surface))
    if way == "bitten":
        centres = surface.points[surface.faces()].mean(axis=1)
        middle = centres[random.choice(np.flatnonzero(kept))]
        kept &= np.linalg.norm(centres - middle, axis=1) > BITE * length
    left = largest_part(surface, kept)
    absent = distances_off(left, points) > distances_off(surface, points) + ABSENT * length
    if way == "rough":
        noise = random.normal(scale=NOISE * length, size=left.points.shape)
        left = replace(left, points=left.points + noise)
    turn = scipy.spatial.transform.Rotation.random(random_state=random).as_matrix()
    moved = replace(left, points=left.points @ turn, name=f"part of {surface.name}")
    return Fragment(moved, points @ turn, absent, way)


def beyond_random_plane(
    surface: Surface, kept: np.ndarray, share: float, random: np.random.Generator
) -> np.ndarray:
    """Which triangles lie beyond a plane that leaves a share of the entire area, of those kept."""
    direction = random.normal(size=3)
    heights = surface.points[surface.faces()].mean(axis=1) @ direction
    areas = triangle_areas(surface)
    order = np.flatnonzero(kept)[np.argsort(-heights[kept])]
    last = int(np.searchsorted(np.cumsum(areas[order]), share * areas.sum()))
    return np.asarray(heights >= heights[order[min(last, len(order) - 1)]])


def largest_part(surface: Surface, kept: np.ndarray) -> Surface:
    """The largest connected part of some triangles, as cleaning would leave it."""
    faces = surface.faces()[kept]
    count = surface.vertex_count
    sides = np.vstack([faces[:, [0, 1]], faces[:, [1, 2]]])
    graph = scipy.sparse.coo_matrix((np.ones(len(sides)), sides.T), shape=(count, count))
    part = scipy.sparse.csgraph.connected_components(graph, directed=False)[1][faces[:, 0]]
    areas = triangle_areas(surface)[kept]
    faces = faces[part == np.argmax(np.bincount(part, areas))]
    vertices, triangles = np.unique(faces, return_inverse=True)
    return Surface(surface.points[vertices], triangles.reshape(-1, 3), surface.name)
