# SPDX-License-Identifier: MIT
"""The plane of symmetry of a specimen: where the surface and its mirror image agree best."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.mesh import principal_frame, surface_area, vertex_areas
from gplandmark.mesh.areas import triangle_normals
from gplandmark.mesh.closest_point import ClosestPoints
from gplandmark.mesh.surface import Surface
from gplandmark.mesh.visibility import viewing_directions
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.rotations import perpendicular_vectors

Pair: TypeAlias = tuple[FloatArray, FloatArray]  # a point of a plane, and its normal


def mirrored(points: FloatArray, point: FloatArray, normal: FloatArray) -> FloatArray:
    """Mirror images of points (m, 3): x - 2 ((x - p) n) n."""
    return np.asarray(points - 2 * ((points - point) @ normal)[:, None] * normal)


def fit_mirror(points: FloatArray, images: FloatArray, weights: FloatArray) -> Pair:
    """Point and normal of the plane that mirrors points (m, 3) best onto their images (m, 3).

    Of sum w |p - 2 ((p - c) n) n - q|^2 the best c lies halfway between the means of p and q, and
    n is the eigenvector of the smallest eigenvalue of

        2 sum w (p' q'^T + q' p'^T) - sum w t t^T,

    with p' and q' about their means and t the difference of the means.
    """
    total = weights.sum()
    mean, other = weights @ points / total, weights @ images / total
    product = (weights[:, None] * (points - mean)).T @ (images - other)
    shift = mean - other
    _, vectors = np.linalg.eigh(2 * (product + product.T) - total * np.outer(shift, shift))
    return (mean + other) / 2, vectors[:, 0]


def slid_mirror(
    points: FloatArray, images: FloatArray, slopes: FloatArray, weights: FloatArray, plane: Pair
) -> Pair:
    """Point and normal of the plane after one step of least squares on distances across slopes.

    The same sum with |r|^2 replaced by (r s)^2, s the unit normal of the surface at q: images may
    slide along the surface, so that few steps are enough near the end. A plane that turns by a
    along e and b along f, both across n, and moves by d moves the image of p by

        2 d n - 2 sum over (a, e), (b, f) of a ((p - c) e n + (p - c) n e).
    """
    point, normal = plane
    tangents = perpendicular_vectors(normal)
    arms = points - point
    heights, across = arms @ normal, slopes @ normal
    turns = [-2 * ((arms @ each) * across + heights * (slopes @ each)) for each in tangents]
    moves = np.column_stack([*turns, 2 * across])
    gaps = np.einsum("ij,ij->i", mirrored(points, point, normal) - images, slopes)
    root = np.sqrt(weights)
    step = np.linalg.lstsq(root[:, None] * moves, -root * gaps, rcond=None)[0]
    turned = normal + step[:2] @ tangents
    return point + step[2] * normal, turned / np.linalg.norm(turned)


KEPT = 0.8  # fraction of the area that must agree; the rest may be broken off


class Matcher:
    """Some vertices of a surface, which are mirrored, and the surface, which is searched.

    The vertices are taken evenly by their distance from the centre: distances belong to the shape,
    so that the choice does not follow the numbering.
    """

    def __init__(self, surface: Surface, count: int) -> None:
        self.closest = ClosestPoints(surface)
        normals = triangle_normals(surface.points, self.closest.triangles)
        self.normals = normals / np.linalg.norm(normals, axis=1)[:, None]
        centre, _ = principal_frame(surface)
        covered = np.flatnonzero(surface.covered())
        far = np.linalg.norm(surface.points[covered] - centre, axis=1)
        chosen = covered[np.argsort(far, kind="stable")[:: max(1, len(covered) // count)]]
        self.points, self.weights = surface.points[chosen], vertex_areas(surface)[chosen]

    def match(self, plane: Pair) -> tuple[float, FloatArray, FloatArray, IndexArray]:
        """Mirror the points and find where on the surface they should lie.

        Returns
        -------
        residual : root mean square of the distances over the fraction `KEPT` that agree best
        found : (m, 3) nearest points of the surface
        slopes : (m, 3) its unit normals there
        kept : which of the points agree best
        """
        images = mirrored(self.points, *plane)
        squares, triangle, found = self.closest.to(images)
        order = np.argsort(squares)
        reached = np.cumsum(self.weights[order]) / self.weights.sum()
        kept = order[: int(np.searchsorted(reached, KEPT)) + 1]
        mean = self.weights[kept] @ squares[kept] / self.weights[kept].sum()
        return float(np.sqrt(mean)), found, self.normals[triangle], kept


TOLERATED = 0.006  # of sqrt(area); real skulls and faces have 0.001 to 0.004, teeth 0.02
STARTS = 32  # directions of the normal that are tried beside the principal axes, with opposites
FEW, MANY = 400, 4000  # vertices that are mirrored to try a start, and to refine the best
TRIES, ROUNDS, BEST = 10, 50, 3
STILL = 1e-6  # relative fall of the residual: the plane has come to rest


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane of symmetry.

    Attributes
    ----------
    point : (3,) where the plane comes nearest to the specimen's centre, in units of the file
    normal : (3,) of length 1, towards the side called left
    residual : distance of the mirrored surface from the surface, the root of the mean square over
        the 80 % of the area that agree best, as a fraction of sqrt(area)
    is_found : False where the plane was given
    """

    point: FloatArray
    normal: FloatArray
    residual: float
    is_found: bool = True

    def heights(self, points: FloatArray) -> FloatArray:
        """Signed distance of points (m, 3) from the plane, positive on the left."""
        return np.asarray((points - self.point) @ self.normal)

    def mirrored(self, points: FloatArray) -> FloatArray:
        """Mirror images of points (m, 3)."""
        return mirrored(points, self.point, self.normal)


def find_plane(surface: Surface) -> Plane:
    """Find the plane in which a bilaterally symmetric specimen is its own mirror image.

    Planes through the centre of the area, across the principal axes and in many other directions,
    are refined by turns: every vertex is mirrored, its nearest point on the surface is found, and
    the plane is fitted again to the pairs, without the fifth of the area that agrees least. The
    plane of smallest residual wins. It turns and grows with the specimen. Where several planes are
    as good, as in an ellipsoid, it is one of them.

    Raises
    ------
    SettingsError
        The smallest residual is above 0.006 sqrt(area).
    ScanError
        The surface has no triangles, or no area.
    """
    scale = float(np.sqrt(surface_area(surface)))
    centre, axes = principal_frame(surface)
    directions = viewing_directions(STARTS)
    directions = directions[directions @ [1.0, 0.01, 0.0001] > 0] @ axes  # one of n and -n
    few, many = Matcher(surface, FEW), Matcher(surface, MANY)
    tried = [_tried(few, (centre, normal)) for normal in np.vstack([axes, directions])]
    tried.sort(key=lambda each: each[0])
    found = [_refined(many, plane) for _, plane in tried[:BEST]]
    residual, (point, normal) = min(found, key=lambda each: each[0])
    if not residual <= TOLERATED * scale:
        raise SettingsError(
            f"{surface.name} has no plane of symmetry: in the best one its mirror image is off by "
            f"{residual / scale:.3g} sqrt(area), and {TOLERATED:g} is the most that is taken for "
            "symmetric. Give the plane if you know it."
        )
    normal = normal if normal[np.argmax(np.abs(normal))] > 0 else -normal
    return Plane(centre + ((point - centre) @ normal) * normal, normal, residual / scale)


def plane_through(surface: Surface, point: npt.ArrayLike, normal: npt.ArrayLike) -> Plane:
    """Take a plane that is known, and measure its residual.

    Parameters
    ----------
    surface : with triangles
    point : (3,) any point of the plane, in units of the file
    normal : (3,) of any length, towards the side called left

    Raises
    ------
    SettingsError
        The normal is zero, or a number is not finite.
    """
    point, normal = np.asarray(point, dtype=np.float64), np.asarray(normal, dtype=np.float64)
    if point.shape != (3,) or normal.shape != (3,) or not np.isfinite([point, normal]).all():
        raise SettingsError("A plane needs three finite numbers for its point and its normal.")
    length = float(np.linalg.norm(normal))
    if not length > 0:
        raise SettingsError("The normal of the plane is zero. Give a direction.")
    residual = Matcher(surface, MANY).match((point, normal / length))[0]
    scale = float(np.sqrt(surface_area(surface)))
    return Plane(point, normal / length, residual / scale, is_found=False)


def _tried(matcher: Matcher, plane: Pair) -> tuple[float, Pair]:
    """Residual and plane after a few rounds of mirroring and fitting: from afar."""
    for _ in range(TRIES):
        residual, found, _, kept = matcher.match(plane)
        plane = fit_mirror(matcher.points[kept], found[kept], matcher.weights[kept])
    return residual, plane


def _refined(matcher: Matcher, plane: Pair) -> tuple[float, Pair]:
    """Residual and plane after as many rounds as the plane still moves: near the end."""
    best, rested = np.inf, plane
    for _ in range(ROUNDS):
        residual, found, slopes, kept = matcher.match(plane)
        if not residual < (1 - STILL) * best:
            break
        best, rested = residual, plane
        plane = slid_mirror(
            matcher.points[kept], found[kept], slopes[kept], matcher.weights[kept], plane
        )
    return best, rested
