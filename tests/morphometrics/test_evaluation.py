"""How good a match is: errors that are known, sides, confidence, groups, and what is refused."""

import csv
import json
import warnings
from dataclasses import asdict, dataclass, replace
from functools import cache
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from commands import refused, run
from conftest import specimen
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from matched_molars import KEYS, homologues, molar
from scipy.spatial.transform import Rotation
from shape_samples import landmarks, sample

from gplandmark import (
    AnalysisError,
    GplandmarkError,
    GplandmarkWarning,
    Landmarks,
    Record,
    Surface,
    evaluate,
    match_sample,
    read,
    to_system,
    write_collection,
)
from gplandmark.morphometrics.analysis import (
    generalised_procrustes,
    mrpp,
    nearest_neighbour,
    procrustes_distances,
)
from gplandmark.morphometrics.evaluation.accuracy import (
    UNITS,
    accuracies,
    accuracy,
    calibration,
    centroid_sizes,
    mean_known,
    pair_accuracy,
)
from gplandmark.morphometrics.evaluation.evaluation import by_landmark
from gplandmark.morphometrics.evaluation.evaluation_summary import evaluation_summary
from gplandmark.morphometrics.evaluation.evaluation_tables import evaluation_files
from gplandmark.morphometrics.evaluation.observers import landmarks_by_specimen, specimen_keys
from gplandmark.morphometrics.evaluation.sides_and_groups import Sides, groupings, sides
from gplandmark.morphometrics.matching.carried_points import Carried
from gplandmark.morphometrics.matching.points import SampledSurface
from gplandmark.morphometrics.matching.sampling import sample_surface
from gplandmark.runs.joint_files import read_results
from gplandmark.runs.matched.membership import open_sample

PLACES = np.array(
    [[0.36, 0.36], [0.3, -0.38], [-0.3, 0.0], [0.0, 0.7], [0.1, -0.8], [0.0, 0.0], [-0.5, 0.5]]
)
LABELS = tuple(f"place {number}" for number in range(len(PLACES)))
MIRROR = np.diag([1.0, 1.0, -1.0])


def told(points, name, **details):
    return Landmarks.at(points, name, labels=LABELS, **details)


def observers():
    """Homologues of the matched molars by key."""
    return {key: told(homologues(number, PLACES), key) for number, key in enumerate(KEYS)}


GROUPS = {"m0": "one", "m1": "one", "m2": "two"}


@pytest.fixture(scope="module")
def matched(matched_molars):
    return matched_molars / "out"


@pytest.fixture(scope="module")
def evaluated(matched):
    return evaluate(open_sample(matched), observers(), GROUPS, matched=read_results(matched))


@dataclass(frozen=True)
class Arrived:
    """What is asked of carried points."""

    points: np.ndarray
    confidence: np.ndarray
    error: np.ndarray
    radius: np.ndarray


@dataclass(frozen=True)
class Shifted:
    """Maps of known error: every point comes out a known way off, with a known confidence.

    Expected errors and radii are in units of the target's sqrt(area).
    """

    specimens: tuple[SampledSurface, ...]
    offset: np.ndarray
    distances: np.ndarray
    mirrored: np.ndarray
    confidence: np.ndarray
    expected: np.ndarray
    radius: np.ndarray

    def carry(self, points, source, target):
        there = self.specimens[target].in_file(self.specimens[source].in_unit(points))
        size, ones = self.specimens[target].root_area, np.ones(len(points))
        there[:, 0] += self.offset[source, target] * size
        return Arrived(
            there,
            self.confidence[source, target] * ones,
            self.expected[source, target] * size * ones,
            self.radius[source, target] * size * ones,
        )


@cache
def copies():
    """One molar in three sizes, sampled."""
    first = molar(0).surface
    return tuple(
        sample_surface(Surface(scale * first.points, first.faces(), f"{scale}"))
        for scale in (1, 2, 5)
    )


def shifted(offset=0.0, confidence=1.0, mirrored=(False,) * 3, expected=0.0, radius=0.0):
    offset, confidence, expected, radius = (
        np.broadcast_to(each, (3, 3)) for each in (offset, confidence, expected, radius)
    )
    mirrored = np.array(mirrored)
    return Shifted(copies(), offset, 1 - np.eye(3), mirrored, confidence, expected, radius)


def on_copies(names=("1", "2", "5")):
    points = molar(0).homologues(PLACES)
    return {name: told(float(name.rpartition("/")[2]) * points, name) for name in names}


def quiet(function, *arguments, **details):
    """The result, and what was said on the way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = function(*arguments, **details)
    return found, [str(each.message) for each in caught]


# --- errors


def test_an_exact_map_has_no_error():
    found = evaluate(shifted(), on_copies())
    assert np.nanmax(found.errors) < 1e-12
    assert np.isnan(found.errors[np.eye(3, dtype=bool)]).all()
    assert found.pairs == found.all_pairs.pairs == 6
    assert found.near == found.all_pairs.near == 1
    assert found.notes == ()


def test_a_known_displacement_is_the_error_in_units_of_the_target():
    offset = np.arange(9).reshape(3, 3) / 20 + 0.01  # 0.06 to 0.36: none at a limit
    found = evaluate(shifted(offset), on_copies())
    other = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose(found.pair_errors[other], offset[other])
    assert found.all_pairs.mean == pytest.approx(offset[other].mean())
    assert found.all_pairs.worst == pytest.approx(0.36)
    assert found.all_pairs.near == pytest.approx(np.mean(offset[other] < 0.15))
    assert found.near == pytest.approx(np.mean(offset[other] < 0.1))
    assert found.worst_pairs(2) == ((2, 1), (2, 0))
    np.testing.assert_allclose(found.sizes, found.sizes[0] * np.array([1, 2, 5]))


def test_molars_are_matched_and_the_mirror_image_is_found(evaluated):
    found = evaluated
    assert found.names == KEYS
    assert found.all_pairs.mean < 0.02
    assert found.pair_errors[0, 1] < 0.006  # a specimen and its mirror image
    assert found.all_pairs.near == found.near == 1
    assert found.sides.agree.all()
    assert found.sides.certain.all()
    turned = found.sides.found != found.sides.found[0]
    assert turned.tolist() == [False, True, False]
    assert found.calibration.missing == 0
    assert found.calibration.within_radius > 0.5


def test_missing_landmarks_of_observers_are_left_out():
    given = on_copies()
    points = given["2"].points.copy()
    points[3] = np.nan
    found = evaluate(shifted(0.05), {**given, "2": told(points, "2")})
    gone = np.isnan(found.errors[:, :, 3])
    assert gone.tolist() == [[True, True, False], [True, True, True], [False, True, True]]
    assert found.all_pairs.mean == pytest.approx(0.05)
    assert found.pairs == 6


def test_landmarks_in_another_order_are_sorted_and_those_in_ras_are_turned():
    given = on_copies()
    turned = replace(to_system(replace(given["2"], system="LPS"), "RAS"))
    order = np.arange(len(PLACES))[::-1]
    labels = tuple(LABELS[k] for k in order)
    backwards = Landmarks.at(given["5"].points[order], "5", labels=labels)
    found, said = quiet(evaluate, shifted(), {**given, "2": turned, "5": backwards})
    assert np.nanmax(found.errors) < 1e-12
    assert any("order" in text for text in said)


def test_few_of_many_pairs_are_drawn_always_the_same():
    offset = np.arange(9).reshape(3, 3) / 20
    (one, said), (two, _) = (quiet(evaluate, shifted(offset), on_copies(), pairs=4) for _ in "ab")
    np.testing.assert_array_equal(one.errors, two.errors)
    assert one.pairs == 4
    assert said == ["4 of 6 ordered pairs were drawn at random."]
    assert one.notes == tuple(said)
    whole = evaluate(shifted(offset), on_copies())
    drawn = ~np.isnan(one.errors)
    np.testing.assert_array_equal(one.errors[drawn], whole.errors[drawn])


def test_progress_is_told():
    seen = []
    evaluate(shifted(), on_copies(), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(each, 6) for each in range(1, 7)]


# --- units


def test_figures_of_errors_by_hand():
    found = accuracy(np.array([[3.0, np.nan], [4.0, 0.0]]))
    assert (found.landmarks, found.median, found.worst) == (3, 3, 4)
    assert found.mean == pytest.approx(7 / 3)
    assert found.rmse == pytest.approx(np.sqrt(25 / 3))
    assert found.ninetieth == pytest.approx(3.8)
    assert accuracy(np.full(3, np.nan)) is None
    assert accuracies(np.full((2, 3), np.nan), {"file_units": np.ones(2)}) == {}


def test_centroid_size_is_that_of_the_landmarks_that_are_there():
    square = np.array([[1.0, 1, 0], [1, -1, 0], [-1, 1, 0], [-1, -1, 0]]) + 7
    gone = np.vstack([square[:2], np.full((2, 3), np.nan)])
    np.testing.assert_allclose(centroid_sizes(np.array([square, gone])), [np.sqrt(8), np.sqrt(2)])


def test_errors_in_every_unit_are_those_of_the_target():
    offset = np.arange(9).reshape(3, 3) / 20
    found = evaluate(shifted(offset), on_copies())
    points = molar(0).homologues(PLACES)
    centroid = np.linalg.norm(points - points.mean(axis=0))
    np.testing.assert_allclose(found.centroid_sizes, centroid * np.array([1, 2, 5]))
    pairs = [(i, j) for i in range(3) for j in range(3) if i != j]
    in_file = np.array([offset[i, j] * found.sizes[j] for i, j in pairs])
    share = np.array([100 * offset[i, j] * found.sizes[0] / centroid for i, j in pairs])
    naive = {"file_units": in_file, "percent_of_centroid_size": share,
             "sqrt_area": np.array([offset[pair] for pair in pairs])}  # fmt: skip
    assert list(found.accuracies) == list(naive) == list(UNITS)
    for unit, values in naive.items():
        each = found.accuracies[unit]
        assert each.landmarks == 6 * len(PLACES)
        assert each.mean == pytest.approx(values.mean())
        assert each.median == pytest.approx(np.median(values))
        assert each.worst == pytest.approx(values.max())
        assert each.rmse == pytest.approx(np.sqrt(np.mean(values**2)))


def test_errors_of_each_landmark():
    found = evaluate(shifted(0.1, expected=0.2, radius=0.3), on_copies())
    errors = np.random.default_rng(0).random(found.errors.shape)
    errors[np.eye(3, dtype=bool)] = np.nan
    errors[:, :, 2] = np.nan
    changed = by_landmark(replace(found, errors=errors))
    assert [each.label for each in changed] == [LABELS[at] for at in (0, 1, 3, 4, 5, 6)]
    for each in changed:
        values = errors[:, :, each.number] * found.sizes
        known = values[~np.isnan(values)]
        assert each.in_file_units.mean == pytest.approx(known.mean())
        assert each.in_file_units.rmse == pytest.approx(np.sqrt(np.mean(known**2)))
        assert values[each.worst_source, each.worst_target] == each.in_file_units.worst
        assert each.expected == pytest.approx(0.2 * found.sizes.mean())
        inside = errors[:, :, each.number][~np.isnan(values)] <= 0.3
        assert each.within_radius == pytest.approx(inside.mean())


@given(arrays(np.float64, (4, 3), elements=st.floats(0, 1) | st.just(np.nan)))
def test_means_of_what_is_known(values):
    means = mean_known(values, axis=1)
    for row, mean in zip(values, means, strict=True):
        known = row[~np.isnan(row)]
        assert np.isnan(mean) if not len(known) else mean == pytest.approx(known.mean())
    assert (pair_accuracy(values.ravel()) is None) == np.isnan(values).all()


# --- expected errors and confidence


def calibrated(errors, expected=None, radii=None, confidence=None):
    one = np.ones(len(errors))
    given = [one if each is None else np.asarray(each) for each in (expected, radii, confidence)]
    return calibration(np.asarray(errors), *given)


@settings(max_examples=30)
@given(arrays(np.float64, 40, elements=st.floats(0.01, 1)), st.floats(0.1, 10))
def test_expected_errors_that_order_errors_have_the_largest_in_their_tenth(errors, scale):
    top = np.sort(errors)[-4:].mean() / errors.mean()
    best = calibrated(errors, errors**2)
    assert best.largest == pytest.approx(top)
    assert calibrated(errors, 1 - errors).largest <= 1 + 1e-12 <= top + 2e-12
    assert calibrated(scale * errors, errors).largest == pytest.approx(top)


def test_expected_errors_and_radii_by_hand():
    found = calibrated([0.1, 0.2, 0.3, 0.4], [0.2, 0.2, 0.2, 0.6], [0.1, 0.1, 0.5, 0.5])
    assert found.expected == pytest.approx(0.3)
    assert found.error == pytest.approx(0.25)
    assert found.within_radius == 0.75  # on the circle is within
    assert found.largest == pytest.approx(0.4 / 0.25)
    assert calibrated(np.zeros(3)).largest == 1


def test_a_gaussian_error_lies_within_its_radius_nine_times_of_ten(random):
    offsets = random.normal(size=(200_000, 2)) * np.sqrt(3.0 / 2)  # expected square 3
    carried = replace(Carried.exact(np.zeros((1, 3))), variance=np.array([3.0]))
    errors = np.linalg.norm(offsets, axis=1)
    assert carried.error[0] == pytest.approx(errors.mean(), rel=0.01)
    assert carried.radius[0] == pytest.approx(np.quantile(errors, 0.9), rel=0.01)


def test_what_is_missing_and_what_is_kept():
    found = calibrated([0.02, 0.04, 0.06, 0.4], confidence=[0.9, 0.8, 0.7, 0.2])
    assert (found.missing, found.kept_near, found.near) == (0.25, 1, 0.75)
    assert found.kept == pytest.approx(0.04)
    assert found.dropped == pytest.approx(0.4)
    assert found.confidence == pytest.approx(0.65)
    none = calibrated(np.zeros(3), confidence=np.zeros(3))
    assert (none.missing, none.kept, none.kept_near) == (1, None, None)


def test_expected_errors_and_radii_are_kept_in_units_of_the_target():
    expected = np.arange(9).reshape(3, 3) / 30
    found = evaluate(shifted(0.05, expected=expected, radius=2 * expected), on_copies())
    other = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose(found.expected[other], np.repeat(expected[other][:, None], 7, 1))
    np.testing.assert_allclose(found.radii[other], 2 * found.expected[other])
    assert np.isnan(found.expected[~other]).all()
    assert found.calibration.within_radius == np.mean(2 * expected[other] >= 0.05)
    told = evaluation_summary(found)["expected_errors"]
    in_file = expected * found.sizes
    assert told["mean_expected_error"]["file_units"] == pytest.approx(in_file[other].mean())
    assert told["mean_error"]["sqrt_area"] == pytest.approx(0.05)


# --- left and right


@settings(max_examples=20)
@given(st.integers(0, 2**20), st.lists(st.booleans(), min_size=2, max_size=6))
@example(482, [False, False])  # rather flat, and yet clear
def test_sides_are_those_of_the_observers(seed, mirrored):
    random = np.random.default_rng(seed)
    shape = random.normal(size=(8, 3)) * [3, 2, 1]
    turns = Rotation.random(len(mirrored), np.random.default_rng(seed)).as_matrix()
    given = [
        Landmarks.at((shape + 0.05 * random.normal(size=(8, 3))) @ (MIRROR if side else np.eye(3))
                     @ turn, str(number))
        for number, (side, turn) in enumerate(zip(mirrored, turns, strict=True))
    ]  # fmt: skip
    found = np.array(mirrored)
    assert sides(given, found).agree.all()
    assert sides(given, ~found).agree.all()  # which side is called mirrored is arbitrary
    if len(mirrored) > 2:
        wrong = found.copy()
        wrong[1] = not wrong[1]
        np.testing.assert_array_equal(np.flatnonzero(~sides(given, wrong).agree), [1])


def test_landmarks_in_a_plane_have_no_side():
    flat = np.random.default_rng(1).normal(size=(4, 6, 3)) * [2, 1, 0]
    found = sides([Landmarks.at(each, str(k)) for k, each in enumerate(flat)], np.zeros(4, bool))
    assert not found.certain.any()
    assert not found.agree.any()


def test_of_two_that_disagree_the_first_is_right():
    both = np.array([True, True])
    assert Sides(np.array([True, False]), both, both).agree.tolist() == [True, False]
    assert Sides(np.array([False, True]), both, both).agree.tolist() == [True, False]


def test_a_side_that_was_taken_for_the_other_is_named():
    found = evaluate(shifted(mirrored=(False, True, False)), on_copies())
    assert evaluation_summary(found)["sides"] == {
        "judged": 3, "right": 2, "wrong": ["2"], "uncertain": []
    }  # fmt: skip


# --- groups


def test_groups_are_found_as_by_the_analysis(matched, evaluated):
    found = evaluated
    groups = ("one", "one", "two")
    assert found.groups == groups
    tables = {
        "surfaces": open_sample(matched).distances,
        "matched landmarks": procrustes_distances(
            generalised_procrustes(read_results(matched), reflect=True)
        ),
        "observers' landmarks": procrustes_distances(
            generalised_procrustes([observers()[name] for name in found.names], reflect=True)
        ),
    }
    assert [each.by for each in found.groupings] == list(tables)
    for each in found.groupings:
        truth = nearest_neighbour(tables[each.by], groups)
        np.testing.assert_array_equal(each.classification.correct, truth.correct)
        np.testing.assert_allclose(each.classification.distances, truth.distances)
        assert each.classification.correct[[0, 1]].all()  # a molar and its mirror image


def test_groups_are_tested_where_there_are_two(random):
    shapes = landmarks(sample(random, specimens=6))
    table = procrustes_distances(generalised_procrustes(shapes, reflect=True))
    groups = ["a", "b", "a", "b", "a", None]
    found = groupings(table, shapes, shapes, groups)
    assert len(found) == 3
    for each in found:
        assert each.test.agreement == pytest.approx(mrpp(table, groups, 99).agreement)


def test_errors_within_and_between_groups():
    offset = np.array([[0, 0.01, 0.3], [0.03, 0, 0.3], [0.1, 0.1, 0]])
    groups = {"1": "near", "2": "near", "5": "far"}
    found = evaluate(shifted(offset), on_copies(), groups)
    assert found.within_groups.mean == pytest.approx(0.02)
    assert found.between_groups.mean == pytest.approx(0.2)
    assert (found.within_groups.pairs, found.between_groups.pairs) == (2, 4)
    alone = evaluate(shifted(offset), on_copies())
    assert (alone.within_groups, alone.between_groups, alone.groupings) == (None, None, ())


def test_groups_of_one_and_too_few_matched_landmarks_are_said():
    lone, said = quiet(evaluate, shifted(), on_copies(), {"1": "a", "2": "b", "5": None})
    assert lone.groupings == ()
    assert any("No group has two members" in text for text in said)
    groups = {"1": "a", "2": "a", "5": "b"}
    matched = list(on_copies().values())
    points = matched[2].points.copy()
    points[2:] = np.nan
    few, said = quiet(
        evaluate, shifted(), on_copies(), groups, matched=[*matched[:2], told(points, "5")]
    )
    assert [each.names for each in few.groupings][1] == ("1", "2")
    assert any("too few: specimen 5" in text for text in said)
    none, said = quiet(evaluate, shifted(), on_copies(), groups, matched=[told(points, "5")])
    assert [each.by for each in none.groupings] == ["surfaces", "observers' landmarks"]
    assert any("matched landmarks cannot be compared" in text for text in said)


# --- names, and what is refused


def test_a_key_may_be_called_by_its_end_if_that_is_unique():
    keys = ["a", "site/b", "site/c", "other/c"]
    assert specimen_keys(["a", "b", "c", "site/c", "d"], keys) == {
        "a": "a", "b": "site/b", "site/c": "site/c"
    }  # fmt: skip
    with pytest.raises(AnalysisError, match=r"'b' and 'site/b' both refer to the specimen site/b"):
        specimen_keys(["b", "site/b"], keys)


def test_sets_and_specimens_without_each_other_are_named():
    given = on_copies()
    given["nobody"] = replace(given.pop("5"), specimen="nobody")
    found, said = quiet(evaluate, shifted(0.05), given)
    assert found.names == ("1", "2")
    assert found.pairs == 2
    assert any("specimen nobody belong to no specimen" in text for text in said)
    assert any("without observers' landmarks: specimen 5" in text for text in said)


def test_groups_and_matched_landmarks_are_not_mixed_up_between_folders():
    keys = ("1", "site/1", "5")
    named = tuple(
        replace(each, surface=replace(each.surface, name=key))
        for each, key in zip((copies()[0], copies()[0], copies()[2]), keys, strict=True)
    )
    given = on_copies(("site/1", "5"))
    matched = [*on_copies(("1", "site/1", "5")).values()]
    groups = {"1": "else", "site/1": "a", "5": "a"}
    sample = replace(shifted(), specimens=named)
    found, said = quiet(evaluate, sample, given, groups, matched=matched)
    assert found.groups == ("a", "a")
    assert [each.names for each in found.groupings] == [("site/1", "5")] * 3
    assert any("without observers' landmarks: specimen 1." in text for text in said)


def changed(**others):
    return {**on_copies(), **others}


def test_our_own_landmarks_prove_nothing():
    ours = replace(on_copies()["2"], record=Record(request={"matching": {"from": "1"}}))
    _, said = quiet(evaluate, shifted(), changed(**{"2": ours}))
    assert any("specimen 2 were matched by gplandmark itself" in text for text in said)
    all_ours = {key: replace(each, record=ours.record) for key, each in on_copies().items()}
    with pytest.raises(AnalysisError, match="Give landmarks that people placed"):
        evaluate(shifted(), all_ours)
    edited = Record(request={"matching": {"from": "1"}, "edits": {"authors": ["me"]}})
    corrected = {key: replace(each, record=edited) for key, each in on_copies().items()}
    _, said = quiet(evaluate, shifted(), corrected)
    assert any("were matched by gplandmark itself" in text for text in said)
    expert = Record(request={"matching": {"from": ["1"]}}, outcome={"expert": True})
    _, said = quiet(evaluate, shifted(), {**all_ours, "2": replace(ours, record=expert)})
    assert any("were matched by gplandmark itself" in text for text in said)
    assert not any("specimens 1, 2" in text for text in said)


@pytest.mark.parametrize(
    ("observed", "words"),
    [
        ({}, "at least 2 specimens of the sample, got 0"),
        (on_copies(("1",)), "got 1. They are on specimen 1; the sample has specimens 1, 2, 5"),
        (changed(**{"2": Landmarks.at(np.zeros((2, 3)), "2")}), "1 has 7 landmarks and 2 has 2"),
        (changed(**{"2": Landmarks.at(on_copies()["2"].points, "2")}), "is called 'place 0' on 1"),
        (
            changed(**{"2": told(on_copies()["1"].points / 500, "2")}),
            r"2: the observers' landmark place \d lies .* They would fit with all coordinates "
            r"times 1000",
        ),
        (
            changed(**{"2": told(np.vstack([on_copies()["2"].points[:-1], [99, 0, 0]]), "2")}),
            "2: the observers' landmark place 6 lies .* Mark it as missing",
        ),
    ],
)  # fmt: skip
def test_observers_that_cannot_judge_are_refused(observed, words):
    with pytest.raises(GplandmarkError, match=words):
        evaluate(shifted(), observed)


def test_landmarks_that_nobody_shares_are_refused():
    points = on_copies()["1"].points
    first, last = np.where(np.arange(7)[:, None] < 3, points, np.nan), points.copy()
    last[:3] = np.nan
    given = {"1": told(first, "1"), "2": told(2 * last, "2")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)
        with pytest.raises(AnalysisError, match="No two specimens share"):
            evaluate(shifted(), given)


def test_other_mistakes_get_their_sentence():
    with pytest.raises(AnalysisError, match="several sets of landmarks for specimen 1"):
        landmarks_by_specimen([*on_copies().values(), on_copies()["1"]])
    with pytest.raises(AnalysisError, match="No group is known for any specimen"):
        evaluate(shifted(), on_copies(), {"else": "a"})
    with pytest.raises(GplandmarkError, match="At least 1 pair"):
        evaluate(shifted(), on_copies(), pairs=0)
    twins = replace(shifted(), specimens=(copies()[0],) * 3)
    with pytest.raises(AnalysisError, match="have the same name: 1"):
        evaluate(twins, on_copies())


# --- tables


def rows(text):
    return list(csv.DictReader(StringIO(text)))


def test_tables_tell_what_the_arrays_hold(evaluated):
    found = evaluated
    files = {path.name: text for path, text in evaluation_files(found, Path("x"), {}).items()}
    pairs = rows(files["evaluation.csv"])
    assert len(pairs) == 6
    first = pairs[0]
    errors, size = found.errors[0, 1], found.sizes[1]
    assert (first["source"], first["target"]) == ("m0", "m1")
    known = {
        "mean_error_file_units": errors.mean() * size,
        "mean_error_percent_of_centroid_size": 100 * errors.mean() * size / found.centroid_sizes[1],
        "mean_error_sqrt_area": errors.mean(),
        "rmse_file_units": np.sqrt(np.mean(errors**2)) * size,
        "worst_error_file_units": errors.max() * size,
        "mean_expected_error_file_units": found.expected[0, 1].mean() * size,
        "share_within_90_percent_radius": np.mean(errors <= found.radii[0, 1]),
        "mean_confidence": found.confidence[0, 1].mean(),
    }
    for column, value in known.items():
        assert float(first[column]) == pytest.approx(value), column
    assert first["worst_landmark"] == LABELS[errors.argmax()]
    assert [row["mirrored"] for row in pairs[-2:]] == ["no", "yes"]
    table = rows(files["landmarks.csv"])
    assert [row["landmark"] for row in table] == list(LABELS)
    in_file = found.errors * found.sizes[:, None]
    for row in table:
        at = [found.names.index(row[end]) for end in ("worst_source", "worst_target")]
        values = in_file[:, :, LABELS.index(row["landmark"])]
        worst = float(row["worst_error_file_units"])
        assert values[*at] == pytest.approx(worst) == pytest.approx(np.nanmax(values))
        assert float(row["median_error_file_units"]) == pytest.approx(np.nanmedian(values))
        assert int(row["pairs"]) == 6
    summary = json.loads(files["evaluation.json"])
    assert "NaN" not in files["evaluation.json"]
    assert "x/comparison.csv" not in map(str, files)
    assert summary["errors_of_pairs_sqrt_area"]["all"] == {
        "pairs": 6, "mean": found.all_pairs.mean, "median": found.all_pairs.median,
        "ninetieth": found.all_pairs.ninetieth, "worst": found.all_pairs.worst, "below_0.15": 1,
    }  # fmt: skip
    every = summary["errors_of_landmarks"]
    assert list(every) == ["all_pairs", "within_groups", "between_groups", "median_of_sources"]
    assert every["all_pairs"]["file_units"] == asdict(found.accuracies["file_units"])
    assert every["within_groups"]["sqrt_area"]["mean"] == pytest.approx(found.within_groups.mean)
    assert summary["sides"]["right"] == summary["sides"]["judged"] == 3


# --- the command


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with observers' landmarks, and groups."""
    monkeypatch.chdir(tmp_path)
    named = [replace(each, specimen=name.rpartition("/")[2]) for name, each in observers().items()]
    write_collection(named, "expert.csv")
    lines = [f"{name},{group}" for name, group in GROUPS.items()]
    (tmp_path / "groups.csv").write_text("\n".join(["specimen,group", *lines]))
    return tmp_path


def test_the_command_tells_everything_and_writes_it(folder, matched):
    said = run("evaluate", matched, "expert.csv", "--groups", "groups.csv", "-o", "deep/results")
    assert said.startswith("3 specimens, 7 landmarks, 6 ordered pairs\n")
    for words in (
        "within groups", "worst pairs", "left and right   3 of 3 as observed", "confidence",
        "in file units", "in % of centroid size", "in sqrt(area)", "90 % radius; 85 to 95 %",
        "matched landmarks", "observers' landmarks", "written  deep/results/evaluation.csv",
    ):  # fmt: skip
        assert words in said
    names = sorted(path.name for path in (folder / "deep" / "results").iterdir())
    assert names == ["evaluation.csv", "evaluation.json", "landmarks.csv"]
    summary = json.loads((folder / "deep" / "results" / "evaluation.json").read_text())
    assert summary["settings"]["groups"] == "groups.csv"
    run("evaluate", matched, "expert.csv", "-o", "deep/results")  # its own files are replaced
    again = json.loads((folder / "deep" / "results" / "evaluation.json").read_text())
    assert again["groups"] == []
    assert again["errors_of_landmarks"]["all_pairs"] == summary["errors_of_landmarks"]["all_pairs"]


def test_the_command_prints_json(folder, matched):
    with pytest.warns(GplandmarkWarning, match="2 of 6 ordered pairs"):
        said = run("evaluate", matched, "expert.csv", "--pairs", 2, "--json")
    assert json.loads(said)["pairs"] == 2
    assert not (folder / "evaluation.json").exists()


def test_the_command_refuses_what_it_should(folder, matched):
    refused("evaluate", matched, "none.csv", words="there is no such file")
    refused("evaluate", matched, "expert.csv", "-o", matched, words="one of the inputs")
    (folder / "landmarks.csv").write_text("mine")
    refused("evaluate", matched, "expert.csv", "-o", ".", words="not written by this command")
    assert (folder / "landmarks.csv").read_text() == "mine"
    (folder / "not-matched.txt").write_text("placed on each for itself")
    refused("evaluate", matched, "expert.csv", words="not matched; number 7")


def test_what_match_did_not_write_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_collection(list(observers().values()), "expert.csv")
    refused("evaluate", ".", "expert.csv", words="is not what 'gplandmark match' wrote")
    (tmp_path / ".gplandmark").mkdir()
    (tmp_path / ".gplandmark" / "command").write_text("predict\n")
    refused("evaluate", ".", "expert.csv", words="only folders of 'gplandmark match' can be")


# --- real teeth


@pytest.mark.slow
def test_teeth_of_a_genus_are_closest():
    table = json.loads(specimen("data/teeth/landmarks.json").read_text())
    chosen = [table[name] for name in ("a16", "a15", "Q10")]
    surfaces = [read(specimen(f"data/teeth/{row['file']}")) for row in chosen]
    given = {
        each.name: Landmarks.at(np.array(row["xyz"][:16]), each.name)
        for each, row in zip(surfaces, chosen, strict=True)
    }
    groups = {each.name: row["genus"] for each, row in zip(surfaces, chosen, strict=True)}
    found = evaluate(match_sample(surfaces), given, groups)
    assert found.all_pairs.worst < 0.08
    assert found.within_groups.mean < found.between_groups.mean
    assert found.sides.agree.all()
    assert all(each.classification.rate == 1 for each in found.groupings)


def test_landmarks_in_a_plane_tell_no_side(random):
    flat = random.normal(size=(6, 3)) * [1, 1, 0.02]
    noisy = [flat + 0.01 * random.normal(size=flat.shape) for _ in range(5)]
    collection = [Landmarks.at(points, str(k)) for k, points in enumerate(noisy)]
    assert not sides(collection, np.zeros(5, dtype=bool)).certain.any()
    deep = [Landmarks.at(each.points * [1, 1, 50], each.specimen) for each in collection]
    assert sides(deep, np.zeros(5, dtype=bool)).certain.all()
