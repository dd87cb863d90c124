# SPDX-License-Identifier: MIT
"""Pieces of a scan that are large enough to be fragments of one specimen."""

from collections.abc import Iterable

import numpy as np

from gplandmark.mesh.areas import triangle_areas
from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.matching.points import SampledSurface
from gplandmark.numerics.arrays import BoolArray, IndexArray
from gplandmark.numerics.native import choose_loops

LEAST = 0.08  # fraction of the area of a scan that a piece has at least


def large_pieces(surface: Surface) -> tuple[Surface, ...]:
    """Connected pieces with at least 8 % of the area, the largest first; none if it is one."""
    labels = _labels(surface)
    areas = np.bincount(labels, triangle_areas(surface))
    order = np.argsort(-areas, kind="stable")
    large = order[areas[order] >= LEAST * areas.sum()]
    return tuple(_piece(surface, labels == k) for k in large) if len(large) > 1 else ()


def _labels(surface: Surface) -> IndexArray:
    """Number of the connected piece of every triangle, (m,)."""
    pieces = np.empty(surface.vertex_count, dtype=np.int64)
    choose_loops().components(surface.faces(), pieces)
    return np.asarray(np.unique(pieces[surface.faces()[:, 0]], return_inverse=True)[1])


def _piece(surface: Surface, kept: BoolArray) -> Surface:
    used, triangles = np.unique(surface.faces()[kept], return_inverse=True)
    return Surface(
        surface.points[used], triangles.reshape(-1, 3), surface.name,
        source=surface.source, left_out=surface.left_out,
    )  # fmt: skip


def sampled_pieces(
    specimen: SampledSurface, pieces: Iterable[SampledSurface]
) -> list[SampledSurface]:
    """Pieces of the scan of a specimen, sampled each by itself, that know of the entire scan."""
    return [piece.of_scan(specimen.surface) for piece in pieces]


def same_piece(surface: Surface, piece: SampledSurface) -> Surface:
    """That piece of a finer mesh of the same scan which lies where the given one does."""
    found = large_pieces(surface) or (surface,)
    middle = piece.surface.points.mean(axis=0)
    apart = [np.linalg.norm(each.points.mean(axis=0) - middle) for each in found]
    return found[int(np.argmin(apart))]
