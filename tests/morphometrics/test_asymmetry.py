"""Left and right: equal to geomorph and Morpho where they define it, and lawful elsewhere."""

import numpy as np
import pytest
from geomorph_answers import about, answer, array, landmarks_of
from shape_samples import moved

from gplandmark import AnalysisError, LandmarkFileError
from gplandmark.morphometrics.asymmetry import (
    LandmarkPairs,
    filled_from_other_side,
    find_pairs,
    matching_symmetry,
    object_symmetry,
    pairs_by_name,
    read_pairs,
    symmetrised,
)
from gplandmark.morphometrics.asymmetry.mirror import mirrored


def skull_pairs():
    return LandmarkPairs(np.array(about("skulls")["land_pairs_1based"]) - 1, 51)


def gram(shapes):
    """Inner products, which do not depend on the orientation of axes."""
    return np.asarray(shapes) @ np.swapaxes(shapes, -1, -2)


def same_table(found, expected):
    sums = [each.sum_of_squares for each in found.effects]
    sums += [found.residual_sum_of_squares] if found.residual_df else []
    np.testing.assert_allclose(sums, expected["SS"][:-1], rtol=1e-6)
    df = [each.df for each in found.effects] + ([found.residual_df] if found.residual_df else [])
    assert df == expected["Df"][:-1]
    f = [each.f for each in found.effects if not np.isnan(each.f)]
    np.testing.assert_allclose(f, [each for each in expected["F"] if each is not None], rtol=1e-6)


# --- equal to others


@pytest.mark.parametrize("replicates", [False, True])
def test_components_of_skulls_are_those_of_geomorph(replicates):
    skulls, names = landmarks_of("skulls"), [str(each) for each in about("skulls")["names"]]
    key, owners = "bilat.symmetry.skulls", names
    if replicates:
        key += ".replicates"
        moved_by = np.array(about("skull_replicates")["perturbation"])
        skulls = (skulls + moved_by).reshape(-1, 51, 3)
        owners = names * 2
        names = [f"{name} {number}" for number, name in enumerate(owners)]
    found = object_symmetry(
        skulls, names, skull_pairs(), owners, project_first=True, permutations_of=19
    )
    expected = answer(key)
    order = [found.individuals.index(each) for each in expected["individuals"]]
    same_table(found.anova, expected["shape.anova"])
    for ours, theirs in (
        (found.symmetric[order], "symm.shape"),
        (found.geomorph_asymmetric[order], "asymm.shape"),
        (found.sides, "DA.component"),
    ):
        np.testing.assert_allclose(gram(ours), gram(expected[theirs]), atol=1e-6)
    index = np.linalg.norm(found.geomorph_asymmetric, axis=(1, 2))[order]
    np.testing.assert_allclose(index, expected["unsigned.AI"], rtol=1e-6)


def test_separate_sides_are_compared_as_in_geomorph():
    data = about("mosquito")
    found = matching_symmetry(
        landmarks_of("mosquito"), [str(number) for number in range(40)],
        [str(each) for each in data["ind"]], [str(each) for each in data["side"]],
        permutations_of=19,
    )  # fmt: skip
    same_table(found.anova, answer("bilat.symmetry.mosquito.matching")["shape.anova"])


def test_a_specimen_is_completed_and_made_symmetric_as_in_morpho():
    skull = landmarks_of("skulls")[0]
    np.testing.assert_allclose(
        symmetrised(skull, skull_pairs()), array("Morpho.symmetrize", "coords"), atol=1e-9
    )
    gone = skull.copy()
    gone[np.array(answer("Morpho.fixLMmirror")["missing_1based"]) - 1] = np.nan
    filled = filled_from_other_side(gone, skull_pairs())
    np.testing.assert_allclose(filled, array("Morpho.fixLMmirror", "coords"), atol=1e-6)


def test_pairs_of_skulls_are_found():
    found = find_pairs(array("gpagen.skulls.default", "consensus"))
    known = {frozenset(pair) for pair in skull_pairs().pairs.tolist()}
    assert {frozenset(pair) for pair in found.pairs.tolist()} == known


# --- laws

PAIRS = LandmarkPairs(np.array([[0, 1], [2, 3], [4, 5], [6, 7]]), 11)


def symmetric_shape(random):
    half = random.normal(size=(4, 3)) + np.array([2.0, 0, 0])
    middle = random.normal(size=(3, 3)) * [0.0, 1, 1]
    both = np.stack([half, half * [-1, 1, 1]], axis=1).reshape(8, 3)
    return np.vstack([both, middle])


def specimens(random, directional=0.0, fluctuating=0.0, count=10):
    shape = symmetric_shape(random)
    lean = random.normal(size=shape.shape)
    found = []
    for _ in range(count):
        own = shape + 0.1 * (symmetric_shape(random) - shape)
        own = own + directional * lean + fluctuating * random.normal(size=shape.shape)
        found.append(moved(own, random))
    return np.array(found)


NAMES = [f"s{number}" for number in range(10)]


def test_symmetric_specimens_have_no_asymmetry(random):
    found = object_symmetry(specimens(random), NAMES, PAIRS, permutations_of=19)
    np.testing.assert_allclose(found.differences, 0, atol=1e-8)
    np.testing.assert_allclose(found.index, 0, atol=1e-8)


def test_directional_and_fluctuating_asymmetry_are_told_apart(random):
    leaning = object_symmetry(specimens(random, 0.1, 0.01), NAMES, PAIRS, permutations_of=99)
    shaken = object_symmetry(specimens(random, 0.0, 0.05), NAMES, PAIRS, permutations_of=99)
    assert leaning.anova.effects[1].p <= 0.02
    assert shaken.anova.effects[1].p > 0.05
    np.testing.assert_allclose(leaning.fluctuating.mean(axis=0), 0, atol=1e-12)
    parts = sum(each.sum_of_squares for each in leaning.anova.effects)
    np.testing.assert_allclose(parts, leaning.anova.total_sum_of_squares)
    assert np.isnan(leaning.anova.effects[2].p)  # without replicates there is no error below it


def test_the_mean_with_the_mirror_image_is_symmetric(random):
    found = symmetrised(specimens(random, 0.1)[0], PAIRS)
    again = symmetrised(found, PAIRS)
    np.testing.assert_allclose(again, found, atol=1e-9)


def test_mirroring_twice_changes_nothing(random):
    points = specimens(random, 0.2)
    np.testing.assert_array_equal(mirrored(mirrored(points, PAIRS), PAIRS), points)


def test_a_symmetric_specimen_is_completed_exactly(random):
    whole = specimens(random)[0]
    gone = whole.copy()
    gone[[0, 6, 9]] = np.nan
    filled = filled_from_other_side(gone, PAIRS)
    np.testing.assert_allclose(filled[[0, 6]], whole[[0, 6]], atol=1e-7)
    assert np.isnan(filled[9]).all()  # on the midline there is no other side
    np.testing.assert_array_equal(filled_from_other_side(whole, PAIRS), whole)


def test_pairs_are_found_in_any_pose(random):
    for _ in range(5):
        found = find_pairs(moved(symmetric_shape(random), random))
        assert {frozenset(pair) for pair in found.pairs.tolist()} == {
            frozenset(pair) for pair in PAIRS.pairs.tolist()
        }
        assert found.midline.tolist() == [8, 9, 10]


def test_pairs_come_from_names():
    found = pairs_by_name(("1L", "1R", "2M", "eye left", "eye right", "nasal_r", "nasal_l", "L"))
    assert found.pairs.tolist() == [[0, 1], [3, 4], [6, 5]]
    assert pairs_by_name(("1", "2", "bregma")) is None


def test_pairs_come_from_a_table(tmp_path):
    table = tmp_path / "pairs.csv"
    table.write_text("left,right\n1,b\n3,4\n")
    assert read_pairs(table, ("a", "b", "c", "d", "e")).pairs.tolist() == [[0, 1], [2, 3]]


# --- bad input


def test_pairs_that_do_not_pair_are_refused(random, tmp_path):
    with pytest.raises(AnalysisError, match="no pair"):
        LandmarkPairs(np.zeros((0, 2), int), 5)
    with pytest.raises(AnalysisError, match="does not exist: there are 5"):
        LandmarkPairs(np.array([[0, 5]]), 5)
    with pytest.raises(AnalysisError, match="paired with itself: landmark 2"):
        LandmarkPairs(np.array([[0, 1], [1, 2]]), 5)
    with pytest.raises(AnalysisError, match="not symmetric"):
        find_pairs(random.normal(size=(12, 3)))
    table = tmp_path / "pairs.csv"
    table.write_text("left,right\n1,9\n")
    with pytest.raises(LandmarkFileError, match="no landmark '9'"):
        read_pairs(table, ("a", "b"))


def test_other_bad_input_is_refused(random):
    points = specimens(random)
    with pytest.raises(AnalysisError, match="pairs are of 11 landmarks, but specimens have 9"):
        object_symmetry(points[:, :9], NAMES, PAIRS)
    with pytest.raises(AnalysisError, match="at least three individuals, got 2"):
        object_symmetry(points[:2], NAMES[:2], PAIRS)
    with pytest.raises(AnalysisError, match="two sides, got 1"):
        matching_symmetry(points, NAMES, NAMES, ["l"] * 10)
    with pytest.raises(AnalysisError, match="s0 has no measurement of side r"):
        matching_symmetry(points, NAMES, NAMES, ["l"] * 5 + ["r"] * 5)
    gone = points[0].copy()
    gone[[0, 2, 4, 8, 9]] = np.nan
    with pytest.raises(AnalysisError, match="have 3 landmarks in common, and 4"):
        filled_from_other_side(gone, PAIRS)
    with pytest.raises(AnalysisError, match="in common"):
        symmetrised(gone, PAIRS)
