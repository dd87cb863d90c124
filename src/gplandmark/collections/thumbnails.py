# SPDX-License-Identifier: MIT
"""Small pictures of specimens with their landmarks, in a few kilobytes and without a library."""

import numpy as np

from gplandmark.arrays import FloatArray, IndexArray
from gplandmark.landmarks import Landmarks
from gplandmark.pictures import CLASS_COLOURS, render
from gplandmark.pictures.small import SHADES, bone_palette, in_shades, palette_png, rgb
from gplandmark.surface import Surface

__all__ = ["WIDTH", "thumbnail"]

WIDTH = 160  # pixels, and the largest height
RADIUS = 2.3  # pixels, of a landmark
MARKS = [(*rgb(colour), 1.0) for colour in CLASS_COLOURS.values()]


def thumbnail(surface: Surface, landmarks: Landmarks) -> bytes | None:
    """Return a PNG of at most 160 x 160 pixels; None for points outside space.

    The surface has the colour of bone, landmarks those of their class; hidden ones are left out.
    """
    if surface.points.shape[1] != 3:
        return None
    pixels, places = _drawn(surface, landmarks.points)
    kinds = list(CLASS_COLOURS)
    for number, (row, column) in enumerate(places):
        kind = kinds.index(landmarks.classes[number]) if landmarks.classes else 0
        if row >= 0:
            _dot(pixels, row, column, SHADES + 1 + kind)
    return palette_png(pixels, np.vstack([bone_palette(), MARKS]))


def _drawn(surface: Surface, points: FloatArray) -> tuple[IndexArray, IndexArray]:
    """Shades of a surface as indices of the palette, and where landmarks show; -1 if hidden."""
    picture = render(surface, width=WIDTH, samples=1)
    height, width = picture.depth.shape
    if height > WIDTH:  # seen upright: as high as others are wide
        picture = render(surface, picture.camera, width=max(1, WIDTH * width // height), samples=1)
    places = np.where(picture.shows(points)[:, None], picture.pixels(points), -1)
    return in_shades(picture), places


def _dot(pixels: IndexArray, row: int, column: int, index: int) -> None:
    reach = int(RADIUS)
    height, width = pixels.shape
    rows = np.arange(max(0, row - reach), min(height, row + reach + 1))
    columns = np.arange(max(0, column - reach), min(width, column + reach + 1))
    inside = (rows[:, None] - row) ** 2 + (columns - column) ** 2 <= RADIUS**2
    block = pixels[np.ix_(rows, columns)]
    pixels[np.ix_(rows, columns)] = np.where(inside, index, block)
