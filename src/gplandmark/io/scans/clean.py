# SPDX-License-Identifier: MIT
"""Cleaning: the content of a file becomes a surface, one rule after the other."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from gplandmark.errors import ScanError
from gplandmark.io.scans.content import Scan
from gplandmark.io.scans.defects import (
    DefectCounts,
    count_defects,
    double_areas,
    finite_points,
    first_of_equals,
    repeats,
    used_vertices,
    without_area,
)
from gplandmark.io.scans.not_bone import bone_faces, left_out_points, painted_vertices
from gplandmark.io.scans.rules import CleaningLog, Report, Rules, number_of
from gplandmark.io.scans.topology import (
    Pieces,
    faces_to_turn,
    inside_out,
    kept_pieces,
    pieces_inside,
    pieces_of,
)
from gplandmark.mesh.surface import Numbers, Surface
from gplandmark.numerics.arguments import instance
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.numerics.threads import in_background

if TYPE_CHECKING:
    from gplandmark.io.volumes.preview import Preview

SCATTERED = 0.1  # of the area: a largest piece below this is not the specimen


@dataclass(frozen=True, eq=False)
class Cleaned:
    """A surface, the report of how it came out of a file, and of a volume how it was cut."""

    surface: Surface
    report: Report
    preview: "Preview | None" = None


def clean(scan: Scan, rules: Rules | None = None) -> Cleaned:
    """Make a surface of a scan; vertices that stay keep the file's numbers in `Surface.numbers`.

    The order of `Rules` is the order of work. Coordinates are never changed.

    Raises
    ------
    ScanError
        A rule refuses the scan, or nothing is left of it that can carry landmarks.
    """
    rules = Rules() if rules is None else instance(rules, Rules, "Use gplandmark.Rules.")
    log = CleaningLog(scan.name, rules)
    points = scan.points
    finite = finite_points(points)
    if scan.triangles is None:
        log.fixes("non_finite", int(np.count_nonzero(~finite)))
        kept = finite & ~painted_vertices(scan, np.arange(len(points)), log)
        return _finished(scan, None, kept, np.arange(len(points)), log)
    early = in_background(
        partial(count_defects, scan.triangles, len(points))
    )  # right if all is well
    triangles = _with_finite_corners(scan.triangles, finite, log)
    triangles, same = _joined(points, triangles, scan.triangles, finite, log)
    taken = early if triangles is scan.triangles else None
    triangles, areas, found = _with_area(points, triangles, taken, log)
    triangles, areas, found = _unrepeated(triangles, areas, found, log)
    triangles, found = _chosen_pieces(points, triangles, areas, found, log)
    triangles = _wound_alike(points, triangles, found, log)
    log.fixes("non_manifold", found.crowded)
    log.fixes("bow_ties", found.tied)
    triangles = bone_faces(scan, triangles, same, log)
    if (
        triangles is scan.triangles and found.is_connected()
    ):  # nothing changed, all vertices are used
        return _finished(scan, triangles, np.ones(len(points), dtype=bool), same, log)
    kept = used_vertices(triangles, len(points))
    alone = finite & ~used_vertices(scan.triangles, len(points))
    if not log.fixes("unreferenced", int(np.count_nonzero(alone))):
        kept = kept | alone
    return _finished(scan, triangles, kept, same, log)


def _with_finite_corners(triangles: IndexArray, finite: BoolArray, log: CleaningLog) -> IndexArray:
    if finite.all():
        return triangles
    usable = finite[triangles].all(axis=1)
    faces = number_of(int(np.count_nonzero(~usable)), "faces")
    log.fixes("non_finite", int(np.count_nonzero(~finite)), f"with the {faces} that use them")
    return triangles[usable]


def _joined(
    points: FloatArray,
    triangles: IndexArray,
    all_faces: IndexArray,
    finite: BoolArray,
    log: CleaningLog,
) -> tuple[IndexArray, IndexArray]:
    """Join equal vertices that faces use; also return which vertex each became."""
    same = np.arange(len(points))
    if first_of_equals(points, finite) is None:  # so in most scans, whatever faces use
        return triangles, same
    first = first_of_equals(points, finite & used_vertices(all_faces, len(points)))
    if first is None or not log.fixes("duplicates", int(np.count_nonzero(first != same))):
        return triangles, same
    return first[triangles], first


def _with_area(
    points: FloatArray,
    triangles: IndexArray,
    early: Callable[[], DefectCounts] | None,
    log: CleaningLog,
) -> tuple[IndexArray, FloatArray, DefectCounts]:
    """Drop faces without area; pieces that only such faces connect still hang together."""
    areas = double_areas(points, triangles)
    twice, flat = without_area(points, triangles, areas)
    proper = ~(twice | flat)
    dropped = log.fixes("zero_area", int(np.count_nonzero(~proper)))
    if not proper.any():
        raise ScanError.of(
            log.name,
            "has no area: it has no face with finite corners that are not on a line. "
            "Export the scan again, as a mesh with faces.",
        )
    if early is not None and not twice.any():
        found = early()
    else:
        found = count_defects(triangles[~twice], len(points))
    if not dropped:
        return triangles, areas, found
    triangles = triangles[proper]
    return (
        triangles,
        areas[proper],
        replace(count_defects(triangles, len(points)), pieces=found.pieces),
    )


def _unrepeated(
    triangles: IndexArray, areas: FloatArray, found: DefectCounts, log: CleaningLog
) -> tuple[IndexArray, FloatArray, DefectCounts]:
    if not log.fixes("repeated", found.repeated):
        return triangles, areas, found
    first = ~repeats(triangles)
    triangles = triangles[first]
    recount = replace(count_defects(triangles, len(found.pieces)), pieces=found.pieces)
    return triangles, areas[first], recount


def _chosen_pieces(
    points: FloatArray,
    triangles: IndexArray,
    areas: FloatArray,
    found: DefectCounts,
    log: CleaningLog,
) -> tuple[IndexArray, DefectCounts]:
    others = found.piece_count(triangles) - 1
    if others == 0:
        return triangles, found
    pieces = pieces_of(triangles, found.pieces, areas)
    kept = kept_pieces(pieces, log.rules.components)
    _check_not_scattered(pieces, log)
    left_out = int(np.count_nonzero(~kept))
    fraction = pieces.areas[~kept].sum() / pieces.areas.sum()
    inside = pieces_inside(points, triangles, pieces)
    more = others - left_out
    also = f"{more} more kept; " if more else ""
    detail = f"{100 * fraction:.2g} % of the area; {also}{inside} inside the largest"
    if left_out == 0:
        detail = f"{inside} inside it"
    if not log.fixes("components", left_out, detail, more):
        return triangles, found
    triangles = triangles[kept[pieces.of_triangle]]
    return triangles, count_defects(triangles, len(points))


def _check_not_scattered(pieces: Pieces, log: CleaningLog) -> None:
    """Refuse a largest piece that is too small to be the specimen."""
    fraction = pieces.areas.max() / pieces.areas.sum()
    if log.rules.components == "largest" and fraction < SCATTERED:
        raise ScanError.of(
            log.name,
            f"falls into {len(pieces.areas):,} pieces, the largest with "
            f"{100 * fraction:.2g} % of the area. Keep all its components, or join them in a mesh "
            "editor.",
        )


def _wound_alike(
    points: FloatArray, triangles: IndexArray, found: DefectCounts, log: CleaningLog
) -> IndexArray:
    turn = np.zeros(len(triangles), dtype=bool)
    aligned = triangles
    if found.turned:
        turn = faces_to_turn(points, triangles)
        aligned = _turned(triangles, turn)
        found = replace(count_defects(aligned, len(points)), pieces=found.pieces)
    outward = inside_out(points, aligned, found)
    turn ^= outward
    fixed = log.fixes("winding", int(np.count_nonzero(turn)))
    log.fixes("one_sided", found.turned)
    return _turned(triangles, turn) if fixed else triangles


def _turned(triangles: IndexArray, turn: BoolArray) -> IndexArray:
    turned = triangles.copy()
    turned[turn] = turned[turn][:, ::-1]
    return turned


def _finished(
    scan: Scan, triangles: IndexArray | None, kept: BoolArray, same: IndexArray, log: CleaningLog
) -> Cleaned:
    """Renumber what is kept, and write the report."""
    faces = 0 if scan.triangles is None else len(scan.triangles)
    report = Report(
        len(scan.points), faces, int(np.count_nonzero(kept)),
        0 if triangles is None else len(triangles), tuple(log.findings), scan.notes,
    )  # fmt: skip
    points, numbers = scan.points, None
    if not kept.all():
        in_file = np.flatnonzero(kept)
        vertex = np.full(len(points), -1)
        vertex[in_file] = np.arange(len(in_file))
        numbers = Numbers(in_file, vertex[same])
        points = points[in_file]
        triangles = None if triangles is None else vertex[triangles]
    source = scan.source and replace(scan.source, cleaning=report.as_dict())
    surface = Surface(
        points, triangles, scan.name, source=source, numbers=numbers, left_out=left_out_points(scan)
    )
    return Cleaned(surface, report, scan.preview)
