# SPDX-License-Identifier: MIT
"""Pictures of surfaces, rendered in software, as PNG, PDF and SVG.

Import from this package. Nothing needs a display, a GPU or a graphics library; matplotlib, the
extra ``pictures``, adds text and marks to what `render` draws.
"""

from gplandmark.visual.pictures.camera import Camera, cameras, default_camera
from gplandmark.visual.pictures.colour_maps import CLASS_COLOURS, ColourScale
from gplandmark.visual.pictures.image_files import check_picture, picture_bytes, write_picture
from gplandmark.visual.pictures.panels import Marks, Panel, draw_panels
from gplandmark.visual.pictures.picture import notebook_png, picture, picture_of_steps, surface_png
from gplandmark.visual.pictures.renderer import Rendering, render

__all__ = [
    "CLASS_COLOURS",
    "Camera",
    "ColourScale",
    "Marks",
    "Panel",
    "Rendering",
    "cameras",
    "check_picture",
    "default_camera",
    "draw_panels",
    "notebook_png",
    "picture",
    "picture_bytes",
    "picture_of_steps",
    "render",
    "surface_png",
    "write_picture",
]  # fmt: skip
