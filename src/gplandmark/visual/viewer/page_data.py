# SPDX-License-Identifier: MIT
"""What the page draws of a specimen, as bytes: its mesh, and a colour for every vertex.

A message is a heading in JSON and then arrays, in the order in which the heading lists them. The
page reads them without a copy.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from gplandmark.landmarks.curves import Curve
from gplandmark.mesh.areas import vertex_normals
from gplandmark.mesh.surface import Surface
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arrays import BoolArray, FloatArray
from gplandmark.visual.pictures import ColourScale
from gplandmark.visual.pictures.raster import BONE
from gplandmark.visual.viewer.displayed_specimen import DisplayMesh
from gplandmark.visual.viewer.framing import ScenePose

STOPS = 17  # colours that the page draws its colour bar with
COLOURS = 256  # of the table that a shared page looks colours up in
WHOLE = 255
DIGITS = 5  # of paths in the scene, whose size is 1
NOT_BONE = (126, 87, 194, 255)  # violet, unlike bone and the colours of maps


def message(heading: dict[str, Any], *arrays: npt.NDArray[Any]) -> bytes:
    """A heading and arrays: 4 bytes with the length of the heading, it, and then the arrays.

    All begin at a multiple of 4 bytes.
    """
    text = json.dumps(heading).encode()
    text += b" " * (-len(text) % 4)
    parts = [np.ascontiguousarray(each).tobytes() for each in arrays]
    padded = [part + b"\0" * (-len(part) % 4) for part in parts]
    return b"".join([np.array([len(text)], dtype="<u4").tobytes(), text, *padded])


@dataclass(frozen=True, eq=False)
class DrawnSpecimen:
    """A surface in the scene: what is drawn of it, and in which pose."""

    surface: Surface
    mesh: DisplayMesh
    pose: ScenePose

    @cached_property
    def points(self) -> FloatArray:
        """Vertices that are drawn, (k, 3), in the scene."""
        return self.pose.in_scene(self.surface.points[self.mesh.vertices])

    @cached_property
    def normals(self) -> FloatArray:
        """Unit normals (k, 3) of the vertices that are drawn; of a cloud they point outwards."""
        if self.mesh.triangles is not None:
            return vertex_normals(self.points, self.mesh.triangles)
        lengths = np.linalg.norm(self.points, axis=1, keepdims=True)
        return np.asarray(self.points / np.where(lengths > 0, lengths, 1.0))

    def normals_at(self, points: FloatArray) -> FloatArray:
        """Unit normals (m, 3) near points (m, 3) of the scene."""
        return self.normals[self._tree.query(points)[1]] if len(points) else points

    def mesh_message(self) -> bytes:
        """Positions, normals and triangles."""
        triangles = self.mesh.triangles
        if triangles is None:
            triangles = np.zeros((0, 3), dtype=np.int64)
        normals = np.zeros((len(self.points), 4), dtype=np.int8)
        normals[:, :3] = np.round(127 * self.normals)
        bone = np.round(WHOLE * np.array(BONE)).astype(int).tolist()
        heading = {"vertices": len(self.points), "triangles": len(triangles), "bone": bone}
        return message(
            heading, self.points.astype("<f4"), normals, np.asarray(triangles, dtype="<u4")
        )

    @cached_property
    def _tree(self) -> "scipy.spatial.cKDTree":
        return scipy.spatial.cKDTree(self.points, compact_nodes=False, balanced_tree=False)


def colour_message(
    colours: FloatArray | None,
    scale: ColourScale | None,
    excluded: BoolArray,
    not_bone: BoolArray,
) -> bytes:
    """Colours (k, 3), 0 to 1, or that of bone; alpha is 0 where a vertex is excluded, (k,).

    What is not bone, (k,), has its own colour.
    """
    count = len(excluded)
    sent = np.full((count, 4), WHOLE, dtype=np.uint8)
    sent[:, :3] = np.round(WHOLE * np.asarray(BONE if colours is None else colours))
    sent[excluded, 3] = 0
    sent[not_bone] = NOT_BONE
    return message({"vertices": count, "scale": scale_content(scale)}, sent)


def curve_content(pose: ScenePose, curve: Curve, paths: Iterable[FloatArray]) -> dict[str, Any]:
    """What the page shows of a curve: its points, and paths in the scene from each to the next."""
    return {
        "name": curve.name,
        "closed": curve.is_closed,
        "ids": list(curve.members),
        "paths": [np.round(pose.in_scene(path), DIGITS).tolist() for path in paths],
    }


def steps_message(
    heading: dict[str, Any], counts: list[int], values: list[FloatArray], scale: ColourScale
) -> bytes:
    """Values (k,) after some numbers of landmarks: a table of colours, and where each vertex is."""
    table = np.full((COLOURS, 4), WHOLE, dtype=np.uint8)
    table[:, :3] = np.round(WHOLE * scale.paint()(scale.norm().inverse(np.linspace(0, 1, COLOURS))))
    rows = np.round((COLOURS - 1) * scale.norm()(np.array(values))).astype(np.uint8)
    shown = {"vertices": rows.shape[1], "counts": counts, "scale": scale_content(scale)}
    return message({**heading, **shown}, table, rows)


def scale_content(scale: ColourScale | None) -> dict[str, Any] | None:
    """What a colour bar shows: label, ends, middle and some colours from end to end."""
    if scale is None:
        return None
    values = scale.norm().inverse(np.linspace(0, 1, STOPS))
    rows = np.round(WHOLE * scale.paint()(values)).astype(int).tolist()
    return {
        "label": scale.label,
        "values": [float(values[0]), float(values[STOPS // 2]), float(values[-1])],
        "colours": [f"rgb({r},{g},{b})" for r, g, b in rows],
    }
