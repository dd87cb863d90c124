# SPDX-License-Identifier: MIT
"""The complete analysis of a sample in one call, and its description for a methods section."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gplandmark.errors import AnalysisError, GplandmarkWarning, warn
from gplandmark.io.formatting import abbreviated, listed
from gplandmark.io.homology import MATCHING
from gplandmark.landmarks import Landmarks
from gplandmark.landmarks.record import software_versions
from gplandmark.morphometrics.analysis.outliers import outliers, same_points
from gplandmark.morphometrics.analysis.principal_components import Components, principal_components
from gplandmark.morphometrics.analysis.procrustes import (
    TOLERANCE,
    Aligned,
    generalised_procrustes,
    likely_mirror_images,
)
from gplandmark.morphometrics.analysis.shape_distances import (
    ContinuousAnalysis,
    continuous_distances,
    procrustes_distances,
)
from gplandmark.morphometrics.analysis.specimen_groups import (
    PERMUTATIONS,
    Classification,
    Mrpp,
    group_sizes,
    groups_of,
    mrpp,
    nearest_neighbour,
)
from gplandmark.morphometrics.matching.dense_points import Correspondence
from gplandmark.numerics.arrays import FloatArray

MOST_OUTLIERS = 12  # that are named


@dataclass(frozen=True, eq=False)
class Analysis:
    """Superimposition, components, distances and group statistics of a sample.

    Attributes
    ----------
    aligned : the Procrustes-aligned specimens
    components : principal components of shape
    distances : (s, s) Procrustes distances
    groups : of each specimen, None where unknown; empty where no groups were given
    classification : by nearest neighbours; None without a group of two
    test : multi-response permutation procedure; None without two groups of two
    notes : sentences that the user must read
    continuous : by entire surfaces; None where no corresponding points were given
    """

    aligned: Aligned
    components: Components
    distances: FloatArray
    groups: tuple[str | None, ...]
    classification: Classification | None
    test: Mrpp | None
    notes: tuple[str, ...]
    continuous: ContinuousAnalysis | None = None


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
    """Superimpose specimens; compute components, distances, classification and MRPP.

    See `generalised_procrustes`, `principal_components`, `procrustes_distances`,
    `nearest_neighbour` and `mrpp`. What cannot be computed without groups is omitted, with a
    warning.

    Parameters
    ----------
    collection : specimens with the same landmarks
    groups : of the specimens by name
    notes : sentences that come before the notes of the result
    correspondence : adds `continuous_distances` and their group statistics

    Raises
    ------
    AnalysisError
        The specimens cannot be compared, or are all of the same shape.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", GplandmarkWarning)
        aligned = generalised_procrustes(collection, reflect=reflect, keep_size=keep_size)
        components = principal_components(aligned)
        distances = procrustes_distances(aligned)
        _warn_mirrored(aligned, collection)
        _warn_outliers(aligned, distances)
        known: tuple[str | None, ...] = ()
        if groups is not None:
            known = groups_of(aligned.names, groups)
            _warn_singletons(known)
        found, test = _group_statistics(distances, known, permutations, seed)
        continuous = None
        if correspondence is not None:
            continuous = _continuous(correspondence, aligned, known, permutations, seed)
    single = {str(each.message): each for each in caught}  # two distances may warn of the same
    for each in single.values():
        warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    every = (*notes, *single)
    return Analysis(aligned, components, distances, known, found, test, every, continuous)


def _group_statistics(
    distances: FloatArray, groups: Sequence[str | None], permutations: int, seed: int
) -> tuple[Classification | None, Mrpp | None]:
    """Classification and test by distances, as far as the groups allow them."""
    if not groups:
        return None, None
    found = None
    try:
        found = nearest_neighbour(distances, groups)
        return found, mrpp(distances, groups, permutations, seed)
    except AnalysisError as error:
        warn(str(error))
        return found, None


def _continuous(
    correspondence: Correspondence,
    aligned: Aligned,
    groups: Sequence[str | None],
    permutations: int,
    seed: int,
) -> ContinuousAnalysis | None:
    points = correspondence.subset(aligned.names)
    known = set(points.names)
    lacking = [name for name in aligned.names if name not in known]
    if lacking:
        warn(f"Continuous distances omit {listed('specimen', lacking)}, without corresponding "
              "points.")  # fmt: skip
    if len(points.names) < 2:
        return None
    given = zip(aligned.names, groups, strict=False)  # there may be no groups at all
    own = tuple(group for name, group in given if name in known)
    distances = continuous_distances(points, reflect=aligned.reflect)
    return ContinuousAnalysis(
        points.names, distances, own, *_group_statistics(distances, own, permutations, seed)
    )


def _warn_mirrored(aligned: Aligned, collection: Sequence[Landmarks]) -> None:
    """Name mirror images if reflections are not allowed: as matched, or as the landmarks look."""
    if aligned.reflect:
        return
    records = {each.specimen: each.record for each in collection}
    matched = [name for name, record in records.items()
               if MATCHING in record.request and record.outcome.get("mirrored")]  # fmt: skip
    if 0 < len(matched) < len(records):
        warn(
            f"Matched as mirror images of the reference: {listed('specimen', matched)}. Left and "
            "right are different shapes here; to compare them, allow mirror images "
            "(--reflect)."
        )
    elif turned := likely_mirror_images(aligned):
        warn(
            f"Like mirror images of the rest: {listed('specimen', turned)}. If left and right "
            "sides are mixed, allow mirror images (--reflect)."
        )


def _warn_outliers(aligned: Aligned, distances: FloatArray) -> None:
    """Name specimens whose size or shape is unlike the rest, and those that occur twice."""
    if found := outliers(aligned, distances):
        named = [f"{name} ({reason})" for name, reason in found.items()]
        warn(f"Unlike the rest; check them: {abbreviated(named, MOST_OUTLIERS)}.")
    if same := same_points(aligned):
        warn(f"Exactly the same landmarks: {abbreviated(same, MOST_OUTLIERS)}. Is it one specimen?")


def _warn_singletons(groups: Sequence[str | None]) -> None:
    alone = sorted(name for name, size in group_sizes(groups).items() if size == 1)
    if alone:
        warn(
            f"One member only: {listed('group', alone)}. Such groups take no part in the "
            "permutation test and do not count in the classification."
        )


def methods(analysis: Analysis) -> list[str]:
    """Describe each step that was taken in one paragraph, for the methods section of a paper."""
    aligned = analysis.aligned
    size = (
        "sizes were kept (size-and-shape), and the consensus is the arithmetic mean"
        if aligned.keep_size
        else "each specimen and the consensus were scaled to centroid size 1"
    )
    reflections = "allowed" if aligned.reflect else "not allowed"
    paragraphs = [
        "Superimposition: generalised Procrustes analysis (Gower 1975; Rohlf and Slice 1990). "
        f"Specimens were centred; {size}; reflections were {reflections}. The consensus converged "
        f"after {aligned.rounds} iterations (relative change below {TOLERANCE:g}); the Procrustes "
        f"sum of squares is {aligned.sum_of_squares:.6g}. The principal axes of the consensus lie "
        "along x, y and z."
    ]
    if aligned.missing.any():
        paragraphs.append(
            "Missing landmarks were estimated by the thin-plate spline from the consensus to the "
            "landmarks present on a specimen, and updated with the consensus in every iteration. "
            "Estimates lie close to the mean by construction: they reduce the variance, and "
            "distances between incomplete specimens are underestimated rather than overestimated."
        )
    paragraphs += [
        "Principal components: singular value decomposition of the coordinates "
        + ("" if aligned.keep_size else "projected orthogonally into the tangent space at the "
           "consensus, ")
        + "centred on their mean. Variances have the divisor s - 1.",
        "Partial Procrustes distance: every two specimens were superimposed independently by the "
        "best "
        + ("rotation or reflection" if aligned.reflect else "rotation")
        + (", in file units." if aligned.keep_size else ", at centroid size 1."),
    ]  # fmt: skip
    if analysis.continuous is not None:
        paragraphs.append(
            "Continuous Procrustes distance (Al-Aifari, Daubechies and Lipman 2013): the maps of "
            "the matching carry evenly spaced points of the reference to every specimen. Every two "
            "specimens, scaled to area 1, were superimposed independently by the best "
            + ("rigid motion or reflection" if aligned.reflect else "rigid motion")
            + "; points are weighted by the mean of their fractions of the two areas."
        )
    if analysis.test is not None:
        paragraphs.append(
            "Permutation test: MRPP (Mielke and Berry 2001) of the distances, with groups weighted "
            "by their number of members; A = 1 - delta / mean distance; p = (1 + number of "
            "permutations with delta not larger) / (1 + permutations)."
        )
    versions = software_versions()
    return [*paragraphs, f"Software: gplandmark {versions['gplandmark']}, "
            f"NumPy {versions['numpy']}, SciPy {versions['scipy']}, "
            f"Python {versions['python']}."]  # fmt: skip
