# SPDX-License-Identifier: MIT
"""Picked points of MeshLab, ``.pp``: read only. A point that is not active is missing."""

from xml.etree import ElementTree

from gplandmark.errors import LandmarkFileError
from gplandmark.io.formatting import point, point_array
from gplandmark.landmarks import Landmarks


def parse(content: str, specimen: str) -> tuple[Landmarks, ...]:
    """Points with their names, in the coordinates of the mesh."""
    found = list(_root(content).iter("point"))
    labels = tuple(each.get("name") or str(place) for place, each in enumerate(found, start=1))
    points = [
        point(
            ["NA"] * 3 if each.get("active") == "0" else [each.get(axis, "?") for axis in "xyz"],
            f"point '{label[:40]}'",
        )
        for each, label in zip(found, labels, strict=True)
    ]
    return (Landmarks.at(point_array(points), specimen, labels=labels),)


def _root(content: str) -> ElementTree.Element:
    if "<!ENTITY" in content:  # these can be made to grow without bounds
        raise LandmarkFileError("the file defines XML entities, which no picked points have.")
    try:
        root = ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError, LookupError):
        raise LandmarkFileError("the file is not XML, or cut short. Save it again.") from None
    if root.tag != "PickedPoints":
        raise LandmarkFileError("this is not a file of MeshLab picked points.")
    return root
