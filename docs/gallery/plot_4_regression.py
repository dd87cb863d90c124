"""
Regression on a surface
=======================

Values everywhere from values at a few landmarks, with their uncertainty; parameters of the
kernel from the data; an unknown trend; samples; and values between the vertices.
"""

# %%
# A quantity on a molar that we can measure at 120 places, with some error: the thickness of its
# enamel, say.
import matplotlib.pyplot as plt
import numpy as np

import gplandmark
from gplandmark.gp.kernels import MaternKernel

surface = gplandmark.make_molar(vertex_count=2500).surface
x, y, z = surface.points.T
thickness = 1.2 + 0.1 * x + 0.3 * np.sin(1.5 * x) * np.cos(1.2 * y)

landmarks = gplandmark.place(surface, 120)
measured = surface.vertices_of(landmarks.vertices)
rng = np.random.default_rng(0)
values = thickness[measured] + 0.05 * rng.standard_normal(120)

# %%
# The bandwidth and the noise are chosen by the likelihood of the values. ``scale`` turns
# variances of the kernel into those of the values.


def matern(eps):
    """A kernel over all vertices for each bandwidth."""
    return MaternKernel(surface.points, eps)


fitted = gplandmark.fit_kernel(matern, measured, values - values.mean(), start={"eps": 2.0})
print(f"bandwidth {fitted.parameters['eps']:.1f}, noise {fitted.noise * fitted.scale:.4f}")

# %%
# Universal kriging: the mean is an unknown linear function of x and y.
trend = np.column_stack([np.ones_like(x), x, y])
prediction = gplandmark.krige(fitted.kernel, measured, values, noise=fitted.noise, trend=trend)
error = prediction.mean - thickness
deviation = np.sqrt(fitted.scale) * prediction.standard_deviation
print(f"root mean square error {np.sqrt((error**2).mean()):.3f}")
print(f"within two standard deviations: {(np.abs(error) < 2 * deviation).mean():.0%}")

figure, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
for panel, shown, title in zip(
    axes, (prediction.mean, deviation), ("predicted", "standard deviation"), strict=True
):
    drawn = panel.tripcolor(x, y, surface.triangles, shown, shading="gouraud")
    panel.plot(x[measured], y[measured], "k.", markersize=3)
    panel.set(aspect="equal", title=title)
    panel.set_axis_off()
    figure.colorbar(drawn, ax=panel, shrink=0.8)
plt.show()

# %%
# Samples are functions that the values allow. Their spread is the uncertainty.
row = np.argsort(x)[::25]
samples = gplandmark.posterior_samples(
    fitted.kernel, measured, values, row, count=20, noise=fitted.noise, mean=values.mean()
)
print(samples.shape)

# %%
# Kernels with a formula in space predict between the vertices, too: here at the centres of
# triangles.
centres = surface.points[surface.triangles].mean(axis=1)
between = gplandmark.krige_at(
    fitted.kernel, measured, values, centres, noise=fitted.noise, mean=float(values.mean())
)
print(between.mean.shape)
