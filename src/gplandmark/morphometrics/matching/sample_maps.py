# SPDX-License-Identifier: MIT
"""Maps between specimens of a sample: of two whole ones, and of a fragment and a whole one."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from gplandmark.morphometrics.matching.carry import PairMap
from gplandmark.morphometrics.matching.fragments.fragment_map import fit_fragment
from gplandmark.morphometrics.matching.fragments.recognition import WHOLE
from gplandmark.morphometrics.matching.sample_graph import Pair
from gplandmark.morphometrics.matching.sample_match import Piece, SampleMatch
from gplandmark.morphometrics.matching.surface_map import fit_both_ways

Run: TypeAlias = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]


def one_by_one(function: Callable[[Any], Any], jobs: Sequence[Any]) -> list[Any]:
    """Run jobs in a plain loop."""
    return [function(job) for job in jobs]


def with_maps(sample: SampleMatch, pairs: Iterable[Pair], *, run: Run = one_by_one) -> SampleMatch:
    """Add maps between pairs of specimens, in either order; those that exist are kept.

    Two fragments have no map of their own.
    """
    specimens, poses = sample.specimens, sample.poses
    wanted = {(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}
    missing = sorted(wanted.difference(sample.steps))
    whole = [
        (i, j) for i, j in missing if not (specimens[i].is_fragment or specimens[j].is_fragment)
    ]
    jobs = [
        (specimens[i].levels, specimens[j].levels, poses[i].then(poses[j].inverse()))
        for i, j in whole
    ]
    fitted = zip(whole, run(fit_both_ways, jobs), strict=True)
    new = {(i, j): PairMap(specimens[i], specimens[j], *both) for (i, j), both in fitted}
    extended = replace(sample, steps={**sample.steps, **new})
    parts = [(i, j) for i, j in missing if specimens[i].is_fragment != specimens[j].is_fragment]
    if parts:
        extended = _with_fragment_maps(extended, parts, run)
    pieces = {
        number: _with_maps_of_pieces(extended, number, wanted, run) for number in sample.pieces
    }
    return replace(extended, pieces=pieces)


def _with_maps_of_pieces(
    sample: SampleMatch, number: int, wanted: Iterable[Pair], run: Run
) -> tuple[Piece, ...]:
    """The other pieces of a specimen, with maps for those pairs that it is in."""
    found = []
    pairs = [pair for pair in wanted if number in pair]
    for piece, variant in zip(sample.pieces[number], sample.variants(number), strict=True):
        mapped = with_maps(replace(variant, pieces={}), pairs, run=run)
        steps = {pair: step for pair, step in mapped.steps.items() if number in pair}
        found.append(replace(piece, specimen=mapped.specimens[number], steps=steps))
    return tuple(found)


def _with_fragment_maps(sample: SampleMatch, pairs: Sequence[Pair], run: Run) -> SampleMatch:
    """Add maps between a whole specimen and a fragment; the first tell how much of it is there."""
    specimens, poses = list(sample.specimens), sample.poses
    ordered = [pair if specimens[pair[1]].is_fragment else pair[::-1] for pair in pairs]
    jobs = [(specimens[i], specimens[j], poses[j].then(poses[i].inverse())) for i, j in ordered]
    fitted = list(zip(ordered, run(fit_fragment, jobs), strict=True))
    for number in {j for _, j in ordered}:
        if specimens[number].share == WHOLE:
            shares = [share for (_, j), (_, _, share) in fitted if j == number]
            part = min(float(np.median(shares)), WHOLE - 1e-6)
            specimens[number] = specimens[number].with_share(part)
    steps = dict(sample.steps)
    for (i, j), (forward, backward, _) in fitted:
        step = PairMap(specimens[i], specimens[j], forward, backward)
        steps[min(i, j), max(i, j)] = step if i < j else step.reversed()
    return replace(sample, specimens=tuple(specimens), steps=steps)
