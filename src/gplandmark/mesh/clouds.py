# SPDX-License-Identifier: MIT
"""The area that belongs to each point of a cloud without triangles."""

import numpy as np

from gplandmark.errors import ScanError
from gplandmark.mesh.neighbours import nearest
from gplandmark.mesh.surface import Surface, cached_per_surface
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.threads import map_chunks

NEIGHBOURS = 20  # enough to bound a Voronoi cell, few enough to be flat
DIRECTIONS = 64
OPEN = 0.8 * np.pi  # an empty sector this wide lies beyond the rim
CHUNK = 4096  # points at a time, which bounds the memory

FRACTION = 0.025  # of the points: the neighbourhood that defines an area where there is none
QUERIES = 1000
NEGLIGIBLE = 1e-7  # spread of a direction relative to the widest, below which it is rounding
FEWEST = 4  # different points


def intrinsic_dimension(surface: Surface) -> int | None:
    """Intrinsic dimension of a surface: 2 in the plane and in space, 1 on a line, else None.

    Triangles make a surface. A bare cloud is a surface if it spans a plane or space, and a
    curve if it spans a line; of one that spans more dimensions nothing is assumed.
    """
    if surface.triangles is not None:
        return 2
    rank = flat_coordinates(surface).shape[1]
    return min(2, rank) if rank <= 3 else None


@cached_per_surface
def flat_coordinates(surface: Surface) -> FloatArray:
    """Coordinates of a cloud in the flat that it spans, shape (n, r), about its mean.

    Distances between points are those of the cloud. Directions in which the points spread less
    than 1e-7 of the widest are rounding and left out, so that a tooth in R^10 is a tooth.
    """
    centred = surface.points - surface.points.mean(axis=0)
    values, axes = np.linalg.eigh(centred.T @ centred)
    wide = values > NEGLIGIBLE**2 * values[-1]
    return np.array(centred if wide.all() else centred @ axes[:, wide])


@cached_per_surface
def cloud_areas(surface: Surface) -> FloatArray:
    """Area of each point of a bare cloud, shape (n,), in squared units: nu(x) without triangles.

    - If the cloud spans a plane or space: the area of the point's Voronoi cell among its 20
      nearest neighbours, projected onto their plane.
    - If it spans a line: half the distance to the neighbours on both sides, scaled so that the
      sum is the `equivalent_disc_area`, since a length is not an area.
    - In more dimensions: the same for all points, with the same sum.

    Points with equal coordinates divide the area of one among them.

    Raises
    ------
    ScanError
        The cloud has fewer than 4 different points.
    """
    _, first, inverse, counts = np.unique(
        surface.points, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    if len(first) < FEWEST:
        raise ScanError(
            f"{surface.name} has only {len(first)} different points; "
            f"a cloud needs at least {FEWEST}. Export the scan again."
        )
    points = flat_coordinates(surface)[first]
    if points.shape[1] in (2, 3):
        areas = _cells(points)
    else:
        weights = _intervals(points[:, 0]) if points.shape[1] == 1 else counts.astype(float)
        areas = weights * (equivalent_disc_area(points) / weights.sum())
    return np.asarray((areas / counts)[inverse.reshape(-1)])


def equivalent_disc_area(points: FloatArray) -> float:
    """Area of the disc of which 2.5 % lie as near to a point as 2.5 % of these points do.

        A = pi r^2 / q,    r the median distance within which a fraction q = 0.025 of points lies

    On a flat surface it is the area. It has the unit of eps in every dimension and does not depend
    on the number of points.
    """
    count = max(1, round(FRACTION * len(points)))
    outwards = np.argsort(np.linalg.norm(points - points.mean(axis=0), axis=1), kind="stable")
    asked = outwards[:: -(-len(points) // QUERIES)]  # independent of the numbering
    distances, _ = nearest(points, count + 1, points[asked])
    return float(np.pi * np.median(distances[:, -1]) ** 2 * len(points) / count)


def _intervals(positions: FloatArray) -> FloatArray:
    """Half the distance to the neighbours on both sides, for positions on a line."""
    order = np.argsort(positions)
    halves = np.diff(positions[order]) / 2
    lengths = np.zeros(len(positions))
    lengths[order] = np.append(halves, 0.0) + np.append(0.0, halves)
    return lengths


def _cells(points: FloatArray) -> FloatArray:
    """Areas of the Voronoi cells of different points (n, 2 or 3)."""
    _, found = nearest(points, min(NEIGHBOURS, len(points) - 1) + 1)
    return map_chunks(lambda some: _cells_among(_in_their_plane(points, some)), found, CHUNK)


def _in_their_plane(points: FloatArray, found: IndexArray) -> FloatArray:
    """Neighbours relative to their point, in the plane that fits them best, shape (m, k, 2).

    They keep their distances from the point: otherwise the area of a curved surface would be too
    small. The first lies at angle 0, in any pose.
    """
    deviations = points[found[:, 1:]] - points[found[:, :1]]
    axes = np.linalg.eigh(np.einsum("nki,nkj->nij", deviations, deviations))[1][:, :, -2:]
    flat = (deviations @ axes) @ np.array([1, 1j])
    lengths, angles = np.linalg.norm(deviations, axis=2), np.angle(flat)
    turned = lengths * np.exp(1j * (angles - angles[:, :1]))
    return np.stack([turned.real, turned.imag], axis=-1)


def _cells_among(flat: FloatArray) -> FloatArray:
    """Areas of the Voronoi cells of the origin among neighbours (m, k, 2).

        area = 1/2 integral of R(a)^2 da,    1 / R(a) = max over neighbours y of 2 u(a) y / |y|^2

    with u(a) the direction at angle a. Neighbours left out lie beyond the last one, whose half
    distance therefore bounds R. An empty sector of 144 degrees or more lies beyond the rim and
    has no area.
    """
    # Half a step off: empty sectors often begin at the nearest neighbour, whose angle is 0.
    angles = 2 * np.pi * (np.arange(DIRECTIONS) + 0.5) / DIRECTIONS
    directions = np.array([np.cos(angles), np.sin(angles)])
    squares = np.einsum("nki,nki->nk", flat, flat)[..., None]
    inverted = np.divide(2 * flat, squares, out=np.zeros_like(flat), where=squares > 0)
    farthest = np.sqrt(squares.max(axis=1))
    nearness = np.maximum((inverted @ directions).max(axis=1), 2 / farthest)
    start, width = _widest_empty_sector(flat)
    beyond = (angles - start[:, None]) % (2 * np.pi) < np.where(width < OPEN, 0.0, width)[:, None]
    return np.asarray(np.pi * np.where(beyond, 0.0, nearness**-2.0).mean(axis=1))


def _widest_empty_sector(flat: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where the widest sector without neighbours begins, and its width, in radians."""
    angles = np.sort(np.arctan2(flat[..., 1], flat[..., 0]), axis=1)
    widths = np.diff(angles, axis=1, append=angles[:, :1] + 2 * np.pi)
    widest = widths.argmax(axis=1)[:, None]
    start, width = (np.take_along_axis(each, widest, axis=1)[:, 0] for each in (angles, widths))
    return start, width
