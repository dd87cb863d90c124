# SPDX-License-Identifier: MIT
"""What a person painted as not bone: a list of vertices beside the scan, ``NAME.not-bone.txt``."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from gplandmark.errors import ScanError, SettingsError
from gplandmark.io.files import content_digest, write_atomically
from gplandmark.io.scans.content import Scan
from gplandmark.io.scans.defects import finite_points
from gplandmark.io.scans.file_bytes import STANDARD_INPUT
from gplandmark.io.scans.rules import CleaningLog, Finding
from gplandmark.io.vertex_lists import NOT_BONE, read_indices
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray, number_outside

HEADING = """\
# Vertices of {name} that are not bone, counted from 0. gplandmark leaves them out.
# vertices of the scan: {count}
# sha256 of the scan: {sha256}
"""
STATED = re.compile(r"^# (vertices|sha256) of the scan: (\w+)\s*$", re.MULTILINE)
OTHER = (
    "was painted on another version of {}. Paint it again in 'gplandmark view', or move it away."
)


def not_bone_file(scan: str | Path, name: str) -> Path:
    """Path of the list of a scan whose specimen has a name: ``NAME.not-bone.txt`` beside it."""
    path = Path(scan)
    return (path.absolute() if path.is_dir() else path).with_name(name + NOT_BONE)


def not_bone_digest(scan: str | Path, name: str) -> str | None:
    """SHA-256 of the list of a scan; None if there is none."""
    return None if str(scan) == STANDARD_INPUT else content_digest(not_bone_file(scan, name))


def with_not_bone(scan: Scan, path: str | Path) -> Scan:
    """A scan with what is painted as not bone, if there is such a list beside it.

    Raises
    ------
    ScanError
        The list cannot be read, or belongs to another scan.
    """
    found = not_bone_digest(path, scan.name)
    if found is None or scan.source is None:
        return scan
    mask = np.zeros(len(scan.points), dtype=bool)
    mask[_listed(not_bone_file(path, scan.name), scan.name, len(mask), scan.source.sha256)] = True
    return replace(scan, not_bone=mask, source=replace(scan.source, not_bone=found))


def read_not_bone(surface: Surface, scan: Path) -> BoolArray:
    """Vertices (n,) of a whole surface that are painted as not bone.

    Raises
    ------
    ScanError
        The list cannot be read, or belongs to another scan.
    """
    mask = np.zeros(surface.file_vertex_count, dtype=bool)
    if not_bone_digest(scan, surface.name) is not None:
        mask[_of_surface(surface, not_bone_file(scan, surface.name))] = True
    return np.asarray(surface.from_file(mask), dtype=bool)


def write_not_bone(surface: Surface, mask: BoolArray, scan: Path) -> Path:
    """Write the vertices (n,) of a whole surface that are not bone; without any, remove the list.

    What the list had of vertices that cleaning left out stays in it.

    Raises
    ------
    LandmarkFileError
        It cannot be written.
    """
    path = not_bone_file(scan, surface.name)
    before = _of_surface(surface, path) if content_digest(path) else np.zeros(0, dtype=np.int64)
    others = before[surface.vertices_of(before) < 0]
    numbers = np.union1d(surface.in_file(np.flatnonzero(mask)), others)
    if not len(numbers):
        path.unlink(missing_ok=True)
        return path
    sha256 = "" if surface.source is None else surface.source.sha256
    heading = HEADING.format(name=scan.name, count=surface.file_vertex_count, sha256=sha256)
    write_atomically({path: heading + "".join(f"{number}\n" for number in numbers.tolist())})
    return path


def _of_surface(surface: Surface, path: Path) -> IndexArray:
    sha256 = "" if surface.source is None else surface.source.sha256
    return _listed(path, surface.name, surface.file_vertex_count, sha256)


def _listed(path: Path, name: str, count: int, sha256: str) -> IndexArray:
    """Vertex numbers of a list; what it states of its scan must be true of this one."""
    try:
        numbers = read_indices(path)
        stated = dict(STATED.findall(path.read_text(encoding="utf-8-sig")))
    except SettingsError as error:
        raise ScanError(str(error)) from None
    expected = {"vertices": str(count), "sha256": sha256}
    if any(stated[each] != expected[each] for each in stated):
        raise ScanError.of(path, OTHER.format(name))
    if (wrong := number_outside(numbers, count)) is not None:
        raise ScanError.of(
            path,
            f"has the vertex {wrong}, but those of {name} are 0 to {count - 1}. Count from 0, or "
            "paint it in 'gplandmark view'.",
        )
    return numbers


def bone_faces(scan: Scan, triangles: IndexArray, same: IndexArray, log: CleaningLog) -> IndexArray:
    """Leave out faces with a painted corner; all pieces that stay are kept.

    Raises
    ------
    ScanError
        Nothing is left.
    """
    painted = painted_vertices(scan, same, log)
    if not painted.any():
        return triangles
    bone = triangles[~painted[triangles].any(axis=1)]
    if not len(bone):
        raise ScanError.of(log.name, "is painted as not bone everywhere. Erase some of the paint.")
    return bone


def painted_vertices(scan: Scan, same: IndexArray, log: CleaningLog) -> BoolArray:
    """Vertices that are painted as not bone, alone or joined with such a one; they are counted."""
    painted = np.zeros(len(scan.points), dtype=bool)
    if scan.not_bone is None or not scan.not_bone.any():
        return painted
    painted[same[scan.not_bone]] = True
    log.findings.append(Finding("not_bone", int(np.count_nonzero(scan.not_bone)), "left out"))
    return painted


def left_out_points(scan: Scan) -> FloatArray | None:
    """Points that are painted as not bone; None without any."""
    if scan.not_bone is None:
        return None
    points = scan.points[scan.not_bone]
    points = points[finite_points(points)]
    return points if len(points) else None
