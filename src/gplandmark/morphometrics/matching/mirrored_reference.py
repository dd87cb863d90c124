# SPDX-License-Identifier: MIT
"""Landmarks in pairs, carried from both sides of the reference.

Maps are smooth, so that they carry some of the asymmetry of the reference to every specimen, where
it would count as directional asymmetry. The mirror image of the reference is a specimen like any
other, with the opposite asymmetry. Landmarks are carried from both, and the mean has neither.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from gplandmark.morphometrics.matching.carried_points import MIN_CONFIDENCE, Carried
from gplandmark.morphometrics.matching.carry import MapChain, PairMap, Route
from gplandmark.morphometrics.matching.points import SampledSurface, nearest_on_surface
from gplandmark.morphometrics.matching.registration import Pose
from gplandmark.morphometrics.matching.sample_graph import Pair
from gplandmark.morphometrics.matching.sample_maps import Run, one_by_one, with_maps
from gplandmark.morphometrics.matching.sample_match import SampleMatch
from gplandmark.morphometrics.matching.surface_map import fit_both_ways
from gplandmark.numerics.arrays import FloatArray, IndexArray

BOTH_SIDES = "both_sides"  # under "matching" of a request in a record
TURNS = 10  # between a surface and a plane
ROUNDS = 3  # in which landmarks of the reference become pairs


@dataclass(frozen=True, eq=False)
class MirrorRoute:
    """The way from the mirror image of a specimen; it can be pickled.

    Attributes
    ----------
    route : from the mirror image of the first specimen to the last, so that left becomes right
    counterparts : (k,) number of the landmark on the other side of each, its own on the midline
    """

    route: Route
    counterparts: IndexArray


def reflection_in(specimen: SampledSurface, point: FloatArray, normal: FloatArray) -> Pose:
    """Reflection x - 2 ((x - p) n) n in a plane of a specimen's file, in its unit coordinates."""
    (inside,) = specimen.in_unit(np.asarray(point)[None])
    unit = np.asarray(normal) / np.linalg.norm(normal)
    return Pose(np.eye(3) - 2 * np.outer(unit, unit), 2 * (inside @ unit) * unit)


def with_mirrored_reference(
    sample: SampleMatch, reflection: Pose, *, run: Run = one_by_one
) -> SampleMatch:
    """The sample with the reference taken for its own mirror image.

    Its pose is reflected, and its maps are fitted again from there. All else is as it was, so that
    both samples have the same routes.
    """
    centre = sample.reference
    poses = list(sample.poses)
    poses[centre] = reflection.then(poses[centre])
    pieces = {
        number: tuple(replace(each, steps=_without(centre, each.steps)) for each in parts)
        for number, parts in sample.pieces.items()
    }
    bare = replace(sample, poses=tuple(poses), steps=_without(centre, sample.steps), pieces=pieces)
    return with_maps(bare, [pair for pair in sample.steps if centre in pair], run=run)


def _without(centre: int, steps: Mapping[Pair, PairMap]) -> dict[Pair, PairMap]:
    """The maps that neither begin nor end at a specimen."""
    return {pair: step for pair, step in steps.items() if centre not in pair}


def mirror_map(specimen: SampledSurface, reflection: Pose, *, run: Run = one_by_one) -> Route:
    """The map from a specimen to itself that exchanges left and right."""
    ((forward, backward),) = run(fit_both_ways, [(specimen.levels, specimen.levels, reflection)])
    step = PairMap(specimen, specimen, forward, backward)
    return Route(specimen, specimen, (MapChain((step,)),), 1.0, True)


def paired_on_specimen(points: FloatArray, mirror: MirrorRoute) -> FloatArray:
    """Points (k, 3) of a specimen moved to be pairs by its own map s that exchanges the sides.

    In each of three rounds the landmark i with the counterpart j goes halfway to s(x_j), on the
    surface, so that pairs follow the asymmetry of the specimen, and lie between vertices. Where s
    is less certain than 0.5, they stay.
    """
    for _ in range(ROUNDS):
        other = mirror.route.carry(points, on_surface=True).taken(mirror.counterparts)
        unsure = other.missing(MIN_CONFIDENCE)
        stays = unsure | unsure[mirror.counterparts]
        middle = lay_between(mirror.route.end, points, other.points, np.full(len(points), 0.5))
        points = np.where(stays[:, None], points, middle)
    return points


def carry_both_sides(route: Route, mirror: MirrorRoute, points: FloatArray) -> Carried:
    """Carry points (k, 3) in pairs directly, and from the mirror image of their specimen.

    With f the map to the target, g that of the mirror image, v and w their expected squared
    errors, the landmark i with the counterpart j goes to the mean

        (f(x_i) / v_i + g(x_j) / w_j) / (1 / v_i + 1 / w_j),

    on the surface. On a symmetric target g(x) is the mirror image of f(x), whatever the source is,
    and the landmarks of both sides are mirror images of each other. The expected squared error is
    the mean of both with the same weights, because their errors are not independent.
    """
    direct = route.carry(points, on_surface=True)
    other = mirror.route.carry(points, on_surface=True).taken(mirror.counterparts)
    trust = np.array([_trust(direct), _trust(other)])
    trust /= trust.sum(axis=0)

    def mean(one: FloatArray, two: FloatArray) -> FloatArray:
        return np.asarray(trust[0] * one + trust[1] * two)

    return Carried(
        lay_between(route.end.entire, direct.points, other.points, trust[0]),
        mean(direct.confidence, other.confidence),
        mean(direct.variance, other.variance),
        mean(direct.loop, other.loop),
        mean(direct.spread, other.spread),
        np.maximum(direct.stretch, other.stretch),
        direct.absent & other.absent,
    )


def _trust(carried: Carried) -> FloatArray:
    """Weights 1 / v of points, (k,); hardly any where they are not on the target."""
    least = np.finfo(float).tiny
    return np.where(carried.absent, 1e-12, 1.0) / np.maximum(carried.variance, least)


def lay_between(
    specimen: SampledSurface, one: FloatArray, two: FloatArray, weights: FloatArray
) -> FloatArray:
    """Points (k, 3) of a surface between two estimates a and b of each, in coordinates of the file.

    The mean c = w a + (1 - w) b is moved to the surface in the plane through c across a - b, by
    turns to the nearest point of the surface and back to the plane. Of a landmark on the midline of
    a symmetric specimen, a and b are mirror images, and that plane is the plane of symmetry. The
    nearest point alone may lie beside the midline, where that is a crest or a groove.
    """
    middle = weights[:, None] * one + (1 - weights)[:, None] * two
    across = one - two
    lengths = np.linalg.norm(across, axis=1, keepdims=True)
    across = across / np.maximum(lengths, np.finfo(float).tiny)
    places = _laid(specimen, middle)
    for _ in range(TURNS):
        off = np.einsum("ij,ij->i", places - middle, across)
        places = _laid(specimen, places - off[:, None] * across)
    return places


def _laid(specimen: SampledSurface, points: FloatArray) -> FloatArray:
    """Nearest points (k, 3) of the surface of a specimen, in the coordinates of its file."""
    return specimen.in_file(nearest_on_surface(specimen, specimen.in_unit(points)))
