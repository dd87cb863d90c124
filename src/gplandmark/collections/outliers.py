# SPDX-License-Identifier: MIT
"""Which specimens are unlike the rest: another unit, another animal, a bad scan."""

from collections.abc import Mapping, Sequence

import numpy as np

from gplandmark.collections.journal import Entry

__all__ = ["FAR", "unlike_the_rest"]

FAR = 3.5  # deviations; the customary limit for this score
FEWEST = 5  # specimens that can tell what is usual
MEASURES: Mapping[str, tuple[str, str]] = {
    "variance_left": ("little is known of it", "its landmarks know much"),
    "size": ("large", "small"),
    "vertices": ("many vertices", "few vertices"),
}


def unlike_the_rest(entries: Sequence[Entry]) -> dict[str, tuple[float, str]]:
    """Return for each specimen how far it is from the rest, and in what.

    The distance is that of logarithms from their median, in units of 1.4826 times the median of
    these distances, which is a standard deviation where they are normal. The largest of three
    counts: variance left, size, vertices.
    """
    done = [entry for entry in entries if entry.is_done]
    result = {entry.key: (0.0, "") for entry in done}
    for name, (above, below) in MEASURES.items():
        known = [entry for entry in done if name in entry.facts]
        if len(known) < FEWEST:
            continue
        values = np.log([max(float(entry.facts[name]), 1e-300) for entry in known])
        offsets = values - np.median(values)
        spread = max(1.4826 * float(np.median(np.abs(offsets))), 0.01)  # 1 % is no difference
        for entry, score in zip(known, offsets / spread, strict=True):
            if abs(score) > result[entry.key][0]:
                why = above if score > 0 else below
                result[entry.key] = (float(abs(score)), why)
    return result
