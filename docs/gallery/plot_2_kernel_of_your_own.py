"""
A kernel of your own
====================

Selection, designs and regression work with any covariance: a matrix, a function with its
points, an operator, a kernel of scikit-learn, GPyTorch or GeometricKernels, or an object of
yours.
"""

# %%
# The points are the vertices of a molar. The covariance decays along the surface, and not through
# it: an exponential of distances on the mesh is not always a covariance, so we take a heat kernel
# made from the Laplacian. Any matrix is checked: it must be symmetric and positive semidefinite.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.gaussian_process.kernels import Matern

import gplandmark
from gplandmark.mesh import spectrum

surface = gplandmark.make_molar(vertex_count=1500).surface
found = spectrum(surface, 120, boundary="neumann")
decay = np.exp(-0.01 * found.area * found.values)
matrix = (found.functions * decay) @ found.functions.T
kernel = gplandmark.as_kernel(matrix)
print(kernel)

# %%
# ``select`` picks the points of largest variance one by one.
selection = gplandmark.select(kernel, 30)
print(selection.indices[:10], selection.stopped)

# %%
# A covariance function comes with its points. Nothing larger than a column is computed.


def periodic(points, others):
    """Covariance of points on a circle, given by their angle."""
    return np.exp(-2 * np.sin((points - others.T) / 2) ** 2 / 0.3**2)


angles = np.linspace(0, 2 * np.pi, 500, endpoint=False)[:, None]
on_circle = gplandmark.select((periodic, angles), 8)
print(np.degrees(np.sort(angles[on_circle.indices, 0])).round())

# %%
# So does a kernel of scikit-learn.
matern = gplandmark.as_kernel((Matern(length_scale=1.0, nu=1.5), surface.points))
print(gplandmark.select(matern, 5).indices)

# %%
# An object needs a size, a diagonal and columns: a linear model, for example, whose covariance is
# a product of features.


class Linear:
    """Covariance F F^T of features F, shape (n, p)."""

    def __init__(self, features):
        self.features, self.size = features, len(features)

    def diagonal(self):
        return (self.features**2).sum(axis=1)

    def columns(self, indices):
        return self.features @ self.features[indices].T


plane = Linear(np.column_stack([np.ones(surface.vertex_count), surface.points[:, :2]]))
few = gplandmark.select(gplandmark.as_kernel(plane), 10)
print(len(few.indices), few.stopped)  # three points determine a plane

# %%
# Active learning on the mesh: we ask for the height of the surface where it is least certain,
# until the standard deviation is below 0.3 everywhere.
height = surface.points[:, 2]
lesson = gplandmark.learn(
    kernel, lambda vertex: height[vertex], tolerance=0.3, mean=float(height.mean())
)
error = np.abs(lesson.prediction.mean - height)
print(len(lesson.indices), "questions, mean error", error.mean().round(3))

figure, axes = plt.subplots(figsize=(5, 3), layout="constrained")
axes.semilogy(lesson.errors)
axes.set(xlabel="question", ylabel="largest standard deviation")
plt.show()

# %%
# A design changes one point at a time, and always has the remaining variance.
design = gplandmark.Design(kernel, selection.indices[:10])
before = design.variance.mean()
design.add(int(selection.indices[10]))
design.remove(int(selection.indices[0]))
print(bool(design.variance.mean() < before))
