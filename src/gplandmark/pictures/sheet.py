# SPDX-License-Identifier: MIT
"""A figure that needs no display and that a notebook shows; imported only where it is drawn."""

from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from gplandmark.pictures.canvas import picture_bytes

__all__ = ["Sheet"]


class Sheet(Figure):
    """A figure of matplotlib that no window manager knows of."""

    def __init__(self, **size: Any) -> None:
        super().__init__(**size)
        FigureCanvasAgg(self)

    def _repr_png_(self) -> bytes:
        """Show it in a notebook, where figures of pyplot alone are shown otherwise."""
        return picture_bytes(self, ".png")
