# SPDX-License-Identifier: MIT
"""Curvature from triangles: fitted quadrics, the normal cycle and angle defects."""

import numpy as np

from gplandmark.errors import warn
from gplandmark.mesh.areas import proper_triangles, surface_area, triangle_normals, voronoi_areas
from gplandmark.mesh.curvature.estimate import Curvature, check_radius, from_neighbours
from gplandmark.mesh.edges import boundary_vertices
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.gaussian_sums import gaussian_sums
from gplandmark.numerics.native import choose_loops
from gplandmark.numerics.threads import chunks, in_background, run_threaded

QUADRIC_RADIUS = 0.06  # of sqrt(area): measured to come closest to observers' landmarks

FEWEST_EDGES = 2  # the smallest neighbourhood that libigl accepts, in mean edges


def quadric(surface: Surface, radius: float = QUADRIC_RADIUS) -> Curvature:
    """Curvature of the quadric fitted to the vertices within a ball (libigl).

        kappa = k1 k2,    eta = (k1 + k2) / 2

    with k1, k2 the principal curvatures of z = a x^2 + b x y + c y^2 + d x + e y, fitted by
    least squares to the vertices that are connected to x within the ball.

    Parameters
    ----------
    radius : of the ball, as a fraction of sqrt(area), 0.02 to 0.2; larger is smoother. It
        does not depend on the resolution of the mesh, but on a coarse mesh it cannot be less
        than two edges; a warning is then given.
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
    pair = principal.prod(axis=1), principal.mean(axis=1)
    return Curvature(*(from_neighbours(surface, each, unknown) for each in pair))


def _outwards(surface: Surface) -> IndexArray:
    """Vertices with a triangle, from the one nearest to their centre to the farthest.

    libigl chooses the frame of a fit by the neighbour with the lowest number, and its result
    depends slightly on the frame. An order that depends on the shape alone makes the result
    independent of the numbering of the vertices and of the pose.
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
        warn(
            f"The mesh of {name} is coarse: its curvature is measured over {FEWEST_EDGES} mean "
            f"edges ({smallest:.3g}) instead of the requested radius ({radius:.3g})."
        )
    return max(radius, smallest)


def _with_mean_edge(
    points: FloatArray, triangles: IndexArray, mean: float
) -> tuple[FloatArray, IndexArray]:
    """Add one detached triangle so large that the mean side of the mesh becomes `mean`.

    libigl measures its ball in integer multiples of the mean edge. The detached triangle is
    connected to nothing and so in no neighbourhood, but lets the ball have any radius.
    """
    count = len(triangles)
    side = mean * (count + 1) - _mean_side(points, triangles) * count
    corners = side * np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, np.sqrt(0.75), 0.0]])
    vertices = len(points) + np.arange(3)
    added = points.max(axis=0) + mean + corners
    return np.vstack([points, added]), np.vstack([triangles, vertices])


CHUNK = 65536  # vertices at a time
PARTS = 2  # of the edges, added at once; a fixed number, so that no digit depends on the threads
NORMAL_CYCLE_RADIUS = 0.018  # of sqrt(area): measured, as close to observers' landmarks as quadric


def normal_cycle(surface: Surface, radius: float = NORMAL_CYCLE_RADIUS) -> Curvature:
    """Curvature from the tensor of Cohen-Steiner and Morvan, which the paper cites.

        T(x) = sum_v phi(x - v) T_v / sum_v phi(x - v) nu(v),
        T_v = 1/2 sum over edges e at v of beta_e |e| e e^T

    with the unit direction e, length |e| and signed dihedral angle beta_e of an edge (Alliez et
    al. 2003); phi is a Gaussian window of width `radius` sqrt(area) in place of their ball. The
    eigenvalue smallest in magnitude belongs to the normal; the other two are the principal
    curvatures. Edges of the rim have no dihedral angle; dividing by the area within the window
    compensates for the missing side.

    Its cost per vertex does not grow as the mesh is refined.

    Parameters
    ----------
    radius : width of the window as a fraction of sqrt(area), 0.005 to 0.05
    """
    check_radius(radius)
    width = radius * np.sqrt(surface_area(surface))
    points = surface.points - surface.points.mean(axis=0)
    tensors = _vertex_tensors(points, proper_triangles(surface))
    values = np.column_stack([tensors, voronoi_areas(surface)])
    sums = gaussian_sums(points, values, width)
    is_known = surface.covered() & (sums[:, 6] > 0)
    factor = np.divide(1.0, sums[:, 6], out=np.zeros(len(sums)), where=is_known)
    curvatures = np.zeros((len(sums), 2))

    def solve(piece: slice) -> None:
        smoothed = np.ascontiguousarray(sums[piece, :6] * factor[piece, None])
        choose_loops().principal_curvatures(smoothed, curvatures[piece])

    run_threaded(solve, chunks(len(sums), CHUNK))
    return Curvature(curvatures[:, 0].copy(), curvatures[:, 1].copy())


def _vertex_tensors(points: FloatArray, triangles: IndexArray) -> FloatArray:
    """T_v at every vertex, as the six entries of a symmetric matrix, shape (n, 6)."""
    normals = in_background(lambda: triangle_normals(points, triangles))
    # Pairs of half-edges, 3 * triangle + corner, whose edge lies in exactly two triangles.
    one, two = np.empty((2, 3 * len(triangles) // 2), dtype=np.int64)
    found = choose_loops().edge_pairs(triangles, len(points), one, two)
    pieces = chunks(found, max(1, -(-found // PARTS)))
    parts = [np.zeros((len(points), 6)) for _ in pieces] or [np.zeros((len(points), 6))]
    sides = normals()

    def add(k: int) -> None:
        edges = one[pieces[k]], two[pieces[k]]
        choose_loops().edge_tensors(points, triangles, sides, *edges, parts[k])

    run_threaded(add, range(len(pieces)))
    for other in parts[1:]:
        parts[0] += other
    return parts[0]


def angle_defects(surface: Surface) -> FloatArray:
    """Integrated Gaussian curvature of each vertex, shape (n,), in radians.

    2 pi minus the sum of the angles at the vertex; pi minus it on the rim, where it is the
    turning of the rim. By Gauss-Bonnet the sum over a surface is 2 pi times its Euler
    characteristic.
    """
    import igl

    triangles = proper_triangles(surface)
    angles = igl.internal_angles(surface.points, triangles)
    total = np.bincount(triangles.ravel(), angles.ravel(), surface.vertex_count)
    full = np.where(boundary_vertices(surface), np.pi, 2 * np.pi)
    return np.where(surface.covered(), full - total, 0.0)


def angle_defect(surface: Surface) -> Curvature:
    """Curvature from angle defects and the cotangent operator.

        kappa(x) = (2 pi - sum of angles at x) / nu(x)
        eta(x) = |sum over neighbours y of (cot a + cot b) (x - y)| / (4 nu(x))

    with nu the mixed Voronoi area and a, b the angles opposite the edge xy. Both are exact
    for their integrals and noisy at single vertices of a scan. Vertices on the rim take the
    mean of their neighbours in the interior.
    """
    import igl

    areas = voronoi_areas(surface)
    flat = ~(areas > 0)
    safe = np.where(flat, 1.0, areas)
    triangles = proper_triangles(surface)
    laplacian = igl.cotmatrix(surface.points, triangles)
    centred = surface.points - surface.points.mean(axis=0)  # far offsets cost digits
    twice_mean_normal = -(laplacian @ centred) / safe[:, None]
    normals = igl.per_vertex_normals(surface.points, triangles)
    outward = np.einsum("ij,ij->i", twice_mean_normal, np.nan_to_num(normals))
    mean = np.copysign(np.linalg.norm(twice_mean_normal, axis=1) / 2, outward)
    gaussian = angle_defects(surface) / safe
    unknown = boundary_vertices(surface) | flat
    known = (from_neighbours(surface, each, unknown) for each in (gaussian, mean))
    return Curvature(*known)
