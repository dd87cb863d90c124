# SPDX-License-Identifier: MIT
"""Which specimens are unlike the rest: another unit, another animal, a bad scan."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from gplandmark.runs.journal import Entry

__all__ = ["FAR", "deviations", "unlike_the_rest"]

FAR = 3.5  # deviations; the customary limit for this score
FEWEST = 5  # specimens that can tell what is usual
MEASURES: Mapping[str, tuple[str, str]] = {
    "variance_left": ("much variance is left", "little variance is left"),
    "size": ("large", "small"),
    "vertices": ("many vertices", "few vertices"),
}


def unlike_the_rest(entries: Sequence[Entry]) -> dict[str, tuple[float, str]]:
    """Return for each specimen how far it is from the rest, and in what.

    The largest of three deviations counts: variance left, size, vertices. What is left is compared
    among those that have the usual number of landmarks.
    """
    result = {entry.key: (0.0, "") for entry in entries if entry.is_done}
    for name, (above, below) in MEASURES.items():
        others = _of_usual_count(entries) if name == "variance_left" else entries
        for key, score in deviations(others, name).items():
            if abs(score) > result[key][0]:
                result[key] = (abs(score), above if score > 0 else below)
    return result


def _of_usual_count(entries: Sequence[Entry]) -> list[Entry]:
    done = [entry for entry in entries if entry.is_done]
    counts = Counter(entry.facts.get("landmarks") for entry in done)
    usual = counts.most_common(1)[0][0] if counts else None
    return [entry for entry in done if entry.facts.get("landmarks") == usual]


def deviations(entries: Sequence[Entry], name: str, negligible: float = 0.01) -> dict[str, float]:
    """How far each specimen is from the rest in one of its facts, by key, with sign.

    The distance is that of logarithms from their median, in units of 1.4826 times the median of
    these distances, which is a standard deviation where they are normal. Empty where too few
    specimens have this fact.

    Parameters
    ----------
    negligible : least deviation, as a share of the value: if all are the same, 1 % is nothing
    """
    known = [entry for entry in entries if entry.is_done and entry.facts.get(name) is not None]
    if len(known) < FEWEST:
        return {}
    values = np.log([max(float(entry.facts[name]), 1e-300) for entry in known])
    offsets = values - np.median(values)
    spread = max(1.4826 * float(np.median(np.abs(offsets))), negligible)
    return {entry.key: float(each) for entry, each in zip(known, offsets / spread, strict=True)}
