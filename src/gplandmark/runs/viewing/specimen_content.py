# SPDX-License-Identifier: MIT
"""What the page shows of an open specimen beside its mesh, ready for JSON."""

from typing import Any

import numpy as np

from gplandmark.mesh.visibility import visible_from_outside
from gplandmark.runs.viewing.open_specimen import OpenSpecimen
from gplandmark.visual.editor import NotBoneEditor
from gplandmark.visual.editor.output_file import is_locked
from gplandmark.visual.viewer.page_data import curve_content

LOOKS = 32  # directions from which landmarks are looked for


def page_content(opened: OpenSpecimen) -> dict[str, Any]:
    """Landmarks, curves, files, what can be undone, and who edits it."""
    with opened.lock:
        history, pose = opened.editor.history, opened.drawn.pose
        after = history.entries[history.present + 1 :]
        return {
            "key": opened.specimen.key,
            "version": opened.version,
            "marks": _marks(opened),
            "curves": _curves(opened),
            "undo": history.entries[history.present].edit,
            "redo": after[0].edit if after else "",
            "unsaved": opened.has_unsaved,
            "recovered": opened.recovered,
            "output": str(opened.output),
            "opened": str(opened.specimen.landmarks or ""),
            "scan": str(opened.specimen.scan),
            "elsewhere": not opened.is_ours and is_locked(opened.output),
            "masked": bool(opened.editor.state.painted or opened.editor.state.not_bone),
            "notBone": float(NotBoneEditor(opened.editor).mask.mean()),
            "vertices": opened.surface.vertex_count,
            "drawn": len(opened.drawn.mesh.vertices),
            "size": pose.size,
            "half": pose.half.tolist(),
            "mirrored": pose.is_mirrored,
            "weighted": opened.method.has_weight,
        }


def _marks(opened: OpenSpecimen) -> list[dict[str, Any]]:
    """Every landmark: where it is in the scene and in the file, and its 90 % radius.

    A landmark that a person placed has no radius.
    """
    points = opened.drawn.pose.in_scene(opened.editor.points)
    there = np.asarray(np.isfinite(points).all(axis=1))
    normals = opened.drawn.normals_at(np.where(there[:, None], points, 0.0))
    radii = opened.specimen.radii
    return [
        {
            "id": mark.identity,
            "label": mark.label,
            "kind": mark.kind,
            "author": mark.author,
            "point": points[at].tolist() if mark.place else None,
            "normal": normals[at].tolist(),
            "file": list(mark.place.point) if mark.place else None,
            "radius": radii.get(mark.label) if mark.place and mark.author == "algorithm" else None,
        }
        for at, mark in enumerate(opened.editor.state.marks)
    ]


def _curves(opened: OpenSpecimen) -> list[dict[str, Any]]:
    """Every curve: its points, and the paths in the scene from each of them to the next."""
    state, pose = opened.editor.state, opened.drawn.pose
    return [
        curve_content(pose, curve, paths)
        for curve, paths in zip(state.curves, opened.curve_paths.of(state), strict=True)
    ]


def count_inside(opened: OpenSpecimen) -> int:
    """How many landmarks cannot be seen from any side: they lie in a cavity or a fold.

    It takes up to a second, so that it is asked for when all else is shown. Edits go on meanwhile.
    """
    vertices = opened.editor.state.vertices()
    known = frozenset(vertices[vertices >= 0].tolist())
    if opened.surface.triangles is None or not known:
        return 0
    if known != opened.inside[0]:
        among = np.array(sorted(known))
        seen = visible_from_outside(opened.surface, LOOKS, among)[among]
        opened.inside = known, int((~seen).sum())
    return opened.inside[1]
