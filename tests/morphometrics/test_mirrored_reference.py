"""Landmarks in pairs: asymmetry that is found is that of the specimens, not of the reference."""

from itertools import starmap

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gplandmark import Surface, match_sample
from gplandmark.landmarks.symmetry import place_pairs, plane_through
from gplandmark.mesh.synthetic import sphere
from gplandmark.morphometrics.asymmetry import object_symmetry, pairs_by_name
from gplandmark.morphometrics.matching.mirrored_reference import (
    MirrorRoute,
    carry_both_sides,
    lay_between,
    mirror_map,
    paired_on_specimen,
    reflection_in,
    with_mirrored_reference,
)
from gplandmark.morphometrics.matching.sampling import sample_surface

# A bent head has vertices whose mirror image in a plane is off the surface.
pytestmark = pytest.mark.filterwarnings("ignore:.*no counterpart on the other side")
BEND = 0.08
SIDE = np.array([1.0, 0.0, 0.0])


def bent(points, bend):
    """Points (k, 3) under a deformation that is not symmetric: a head bent to one side."""
    x, y, z = points.T
    return np.column_stack([x + bend * y**2, y, z + 0.8 * bend * x * y])


def straightened(points, bend):
    """The inverse of `bent`."""
    x, y, z = points.T
    x = x - bend * y**2
    return np.column_stack([x, y, z - 0.8 * bend * x * y])


def pose(number):
    """The pose of a specimen's file."""
    return Rotation.from_rotvec([0.3 * number, 0.2, -0.1 * number]).as_matrix()


def head(number, bend=0.0, subdivisions=5):
    """A head with bumps in pairs, its own mirror image in x = 0 before it is bent.

    Its mesh is not symmetric, and the bumps are those of an individual.
    """
    all_, own = np.random.default_rng(7), np.random.default_rng(number)
    ball = sphere(subdivisions).surface
    rays = ball.points @ Rotation.from_rotvec(own.normal(size=3)).as_matrix().T
    centres = all_.normal(size=(24, 3))
    centres /= np.linalg.norm(centres, axis=1)[:, None]
    heights = all_.uniform(0.06, 0.16, 24) * (1 + 0.3 * own.normal(size=24))
    centres += 0.06 * own.normal(size=centres.shape)
    radius = np.ones(len(rays))
    for centre, height in zip(centres, heights, strict=True):
        for side in (1, -1):
            squares = ((rays - centre * [side, 1, 1]) ** 2).sum(axis=1)
            radius += height * np.exp(-30 * squares)
    points = bent(radius[:, None] * rays * [1, 1.5, 0.8], bend)
    return Surface(points @ pose(number), ball.triangles, f"head {number}")


def pairs_on(surface, count):
    """Landmarks by the rigid plane x = 0 of head 0, and which is the counterpart of which."""
    plane = plane_through(surface, [0, 0, 0], SIDE @ pose(0))
    landmarks = place_pairs(surface, count, plane=plane).landmarks
    return landmarks, pairs_by_name(landmarks.labels)


def asymmetric_part(points, number, bend, order):
    """Distances (k,) of landmarks from the mirror images of their counterparts, in the flat pose.

    The deformation that was put in is undone; what is left is an error.
    """
    flat = straightened(points @ pose(number).T, bend)
    return np.linalg.norm(flat - flat[order] * [-1, 1, 1], axis=1) / 2


def put_in(points, number, bend, order):
    """The landmarks as they would be without that error."""
    flat = straightened(points @ pose(number).T, bend)
    return bent((flat + flat[order] * [-1, 1, 1]) / 2, bend) @ pose(number)


def sums_of_squares(points, pairs):
    """Sums of squares of individuals, sides, and both."""
    names = [str(number) for number in range(len(points))]
    anova = object_symmetry(np.stack(points), names, pairs, permutations_of=3).anova
    return {each.name: each.sum_of_squares for each in anova.effects}


def both_ways(bends, count):
    """Landmarks of head 0 on all: carried directly, and carried from both sides; and the pairs."""
    surfaces = list(starmap(head, enumerate(bends)))
    sample = match_sample(surfaces, reference=0, reflections=False)
    landmarks, pairs = pairs_on(surfaces[0], count)
    reflection = reflection_in(sample.specimens[0], np.zeros(3), SIDE @ pose(0))
    own = MirrorRoute(mirror_map(sample.specimens[0], reflection), pairs.order)
    paired = paired_on_specimen(landmarks.points, own)
    mirrored = with_mirrored_reference(sample, reflection)
    numbers = range(len(bends))
    direct = [sample.route(0, number).carry(landmarks.points).points for number in numbers]
    both = [paired]
    for number in numbers[1:]:
        mirror = MirrorRoute(mirrored.route(0, number), pairs.order)
        both.append(carry_both_sides(sample.route(0, number), mirror, paired).points)
    return direct, both, pairs


@pytest.mark.slow
def test_the_asymmetry_of_the_reference_is_not_carried():
    bends = [BEND, 0, 0]
    direct, both, pairs = both_ways(bends, 24)
    off = [asymmetric_part(*each, pairs.order) for each in zip(both, range(3), bends, strict=True)]
    assert np.median(off) < 0.005  # of a head of 3
    truth = [put_in(*each, pairs.order) for each in zip(both, range(3), bends, strict=True)]
    found, expected = sums_of_squares(both, pairs), sums_of_squares(truth, pairs)
    assert found["side"] == pytest.approx(expected["side"], rel=0.15)
    assert found["individual:side"] == pytest.approx(expected["individual:side"], rel=0.05)
    assert sums_of_squares(direct, pairs)["side"] > 2 * expected["side"]


@pytest.mark.slow
def test_the_asymmetry_of_all_is_found():
    bends = [BEND] * 3
    direct, both, pairs = both_ways(bends, 24)
    off = [asymmetric_part(*each, pairs.order) for each in zip(both, range(3), bends, strict=True)]
    assert np.median(off) < 0.01
    truth = [put_in(*each, pairs.order) for each in zip(both, range(3), bends, strict=True)]
    found, expected = sums_of_squares(both, pairs), sums_of_squares(truth, pairs)
    assert found["side"] == pytest.approx(expected["side"], rel=0.1)
    assert found["side"] > 20 * found["individual:side"]
    # pairs by a rigid plane follow no bend
    assert sums_of_squares(direct, pairs)["side"] < 0.3 * expected["side"]


@pytest.mark.slow
def test_the_reference_has_pairs_by_its_own_map():
    surface = head(0, BEND, 4)
    landmarks, pairs = pairs_on(surface, 12)
    specimen = sample_surface(surface)
    route = mirror_map(specimen, reflection_in(specimen, np.zeros(3), SIDE @ pose(0)))
    assert route.mirrored
    moved = paired_on_specimen(landmarks.points, MirrorRoute(route, pairs.order))
    before, after = (
        asymmetric_part(points, 0, BEND, pairs.order) for points in (landmarks.points, moved)
    )
    assert np.median(before) > 0.03
    assert np.median(after) < 0.01
    again = route.carry(moved).points[pairs.order]
    assert np.median(np.linalg.norm(again - moved, axis=1)) < 0.01


def test_a_reflection_is_its_own_inverse(random):
    specimen = sample_surface(head(0, subdivisions=3))
    point, normal = random.normal(size=3), random.normal(size=3)
    reflection = reflection_in(specimen, point, normal)
    assert reflection.reflects
    points = random.normal(size=(9, 3))
    np.testing.assert_allclose(reflection.at(reflection.at(points)), points, atol=1e-12)
    unit = normal / np.linalg.norm(normal)
    images = specimen.in_file(reflection.at(specimen.in_unit(points)))
    expected = points - 2 * ((points - point) @ unit)[:, None] * unit
    np.testing.assert_allclose(images, expected, atol=1e-12)


def test_what_lies_between_mirror_images_lies_on_the_midline():
    """Also in a groove, where the nearest points of the surface are beside it."""
    ball = sphere(5).surface
    x = ball.points[:, 0]
    groove = Surface(ball.points * (1 - 0.3 * np.exp(-20 * x**2))[:, None], ball.triangles)
    specimen = sample_surface(groove)
    angles = np.linspace(0.3, 2.8, 7)
    one = np.column_stack([np.full(7, 0.2), np.cos(angles), np.sin(angles)])
    two = one * [-1, 1, 1]
    found = lay_between(specimen, one, two, np.full(7, 0.5))
    np.testing.assert_allclose(found[:, 0], 0, atol=2e-3)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 0.7, atol=0.01)
    # the two walls are as near: where the weights differ, so do the places
    apart = lay_between(specimen, one, two, np.full(7, 0.9))
    np.testing.assert_allclose(apart[:, 0], 0.16, atol=0.02)
    assert (np.linalg.norm(apart, axis=1) > 0.75).all()
