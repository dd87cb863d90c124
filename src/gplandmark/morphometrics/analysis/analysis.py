# SPDX-License-Identifier: MIT
"""The whole analysis of a sample in one call."""

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gplandmark.errors import AnalysisError, GplandmarkWarning
from gplandmark.io.formatting import listed
from gplandmark.io.homology import MATCHING
from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.analysis.continuous_procrustes import (
    Continuous,
    chosen,
    continuous_distances,
)
from gplandmark.morphometrics.analysis.groups import Classification, groups_of, nearest_neighbour
from gplandmark.morphometrics.analysis.permutation import PERMUTATIONS, Mrpp, mrpp
from gplandmark.morphometrics.analysis.principal_components import Components, principal_components
from gplandmark.morphometrics.analysis.procrustes import Aligned, align, mirrored_by_reflection
from gplandmark.morphometrics.analysis.shape_distances import procrustes_distances
from gplandmark.morphometrics.matching.dense_points import Correspondence
from gplandmark.numerics.arrays import FloatArray

__all__ = ["Analysis", "analyse"]


@dataclass(frozen=True, eq=False)
class Analysis:
    """Everything that is known of a sample of shapes.

    Attributes
    ----------
    aligned : the specimens laid upon each other
    components : directions in which they vary
    distances : (s, s) Procrustes distances
    groups : of each specimen, None where unknown; empty where no groups were given
    classification : by nearest neighbours; None without a group of two
    test : multi-response permutation procedure; None without two groups of two
    notes : what the user must know
    continuous : by whole surfaces; None where no corresponding points were given
    """

    aligned: Aligned
    components: Components
    distances: FloatArray
    groups: tuple[str | None, ...]
    classification: Classification | None
    test: Mrpp | None
    notes: tuple[str, ...]
    continuous: Continuous | None = None


def analyse(
    collection: Sequence[Landmarks],
    groups: Mapping[str, str | None] | None = None,
    *,
    reflect: bool = False,
    keep_size: bool = False,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    notes: Sequence[str] = (),
    correspondence: Correspondence | None = None,
) -> Analysis:
    """Align specimens, and compute components, distances and what groups say.

    What cannot be computed for want of groups is left out and said; see `align`,
    `principal_components`, `procrustes_distances`, `nearest_neighbour` and `mrpp`. `notes` are
    sentences that the result must carry, before its own. A `correspondence` adds
    `continuous_distances` and what they say of groups.

    Raises
    ------
    AnalysisError
        The specimens cannot be compared, or are all of the same shape.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", GplandmarkWarning)
        aligned = align(collection, reflect=reflect, keep_size=keep_size)
        components = principal_components(aligned)
        distances = procrustes_distances(aligned)
        _warn_mirrored(aligned, collection)
        told: tuple[str | None, ...] = ()
        if groups is not None:
            told = groups_of(aligned.names, groups)
            _warn_alone(told)
        found, test = _by_groups(distances, told, permutations, seed)
        continuous = None
        if correspondence is not None:
            continuous = _continuous(correspondence, aligned, told, permutations, seed)
    single = {str(each.message): each for each in caught}  # two kinds of distances, one sentence
    for each in single.values():
        warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    said = (*notes, *single)
    return Analysis(aligned, components, distances, told, found, test, said, continuous)


def _by_groups(
    distances: FloatArray, groups: Sequence[str | None], permutations: int, seed: int
) -> tuple[Classification | None, Mrpp | None]:
    """What groups say of distances, as far as they say anything."""
    if not groups:
        return None, None
    found = None
    try:
        found = nearest_neighbour(distances, groups)
        return found, mrpp(distances, groups, permutations, seed)
    except AnalysisError as error:
        _warn(str(error))
        return found, None


def _continuous(
    correspondence: Correspondence,
    aligned: Aligned,
    groups: Sequence[str | None],
    permutations: int,
    seed: int,
) -> Continuous | None:
    points = chosen(correspondence, aligned.names)
    known = set(points.names)
    lacking = [name for name in aligned.names if name not in known]
    if lacking:
        _warn(f"Continuous distances leave out {listed('specimen', lacking)}: no points there "
              "correspond to those of the others.")  # fmt: skip
    if len(points.names) < 2:
        return None
    told = zip(aligned.names, groups, strict=False)  # there may be no groups at all
    own = tuple(group for name, group in told if name in known)
    distances = continuous_distances(points, reflect=aligned.reflect)
    return Continuous(points.names, distances, own, *_by_groups(distances, own, permutations, seed))


def _warn_mirrored(aligned: Aligned, collection: Sequence[Landmarks]) -> None:
    """Name mirror images where they are not allowed: as matched, or else as the landmarks look."""
    if aligned.reflect:
        return
    records = {each.specimen: each.record for each in collection}
    matched = [name for name, record in records.items()
               if MATCHING in record.request and record.outcome.get("mirrored")]  # fmt: skip
    if 0 < len(matched) < len(records):
        _warn(
            f"Matched as mirror images of the reference: {listed('specimen', matched)}. Left and "
            "right count as different shapes here; to compare them, allow mirror images "
            "(--reflect)."
        )
    elif turned := mirrored_by_reflection(aligned):
        _warn(
            f"Like mirror images of the rest: {listed('specimen', turned)}. If left and right "
            "sides are mixed, allow mirror images (--reflect)."
        )


def _warn_alone(groups: Sequence[str | None]) -> None:
    sizes = Counter(group for group in groups if group is not None)
    alone = sorted(name for name, size in sizes.items() if size == 1)
    if alone:
        _warn(
            f"One member only: {listed('group', alone)}. Such groups take no part in the "
            "permutation test and do not count in the classification."
        )


def _warn(sentence: str) -> None:
    warnings.warn(sentence, GplandmarkWarning, stacklevel=3)
