"""The parts of a match, each against what is known: exact maps, naive sums, shapes with relief."""

from dataclasses import replace
from functools import cache

import igl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import Delaunay, cKDTree
from scipy.spatial.transform import Rotation

from gplandmark import MolarShape, Surface, make_molar, match_pair, match_sample
from gplandmark.mesh import surface_area
from gplandmark.mesh.synthetic import sphere
from gplandmark.morphometrics.matching import multiscale_kernel
from gplandmark.morphometrics.matching import soft_correspondence as correspondence
from gplandmark.morphometrics.matching.carried_points import Carried
from gplandmark.morphometrics.matching.deformation import Composition, Deformation
from gplandmark.morphometrics.matching.expected_error import (
    NEAR,
    confidence,
    estimate_positions,
    expected_square,
)
from gplandmark.morphometrics.matching.mirror_images import SYMMETRIC
from gplandmark.morphometrics.matching.multiscale_kernel import (
    LENGTHS,
    STRAIN,
    VALUES_AND_SLOPES,
    covariance,
    covariance_and_slopes,
    mixed_sums,
)
from gplandmark.morphometrics.matching.patches import register_patches, relief
from gplandmark.morphometrics.matching.points import (
    COARSE,
    FeatureWeights,
    OrientedPoints,
    nearest_on_surface,
)
from gplandmark.morphometrics.matching.registration import (
    Pose,
    refine_similarity,
    rotation_matrices,
)
from gplandmark.morphometrics.matching.sampling import sample_surface
from gplandmark.morphometrics.matching.soft_correspondence import soft_correspondence

STAYS = Pose(np.eye(3), np.zeros(3))


@cache
def molar(seed):
    """The same crown for every seed, each time with other triangles."""
    return make_molar(seed, vertex_count=3000, shape=MolarShape(variation=0.0))


@cache
def sampled(seed):
    return sample_surface(molar(seed).surface)


def random_pose(random, *, reflects=False, turn=np.pi, growth=0.5):
    """A pose of a random turn, shift and scale."""
    rotation = rotation_matrices(random.uniform(-turn, turn, (1, 3)) / np.sqrt(3))[0]
    rotation = rotation @ np.diag([1, 1, -1 if reflects else 1])
    return Pose(
        rotation, 0.1 * random.normal(size=3), float(np.exp(random.uniform(-1, 1) * growth))
    )


def bending(random, pose, count=30):
    """A deformation as it might be fitted, smooth and small."""
    return Deformation(pose, random.normal(size=(count, 3)) / 3, random.normal(size=(count, 3)))


def rigid(pose):
    """A map that only moves."""
    return Composition((Deformation(pose, np.zeros((1, 3)), np.zeros((1, 3))),))


def moved(points, pose):
    """Points of a surface in another pose; a reflection leaves outside what was outside."""
    return replace(
        points, positions=pose.at(points.positions), normals=points.normals @ pose.rotation
    )


def random_points(random, count):
    normals = random.normal(size=(count, 3))
    weights = random.random(count)
    return OrientedPoints(
        random.random((count, 3)),
        normals / np.linalg.norm(normals, axis=1, keepdims=True),
        0.1 * random.normal(size=(count, 2)),
        weights / weights.sum(),
    )


def off_triangles(points, surface):
    return np.sqrt(igl.point_mesh_squared_distance(points, surface.points, surface.faces())[0])


# --- poses


@settings(max_examples=30)
@given(st.integers(0, 2**20), st.booleans(), st.booleans())
def test_poses_with_a_scale_are_undone_and_follow_each_other(seed, one_reflects, two_reflects):
    random = np.random.default_rng(seed)
    one, two, three = (
        random_pose(random, reflects=each) for each in (one_reflects, two_reflects, False)
    )
    points = random.normal(size=(7, 3))
    np.testing.assert_allclose(one.inverse().at(one.at(points)), points, atol=1e-12)
    np.testing.assert_allclose(one.at(one.inverse().at(points)), points, atol=1e-12)
    both = one.then(two)
    np.testing.assert_allclose(both.at(points), two.at(one.at(points)), atol=1e-12)
    assert both.scale == pytest.approx(one.scale * two.scale)
    assert both.reflects == (one_reflects != two_reflects)
    left, right = both.then(three), one.then(two.then(three))
    np.testing.assert_allclose(left.at(points), right.at(points), atol=1e-12)
    back = two.inverse().then(one.inverse())
    np.testing.assert_allclose(both.inverse().at(points), back.at(points), atol=1e-12)
    assert one.angle_to(replace(one, scale=3.0)) == pytest.approx(0.0, abs=1e-6)


def test_a_turn_by_a_vector_is_a_rotation_about_it(random):
    turns = np.vstack([random.normal(size=(20, 3)), np.zeros((1, 3)), [[1e-9, 0, 0]]])
    np.testing.assert_allclose(
        rotation_matrices(turns), Rotation.from_rotvec(turns).as_matrix(), atol=1e-14
    )


@pytest.mark.parametrize(
    ("scale", "reflects"),
    [
        (0.9, False),
        (1.1, True),
        *(pytest.param(*each, marks=pytest.mark.slow)
          for each in ((0.9, True), (1.0, False), (1.0, True), (1.1, False))),
    ],
)  # fmt: skip
def test_a_known_similarity_is_found_on_other_samples_of_the_shape(scale, reflects, random):
    one, two = sampled(1), sampled(2)
    start = Pose(np.diag([1, 1, -1 if reflects else 1]), np.zeros(3))
    small = replace(random_pose(random, turn=0.2), shift=np.array([0.02, -0.03, 0.01]), scale=scale)
    truth = start.then(small)
    found, left = refine_similarity(one.levels[-1], moved(two.levels[-1], truth), start)
    assert found.reflects == reflects
    # Both files have the same crown, but each its own centre and size.
    points = one.levels[1].positions
    wanted = truth.at(two.in_unit(one.in_file(points)))
    assert np.linalg.norm(found.at(points) - wanted, axis=1).max() < 1e-3
    assert found.scale == pytest.approx(scale * one.size / two.size, abs=1e-3)
    assert left.best < 5e-4
    exact, none = refine_similarity(one.levels[-1], moved(one.levels[-1], truth), start)
    assert np.linalg.norm(exact.at(points) - truth.at(points), axis=1).max() < 1e-4
    assert none.overall < 1e-5


# --- correspondence and deformation


@pytest.mark.parametrize("width", [0.3, 0.05, 1e-3])
@pytest.mark.parametrize("by", [COARSE, FeatureWeights(0.1, 0.3)])
def test_soft_goals_are_those_of_all_pairs(width, by, random, monkeypatch):
    monkeypatch.setattr(correspondence, "NEAREST", 1000)
    one, two = random_points(random, 40), random_points(random, 55)
    goals, weights = soft_correspondence(one, two, width, by, cKDTree(two.positions))
    here, there = (each.features(each.positions, each.normals, by) for each in (one, two))
    squares = ((here[:, None] - there) ** 2).sum(axis=2)
    going = np.exp((squares.min(axis=1, keepdims=True) - squares) / (2 * width**2)) * two.weights
    going *= (one.weights / going.sum(axis=1))[:, None]
    coming = np.exp((squares.min(axis=0) - squares) / (2 * width**2)) * one.weights[:, None]
    coming *= two.weights / coming.sum(axis=0)
    shares = (going + coming) / 2
    np.testing.assert_allclose(weights, shares.sum(axis=1), rtol=1e-10)
    np.testing.assert_allclose(goals, shares @ two.positions / weights[:, None], rtol=1e-9)
    assert weights.sum() == pytest.approx(1.0)


def test_few_neighbours_are_enough_where_the_width_is_small(monkeypatch):
    one, two = sampled(1).levels[2], sampled(2).levels[2]
    tree = cKDTree(two.positions)
    near, _ = soft_correspondence(one, two, 0.01, COARSE, tree)
    monkeypatch.setattr(correspondence, "NEAREST", 1000)
    every, _ = soft_correspondence(one, two, 0.01, COARSE, tree)
    assert np.linalg.norm(near - every, axis=1).max() < 0.01


def test_the_covariance_is_the_sum_over_lengths(random, monkeypatch):
    points, others = random.normal(size=(30, 3)), random.normal(size=(20, 3))
    others[0] = points[0]
    squares = ((points[:, None] - others) ** 2).sum(axis=2)
    naive = sum((STRAIN * each) ** 2 * np.exp(-squares / (2 * each**2)) for each in LENGTHS)
    np.testing.assert_allclose(covariance(points, others), naive, atol=1e-14)
    monkeypatch.setattr(multiscale_kernel, "BLOCK", 7)
    factors = random.random((2, len(LENGTHS)))
    naive = [
        sum(a * np.exp(-squares / (2 * each**2)) for a, each in zip(row, LENGTHS, strict=True))
        for row in factors
    ]
    np.testing.assert_allclose(
        multiscale_kernel._summed(points, others, factors), naive, atol=1e-12
    )


@pytest.mark.parametrize("reflects", [(False,), (True,), (False, True), (True, True)])
def test_derivatives_and_normals_of_a_composition_are_those_of_its_map(reflects, random):
    parts = tuple(bending(random, random_pose(random, reflects=each)) for each in reflects)
    whole = Composition(parts)
    assert whole.reflects == (sum(reflects) == 1)
    points, step = random.normal(size=(9, 3)) / 3, 1e-5
    slopes = [
        (whole.at(points + offset) - whole.at(points - offset)) / (2 * step)
        for offset in step * np.eye(3)
    ]
    carried, jacobians = whole.with_jacobian(points)
    np.testing.assert_allclose(carried, whole.at(points), atol=1e-14)
    np.testing.assert_allclose(jacobians, np.stack(slopes, axis=2), atol=1e-7)
    # Two tangents of the source, carried, still span the plane that the normal is upright on.
    frames = Rotation.random(9, np.random.default_rng(1)).as_matrix()
    along = np.einsum("mij,mjk->mik", jacobians, frames[:, :, :2])
    upright = np.cross(along[:, :, 0], along[:, :, 1])
    upright *= np.where(sum(reflects) % 2, -1, 1) / np.linalg.norm(upright, axis=1, keepdims=True)
    carried, normals = whole.with_normals(points, frames[:, :, 2])
    np.testing.assert_allclose(carried, whole.at(points), atol=1e-14)
    np.testing.assert_allclose(normals, upright, atol=1e-9)


def test_the_displacement_is_what_a_map_does_beyond_its_pose(random):
    one = bending(random, random_pose(random))
    start = one.pose.inverse().at(one.centres)
    moves = one.at(start) - one.centres
    assert one.displacement == pytest.approx(np.sqrt((moves**2).sum(axis=1).mean()))
    assert Composition((one, one)).displacement == pytest.approx(np.sqrt(2) * one.displacement)
    assert rigid(random_pose(random)).displacement == 0


# --- patches


def shifted_on(specimen, points, size, random):
    """Points of a surface, moved along it by so much."""
    directions = random.normal(size=points.shape)
    normals = specimen.levels[-1].normals[cKDTree(specimen.levels[-1].positions).query(points)[1]]
    directions -= np.einsum("ij,ij->i", directions, normals)[:, None] * normals
    directions *= size / np.linalg.norm(directions, axis=1, keepdims=True)
    return nearest_on_surface(specimen, points + directions)


@pytest.mark.parametrize("radius", [0.03, 0.06])
def test_patches_on_cusps_find_back_to_their_place(radius, random):
    one, two = sampled(1), sampled(2)
    cusps = np.repeat(nearest_on_surface(one, one.in_unit(molar(1).cusps)), 4, axis=0)
    there = two.in_unit(one.in_file(cusps))
    carry = rigid(Pose(np.eye(3), two.in_unit(one.centre[None])[0], one.size / two.size))
    starts = shifted_on(two, there, 0.015, random)
    found = register_patches(one, two, carry, cusps, starts, radius)
    before, after = (np.linalg.norm(each - there, axis=1) for each in (starts, found))
    assert before.min() > 0.006
    assert after.max() < 0.004
    assert after.mean() < 0.1 * before.mean()
    stayed_there = register_patches(one, two, carry, cusps, there, radius)
    assert np.linalg.norm(stayed_there - there, axis=1).max() < 0.004


def plane(seed):
    """A square of one size, with random triangles."""
    random = np.random.default_rng(seed)
    edge = np.linspace(0, 1, 20)
    rim = np.vstack([np.column_stack(pair) for pair in ((edge, 0 * edge), (edge, 0 * edge + 1))])
    flat = np.unique(np.vstack([rim, rim[:, ::-1], random.random((3000, 2))]), axis=0)
    corners = Delaunay(flat).simplices
    return sample_surface(
        Surface(np.column_stack([flat, np.zeros(len(flat))]), corners, f"plane {seed}")
    )


def test_patches_on_a_plane_stay_where_they_start(random):
    one, two = plane(1), plane(2)
    points = np.column_stack([random.uniform(-0.15, 0.15, (8, 2)), np.zeros(8)])
    starts = points + np.column_stack([random.uniform(-0.02, 0.02, (8, 2)), np.zeros(8)])
    found = register_patches(one, two, rigid(STAYS), points, starts, 0.03)
    np.testing.assert_allclose(found, starts, atol=1e-9)
    assert relief(one, points, 0.03).max() < 1e-12
    # Off the plane they come back to it, and not along it.
    raised = register_patches(one, two, rigid(STAYS), points, starts + np.array([0, 0, 0.01]), 0.03)
    np.testing.assert_allclose(raised, starts, atol=1e-4)


def test_no_patch_moves_farther_than_its_radius_or_without_points(random):
    one = sampled(1)
    points = one.levels[0].positions[:20]
    far = points + 0.3 * random.normal(size=points.shape)
    moves = register_patches(one, one, rigid(STAYS), points, far, 0.03) - far
    assert np.linalg.norm(moves, axis=1).max() <= 0.03 * (1 + 1e-9)
    nowhere = points + 5.0
    assert np.array_equal(register_patches(one, one, rigid(STAYS), nowhere, far, 0.03), far)
    none = np.zeros((0, 3))
    assert register_patches(one, one, rigid(STAYS), none, none, 0.03).shape == (0, 3)


def test_relief_grows_with_the_form_up_to_a_third():
    ball = sample_surface(sphere(4).surface)
    poles = ball.in_unit(sphere(4).surface.points[:3])
    found = [relief(ball, poles, radius).mean() for radius in (0.02, 0.06, 0.2, 10.0)]
    assert (np.diff(found) > 0).all()
    assert found[0] < 0.01
    assert 0.28 < found[-1] <= 1 / 3  # by 128 of its normals
    crown = sampled(1)
    cusps = nearest_on_surface(crown, crown.in_unit(molar(1).cusps))
    assert relief(crown, cusps, 0.03).min() > 0.02


def test_estimates_of_exact_maps_agree_and_find_back(random):
    pose = random_pose(random, growth=0.0)
    here = sampled(1)
    turned = Surface(pose.at(molar(1).surface.points), molar(1).surface.faces(), "turned")
    there = sample_surface(turned)
    points = nearest_on_surface(here, here.levels[0].positions)
    shift = there.in_unit(pose.at(here.centre[None]))[0]
    maps = rigid(Pose(pose.rotation, shift, here.size / there.size))
    back = rigid(maps.parts[0].pose.inverse())
    found = estimate_positions(here, there, [(maps, back)], points)
    truth = there.in_unit(pose.at(here.in_file(points)))
    np.testing.assert_allclose(found.places, truth, atol=1e-6)
    assert max(found.spread.max(), found.loop.max()) < 1e-6


# --- landmarks off the surface


@cache
def copied():
    """A molar, and the same one turned, moved and four times as large."""
    turn, shift = (
        Rotation.random(None, np.random.default_rng(8)).as_matrix(),
        np.array([30.0, -70.0, 9.0]),
    )
    surface = molar(1).surface
    copy = Surface(4 * surface.points @ turn + shift, surface.faces(), "copy")
    return match_pair(surface, copy), lambda points: 4 * points @ turn + shift


def test_landmarks_off_the_surface_keep_their_offset_and_others_lie_on_it():
    found, truth = copied()
    here, there = found.step.source, found.step.target
    feet = here.in_file(nearest_on_surface(here, here.levels[0].positions[:40]))
    normals = here.levels[0].normals[:40]
    off = feet + 0.02 * here.size * normals
    outside = off_triangles(off, here.surface) > 0.019 * here.size  # no other part is nearer
    off, feet = off[outside], feet[outside]
    assert len(off) > 20
    carried, landed = found.carry(off), found.carry(off, on_surface=True)
    assert off_triangles(landed.points, there.surface).max() < 1e-9 * there.size
    offsets = carried.points - landed.points
    foot = here.in_file(nearest_on_surface(here, here.in_unit(off)))
    wanted = truth(off) - truth(foot)
    lengths = np.linalg.norm(wanted, axis=1)
    assert (np.linalg.norm(offsets - wanted, axis=1) < 0.01 * lengths).all()
    assert np.array_equal(carried.confidence, landed.confidence)
    on = found.carry(feet)
    assert off_triangles(on.points, there.surface).max() < 1e-9 * there.size
    # What lies off by no more than rounding, or a coarser mesh, is on the surface.
    nearly = found.carry(feet + 0.002 * here.size * normals[outside])
    assert off_triangles(nearly.points, there.surface).max() < 1e-9 * there.size


# --- symmetric specimens


def body(seed, *, chiral=0.0, count=4):
    """A closed body, symmetric in x but for a bump, with unequal ends, bent at random."""
    directions = sphere(count).surface
    x, y, z = directions.points.T
    radii = 1 + 0.3 * y + 0.25 * y * z + 0.3 * z**3 + 0.15 * np.cos(5 * y) * x**2
    for place in ([0.6, 0.5, 0.6], [-0.6, 0.5, 0.6], [0.8, -0.5, 0.3], [-0.8, -0.5, 0.3]):
        radii += 0.12 * np.exp(-((directions.points - place) ** 2).sum(axis=1) / 0.05)
    radii += chiral * np.exp(-((directions.points - [0.8, 0.2, -0.5]) ** 2).sum(axis=1) / 0.2)
    points = directions.points * radii[:, None] * [0.8, 1.6, 1.0]
    random = np.random.default_rng(seed)
    waves, sizes = random.normal(size=(4, 3)), 0.015 * random.normal(size=(4, 3))
    return Surface(points + np.sin(points @ waves.T) @ sizes, directions.faces(), f"body {seed}")


def turned(surface, rng, *, mirrored=False):
    turn = Rotation.random(None, rng).as_matrix() @ np.diag([-1 if mirrored else 1, 1, 1])
    faces = surface.faces()[:, ::-1] if mirrored else surface.faces()
    return Surface(surface.points @ turn, faces, f"{surface.name} turned")


def mean_error(found, truth, surface):
    return np.linalg.norm(found - truth, axis=1).mean() / np.sqrt(surface_area(surface))


@pytest.mark.slow
def test_symmetric_specimens_are_not_mirrored_and_left_stays_left():
    bodies = [turned(body(seed, count=3), seed) for seed in range(3)]
    sample = match_sample(bodies)
    assert not sample.mirrored.any()
    assert sample.asymmetry.max() < SYMMETRIC
    assert sample.agreement.min() > 0.9
    assert sample.remarks == ()
    for target in range(3):
        source = sample.reference
        landmarks, truth = (bodies[k].points[::10] for k in (source, target))
        carried = sample.carry(landmarks, source, target)
        assert not carried.missing().any()
        assert mean_error(carried.points, truth, bodies[target]) < 0.02


@pytest.mark.slow
def test_the_mirror_image_of_a_specimen_with_sides_is_found():
    one, two = body(0, chiral=0.3), turned(body(1, chiral=0.3), 1, mirrored=True)
    found = match_pair(one, two)
    assert found.reflects
    assert any("mirror image" in remark for remark in found.remarks)
    carried = found.carry(one.points[::40])
    assert not carried.missing().any()
    assert mean_error(carried.points, two.points[::40], two) < 0.02


# --- inner walls


def hollow(surface, share):
    """The same body with a smaller copy inside, which faces inwards."""
    middle = surface.points.mean(axis=0)
    inner = middle + share * (surface.points - middle)
    faces = np.vstack([surface.faces(), surface.faces()[:, ::-1] + surface.vertex_count])
    return Surface(np.vstack([surface.points, inner]), faces, "hollow")


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.6, 0.93])
def test_inner_walls_change_neither_size_nor_landmarks(share):
    other, solid = body(0, chiral=0.3, count=3), body(1, chiral=0.3, count=3)
    one, two = sample_surface(solid), sample_surface(hollow(solid, share))
    assert two.size == pytest.approx(one.size, rel=1e-3)
    assert np.linalg.norm(two.centre - one.centre) < 1e-3 * one.size
    assert two.root_area == pytest.approx(one.root_area * np.sqrt(1 + share**2))
    filled, empty = (match_pair(other, each.surface) for each in (one, two))
    landmarks, truth = other.points[::10], solid.points[::10]
    there, here = filled.carry(landmarks), empty.carry(landmarks)
    assert np.linalg.norm(there.points - here.points, axis=1).max() < 0.01 * one.size
    assert mean_error(here.points, truth, solid) < 0.02
    assert not here.missing().any()
    np.testing.assert_allclose(here.confidence, there.confidence, atol=0.03)


# --- what is expected


def test_the_expected_error_grows_with_what_is_doubtful_and_falls_with_relief():
    ones = np.ones(5)
    usual = [0.01 * ones, 0.01 * ones, 0.05 * ones, 0.02, 0.01]
    growing = np.linspace(0, 0.05, 5)
    for which in (0, 1, 2):
        arguments = [*usual]
        arguments[which] = 4 * growing if which == 2 else growing
        squares = expected_square(*arguments)
        assert (np.diff(squares) * (-1 if which == 2 else 1) > 0).all()
        assert (np.diff(confidence(squares)) * (-1 if which == 2 else 1) < 0).all()
    by_displacement = [expected_square(*usual[:3], each, 0.01)[0] for each in growing]
    assert (np.diff(by_displacement) > 0).all()
    by_spacing = [expected_square(*usual[:4], 0.01 + each)[0] for each in growing]
    assert (np.diff(by_spacing) > 0).all()
    assert (expected_square(0 * ones, 0 * ones, ones / 3, 0.0, 0.0) > 0).all()  # never certain


def test_nine_of_ten_lie_within_the_radius_and_their_mean_is_the_error(random):
    variance = np.array([0.3, 2.0])
    unused = np.zeros(2)
    found = Carried(np.zeros((2, 3)), unused, variance, unused, unused, unused, unused > 0)
    np.testing.assert_allclose(found.radius / found.error, np.sqrt(np.log(10) / (np.pi / 4)))
    offsets = random.standard_normal((200_000, 2, 2)) * np.sqrt(variance / 2)[:, None]
    lengths = np.linalg.norm(offsets, axis=2)
    np.testing.assert_allclose(lengths.mean(axis=0), found.error, rtol=0.01)
    np.testing.assert_allclose((lengths < found.radius).mean(axis=0), 0.9, atol=0.005)
    assert confidence(np.array([NEAR**2])) == pytest.approx(1 - np.exp(-1))
    assert not Carried.exact(np.zeros((2, 3))).radius.any()


def test_cusps_tell_left_from_right_although_the_sides_of_a_crown_are_nearly_alike():
    one, two = make_molar(1, vertex_count=1500), make_molar(2, vertex_count=1500)
    flip = np.array([1.0, -1.0, 1.0])
    image = Surface(two.surface.points * flip, two.surface.faces()[:, ::-1], "left")
    found = match_pair(one.surface, image)
    assert found.reflects
    offsets = found.carry(one.cusps).points - two.cusps * flip
    assert np.linalg.norm(offsets, axis=1).max() < 0.02 * np.ptp(two.surface.points)


def test_sums_of_the_deformation_are_those_of_its_covariance(random):
    points, centres = random.normal(size=(2, 40, 3)) / 3
    values = random.normal(size=(40, 2))
    sums, sloped = mixed_sums(points, centres, values, VALUES_AND_SLOPES)
    expected, slopes = covariance_and_slopes(points, centres)
    np.testing.assert_allclose(sums, expected @ values, atol=1e-14)
    np.testing.assert_allclose(sloped, slopes @ values, atol=1e-13)
    np.testing.assert_array_equal(covariance(points, centres), expected)
