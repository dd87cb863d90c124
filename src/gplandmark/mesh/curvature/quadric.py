# SPDX-License-Identifier: MIT
"""Curvature of the quadric that fits a neighbourhood best: robust, and the default."""

import warnings

import numpy as np

from gplandmark.errors import GplandmarkWarning
from gplandmark.mesh.areas import proper_triangles, surface_area
from gplandmark.mesh.curvature.estimate import Curvature, check_radius, from_neighbours
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray

__all__ = ["RADIUS", "quadric"]

RADIUS = 0.06  # of sqrt(area): measured to come closest to observers' landmarks

FEWEST_EDGES = 2  # the smallest neighbourhood that libigl accepts, in mean edges


def quadric(surface: Surface, radius: float = RADIUS) -> Curvature:
    """Curvature of the quadric fitted to the vertices within a ball (libigl).

        kappa = k1 k2,    eta = (k1 + k2) / 2

    with k1, k2 the principal curvatures of z = a x^2 + b x y + c y^2 + d x + e y, fitted by
    least squares to the vertices that are connected to x within the ball.

    Parameters
    ----------
    radius : of the ball, as a fraction of sqrt(area), 0.02 to 0.2; larger is smoother. It
        does not follow the resolution of the mesh, but on a coarse mesh it cannot be less
        than two edges, and a warning says so.
    """
    import igl

    check_radius(radius)
    used = _outwards(surface)
    number = np.full(surface.vertex_count, -1)
    number[used] = np.arange(len(used))
    triangles = _without_repeats(number[proper_triangles(surface)])
    points = surface.points[used] - surface.points[used].mean(axis=0)
    reach = _reach(points, triangles, radius * np.sqrt(surface_area(surface)), surface.name)
    points, triangles = _with_mean_edge(points, triangles, reach / FEWEST_EDGES)
    _, _, first, second, bad = igl.principal_curvature(points, triangles, FEWEST_EDGES, False)
    principal = np.full((surface.vertex_count, 2), np.nan)
    principal[used] = np.column_stack([first, second])[: len(used)]
    principal[used[[index for index in bad if index < len(used)]]] = np.nan
    unknown = ~np.isfinite(principal).all(axis=1)
    return Curvature(
        from_neighbours(surface, principal.prod(axis=1), unknown),
        from_neighbours(surface, principal.mean(axis=1), unknown),
    )


def _outwards(surface: Surface) -> IndexArray:
    """Vertices with a triangle, from the one nearest to their centre to the farthest.

    libigl lays the frame of a fit through the neighbour with the lowest number, and its
    result depends slightly on the frame. An order that belongs to the shape makes the result
    independent of how the file numbers its vertices, and of its pose.
    """
    used = np.unique(proper_triangles(surface))
    points = surface.points[used]
    distances = np.linalg.norm(points - points.mean(axis=0), axis=1)
    return np.asarray(used[np.argsort(distances, kind="stable")])


def _without_repeats(triangles: IndexArray) -> IndexArray:
    """Keep one of triangles with the same corners: libigl crashes on some surfaces with repeats."""
    _, first = np.unique(np.sort(triangles, axis=1), axis=0, return_index=True)
    return np.asarray(triangles[np.sort(first)])


def _mean_side(points: FloatArray, triangles: IndexArray) -> float:
    """Mean side of the triangles, inner edges counted twice, as libigl does."""
    sides = points[triangles] - points[triangles[:, [1, 2, 0]]]
    return float(np.linalg.norm(sides, axis=2).mean())


def _reach(points: FloatArray, triangles: IndexArray, radius: float, name: str) -> float:
    smallest = FEWEST_EDGES * _mean_side(points, triangles)
    if radius < smallest:
        warnings.warn(
            f"The mesh of {name} is coarse: its curvature is measured over {FEWEST_EDGES} mean "
            f"edges ({smallest:.3g}) instead of the radius that was asked for ({radius:.3g}).",
            GplandmarkWarning,
            stacklevel=2,
        )
    return max(radius, smallest)


def _with_mean_edge(
    points: FloatArray, triangles: IndexArray, mean: float
) -> tuple[FloatArray, IndexArray]:
    """Add one detached triangle so large that the mean side of the mesh becomes `mean`.

    libigl measures its ball in whole mean edges. The detached triangle is connected to
    nothing and so in no neighbourhood, but lets the ball have any radius.
    """
    count = len(triangles)
    side = mean * (count + 1) - _mean_side(points, triangles) * count
    corners = side * np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, np.sqrt(0.75), 0.0]])
    vertices = len(points) + np.arange(3)
    return np.vstack([points, points.max(axis=0) + mean + corners]), np.vstack(
        [triangles, vertices]
    )
