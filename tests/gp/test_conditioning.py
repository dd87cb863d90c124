"""The variance after each landmark: one routine, whoever asks for it."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import SMALL

from gplandmark import Design, KernelError, SettingsError, covariance, select
from gplandmark.gp.conditioning import ConditionedProcess, whiten
from gplandmark.gp.kernels import FieldKernel, MatrixKernel, PartKernel, noise_floor
from gplandmark.gp.selection.dense_search import FactoredSearch
from gplandmark.gp.theory import variance_history

FACTOR = np.random.default_rng(4).standard_normal((60, 40))
KERNEL = MatrixKernel(FACTOR @ FACTOR.T)
MEASURE = np.random.default_rng(5).random(60)
LANDMARKS = [7, 31, 2, 50, 19]


def variance_by_the_formula(landmarks):
    matrix = KERNEL.matrix
    columns = matrix[:, landmarks]
    explained = columns @ np.linalg.solve(matrix[np.ix_(landmarks, landmarks)], columns.T)
    return np.diag(matrix) - np.diag(explained)


def test_the_history_is_that_of_the_formula_after_each_landmark():
    history = ConditionedProcess(KERNEL).history(LANDMARKS, MEASURE)
    for count in range(len(LANDMARKS) + 1):
        expected = variance_by_the_formula(LANDMARKS[:count])
        assert history.largest[count] == pytest.approx(expected.max(), rel=1e-12)
        assert history.mean[count] == pytest.approx(expected @ MEASURE, rel=1e-12)
    np.testing.assert_allclose(history.variance, expected, atol=1e-12 * history.largest[0])


def test_every_way_to_the_variance_agrees():
    expected = ConditionedProcess(KERNEL).history(LANDMARKS, MEASURE).variance
    for found in (
        Design(KERNEL, LANDMARKS).variance,
        whiten(KERNEL, LANDMARKS).variance,
        variance_history(KERNEL, LANDMARKS).variance,
        select(KERNEL, len(LANDMARKS), start=LANDMARKS).variance,
    ):
        np.testing.assert_allclose(found, expected, atol=1e-12 * KERNEL.diagonal().max())


def test_a_repeated_landmark_adds_nothing_to_the_rank():
    repeated = ConditionedProcess(KERNEL).history([7, 7, 31, 7, 2], MEASURE)
    assert repeated.skipped == (7, 7)
    assert repeated.ranks.tolist() == [0, 1, 1, 2, 2, 3]
    once = ConditionedProcess(KERNEL).history([7, 31, 2], MEASURE)
    assert (repeated.variance == once.variance).all()
    with pytest.raises(KernelError, match="vertex 7 is repeated"):
        variance_history(KERNEL, [7, 7])


def test_landmarks_may_follow_from_the_variance_so_far():
    search = FactoredSearch(KERNEL)
    history = search.history((search.winner(None) for _ in range(9)), MEASURE)
    greedy = select(KERNEL, 9)
    assert (history.largest[:-1] == greedy.variances).all()
    assert (history.variance == greedy.variance).all()


def test_fractions_start_at_one():
    history = ConditionedProcess(KERNEL).history(LANDMARKS, MEASURE)
    relative = history.relative()
    assert relative.largest[0] == relative.mean[0] == 1
    np.testing.assert_allclose(relative.largest * history.largest[0], history.largest)
    np.testing.assert_allclose(relative.variance * history.largest[0], history.variance)
    assert (relative.ranks == history.ranks).all()


def test_no_landmarks_are_refused_where_one_is_needed():
    for call in (whiten, variance_history):
        with pytest.raises(SettingsError, match="There are no landmarks"):
            call(KERNEL, [])


def test_the_noise_floor_belongs_to_the_kernel(molar):
    field = covariance(molar, replace(SMALL, engine="field", tolerance=1e-6))
    assert isinstance(field, FieldKernel)
    assert noise_floor(field) == noise_floor(PartKernel(field, np.arange(9))) == 4e-6
    assert ConditionedProcess(field).noise == 4e-6
    assert noise_floor(KERNEL) == noise_floor(object()) < 1e-12
