# SPDX-License-Identifier: MIT
"""One specimen as the reference lies: small pictures that can be laid over each other."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.matching.points import Sampled
from gplandmark.morphometrics.matching.pose import Pose
from gplandmark.numerics.arrays import BoolArray, FloatArray
from gplandmark.visual.pictures import Camera, render
from gplandmark.visual.pictures.image_files import bone_palette, in_shades, palette_png
from gplandmark.visual.pictures.renderer import Frame

__all__ = ["SCALE", "Posed", "in_common_pose", "redrawn"]

SCALE = 340  # pixels for the size: a tooth or a skull becomes 200 to 300 pixels wide
FARTHEST = 1.25  # sizes from the middle to an edge; what lies beyond is some stray piece
MARGIN = 6  # pixels around the specimen
SAMPLES = 2  # per side of a pixel, and four grades of coverage at the outline


@dataclass(frozen=True, eq=False)
class Posed:
    """A picture of a specimen in the pose of the reference, and where its landmarks are in it.

    All have the same scale, and in the middle of each is the centre of the reference.

    Attributes
    ----------
    image : a PNG file, transparent around the specimen
    size : width and height in pixels
    places : (m, 2) of the landmarks, to the right and down from the upper left corner, in
        pixels; NaN where a landmark is missing
    shown : (m,) whether it is there and not hidden behind a part of the specimen
    view : (2, 4) that takes coordinates of the specimen's file, and 1, to places
    """

    image: bytes
    size: tuple[int, int]
    places: FloatArray
    shown: BoolArray
    view: FloatArray

    def facts(self) -> dict[str, Any]:
        """What the report needs beside the image, ready for JSON."""
        return {
            "size": list(self.size),
            "places": _rounded(self.places),
            "shown": self.shown.tolist(),
            "view": self.view.tolist(),
        }


def in_common_pose(specimen: Sampled, pose: Pose, points: FloatArray, camera: Camera) -> Posed:
    """Draw a specimen and find its landmarks in the picture.

    Parameters
    ----------
    pose : of the specimen on the reference, both of unit size; a mirror image of the reference
        is drawn reflected, as the reference lies
    points : (m, 3) landmarks in the specimen's file; NaN where missing
    camera : with directions in the coordinates of the reference's file
    """
    surface = _in_pose(specimen, pose)
    frame = _frame(camera.project(surface.points[surface.covered()]))
    width = round(SCALE * (frame[1] - frame[0]))
    picture = render(surface, camera, width=width, samples=SAMPLES, frame=frame)
    known = np.isfinite(points).all(axis=1)
    moved = pose.at(specimen.in_unit(points[known]))
    places, shown = np.full((len(points), 2), np.nan), np.zeros(len(points), dtype=bool)
    places[known] = picture.places(moved)[:, ::-1]
    shown[known] = picture.shows(moved)
    image = palette_png(in_shades(picture, SAMPLES**2), bone_palette(SAMPLES**2))
    corners = picture.places(pose.at(specimen.in_unit(np.eye(4, 3, k=-1))))[:, ::-1]
    view = np.column_stack([(corners[1:] - corners[0]).T, corners[0]])
    return Posed(image, (width, len(picture.depth)), places, shown, view)


def redrawn(facts: Mapping[str, Any], points: FloatArray) -> dict[str, Any]:
    """What `Posed.facts` says, with other points (k, 3) for the landmarks that it had.

    A landmark that moved is taken to be hidden if it was.
    """
    places = np.full((len(facts["places"]), 2), np.nan)
    known = points[: len(places)]
    places[: len(known)] = np.column_stack([known, np.ones(len(known))]) @ np.array(facts["view"]).T
    shown = [was is None or seen for was, seen in zip(facts["places"], facts["shown"], strict=True)]
    return {**facts, "places": _rounded(places), "shown": shown}


def _rounded(places: FloatArray) -> list[list[float] | None]:
    return [[round(x, 1), round(y, 1)] if np.isfinite(x) else None for x, y in places.tolist()]


def _in_pose(specimen: Sampled, pose: Pose) -> Surface:
    """The surface of unit size on the reference; outside stays outside under a reflection."""
    triangles = specimen.surface.faces()
    if pose.reflects:
        triangles = triangles[:, ::-1]
    return Surface(pose.at(specimen.in_unit(specimen.surface.points)), triangles, specimen.name)


def _frame(seen: FloatArray) -> Frame:
    """A window of whole pixels around the centre of the reference, with all of the specimen."""
    reach = np.minimum(np.abs(seen[:, :2]).max(axis=0), FARTHEST)
    across, up = ((np.ceil(SCALE * reach) + MARGIN) / SCALE).tolist()
    return -across, across, -up, up
