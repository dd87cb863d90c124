"""
Landmarks on a tooth
====================

From a surface to landmarks, a picture, a table and a file.
"""

# %%
# A surface comes from a file, ``gplandmark.read("tooth.ply")``, or from a mesh of another
# library: `place` takes paths, arrays ``(vertices, triangles)`` and meshes of trimesh, PyVista,
# Open3D or meshio. Here we generate a molar, whose cusps are known.
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import gplandmark

molar = gplandmark.make_molar()
molar.surface

# %%
# Forty landmarks. The first are cusps and other sharp features, then come ridges and basins.
landmarks = gplandmark.place(molar.surface, 40)
landmarks.picture(colour="variance")

# %%
# Landmarks behave as a sequence of points and as an array. They are nested: the first twenty of
# forty are the twenty that one would get by asking for twenty.
twenty = gplandmark.place(molar.surface, 20)
print(len(landmarks), np.asarray(landmarks).shape)
print(bool((landmarks[:20].points == twenty.points).all()))

# %%
# How close do they come to the cusps, in the units of the surface?
distances = np.linalg.norm(molar.cusps[:, None] - landmarks.points, axis=2).min(axis=1)
print(distances.round(2))

# %%
# The variance of each landmark before it was picked shows how much it adds.
figure, axes = plt.subplots(figsize=(5, 3), layout="constrained")
axes.semilogy(1 + np.arange(40), landmarks.variances / landmarks.variances[0], "o-", markersize=3)
axes.set(xlabel="landmark", ylabel="largest variance, relative")
plt.show()

# %%
# More landmarks are added without starting again, here until 1 % of the variance is left.
more = gplandmark.place(molar.surface, target=0.01, after=landmarks)
print(more)

# %%
# ``columns`` gives a table, ``to_dataframe`` one of pandas and ``to_xarray`` an array of xarray.
# ``save`` writes a file for 3D Slicer, R or another program, by its extension.
print(landmarks.columns()["vertex"][:5])
with tempfile.TemporaryDirectory() as folder:
    landmarks.save(Path(folder) / "tooth.mrk.json")
    print(sorted(path.name for path in Path(folder).iterdir()))
