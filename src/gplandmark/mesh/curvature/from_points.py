# SPDX-License-Identifier: MIT
"""Curvature from points without triangles: surface variation and fitted patches."""

import numpy as np

from gplandmark.errors import ScanError, SettingsError, warn
from gplandmark.mesh.areas import surface_area, vertex_areas
from gplandmark.mesh.clouds import flat_coordinates
from gplandmark.mesh.curvature.estimate import Curvature, check_radius
from gplandmark.mesh.neighbours import nearest
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

NEIGHBOURS = 10
FEWEST_NEIGHBOURS = 3
CHUNK = 2048  # points at a time, which bounds the memory in many dimensions


def surface_variation(
    points: FloatArray, neighbours: int = NEIGHBOURS, leading: int | None = None
) -> FloatArray:
    """Fraction of the smallest principal components among the neighbours of each point, (n,).

        sigma(x) = (l_{m+1} + ... + l_d) / (l_1 + ... + l_d),    l_1 >= ... >= l_d the eigenvalues
        of the sum over the k nearest neighbours y of x, x left out, of (y - x) (y - x)^T

    with m = `leading`, by default d - 1. Deviations are taken from x itself and not from the
    neighbours' mean. Between 0 where the neighbours lie in a flat of m dimensions through x
    and 1 - m/d where no direction is preferred. Needs no triangles, in any dimension d.

    Raises
    ------
    SettingsError
        Fewer than 3 neighbours, or not fewer than there are points.
    """
    if not FEWEST_NEIGHBOURS <= neighbours < len(points):
        raise SettingsError(
            f"Surface variation needs {FEWEST_NEIGHBOURS} to {len(points) - 1} neighbours on "
            f"{len(points)} points, got {neighbours}."
        )
    leading = points.shape[1] - 1 if leading is None else leading
    _, found = nearest(points, neighbours + 1)
    parts = [slice(start, start + CHUNK) for start in range(0, len(points), CHUNK)]
    return np.concatenate([_outside_fraction(points, found[part], leading) for part in parts])


def _outside_fraction(points: FloatArray, found: IndexArray, leading: int) -> FloatArray:
    deviations = points[found[:, 1:]] - points[found[:, :1]]
    if deviations.shape[1] < deviations.shape[2]:
        deviations = np.swapaxes(deviations, 1, 2)  # the smaller scatter has the same values
    values = np.linalg.eigvalsh(np.einsum("nki,nkj->nij", deviations, deviations))
    total = values.sum(axis=1)
    outside = values[:, : max(0, values.shape[1] - leading)].sum(axis=1)
    fraction = np.divide(outside, total, out=np.zeros(len(total)), where=total > 0)
    return np.asarray(np.maximum(fraction, 0.0))


def variation(surface: Surface, neighbours: int | None = None) -> Curvature:
    """Surface variation in place of curvature, for weights without triangles.

        kappa = sigma n / (k A),    eta = sqrt(kappa)

    It grows with the square of the curvature and of the size of a neighbourhood, on average
    k A / n of the area A, and has no sign. k neighbours, by default 10, cover less of the specimen
    on a finer mesh: prefer another estimator if there is one. Beyond three dimensions it is
    the spread outside the two widest directions, as of a surface.
    """
    count = min(NEIGHBOURS, surface.vertex_count - 1) if neighbours is None else neighbours
    leading = min(2, surface.points.shape[1] - 1)
    score = surface_variation(surface.points, count, leading)
    kappa = score * (surface.vertex_count / (count * surface_area(surface)))
    return Curvature(kappa, np.sqrt(kappa))


PATCH_RADIUS = 0.06  # of sqrt(area), as for quadric

FEWEST = 12  # neighbours of a fit with five coefficients
FRAME = 0.2  # of the radius: the points that define the frame, measured to come closest to meshes
FEWEST_IN_FRAME = 6
IN_BALL = 200  # points: if there are more, this many are drawn from them
MOST = 400  # points in the ball, nearest first, if the cloud is locally denser
BETWEEN = 4
RIDGE = 1e-9  # regularises fits that the points leave undetermined, e.g. all on a line


def patch(surface: Surface, radius: float = PATCH_RADIUS) -> Curvature:
    """Curvature of the quadratic patch fitted to the points within a ball, without triangles.

        z = a x^2 / 2 + b x y + c y^2 / 2 + p x + q y,    g = 1 + p^2 + q^2
        kappa = (a c - b^2) / g^2,    eta = |(1 + q^2) a - 2 p q b + (1 + p^2) c| / (2 g^(3/2))

    in a frame at x with z along the least principal axis of the points within a fifth of the
    ball, at least 6, by least squares. Inside and outside are not distinguished, so that eta
    has no sign. A cloud in a plane or on a line is flat.

    Where a ball would hold more than 200 points on average (above 17,700 points with the default
    radius), 200 to a ball are drawn evenly by area, in the order of their distance from the centre,
    and fitted; the others take the mean of the 4 nearest of them, weighted by inverse distance.
    The cost does not grow with the number of points beyond that.

    Parameters
    ----------
    radius : of the ball, as a fraction of sqrt(area), 0.02 to 0.2; at least 12 neighbours are
        taken, with a warning if that is more than the ball holds

    Raises
    ------
    SettingsError
        The cloud spans more than three dimensions.
    """
    check_radius(radius)
    points = flat_coordinates(surface)
    if points.shape[1] > 3:
        raise SettingsError(
            f"{surface.name} spans {points.shape[1]} dimensions, and patches need points in space. "
            "Use the curvature 'variation', or a weight of your own."
        )
    if points.shape[1] < 3:
        return Curvature(np.zeros(len(points)), np.zeros(len(points)))
    areas, reach = vertex_areas(surface), radius * float(np.sqrt(surface_area(surface)))
    drawn = _drawn(points, areas, round(IN_BALL / (np.pi * radius**2)))
    # Lengths in units of the ball, so that nothing over- or underflows.
    kappa, eta = _fits(points[drawn] / reach, surface.name)
    if len(drawn) < len(points):
        kappa, eta = _between(points, points[drawn], np.array([kappa, eta]))
    return Curvature(kappa / reach**2, eta / reach)


def _drawn(points: FloatArray, areas: FloatArray, count: int) -> IndexArray:
    """All points, or `count` of them spread evenly by area, independent of numbering and pose.

    A point is drawn with probability min(1, c nu), c such that these add up to `count`. Where
    there are only a few more points, nearly all are drawn, so that nothing jumps there.
    """
    if len(points) <= count:
        return np.arange(len(points))
    outwards = np.argsort(np.linalg.norm(points, axis=1), kind="stable")
    filled = np.cumsum(_probabilities(areas, count)[outwards])
    return np.asarray(outwards[np.diff(np.floor(filled + 0.5), prepend=0.0) > 0])


def _probabilities(areas: FloatArray, count: int) -> FloatArray:
    """Return min(1, c nu) of every point, shape (n,), with c such that the sum is `count`."""
    largest = np.sort(areas)[::-1]
    below = np.cumsum(largest[::-1])[::-1]  # of all that are not larger
    certain = np.arange(count)  # how many have probability 1, if c is as below
    factors = (count - certain) / np.maximum(below[:count], np.finfo(float).tiny)
    first = int(np.argmax(factors * largest[:count] <= 1.0))
    return np.asarray(np.minimum(factors[first] * areas, 1.0))


def _fits(points: FloatArray, name: str) -> FloatArray:
    """Return kappa and |eta| at every point, shape (2, n), from the points within distance 1."""
    distances, found = nearest(points, min(MOST, len(points)))
    within, framing = distances <= 1, distances <= FRAME
    if np.median(within.sum(axis=1)) <= FEWEST:
        warn(
            f"The cloud {name} is coarse: its curvature is measured over {FEWEST} neighbours, "
            "more than the requested radius contains."
        )
    within[:, : FEWEST + 1] = framing[:, : FEWEST_IN_FRAME + 1] = True
    if not np.max(distances, where=within, initial=0.0, axis=1).all():
        raise ScanError.of(
            name,
            f"has more than {FEWEST} points in the same place, where no curvature can be measured. "
            "Remove duplicate points.",
        )
    widest = int(within.sum(axis=1).max())
    found, within, framing = found[:, :widest], within[:, :widest], framing[:, :widest]
    parts = [slice(start, start + CHUNK) for start in range(0, len(points), CHUNK)]
    return np.hstack([_fit(points, found[part], within[part], framing[part]) for part in parts])


def _fit(
    points: FloatArray, found: IndexArray, within: BoolArray, framing: BoolArray
) -> FloatArray:
    deviations = points[found] - points[found[:, :1]]
    z, y, x = np.moveaxis(deviations @ _frames(deviations, framing), -1, 0)
    terms = np.stack([x * x / 2, x * y, y * y / 2, x, y], axis=-1)
    terms[~within] = 0.0
    normal = np.swapaxes(terms, 1, 2) @ terms
    normal += RIDGE * np.trace(normal, axis1=1, axis2=2)[:, None, None] * np.eye(5)
    right = np.swapaxes(terms, 1, 2) @ z[..., None]
    a, b, c, p, q = np.linalg.solve(normal, right)[..., 0].T
    g = 1 + p * p + q * q
    mean = ((1 + q * q) * a - 2 * p * q * b + (1 + p * p) * c) / (2 * g**1.5)
    return np.array([(a * c - b * b) / g**2, np.abs(mean)])


def _frames(deviations: FloatArray, framing: BoolArray) -> FloatArray:
    """Principal axes of the framing neighbours, the least first, as columns, shape (m, 3, 3)."""
    weights = framing / framing.sum(axis=1, keepdims=True)
    spread = np.sqrt(weights)[..., None] * (deviations - weights[:, None] @ deviations)
    return np.linalg.eigh(np.swapaxes(spread, 1, 2) @ spread)[1]


def _between(points: FloatArray, fitted: FloatArray, values: FloatArray) -> FloatArray:
    """Values (2, m) at the fitted points, interpolated at all points, shape (2, n)."""
    distances, found = nearest(fitted, BETWEEN, points)
    closeness = 1 / np.maximum(distances, 1e-9 * distances.max())
    closeness /= closeness.sum(axis=1, keepdims=True)
    return np.asarray((values[:, found] * closeness).sum(axis=2))
