# SPDX-License-Identifier: MIT
"""Software rendering of a shaded surface: no display, no GPU, no graphics library."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from gplandmark.errors import PictureError
from gplandmark.mesh import cloud_areas
from gplandmark.mesh.areas import vertex_normals
from gplandmark.mesh.neighbours import nearest
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.numerics.threads import chunks, run_threaded
from gplandmark.visual.pictures.camera import Camera, check_in_space, default_camera
from gplandmark.visual.pictures.raster import PAINTED, Paint, Scene, darkness

Frame: TypeAlias = tuple[float, float, float, float]
"""Left, right, bottom and top of a picture in the camera's coordinates, file units."""

MARGIN = 0.04  # of the larger side of what is seen
ROWS = 32  # of pixels drawn at a time
SEEN_BELOW = 0.01  # of the picture: a point this far below what shows still counts as on it


@dataclass(frozen=True, eq=False)
class Rendering:
    """A picture of a surface, and where things are in it.

    Attributes
    ----------
    image : (height, width, 4) red, green, blue and coverage, 0 to 1; row 0 is the top
    values : (height, width) the value at every pixel; NaN where nothing shows or none is given
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

    def places(self, points: FloatArray) -> FloatArray:
        """Row and column (k, 2), with fractions, where points (k, 3) show; 0 is an outer edge."""
        seen = self.camera.project(points)
        left, right, _, top = self.frame
        pixel = (right - left) / int(self.depth.shape[1])
        return np.column_stack([top - seen[:, 1], seen[:, 0] - left]) / pixel

    def pixels(self, points: FloatArray) -> IndexArray:
        """Row and column (k, 2) where points (k, 3) of the file's coordinates show."""
        limit = np.array(self.depth.shape) - 1
        return np.clip(np.floor(self.places(points)), 0, limit).astype(np.int64)

    def shows(self, points: FloatArray) -> BoolArray:
        """Which points (k, 3) on the surface are not hidden behind a part of it.

        On a steep wall the depth changes within a pixel: the farthest of the pixels around
        counts, and background is farther than everything.
        """
        from scipy.ndimage import maximum_filter

        rows, columns = self.pixels(points).T
        farthest = -maximum_filter(-self.depth, size=3)
        slack = SEEN_BELOW * (self.frame[1] - self.frame[0])
        near = self.camera.project(points)[:, 2]
        return np.asarray(near >= farthest[rows, columns] - slack, dtype=bool)


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
    surface : with triangles, or a bare cloud in space, whose points are drawn as small quads
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
    if width < 1 or samples < 1:
        raise PictureError("A picture needs a width and a number of samples of at least 1.")
    if values is not None and values.shape != (surface.vertex_count,):
        raise PictureError(
            f"Expected one value for each of the {surface.vertex_count:,} vertices of "
            f"{surface.name}, got an array of shape {values.shape}."
        )
    camera = camera or default_camera(surface)
    frame = frame or frame_of(surface, camera)
    if surface.triangles is None:
        surface = points_as_quads(surface)
        values = None if values is None else np.repeat(values, CORNERS)
    height = max(1, round(width * (frame[3] - frame[2]) / (frame[1] - frame[0])))
    given = np.full(surface.vertex_count, np.nan) if values is None else values
    scene = Scene(
        _in_samples(camera.project(surface.points), frame, width * samples, height * samples),
        surface.faces(),
        np.column_stack([vertex_normals(surface.points, surface.faces()) @ camera.axes.T, given]),
        None if values is None else paint,
        samples,
    )
    image, (values, shade, depth) = np.zeros((height, width, 4)), np.zeros((3, height, width))

    def draw(rows: slice) -> None:
        image[rows], values[rows], shade[rows], depth[rows] = scene.rows(rows, width)

    run_threaded(draw, chunks(height, ROWS))
    strength = 1.0 if scene.paint is None else PAINTED
    groove = 1 - strength * darkness(depth, frame[1] - frame[0])
    image[..., :3] *= groove[..., None]
    return Rendering(image, values, shade * groove, depth, frame, camera)


def frame_of(surface: Surface, camera: Camera) -> Frame:
    """All of a surface as a camera sees it, and a margin."""
    check_in_space(surface)
    seen = camera.project(surface.points[surface.covered()])[:, :2]
    (left, bottom), (right, top) = seen.min(axis=0).tolist(), seen.max(axis=0).tolist()
    margin = MARGIN * max(right - left, top - bottom)
    return left - margin, right + margin, bottom - margin, top + margin


def _in_samples(seen: FloatArray, frame: Frame, width: int, height: int) -> FloatArray:
    """Points (n, 3) as the camera sees them: column and row in samples, and how near."""
    left, right, bottom, top = frame
    columns = (seen[:, 0] - left) * (width / (right - left))
    rows = (top - seen[:, 1]) * (height / (top - bottom))
    return np.column_stack([columns, rows, seen[:, 2]])


CORNERS = 4
NEIGHBOURS = 12
SIDE = 1.5  # of sqrt(area of a point): squares overlap, so that no gap shows between them
LARGEST = 2.0  # medians of the side: a point far from all others does not cover them


def points_as_quads(cloud: Surface) -> Surface:
    """Return a square quad of two triangles for every point, in the plane of its neighbours.

    The corners of point i are the vertices 4 i to 4 i + 3. Which way a square faces is
    arbitrary; both sides are lit.
    """
    across, along = _tangents(cloud.points)
    sides = SIDE * np.sqrt(cloud_areas(cloud))
    half = np.minimum(sides, LARGEST * np.median(sides))[:, None] / 2
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    places = [cloud.points + half * (x * across + y * along) for x, y in corners]
    points = np.stack(places, axis=1).reshape(-1, 3)
    first = CORNERS * np.arange(cloud.vertex_count)[:, None]
    triangles = (first + np.array([0, 1, 2, 0, 2, 3])).reshape(-1, 3)
    return Surface(points, triangles, cloud.name)


def _tangents(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Two unit vectors (n, 3) each, along the widest directions of the nearest points."""
    near = nearest(points, min(NEIGHBOURS, len(points)))[1]
    offsets = points[near] - points[:, None]
    offsets -= offsets.mean(axis=1, keepdims=True)
    axes = np.linalg.eigh(np.einsum("nki,nkj->nij", offsets, offsets))[1]
    return axes[:, :, 2], axes[:, :, 1]
