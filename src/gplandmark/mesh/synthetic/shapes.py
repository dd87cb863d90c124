# SPDX-License-Identifier: MIT
"""Surfaces with formulas, and their exact curvature at every vertex."""

from dataclasses import dataclass

import numpy as np

from gplandmark.mesh.curvature.estimate import Curvature
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray


@dataclass(frozen=True, eq=False)
class Shape:
    """A surface, its exact curvature, and the exact area of the smooth surface."""

    surface: Surface
    curvature: Curvature
    area: float


def sphere(subdivisions: int = 4, radius: float = 1.0) -> Shape:
    """Sphere from an icosahedron subdivided that many times: 10 * 4^subdivisions + 2 vertices."""
    directions, triangles = _icosphere(subdivisions)
    ones = np.ones(len(directions))
    return Shape(
        Surface(radius * directions, triangles, "sphere"),
        Curvature(ones / radius**2, ones / radius),
        4 * np.pi * radius**2,
    )


def ellipsoid(subdivisions: int = 4, axes: tuple[float, float, float] = (1.0, 0.8, 0.6)) -> Shape:
    """Ellipsoid x^2/a^2 + y^2/b^2 + z^2/c^2 = 1, an icosphere stretched along its axes.

    With s = sqrt(x^2/a^4 + y^2/b^4 + z^2/c^4): kappa = 1 / (a b c s^2)^2 and
    eta = (a^2 + b^2 + c^2 - x^2 - y^2 - z^2) / (2 (a b c)^2 s^3).
    """
    directions, triangles = _icosphere(subdivisions)
    lengths = np.array(axes)
    points = directions * lengths
    slope = np.sqrt(((points / lengths**2) ** 2).sum(axis=1))
    volume = lengths.prod()
    gaussian = 1 / (volume * slope**2) ** 2
    mean = ((lengths**2).sum() - (points**2).sum(axis=1)) / (2 * volume**2 * slope**3)
    return Shape(Surface(points, triangles, "ellipsoid"), Curvature(gaussian, mean), np.nan)


def torus(around: int = 96, across: int = 48, major: float = 1.0, minor: float = 0.4) -> Shape:
    """Torus of the circle of radius `minor` swept around the circle of radius `major`."""
    triangles = grid_triangles(around, across, wrap=(True, True))
    u, v = _grid(around, across, 2 * np.pi * (1 - 1 / around), 2 * np.pi * (1 - 1 / across))
    ring = major + minor * np.cos(v)
    points = np.column_stack([ring * np.cos(u), ring * np.sin(u), minor * np.sin(v)])
    gaussian = np.cos(v) / (minor * ring)
    mean = (major + 2 * minor * np.cos(v)) / (2 * minor * ring)
    return Shape(
        Surface(points, triangles, "torus"), Curvature(gaussian, mean), 4 * np.pi**2 * major * minor
    )


def cylinder(around: int = 64, along: int = 24, radius: float = 1.0, height: float = 2.0) -> Shape:
    """Open cylinder: mean curvature 1 / (2 radius), no Gaussian curvature, two rims."""
    triangles = grid_triangles(around, along, wrap=(True, False))
    u, z = _grid(around, along, 2 * np.pi * (1 - 1 / around), height)
    points = np.column_stack([radius * np.cos(u), radius * np.sin(u), z])
    half = np.full(len(points), 0.5 / radius)
    return Shape(
        Surface(points, triangles, "cylinder"),
        Curvature(np.zeros(len(points)), half),
        2 * np.pi * radius * height,
    )


def plane(side: int = 24, size: float = 1.0) -> Shape:
    """Flat square without curvature."""
    x, y = _grid(side, side, size, size)
    zeros = np.zeros(len(x))
    triangles = grid_triangles(side, side, wrap=(False, False))
    return Shape(
        Surface(np.column_stack([x, y, zeros]), triangles, "plane"),
        Curvature(zeros, zeros),
        size**2,
    )


def saddle(side: int = 33, size: float = 1.0) -> Shape:
    """Hyperbolic paraboloid z = x y over a square centred at 0.

    With q = 1 + x^2 + y^2: kappa = -1 / q^2, eta = x y / q^(3/2) for upward normals turned
    down, that is, positive where the surface is a dome.
    """
    x, y = _grid(side, side, size, size)
    x, y = x - size / 2, y - size / 2
    q = 1 + x**2 + y**2
    triangles = grid_triangles(side, side, wrap=(False, False))
    return Shape(
        Surface(np.column_stack([x, y, x * y]), triangles, "saddle"),
        Curvature(-1 / q**2, x * y / q**1.5),
        np.nan,
    )


def grid_triangles(rows: int, columns: int, wrap: tuple[bool, bool]) -> IndexArray:
    """Triangles of a grid of rows x columns vertices, closed along the wrapped directions."""
    i, j = np.indices((rows - (not wrap[0]), columns - (not wrap[1])))
    down, right = (i + 1) % rows, (j + 1) % columns
    a, b = i * columns + j, down * columns + j
    c, d = down * columns + right, i * columns + right
    both = np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)
    return np.concatenate(both).reshape(-1, 3)


def _grid(rows: int, columns: int, height: float, width: float) -> tuple[FloatArray, FloatArray]:
    u, v = np.meshgrid(np.linspace(0, height, rows), np.linspace(0, width, columns), indexing="ij")
    return u.ravel(), v.ravel()


def _icosphere(subdivisions: int) -> tuple[FloatArray, IndexArray]:
    """Unit vectors and triangles of an icosahedron, each triangle split in four repeatedly."""
    import trimesh

    mesh = trimesh.creation.icosphere(subdivisions=subdivisions)
    points = np.array(mesh.vertices, dtype=np.float64)
    return points / np.linalg.norm(points, axis=1, keepdims=True), np.array(mesh.faces, np.int64)
