"""Fragments: found in whole specimens, their landmarks carried, and what they lack said."""

from dataclasses import replace
from functools import cache
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import teeth
from scipy.spatial.transform import Rotation

from gplandmark import (
    Landmarks,
    MolarShape,
    Surface,
    carry_landmarks,
    extend_sample,
    make_molar,
    match_pair,
    match_sample,
    predict,
    read,
)
from gplandmark.mesh import surface_area
from gplandmark.mesh.synthetic import sphere
from gplandmark.morphometrics.matching import build_sample, surface_map
from gplandmark.morphometrics.matching.fragments import recognition, sample_fragments
from gplandmark.morphometrics.matching.fragments.fragment_bending import bent_distance
from gplandmark.morphometrics.matching.fragments.fragment_choice import best_pose, distinct_poses
from gplandmark.morphometrics.matching.fragments.fragment_map import presence
from gplandmark.morphometrics.matching.fragments.one_way_registration import STILL
from gplandmark.morphometrics.matching.fragments.open_border import (
    border_length,
    border_points,
    distance_from_border,
    is_there,
    outside_border,
)
from gplandmark.morphometrics.matching.fragments.pieces import large_pieces, same_piece
from gplandmark.morphometrics.matching.fragments.recognition import (
    OPEN,
    FragmentTask,
    lacking_share,
    may_be_broken,
)
from gplandmark.morphometrics.matching.pose_search import Alignment
from gplandmark.morphometrics.matching.registration import Pose
from gplandmark.morphometrics.matching.sampling import sample_surface

PLACES = np.array([[0.36, 0.36], [0.3, -0.38], [-0.3, 0.0], [0.0, 0.7], [0.1, -0.8], [-0.6, 0.1]])
TURN = Rotation.from_euler("xyz", [40, -70, 110], degrees=True).as_matrix()


@cache
def molar(seed):
    return make_molar(seed, vertex_count=1500, shape=MolarShape(variation=0.04))


def part(surface, kept, name="part"):
    """The triangles whose vertices are all kept, without the other vertices."""
    triangles = surface.faces()[kept[surface.faces()].all(axis=1)]
    used, numbered = np.unique(triangles, return_inverse=True)
    return Surface(surface.points[used], numbered.reshape(-1, 3), name)


def broken(seed, below=0.0):
    """A molar without everything on one side of a plane, turned and in another unit."""
    surface = molar(seed).surface
    left = part(surface, surface.points[:, 0] > below, "broken molar")
    return Surface(25 * left.points @ TURN, left.triangles, left.name)


@cache
def hemisphere():
    ball = sphere(3).surface
    return sample_surface(part(ball, ball.points[:, 2] > -1e-9, "hemisphere"))


def find_fragment(*given):
    return best_pose(*distinct_poses(*given))


@cache
def pair():
    return match_pair(molar(0).surface, broken(1))


def test_a_closed_surface_has_no_border():
    ball = sample_surface(sphere(3).surface)
    assert border_length(ball) == 0
    assert not may_be_broken(ball)
    assert len(border_points(ball)) == 0
    assert np.isinf(distance_from_border(ball, np.zeros((2, 3)))).all()
    assert is_there(ball, ball.levels[0].positions).all()


def test_the_border_of_a_hemisphere_is_its_equator():
    cap = hemisphere()
    radius = 1 / cap.size
    assert may_be_broken(cap)
    # It follows the edges of triangles, up and down.
    assert 1 < border_length(cap) / (2 * np.pi * radius) < 1.2
    border = cap.in_file(border_points(cap))
    assert np.abs(np.linalg.norm(border, axis=1) - 1).max() < 0.02
    assert np.abs(border[:, 2]).max() < 0.2


def test_points_beyond_the_border_are_not_there():
    cap = hemisphere()
    angles = np.radians([80, 45, 20, -10, -45])  # above and below the equator
    points = np.column_stack([np.cos(angles), 0 * angles, np.sin(angles)])
    outside, _ = outside_border(cap, cap.in_unit(points))
    assert (np.diff(outside) > 0).all()
    assert (outside[:3] < 0).all()
    assert (outside[3:] > 0).all()
    assert is_there(cap, cap.in_unit(points)).tolist() == [True, True, True, False, False]


def test_presence_is_certain_far_inside_and_even_at_the_border():
    cap = hemisphere()
    points = cap.in_unit(np.array([[0, 0, 1.0], [1, 0, 0.0], [0, 0, -1.0]]))
    gone, likely = presence(cap, points, np.full(3, 0.02**2))
    assert gone[2]
    assert not gone[0]
    assert likely[0] == pytest.approx(1.0)
    assert likely[2] == 0
    assert likely[1] < 0.7


def test_a_part_of_a_surface_is_found_in_it_with_its_scale():
    whole = sample_surface(molar(0).surface)
    fragment = sample_surface(broken(0))
    found = find_fragment(fragment, whole, (1,))
    scale = fragment.size / (25 * whole.size)
    assert found.pose.scale == pytest.approx(scale, rel=0.03)
    turned = Rotation.from_matrix(found.pose.rotation @ TURN)
    assert np.degrees(turned.magnitude()) < 3
    assert found.certainty > 0.9


@pytest.mark.slow
def test_landmarks_of_a_whole_specimen_are_carried_to_half_of_another():
    carried = pair().carry(molar(0).at(PLACES))
    truth = molar(1).at(PLACES)
    present = truth[:, 0] > 0.05
    absent = truth[:, 0] < -0.05
    errors = np.linalg.norm(carried.points / 25 @ TURN.T - truth, axis=1)
    assert errors[present].max() < 0.05 * np.sqrt(surface_area(molar(1).surface))
    assert carried.absent[absent].all()
    assert carried.missing()[absent].all()
    assert not carried.absent[present].any()
    assert not carried.missing()[present].any()


@pytest.mark.slow
def test_the_overlap_is_estimated_and_said():
    true = surface_area(broken(1)) / 25**2 / surface_area(molar(1).surface)
    assert pair().overlap == pytest.approx(true, abs=0.07)
    assert any("broken molar is a fragment" in remark for remark in pair().remarks)
    assert pair().step.target.size == pytest.approx(25 * pair().step.source.size, rel=0.1)


def lack(kept, seed=0):
    """What a part of a molar lacks of the entire one, in its true pose, as recognition sees it."""
    surface = molar(seed).surface
    whole, left = sample_surface(surface), sample_surface(part(surface, kept))
    shift = (left.centre - whole.centre) / whole.size
    pose = Pose(np.eye(3), shift, left.size / whole.size)
    return lacking_share(FragmentTask(left, whole, Alignment(pose, 0.01, np.inf, np.inf)))


@pytest.mark.slow
def test_a_break_is_no_border_at_another_height():
    points = molar(0).surface.points
    lowest = points[:, 2] < np.quantile(points[:, 2], 0.15)  # all around the crown
    beside = points[:, 0] < np.quantile(points[:, 0], 0.15)  # broken off
    assert border_length(sample_surface(molar(0).surface)) > OPEN
    assert lack(~lowest) < 1
    assert lack(~beside) > 1
    assert lack(points[:, 0] > -9) == 0


def turned(specimen, turn):
    """A sampled specimen in another pose, with the same points."""
    surface = specimen.surface
    return replace(
        specimen,
        surface=Surface(surface.points @ turn, surface.triangles, surface.name),
        centre=specimen.centre @ turn,
        levels=tuple(each.turned(turn) for each in specimen.levels),
    )


def test_what_is_found_does_not_depend_on_the_pose_in_the_file():
    whole, fragment = sample_surface(molar(0).surface), sample_surface(broken(1))
    found = find_fragment(fragment, whole, (1, -1))
    for angle in (1.0, 2.5):
        turn = Rotation.from_euler("y", angle).as_matrix()
        other = find_fragment(turned(fragment, turn), whole, (1, -1))
        # Rounding may end the registration a step earlier, at steps of less than STILL.
        np.testing.assert_allclose(turn @ other.pose.rotation, found.pose.rotation, atol=STILL)
        assert other.pose.scale == pytest.approx(found.pose.scale, rel=STILL)
        assert other.certainty == pytest.approx(found.certainty, rel=1e-3)


def test_the_right_pose_needs_the_least_bending():
    whole, fragment = sample_surface(molar(0).surface), sample_surface(broken(1))
    right = find_fragment(fragment, whole, (1,))
    assert right.distance == pytest.approx(bent_distance(fragment, whole, right.pose))
    for axis in np.eye(3):
        turn = Rotation.from_rotvec(np.pi * axis).as_matrix()
        other = Pose(right.pose.rotation @ turn, right.pose.shift, right.pose.scale)
        assert bent_distance(fragment, whole, other) > 1.3 * right.distance


def test_a_fragment_is_less_certain_than_a_whole_specimen_at_the_same_distances():
    whole = Alignment(Pose(np.eye(3), np.zeros(3)), 0.08, 0.085, np.inf)
    assert replace(whole, of_fragment=True).certainty < whole.certainty
    clear = replace(whole, of_fragment=True, turned=0.16)
    assert clear.certainty > 0.95


def test_of_two_that_seem_to_lack_a_part_the_surer_is_the_fragment(monkeypatch):
    pose = Pose(np.eye(3), np.zeros(3))
    doubtful, clear = (Alignment(pose, 0.02, turned, np.inf) for turned in (0.021, 0.2))
    one, two = FragmentTask(hemisphere(), hemisphere()), FragmentTask(hemisphere(), hemisphere())

    def chosen(first, second):
        asked = []
        found = {id(one): first, id(two): second}
        monkeypatch.setattr(
            surface_map, "recognise_fragment", lambda task: asked.append(task) or found[id(task)]
        )
        return *surface_map._surest_fragment(one, two), len(asked)

    assert chosen(doubtful, clear) == (two, clear, 2)
    assert chosen(doubtful, None) == (one, doubtful, 2)
    assert chosen(clear, doubtful) == (one, clear, 1)  # the other is not searched
    assert chosen(None, None)[1] is None


@pytest.mark.parametrize(("second", "expected"), [(0.081, 0.4), (0.2, 2.0)])
def test_a_fragment_lacks_a_part_in_every_pose_that_may_be_right(monkeypatch, second, expected):
    poses = [Pose(np.eye(3), np.zeros(3)), Pose(np.diag([1.0, -1.0, -1.0]), np.zeros(3))]
    lacks = dict(zip(map(id, poses), (2.0, 0.4), strict=True))
    monkeypatch.setattr(recognition, "_poses", lambda _: (poses, np.array([0.08, second])))
    monkeypatch.setattr(recognition, "_lacking", lambda _, pose: lacks[id(pose)])
    assert lacking_share(FragmentTask(hemisphere(), hemisphere())) == expected


def scaled(surface, factor):
    return Surface(factor * surface.points, surface.triangles, surface.name)


def test_a_known_scale_is_taken_for_the_search_and_may_vary_a_little():
    whole, fragment = sample_surface(molar(0).surface), sample_surface(broken(0))
    true = fragment.size / (25 * whole.size)
    found = find_fragment(fragment, whole, (1,), (), 1.15 * true)
    assert found.pose.scale == pytest.approx(true, rel=0.04)


@pytest.mark.slow
def test_landmarks_are_carried_to_a_fragment_of_the_same_scale():
    found = match_pair(molar(0).surface, scaled(broken(1), 1 / 25), same_scale=True)
    carried = found.carry(molar(0).at(PLACES))
    truth = molar(1).at(PLACES)
    present, absent = truth[:, 0] > 0.05, truth[:, 0] < -0.05
    errors = np.linalg.norm(carried.points @ TURN.T - truth, axis=1)
    assert errors[present].max() < 0.05 * np.sqrt(surface_area(molar(1).surface))
    assert carried.absent[absent].all()
    assert not carried.missing()[present].any()
    assert found.overlap == pytest.approx(pair().overlap, abs=0.03)


@pytest.mark.slow
def test_a_fragment_in_another_unit_has_no_landmarks_if_all_share_one():
    found = match_pair(molar(0).surface, broken(1), same_scale=True)
    assert found.carry(molar(0).at(PLACES)).missing().all()
    (remark,) = found.remarks
    assert "does not fit at the scale of molar-0" in remark
    assert "leave out --same-scale" in remark
    assert found.reversed().remarks == found.remarks
    sample = match_sample(
        [molar(0).surface, broken(4), molar(1).surface, molar(2).surface], same_scale=True
    )
    assert sample.same_scale
    assert sample.carry(molar(0).at(PLACES), 0, 1).missing().all()
    assert any("leave out --same-scale" in remark for remark in sample.remarks)
    assert not sample.carry(molar(0).at(PLACES), 0, 2).missing().any()


@pytest.mark.slow
def test_landmarks_of_a_fragment_are_carried_to_a_whole_specimen():
    whole, points = molar(1).surface, molar(0).at(PLACES)
    present = points[:, 0] > 0.05
    found = match_pair(broken(0), whole)
    carried = found.carry(25 * points[present] @ TURN)
    errors = np.linalg.norm(carried.points - molar(1).at(PLACES)[present], axis=1)
    assert errors.max() < 0.05 * np.sqrt(surface_area(whole))
    assert not carried.absent.any()


@pytest.mark.slow
def test_whole_specimens_are_not_taken_for_fragments():
    found = match_pair(molar(0).surface, molar(1).surface)
    assert found.overlap is None
    assert not found.carry(molar(0).at(PLACES)).absent.any()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::gplandmark.GplandmarkWarning")  # some have defects
def test_none_of_the_teeth_is_taken_for_a_fragment():
    if not teeth():
        pytest.skip("there are no specimens")
    sample = build_sample.align_prepared([sample_surface(read(path)) for path in teeth()])
    assert not any(each.is_fragment for each in sample.specimens)
    assert all(map(may_be_broken, sample.specimens))  # they have an open border


def test_others_are_asked_only_if_the_first_disagree(monkeypatch):
    """And the majority is that of all."""
    answers, asked = {}, []

    def run(_, tasks):
        asked.extend(tasks)
        return [answers[task] for task in tasks]

    monkeypatch.setattr(
        sample_fragments, "_most_similar", lambda _, number: [(number, k) for k in range(5)]
    )
    monkeypatch.setattr(sample_fragments, "_task", lambda _, number, other, k: (number, k))
    sample = SimpleNamespace(specimens=[hemisphere()] * 32)
    values = list(product([0.5, 2.0], repeat=5))
    answers = {(n, k): value for n, row in enumerate(values) for k, value in enumerate(row)}
    found = sample_fragments.find_fragments(sample, range(32), run=run)
    assert found == {n for n, row in enumerate(values) if np.median(row) > 1}
    assert len(asked) == len(set(asked)) == 3 * 32 + 2 * 24


@cache
def wholes():
    return match_sample([molar(seed).surface for seed in range(3)])


@cache
def with_a_fragment():
    """The same specimens with a fragment between them."""
    surfaces = [molar(seed).surface for seed in range(3)]
    return match_sample([surfaces[0], broken(4), *surfaces[1:]])


@pytest.mark.slow
def test_a_fragment_changes_no_whole_specimen_of_its_sample():
    alone, among, numbers = wholes(), with_a_fragment(), [0, 2, 3]
    assert [each.is_fragment for each in among.specimens] == [False, True, False, False]
    assert among.reference == numbers[alone.reference]
    points = molar(alone.reference).at(PLACES)
    for here, there in enumerate(numbers):
        before = alone.carry(points, alone.reference, here)
        after = among.carry(points, among.reference, there)
        np.testing.assert_array_equal(before.points, after.points)
        np.testing.assert_array_equal(before.confidence, after.confidence)


@pytest.mark.slow
@pytest.mark.parametrize("added", [False, True], ids=["together", "added later"])
def test_landmarks_of_the_reference_are_carried_to_a_fragment(added):
    sample = extend_sample(wholes(), broken(4)) if added else with_a_fragment()
    number = 3 if added else 1
    given = Landmarks.at(wholes_points(), "reference", labels=[*"abcdef"])
    found = carry_landmarks(sample, given)[number]
    truth = molar(4).at(PLACES)
    inside, outside = truth[:, 0] > 0.1, truth[:, 0] < -0.1
    errors = np.linalg.norm(found.points / 25 @ TURN.T - truth, axis=1)
    assert errors[inside].max() < 0.05 * np.sqrt(surface_area(molar(4).surface))
    assert found.missing[outside].all()
    listed = found.record.outcome["not_on_this_fragment"]
    assert set(np.array([*"abcdef"])[outside]) <= set(listed)
    assert found.record.outcome["share_of_whole"] == pytest.approx(0.5, abs=0.07)
    errors = dict(zip("abcdef", found.record.outcome["expected_error"], strict=True))
    assert {label for label, error in errors.items() if error is None} == set(listed)
    assert any("broken molar is a fragment" in remark for remark in sample.remarks)


def wholes_points():
    return molar(wholes().reference).at(PLACES)


@pytest.mark.slow
def test_a_fragment_is_the_reference_if_it_is_asked_for():
    surfaces = [broken(4), *(molar(seed).surface for seed in range(3))]
    sample = match_sample(surfaces, reference=0)
    truth = molar(4).at(PLACES)
    inside = truth[:, 0] > 0.1
    carried = sample.carry(25 * truth[inside] @ TURN, 0, 1)
    errors = np.linalg.norm(carried.points - molar(0).at(PLACES)[inside], axis=1)
    assert errors.max() < 0.05 * np.sqrt(surface_area(molar(0).surface))
    said = next(each for each in sample.remarks if "is a fragment" in each)
    assert said.endswith("All landmarks lie on this part.")  # as they are placed on it
    assert match_sample(surfaces[:1]).reference == 0  # there is nothing else


def test_a_sample_in_which_none_is_whole_says_so(monkeypatch):
    both = [hemisphere(), sample_surface(molar(0).surface)]
    monkeypatch.setattr(build_sample, "find_fragments", lambda *_, **__: {0, 1})
    sample = build_sample.align_prepared(both)
    assert sample.none_whole
    assert any("Add a whole specimen" in remark for remark in sample.remarks)
    monkeypatch.setattr(build_sample, "find_fragments", lambda *_, **__: set())
    assert not build_sample.align_prepared(both).none_whole


@pytest.mark.slow
def test_experts_landmarks_are_predicted_on_a_fragment():
    sample = with_a_fragment()
    names = [each.name for each in sample.specimens]
    experts = {
        names[number]: Landmarks.at(molar(seed).at(PLACES), names[number])
        for number, seed in ((0, 0), (2, 1), (3, 2))
    }
    predicted = predict(sample, experts)
    truth = molar(4).at(PLACES)
    inside, outside = truth[:, 0] > 0.1, truth[:, 0] < -0.1
    errors = np.linalg.norm(predicted.points[1] / 25 @ TURN.T - truth, axis=1)
    assert errors[inside].max() < 0.05 * np.sqrt(surface_area(molar(4).surface))
    assert predicted.absent[1, outside].all()
    assert not predicted.absent[1, inside].any()
    assert predicted.landmarks(1).missing[outside].all()
    assert len(predicted.landmarks(1).record.outcome["not_on_this_fragment"]) >= outside.sum()
    assert "share_of_whole" not in predicted.landmarks(0).record.outcome


def together(*surfaces, name="pieces"):
    """Several surfaces as one scan."""
    starts = np.cumsum([0, *(len(each.points) for each in surfaces)])
    triangles = [each.faces() + start for each, start in zip(surfaces, starts, strict=False)]
    return Surface(np.vstack([each.points for each in surfaces]), np.vstack(triangles), name)


MOVED = Rotation.from_euler("z", 40, degrees=True).as_matrix(), np.array([-0.2, 0.0, 0.0])


def in_two(seed, *, displaced=False):
    """A molar in two pieces with a gap between them, turned and in another unit."""
    surface = molar(seed).surface
    first = part(surface, surface.points[:, 0] > -0.025)
    second = part(surface, surface.points[:, 0] < -0.175)
    if displaced:
        second = Surface(second.points @ MOVED[0] + MOVED[1], second.triangles)
    scan = together(first, second)
    return Surface(25 * scan.points @ TURN, scan.triangles, scan.name)


def places_in_two(seed, *, displaced=False):
    """Where the landmarks of such a molar lie."""
    points = molar(seed).at(PLACES)
    if displaced:
        second = points[:, 0] < -0.1
        points[second] = points[second] @ MOVED[0] + MOVED[1]
    return 25 * points @ TURN


def test_only_large_pieces_count_and_the_largest_is_first():
    ball = sphere(2).surface
    moved = [Surface(k * ball.points + [5.0 * n, 0, 0], ball.triangles) for n, k in
             enumerate((0.6, 1.0, 0.2))]  # fmt: skip
    assert large_pieces(ball) == ()
    assert large_pieces(together(moved[1], moved[2])) == ()  # a loose bit
    first, second = large_pieces(together(*moved))
    np.testing.assert_array_equal(first.points, moved[1].points)
    np.testing.assert_array_equal(second.points, moved[0].points)
    fine = sphere(3).surface
    finer = together(*(Surface(k * fine.points + [5.0 * n, 0, 0], fine.triangles) for n, k in
                       enumerate((0.6, 1.0))))  # fmt: skip
    assert len(same_piece(finer, sample_surface(second)).points) == len(fine.points)
    assert same_piece(finer, sample_surface(second)).points[:, 0].max() < 1


@pytest.mark.slow
@pytest.mark.parametrize("displaced", [False, True])
def test_each_piece_of_a_specimen_is_found_in_a_whole_one(displaced):
    found = match_pair(molar(0).surface, in_two(1, displaced=displaced))
    assert len(found.maps) == 2
    carried, truth = found.carry(molar(0).at(PLACES)), places_in_two(1, displaced=displaced)
    length = 25 * np.sqrt(surface_area(molar(1).surface))
    assert np.linalg.norm(carried.points - truth, axis=1).max() < 0.06 * length
    assert not carried.absent.any()
    assert found.overlap == pytest.approx(0.96, abs=0.05)
    (remark,) = found.remarks
    assert "is in 2 pieces" in remark
    assert ("is not plausible" in remark) == displaced
    back = found.reversed()
    returned = back.carry(truth).points
    assert np.linalg.norm(returned - molar(0).at(PLACES), axis=1).max() < 0.06 * length / 25
    assert back.remarks == found.remarks


@pytest.mark.slow
def test_loose_bits_and_pieces_of_whole_specimens_change_nothing():
    first, second, bit = molar(0).surface, molar(1).surface, sphere(2).surface
    bits = [Surface(0.1 * bit.points + [0, 0, 2.0], bit.triangles) for _ in range(2)]
    found = match_pair(together(first, bits[0]), together(second, bits[1]))
    assert found.overlap is None
    assert len(found.maps) == 1
    far = [Surface(0.7 * bit.points + [0, 0, 2.5], bit.triangles) for _ in range(2)]
    both = [together(each, other) for each, other in zip((first, second), far, strict=True)]
    assert all(len(large_pieces(each)) == 2 for each in both)
    assert len(match_pair(*both).maps) == 1  # both consist of two


@pytest.mark.slow
def test_pieces_of_a_specimen_in_a_sample():
    surfaces = [molar(0).surface, in_two(4, displaced=True), molar(1).surface, molar(2).surface]
    sample, truth = match_sample(surfaces), places_in_two(4, displaced=True)
    assert [each.is_fragment for each in sample.specimens] == [False, True, False, False]
    assert any("is not plausible" in remark for remark in sample.remarks)
    given = Landmarks.at(molar((0, -1, 1, 2)[sample.reference]).at(PLACES), "reference")
    found = carry_landmarks(sample, given, least=0)[1]
    length = 25 * np.sqrt(surface_area(molar(4).surface))
    assert np.linalg.norm(found.points - truth, axis=1).max() < 0.06 * length
    outcome = found.record.outcome
    assert len(outcome["shares_of_pieces"]) == 2
    assert outcome["share_of_whole"] == pytest.approx(sum(outcome["shares_of_pieces"]), abs=0.01)
    assert "is in 2 pieces" in found.record.warnings[0]
    names = [each.name for each in sample.specimens]
    experts = {
        names[number]: Landmarks.at(molar(seed).at(PLACES), names[number])
        for number, seed in ((0, 0), (2, 1), (3, 2))
    }
    predicted = predict(sample, experts)
    assert np.linalg.norm(predicted.points[1] - truth, axis=1).max() < 0.06 * length
    assert "is in 2 pieces" in predicted.landmarks(1).record.warnings[0]
    annotated = {**experts, names[1]: Landmarks.at(truth, names[1])}
    again = predict(sample, annotated).landmarks(1)
    np.testing.assert_array_equal(again.points, truth)
