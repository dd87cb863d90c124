"""
The same points on every specimen
=================================

Landmarks that are placed on each specimen independently do not correspond. Matching finds maps
between specimens, and carries the landmarks of one to all.
"""

# %%
# Four molars that differ in shape, and a map between each of them and the reference.
import matplotlib.pyplot as plt
import numpy as np

import gplandmark
from gplandmark.morphometrics.analysis import generalised_procrustes, principal_components

molars = [gplandmark.make_molar(seed, vertex_count=1500) for seed in range(4)]
sample = gplandmark.match_sample([molar.surface for molar in molars])
print("reference:", molars[sample.reference].surface.name)

# %%
# Thirty landmarks are placed on the reference, and carried to the others.
reference = molars[sample.reference].surface
landmarks = gplandmark.place(reference, 30)
carried = gplandmark.carry_landmarks(sample, landmarks)
for each in carried:
    print(each.specimen, each.points.shape)

# %%
# Number 7 of one is now number 7 of another. Every landmark has an expected error, and those that
# are too uncertain are missing.
gplandmark.picture(molars[1].surface, carried[1])

# %%
# How far are they from the true places? For generated molars these are known: the place on the
# disc that each vertex of the reference comes from has a counterpart on every other molar.
places = molars[sample.reference].places[reference.vertices_of(landmarks.vertices)]
for molar, each in zip(molars, carried, strict=True):
    error = np.linalg.norm(each.points - molar.at(places), axis=1)
    print(f"{each.specimen}: median distance {np.nanmedian(error):.2f} on a molar 5 long")

# %%
# What differs between them is shape, once position, size and orientation are removed.
components = principal_components(generalised_procrustes(carried))
figure, axes = plt.subplots(figsize=(4, 3.5), layout="constrained")
axes.scatter(*components.scores[:, :2].T)
for name, score in zip(components.names, components.scores, strict=True):
    axes.annotate(name, score[:2], textcoords="offset points", xytext=(4, 4))
first, second = components.variance_fractions[:2]
axes.set(xlabel=f"component 1 ({first:.0%})", ylabel=f"component 2 ({second:.0%})")
axes.margins(0.25)
plt.show()
