# SPDX-License-Identifier: MIT
"""Pictures: surfaces rendered in software, and charts; PNG, PDF and SVG.

Nothing here needs a display, a GPU or a graphics library. matplotlib, the extra ``pictures``,
writes text and marks around what `render` draws.
"""

from gplandmark.pictures.camera import Camera, default_camera
from gplandmark.pictures.canvas import check_picture, picture_bytes, write_picture
from gplandmark.pictures.charts import comparison_chart, curve_chart, study_chart
from gplandmark.pictures.colours import CLASS_COLOURS, ColourScale
from gplandmark.pictures.panels import Marks, Panel, draw_panels
from gplandmark.pictures.renderer import Rendering, render
from gplandmark.pictures.steps import picture_of_steps
from gplandmark.pictures.still import picture
from gplandmark.pictures.thumbnail import thumbnail
from gplandmark.pictures.views import cameras

__all__ = [
    "CLASS_COLOURS",
    "Camera",
    "ColourScale",
    "Marks",
    "Panel",
    "Rendering",
    "cameras",
    "check_picture",
    "comparison_chart",
    "curve_chart",
    "default_camera",
    "draw_panels",
    "picture",
    "picture_bytes",
    "picture_of_steps",
    "render",
    "study_chart",
    "thumbnail",
    "write_picture",
]
