# SPDX-License-Identifier: MIT
"""One HTML page that shows landmarks step by step, without a server or a network.

It is written to a file, or shown in a notebook. The page is viser's player, as it is installed,
with a recording in it. One second of the recording is one landmark, so that its slider counts
landmarks.
"""

import html
from typing import Any

import numpy as np

from gplandmark.errors import SettingsError, ViewerError
from gplandmark.landmarks import Landmarks, MethodSettings
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arguments import instance
from gplandmark.visual.pictures.colour_maps import Method
from gplandmark.visual.viewer.displayed_specimen import (
    VARIANCE,
    DisplayedSpecimen,
    Steps,
    display_mesh,
    steps_of,
)
from gplandmark.visual.viewer.framing import scene_pose, set_camera
from gplandmark.visual.viewer.glb import encode_mesh
from gplandmark.visual.viewer.landmark_markers import LandmarkMarkers
from gplandmark.visual.viewer.scene import add_lights, bar_positions
from gplandmark.visual.viewer.screen_colours import bar_colours, colour_bar, row_of_colours
from gplandmark.visual.viewer.server import Served, start_server, titled

SHARED_VERTICES = 12_000  # of the mesh in a file: with 40 landmarks it stays below 2 MB
MOST_STEPS = 60
AFTERWARDS = 0.9  # seconds that the last step stays


def shared_html(specimen: DisplayedSpecimen) -> str:
    """A self-contained HTML page with a specimen and the steps of its landmarks.

    Positions are rounded to 1/65535 of the specimen's size and values to 1/255 of the scale. With
    more than 60 landmarks some steps are skipped; all landmarks are shown in the end.

    Raises
    ------
    SettingsError
        The specimen has no landmarks, or no triangles.
    ViewerError
        viser is not installed.
    """
    if specimen.steps is None or len(specimen.steps) == 0:
        raise SettingsError(f"{specimen.title} has no landmarks to share.")
    if specimen.mesh.triangles is None:
        raise SettingsError(
            f"{specimen.title} is a point cloud; only surfaces with triangles can be shared."
        )
    served = start_server()
    try:
        page = titled(_recorded(served, specimen, specimen.steps), specimen.title)
    finally:
        served.stop()
    head = page.index("</head>")
    return page[:head] + _overlay(specimen) + page[head:]


def _recorded(served: Served, specimen: DisplayedSpecimen, steps: Steps) -> str:
    """Page of viser with all steps: a mesh for each, one visible at a time."""
    scene, pose = served.viser.scene, scene_pose(specimen.surface)
    add_lights(scene)
    set_camera(served.viser.initial_camera, pose)
    points = pose.in_scene(specimen.surface.points[specimen.mesh.vertices])
    assert specimen.mesh.triangles is not None
    encoded = encode_mesh(points, specimen.mesh.triangles, is_compact=True)
    colours = row_of_colours(bar_colours(VARIANCE))
    shown = min(len(steps), MOST_STEPS)
    counts = sorted({round(count) for count in np.linspace(0, len(steps), shown + 1)})
    meshes = []
    for count in counts:
        positions = bar_positions(100 * steps.variance(count), VARIANCE, len(points))
        content = encoded.painted(positions, colours)
        mesh = scene.add_glb(f"/steps/{count}", content, cast_shadow=False)
        mesh.visible = False
        meshes.append(mesh)
    marks = LandmarkMarkers(scene, "", specimen, pose, steps)
    recording = served.viser.get_scene_serializer()
    for number, (count, mesh) in enumerate(zip(counts, meshes, strict=True)):
        mesh.visible = True
        if number:
            meshes[number - 1].visible = False
        marks.show(count)
        following = counts[number + 1] if number + 1 < len(counts) else count + AFTERWARDS
        recording.insert_sleep(float(following - count))
    return str(recording.as_html())


def _overlay(specimen: DisplayedSpecimen) -> str:
    """Text beside the picture, added when the player has started."""
    content = (
        f"<b>{html.escape(specimen.title)}</b><br>{specimen.size_in_words}{colour_bar(VARIANCE)}"
        "The bar below plays the landmarks in order; its number counts them. "
        "The newest is red. The colour scale is the same at every step. "
        "Turn with the left mouse button, move with the right one."
    )
    style = (
        "position:fixed;right:1em;top:1em;width:17em;z-index:5;font:13px/1.4 sans-serif;"
        "background:rgba(255,255,255,0.85);padding:0.7em;border-radius:6px;color:#222"
    )
    box = f"<div id='about' style='{style}'>{content}</div>".replace("\\", "\\\\")
    text = box.replace("`", "'").replace("$", "&#36;").replace("</", "<\\/")
    return (
        "<script>addEventListener('load', () => document.body.insertAdjacentHTML('beforeend', "
        f"`{text}`));</script>"
    )


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
