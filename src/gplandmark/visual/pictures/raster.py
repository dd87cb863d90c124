# SPDX-License-Identifier: MIT
"""Pixels of a surface: which triangle shows at each, how bright it is, and in which colour.

Rows are drawn some at a time, so that memory stays small and close to the processor.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.numerics.native import choose_loops

# Both lights lie in one plane with the viewer, the stronger one above and to the left.
KEY = np.array([-0.45, 0.45, 0.77])
FILL = np.array([0.5, -0.5, 0.71])
AMBIENT, KEY_STRENGTH, FILL_STRENGTH = 0.30, 0.62, 0.22

# Grooves and basins receive less light: depth below the surroundings, as a fraction of the
# picture, darkens by up to the last number.
SURROUNDINGS, GROOVE_STRENGTH, GROOVE_DARKEST = 0.025, 9.0, 0.35


def lit(normals: FloatArray) -> FloatArray:
    """Brightness (k,) of normals (3, k) as the camera sees them; both sides are lit."""
    lengths = np.sqrt(np.einsum("dk,dk->k", normals, normals))
    facing = np.where(normals[2] < 0, -1.0, 1.0) / np.where(lengths > 0, lengths, 1.0)
    key, fill = (
        np.clip(light @ normals * facing / np.linalg.norm(light), 0, 1) for light in (KEY, FILL)
    )
    return np.asarray(np.clip(AMBIENT + KEY_STRENGTH * key + FILL_STRENGTH * fill, 0, 1))


def darkness(depth: FloatArray, across: float) -> FloatArray:
    """How much darker a pixel is for lying below its surroundings; 0 elsewhere.

    `depth` (h, w) is how near each is, -inf where nothing shows; `across` is the width of the
    picture in the same unit.
    """
    shown = np.isfinite(depth)
    width = SURROUNDINGS * depth.shape[1]
    near = _blurred(np.where(shown, depth, 0.0), width)
    coverage = _blurred(shown.astype(np.float64), width)
    below = np.where(shown, near / np.maximum(coverage, 1e-6) - np.where(shown, depth, 0.0), 0.0)
    return np.asarray(np.clip(GROOVE_STRENGTH * below / across, 0, GROOVE_DARKEST))


def _blurred(plane: FloatArray, width: float) -> FloatArray:
    """Means around every pixel with weights near a Gaussian of that standard deviation.

    Three means over boxes, which cost the same however wide: 3 (w^2 - 1) / 12 is the variance.
    """
    from scipy.ndimage import uniform_filter  # only pictures need it

    box = max(1, round(np.sqrt(4 * width**2 + 1)))
    for _ in range(3):
        plane = uniform_filter(plane, box)
    return np.asarray(plane)


Paint: TypeAlias = Callable[[FloatArray], FloatArray]
"""From values (k,) to colours (k, 3), red, green and blue from 0 to 1."""

BONE = (0.87, 0.84, 0.78)
PAINTED = 0.6  # strength of the shading on a painted surface, whose colours must stay legible


@dataclass(frozen=True, eq=False)
class Scene:
    """All that a picture is drawn from.

    Attributes
    ----------
    points : (n, 3) column and row in samples, and how near to the viewer
    triangles : (m, 3)
    fields : (n, 4) normals as the camera sees them, and a value
    paint : colours for the values; None for the colour of bone
    samples : per side of a pixel
    """

    points: FloatArray
    triangles: IndexArray
    fields: FloatArray
    paint: Paint | None
    samples: int
    low: FloatArray = field(init=False)
    high: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        """Find the first and the last row of every triangle, once."""
        one, two, three = (self.points[corner, 1] for corner in self.triangles.T)
        object.__setattr__(self, "low", np.minimum(np.minimum(one, two), three))
        object.__setattr__(self, "high", np.maximum(np.maximum(one, two), three))

    def rows(
        self, rows: slice, width: int
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Image, values, shade and depth of some rows of pixels: see `Rendering`."""
        top, bottom = rows.start * self.samples, rows.stop * self.samples
        triangles = self.triangles[(self.high >= top) & (self.low <= bottom)]
        corners = self.points[triangles].reshape(-1, 3)
        corners[:, 1] -= top
        numbers = np.arange(len(corners)).reshape(-1, 3)
        raster = rasterise(corners, numbers, width * self.samples, bottom - top)
        shown = raster.triangle != NOTHING
        out = np.zeros((int(np.count_nonzero(shown)), 4))
        choose_loops().interpolate_corners(
            self.fields, triangles, raster.triangle[shown], raster.weights[shown], out
        )
        shade = lit(out[:, :3].T)
        colours = np.broadcast_to(BONE, (len(out), 3))
        if self.paint is not None:
            shade = 1 - PAINTED * (1 - shade)
            colours = self.paint(out[:, 3])
        middle = slice(self.samples // 2, None, self.samples)
        return (
            _mean_of_samples(colours * shade[:, None], shown, self.samples),
            _scattered(out[:, 3], shown)[middle, middle],
            _scattered(shade, shown)[middle, middle],
            raster.depth[middle, middle],
        )


def _mean_of_samples(colours: FloatArray, shown: BoolArray, samples: int) -> FloatArray:
    """Mean colour of the samples of each pixel where something shows, and their coverage."""
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


NOTHING = -1


@dataclass(frozen=True, eq=False)
class Raster:
    """What shows at the centre of every pixel; row 0 is the top of the picture.

    Attributes
    ----------
    triangle : (height, width) number of the triangle, or `NOTHING`
    weights : (height, width, 2) barycentric weights of its second and third corner
    depth : (height, width) how near it is to the viewer; -inf where there is nothing
    """

    triangle: IndexArray
    weights: FloatArray
    depth: FloatArray


def rasterise(points: FloatArray, triangles: IndexArray, width: int, height: int) -> Raster:
    """Find the nearest triangle at the centre of every pixel.

    Parameters
    ----------
    points : (n, 3) column and row in pixels, pixel (i, j) having its centre at (j + 1/2,
        i + 1/2), and how near to the viewer
    triangles : (m, 3) their corners
    """
    triangle = np.full((height, width), NOTHING, dtype=np.int64)
    weights = np.zeros((height, width, 2))
    depth = np.full((height, width), -np.inf)
    choose_loops().rasterize(points, triangles, triangle, weights, depth)
    return Raster(triangle, weights, depth)
