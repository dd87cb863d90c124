# SPDX-License-Identifier: MIT
"""Small pictures as PNG files with a palette: a few kilobytes each, and no library."""

import struct
import zlib

import numpy as np
import numpy.typing as npt

from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.visual.pictures.raster import BONE
from gplandmark.visual.pictures.renderer import Rendering

__all__ = ["SHADES", "bone_palette", "in_shades", "palette_png", "rgb"]

SHADES = 48  # of bone


def in_shades(picture: Rendering, levels: int = 1) -> IndexArray:
    """Indices (h, w) of the shades of a picture; 0 is the background.

    `levels` is the number of grades of coverage at the outline: 1 for all or nothing.
    """
    shade = np.clip(np.nan_to_num(picture.image[..., 0] / BONE[0]), 0, 1)
    covered = np.floor(levels * picture.image[..., 3] + 0.5)
    block = SHADES * (levels - covered)
    return np.where(covered > 0, 1 + block + np.floor((SHADES - 1) * shade), 0).astype(np.int64)


def bone_palette(levels: int = 1) -> FloatArray:
    """Colours of these indices, (k, 4): red, green, blue and coverage, 0 to 1."""
    shades = np.outer(np.linspace(0, 1, SHADES), BONE)
    coverage = np.repeat(np.arange(levels, 0, -1) / levels, SHADES)
    return np.vstack([np.zeros(4), np.column_stack([np.tile(shades, (levels, 1)), coverage])])


def rgb(colour: str) -> tuple[float, float, float]:
    """Red, green and blue, 0 to 1, of a colour like #1f5fb8."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


def palette_png(pixels: npt.NDArray[np.integer], palette: FloatArray) -> bytes:
    """Return indices (h, w) of a palette (k, 4), k at most 256, as a PNG file."""
    height, width = pixels.shape
    rows = np.zeros((height, width + 1), dtype=np.uint8)  # each row opens with its filter, none
    rows[:, 1:] = pixels
    colours = np.round(255 * palette).astype(np.uint8)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = (
        (b"IHDR", header),
        (b"PLTE", colours[:, :3].tobytes()),
        (b"tRNS", colours[:, 3].tobytes().rstrip(b"\xff")),  # the others are opaque
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
