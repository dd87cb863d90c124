# SPDX-License-Identifier: MIT
"""Landmarks of one specimen carried to the others of a sample, with their records."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gplandmark.landmarks import Landmarks, Record
from gplandmark.landmarks.curves_on_surface import equidistant_curves
from gplandmark.landmarks.record import (
    NOT_ON_FRAGMENT,
    SHARE,
    SHARES,
    describe_input,
    software_versions,
)
from gplandmark.morphometrics.matching.carried_points import MIN_CONFIDENCE
from gplandmark.morphometrics.matching.carry import Route
from gplandmark.morphometrics.matching.fragments.pieces_in_place import remark_on_pieces
from gplandmark.morphometrics.matching.mirrored_reference import (
    BOTH_SIDES,
    MirrorRoute,
    carry_both_sides,
)
from gplandmark.morphometrics.matching.points import SampledSurface
from gplandmark.morphometrics.matching.sample_match import SampleMatch
from gplandmark.numerics.arguments import instance
from gplandmark.numerics.arrays import BoolArray, FloatArray


def carry_landmarks(
    sample: SampleMatch,
    landmarks: Landmarks,
    *,
    source: int | None = None,
    least: float = MIN_CONFIDENCE,
    on_surface: bool = False,
) -> tuple[Landmarks, ...]:
    """Transfer the landmarks of one specimen to every specimen, in the coordinates of its file.

    Landmarks with the same number and name are homologous. The record of each specimen contains
    their origin, under `request` and `matching`, and the expected error, the 90 % radius and the
    confidence of each landmark. Points of curves are at equal distances on every specimen, also on
    the source.

    Parameters
    ----------
    landmarks : placed on the source, by the method or by a person
    source : index of their specimen; by default the reference
    least : landmarks of a lower confidence are missing: their points are NaN
    on_surface : project all to the surface; otherwise those off the surface keep their offset
    """
    instance(sample, SampleMatch, "Use gplandmark.match_sample first.")
    instance(landmarks, Landmarks, "Use gplandmark.read_landmarks first.")
    start = sample.reference if source is None else source
    routes = (sample.route(start, end) for end in range(len(sample)))
    return tuple(
        landmarks_over(route, landmarks, len(sample), least=least, on_surface=on_surface)
        for route in routes
    )


def landmarks_over(
    route: Route,
    landmarks: Landmarks,
    specimens: int,
    *,
    least: float = MIN_CONFIDENCE,
    on_surface: bool = False,
    mirror: MirrorRoute | None = None,
) -> Landmarks:
    """Carry landmarks from the first specimen of a route to its last.

    Points of curves are at equal distances there, also if both are the same specimen. The record
    states the number of specimens in the sample. With `mirror`, landmarks in pairs are also carried
    from the mirror image, to the surface; none of them may be missing.
    """
    known = ~landmarks.missing
    if mirror is None or not route.chains:
        carried = route.carry(landmarks.points[known], on_surface=on_surface)
    else:
        carried = carry_both_sides(route, mirror, landmarks.points)
    made = landmarks.record
    matching = {
        "from": route.start.name,
        "over": list(route.over),
        "specimens": specimens,
        "least_confidence": least,
        **({} if mirror is None else {BOTH_SIDES: True}),
    }
    there = known.copy()
    there[known] = ~carried.absent
    outcome = {
        **made.outcome,
        "mirrored": route.mirrored,
        "confidence": _listed(carried.confidence[~carried.absent], there, ".4f"),
        "expected_error": _listed(carried.error[~carried.absent], there, ".4g"),
        "radius_90": _listed(carried.radius[~carried.absent], there, ".4g"),
    }
    names = np.array(landmarks.labels)[known][carried.absent].tolist()
    outcome |= fragment_facts(route.pieces, names)
    request = {**made.request, "matching": matching}
    surface = route.end.entire.surface
    scan, versions = describe_input(surface), software_versions()
    notes = (*made.warnings, *_note_on_pieces(route))
    record = Record(scan, made.settings, request, outcome, notes, versions)
    if not route.chains:
        same = replace(landmarks, specimen=route.end.name, record=record)
        return equidistant_curves(surface, same)
    points = np.full(landmarks.points.shape, np.nan)
    points[known] = carried.kept(least)
    found = Landmarks.at(
        points, route.end.name, labels=landmarks.labels, classes=landmarks.classes,
        kinds=landmarks.kinds, record=record, system=surface.system,
        curves=landmarks.curves,
    )  # fmt: skip
    return equidistant_curves(surface, found)


def _note_on_pieces(route: Route) -> tuple[str, ...]:
    """What is said of a specimen in pieces, if the last maps to all are from one specimen."""
    pieces = route.pieces
    if len(pieces) == 1:
        return ()
    last = {id(each.end.surface): each.chains[0].steps[-1] for each in (*route.others, route)}
    maps = [last[id(piece.surface)] for piece in pieces]
    is_one = len({each.source.name for each in maps}) == 1
    return (remark_on_pieces(pieces, maps if is_one else ()),)


def fragment_facts(pieces: Sequence[SampledSurface], names: list[str]) -> dict[str, Any]:
    """What a record says of a fragment, or its pieces, and of landmarks that are not on it.

    Landmarks on what is painted as not bone are likewise named.
    """
    facts = shares_of(pieces) if pieces[0].is_fragment else {}
    return facts | ({NOT_ON_FRAGMENT: names} if names or facts else {})


def shares_of(pieces: Sequence[SampledSurface]) -> dict[str, Any]:
    """What a record says of how much of a whole specimen a fragment has, or its pieces."""
    shares = [round(each.share, 3) for each in pieces]
    several = {SHARES: shares} if len(shares) > 1 else {}
    return {SHARE: min(round(sum(shares), 3), 1.0), **several}


def _listed(values: FloatArray, known: BoolArray, spelling: str) -> list[float | None]:
    """One rounded value for each known landmark, in order; None for the others."""
    found = iter(values.tolist())
    return [float(format(next(found), spelling)) if each else None for each in known]
