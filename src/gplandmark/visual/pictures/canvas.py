# SPDX-License-Identifier: MIT
"""The sheet that pictures are drawn on: matplotlib without a display, and files from it."""

from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gplandmark.errors import PictureError
from gplandmark.io.files import check_writable, write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ENDINGS", "check_picture", "new_figure", "picture_bytes", "write_picture"]

ENDINGS = (".png", ".pdf", ".svg")
RESOLUTION = 200  # pixels per inch of a PNG, and of the surfaces inside a PDF or SVG

# Text stays text in vector files, and equal pictures are equal bytes.
STYLE: dict[str, Any] = {
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.frameon": False,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "gplandmark",
}
NO_DATE: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None, "Producer": None, "Creator": None},
    ".svg": {"Date": None, "Creator": None},
}


def check_picture(path: Path) -> None:
    """Refuse a name that is no picture's, a folder that is closed, and a missing matplotlib.

    Raises
    ------
    PictureError
        The ending is unknown, or matplotlib is not installed.
    LandmarkFileError
        The file cannot be written there.
    """
    if path.suffix.lower() not in ENDINGS:
        raise PictureError(
            f"{path}: a picture cannot be written with the ending '{path.suffix}'. "
            f"Use one of {', '.join(ENDINGS)}."
        )
    check_writable(path)
    _matplotlib()


def new_figure(width: float, height: float, resolution: int = RESOLUTION) -> "Figure":
    """Return an empty figure of that size in inches; a notebook shows it.

    Raises
    ------
    PictureError
        matplotlib is not installed.
    """
    with _matplotlib().rc_context(STYLE):
        return _figure_class()(figsize=(width, height), dpi=resolution)


def styled() -> Any:
    """Return the context in which everything of ours is drawn."""
    return _matplotlib().rc_context(STYLE)


def picture_bytes(figure: "Figure", ending: str) -> bytes:
    """Return the figure as a PNG, PDF or SVG file."""
    buffer = BytesIO()
    with styled():
        figure.savefig(
            buffer,
            format=ending.removeprefix("."),
            facecolor="white",
            metadata=NO_DATE[ending],
        )
    return buffer.getvalue()


def write_picture(figure: "Figure", path: str | Path) -> Path:
    """Write a figure to a PNG, PDF or SVG file, by its ending; whole or not at all."""
    path = Path(path)
    check_picture(path)
    write_whole({path: picture_bytes(figure, path.suffix.lower())})
    return path


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise PictureError(
            "Pictures need matplotlib, which is not installed. "
            "Run: python -m pip install 'gplandmark[pictures]'"
        ) from None
    return matplotlib


@cache
def _figure_class() -> type["Figure"]:
    """A figure of matplotlib that no window manager knows of, and that a notebook shows."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    class WindowlessFigure(Figure):
        def __init__(self, **size: Any) -> None:
            super().__init__(**size)
            FigureCanvasAgg(self)

        def _repr_png_(self) -> bytes:
            return picture_bytes(self, ".png")

    return WindowlessFigure
