# SPDX-License-Identifier: MIT
"""The small picture that a notebook shows of landmarks whose surface is known."""

from importlib.util import find_spec

from gplandmark.landmarks import Landmarks
from gplandmark.landmarks.showing import drawing
from gplandmark.pictures.canvas import picture_bytes
from gplandmark.pictures.still import picture

__all__ = ["thumbnail"]

WIDTH, RESOLUTION = 5.0, 100


@drawing
def thumbnail(landmarks: Landmarks) -> bytes | None:
    """Return landmarks on their surface as a PNG file.

    None without a surface in space, without landmarks, or without matplotlib.
    """
    surface = landmarks.surface
    if surface is None or surface.points.shape[1] != 3 or find_spec("matplotlib") is None:
        return None
    if landmarks.missing.all():
        return None
    return picture_bytes(picture(surface, landmarks, width=WIDTH, resolution=RESOLUTION), ".png")
