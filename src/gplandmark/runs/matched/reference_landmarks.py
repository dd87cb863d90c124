# SPDX-License-Identifier: MIT
"""The landmarks of the reference: an expert's first, if there are any, and then ours."""

import difflib
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from gplandmark.errors import GplandmarkWarning, LandmarkFileError, SettingsError
from gplandmark.io.formatting import abbreviated
from gplandmark.io.landmark_files import read_landmarks
from gplandmark.io.region_files import regions_from
from gplandmark.io.start_landmarks import Start, in_mesh_system, note_of_another, read_start
from gplandmark.io.vertex_lists import read_weight
from gplandmark.landmarks import Landmarks
from gplandmark.landmarks.place import DEFAULT_COUNT
from gplandmark.landmarks.symmetry import place_pairs
from gplandmark.mesh.surface import Surface
from gplandmark.runs.matched.sample_scans import ScanSource, named_after
from gplandmark.runs.place_request import Request, landmarks_on, place_requested

PAIRS_BY_HAND = (
    "Or name another --reference, or place them with 'gplandmark pairs' and give them with "
    "--landmarks."
)


def key_called(name: str, keys: Sequence[str]) -> str:
    """Return the key of a specimen by its key, or by the end of it where that is unique.

    Raises
    ------
    SettingsError
        There is none, or there are several.
    """
    if name in keys:
        return name
    found = [key for key in keys if key.rpartition("/")[2] == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise SettingsError(
            f"Several specimens are called {name}: {', '.join(found[:5])}. Name one in full."
        )
    near = difflib.get_close_matches(name, keys, 3)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"There are {abbreviated(keys, 5)}."
    raise SettingsError(f"There is no specimen called {name}. {hint}")


def landmarks_of_reference(
    scan: ScanSource, request: Request, expert: Path | None, *, in_pairs: bool = False
) -> Landmarks:
    """Place landmarks on the reference, after those of an expert, which stay where they are.

    The expert's count among those that are asked for, and ours add what they lack. Without a
    count and a target only the expert's are taken. With `in_pairs` and without an expert, they are
    placed in pairs, called 1L and 1R, and on the midline, 2M.

    Raises
    ------
    LandmarkFileError
        The expert's landmarks do not lie on the reference, or two have one name.
    SettingsError
        They should be in pairs, and the reference is not symmetric.
    """
    cleaned = scan.read()
    if expert is None and in_pairs:
        placed = _pairs_on(cleaned.surface, scan, request)
    elif expert is None:
        placed = landmarks_on(scan.path, request, cleaned)[1]
    else:
        surface = cleaned.surface
        if request.count is None and not request.target:
            return expert_landmarks(named_after(scan, surface), expert)
        placed = _after(expert, surface, request, scan)
    return replace(placed, specimen=scan.key, state=None, surface=None, uncertainty=None)


def _pairs_on(surface: Surface, scan: ScanSource, request: Request) -> Landmarks:
    """Place landmarks in pairs on a symmetric specimen."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)  # notes are in the record
        try:
            return place_pairs(
                surface,
                request.count or DEFAULT_COUNT,
                settings=request.settings,
                weight=None if request.weight is None else read_weight(request.weight),
                regions=regions_from(request.regions, surface, scan.path),
            ).landmarks
        except SettingsError as error:
            raise SettingsError(f"The reference {scan.key}: {error} {PAIRS_BY_HAND}") from None


def _after(expert: Path, surface: Surface, request: Request, scan: ScanSource) -> Landmarks:
    """Place landmarks after an expert's; two of these may have one vertex, which counts once."""
    first, start = _lying_on(named_after(scan, surface), expert)
    vertices = start.vertices.tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)  # notes are in the record
        placed = place_requested(surface, scan.path, replace(request, start=expert))
    where = {vertex: place for place, vertex in enumerate(placed.vertices.tolist())}
    order = [*(where[vertex] for vertex in vertices), *range(len(set(vertices)), len(placed))]
    order = order[: max(len(first), request.count or len(order))]
    chosen = placed.chosen(order)
    # The expert's stay where they are, so that what was done to begin with them is not said.
    begun = (*note_of_another(expert, surface.name), *start.notes)
    ours = [note for note in chosen.record.warnings if note not in begun]
    notes = (*first.record.warnings, *ours)
    return replace(
        chosen,
        record=replace(chosen.record, warnings=notes),
        points=np.concatenate([first.points, chosen.points[len(first) :]]),
        labels=(*first.labels, *chosen.labels[len(first) :]),
        curves=first.curves,
    )


def expert_landmarks(surface: Surface, path: Path) -> Landmarks:
    """Read landmarks that lie on a surface, in its coordinates.

    Raises
    ------
    LandmarkFileError
        They do not lie on it, or two have one name.
    """
    return _lying_on(surface, path)[0]


def _lying_on(surface: Surface, path: Path) -> tuple[Landmarks, Start]:
    """Landmarks as of `expert_landmarks`, and what others begin with: the vertex of each."""
    start = read_start(path, surface)  # says it where they lie elsewhere
    landmarks, notes = in_mesh_system(surface, read_landmarks(path), path.name)
    if not len(landmarks):
        raise LandmarkFileError(f"{path} has no landmark that could be carried.")
    if len(set(landmarks.labels)) < len(landmarks):
        raise LandmarkFileError(f"{path}: two landmarks have one name. Give each its own.")
    record = replace(landmarks.record, warnings=notes)
    found = replace(landmarks, specimen=surface.name, record=record, system=surface.system)
    return found, start
