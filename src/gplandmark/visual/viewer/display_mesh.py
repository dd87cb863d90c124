# SPDX-License-Identifier: MIT
"""The mesh that a browser is given: the surface itself, or a coarser one of its own vertices.

Every vertex of a display mesh is a vertex of the surface, so that colours are carried over by
number and nothing is interpolated. Clicks are answered by the surface, not by this mesh.
"""

from dataclasses import dataclass

from gplandmark.errors import SettingsError
from gplandmark.mesh.decimation import coarse_mesh
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import IndexArray

__all__ = ["MOST_VERTICES", "DisplayMesh", "display_mesh"]

MOST_VERTICES = 100_000  # about 200,000 triangles, which any browser of today turns smoothly
FEWEST_VERTICES = 1_000


@dataclass(frozen=True, eq=False)
class DisplayMesh:
    """What is drawn of a surface.

    Attributes
    ----------
    vertices : (k,) vertices of the surface that are drawn
    triangles : (m, 3) corners, which count `vertices`; None for a cloud
    is_whole : whether it is the surface itself
    """

    vertices: IndexArray
    triangles: IndexArray | None
    is_whole: bool


def display_mesh(surface: Surface, most: int = MOST_VERTICES) -> DisplayMesh:
    """The surface itself if it has at most so many vertices, and else a coarser mesh of some.

    Raises
    ------
    SettingsError
        Fewer than 1,000 vertices are allowed, or the points do not lie in space.
    """
    if most < FEWEST_VERTICES:
        raise SettingsError(
            f"A display mesh needs at least {FEWEST_VERTICES:,} vertices to show anything, "
            f"got {most:,}."
        )
    if surface.points.shape[1] != 3:
        raise SettingsError(
            f"{surface.name} has points in {surface.points.shape[1]} dimensions; "
            "only those in space can be shown."
        )
    vertices, triangles = coarse_mesh(surface, most)
    return DisplayMesh(vertices, triangles, len(vertices) == int(surface.covered().sum()))
