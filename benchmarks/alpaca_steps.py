"""ALPACA, SlicerMorph's automatic landmarking, step by step with the packages that it uses itself.

Both are thinned to voxels, the rigid steps find the pose, coherent point drift (cpdalp) bends the
template and its landmarks, and these are moved along the normals of the bent template onto the
target. The values are ALPACA's defaults. Where the packages of the rigid steps cannot be had, or no
random search is wanted, the pose of our similarity ICP starts the drift, which is generous.
"""

import igl
import numpy as np
from alpaca_rigid_steps import ITERATIONS, packages, rigid_pose
from nearest_vertex_after_icp import Similarity, Specimen, drawn, similarity
from scipy.interpolate import RBFInterpolator
from scipy.spatial import cKDTree

from gplandmark import Surface
from gplandmark.mesh.areas import proper_triangles

VOXELS = 55  # of the target's diagonal, at a point density of 1
ALPHA, BETA, STEPS, RESTING = 2.0, 2.0, 100, 0.001  # of the drift
EXTENT = 25.0  # of the target along each axis, during the drift
PROJECTION = 0.01  # of the target's diagonal: how far a landmark is moved along its normal


def diagonal(points: np.ndarray) -> float:
    return float(np.linalg.norm(np.ptp(points, axis=0)))


def thinned(points: np.ndarray, voxel: float) -> np.ndarray:
    """The mean of the points of each voxel."""
    cells = np.floor((points - points.min(axis=0)) / voxel).astype(np.int64)
    group = np.unique(cells, axis=0, return_inverse=True)[1].ravel()
    counts = np.bincount(group)
    return np.column_stack([np.bincount(group, axis) / counts for axis in points.T])


def given_pose(template: Surface, target: Surface) -> Similarity:
    """The pose of our similarity ICP, between the coordinates of the two files."""
    here, there = Specimen(template, drawn), Specimen(target, drawn)
    found = similarity(here, there, reflections=False)
    scale = found.scale * there.size / here.size
    rotation = here.axes.T @ found.rotation @ there.axes
    shift = found.shift @ there.axes * there.size + there.centre - scale * here.centre @ rotation
    return Similarity(rotation, shift, scale)


def searched_pose(template: Surface, target: Surface, voxel: float, iterations: int) -> Similarity:
    """The pose of the rigid steps, after diagonals were made equal."""
    factor = diagonal(target.points) / diagonal(template.points)
    ours, theirs = thinned(factor * template.points, voxel), thinned(target.points, voxel)
    found = rigid_pose(packages(), ours, theirs, voxel, iterations)
    return Similarity(found.rotation, found.shift, factor * found.scale)


def drifted(ours: np.ndarray, theirs: np.ndarray, landmarks: np.ndarray) -> np.ndarray:
    """Landmarks after coherent point drift of the template's cloud with them."""
    from cpdalp import DeformableRegistration

    scale = EXTENT / np.ptp(theirs, axis=0)
    drift = DeformableRegistration(
        X=theirs * scale,
        Y=np.vstack([ours, landmarks]) * scale,
        max_iterations=STEPS,
        tolerance=RESTING,
        low_rank=True,
        alpha=ALPHA,
        beta=BETA,
    )
    return drift.register()[0][-len(landmarks) :] / scale


def crossings(surface: Surface, origin: np.ndarray, along: np.ndarray) -> np.ndarray:
    """Where a line from a point meets the surface, as shares of its length, the nearest first."""
    corners = surface.points[proper_triangles(surface)] - origin
    one, two = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    across = np.cross(along, two)
    volume = np.einsum("ij,ij->i", one, across)
    with np.errstate(divide="ignore", invalid="ignore"):
        second = -np.einsum("ij,ij->i", corners[:, 0], across) / volume
        turned = np.cross(-corners[:, 0], one)
        third = turned @ along / volume
        shares = np.einsum("ij,ij->i", turned, two) / volume
    met = (second >= 0) & (third >= 0) & (second + third <= 1) & (shares >= 0) & (shares <= 1)
    return np.sort(shares[met])


def projected(bent: Surface, target: Surface, landmarks: np.ndarray) -> np.ndarray:
    """Landmarks on the target: outermost along the normal, else inwards, else at a vertex."""
    normals = igl.per_vertex_normals(bent.points, proper_triangles(bent))
    reach = PROJECTION * diagonal(target.points)
    near = cKDTree(bent.points[bent.covered()]).query(landmarks)[1]
    vertices, found = cKDTree(target.points), []
    for point, normal in zip(landmarks, normals[bent.covered()][near], strict=True):
        outwards = crossings(target, point, reach * normal)
        inwards = crossings(target, point, -reach * normal)
        if len(outwards):
            found.append(point + outwards[-1] * reach * normal)
        elif len(inwards):
            found.append(point - inwards[0] * reach * normal)
        else:
            found.append(target.points[vertices.query(point)[1]])
    return np.array(found)


def carried_by_alpaca(
    template: Surface, target: Surface, landmarks: np.ndarray, iterations: int = ITERATIONS
) -> np.ndarray:
    """Landmarks of the template on the target, both in their files' coordinates."""
    voxel = diagonal(target.points) / VOXELS
    factor = diagonal(target.points) / diagonal(template.points)
    pose = (
        searched_pose(template, target, voxel, iterations)
        if iterations and packages() is not None
        else given_pose(template, target)
    )
    placed = pose.at(landmarks)
    cloud = pose.at(thinned(factor * template.points, voxel) / factor)
    bent = drifted(cloud, thinned(target.points, voxel), placed)
    warp = RBFInterpolator(
        placed, bent, kernel="linear", degree=1
    )  # the thin-plate spline of space
    moved = Surface(warp(pose.at(template.points)), template.triangles, template.name)
    return projected(moved, target, bent)
