# SPDX-License-Identifier: MIT
"""Edited landmarks as a result: what a person changed is described in the record."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gplandmark.gp.conditioning import VarianceHistory
from gplandmark.gp.kernels import Kernel, noise_floor
from gplandmark.landmarks import Landmarks, Record, SurfacePoint, classify, record
from gplandmark.landmarks.curves import Curve
from gplandmark.landmarks.landmarks import UNKNOWN_VERTEX
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.visual.editor.history import History, Origin
from gplandmark.visual.editor.placement import SurfaceProcess
from gplandmark.visual.editor.state import Location, Mark, State, mask_from_bytes


def describe_edits(surface: Surface, origin: Origin, state: State) -> dict[str, Any]:
    """What differs from the landmarks that were opened, however it came about.

    - ``authors``: "algorithm" or "human" for each landmark
    - ``added``: labels of landmarks that a person placed
    - ``continued``: labels of landmarks that the algorithm placed after them
    - ``moved``, ``deleted``: labels and old points
    - ``renamed``, ``marked``: old and new names and kinds
    - ``drawn``, ``undrawn``: names of curves that are new or changed, and of those that are gone
    - ``painted``, ``unpainted``: runs of vertex indices of the file
    - ``before``: edits of earlier sessions, the first one first
    """
    old = {mark.identity: mark for mark in origin.state.marks}
    kept = [(old[mark.identity], mark) for mark in state.marks if mark.identity in old]
    new = [mark for mark in state.marks if mark.identity not in old]
    gone = set(old) - {mark.identity for mark in state.marks}
    order = [mark.identity for _, mark in kept]
    count = surface.vertex_count
    before, after = (mask_from_bytes(each.painted, count) for each in (origin.state, state))
    return {
        "authors": [mark.author for mark in state.marks],
        "added": [mark.label for mark in new if mark.author == "human"],
        "continued": [mark.label for mark in new if mark.author == "algorithm"],
        "moved": [_label_and_point(a, b.label) for a, b in kept if a.place != b.place],
        "deleted": [_label_and_point(old[at], old[at].label) for at in sorted(gone)],
        "renamed": [[a.label, b.label] for a, b in kept if a.label != b.label],
        "marked": [[b.label, a.kind, b.kind] for a, b in kept if a.kind != b.kind],
        "reordered": order != sorted(order),
        "drawn": [each.name for each in state.curves if each not in origin.state.curves],
        "undrawn": _undrawn(origin.state, state),
        "painted": _runs(surface, after & ~before),
        "unpainted": _runs(surface, before & ~after),
        "before": _before(origin.record),
    }


def _label_and_point(mark: Mark, label: str) -> dict[str, Any]:
    return {"label": label, "point": None if mark.place is None else list(mark.place.point)}


def _undrawn(before: State, after: State) -> list[str]:
    names = {curve.name for curve in after.curves}
    return [curve.name for curve in before.curves if curve.name not in names]


def _runs(surface: Surface, mask: BoolArray) -> list[list[int]]:
    return record.describe_vertices(np.sort(surface.in_file(np.flatnonzero(mask))))


def _before(earlier: Record) -> list[Any]:
    edits = earlier.request.get("edits")
    if not isinstance(edits, dict):
        return []
    last = {name: value for name, value in edits.items() if name not in ("before", "authors")}
    return [*edits.get("before", []), last]


def edited_landmarks(
    process: SurfaceProcess, history: History, curve: VarianceHistory, uncertainty: FloatArray
) -> Landmarks:
    """The landmarks of the present state, with vertex numbers and coordinates of the file."""
    surface, state = process.surface, history.state
    vertices = state.vertices()
    there = vertices >= 0
    return Landmarks(
        np.where(there, surface.in_file(np.maximum(vertices, 0)), UNKNOWN_VERTEX),
        state.points(surface.points.shape[1]),
        variances_before(process.kernel, vertices),
        uncertainty,
        _record(process, history.origin, state, curve),
        surface.name,
        tuple(mark.label for mark in state.marks),
        classify(surface, vertices, process.settings) if there.all() and len(there) else (),
        kinds=tuple(mark.kind for mark in state.marks),
        system=history.origin.system or surface.system,
        places=_places(surface, state.marks),
        curves=_curves(state),
    )


def _curves(state: State) -> tuple[Curve, ...]:
    """Curves by positions of landmarks; a single point is no curve yet."""
    at = {mark.identity: position for position, mark in enumerate(state.marks)}
    return tuple(
        replace(each, members=tuple(at[member] for member in each.members))
        for each in state.curves
        if len(each.members) > 1
    )


def _record(
    process: SurfaceProcess, origin: Origin, state: State, curve: VarianceHistory
) -> Record:
    """How edited landmarks came about: the request that placed them, then the edits."""
    surface, old = process.surface, origin.record
    settings = record.describe_settings(process.settings, surface, process.weight)
    edits = describe_edits(surface, origin, state)
    if old.software and old.settings != settings:
        edits["placed_with"] = old.settings
    excluded = mask_from_bytes(state.painted, surface.vertex_count) | ~surface.covered()
    return Record(
        input=record.describe_input(surface),
        settings=settings,
        request={**old.request, "excluded": _runs(surface, excluded), "edits": edits},
        outcome={
            "engine": record.describe_engine(process.kernel),
            "landmarks": len(state.marks),
            "placed_by_algorithm": edits["authors"].count("algorithm"),
            "placed_by_hand": edits["authors"].count("human"),
            "stopped": "edited",
            "noise_floor": noise_floor(process.kernel),
            "largest_variance_before": float(curve.largest[0]),
            "largest_variance_after": float(curve.largest[-1]),
            "mean_variance_after": float(curve.mean[-1]),
            "skipped": [],
        },
        warnings=old.warnings,
        software=record.software_versions(),
    )


def _places(surface: Surface, marks: Sequence[Mark]) -> tuple[SurfacePoint, ...]:
    """Triangle and barycentric weights of each, if any lies between vertices; -1 if missing."""
    if not any(mark.place is not None and mark.place.triangle >= 0 for mark in marks):
        return ()
    return tuple(_surface_point(surface, mark.place) for mark in marks)


def _surface_point(surface: Surface, place: Location | None) -> SurfacePoint:
    if place is None:
        return SurfacePoint(-1, np.zeros(3), np.full(3, UNKNOWN_VERTEX))
    if place.triangle >= 0:
        return SurfacePoint.on(surface, place.triangle, np.array(place.barycentric))
    triangle = int(np.argmax((surface.faces() == place.vertex).any(axis=1)))
    barycentric = (surface.faces()[triangle] == place.vertex).astype(float)
    return SurfacePoint.on(surface, triangle, barycentric)


def variances_before(kernel: Kernel, vertices: IndexArray) -> FloatArray:
    """Variance at each landmark given those before it, (m,): squared pivots of their covariance.

    NaN where a landmark is missing (-1), 0 where those before determine it.
    """
    there = np.flatnonzero(vertices >= 0)
    left = kernel.block(vertices[there], vertices[there]).copy()
    found = np.full(len(vertices), np.nan)
    floor = noise_floor(kernel) * float(left.diagonal().max(initial=0.0))
    for at, index in enumerate(there):
        pivot = float(left[at, at])
        found[index] = pivot if pivot > floor else 0.0
        if pivot > floor:
            left -= np.outer(left[:, at], left[at]) / pivot
    return found
