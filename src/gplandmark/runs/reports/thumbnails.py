# SPDX-License-Identifier: MIT
"""Small pictures of specimens, for the reports of runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gplandmark.io.files import read_regular
from gplandmark.landmarks import Landmarks
from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.matching.points import SampledSurface
from gplandmark.morphometrics.matching.registration import Pose
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.runs.journal import JournalEntry
from gplandmark.visual.pictures import CLASS_COLOURS, Camera, render
from gplandmark.visual.pictures.image_files import SHADES, bone_palette, in_shades, palette_png, rgb
from gplandmark.visual.pictures.renderer import Frame

THUMBNAIL_WIDTH = 160  # pixels, and the largest height
RADIUS = 2.3  # pixels, of a landmark
MARKS = [(*rgb(colour), 1.0) for colour in CLASS_COLOURS.values()]


def specimen_thumbnail(surface: Surface, landmarks: Landmarks) -> bytes | None:
    """Return a PNG of at most 160 x 160 pixels; None for points outside space.

    The surface has the colour of bone, landmarks those of their class; hidden ones are left out.
    """
    if surface.points.shape[1] != 3:
        return None
    pixels, places = _drawn(surface, landmarks.points)
    kinds = list(CLASS_COLOURS)
    for number, (row, column) in enumerate(places):
        kind = kinds.index(landmarks.classes[number]) if landmarks.classes else 0
        if row >= 0:
            _dot(pixels, row, column, SHADES + 1 + kind)
    return palette_png(pixels, np.vstack([bone_palette(), MARKS]))


PNG = b"\x89PNG\r\n\x1a\n"  # the beginning of such a file


def stored_thumbnail(entry: JournalEntry, output: Path) -> bytes | None:
    """Return the small picture of a specimen from a folder of results; None if there is none."""
    names = [name for name in entry.outputs if name.startswith("thumbnails/")]
    try:
        content = read_regular(output / names[0]) if names else b""
    except OSError:
        return None  # somebody removed it
    return content if content.startswith(PNG) else None


def _drawn(surface: Surface, points: FloatArray) -> tuple[IndexArray, IndexArray]:
    """Shades of a surface as indices of the palette, and where landmarks show; -1 if hidden."""
    picture = render(surface, width=THUMBNAIL_WIDTH, samples=1)
    height, width = picture.depth.shape
    if height > THUMBNAIL_WIDTH:  # seen upright: as high as others are wide
        picture = render(
            surface, picture.camera, width=max(1, THUMBNAIL_WIDTH * width // height), samples=1
        )
    places = np.where(picture.shows(points)[:, None], picture.pixels(points), -1)
    return in_shades(picture), places


def _dot(pixels: IndexArray, row: int, column: int, index: int) -> None:
    reach = int(RADIUS)
    height, width = pixels.shape
    rows = np.arange(max(0, row - reach), min(height, row + reach + 1))
    columns = np.arange(max(0, column - reach), min(width, column + reach + 1))
    inside = (rows[:, None] - row) ** 2 + (columns - column) ** 2 <= RADIUS**2
    block = pixels[np.ix_(rows, columns)]
    pixels[np.ix_(rows, columns)] = np.where(inside, index, block)


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


def in_common_pose(
    specimen: SampledSurface, pose: Pose, points: FloatArray, camera: Camera
) -> Posed:
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


def _in_pose(specimen: SampledSurface, pose: Pose) -> Surface:
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
