# SPDX-License-Identifier: MIT
"""Cameras: the direction from which a specimen is seen, by name, angles or default."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cos, isfinite, nan, radians, sin

import numpy as np

from gplandmark.errors import PictureError
from gplandmark.mesh import boundary_vertices, cloud_areas, surface_area, triangle_areas
from gplandmark.mesh.areas import triangle_normals
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray

OPEN = 0.1  # of the area: with a larger rim a surface has an open side, and is seen from the other

Direction = tuple[float, float, float]


@dataclass(frozen=True)
class Camera:
    """An orthographic camera: parallel rays, so that lengths across the picture are true.

    Attributes
    ----------
    direction : from the specimen to the viewer, in the coordinates of the file; any length
    up : what points upwards in the picture, as far as it is not along `direction`

    Raises
    ------
    PictureError
        A direction is zero or not finite, or both are parallel.
    """

    direction: Direction
    up: Direction

    def __post_init__(self) -> None:
        """Refuse a camera that looks nowhere."""
        across = np.cross(self.up, self.direction)
        lengths = np.linalg.norm(self.up) * np.linalg.norm(self.direction)
        if not np.isfinite(lengths) or not np.linalg.norm(across) > 1e-9 * lengths:
            raise PictureError(
                f"The view {self.direction} with {self.up} upwards is not a view: give two "
                "directions that are neither zero nor parallel."
            )

    @property
    def axes(self) -> FloatArray:
        """Unit vectors to the right, upwards and to the viewer, as rows of a rotation (3, 3)."""
        towards = np.array(self.direction) / np.linalg.norm(self.direction)
        right = np.cross(self.up, towards)
        right /= np.linalg.norm(right)
        return np.array([right, np.cross(towards, right), towards])

    def project(self, points: FloatArray) -> FloatArray:
        """Points (n, 3) as seen: to the right, upwards and to the viewer, in file units."""
        return points @ self.axes.T


def default_camera(surface: Surface) -> Camera:
    """Look at a specimen from where it shows most.

    An open surface, e.g. the crown of a tooth, is seen against the mean normal, from the side to
    which it bulges: the occlusal view of a tooth. A closed one is seen along its shortest
    principal axis. The longer axis across lies level; signs go by skewness, so that the view
    turns with the specimen and is never mirrored. A bare cloud counts as closed.
    """
    check_in_space(surface)
    centres, areas = _parts(surface)
    weights = areas / areas.sum()
    middle = weights @ centres
    offsets = centres - middle
    towards = _open_side(surface, middle)
    if towards is None:
        towards = _pointed(_axes(offsets, weights)[0], offsets, weights)
    across = offsets - np.outer(offsets @ towards, towards)
    right = _pointed(_axes(across, weights)[-1], offsets, weights)
    up = np.asarray(np.cross(towards, right), dtype=np.float64)
    return Camera(_direction(towards), _direction(up))


def check_in_space(surface: Surface) -> None:
    """Refuse points that no camera sees.

    Raises
    ------
    PictureError
        They do not have three coordinates.
    """
    dimension = surface.points.shape[1]
    if dimension != 3:
        raise PictureError(
            f"{surface.name} has dimension {dimension}; only points in space can be drawn."
        )


def _parts(surface: Surface) -> tuple[FloatArray, FloatArray]:
    """Centres of the triangles and their areas; of a cloud the points and theirs."""
    if surface.triangles is None:
        return surface.points, cloud_areas(surface)
    surface_area(surface)  # says that there is none
    return surface.points[surface.triangles].mean(axis=1), triangle_areas(surface)


def _open_side(surface: Surface, middle: FloatArray) -> FloatArray | None:
    """Mean normal of an open surface, on the side to which it bulges; None if it is closed."""
    if surface.triangles is None:
        return None
    normal = triangle_normals(surface.points, surface.triangles).sum(axis=0) / 2
    length = float(np.linalg.norm(normal))
    if length < OPEN * surface_area(surface):
        return None
    rim = surface.points[boundary_vertices(surface)].mean(axis=0)
    return np.asarray(np.copysign(1.0, (middle - rim) @ normal) * normal / length)


def _axes(offsets: FloatArray, weights: FloatArray) -> FloatArray:
    """Principal axes as rows, the shortest first."""
    return np.asarray(np.linalg.eigh(offsets.T @ (weights[:, None] * offsets))[1].T)


def _pointed(axis: FloatArray, offsets: FloatArray, weights: FloatArray) -> FloatArray:
    """Give an axis the sign of its skewness: towards its longer tail."""
    along = offsets @ axis
    return np.asarray(np.copysign(1.0, weights @ along**3) * axis)


def _direction(vector: FloatArray) -> Direction:
    return float(vector[0]), float(vector[1]), float(vector[2])


ALONG_AXES: Mapping[str, tuple[float, float]] = {
    "top": (-90, 90),
    "bottom": (-90, -90),
    "front": (-90, 0),
    "back": (90, 0),
    "left": (180, 0),
    "right": (0, 0),
}
"""Azimuth and elevation, in degrees, in the axes of the file."""

NAMES = ("auto", "obverse", "reverse", *ALONG_AXES)


def cameras(surface: Surface, views: str | Sequence[str]) -> dict[str, Camera]:
    """Cameras of some views, by the title of each.

    Parameters
    ----------
    views : "auto", "obverse", "reverse", "top", "bottom", "front", "back", "left", "right", or
        "azimuth,elevation" in degrees. The first three belong to the specimen, whatever its pose:
        obverse is `default_camera`, reverse sees it from behind, and auto is the obverse of an
        open surface and both of a closed one. The others belong to the axes of the file: top is
        seen from +z with y upwards; front from -y and right from +x, with z upwards. An
        azimuth goes from +x to +y, an elevation from there to +z

    Raises
    ------
    PictureError
        A view is neither one of these names nor a pair of angles; or none is given.
    """
    views = (views,) if isinstance(views, str) else views
    is_named = isinstance(views, Sequence) and all(isinstance(each, str) for each in views)
    if not is_named or len(views) == 0:
        raise PictureError(
            f"No view is given, or none by its name. Give one of {', '.join(NAMES)}."
        )
    chosen: dict[str, Camera] = {}
    for view in views:
        chosen |= _called(surface, view.strip().lower())
    return chosen


def _called(surface: Surface, view: str) -> dict[str, Camera]:
    if view in ALONG_AXES:
        return {view: _from_angles(*ALONG_AXES[view])}
    if view not in NAMES:
        azimuth, elevation = _angles(view)
        title = f"azimuth {azimuth:g}°, elevation {elevation:g}°"
        return {title: _from_angles(azimuth, elevation)}
    obverse = default_camera(surface)
    x, y, z = obverse.direction
    both = {"obverse": obverse, "reverse": Camera((-x, -y, -z), obverse.up)}
    if view == "auto":  # a single view shows most of a surface with an open side
        is_open = _open_side(surface, np.zeros(3)) is not None
        return {"obverse": obverse} if is_open else both
    return {view: both[view]}


def _angles(view: str) -> tuple[float, float]:
    try:
        azimuth, elevation = map(float, view.split(","))
    except ValueError:
        azimuth = elevation = nan
    if not (isfinite(azimuth) and -90 <= elevation <= 90):
        raise PictureError(
            f"Unknown view '{view}'. Give one of {', '.join(NAMES)}, or two angles in degrees, "
            "e.g. 30,20: azimuth, and elevation from -90 to 90."
        )
    return azimuth, elevation


def _from_angles(azimuth: float, elevation: float) -> Camera:
    """Camera at two angles in degrees; upwards is the way in which the elevation grows."""
    a, e = radians(azimuth), radians(elevation)
    return Camera(
        (cos(e) * cos(a), cos(e) * sin(a), sin(e)), (-sin(e) * cos(a), -sin(e) * sin(a), cos(e))
    )
