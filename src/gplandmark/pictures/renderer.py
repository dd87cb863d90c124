# SPDX-License-Identifier: MIT
"""A shaded picture of a surface, made in software: no display, no GPU, no graphics library."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from gplandmark.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.errors import PictureError
from gplandmark.geometry.areas import triangle_normals
from gplandmark.pictures.camera import Camera, default_camera
from gplandmark.pictures.raster import NOTHING, Raster, rasterise
from gplandmark.pictures.squares import CORNERS, with_squares
from gplandmark.surface import Surface

__all__ = ["BONE", "Frame", "Paint", "Rendering", "frame_of", "render"]

Paint: TypeAlias = Callable[[FloatArray], FloatArray]
"""From values (k,) to colours (k, 3), red, green and blue from 0 to 1."""

Frame: TypeAlias = tuple[float, float, float, float]
"""Left, right, bottom and top of a picture in the camera's coordinates, file units."""

BONE = (0.87, 0.84, 0.78)
MARGIN = 0.04  # of the larger side of what is seen

# Both lights lie in one plane with the viewer, the stronger one above and to the left.
KEY = np.array([-0.45, 0.45, 0.77])
FILL = np.array([0.5, -0.5, 0.71])
AMBIENT, KEY_STRENGTH, FILL_STRENGTH = 0.30, 0.62, 0.22

# Grooves and basins receive less light: depth below the surroundings, as a share of the
# picture, darkens by up to the last number.
SURROUNDINGS, GROOVE_STRENGTH, GROOVE_DARKEST = 0.025, 9.0, 0.35
PAINTED = 0.6  # share of the shading on a painted surface, whose colours must stay legible
SEEN_BELOW = 0.01  # of the picture: a point this far below what shows still counts as on it


@dataclass(frozen=True, eq=False)
class Rendering:
    """A picture of a surface, and where things are in it.

    Attributes
    ----------
    image : (height, width, 4) red, green, blue and coverage, 0 to 1; row 0 is the top
    values : (height, width) the painted value at every pixel; NaN where nothing shows
    shade : (height, width) brightness by which the colour at every pixel was multiplied
    depth : (height, width) how near to the viewer, in file units; -inf where nothing shows
    frame : what the image shows
    camera : what it was seen with
    """

    image: FloatArray
    values: FloatArray
    shade: FloatArray
    depth: FloatArray
    frame: Frame
    camera: Camera

    def pixels(self, points: FloatArray) -> IndexArray:
        """Row and column (k, 2) where points (k, 3) of the file's coordinates show."""
        seen = self.camera.project(points)
        left, _, _, top = self.frame
        size = self._pixel_size()
        rows, columns = (top - seen[:, 1]) / size, (seen[:, 0] - left) / size
        limit = np.array(self.depth.shape) - 1
        return np.clip(np.floor(np.column_stack([rows, columns])), 0, limit).astype(np.int64)

    def shows(self, points: FloatArray) -> BoolArray:
        """Tell which points (k, 3) on the surface are not hidden behind a part of it.

        On a steep wall the depth changes within a pixel: the farthest of the pixels around
        counts, and background is farther than everything.
        """
        from scipy.ndimage import maximum_filter

        rows, columns = self.pixels(points).T
        farthest = -maximum_filter(-self.depth, size=3)
        slack = SEEN_BELOW * (self.frame[1] - self.frame[0])
        return np.asarray(
            self.camera.project(points)[:, 2] >= farthest[rows, columns] - slack, dtype=bool
        )

    def _pixel_size(self) -> float:
        return (self.frame[1] - self.frame[0]) / int(self.depth.shape[1])


def render(
    surface: Surface,
    camera: Camera | None = None,
    *,
    values: FloatArray | None = None,
    paint: Paint | None = None,
    width: int = 900,
    samples: int = 2,
    frame: Frame | None = None,
) -> Rendering:
    """Draw a shaded surface.

    Parameters
    ----------
    surface : with triangles, or a bare cloud in space, whose points are drawn as small squares
    camera : by default `default_camera`
    values : (n,) a value for each vertex; interpolated between vertices and painted at every
        pixel, so that bands of colour are as sharp as the picture
    paint : colours for the values; without it the surface has the colour of bone
    width : of the image in pixels; its height follows from what is seen
    samples : per side of a pixel; their mean smooths the outline
    frame : what to show; by default all of the surface, with a margin

    Raises
    ------
    PictureError
        The width or the number of samples is below 1, the values do not suit the surface, or it
        does not lie in space.
    """
    _check(surface, values, width, samples)
    camera = camera or default_camera(surface)
    frame = frame or frame_of(surface, camera)
    if surface.triangles is None:
        surface = with_squares(surface)
        values = None if values is None else np.repeat(values, CORNERS)
    seen = camera.project(surface.points)
    height = max(1, round(width * (frame[3] - frame[2]) / (frame[1] - frame[0])))
    raster = _rasterised(seen, surface.faces(), frame, width * samples, height * samples)
    shown = raster.triangle != NOTHING
    normals = _vertex_normals(surface) @ camera.axes.T
    shade = _lit(np.stack([_between(axis, raster, surface) for axis in normals.T]))
    strength = 1.0 if paint is None else PAINTED
    shade = 1 - strength * (1 - shade)
    painted = np.full(len(shade), np.nan)
    colours = np.broadcast_to(np.array(BONE), (len(shade), 3))
    if values is not None and paint is not None:
        painted = _between(values, raster, surface)
        colours = paint(painted)
    image = _mean_of_samples(colours * shade[:, None], shown, samples)
    middle = slice(samples // 2, None, samples)
    depth = raster.depth[middle, middle]
    groove = 1 - strength * _darkness(depth, frame)
    image[..., :3] *= groove[..., None]
    brightness = _scattered(shade, shown)[middle, middle] * groove
    return Rendering(
        image, _scattered(painted, shown)[middle, middle], brightness, depth, frame, camera
    )


def _check(surface: Surface, values: FloatArray | None, width: int, samples: int) -> None:
    if width < 1 or samples < 1:
        raise PictureError("A picture needs a width and a number of samples of at least 1.")
    if surface.points.shape[1] != 3:
        raise PictureError(
            f"{surface.name} has dimension {surface.points.shape[1]}; only points in space can be "
            "drawn."
        )
    if values is not None and values.shape != (surface.vertex_count,):
        raise PictureError(
            f"Expected one value for each of the {surface.vertex_count:,} vertices of "
            f"{surface.name}, got an array of shape {values.shape}."
        )


def frame_of(surface: Surface, camera: Camera) -> Frame:
    """All of a surface as a camera sees it, and a margin."""
    seen = camera.project(surface.points[surface.covered()])[:, :2]
    (left, bottom), (right, top) = seen.min(axis=0).tolist(), seen.max(axis=0).tolist()
    margin = MARGIN * max(right - left, top - bottom)
    return left - margin, right + margin, bottom - margin, top + margin


def _rasterised(
    seen: FloatArray,
    triangles: IndexArray,
    frame: Frame,
    width: int,
    height: int,
) -> Raster:
    left, right, bottom, top = frame
    columns = (seen[:, 0] - left) * (width / (right - left))
    rows = (top - seen[:, 1]) * (height / (top - bottom))
    return rasterise(np.column_stack([columns, rows, seen[:, 2]]), triangles, width, height)


def _between(values: FloatArray, raster: Raster, surface: Surface) -> FloatArray:
    """Values (n,) of the vertices, interpolated to every sample where the surface shows."""
    shown = raster.triangle != NOTHING
    first, second, third = values[surface.faces()[raster.triangle[shown]]].T
    weights = raster.weights[shown]
    return np.asarray(first + weights[:, 0] * (second - first) + weights[:, 1] * (third - first))


def _vertex_normals(surface: Surface) -> FloatArray:
    """Sum of the normals of the triangles around each vertex, weighted by area, (n, 3)."""
    flat = triangle_normals(surface.points, surface.faces())
    corners, count = surface.faces().ravel(), surface.vertex_count
    sums = [np.bincount(corners, np.repeat(flat[:, axis], 3), count) for axis in range(3)]
    normals = np.column_stack(sums)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.asarray(normals / np.where(lengths > 0, lengths, 1.0))


def _lit(normals: FloatArray) -> FloatArray:
    """Brightness (k,) of normals (3, k) as the camera sees them; both sides are lit."""
    lengths = np.sqrt(np.einsum("dk,dk->k", normals, normals))
    facing = np.where(normals[2] < 0, -1.0, 1.0) / np.where(lengths > 0, lengths, 1.0)
    key, fill = (
        np.clip(light @ normals * facing / np.linalg.norm(light), 0, 1) for light in (KEY, FILL)
    )
    return np.asarray(np.clip(AMBIENT + KEY_STRENGTH * key + FILL_STRENGTH * fill, 0, 1))


def _darkness(depth: FloatArray, frame: Frame) -> FloatArray:
    """How much darker a pixel is for lying below its surroundings; 0 elsewhere."""
    from scipy.ndimage import gaussian_filter  # only pictures need it

    shown = np.isfinite(depth)
    width = SURROUNDINGS * depth.shape[1]
    near = gaussian_filter(np.where(shown, depth, 0.0), width)
    share = gaussian_filter(shown.astype(np.float64), width)
    below = np.where(shown, near / np.maximum(share, 1e-6) - np.where(shown, depth, 0.0), 0.0)
    darkness = GROOVE_STRENGTH * below / (frame[1] - frame[0])
    return np.asarray(np.clip(darkness, 0, GROOVE_DARKEST))


def _mean_of_samples(colours: FloatArray, shown: BoolArray, samples: int) -> FloatArray:
    """Mean colour of the samples of each pixel where something shows, and their share."""
    channels = [*colours.T, np.ones(len(colours))]
    image = np.stack([_block_means(channel, shown, samples) for channel in channels], axis=2)
    coverage = image[..., 3:]
    image[..., :3] /= np.where(coverage > 0, coverage, 1.0)
    return np.asarray(image)


def _block_means(channel: FloatArray, shown: BoolArray, samples: int) -> FloatArray:
    plane = np.zeros(shown.shape)
    plane[shown] = channel
    parts = [plane[i::samples, j::samples] for i in range(samples) for j in range(samples)]
    return np.asarray(sum(parts) / samples**2)


def _scattered(values: FloatArray, shown: BoolArray) -> FloatArray:
    field = np.full(shown.shape, np.nan)
    field[shown] = values
    return field
