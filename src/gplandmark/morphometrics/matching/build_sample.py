# SPDX-License-Identifier: MIT
"""Matching of all specimens of a sample, and of specimens that are added later."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.matching.fragments.sample_fragments import (
    among_all,
    find_fragments,
    find_pieces,
    join_broken,
)
from gplandmark.morphometrics.matching.mirror_images import aligner, asymmetry
from gplandmark.morphometrics.matching.points import SampledSurface
from gplandmark.morphometrics.matching.sample_graph import (
    Pair,
    agreement,
    compared_pairs,
    distance_matrix,
    likely_neighbours,
    majority_poses,
    medoid,
    poses_along_tree,
    signature,
    spanning_edges,
)
from gplandmark.morphometrics.matching.sample_maps import Run, one_by_one, with_maps
from gplandmark.morphometrics.matching.sample_match import SampleMatch
from gplandmark.morphometrics.matching.sampling import sample_surface
from gplandmark.numerics.arguments import whole_number
from gplandmark.numerics.arrays import FloatArray


def match_sample(
    surfaces: Sequence[Surface],
    *,
    reference: int | None = None,
    reflections: bool = True,
    same_scale: bool = False,
    run: Run = one_by_one,
) -> SampleMatch:
    """Find maps between all specimens of a sample.

    1. Pairs are aligned by a few points.
    2. Poses and reflections are composed along the minimum spanning tree of the distances, and
       corrected by majority vote of the most similar specimens.
    3. From these poses, smooth maps are fitted along the tree, and between the reference and
       every specimen.

    Parameters
    ----------
    surfaces : one or more
    reference : index of the specimen whose landmarks are carried; by default the medoid
    reflections : whether one may be the mirror image of another; False e.g. for skulls
    same_scale : whether all files share a unit, which helps to find fragments
    run : calls a function on every job and returns the results in order, perhaps in parallel;
        functions and jobs can be pickled

    Raises
    ------
    SettingsError
        There is no surface, or no specimen has the index of the reference.
    ScanError
        A surface has no triangles, or no area.
    """
    if not isinstance(surfaces, Sequence) or len(surfaces) == 0:
        raise SettingsError("There is no specimen to match. Give at least one surface.")
    if reference is not None and not 0 <= whole_number(reference, "The reference") < len(surfaces):
        raise SettingsError(
            f"There is no specimen {reference}: they are numbered 0 to {len(surfaces) - 1}."
        )
    specimens = tuple(run(sample_surface, surfaces))
    return match_prepared(
        specimens, reference=reference, reflections=reflections, same_scale=same_scale, run=run
    )


def match_prepared(
    specimens: Sequence[SampledSurface],
    *,
    reference: int | None = None,
    reflections: bool = True,
    same_scale: bool = False,
    run: Run = one_by_one,
) -> SampleMatch:
    """As `match_sample`, for specimens that are already sampled."""
    sample = align_prepared(
        specimens, reference=reference, reflections=reflections, same_scale=same_scale, run=run
    )
    star = _star(sample.reference, range(len(sample)))
    return with_maps(sample, [*sample.tree, *star], run=run)


def align_prepared(
    specimens: Sequence[SampledSurface],
    *,
    reference: int | None = None,
    reflections: bool = True,
    same_scale: bool = False,
    run: Run = one_by_one,
) -> SampleMatch:
    """Bring specimens into a common pose, without maps; `with_maps` adds them.

    Fragments are found in whole specimens, which are brought into a common pose without them. No
    fragment is the reference, unless it is asked for.
    """
    together = _align_all(specimens, reference, reflections, run)
    sample = replace(together, same_scale=same_scale)
    pieces = find_pieces(sample, range(len(sample)), run=run)
    others = [k for k in range(len(sample)) if k not in pieces]
    fragments = find_fragments(sample, others, run=run).union(pieces)
    wholes = [k for k in range(len(sample)) if k not in fragments]
    if not fragments or not wholes:
        return replace(sample, none_whole=bool(fragments))
    root = wholes.index(reference) if reference in wholes else None
    rest = _align_all([specimens[k] for k in wholes], root, reflections, run)
    joined = among_all(rest, wholes, sample)
    for number in sorted(fragments):
        likely = sorted(wholes, key=lambda k: float(sample.distances[number, k]))
        joined = join_broken(joined, number, likely, pieces.get(number, ()), run=run)
    if reference is None or reference in wholes:
        return joined
    back = joined.poses[reference].inverse()
    turned = tuple(pose.then(back) for pose in joined.poses)
    return replace(joined, reference=reference, poses=turned)


def _align_all(
    specimens: Sequence[SampledSurface], reference: int | None, reflections: bool, run: Run
) -> SampleMatch:
    """Bring specimens into a common pose, as if all were whole."""
    count = len(specimens)
    levels = [each.levels for each in specimens]
    pairs = compared_pairs([signature(each) for each in levels])
    asymmetric = np.array(list(run(asymmetry, levels)) if reflections else [])
    jobs = [(levels[i], levels[j], _larger(asymmetric, i, j)) for i, j in pairs]
    found = run(aligner(reflections), jobs)
    alignments = dict(zip(pairs, found, strict=True))
    distances = distance_matrix(alignments, count)
    tree = spanning_edges(distances)
    root = medoid(distances) if reference is None else reference
    chained = poses_along_tree(tree, alignments, count, root)
    poses = majority_poses(chained, alignments, [k for k in range(count) if k != root])
    return SampleMatch(
        tuple(specimens),
        root,
        distances,
        alignments,
        tuple(tree),
        tuple(poses),
        asymmetric,
        agreement(poses, alignments, range(count)),
        {},
        count,
        reflections,
    )


def extend_sample(sample: SampleMatch, surface: Surface, *, run: Run = one_by_one) -> SampleMatch:
    """Add a specimen, joined to the one most similar to it; earlier results do not change."""
    return extend_prepared(sample, sample_surface(surface), run=run)


def extend_prepared(
    sample: SampleMatch, added: SampledSurface, *, run: Run = one_by_one
) -> SampleMatch:
    """As `extend_sample`, for a specimen that is already sampled."""
    extended = extend_aligned(sample, added, run=run)
    return with_maps(extended, [extended.tree[-1], (sample.reference, len(sample))], run=run)


def extend_aligned(
    sample: SampleMatch, added: SampledSurface, *, run: Run = one_by_one
) -> SampleMatch:
    """Bring another specimen into the common pose, without maps to it."""
    count = len(sample)
    specimens = (*sample.specimens, added)
    wholes = [k for k in range(count) if not sample.specimens[k].is_fragment] or list(range(count))
    signatures = [signature(specimens[k].levels) for k in (*wholes, count)]
    others = [wholes[k] for k in likely_neighbours(signatures, len(wholes))]
    asymmetric = sample.asymmetry
    if sample.reflections:
        asymmetric = np.append(asymmetric, list(run(asymmetry, [added.levels])))
    jobs = [(specimens[k].levels, added.levels, _larger(asymmetric, k, count)) for k in others]
    found = run(aligner(sample.reflections), jobs)
    new = {(k, count): alignment for k, alignment in zip(others, found, strict=True)}
    alignments = {**sample.alignments, **new}
    nearest = min(others, key=lambda k: new[k, count].distance)
    joined = new[nearest, count].pose.inverse().then(sample.poses[nearest])
    poses = tuple(majority_poses((*sample.poses, joined), alignments, [count]))
    apart = np.array([new[k, count].distance for k in others])
    row = (sample.distances[others] + apart[:, None]).min(axis=0)
    row[others] = apart
    distances = np.block([[sample.distances, row[:, None]], [row, np.zeros(1)]])
    extended = replace(
        sample,
        specimens=specimens,
        distances=distances,
        alignments=alignments,
        tree=(*sample.tree, (nearest, count)),
        poses=poses,
        asymmetry=asymmetric,
        agreement=np.append(sample.agreement, agreement(poses, alignments, [count])),
    )
    pieces = find_pieces(extended, [count], run=run)
    if not (pieces or find_fragments(extended, [count], run=run)):
        return extended
    alone = replace(extended, alignments=sample.alignments, tree=sample.tree)
    likely = sorted(others, key=lambda k: new[k, count].distance)
    return join_broken(alone, count, likely, pieces.get(count, ()), run=run)


def _larger(asymmetric: FloatArray, one: int, two: int) -> float:
    """The larger asymmetry of two specimens; 0 if reflections are not considered."""
    return float(max(asymmetric[one], asymmetric[two])) if len(asymmetric) else 0.0


def _star(centre: int, others: Iterable[int]) -> list[Pair]:
    """Pairs of one specimen with all others."""
    return [(centre, other) for other in others if other != centre]
