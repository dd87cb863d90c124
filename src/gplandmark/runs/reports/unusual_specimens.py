# SPDX-License-Identifier: MIT
"""Which specimens of a matched sample are out of line, and in what, in words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gplandmark.morphometrics.matching.carry import LEAST
from gplandmark.runs.journal import Entry
from gplandmark.runs.reports.outliers import FAR, deviations

__all__ = ["Unusual", "unusual"]

LARGEST_MISSING = 0.5  # share of the landmarks
TWICE = 0.25  # of the usual distance to the nearest: less is one individual, scanned twice


@dataclass(frozen=True)
class Unusual:
    """A specimen that is out of line: how far, in deviations, and the reasons in sentences."""

    key: str
    score: float
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Measure:
    """A fact in which specimens may differ.

    Attributes
    ----------
    fact : its name
    negligible : see `deviations`
    above, below : what it means if it is far too large or small; empty if it means nothing
    power : of the fact that is told, 0.5 for the side of an area
    """

    fact: str
    negligible: float
    above: str
    below: str
    power: float = 1.0


MEASURES = (
    Measure(
        "nearest_distance",
        0.15,
        "Unlike all others: even the nearest, {nearest}, is {value:.3f} away, where {usual:.3f} is "
        "usual.",
        "",
    ),
    Measure(
        "area",
        0.1,
        "Large: sqrt(area) is {value:.4g} in units of its file, usually {usual:.4g}.",
        "Small: sqrt(area) is {value:.4g} in units of its file, usually {usual:.4g}.",
        0.5,
    ),
    Measure(
        "mean_confidence",
        0.03,
        "",
        "Its landmarks are uncertain: the mean confidence is {value:.2f}, usually {usual:.2f}.",
    ),
)


def unusual(entries: Sequence[Entry]) -> list[Unusual]:
    """Specimens that are out of line, the farthest first.

    In the distance to the nearest specimen, in size and in confidence, a specimen is far from
    the median of all: more than `FAR` deviations. In agreement with its neighbours and in the
    share of missing landmarks there is a limit of one half. Two that are nearly the same are
    named, too.
    """
    done = {entry.key: entry for entry in entries if entry.is_done}
    reasons: dict[str, list[str]] = {key: [] for key in done}
    scores = dict.fromkeys(done, 0.0)
    for measure in MEASURES:
        usual = _usual(done.values(), measure)
        for key, score in deviations([*done.values()], measure.fact, measure.negligible).items():
            words = measure.above if score > 0 else measure.below
            if words and abs(score) > FAR:
                reasons[key].append(_told(words, done[key].facts, measure, usual))
                scores[key] = max(scores[key], abs(score))
    apart = _usual(done.values(), MEASURES[0])
    for key, entry in done.items():
        reasons[key] += _beyond_limits(entry.facts, apart)
    found = [Unusual(key, scores[key], tuple(reasons[key])) for key in done if reasons[key]]
    return sorted(found, key=lambda each: (-each.score, each.key))


def _usual(entries: Iterable[Entry], measure: Measure) -> float:
    values = [entry.facts.get(measure.fact) for entry in entries]
    known = [value for value in values if value is not None]
    return float(np.median(known)) ** measure.power if known else 0.0


def _told(words: str, facts: Mapping[str, Any], measure: Measure, usual: float) -> str:
    value = float(facts[measure.fact]) ** measure.power
    return words.format(value=value, usual=usual, nearest=facts.get("nearest", ""))


def _beyond_limits(facts: Mapping[str, Any], apart: float) -> list[str]:
    said = []
    if facts.get("nearest") and facts["nearest_distance"] < TWICE * apart:
        said.append(
            f"Nearly the same shape as {facts['nearest']}: {facts['nearest_distance']:.3f} away, "
            f"where {apart:.3f} is usual. Perhaps one individual was scanned twice."
        )
    if facts.get("agreement", 1.0) < LEAST:
        share = 100 * facts["agreement"]
        said.append(f"Few of the specimens most like it agree with its pose: {share:.0f} %.")
    missing, present = facts.get("missing", 0), facts.get("landmarks", 0)
    if missing > LARGEST_MISSING * (missing + present):
        said.append(f"{missing} of {missing + present} landmarks are missing.")
    return said
