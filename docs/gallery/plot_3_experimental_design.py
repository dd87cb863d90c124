"""
Experimental design on a sphere, on rotations and on a graph
============================================================

Where should one measure, if one can measure at only a few places? Wherever there is a covariance,
``select`` answers this: the remaining variance falls almost as fast as it can.
"""

# %%
# A sphere
# --------
# Candidates are 4,000 points that cover the sphere evenly. The covariance is a Matérn kernel of
# the distances in space, which is a covariance on the sphere too.
import matplotlib.pyplot as plt
import numpy as np
import scipy

import gplandmark
from gplandmark.gp.kernels import MaternKernel


def fibonacci_sphere(count):
    """Points that cover the unit sphere evenly, shape (count, 3)."""
    turns = np.arange(count) * (3 - np.sqrt(5)) * np.pi
    heights = 1 - 2 * (np.arange(count) + 0.5) / count
    radius = np.sqrt(1 - heights**2)
    return np.column_stack([radius * np.cos(turns), radius * np.sin(turns), heights])


sphere = fibonacci_sphere(4000)
kernel = MaternKernel(sphere, eps=0.5)
chosen = gplandmark.select(kernel, 60)

figure = plt.figure(figsize=(4.5, 4.5), layout="constrained")
axes = figure.add_subplot(projection="3d")
axes.scatter(*sphere.T, c=chosen.variance, s=2, cmap="viridis")
axes.scatter(*sphere[chosen.indices].T, c="crimson", s=25, depthshade=False)
axes.set_box_aspect((1, 1, 1), zoom=1.6)
axes.set_axis_off()
plt.show()

# %%
# The largest remaining variance is much smaller than with random points. ``Design`` gives the
# variance for any points.
random = np.random.default_rng(0).choice(len(sphere), 60, replace=False)
design = gplandmark.Design(kernel, random)
print(f"greedy {chosen.variance.max():.3f}, random {design.variance.max():.3f}")

# %%
# Rotations
# ---------
# A rotation is a unit quaternion q, and -q is the same rotation. The inner product of quaternions
# is therefore squared: (q . r)^2 is a covariance, and so is every power series of it with
# positive terms, such as the exponential. The function gets the quaternions as they are.


def rotations_covariance(quaternions, others):
    """Covariance on SO(3), largest for equal rotations."""
    return np.exp(12 * ((quaternions @ others.T) ** 2 - 1))


quaternions = scipy.spatial.transform.Rotation.random(3000, rng=1).as_quat()
picked = gplandmark.select((rotations_covariance, quaternions), 24)
rotations = scipy.spatial.transform.Rotation.from_quat(quaternions[picked.indices])
nearest = [(rotations[:i].inv() * rotations[i]).magnitude().min() for i in range(1, 24)]
print(f"24 rotations, the closest two {np.degrees(min(nearest)):.0f} degrees apart")

# %%
# A graph
# -------
# Sensors in a network: the covariance is the regularised inverse of the graph's Laplacian,
# (L + 0.1)^-1, given as an operator. Only products with it are needed, by a sparse factorisation.
rng = np.random.default_rng(2)
places = rng.random((800, 2))
pairs = scipy.spatial.cKDTree(places).query_pairs(0.06, output_type="ndarray")
ones = np.ones(len(pairs))
half = scipy.sparse.coo_array((ones, pairs.T), shape=(800, 800))
laplacian = scipy.sparse.csgraph.laplacian((half + half.T).tocsr())
solve = scipy.sparse.linalg.splu((laplacian + 0.1 * scipy.sparse.eye_array(800)).tocsc()).solve
operator = scipy.sparse.linalg.LinearOperator(
    (800, 800), matvec=solve, matmat=solve, dtype=np.float64
)
sensors = gplandmark.select(operator, 40)

figure, axes = plt.subplots(figsize=(4.5, 4.5), layout="constrained")
axes.plot(*places[pairs].transpose(2, 1, 0), color="0.8", linewidth=0.5)
axes.scatter(*places.T, c=sensors.variance, s=8)
axes.scatter(*places[sensors.indices].T, c="crimson", s=30)
axes.set_axis_off()
plt.show()
