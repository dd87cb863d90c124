"""ALPACA's rigid steps with the packages that it uses itself: from two clouds to a pose and scale.

Features of points (FPFH), a random search among pairs of like features (RANSAC), then closest
points to planes. Lengths are in voxels, the values are ALPACA's defaults.
"""

import ctypes
import sys
from pathlib import Path

import numpy as np
from nearest_vertex_after_icp import Similarity
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

NEIGHBOURS = 30  # of the normals that features are made from
FEATURE_RADIUS, FEATURE_NEIGHBOURS = 5.0, 100
INLIER, DRAWN, EDGES, SURE = 3.0, 3, 0.9, 0.99  # of the random search
ITERATIONS = 1_000_000
FITS, ATTEMPTS = 0.99, 10  # share of inliers below which a scale is tried, so many times
NORMAL_RADIUS, CLOSEST, STEPS, RESTING = 2.0, 1.5, 30, 1e-6  # of the closest points


def packages():
    """The toolkit with its two modules, or None where they cannot be had."""
    threads = Path(sys.prefix) / "lib" / "libtbb.so.12"
    if threads.exists():  # of an environment of its own, where the loader does not look
        ctypes.CDLL(str(threads), mode=ctypes.RTLD_GLOBAL)
    try:
        import itk

        found = itk.Fpfh.PointFeature, itk.RANSAC, itk.Ransac.LandmarkRegistrationEstimator
    except (ImportError, AttributeError):
        return None
    itk.MultiThreaderBase.SetGlobalMaximumNumberOfThreads(1)
    return itk if all(found) else None


def smallest_axes(points: np.ndarray, around: list[np.ndarray]) -> np.ndarray:
    """Normals (n, 3): the directions in which the points around each spread least."""
    normals = np.zeros_like(points)
    for number, near in enumerate(around):
        if len(near) < 3:
            normals[number, 0] = 1.0
        else:
            normals[number] = np.linalg.eigh(np.cov(points[near].T))[1][:, 0]
    return normals


def features(itk, points: np.ndarray, voxel: float) -> np.ndarray:
    """What the surroundings of each point look like, (n, 33); normals face the origin."""
    normals = smallest_axes(points, list(cKDTree(points).query(points, NEIGHBOURS)[1]))
    normals[np.einsum("ij,ij->i", normals, points) > 0] *= -1
    clouds = []
    for values in (points, normals):
        cloud = itk.PointSet[itk.F, 3].New()
        cloud.SetPoints(itk.vector_container_from_array(values.astype(np.float32).ravel()))
        clouds.append(cloud)
    made = itk.Fpfh.PointFeature.MF3MF3.New()
    made.ComputeFPFHFeature(*clouds, FEATURE_RADIUS * voxel, FEATURE_NEIGHBOURS)
    return itk.array_from_vector_container(made.GetFpfhFeature()).reshape(33, len(points)).T


def alike(ours: np.ndarray, theirs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of those that are each other's nearest."""
    forth, back = cKDTree(theirs).query(ours)[1], cKDTree(ours).query(theirs)[1]
    mutual = np.flatnonzero(back[forth] == np.arange(len(ours)))
    return mutual, forth[mutual]


def six(itk, ours: np.ndarray, theirs: np.ndarray):
    """Pairs of points as the search wants them."""
    pairs = itk.vector[itk.Point[itk.D, 6]]()
    for row in np.hstack([ours, theirs]):
        pairs.push_back([float(value) for value in row])
    return pairs


def searched(itk, clouds, paired, reach: float, iterations: int, *, scaled: bool) -> Similarity:
    """The pose with most inliers among those of three random pairs each."""
    kind = (itk.Similarity3DTransform if scaled else itk.VersorRigid3DTransform)[itk.D]
    fewer = min(len(cloud) for cloud in clouds)
    shuffled = [np.random.default_rng(0).permutation(cloud)[:fewer] for cloud in clouds]
    data, agreeing = six(itk, *paired), six(itk, *shuffled)
    estimator = itk.Ransac.LandmarkRegistrationEstimator[6, kind].New()
    estimator.SetMinimalForEstimate(DRAWN)
    estimator.SetAgreeData(agreeing)
    estimator.SetDelta(reach)
    found = itk.vector.D()
    estimator.LeastSquaresEstimate(data, found)
    search = itk.RANSAC[itk.Point[itk.D, 6], itk.D, kind].New()
    search.SetData(data)
    search.SetAgreeData(agreeing)
    search.SetCheckCorresspondenceDistance(not scaled)
    search.SetCheckCorrespondenceEdgeLength(EDGES)
    search.SetMaxIteration(iterations)
    search.SetNumberOfThreads(1)
    search.SetParametersEstimator(estimator)
    search.Compute(found, SURE)
    return pose_of(kind.New(), list(found))


def pose_of(transform, values: list[float]) -> Similarity:
    """A transform of the toolkit, given its numbers, in our notation."""
    moving, fixed = transform.GetParameters(), transform.GetFixedParameters()
    for number in range(moving.GetSize()):
        moving.SetElement(number, values[number])
    for number in range(fixed.GetSize()):
        fixed.SetElement(number, values[moving.GetSize() + number])
    transform.SetFixedParameters(fixed)
    transform.SetParameters(moving)
    matrix = np.array([[transform.GetMatrix()(i, j) for j in range(3)] for i in range(3)])
    scale = float(np.cbrt(np.linalg.det(matrix)))
    return Similarity(matrix.T / scale, np.array(list(transform.GetOffset())), scale)


def share_near(ours: np.ndarray, tree: cKDTree, pose: Similarity, reach: float) -> float:
    return float(np.mean(tree.query(pose.at(ours))[0] < reach))


def found_by_features(itk, ours, theirs, voxel: float, iterations: int) -> Similarity:
    """The pose by features: rigid, and where that fits badly the best of several with a scale."""
    here, there = alike(features(itk, ours, voxel), features(itk, theirs, voxel))
    paired, tree, reach = (ours[here], theirs[there]), cKDTree(theirs), INLIER * voxel
    best = searched(itk, (ours, theirs), paired, reach, iterations, scaled=False)
    fit = latest = share_near(ours, tree, best, reach)
    for _ in range(ATTEMPTS):
        if latest >= FITS:
            break
        pose = searched(itk, (ours, theirs), paired, reach, iterations, scaled=True)
        latest = share_near(ours, tree, pose, reach)
        if latest > fit:
            best, fit = pose, latest
    return best


def to_planes(ours: np.ndarray, theirs: np.ndarray, voxel: float) -> Similarity:
    """Rigid motion of points onto the planes of their closest points, the far ones left out."""
    tree = cKDTree(theirs)
    normals = smallest_axes(theirs, tree.query_ball_point(theirs, NORMAL_RADIUS * voxel))
    rotation, shift, last = np.eye(3), np.zeros(3), 0.0
    for _ in range(STEPS):
        moved = ours @ rotation + shift
        distances, near = tree.query(moved)
        kept = distances < CLOSEST * voxel
        points, planes = moved[kept], normals[near[kept]]
        rows = np.hstack([np.cross(points, planes), planes])
        heights = np.einsum("ij,ij->i", planes, theirs[near[kept]] - points)
        step = np.linalg.lstsq(rows, heights, rcond=None)[0]
        turn = Rotation.from_euler("xyz", step[:3]).as_matrix().T
        rotation, shift = rotation @ turn, shift @ turn + step[3:]
        if abs(last - distances[kept].mean()) < RESTING:
            break
        last = distances[kept].mean()
    return Similarity(rotation, shift)


def rigid_pose(itk, ours, theirs, voxel: float, iterations: int = ITERATIONS) -> Similarity:
    """Pose and scale of a cloud on another, both thinned to voxels."""
    first = found_by_features(itk, ours, theirs, voxel, iterations)
    then = to_planes(first.at(ours), theirs, voxel)
    return Similarity(first.rotation @ then.rotation, then.at(first.shift), first.scale)
