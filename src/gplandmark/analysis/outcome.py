# SPDX-License-Identifier: MIT
"""The whole analysis of a sample in one call."""

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gplandmark.analysis.alignment import Aligned, align, mirrored_by_reflection
from gplandmark.analysis.classification import Classification, nearest_neighbour
from gplandmark.analysis.components import Components, principal_components
from gplandmark.analysis.configurations import listed
from gplandmark.analysis.distances import procrustes_distances
from gplandmark.analysis.groups import groups_of
from gplandmark.analysis.permutation import PERMUTATIONS, Mrpp, mrpp
from gplandmark.arrays import FloatArray
from gplandmark.errors import AnalysisError, GplandmarkWarning
from gplandmark.landmarks import Landmarks

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
    """

    aligned: Aligned
    components: Components
    distances: FloatArray
    groups: tuple[str | None, ...]
    classification: Classification | None
    test: Mrpp | None
    notes: tuple[str, ...]


def analyse(
    collection: Sequence[Landmarks],
    groups: Mapping[str, str | None] | None = None,
    *,
    reflect: bool = False,
    keep_size: bool = False,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    notes: Sequence[str] = (),
) -> Analysis:
    """Align specimens, and compute components, distances and what groups say.

    What cannot be computed for want of groups is left out and said; see `align`,
    `principal_components`, `procrustes_distances`, `nearest_neighbour` and `mrpp`. `notes` are
    sentences that the result must carry, before its own.

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
        _warn_mirrored(aligned)
        told: tuple[str | None, ...] = ()
        found, test = None, None
        if groups is not None:
            told = groups_of(aligned.names, groups)
            _warn_alone(told)
            try:
                found = nearest_neighbour(distances, told)
                test = mrpp(distances, told, permutations, seed)
            except AnalysisError as error:
                _warn(str(error))
    for each in caught:
        warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    said = (*notes, *(str(each.message) for each in caught))
    return Analysis(aligned, components, distances, told, found, test, said)


def _warn_mirrored(aligned: Aligned) -> None:
    if turned := mirrored_by_reflection(aligned):
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
