# SPDX-License-Identifier: MIT
"""Which specimens are unlike the rest: another unit, another animal, a bad scan.

All of it compares values with their median: `deviations` in robust standard deviations, for
results, and `times_from_median` as a factor, for scans of which little is known yet.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gplandmark.landmarks.record import NOT_ON_FRAGMENT, SHARE
from gplandmark.morphometrics.matching.carried_points import MIN_CONFIDENCE
from gplandmark.numerics.robust import FAR, log_deviations
from gplandmark.runs.journal import JournalEntry

FEWEST = 5  # specimens that define what is typical
FEWEST_SCANS = 3
LARGEST_MISSING = 0.5  # fraction of the landmarks
TWICE = 0.25  # of the typical distance to the nearest: less is one individual, scanned twice
BATCH_FACTS: Mapping[str, tuple[str, str]] = {
    "variance_left": ("much variance is left", "little variance is left"),
    "size": ("large", "small"),
    "vertices": ("many vertices", "few vertices"),
}


def times_from_median(values: Sequence[float]) -> list[float]:
    """How many times each value is larger than the median, or 1 / that if it is smaller.

    All are 1 where there are fewer than `FEWEST_SCANS`.
    """
    if len(values) < FEWEST_SCANS:
        return [1.0] * len(values)
    middle = float(np.median(values))
    return [value / middle for value in values]


def deviations(
    entries: Sequence[JournalEntry], name: str, negligible: float = 0.01
) -> dict[str, float]:
    """How far each specimen is from the rest in one of its facts, by key, with sign.

    See `gplandmark.numerics.robust.log_deviations`. Empty where too few specimens have this fact.
    """
    known = [entry for entry in entries if entry.is_done and entry.facts.get(name) is not None]
    if len(known) < FEWEST:
        return {}
    scores = log_deviations(np.array([float(entry.facts[name]) for entry in known]), negligible)
    return {entry.key: float(each) for entry, each in zip(known, scores, strict=True)}


def batch_outliers(entries: Sequence[JournalEntry]) -> dict[str, tuple[float, str]]:
    """Return for each specimen of a batch how far it is from the rest, and in what.

    The largest of three deviations counts: variance left, size, vertices. What is left is compared
    among those that have the most frequent number of landmarks.
    """
    result = {entry.key: (0.0, "") for entry in entries if entry.is_done}
    for name, (above, below) in BATCH_FACTS.items():
        others = _of_common_count(entries) if name == "variance_left" else entries
        for key, score in deviations(others, name).items():
            if abs(score) > result[key][0]:
                result[key] = (abs(score), above if score > 0 else below)
    return result


def _of_common_count(entries: Sequence[JournalEntry]) -> list[JournalEntry]:
    done = [entry for entry in entries if entry.is_done]
    counts = Counter(entry.facts.get("landmarks") for entry in done)
    common = counts.most_common(1)[0][0] if counts else None
    return [entry for entry in done if entry.facts.get("landmarks") == common]


@dataclass(frozen=True)
class Outlier:
    """A specimen of a matched sample that is unlike the rest.

    Attributes
    ----------
    key : of the specimen
    score : how far it is from the rest, in deviations
    reasons : in sentences
    """

    key: str
    score: float
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Measure:
    """A fact in which matched specimens may differ.

    Attributes
    ----------
    fact : its name
    negligible : see `deviations`
    above, below : what it means if it is far too large or small; empty if it means nothing
    power : of the fact that is reported, 0.5 for the side of an area
    """

    fact: str
    negligible: float
    above: str
    below: str
    power: float = 1.0


SAMPLE_MEASURES = (
    Measure(
        "nearest_distance",
        0.15,
        "Unlike all others: even the nearest, {nearest}, is {value:.3f} away; the median is "
        "{typical:.3f}.",
        "",
    ),
    Measure(
        "area",
        0.1,
        "Large: sqrt(area) is {value:.4g} in file units; the median is {typical:.4g}.",
        "Small: sqrt(area) is {value:.4g} in file units; the median is {typical:.4g}.",
        0.5,
    ),
    Measure(
        "mean_confidence",
        0.03,
        "",
        "Its landmarks are uncertain: mean confidence {value:.2f}, median {typical:.2f}.",
    ),
)


def sample_outliers(entries: Sequence[JournalEntry]) -> list[Outlier]:
    """Specimens of a matched sample that are unlike the rest, the farthest first.

    In the distance to the nearest specimen, in size and in confidence, such a specimen is more
    than `FAR` deviations from the median of all. In agreement with its neighbours and in the
    fraction of missing landmarks there is a limit of one half. Two that are nearly the same are
    named, too. Of a fragment, neither its area counts nor the landmarks that are not on it.
    """
    done = {entry.key: entry for entry in entries if entry.is_done}
    reasons: dict[str, list[str]] = {key: [] for key in done}
    scores = dict.fromkeys(done, 0.0)
    for measure in SAMPLE_MEASURES:
        compared = [each for each in done.values() if not _lacks(each, measure)]
        typical = _typical(compared, measure)
        for key, score in deviations(compared, measure.fact, measure.negligible).items():
            sentence = measure.above if score > 0 else measure.below
            if sentence and abs(score) > FAR:
                facts = done[key].facts
                value, nearest = facts[measure.fact] ** measure.power, facts.get("nearest", "")
                said = sentence.format(value=value, typical=typical, nearest=nearest)
                reasons[key].append(said)
                scores[key] = max(scores[key], abs(score))
    apart = _typical(done.values(), SAMPLE_MEASURES[0])
    for key, entry in done.items():
        reasons[key] += _beyond_limits(entry.facts, apart)
    found = [Outlier(key, scores[key], tuple(reasons[key])) for key in done if reasons[key]]
    return sorted(found, key=lambda each: (-each.score, each.key))


def _lacks(entry: JournalEntry, measure: Measure) -> bool:
    """Whether a specimen is a fragment, whose area says nothing."""
    return measure.fact == "area" and SHARE in entry.facts


def _typical(entries: Iterable[JournalEntry], measure: Measure) -> float:
    values = [entry.facts.get(measure.fact) for entry in entries]
    known = [value for value in values if value is not None]
    return float(np.median(known)) ** measure.power if known else 0.0


def _beyond_limits(facts: Mapping[str, Any], apart: float) -> list[str]:
    said = []
    if facts.get("nearest") and facts["nearest_distance"] < TWICE * apart:
        said.append(
            f"Nearly the same shape as {facts['nearest']}: {facts['nearest_distance']:.3f} away; "
            f"the median is {apart:.3f}. Perhaps one individual was scanned twice."
        )
    if facts.get("agreement", 1.0) < MIN_CONFIDENCE:
        percent = 100 * facts["agreement"]
        said.append(f"Few of the specimens most like it agree with its pose: {percent:.0f} %.")
    present = facts.get("landmarks", 0)
    missing = facts.get("missing", 0) - len(facts.get(NOT_ON_FRAGMENT, ()))  # others are expected
    if missing > LARGEST_MISSING * (missing + present):
        said.append(f"{missing} of {missing + present} landmarks are missing.")
    return said
