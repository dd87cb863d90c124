# SPDX-License-Identifier: MIT
"""Image files: matplotlib figures as PNG, PDF or SVG, and small PNG files with a palette."""

import struct
import zlib
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gplandmark.errors import PictureError
from gplandmark.io.files import check_writable, write_atomically
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.visual.pictures.raster import BONE
from gplandmark.visual.pictures.renderer import Rendering
from gplandmark.visual.pictures.svg_fonts import with_fonts
from gplandmark.visual.print_style import STYLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXTENSIONS = (".png", ".pdf", ".svg")
RESOLUTION = 200  # pixels per inch of a PNG, and of the surfaces inside a PDF or SVG

NO_DATE: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None, "Producer": None, "Creator": None},
    ".svg": {"Date": None, "Creator": None},
}


def check_picture(path: Path) -> None:
    """Refuse an unknown file extension, a folder that is not writable, and a missing matplotlib.

    Raises
    ------
    PictureError
        The extension is unknown, or matplotlib is not installed.
    LandmarkFileError
        The file cannot be written there.
    """
    if path.suffix.lower() not in EXTENSIONS:
        raise PictureError(
            f"{path}: unknown picture file extension '{path.suffix}'. "
            f"Use one of {', '.join(EXTENSIONS)}."
        )
    check_writable(path)
    load_matplotlib()


def new_figure(width: float, height: float, resolution: int = RESOLUTION) -> "Figure":
    """Return an empty figure of that size in inches; a notebook shows it.

    Raises
    ------
    PictureError
        matplotlib is not installed.
    """
    with styled():
        return _figure_class()(figsize=(width, height), dpi=resolution)


def styled() -> Any:
    """Return the context that sets the style of all figures."""
    return load_matplotlib().rc_context(STYLE)


def picture_bytes(figure: "Figure", extension: str) -> bytes:
    """Return the figure as a PNG, PDF or SVG file."""
    buffer = BytesIO()
    kind, metadata = extension.removeprefix("."), NO_DATE[extension]
    with styled():
        figure.savefig(buffer, format=kind, facecolor="white", metadata=metadata)
    return with_fonts(buffer.getvalue()) if kind == "svg" else buffer.getvalue()


def write_picture(figure: "Figure", path: str | Path) -> Path:
    """Write a figure to a PNG, PDF or SVG file, by its extension, atomically."""
    path = Path(path)
    check_picture(path)
    write_atomically({path: picture_bytes(figure, path.suffix.lower())})
    return path


def load_matplotlib() -> Any:
    """Import matplotlib, which not every installation has.

    Raises
    ------
    PictureError
        It is not installed.
    """
    try:
        import matplotlib
    except ImportError:
        raise PictureError(
            "Pictures and their colours need matplotlib, which is not installed. "
            "Run: python -m pip install 'gplandmark[pictures]'"
        ) from None
    return matplotlib


@cache
def _figure_class() -> type["Figure"]:
    """A matplotlib figure without a window, which notebooks show."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    class WindowlessFigure(Figure):
        def __init__(self, **size: Any) -> None:
            super().__init__(**size)
            FigureCanvasAgg(self)

        def _repr_png_(self) -> bytes:
            return picture_bytes(self, ".png")

    return WindowlessFigure


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
    rows = np.zeros((height, width + 1), dtype=np.uint8)  # first its filter type, 0 for none
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
    check = zlib.crc32(name + content)
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", check)
