# SPDX-License-Identifier: MIT
"""The cut between specimen and surroundings: the histogram of a volume and Otsu's threshold.

Otsu's threshold divides the values into two classes so that the variance between the classes is
largest: of w0 w1 (m1 - m0)^2, with the fractions w and the means m of the classes. Where a range
of thresholds divides the values alike, the middle of the range is taken.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from gplandmark.errors import ScanError
from gplandmark.io.volumes.voxels import SLAB, Voxels
from gplandmark.numerics.arrays import FloatArray, IndexArray

Choice: TypeAlias = Literal["otsu", "given", "label"]
BINS = 65_536  # of values that are not whole numbers, or too many
FEW_VALUES = 64  # whole numbers of a label map have at most so many values
COUNTED = 2**18  # values that are counted together: they fit the cache of a processor
TIE = 1e-9  # of the largest variance between classes


@dataclass(frozen=True, eq=False)
class Histogram:
    """How often values occur: counts (n,) between edges (n + 1,); centres of whole numbers."""

    counts: IndexArray
    edges: FloatArray
    of_whole_numbers: bool

    @property
    def centres(self) -> FloatArray:
        """Middle of each bin: the value itself for whole numbers."""
        return (self.edges[1:] + self.edges[:-1]) / 2

    def values(self) -> IndexArray:
        """The whole numbers that occur."""
        return np.rint(self.centres[self.counts > 0]).astype(np.int64)

    def looks_like_labels(self) -> bool:
        """Whether these are a few whole numbers from 0 on, more than two: labels, not grey."""
        if not self.of_whole_numbers:
            return False
        found = self.values()
        return 2 < len(found) <= FEW_VALUES and bool(found.min() >= 0) and found.max() < 256


@dataclass(frozen=True)
class Cut:
    """Where a volume is cut, and how that was chosen.

    Attributes
    ----------
    threshold : voxels with at least this value are inside
    choice : by Otsu's method, given, or 0.5 of the occupancy of a label
    label : the label, if one was chosen
    inside : fraction of the voxels that are inside
    means : mean values outside and inside
    lowest, highest : range of the values
    """

    threshold: float
    choice: Choice
    label: int | None
    inside: float
    means: tuple[float, float]
    lowest: float
    highest: float

    def sentence(self) -> str:
        """Say what was cut, and how that was chosen."""
        share = f"{100 * self.inside:.2g} % of the voxels are inside"
        if self.choice == "label":
            return f"label {self.label}; {share}"
        how = "by Otsu's method" if self.choice == "otsu" else "as given"
        return (
            f"threshold {self.threshold:.6g} {how}, between mean values {self.means[0]:.4g} and "
            f"{self.means[1]:.4g}; {share}"
        )

    def described(self) -> dict[str, Any]:
        """Return the cut as plain values, ready for JSON."""
        chosen = {"label": self.label} if self.choice == "label" else {}
        return {
            "threshold": self.threshold,
            "threshold_by": self.choice,
            **chosen,
            "inside": self.inside,
            "range": [self.lowest, self.highest],
        }


def slabs(values: Voxels) -> Iterator[Voxels]:
    """Parts of a volume along z that are looked at one after the other."""
    step = max(1, SLAB // max(1, values[0].size))
    return (values[first : first + step] for first in range(0, len(values), step))


def histogram(values: Voxels, name: str) -> Histogram:
    """Count values, slab by slab.

    Raises
    ------
    ScanError
        There are values that are not finite.
    """
    if values.dtype.kind in "iu" and values.dtype.itemsize <= 2:
        return _of_short_integers(values)
    lowest, highest = _range(values, name)
    if values.dtype.kind in "iu" and int(highest) - int(lowest) < BINS:
        counts = np.zeros(int(highest) - int(lowest) + 1, dtype=np.int64)
        for part in slabs(values):
            shifted = part.ravel().astype(np.int64) - int(lowest)
            counts += np.bincount(shifted, minlength=len(counts))
        return _of_whole_numbers(counts, int(lowest))
    edges = np.linspace(float(lowest), float(highest), BINS + 1)
    counts = np.zeros(BINS, dtype=np.int64)
    for part in slabs(values):
        counts += np.histogram(part, BINS, (edges[0], edges[-1]))[0]
    return Histogram(counts, edges, False)


def _of_short_integers(values: Voxels) -> Histogram:
    """Count 8- and 16-bit integers by their bits, in one pass."""
    kind = values.dtype
    counts = np.zeros(2 ** (8 * kind.itemsize), dtype=np.int64)
    flat = np.ascontiguousarray(values).reshape(-1).view(f"u{kind.itemsize}")
    for first in range(0, len(flat), COUNTED):
        counts += np.bincount(flat[first : first + COUNTED], minlength=len(counts))
    if kind.kind == "i":  # as unsigned numbers, negative ones come last
        counts = np.roll(counts, len(counts) // 2)
    there = np.flatnonzero(counts)
    lowest = int(np.iinfo(kind).min) + int(there[0])
    return _of_whole_numbers(counts[there[0] : there[-1] + 1], lowest)


def _of_whole_numbers(counts: IndexArray, lowest: int) -> Histogram:
    edges = lowest + np.arange(len(counts) + 1, dtype=np.float64) - 0.5
    return Histogram(counts, edges, True)


def _range(values: Voxels, name: str) -> tuple[Any, Any]:
    """The lowest and the highest value."""
    ends = [(part.min(), part.max()) for part in slabs(values)]
    if not np.isfinite(ends).all():
        bad = sum(np.count_nonzero(~np.isfinite(part)) for part in slabs(values))
        raise ScanError.of(
            name,
            f"has {bad:,} voxels that are NaN or infinite. Replace them, e.g. by the value of air.",
        )
    return min(low for low, _ in ends), max(high for _, high in ends)


def otsu_threshold(found: Histogram) -> float:
    """Otsu's threshold, between two values that occur; the middle of the best range."""
    occurring = np.flatnonzero(found.counts)
    counts, centres = found.counts[occurring].astype(np.float64), found.centres[occurring]
    below = np.cumsum(counts)[:-1]
    above = counts.sum() - below
    sums = np.cumsum(counts * centres)
    means = sums[:-1] / below, (sums[-1] - sums[:-1]) / above
    between = below * above * (means[1] - means[0]) ** 2
    best = np.flatnonzero(between >= (1 - TIE) * between.max())
    return float((centres[best[0]] + centres[best[-1] + 1]) / 2)


def cut_at(found: Histogram, threshold: float | None, name: str) -> Cut:
    """Cut at a threshold, or at Otsu's.

    Raises
    ------
    ScanError
        All values are equal, or none, or all, are below the threshold.
    """
    centres, counts = found.centres, found.counts
    lowest, highest = (float(found.edges[end]) for end in (0, -1))
    if found.of_whole_numbers:
        lowest, highest = lowest + 0.5, highest - 0.5
    if np.count_nonzero(counts) < 2 or lowest == highest:
        raise ScanError.of(
            name, f"has the value {lowest:g} everywhere, so that there is no surface in it."
        )
    if threshold is not None and not lowest < threshold <= highest:
        raise ScanError(
            f"the threshold {threshold:g} leaves nothing or everything: values are from "
            f"{lowest:g} to {highest:g}. Choose one between them.",
            name,
        )
    level = otsu_threshold(found) if threshold is None else float(threshold)
    is_inside = centres >= level
    weights = [counts * ~is_inside, counts * is_inside]
    means = [float(centres @ each / max(each.sum(), 1)) for each in weights]
    inside = float(weights[1].sum() / counts.sum())
    choice: Choice = "otsu" if threshold is None else "given"
    return Cut(level, choice, None, inside, (means[0], means[1]), lowest, highest)
