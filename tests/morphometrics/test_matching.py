"""The same points on every specimen: maps whose truth is known, and input that has none."""

import json
import pickle
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from conftest import specimen
from hypothesis import given, settings
from hypothesis import strategies as st
from matched_molars import homologues
from scipy.spatial.transform import Rotation

from gplandmark import (
    Landmarks,
    MolarShape,
    ScanError,
    SettingsError,
    Surface,
    carry_landmarks,
    extend_sample,
    make_molar,
    match_pair,
    match_sample,
    read,
)
from gplandmark.mesh import surface_area
from gplandmark.mesh.synthetic import ellipsoid, sphere, torus
from gplandmark.morphometrics.matching.carry import PairMap
from gplandmark.morphometrics.matching.deformation import fit_deformation
from gplandmark.morphometrics.matching.expected_error import (
    confidence,
    expected_square,
    plausibility,
    stretches,
)
from gplandmark.morphometrics.matching.mirror_images import align_surfaces, asymmetry
from gplandmark.morphometrics.matching.pose_search import Alignment
from gplandmark.morphometrics.matching.registration import Pose
from gplandmark.morphometrics.matching.sample_graph import (
    agreement,
    compared_pairs,
    majority_poses,
    poses_along_tree,
    shortest_route,
    signature,
)
from gplandmark.morphometrics.matching.sampling import sample_surface
from gplandmark.morphometrics.matching.surface_map import SurfaceMap, fit_both_ways, remarks_on
from gplandmark.runs.matched.membership import open_sample

PLACES = np.array([[0.36, 0.36], [0.3, -0.38], [-0.3, 0.0], [0.0, 0.7], [0.1, -0.8], [0.0, 0.0]])


@cache
def molar(seed, variation=0.04):
    return make_molar(seed, vertex_count=1500, shape=MolarShape(variation=variation))


@cache
def sampled(seed, variation=0.04):
    return sample_surface(molar(seed, variation).surface)


@cache
def family():
    return match_sample([molar(seed).surface for seed in range(3)])


@pytest.fixture(scope="module")
def sample(matched_molars):
    return open_sample(matched_molars / "out")


def aligned(source, target):
    larger = max(asymmetry(source.levels), asymmetry(target.levels))
    return align_surfaces((source.levels, target.levels, larger))


def mapped(source, target):
    """`match_pair` of surfaces that are already sampled."""
    found = aligned(source, target)
    both = fit_both_ways((source.levels, target.levels, found.pose))
    return SurfaceMap(PairMap(source, target, *both), found)


def error(found, truth, surface):
    return np.linalg.norm(found - truth, axis=1).mean() / np.sqrt(surface_area(surface))


def half(surface):
    """The part of a surface on one side of its middle."""
    inside = surface.points[:, 0] > np.median(surface.points[:, 0])
    triangles = surface.faces()[inside[surface.faces()].all(axis=1)]
    used, numbered = np.unique(triangles, return_inverse=True)
    return Surface(surface.points[used], numbered.reshape(-1, 3), "half a molar")


def test_a_specimen_is_mapped_to_itself():
    surface = molar(0).surface
    found = mapped(sampled(0), sampled(0))
    points = molar(0).at(PLACES)
    carried = found.carry(points)
    assert error(carried.points, points, surface) < 0.005
    assert carried.confidence.min() > 0.8
    assert not found.reflects
    assert found.remarks == ()


@pytest.mark.slow
@settings(max_examples=4)
@given(st.integers(0, 10**6), st.booleans(), st.floats(-3, 3))
def test_pose_unit_numbering_and_side_change_nothing(seed, reflected, exponent):
    random = np.random.default_rng(seed)
    turn = Rotation.random(None, np.random.default_rng(seed)).as_matrix() @ np.diag(
        [1, 1, -1 if reflected else 1]
    )
    shift, scale = 100 * random.standard_normal(3), 10.0**exponent
    surface = molar(0).surface
    order = random.permutation(surface.vertex_count)
    moved = Surface(
        (scale * surface.points @ turn + shift)[order], np.argsort(order)[surface.faces()], "moved"
    )
    found = mapped(sampled(0), sample_surface(moved))
    points = molar(0).at(PLACES)
    carried = found.carry(points)
    assert found.reflects == reflected
    assert any("mirror image" in text for text in found.remarks) == reflected
    assert error(carried.points, scale * points @ turn + shift, moved) < 0.006
    back = found.reversed().carry(carried.points)
    assert error(back.points, points, surface) < 0.01


@pytest.mark.parametrize(
    ("variation", "largest"), [(0.0, 0.01), pytest.param(0.04, 0.015, marks=pytest.mark.slow)]
)
def test_homologues_of_molars_are_found(variation, largest):
    # At 1,500 vertices the mesh itself is 0.5 % off the smooth crown.
    one, two = molar(1, variation), molar(2, variation)
    found = mapped(sampled(1, variation), sampled(2, variation))
    carried = found.carry(one.homologues(PLACES))
    assert error(carried.points, two.homologues(PLACES), two.surface) < largest
    assert carried.stretch.max() < 1.6


def test_the_cusps_of_the_type_have_the_cusps_as_homologues():
    assert np.allclose(molar(3).homologues(molar(0).plan.places), molar(3).cusps)
    rim = np.array([[1.0, 0.0], [0.0, -1.0]])
    assert np.allclose(molar(3).homologues(rim), molar(3).at(rim))


@pytest.mark.slow
@pytest.mark.parametrize(
    "shape", [sphere(3), ellipsoid(3), torus(48, 24)], ids=lambda s: s.surface.name
)
def test_a_symmetric_shape_is_called_ambiguous(shape):
    one = sample_surface(shape.surface)
    found = mapped(one, one)
    assert any("ambiguous" in text for text in found.remarks)
    assert found.carry(shape.surface.points[::50]).missing().all()


@pytest.mark.slow
@pytest.mark.parametrize(
    "other", [torus(48, 24).surface, half(molar(0).surface)], ids=lambda s: s.name
)
def test_unlike_anatomy_is_never_matched_with_confidence_as_if_both_were_whole(other):
    found = mapped(sampled(0), sample_surface(other))
    assert found.carry(molar(0).at(PLACES)).missing().all()
    assert found.remarks


def test_points_land_on_triangles_and_keep_their_number(sample):
    import igl

    found = SurfaceMap(sample.steps[0, 2], sample.alignments[0, 2])
    here, there = sample.specimens[0].surface, sample.specimens[2].surface
    middles = here.points[here.faces()[::100]].mean(axis=1)
    tips = homologues(0, PLACES)  # on the smooth crown, off the triangles
    for carried in (found.carry(middles), found.carry(tips, on_surface=True)):
        off = igl.point_mesh_squared_distance(carried.points, there.points, there.faces())[0]
        assert np.sqrt(off.max()) < 1e-9 * found.step.target.size
    assert carried.points.shape == (len(PLACES), 3)
    assert found.carry(np.zeros((0, 3))).points.shape == (0, 3)


@pytest.mark.parametrize("points", [np.zeros(3), np.zeros((2, 2)), [[np.nan, 0, 0]]])
def test_points_to_carry_must_be_points(sample, points):
    with pytest.raises(SettingsError, match="finite numbers"):
        sample.carry(points, 0, 1)


def test_a_bare_cloud_has_no_surface_to_match():
    with pytest.raises(ScanError, match="no triangles"):
        match_pair(Surface(molar(0).surface.points, name="cloud"), molar(0).surface)


def test_a_sample_carries_homologues_between_all(sample):
    for source in range(3):
        for target in range(3):
            carried = sample.carry(homologues(source, PLACES), source, target)
            there = sample.specimens[target].surface
            assert error(carried.points, homologues(target, PLACES), there) < 0.015
    assert sample.mirrored.tolist() == [False, True, False]
    assert len(sample.tree) == 2


@pytest.mark.slow
def test_the_same_sample_gives_the_same_maps_however_it_is_run():
    def run(function, jobs):
        function = pickle.loads(pickle.dumps(function))
        return [pickle.loads(pickle.dumps(function(pickle.loads(pickle.dumps(j))))) for j in jobs]

    again = match_sample([molar(seed).surface for seed in range(3)], run=run)
    points = molar(0).at(PLACES)
    for target in (1, 2):
        first, second = (each.carry(points, 0, target) for each in (family(), again))
        assert np.array_equal(first.points, second.points)
        assert np.array_equal(first.confidence, second.confidence)


@pytest.mark.slow
def test_a_specimen_that_is_added_moves_no_other():
    before = family()
    flipped = molar(3).surface.points * [1, -1, 1]
    after = extend_sample(before, Surface(flipped, molar(3).surface.triangles, "left molar"))
    points = molar(0).at(PLACES)
    for target in (1, 2):
        one, two = (each.carry(points, 0, target) for each in (before, after))
        assert np.array_equal(one.points, two.points)
        assert np.array_equal(one.confidence, two.confidence)
    assert len(after) == 4
    assert after.mirrored.tolist() == [False, False, False, True]
    carried = after.carry(molar(0).homologues(PLACES), 0, 3)
    assert error(carried.points, molar(3).homologues(PLACES) * [1, -1, 1], molar(3).surface) < 0.015


def test_one_specimen_stays_alone_and_says_so():
    alone = match_sample([molar(0).surface])
    assert "only one specimen" in alone.remarks[0]
    assert np.array_equal(alone.carry(PLACES[:, [0, 1, 1]], 0, 0).points, PLACES[:, [0, 1, 1]])


def test_no_specimen_and_no_such_reference_are_refused():
    with pytest.raises(SettingsError, match="no specimen"):
        match_sample([])
    with pytest.raises(SettingsError, match="numbered 0 to 0"):
        match_sample([molar(0).surface], reference=1)


def test_landmarks_are_carried_with_names_and_gaps(sample):
    points = homologues(0, PLACES)
    points[2] = np.nan
    given = Landmarks.at(points, "m0", labels=tuple("abcdef"))
    everywhere = carry_landmarks(sample, given, source=0, least=0.0)
    assert np.array_equal(everywhere[0].points, given.points, equal_nan=True)
    for landmarks in everywhere:
        told = json.loads(json.dumps(landmarks.record.as_dict()))
        assert told["request"]["matching"]["from"] == "m0"
        assert told["outcome"]["confidence"][2] is None
    for number in (1, 2):
        landmarks = everywhere[number]
        assert landmarks.labels == given.labels
        assert landmarks.missing.tolist() == [False, False, True, False, False, False]
        known = ~landmarks.missing
        truth = homologues(number, PLACES)[known]
        assert error(landmarks.points[known], truth, sample.specimens[number].surface) < 0.02
    nowhere = carry_landmarks(sample, given, source=0, least=1.01)
    assert nowhere[1].missing.all()


@pytest.mark.slow
def test_left_and_right_of_teeth_are_told_apart():
    folder = specimen("data/teeth")
    table = json.loads((folder / "landmarks.json").read_text())
    names = ("Q10", "Q02", "P30", "P31")
    surfaces = [read(folder / table[name]["file"]) for name in names]
    observed = [
        surface.points[surface.vertices_of(table[name]["vertex"][:16])]
        for name, surface in zip(names, surfaces, strict=True)
    ]
    sample = match_sample(surfaces)
    centred = [each - each.mean(axis=0) for each in observed]
    signs = [np.linalg.det(each.T @ centred[sample.reference]) < 0 for each in centred]
    assert sample.mirrored.tolist() == signs
    for k, surface in enumerate(surfaces):
        carried = sample.carry(observed[sample.reference], sample.reference, k)
        assert error(carried.points, observed[k], surface) < 0.05
        assert carried.confidence.mean() > 0.8


@pytest.mark.slow
def test_the_derivative_of_a_deformation_is_that_of_its_map(random):
    pose = aligned(sampled(0), sampled(1)).pose
    bent = fit_deformation(sampled(0).levels, sampled(1).levels, pose)
    points = sampled(0).levels[0].positions[:5]
    step = 1e-6
    for axis, offset in enumerate(step * np.eye(3)):
        slope = (bent.at(points + offset) - bent.at(points - offset)) / (2 * step)
        assert np.allclose(bent.with_jacobian(points)[1][:, :, axis], slope, atol=1e-7)
    far = points + 5.0
    assert np.allclose(bent.at(far), pose.at(far), atol=1e-3)


def test_stretching_and_folding_are_seen(random):
    turn = Rotation.random(None, np.random.default_rng(1)).as_matrix()
    normals = np.tile(turn[:, 2], (3, 1))
    # In the frame of the turn the surface is stretched by 4, by 1/5, and turned over.
    scales = ([4.0, 1.0, 1.0], [1.0, 0.2, 1.0], [1.0, 1.0, -1.0])
    jacobians = np.array([turn @ np.diag(each) @ turn.T for each in scales])
    assert np.allclose(stretches(jacobians, normals), [4.0, 5.0, 1.0])
    upright = np.array([jacobians[0], jacobians[1], np.diag([1.0, 1.0, 1.0])])
    landed = normals * np.array([1, 1, -1])[:, None]
    likely, _ = plausibility(upright, normals, landed[:, None], reflects=False)
    assert np.allclose(likely, [3 / 4, 3 / 5, 0.0])


def test_confidence_is_the_chance_to_be_near(random):
    square = np.array([1e-6, 0.005, 0.02])
    errors = random.standard_normal((100_000, 2)) * np.sqrt(square[1] / 2)
    assert np.mean(np.linalg.norm(errors, axis=1) < 0.1) == pytest.approx(
        confidence(square)[1], abs=0.01
    )
    assert (np.diff(confidence(square)) < 0).all()
    zero = np.zeros(1)
    assert confidence(expected_square(zero, zero, zero, 0.0, 0.0)) == 1.0


def pose_of(angle):
    return Pose(Rotation.from_euler("z", angle).as_matrix().T, np.array([angle, 0.0, 1.0]))


def test_poses_follow_the_tree_and_loops_are_checked():
    truth = [pose_of(0.3 * k) for k in range(4)]
    pairs = {
        (i, j): Alignment(truth[i].then(truth[j].inverse()), 0.05, 0.2, 0.2)
        for i in range(4)
        for j in range(i + 1, 4)
    }
    poses = poses_along_tree([(0, 1), (1, 2), (2, 3)], pairs, 4, 0)
    for found, pose in zip(poses, truth, strict=True):
        wanted = pose.then(truth[0].inverse())
        assert np.allclose(found.rotation, wanted.rotation)
        assert np.allclose(found.shift, wanted.shift)
    assert agreement(poses, pairs, [3]) > 0.99
    wrong = Alignment(Pose(-np.eye(3), np.zeros(3)), 0.05, 0.2, 0.2)
    assert agreement(poses, {**pairs, (0, 3): wrong, (1, 3): wrong}, [3]) == pytest.approx(
        1 / 3, abs=0.01
    )
    doubtful = Alignment(pairs[2, 3].pose, 0.05, 0.05, 0.2)
    assert agreement(poses, {(2, 3): doubtful}, [3]) == 0.0


def test_a_specimen_that_is_outvoted_takes_the_pose_of_the_majority():
    truth = [pose_of(0.3 * k) for k in range(5)]
    pairs = {
        (i, j): Alignment(truth[i].then(truth[j].inverse()), 0.05, 0.2, 0.2)
        for i in range(5)
        for j in range(i + 1, 5)
    }
    mirror = Pose(np.diag([1.0, 1.0, -1.0]), np.zeros(3))
    pairs[3, 4] = Alignment(mirror, 0.01, 0.2, 0.2)  # the most similar, and wrong
    chained = poses_along_tree([(0, 1), (1, 2), (2, 3), (3, 4)], pairs, 5, 0)
    assert chained[4].reflects
    poses = majority_poses(chained, pairs, [1, 2, 3, 4])
    for found, pose in zip(poses, truth, strict=True):
        assert np.allclose(found.rotation, pose.then(truth[0].inverse()).rotation)
    assert agreement(poses, pairs, [4]) == pytest.approx(0.75, abs=0.01)


def test_ways_prefer_many_small_steps_to_a_large_one():
    costs = {(0, 1): 1.0, (1, 2): 1.0, (0, 2): 1.5}
    assert shortest_route(costs, 3, 0, 2) == [0, 1, 2]
    assert shortest_route({**costs, (0, 2): 1.4}, 3, 2, 0) == [2, 0]
    assert shortest_route({(0, 1): 1.0}, 3, 0, 2) == []


def test_large_samples_compare_likely_pairs_and_stay_together(random):
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    # Two crowds far apart: neighbours alone would not join them.
    signatures = [*random.standard_normal((30, 4)), *(random.standard_normal((30, 4)) + 50)]
    pairs = np.array(compared_pairs(signatures, neighbours=5))
    assert len(pairs) < 60 * 5 + 60
    assert (pairs[:, 0] < pairs[:, 1]).all()
    graph = csr_matrix((np.ones(len(pairs)), pairs.T), shape=(60, 60))
    assert connected_components(graph)[0] == 1
    assert len(compared_pairs(signatures[:6])) == 15


def test_a_signature_belongs_to_the_shape_and_not_to_its_pose():
    turn = Rotation.random(None, np.random.default_rng(3)).as_matrix() @ np.diag([1, -1, 1])
    surface = molar(0).surface
    moved = sample_surface(Surface(7 * surface.points @ turn - 30, surface.triangles))
    same = np.abs(signature(moved.levels) - signature(sampled(0).levels)).max()
    other = np.abs(signature(sampled(2, 0.3).levels) - signature(sampled(0).levels)).max()
    assert same < 0.2 * other


def lopsided(seed):
    """A closed surface with one plane of symmetry and nothing else, bent a little at random."""
    directions = sphere(4).surface
    x, y, z = directions.points.T
    radii = 1 + 0.3 * x + 0.25 * x * z + 0.3 * z**3 + 0.2 * np.cos(3 * x) * y**2
    points = directions.points * radii[:, None] * [1.6, 1.0, 0.8]
    random = np.random.default_rng(seed)
    waves, sizes = random.normal(size=(4, 3)), random.normal(size=(4, 3)) * 0.02
    return Surface(points + np.sin(points @ waves.T) @ sizes, directions.faces(), f"skull {seed}")


@pytest.mark.slow
def test_who_is_never_mirrored_needs_no_sides():
    one, two = lopsided(0), lopsided(1)
    sure = match_pair(one, two, reflections=False)
    assert not sure.reflects
    assert sure.alignment.mirrored == np.inf
    assert sure.alignment.certainty > 0.9
    carried = sure.carry(one.points[::20])
    assert not carried.missing().any()
    assert error(carried.points, two.points[::20], two) < 0.02
    # Who could be mirror images, and fit as well as such, is in doubt.
    here, there = sure.step.source.levels, sure.step.target.levels
    doubtful = align_surfaces((here, there, np.inf))
    assert doubtful.mirrored < 1.2 * doubtful.distance
    assert doubtful.certainty < 0.5
    assert any("--never-mirrored" in remark for remark in remarks_on("one", "two", doubtful))


@pytest.mark.slow
def test_without_reflections_a_mirror_image_is_not_found():
    mirror = np.array([-1.0, 1.0, 1.0])
    here = molar(0).surface
    there = Surface(here.points * mirror, here.faces()[:, ::-1], "mirrored")
    assert match_pair(here, there).reflects
    assert not match_pair(here, there, reflections=False).reflects


@cache
def ring():
    """Three molars with a map between every two, so that two ways lead from each to the others."""
    sample = family()
    steps = dict(sample.steps)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        if (i, j) not in steps:
            ends = sample.specimens[i], sample.specimens[j]
            pose = sample.poses[i].then(sample.poses[j].inverse())
            steps[i, j] = PairMap(*ends, *fit_both_ways((*(each.levels for each in ends), pose)))
    return replace(sample, steps=steps)


@pytest.mark.slow
@pytest.mark.parametrize("ends", [(0, 1), (2, 0)])
def test_another_way_shares_no_map_and_both_are_combined(ends):
    sample = ring()
    route = sample.route(*ends)
    first, second = (
        [frozenset((step.source.name, step.target.name)) for step in chain.steps]
        for chain in route.chains
    )
    assert not set(first) & set(second)
    number = {each.name: k for k, each in enumerate(sample.specimens)}
    costs = [
        sum(sample.distances[tuple(number[name] for name in pair)] ** 2 for pair in way)
        for way in (first, second)
    ]
    assert costs[0] <= costs[1]
    points = route.start.surface.points[::20]
    both = route.carry(points)
    one = replace(route, chains=route.chains[:1]).carry(points)
    size = route.end.size
    assert 0 < np.linalg.norm(both.points - one.points, axis=1).mean() < 0.005 * size
    # Each way is one estimate more, and where they differ the spread tells it.
    found, alone = (
        replace(route, chains=chains).estimate(points).found
        for chains in (route.chains, route.chains[:1])
    )
    assert len(found.each) == len(alone.each) + 1
    np.testing.assert_array_equal(found.each[0], alone.each[0])
    assert np.linalg.norm(found.each[1] - found.each[0], axis=1).mean() > 1e-3
    assert both.spread.mean() > one.spread.mean()


def test_a_route_begins_and_ends_where_it_is_asked_to(sample):
    alone = sample.route(1, 1)
    assert alone.chains == ()
    assert alone.over == ()
    assert not alone.mirrored
    for i, j in sample.steps:
        (chain,) = sample.route(j, i).chains[:1]
        assert sample.route(j, i).over == tuple(step.target.name for step in chain.steps[:-1])
        assert chain.steps[0].source is sample.specimens[j]
        assert chain.steps[-1].target is sample.specimens[i]
