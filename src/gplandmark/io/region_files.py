# SPDX-License-Identifier: MIT
"""Vertices that people choose: by lists, planes, boxes, colours and conditions."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.io.scans import vertex_properties
from gplandmark.io.vertex_lists import read_exclusion
from gplandmark.landmarks.on_surface import check_listed
from gplandmark.mesh.regions import (
    Region,
    beyond_plane,
    inside_box,
    near_rim,
    painted,
    visible_from_outside,
)
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray


@dataclass(frozen=True)
class RegionOptions:
    """The options of the command line; empty where none was given."""

    exclude: Path | None = None
    only: Path | None = None
    exclude_rim: float | None = None
    exclude_plane: tuple[str, ...] = ()
    exclude_box: tuple[str, ...] = ()
    only_box: tuple[str, ...] = ()
    exclude_painted: tuple[str, ...] = ()
    only_painted: tuple[str, ...] = ()
    outer_only: bool = False

    @classmethod
    def taken_from(cls, options: dict[str, Any]) -> "RegionOptions":
        """Take these options out of all those of a command."""
        names = [each.name for each in fields(cls)]
        return cls(**{name: options.pop(name) for name in names if name in options})


def regions_from(asked: RegionOptions, surface: Surface, path: Path) -> list[Region]:
    """Regions of a surface that was read from a path, in the order of the options.

    Raises
    ------
    SettingsError
        A text is not a plane, box, colour or condition, or a number is out of range.
    ScanError
        Paint was asked for, and the scan is not a PLY file.
    """
    found: list[Region] = []
    for is_kept, listed in ((False, asked.exclude), (True, asked.only)):
        if listed is not None:
            described = {"file": listed.name}
            found.append(Region(_listed(listed, surface), "file", described, is_kept=is_kept))
    if asked.exclude_rim is not None:
        mask = near_rim(surface, asked.exclude_rim)
        found.append(Region(mask, "rim", {"distance": asked.exclude_rim}))
    for text in asked.exclude_plane:
        point, normal = six_numbers("--exclude-plane", text)
        mask = beyond_plane(surface, point, normal)
        found.append(Region(mask, "plane", {"point": point, "normal": normal}))
    found += _boxes(asked, surface) + _paintings(asked, surface, path)
    if asked.outer_only:
        found.append(Region(visible_from_outside(surface), "outer surface", is_kept=True))
    return found


def six_numbers(option: str, text: str) -> tuple[list[float], list[float]]:
    """Two points or vectors from six numbers, separated by commas or space."""
    try:
        numbers = [float(part) for part in text.replace(",", " ").split()]
    except ValueError:
        numbers = []
    if len(numbers) != 6 or not np.isfinite(numbers).all():
        raise SettingsError(f"{option} needs six numbers, e.g. 0,0,5,0,0,1, got '{text}'.")
    return numbers[:3], numbers[3:]


def _boxes(asked: RegionOptions, surface: Surface) -> list[Region]:
    found = []
    for is_kept, texts in ((False, asked.exclude_box), (True, asked.only_box)):
        for text in texts:
            name = "--only-box" if is_kept else "--exclude-box"
            corner, opposite = six_numbers(name, text)
            mask = inside_box(surface, corner, opposite)
            described = {"corner": corner, "opposite": opposite}
            found.append(Region(mask, "box", described, is_kept=is_kept))
    return found


def _paintings(asked: RegionOptions, surface: Surface, path: Path) -> list[Region]:
    if not asked.exclude_painted + asked.only_painted:
        return []
    properties = vertex_properties(path)
    return [
        Region(painted(surface, properties, text), "painted", {"paint": text}, is_kept=is_kept)
        for is_kept, texts in ((False, asked.exclude_painted), (True, asked.only_painted))
        for text in texts
    ]


def _listed(path: Path, surface: Surface) -> BoolArray:
    """Mask of the vertices that a file lists, by their numbers in the scan's file."""
    listed = read_exclusion(path)
    check_listed(listed, surface, f"vertices in {path}")
    if listed.dtype == bool:
        return np.asarray(surface.from_file(listed), dtype=bool)
    mask = np.zeros(surface.file_vertex_count, dtype=bool)
    mask[listed] = True
    return np.asarray(surface.from_file(mask), dtype=bool)
