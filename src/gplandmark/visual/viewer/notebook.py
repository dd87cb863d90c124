# SPDX-License-Identifier: MIT
"""Landmarks in a notebook: the page that can be shared, in a frame, without a server or a port."""

import html
from typing import Any

from gplandmark.errors import ViewerError
from gplandmark.landmarks import Landmarks, MethodSettings
from gplandmark.mesh.surface import Surface
from gplandmark.visual.pictures.colour_maps import Method
from gplandmark.visual.viewer.colourings import Exhibit
from gplandmark.visual.viewer.display_mesh import display_mesh
from gplandmark.visual.viewer.shared_page import SHARED_VERTICES, share_page
from gplandmark.visual.viewer.steps import steps_of

__all__ = ["show"]


def show(
    surface: Surface,
    landmarks: Landmarks,
    *,
    settings: MethodSettings | None = None,
    height: int = 600,
) -> Any:
    """Show landmarks on their surface in a notebook, step by step, to be turned by the mouse.

    Parameters
    ----------
    surface : with triangles
    landmarks : that lie on it
    settings : of the covariance whose variance is painted; by default those that made the
        landmarks, or the paper's
    height : of the frame in pixels

    Returns
    -------
    IPython.display.HTML
        Which a notebook displays. It stays in the saved notebook, without a server.

    Raises
    ------
    ViewerError
        IPython or viser is not installed.
    LandmarkFileError
        The landmarks do not lie on the surface.
    """
    try:
        from IPython.display import HTML
    except ImportError:
        raise ViewerError(
            "gplandmark.show is for notebooks, and IPython is not installed. "
            "Use 'gplandmark view' or 'gplandmark share' instead."
        ) from None
    method = Method.of(landmarks, settings, None)
    exhibit = Exhibit(surface, surface.name, display_mesh(surface, SHARED_VERTICES), method)
    exhibit.steps = steps_of(
        surface, method.kernel(surface), landmarks, exhibit.mesh.vertices, surface.name
    )
    page = html.escape(share_page(exhibit), quote=True)
    return HTML(
        f'<div><iframe srcdoc="{page}" width="100%" height="{height}" style="border:none">'
        "</iframe></div>"
    )
