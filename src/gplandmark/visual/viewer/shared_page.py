# SPDX-License-Identifier: MIT
"""One HTML page that shows landmarks step by step, without a server or a network.

It is written to a file, or shown in a notebook. It draws as the viewer does: the modules of `page`
that it needs are in it, as are the mesh and the colours of every step.
"""

import html
import json
import re
from base64 import b64encode
from string import Template
from typing import Any

import numpy as np

from gplandmark.errors import SettingsError, ViewerError
from gplandmark.landmarks import Landmarks, MethodSettings
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arguments import instance
from gplandmark.numerics.arrays import BoolArray
from gplandmark.visual.pictures.colour_maps import Method
from gplandmark.visual.pictures.image_files import load_matplotlib
from gplandmark.visual.viewer.displayed_specimen import (
    VARIANCE,
    DisplayedSpecimen,
    Steps,
    display_mesh,
    steps_of,
)
from gplandmark.visual.viewer.framing import scene_pose
from gplandmark.visual.viewer.page_data import DrawnSpecimen, curve_content, steps_message
from gplandmark.visual.viewer.web_server import PAGE

SHARED_VERTICES = 12_000  # of the mesh in a file: with 40 landmarks it stays below 2 MB
MOST_STEPS = 60
IMPORT = re.compile(r'from "\./(\w+\.js)"')


def shared_html(specimen: DisplayedSpecimen) -> str:
    """A self-contained HTML page with a specimen and the steps of its landmarks.

    Positions are in single precision, and values are rounded to 1/255 of the scale. With more than
    60 landmarks some steps are skipped; all landmarks are shown in the end.

    Raises
    ------
    SettingsError
        The specimen has no landmarks, or no triangles.
    PictureError
        matplotlib is not installed.
    """
    if specimen.steps is None or len(specimen.steps) == 0:
        raise SettingsError(f"{specimen.title} has no landmarks to share.")
    if specimen.mesh.triangles is None:
        raise SettingsError(
            f"{specimen.title} is a point cloud; only surfaces with triangles can be shared."
        )
    load_matplotlib()
    drawn = DrawnSpecimen(specimen.surface, specimen.mesh, scene_pose(specimen.surface))
    return Template((PAGE / "shared.html").read_text(encoding="utf-8")).substitute(
        title=html.escape(specimen.title),
        size=specimen.size_in_words,
        style=(PAGE / "style.css").read_text(encoding="utf-8"),
        modules=json.dumps({"imports": _modules("shared.js")}),
        mesh=b64encode(drawn.mesh_message()).decode(),
        steps=b64encode(_steps_message(drawn, specimen.steps)).decode(),
    )


def _modules(first: str) -> dict[str, str]:
    """A module of the page and all that it imports, as addresses that hold their text.

    Such a module has no folder, so that it imports others by their names alone.
    """
    found: dict[str, str] = {}
    waiting = [first]
    while waiting:
        name = waiting.pop()
        text = (PAGE / name).read_text(encoding="utf-8")
        waiting += [each for each in IMPORT.findall(text) if each not in found]
        content = IMPORT.sub(r'from "\1"', text).encode()
        found[name] = f"data:text/javascript;base64,{b64encode(content).decode()}"
    return found


def _steps_message(drawn: DrawnSpecimen, steps: Steps) -> bytes:
    """The landmarks, and the variance at the vertices drawn after some numbers of them."""
    shown = min(len(steps), MOST_STEPS)
    counts = sorted({round(count) for count in np.linspace(0, len(steps), shown + 1)})
    there: BoolArray = np.asarray(np.isfinite(steps.points).all(axis=1))
    points = drawn.pose.in_scene(steps.points)
    normals = drawn.normals_at(np.where(there[:, None], points, 0.0))
    marks = [
        {
            "id": number,
            "label": label,
            "point": points[number].tolist() if there[number] else None,
            "normal": normals[number].tolist(),
        }
        for number, label in enumerate(steps.labels)
    ]
    curves = [
        curve_content(drawn.pose, curve, paths)
        for curve, paths in zip(steps.curves, steps.paths, strict=True)
    ]
    pose = drawn.pose
    heading = {"marks": marks, "curves": curves, "half": pose.half.tolist(), "size": pose.size}
    return steps_message(heading, counts, [100 * steps.variance(each) for each in counts], VARIANCE)


def show(
    surface: Surface,
    landmarks: Landmarks,
    *,
    settings: MethodSettings | None = None,
    height: int = 600,
) -> Any:
    """Show landmarks on their surface in a notebook, step by step; the mouse turns the view.

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
        A notebook displays it, and keeps it when saved, without a server.

    Raises
    ------
    ViewerError
        IPython is not installed.
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
    instance(surface, Surface, "Use gplandmark.read first.", ViewerError)
    instance(landmarks, Landmarks, "Use gplandmark.place first.", ViewerError)
    method = Method.of(landmarks, settings, None)
    mesh = display_mesh(surface, SHARED_VERTICES)
    steps = steps_of(surface, method.kernel(surface), landmarks, mesh.vertices, surface.name)
    specimen = DisplayedSpecimen(surface, surface.name, mesh, steps)
    page = html.escape(shared_html(specimen), quote=True)
    return HTML(
        f'<div><iframe srcdoc="{page}" width="100%" height="{height}" style="border:none">'
        "</iframe></div>"
    )
