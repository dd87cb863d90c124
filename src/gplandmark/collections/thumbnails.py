# SPDX-License-Identifier: MIT
"""Small pictures of specimens with their landmarks, in a few kilobytes and without a library."""

import struct
import zlib

import numpy as np

from gplandmark.arrays import FloatArray, IndexArray
from gplandmark.landmarks import Landmarks
from gplandmark.pictures import CLASS_COLOURS, render
from gplandmark.pictures.scene import BONE
from gplandmark.surface import Surface

__all__ = ["WIDTH", "thumbnail"]

WIDTH = 160  # pixels, and the largest height
SHADES = 48  # of bone; index 0 is the background, which is transparent
RADIUS = 2.3  # pixels, of a landmark
COLOURS = tuple(CLASS_COLOURS.values())


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
    return _png(pixels)


def _drawn(surface: Surface, points: FloatArray) -> tuple[IndexArray, IndexArray]:
    """Shades of a surface as indices of the palette, and where landmarks show; -1 if hidden."""
    picture = render(surface, width=WIDTH, samples=1)
    height, width = picture.depth.shape
    if height > WIDTH:  # seen upright: as high as others are wide
        picture = render(surface, picture.camera, width=max(1, WIDTH * width // height), samples=1)
    shade = np.nan_to_num(picture.image[..., 0] / BONE[0])
    pixels = np.where(picture.image[..., 3] >= 0.5, 1 + (SHADES - 1) * np.clip(shade, 0, 1), 0)
    places = np.where(picture.shows(points)[:, None], picture.pixels(points), -1)
    return pixels.astype(np.int64), places


def _dot(pixels: IndexArray, row: int, column: int, index: int) -> None:
    reach = int(RADIUS)
    height, width = pixels.shape
    rows = np.arange(max(0, row - reach), min(height, row + reach + 1))
    columns = np.arange(max(0, column - reach), min(width, column + reach + 1))
    inside = (rows[:, None] - row) ** 2 + (columns - column) ** 2 <= RADIUS**2
    block = pixels[np.ix_(rows, columns)]
    pixels[np.ix_(rows, columns)] = np.where(inside, index, block)


def _png(pixels: IndexArray) -> bytes:
    """Write indices of the palette as a PNG file."""
    shades = np.outer(np.linspace(0, 1, SHADES), BONE) * 255
    marks = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in COLOURS]
    palette = np.vstack([[0, 0, 0], shades, marks]).astype(np.uint8)
    height, width = pixels.shape
    rows = np.zeros((height, width + 1), dtype=np.uint8)  # each row opens with its filter, none
    rows[:, 1:] = pixels
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = (
        (b"IHDR", header),
        (b"PLTE", palette.tobytes()),
        (b"tRNS", b"\0"),
        (b"IDAT", zlib.compress(rows.tobytes(), 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, content) for name, content in parts)


def _chunk(name: bytes, content: bytes) -> bytes:
    return (
        struct.pack(">I", len(content))
        + name
        + content
        + struct.pack(">I", zlib.crc32(name + content))
    )
