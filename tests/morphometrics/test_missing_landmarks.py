"""Missing landmarks estimated from a sample: laws of the conditional Gaussian distribution."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gplandmark import AnalysisError, Landmarks
from gplandmark.morphometrics.analysis.missing_landmarks import (
    ShapeDistribution,
    estimate_missing,
    estimate_one,
)
from gplandmark.morphometrics.analysis.procrustes import generalised_procrustes, thin_plate_spline
from gplandmark.numerics.rotations import apply_similarity, similarity_onto

COUNT, LOST = 12, np.arange(12) >= 8


def shapes_with_one_factor(random, specimens=20, noise=0.002):
    """Shapes that differ by one pattern of change, which known landmarks reveal, and by noise."""
    mean, change = random.normal(size=(2, COUNT, 3))
    amounts = 0.15 * random.normal(size=specimens)
    return (
        mean + amounts[:, None, None] * change + noise * random.normal(size=(specimens, COUNT, 3))
    )


def sets_of(shapes, first_without=LOST):
    given = [each.copy() for each in shapes]
    given[0][first_without] = np.nan
    return [Landmarks.at(points, f"s{number}") for number, points in enumerate(given)]


def test_a_common_pattern_of_change_is_recovered_closer_than_by_spline_or_mean(random):
    shapes = shapes_with_one_factor(random)
    found = estimate_missing(sets_of(shapes))
    truth = shapes[0]
    mean = generalised_procrustes(sets_of(shapes)[1:]).consensus
    others = [
        thin_plate_spline(mean[LOST], mean[~LOST], truth[~LOST]),
        apply_similarity(mean[LOST], mean[~LOST], truth[~LOST], reflect=False),
    ]
    error = np.linalg.norm(found.points[0, LOST] - truth[LOST], axis=1).mean()
    for other in others:
        assert error < np.linalg.norm(other - truth[LOST], axis=1).mean() / 2


def test_only_missing_landmarks_are_estimated(random):
    found = estimate_missing(sets_of(shapes_with_one_factor(random)))
    estimated = np.isfinite(found.points).all(axis=2)
    assert (estimated[0] == LOST).all()
    assert not estimated[1:].any()
    assert (np.isfinite(found.variance) == estimated).all()
    assert (found.variance[0, LOST] > 0).all()


def test_estimates_move_turn_and_grow_with_the_specimen(random):
    shapes = shapes_with_one_factor(random)
    before = estimate_missing(sets_of(shapes))
    turn = Rotation.random(random_state=1).as_matrix()
    shapes[0] = 7 * shapes[0] @ turn + [3.0, -50.0, 8.0]
    after = estimate_missing(sets_of(shapes))
    expected = 7 * before.points[0, LOST] @ turn + [3.0, -50.0, 8.0]
    np.testing.assert_allclose(after.points[0, LOST], expected, atol=1e-6)
    np.testing.assert_allclose(after.variance[0, LOST], 49 * before.variance[0, LOST], rtol=1e-6)


@pytest.mark.slow
def test_the_expected_error_is_honest(random):
    shapes = shapes_with_one_factor(random, 60, noise=0.03)
    within = []
    for row in range(0, 60, 3):
        others = np.roll(shapes, -row, axis=0)
        found = estimate_missing(sets_of(others[:30]))
        errors = np.linalg.norm(found.points[0, LOST] - others[0, LOST], axis=1)
        within.append(errors <= np.sqrt(np.log(10) * found.variance[0, LOST]))
    assert 0.75 < np.mean(within) <= 1


def test_what_is_known_of_all_leaves_nothing_to_estimate(random):
    shapes = shapes_with_one_factor(random)
    distribution = ShapeDistribution.of(shapes, 0.1)
    found, variance = estimate_one(distribution, shapes[0], np.ones(COUNT, dtype=bool))
    np.testing.assert_allclose(found, shapes[0])
    assert not variance.any()


def test_few_complete_specimens_are_refused(random):
    with pytest.raises(AnalysisError, match="at least 5 are needed"):
        estimate_missing(sets_of(shapes_with_one_factor(random, 5)))


def test_a_similarity_is_the_same_in_parts_and_applied(random):
    sources, targets, points = random.normal(size=(3, 9, 3))
    scale, rotation, shift = similarity_onto(sources, targets, reflect=False)
    whole = apply_similarity(points, sources, targets, reflect=False)
    np.testing.assert_allclose(scale * points @ rotation + shift, whole)
