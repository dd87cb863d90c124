"""Experts' landmarks on other specimens: laws of the fusion, and molars of a known truth."""

from dataclasses import replace
from functools import cache
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matched_molars import KEYS, homologues

from gplandmark import (
    AnalysisError,
    GplandmarkWarning,
    LandmarkFileError,
    Landmarks,
    MolarShape,
    SettingsError,
    make_molar,
    predict,
    suggest,
)
from gplandmark.mesh.synthetic import sphere
from gplandmark.morphometrics.matching.build_sample import align_prepared
from gplandmark.morphometrics.matching.points import nearest_on_surface
from gplandmark.morphometrics.matching.sampling import sample_surface
from gplandmark.morphometrics.prediction.carried_experts import KINDS, TargetEstimates
from gplandmark.morphometrics.prediction.doubtful import (
    describe_doubtful,
    describe_far,
    doubtful_landmarks,
    far_specimens,
)
from gplandmark.morphometrics.prediction.fusion import fuse, kriging_weights
from gplandmark.morphometrics.prediction.learning import Learned, learn, offset
from gplandmark.runs.matched.membership import open_sample

PLACES = np.array(
    [[0.36, 0.36], [0.3, -0.38], [-0.3, 0.0], [0.0, 0.7], [0.1, -0.8], [0.0, 0.0], [-0.5, 0.4]]
)


# --- kriging over specimens


def naive_weights(distances, between, noise):
    """Ordinary kriging of one landmark, by its bordered system."""
    count = len(distances)
    system = np.ones((count + 1, count + 1))
    system[:count, :count] = np.exp(-between) + np.diag(noise)
    system[count, count] = 0
    return np.linalg.solve(system, np.append(np.exp(-distances), 1))[:count]


def specimens_in_space(random, count):
    places = random.normal(size=(count + 1, 3))
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    return apart[0, 1:], apart[1:, 1:]


@given(st.integers(0, 10**6), st.integers(1, 8))
@settings(max_examples=40)
def test_weights_solve_the_kriging_system_and_are_never_negative(seed, count):
    random = np.random.default_rng(seed)
    distances, between = specimens_in_space(random, count)
    noise = random.uniform(0.05, 5, size=(count, 2))
    weights = kriging_weights(distances, between, noise)
    assert (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(axis=0), 1)
    for column in range(2):
        naive = naive_weights(distances, between, noise[:, column])
        if (naive >= 0).all():
            np.testing.assert_allclose(weights[:, column], naive, atol=1e-9)


def test_noise_decides_between_the_nearest_specimen_and_all_alike(random):
    distances, between = specimens_in_space(random, 5)
    nearest = distances.argmin()
    distances[nearest], between[nearest], between[:, nearest] = 0, distances, distances
    between[nearest, nearest] = 0
    little = kriging_weights(distances, between, np.full((5, 1), 1e-9))
    assert little[nearest, 0] > 0.999
    much = kriging_weights(distances, between, np.full((5, 1), 1e6))
    np.testing.assert_allclose(much, 0.2, atol=1e-4)


def test_an_expert_without_the_landmark_changes_nothing(random):
    distances, between = specimens_in_space(random, 4)
    noise = np.full((4, 1), 0.5)
    noise[2] = np.inf
    weights = kriging_weights(distances, between, noise)
    rest = [0, 1, 3]
    fewer = kriging_weights(distances[rest], between[np.ix_(rest, rest)], noise[rest])
    assert weights[2] == 0
    np.testing.assert_allclose(weights[rest], fewer)


# --- fusion and learning


def estimates_of(points, *, experts=None, distances=None):
    """Estimates of one target: points (e, k, m, 3), of equal variance, in unturned frames."""
    count, _, landmarks = points.shape[:3]
    far = np.ones(count) if distances is None else distances
    return TargetEstimates(
        np.arange(count) if experts is None else experts,
        points,
        np.where(np.isnan(points[:, 0, :, 0]), np.nan, 0.01),
        np.ones((count, landmarks)),
        np.tile(np.eye(3), (count, landmarks, 1, 1)),
        np.zeros(landmarks, dtype=bool),
        np.zeros(landmarks, dtype=bool),
        far,
        np.where(np.eye(count, dtype=bool), 0.0, 1.0),
    )


def around(random, count, landmarks=4, scatter=0.01):
    truth = random.normal(size=(landmarks, 3))
    noise = scatter * random.normal(size=(count, 1, landmarks, 3))
    return truth, np.repeat(truth + noise, KINDS, axis=1)


def test_one_bad_expert_harms_little(random):
    truth, points = around(random, 6)
    good = fuse(estimates_of(points), 1.0, 1.0, 1.0).points[0]
    points[3] += 5.0
    bad = fuse(estimates_of(points), 1.0, 1.0, 1.0).points[0]
    assert np.linalg.norm(bad - good, axis=1).max() < 0.02
    assert np.linalg.norm(points[:, 0].mean(axis=0) - truth, axis=1).min() > 1


def test_estimates_with_a_large_expected_error_weigh_less(random):
    _, points = around(random, 5, scatter=0.0)
    equal = estimates_of(points)
    weights = fuse(equal, 1.0, 1.0, 1.0).weights
    np.testing.assert_allclose(weights, 1 / 5)
    variance = equal.variance.copy()
    variance[2, 1] *= 4
    doubted = fuse(replace(equal, variance=variance), 1.0, 1.0, 1.0).weights
    assert doubted[2, 1] < weights[2, 1] / 2
    np.testing.assert_allclose(np.delete(doubted, 1, axis=1), 1 / 5)
    scaled = fuse(replace(equal, variance=9 * variance), 1.0, 1.0, 1.0).weights
    np.testing.assert_allclose(scaled, doubted)  # only their ratios count


def test_fusion_moves_with_its_points(random):
    _, points = around(random, 5)
    shift = np.array([3.0, -7.0, 11.0])
    one = fuse(estimates_of(points), 1.0, 1.0, 1.0)
    two = fuse(estimates_of(points + shift), 1.0, 1.0, 1.0)
    np.testing.assert_allclose(two.points, one.points + shift, atol=1e-9)
    np.testing.assert_allclose(two.weights, one.weights, atol=1e-7)
    np.testing.assert_allclose(two.spread, one.spread)


def test_a_landmark_that_no_expert_has_is_unknown(random):
    _, points = around(random, 3)
    points[:, :, 1] = np.nan
    found = fuse(estimates_of(points), 1.0, 1.0, 1.0)
    assert np.isnan(found.points[:, 1]).all()
    assert np.isfinite(found.points[:, [0, 2, 3]]).all()


def taught(random, errors):
    """Learning from experts whose k kinds of estimates have errors (e, e, k, m, 3)."""
    count, landmarks = errors.shape[0], errors.shape[3]
    truth = random.normal(size=(count, landmarks, 3))
    targets = []
    for target in range(count):
        points = truth[target] + errors[:, target]
        points[target] = np.nan
        targets.append(estimates_of(points))
    return learn(targets, truth, np.ones(count), 1.0)


def test_the_kind_of_estimate_that_is_right_is_used_for_its_landmark(random):
    errors = 0.05 * random.normal(size=(8, 8, KINDS, 3, 3))
    errors[:, :, 2, 1] = 0
    errors[:, :, 4, 2] = 0
    found = taught(random, errors)
    np.testing.assert_allclose(found.mixture.sum(axis=1), 1)
    assert (found.mixture >= 0).all()
    assert found.mixture[1].argmax() == 2
    assert found.mixture[2].argmax() == 4


def test_what_few_experts_teach_is_close_to_the_defaults(random):
    errors = 0.05 * random.normal(size=(2, 2, 1, 3, 3)) * np.ones((1, 1, KINDS, 1, 1))
    found = taught(random, errors)
    assert found.noise == pytest.approx(1.0, rel=0.5)
    np.testing.assert_allclose(found.mixture[:, 0], 1, atol=0.05)


def test_difficult_landmarks_have_larger_factors(random):
    errors = random.normal(size=(8, 8, 1, 3, 3)) * np.ones((1, 1, KINDS, 1, 1))
    errors *= np.array([0.01, 0.05, 0.2])[:, None]
    factors = taught(random, errors).factors
    assert (np.diff(factors) > 0).all()


def test_a_common_residual_becomes_an_offset_shrunk_by_the_number_of_experts(random):
    _, points = around(random, 5)
    habit = np.array([0.1, -0.2, 0.05])
    learned = replace(Learned.default(np.zeros((5, 4, 3))), residuals=np.tile(habit, (5, 4, 1)))
    target = estimates_of(points)
    fusion = fuse(target, 1.0, 1.0, 1.0)
    found = offset(learned, target, fusion, np.full(5, 2.0))
    np.testing.assert_allclose(found, np.tile(2 * habit * 5 / 15, (4, 1)))


def test_exchanged_and_misplaced_landmarks_are_named(random):
    predicted = random.normal(size=(4, 5, 3))
    truth = predicted + 0.001
    truth[1, [0, 3]] = truth[1, [3, 0]]
    truth[1, 4] += 1.0
    found = doubtful_landmarks(truth, predicted, np.full((4, 5), 0.01))
    assert np.argwhere(found).tolist() == [[1, 0], [1, 3], [1, 4]]
    notes = describe_doubtful("b", list("ABCDE"), truth[1], predicted[1], found[1])
    assert notes[0].startswith("b: landmarks A and D seem to be exchanged")
    assert notes[1].startswith("b: landmark E lies 1.7")
    assert len(notes) == 2


def test_of_two_experts_that_disagree_none_is_blamed(random):
    predicted = random.normal(size=(2, 3, 3))
    assert not doubtful_landmarks(predicted + 1, predicted, np.full((2, 3), 0.01)).any()


@pytest.mark.parametrize(
    ("errors", "far"),
    [
        ([0.316, 0.08, 0.07, 0.06], [0]),
        ([0.10, 0.05, 0.05, 0.05], []),
        ([0.05, 0.08, 0.11, 0.06, 0.09], []),
        ([0.05, np.nan, 0.9, 0.06, 0.09, 0.8, 0.05, 0.06, 0.07], [2, 5]),
        ([0.08, 0.25, 0.07], [1]),
        ([0.08, 0.20, 0.07], []),
        ([np.nan, 0.9, 0.07], []),
        ([0.9, 0.07], []),
        ([np.nan] * 4, []),
        ([0.0, 0.0, 0.0], []),
    ],
)
def test_specimens_far_from_where_all_others_put_their_landmarks(errors, far):
    assert np.flatnonzero(far_specimens(np.array(errors))).tolist() == far


def test_a_far_specimen_is_named_with_errors_in_its_own_unit():
    errors = np.array([0.316, 80.0, 0.07, 0.06])
    notes = describe_far(("a", "b", "c", "d"), errors, np.array([1.0, 1000.0, 1.0, 1.0]))
    assert notes == [
        "a: its landmarks are 0.316 file units from where the others put them, the others 0.08 at "
        "most. Check that the file belongs to this specimen."
    ]
    assert describe_far(("a", "b"), np.full(2, np.nan), np.ones(2)) == []


# --- molars whose truth is known


@cache
def molars():
    shape = MolarShape(variation=0.05)
    return [make_molar(seed, vertex_count=1500, shape=shape) for seed in range(6)]


@cache
def sample():
    named = [replace(each.surface, name=f"molar{number}") for number, each in enumerate(molars())]
    return align_prepared([sample_surface(each) for each in named], reflections=False)


@cache
def truth(number):
    specimen = sample().specimens[number]
    places = specimen.in_unit(molars()[number].homologues(PLACES))
    return specimen.in_file(nearest_on_surface(specimen, places))


def expert(number, points=None, labels=()):
    return Landmarks.at(
        truth(number) if points is None else points, f"molar{number}", labels=labels
    )


def experts_of(numbers):
    return {f"molar{number}": expert(number) for number in numbers}


@cache
def predicted():
    return predict(sample(), experts_of((0, 1, 2, 3)))


@pytest.fixture(scope="module")
def matched(matched_molars):
    return open_sample(matched_molars / "out")


def annotated(number, places=PLACES):
    """What an expert put on one of the matched molars."""
    return Landmarks.at(homologues(number, places), KEYS[number])


def errors_of(found, number):
    return np.linalg.norm(found.points[number] - truth(number), axis=1)


@pytest.mark.slow
def test_landmarks_are_predicted_and_the_experts_own_stay_as_they_are():
    found = predicted()
    for number in range(4):
        np.testing.assert_array_equal(found.points[number], truth(number))
        np.testing.assert_array_equal(found.landmarks(number).points, truth(number))
        assert found.landmarks(number).record.outcome["expert"]
    size = sample().specimens[4].size
    for number in (4, 5):
        assert errors_of(found, number).mean() < 0.01 * size
        on_surface = nearest_on_surface(
            sample().specimens[number], sample().specimens[number].in_unit(found.points[number])
        )
        np.testing.assert_allclose(
            sample().specimens[number].in_file(on_surface), found.points[number], atol=1e-9 * size
        )
        assert (errors_of(found, number) < found.radius[number]).mean() > 0.8
        assert (found.confidence[number] > 0.9).all()
    assert found.notes == ()


@pytest.mark.slow
def test_errors_of_experts_are_those_of_leaving_each_out():
    found = predicted()
    given = np.array([truth(number) for number in range(4)])
    np.testing.assert_allclose(found.errors, np.linalg.norm(found.left_out - given, axis=2))
    assert 0 < found.errors.mean() < 0.02 * sample().specimens[0].size


@pytest.mark.slow
def test_several_experts_are_better_than_one_alone():
    alone = [predict(sample(), experts_of((number,))) for number in (0, 1)]
    both = predict(sample(), experts_of((0, 1)))
    single = [np.mean([errors_of(found, number) for number in (4, 5)]) for found in alone]
    assert np.mean([errors_of(both, number) for number in (4, 5)]) <= min(single) * 1.05


def test_one_expert_alone_is_the_map_and_the_note_asks_for_more(matched):
    found = predict(matched, {"m0": annotated(0)})
    route = found.sample.direct_route(0, 2)
    carried = route.estimate(homologues(0, PLACES), radii=(0.02, 0.045, 0.09)).combined()
    np.testing.assert_allclose(found.points[2], carried.points, atol=1e-9 * route.end.size)
    assert "Only m0 is annotated" in found.notes[0]
    assert np.isnan(found.errors).all()


def test_maps_of_a_matched_sample_are_kept(matched):
    found = predict(matched, {"m0": annotated(0)})
    for pair, step in matched.steps.items():
        assert found.sample.steps[pair] is step


@pytest.mark.slow
def test_a_landmark_that_some_experts_lack_is_predicted_and_one_that_all_lack_is_missing():
    sets = experts_of((0, 1, 2))
    for name, each in sets.items():
        points = each.points.copy()
        points[2] = np.nan
        if name == "molar1":
            points[4] = np.nan
        sets[name] = replace(each, points=points)
    with pytest.warns(GplandmarkWarning, match="left out: landmark 3"):
        found = predict(sample(), sets)
    assert found.points.shape[1] == len(PLACES) - 1  # one that nobody has is no landmark
    assert np.isfinite(found.points[4]).all()
    assert np.isnan(found.landmarks(1).points[3]).all()


@pytest.mark.slow
def test_exchanged_landmarks_of_an_expert_are_found_and_not_used():
    wrong = truth(2)[[1, 0, 2, 3, 4, 5, 6]]
    sets = {**experts_of((0, 1, 3)), "molar2": expert(2, wrong)}
    found = predict(sample(), sets)
    assert any("molar2: landmarks 1 and 2 seem to be exchanged" in note for note in found.notes)
    np.testing.assert_array_equal(found.points[2], wrong)
    clean = predicted()
    for number in (4, 5):
        moved = np.linalg.norm(found.points[number] - clean.points[number], axis=1)
        assert moved.max() < 0.02 * sample().specimens[number].size


@pytest.mark.slow
def test_experts_for_all_specimens_leave_only_their_own_errors():
    found = predict(sample(), experts_of(range(6)))
    assert "All specimens are annotated" in found.notes[-1]
    assert np.isfinite(found.errors).all()


@pytest.mark.parametrize(
    ("sets", "words"),
    [
        (dict, "at least 1 specimen"),
        (lambda: {"stranger": annotated(0)}, "The names must be the same"),
        (lambda: {"m0": annotated(0), "m1": annotated(1, PLACES[:3])}, "m1"),
    ],
)
def test_experts_that_do_not_fit_are_refused(matched, sets, words):
    with pytest.raises(AnalysisError, match=words):
        predict(matched, sets())


def test_landmarks_in_other_units_are_refused(matched):
    large = Landmarks.at(10 * homologues(1, PLACES), "m1")
    with pytest.raises(LandmarkFileError, match="m1"):
        predict(matched, {"m0": annotated(0), "m1": large})


@pytest.mark.slow
def test_the_result_does_not_depend_on_where_jobs_run():
    calls = []

    def run(function, jobs):
        calls.append(function.__name__)
        return [function(job) for job in reversed(jobs)][::-1]

    found = predict(sample(), experts_of((0, 1, 2, 3)), run=run)
    np.testing.assert_array_equal(found.points, predicted().points)
    assert calls == ["fit_both_ways", "carry_expert"]


@pytest.mark.slow
def test_only_the_most_similar_experts_are_used(monkeypatch):
    module = import_module("gplandmark.morphometrics.prediction.predict")
    monkeypatch.setattr(module, "MOST", 2)
    found = predict(sample(), experts_of((0, 1, 2, 3)))
    assert len(found.sample.steps) < len(predicted().sample.steps)
    assert errors_of(found, 4).mean() < 0.01 * sample().specimens[4].size


# --- what to annotate next


@pytest.fixture(scope="module")
def at_places(matched):
    """A function from places on a line to a sample of specimens that are so far apart."""
    one = sample_surface(sphere(2).surface)

    def made(places):
        names = (f"molar{number}" for number in range(len(places)))
        specimens = tuple(replace(one, surface=replace(one.surface, name=name)) for name in names)
        apart = np.abs(np.subtract.outer(places, places))
        return replace(matched, specimens=specimens, distances=apart)

    return made


@pytest.mark.parametrize("bad", [2.5, "x", None, [[1]], {"a": 1}, -1, 99])
def test_what_is_no_number_of_a_specimen_is_refused(at_places, bad):
    sample = at_places([0.0, 0.1, 0.2])
    with pytest.raises(SettingsError):
        suggest(sample, 1, annotated=[bad])
    with pytest.raises(SettingsError):
        sample.route(0, bad)
    with pytest.raises(SettingsError):
        suggest(sample, 1, annotated=bad)


@pytest.mark.parametrize("bad", [2.5, "x", None, ["a"], {"molar0": 3}])
def test_what_are_no_landmarks_is_refused(at_places, bad):
    with pytest.raises(SettingsError):
        predict(at_places([0.0, 0.1, 0.2]), bad)


def test_suggestions_cover_the_groups_and_never_repeat(at_places):
    found = suggest(at_places([0.0, 0.1, 0.2, 5.0, 5.1, 5.2]), 6)
    assert sorted(each.number // 3 for each in found[:2]) == [0, 1]
    assert sorted(each.number for each in found) == list(range(6))
    assert (np.diff([each.remaining for each in found]) < 0).all()
    assert found[0].name == f"molar{found[0].number}"


def test_an_outlier_is_not_suggested_first(at_places):
    found = suggest(at_places([0.0, 0.1, 0.2, 0.3, 0.4, 50.0]), 1)
    assert found[0].number == 2


def test_what_is_annotated_is_not_suggested_again(at_places):
    sample = at_places([0.0, 0.3, 0.1, 0.7, 0.2, 0.5])
    found = suggest(sample, 10, annotated=[0, 3])
    assert sorted(each.number for each in found) == [1, 2, 4, 5]
    with pytest.raises(SettingsError, match="At least 1"):
        suggest(sample, 0)
