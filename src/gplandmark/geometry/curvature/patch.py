# SPDX-License-Identifier: MIT
"""Curvature of the patch z = f(x, y) that fits the points in a ball: for clouds without triangles."""

import warnings

import numpy as np

from gplandmark.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.errors import GplandmarkWarning, SettingsError
from gplandmark.geometry.areas import surface_area, vertex_areas
from gplandmark.geometry.clouds import flat_coordinates
from gplandmark.geometry.curvature.pair import Curvature, check_radius
from gplandmark.geometry.nearest import nearest
from gplandmark.surface import Surface

__all__ = ["RADIUS", "patch"]

RADIUS = 0.06  # of sqrt(area), as for quadric

FEWEST = 12  # neighbours of a fit with five coefficients
MOST = 400  # neighbours, nearest first
PATCHES = 20_000  # fits; points between them take what their neighbours found
BETWEEN = 4
CHUNK = 2048
RIDGE = 1e-9  # settles what the points leave open, as when all lie on a line


def patch(surface: Surface, radius: float = RADIUS) -> Curvature:
    """Curvature of the quadratic patch fitted to the points within a ball, without triangles.

        z = a x^2 / 2 + b x y + c y^2 / 2 + p x + q y,    g = 1 + p^2 + q^2
        kappa = (a c - b^2) / g^2,    eta = |(1 + q^2) a - 2 p q b + (1 + p^2) c| / (2 g^(3/2))

    in a frame at x with z along the least principal axis of the points in the ball, by least
    squares with the points' areas as weights. Nothing tells inside from outside, so that eta has
    no sign. A cloud in a plane or on a line is flat.

    Above 20,000 points as many are drawn evenly by area, in the order of their distance from the
    centre, and fitted; the others take the mean of their 4 nearest, weighted by inverse distance.

    Parameters
    ----------
    radius : of the ball, as a fraction of sqrt(area), 0.02 to 0.2; at least 12 neighbours are
        taken, and a warning says so where that is more than the ball holds

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
    drawn = _drawn(points, areas)
    # Lengths in units of the ball, so that nothing over- or underflows.
    kappa, eta = _fits(points[drawn] / reach, _shares(areas, drawn), surface.name)
    if len(drawn) < len(points):
        kappa, eta = _between(points, points[drawn], np.array([kappa, eta]))
    return Curvature(kappa / reach**2, eta / reach)


def _drawn(points: FloatArray, areas: FloatArray) -> IndexArray:
    """All points, or some of them spread evenly by area; no numbering or pose has a say."""
    if len(points) <= PATCHES:
        return np.arange(len(points))
    outwards = np.argsort(np.linalg.norm(points, axis=1), kind="stable")
    filled = np.cumsum(areas[outwards])
    marks = (np.arange(PATCHES) + 0.5) / PATCHES * filled[-1]
    return np.asarray(outwards[np.unique(np.searchsorted(filled, marks))])


def _shares(areas: FloatArray, drawn: IndexArray) -> FloatArray:
    """Weights of the drawn points: their areas, unless they were drawn by area."""
    weights = areas / areas.max() if len(drawn) == len(areas) else np.ones(len(drawn))
    return np.asarray(weights)


def _fits(points: FloatArray, weights: FloatArray, name: str) -> FloatArray:
    """Return kappa and |eta| at every point, shape (2, n), from the points within distance 1."""
    distances, found = nearest(points, min(MOST, len(points)))
    within = distances <= 1
    few = within.sum(axis=1) <= FEWEST
    if np.median(few) > 0:
        warnings.warn(
            f"The cloud {name} is coarse: its curvature is measured over {FEWEST} neighbours, "
            "more than the radius that was asked for holds.",
            GplandmarkWarning,
            stacklevel=3,
        )
    within[:, : FEWEST + 1] = True
    widest = int(within.sum(axis=1).max())
    found, within = found[:, :widest], within[:, :widest]
    parts = [slice(start, start + CHUNK) for start in range(0, len(points), CHUNK)]
    return np.hstack([_fit(points, weights, found[part], within[part]) for part in parts])


def _fit(
    points: FloatArray, weights: FloatArray, found: IndexArray, within: BoolArray
) -> FloatArray:
    deviations = points[found] - points[found[:, :1]]
    masses = np.where(within, weights[found], 0.0)
    masses /= np.maximum(masses.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    spread = deviations - (masses[:, None] @ deviations)
    _, axes = np.linalg.eigh(np.einsum("nk,nki,nkj->nij", masses, spread, spread, optimize=True))
    z, y, x = np.moveaxis(deviations @ axes, -1, 0)
    terms = np.stack([x * x / 2, x * y, y * y / 2, x, y], axis=-1)
    weighted = np.swapaxes(terms * masses[..., None], 1, 2)
    normal = weighted @ terms
    normal += RIDGE * np.trace(normal, axis1=1, axis2=2)[:, None, None] * np.eye(5)
    normal += np.finfo(float).tiny * np.eye(5)
    a, b, c, p, q = np.linalg.solve(normal, weighted @ z[..., None])[..., 0].T
    g = 1 + p * p + q * q
    mean = ((1 + q * q) * a - 2 * p * q * b + (1 + p * p) * c) / (2 * g**1.5)
    return np.array([(a * c - b * b) / g**2, np.abs(mean)])


def _between(points: FloatArray, fitted: FloatArray, values: FloatArray) -> FloatArray:
    """Values (2, m) at the fitted points, carried over to all points, shape (2, n)."""
    distances, found = nearest(fitted, BETWEEN, points)
    closeness = 1 / np.maximum(distances, 1e-9 * distances.max())
    closeness /= closeness.sum(axis=1, keepdims=True)
    return np.asarray((values[:, found] * closeness).sum(axis=2))
