# SPDX-License-Identifier: MIT
"""The views that people ask for by name, or by two angles."""

from collections.abc import Mapping, Sequence
from math import cos, isfinite, nan, radians, sin

from gplandmark.errors import PictureError
from gplandmark.pictures.camera import Camera, default_camera, has_open_side
from gplandmark.surface import Surface

__all__ = ["NAMES", "cameras"]

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


def cameras(surface: Surface, views: Sequence[str]) -> dict[str, Camera]:
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
        A view has none of these names, or is no pair of angles; or there is none.
    """
    if not views:
        raise PictureError(f"There is no view. Give one of {', '.join(NAMES)}.")
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
    both = {"obverse": obverse, "reverse": _from_behind(obverse)}
    if view == "auto":
        return {"obverse": obverse} if has_open_side(surface) else both
    return {view: both[view]}


def _from_behind(camera: Camera) -> Camera:
    x, y, z = camera.direction
    return Camera((-x, -y, -z), camera.up)


def _angles(view: str) -> tuple[float, float]:
    try:
        azimuth, elevation = map(float, view.split(","))
    except ValueError:
        azimuth = elevation = nan
    if not (isfinite(azimuth) and -90 <= elevation <= 90):
        raise PictureError(
            f"There is no view '{view}'. Give one of {', '.join(NAMES)}, or two angles in degrees "
            "as 30,20: azimuth, and elevation from -90 to 90."
        )
    return azimuth, elevation


def _from_angles(azimuth: float, elevation: float) -> Camera:
    """Camera at two angles in degrees; upwards is the way in which the elevation grows."""
    a, e = radians(azimuth), radians(elevation)
    return Camera(
        (cos(e) * cos(a), cos(e) * sin(a), sin(e)), (-sin(e) * cos(a), -sin(e) * sin(a), cos(e))
    )
