"""Kriging against its formula, the selection and scikit-learn; learning; surfaces given back."""

import doctest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matrices import MatrixKernel, smooth_kernel

import gplandmark.gp.regression
import gplandmark.gp.theory
from gplandmark import (
    KernelError,
    Settings,
    SettingsError,
    Stop,
    Surface,
    covariance,
    krige,
    krige_at,
    learn,
    posterior_covariance,
    posterior_samples,
    reconstruct,
    select,
)
from gplandmark.gp.kernels import ReweightedKernel, SquaredExponentialKernel

KERNEL = smooth_kernel(2, eps=0.02)
LANDMARKS = select(KERNEL, 12).indices
SMALL = Settings(curvature_radius=0.2)


def values_at(landmarks, quantities=None, seed=0):
    shape = (60,) if quantities is None else (60, quantities)
    return np.random.default_rng(seed).standard_normal(shape)[landmarks]


@pytest.mark.parametrize("noise", [0.0, 0.3, np.linspace(0.1, 2, 12)])
@pytest.mark.parametrize("quantities", [None, 1, 3])
@pytest.mark.parametrize("mean", [0.0, 7.0, "per point"])
def test_the_best_linear_predictor_as_written(noise, quantities, mean):
    prior = np.cos(np.arange(60.0)) if mean == "per point" else mean
    values = values_at(LANDMARKS, quantities)
    found = krige(KERNEL, LANDMARKS, values, noise=noise, mean=prior)
    k = KERNEL.matrix[:, LANDMARKS]
    inverse = np.linalg.inv(k[LANDMARKS] + np.diag(np.full(12, noise)))
    m = np.broadcast_to(prior, 60)
    if quantities:
        m = m[:, None]
    np.testing.assert_allclose(found.mean, m + k @ inverse @ (values - m[LANDMARKS]), rtol=1e-7)
    mspe = np.diag(KERNEL.matrix) - np.diag(k @ inverse @ k.T)
    np.testing.assert_allclose(found.variance, mspe, atol=1e-10 * KERNEL.matrix.max())


def looked_up(matrix):
    """scikit-learn's side: a kernel whose points are numbers of rows of a matrix."""
    from sklearn.gaussian_process.kernels import Kernel

    class LookedUp(Kernel):
        def __init__(self, matrix):
            self.matrix = matrix

        def __call__(self, rows, columns=None):
            columns = rows if columns is None else columns
            return self.matrix[rows[:, 0].astype(int)][:, columns[:, 0].astype(int)]

        def diag(self, rows):
            return np.diag(self.matrix)[rows[:, 0].astype(int)]

        def is_stationary(self):
            return False

    return LookedUp(matrix)


@pytest.mark.parametrize("noise", [1e-12, 0.05])
def test_scikit_learn_predicts_the_same(noise, molar):
    process = pytest.importorskip("sklearn.gaussian_process")
    kernel = ReweightedKernel(molar.points, np.full(molar.vertex_count, 1e-2), 0.5)
    landmarks = select(kernel, 40).indices
    matrix = kernel.columns(np.arange(kernel.size))
    values = np.sin(3 * molar.points[landmarks, :2])
    alpha = noise * matrix.max()
    model = process.GaussianProcessRegressor(looked_up(matrix), alpha=alpha, optimizer=None).fit(
        landmarks[:, None], values
    )
    mean, deviation = model.predict(np.arange(kernel.size)[:, None], return_std=True)
    found = krige(kernel, landmarks, values, noise=alpha)
    np.testing.assert_allclose(found.mean, mean, atol=1e-8)
    np.testing.assert_allclose(found.variance, deviation[:, 0] ** 2, atol=1e-11 * matrix.max())


def test_the_variance_is_the_selections_own(any_surface):
    kernel = covariance(any_surface, SMALL)
    exact = getattr(kernel, "exact", kernel)
    found = select(exact, 60)
    predicted = krige(exact, found.indices, np.zeros(len(found.indices)))
    np.testing.assert_allclose(predicted.variance, found.variance, atol=1e-13 * found.initial)
    assert np.argmax(predicted.variance) == select(exact, 61).indices[-1]


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 12))
def test_observed_values_come_back_and_the_prediction_is_linear(seed, count):
    landmarks = LANDMARKS[:count]
    one, two = values_at(landmarks, seed=seed), values_at(landmarks, seed=seed + 1)
    found = krige(KERNEL, landmarks, one)
    np.testing.assert_allclose(found.mean[landmarks], one, atol=1e-8)
    assert (found.variance[landmarks] < 1e-12 * KERNEL.matrix.max()).all()
    both = krige(KERNEL, landmarks, 2 * one - two).mean
    np.testing.assert_allclose(both, 2 * found.mean - krige(KERNEL, landmarks, two).mean, atol=1e-8)


def test_infinite_noise_leaves_the_prior():
    found = krige(KERNEL, LANDMARKS, values_at(LANDMARKS), noise=1e12, mean=3.0)
    np.testing.assert_allclose(found.mean, 3.0, atol=1e-9)
    np.testing.assert_allclose(found.variance, KERNEL.diagonal(), rtol=1e-9)


def test_more_noise_is_never_more_certain():
    variances = [krige(KERNEL, LANDMARKS, values_at(LANDMARKS), noise=s).variance for s in (0, 1)]
    assert (variances[1] >= variances[0] - 1e-12).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"values": np.zeros(11)}, "Expected 12 observed values"),
        ({"values": 1.0}, "Expected 12 observed values"),
        ({"values": np.full(12, np.nan)}, "must be finite"),
        ({"values": ["a"] * 12}, "must be numbers"),
        ({"noise": -0.1}, "cannot be negative"),
        ({"noise": np.nan}, "cannot be negative"),
        ({"noise": np.ones(3)}, "one noise or 12"),
        ({"mean": np.zeros(59)}, "The mean must be a number"),
        ({"mean": np.zeros((60, 2))}, "The mean must be a number"),
        ({"landmarks": [60]}, "Vertex 60 does not exist"),
        ({"landmarks": [], "values": []}, "There are no landmarks"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    given = {"landmarks": LANDMARKS, "values": np.zeros(12), **arguments}
    if "landmarks" in arguments:
        given["values"] = np.zeros(len(arguments["landmarks"]))
    with pytest.raises(SettingsError, match=message):
        krige(KERNEL, **given)


def test_repeated_landmarks_need_noise():
    with pytest.raises(KernelError, match="vertex 4 is repeated or determined"):
        krige(KERNEL, [4, 9, 4], [1.0, 2.0, 1.0])
    twice = krige(KERNEL, [4, 9, 4], [1.0, 2.0, 2.0], noise=0.2)
    once = krige(KERNEL, [4, 9], [1.5, 2.0], noise=np.array([0.1, 0.2]))
    np.testing.assert_allclose(twice.mean, once.mean, atol=1e-12)  # two answers, half the noise
    np.testing.assert_allclose(twice.variance, once.variance, atol=1e-12)


def plane_points(side=18):
    x, y = np.meshgrid(np.linspace(0, 1, side), np.linspace(0, 1, side))
    return np.column_stack([x.ravel(), y.ravel()])


POINTS = plane_points()
PLANE = SquaredExponentialKernel(POINTS, 0.15)
TRUTH = np.sin(4 * POINTS[:, 0]) + 0.5 * POINTS[:, 1]


def test_learning_asks_the_landmarks_in_order_and_meets_its_tolerance():
    asked = []

    def oracle(index):
        asked.append(index)
        return TRUTH[index]

    lesson = learn(PLANE, oracle, tolerance=0.01)
    assert lesson.stopped is Stop.TARGET
    assert lesson.errors[-1] <= 0.01 < lesson.errors[-2]
    assert asked == lesson.indices.tolist() == select(PLANE, len(asked)).indices.tolist()
    assert np.abs(lesson.prediction.mean - TRUTH).max() < 0.01
    exact = krige(PLANE, asked, TRUTH[asked])
    assert (lesson.prediction.mean == exact.mean).all()


def test_learning_improves_with_every_tenfold_of_the_tolerance():
    lessons = [learn(PLANE, lambda i: TRUTH[i], tolerance=t) for t in (0.3, 0.03, 0.003)]
    errors = [np.abs(lesson.prediction.mean - TRUTH).max() for lesson in lessons]
    assert errors[0] > 2 * errors[1] > 4 * errors[2]
    assert (np.diff([len(lesson.indices) for lesson in lessons]) > 0).all()


def test_surprises_are_what_kriging_did_not_foresee():
    lesson = learn(PLANE, lambda i: TRUTH[i], tolerance=1e-3, count=12, mean=0.2)
    for k in (1, 5, 11):
        before = krige(PLANE, lesson.indices[:k], lesson.values[:k], mean=0.2)
        index = lesson.indices[k]
        expected = abs(before.mean[index] - TRUTH[index])
        np.testing.assert_allclose(lesson.surprises[k], expected, atol=1e-9)
    among = PLANE.block(lesson.indices, lesson.indices)
    centred = lesson.values - 0.2
    np.testing.assert_allclose(lesson.scale, centred @ np.linalg.solve(among, centred) / 12)


def test_the_variance_of_a_lesson_is_in_units_of_the_values():
    lesson = learn(PLANE, lambda i: 1000 * TRUTH[i], tolerance=10)
    deviation = lesson.prediction.standard_deviation
    np.testing.assert_allclose(deviation.max(), lesson.errors[-1], rtol=1e-6)
    assert (np.abs(lesson.prediction.mean - 1000 * TRUTH) < 10).all()


def test_universal_kriging_as_written():
    functions = np.column_stack([np.ones(60), np.cos(np.arange(60.0))])
    values = values_at(LANDMARKS)
    found = krige(KERNEL, LANDMARKS, values, noise=0.1, mean=2.0, trend=functions)
    covariance = KERNEL.matrix[np.ix_(LANDMARKS, LANDMARKS)] + 0.1 * np.eye(12)
    known = functions[LANDMARKS]
    system = np.block([[covariance, known], [known.T, np.zeros((2, 2))]])  # Lagrange multipliers
    right = np.hstack([KERNEL.matrix[:, LANDMARKS], functions])
    weights = np.linalg.solve(system, right.T)
    np.testing.assert_allclose(found.mean, 2.0 + weights[:12].T @ (values - 2.0), rtol=1e-7)
    mspe = np.diag(KERNEL.matrix) - np.einsum("ij,ji->i", right, weights)
    np.testing.assert_allclose(found.variance, mspe, atol=1e-9)


def test_a_function_of_the_trend_is_predicted_exactly():
    functions = np.column_stack([np.ones(60), np.arange(60.0)])
    truth = functions @ [3.0, -0.5]
    found = krige(KERNEL, LANDMARKS, truth[LANDMARKS], trend=functions)
    np.testing.assert_allclose(found.mean, truth, atol=1e-7)


@pytest.mark.parametrize(
    ("trend", "words"),
    [
        (np.ones((59, 1)), "must be of shape"),
        (np.ones((60, 2)), "do not determine a trend of 2"),
        (np.full(60, np.nan), "must be finite"),
    ],
)
def test_a_trend_that_is_refused(trend, words):
    with pytest.raises(SettingsError, match=words):
        krige(KERNEL, LANDMARKS, values_at(LANDMARKS), trend=trend)


def test_prediction_off_the_vertices_is_that_of_a_kernel_with_these_points(molar):
    away = np.random.default_rng(1).random((7, 2))
    whole = SquaredExponentialKernel(np.vstack([POINTS, away]), 0.15)
    at = select(PLANE, 15).indices
    found = krige_at(PLANE, at, TRUTH[at], away, noise=0.01, mean=0.3)
    expected = krige(whole, at, TRUTH[at], noise=0.01, mean=0.3)
    np.testing.assert_allclose(found.mean, expected.mean[-7:], atol=1e-9)
    np.testing.assert_allclose(found.variance, expected.variance[-7:], atol=1e-9)
    kernel = covariance(molar, SMALL)
    picks = select(kernel, 20).indices
    heights = molar.points[picks, 2]
    same = krige_at(kernel, picks, heights, molar.points[:9])
    np.testing.assert_allclose(same.mean, krige(kernel, picks, heights).mean[:9], atol=1e-4)


@pytest.mark.parametrize(
    ("kernel", "points", "words"),
    [(KERNEL, [[0.0, 0.0]], "own points only"), (PLANE, [[0.0]], "shape"), (PLANE, "x", "numbers")],
)
def test_a_prediction_off_the_vertices_that_is_refused(kernel, points, words):
    with pytest.raises((KernelError, SettingsError), match=words):
        krige_at(kernel, [1, 2], [0.0, 1.0], points)


def test_covariance_and_samples_given_observations():
    at = [0, 7, 21, 40]
    values = values_at(LANDMARKS)
    found = krige(KERNEL, LANDMARKS, values, noise=0.2)
    covariance = posterior_covariance(KERNEL, LANDMARKS, at, noise=0.2)
    np.testing.assert_allclose(np.diag(covariance), found.variance[at], atol=1e-10)
    k = KERNEL.matrix[:, LANDMARKS]
    inverse = np.linalg.inv(k[LANDMARKS] + 0.2 * np.eye(12))
    whole = KERNEL.matrix - k @ inverse @ k.T
    np.testing.assert_allclose(covariance, whole[np.ix_(at, at)], atol=1e-9)
    drawn = posterior_samples(KERNEL, LANDMARKS, values, at, count=20_000, seed=1, noise=0.2)
    spread = np.sqrt(np.diag(covariance).max())
    np.testing.assert_allclose(drawn.mean(axis=0), found.mean[at], atol=0.03 * spread)
    np.testing.assert_allclose(np.cov(drawn.T), covariance, atol=0.05 * spread**2)
    again = posterior_samples(KERNEL, LANDMARKS, values, at, count=20_000, seed=1, noise=0.2)
    assert (again == drawn).all()


@pytest.mark.parametrize("more", [{"count": 0}, {"seed": -1}, {"at": [60]}, {"at": []}])
def test_samples_that_are_refused(more):
    with pytest.raises(SettingsError):
        posterior_samples(KERNEL, LANDMARKS, values_at(LANDMARKS), **{"at": [1], **more})


def test_tolerance_is_in_units_of_the_values():
    small = learn(PLANE, lambda i: TRUTH[i], tolerance=0.01)
    large = learn(PLANE, lambda i: 1000 * TRUTH[i], tolerance=10)
    assert small.indices.tolist() == large.indices.tolist()


def test_several_quantities_are_learned_at_once_until_the_last_is_known():
    both = np.column_stack([TRUTH, 5 * np.cos(6 * POINTS[:, 1])])
    lesson = learn(PLANE, lambda i: both[i], tolerance=0.02)
    assert lesson.values.shape == (len(lesson.indices), 2)
    assert np.abs(lesson.prediction.mean - both).max() < 3 * 0.02


def test_a_noisy_oracle_is_averaged_and_not_believed():
    random = np.random.default_rng(5)
    lesson = learn(
        PLANE, lambda i: TRUTH[i] + 0.1 * random.standard_normal(), tolerance=0.01, noise=0.04
    )
    at = lesson.indices
    assert len(set(at.tolist())) == len(at)
    off = np.abs(lesson.prediction.mean - TRUTH)
    assert np.sqrt(np.mean(off**2)) < 0.05
    assert np.abs(lesson.prediction.mean[at] - lesson.values).max() > 0.05
    exact = krige(PLANE, at, lesson.values, noise=0.04)
    np.testing.assert_allclose(lesson.prediction.variance, lesson.scale * exact.variance)


def test_learning_stops_at_the_count_and_at_the_rank():
    assert learn(PLANE, lambda i: TRUTH[i], tolerance=1e-9, count=7).stopped is Stop.COUNT
    factor = np.random.default_rng(0).standard_normal((40, 6))
    low = MatrixKernel(factor @ factor.T)
    lesson = learn(low, lambda i: factor[i, 0], tolerance=1e-12)
    assert (len(lesson.indices), lesson.stopped) == (6, Stop.RANK)
    np.testing.assert_allclose(lesson.prediction.mean, factor[:, 0], atol=1e-9)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (np.nan, "returned nan for vertex"),
        (np.inf, "no finite number"),
        ("tall", "must return a number"),
        (None, "no finite number"),
        ([], "no finite number"),
        ([[1.0]], r"shape \(1, 1\)"),
    ],
)
def test_an_oracle_that_does_not_answer(answer, message):
    with pytest.raises(SettingsError, match=message):
        learn(PLANE, lambda _: answer, tolerance=0.1)


def test_an_oracle_that_changes_the_length_of_its_answers():
    answers = iter([[1.0, 2.0], [1.0]])
    with pytest.raises(SettingsError, match=r"shape \(1,\) for vertex \d+, expected \(2,\)"):
        learn(PLANE, lambda _: next(answers), tolerance=0.1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tolerance": 0}, "tolerance must be above 0"),
        ({"tolerance": 0.1, "count": 0}, "count must be from 1"),
        ({"tolerance": 0.1, "noise": -1.0}, "cannot be negative"),
        ({"tolerance": 0.1, "mean": [1.0, 2.0]}, "The mean must be a number"),
    ],
)
def test_learning_with_bad_settings(settings, message):
    with pytest.raises(SettingsError, match=message):
        learn(PLANE, lambda _: 0.0, **settings)


def test_landmarks_give_the_surface_back(any_surface):
    kernel = covariance(any_surface, SMALL)
    found = reconstruct(any_surface, kernel, select(kernel, 100).indices, [10, 30, 100])
    assert found.counts.tolist() == [10, 30, 100]
    assert (np.diff(found.rms) < 0).all()
    assert (found.rms <= found.largest).all()
    assert found.rms[-1] < 0.25 * found.rms[0]


def test_reconstruction_does_not_depend_on_position_or_unit(molar):
    kernel = covariance(molar, SMALL)
    landmarks = select(kernel, 40).indices
    found = reconstruct(molar, kernel, landmarks)
    assert found.counts.tolist() == [1, 2, 4, 8, 16, 32, 40]
    moved = Surface(25.4 * molar.points + [1e3, -2e3, 5e2], molar.triangles)
    again = reconstruct(moved, covariance(moved, SMALL), landmarks)
    np.testing.assert_allclose(again.rms, found.rms, rtol=1e-5)
    errors = np.linalg.norm(found.points - molar.points, axis=1)
    assert errors[landmarks].max() < 1e-6 * errors.max()


@pytest.mark.parametrize("room", [gplandmark.gp.regression, gplandmark.gp.theory])
def test_the_examples_of_the_rooms_run(room):
    result = doctest.testmod(room)
    assert result.attempted > 0
    assert result.failed == 0


def test_reconstruction_refuses_counts_beyond_the_landmarks(molar):
    kernel = covariance(molar, SMALL)
    with pytest.raises(SettingsError, match="counts must be from 1 to 3"):
        reconstruct(molar, kernel, [1, 2, 3], [4])
    with pytest.raises(SettingsError, match="over 60 points, but molar-1 has 700 vertices"):
        reconstruct(molar, KERNEL, [1, 2, 3])


@pytest.mark.parametrize(
    "use", [posterior_covariance, lambda k, x, at: posterior_samples(k, x, [1.0], at)]
)
def test_no_points_to_ask_for_are_no_points(use):
    with pytest.raises(SettingsError, match="There are no points"):
        use(KERNEL, [1], [])


def indefinite():
    """No covariance, in a place that the sample of `as_kernel` does not see."""
    matrix = np.eye(500)
    matrix[101, 102] = matrix[102, 101] = 1.5
    return matrix


@pytest.mark.parametrize(
    "use",
    [
        lambda kernel: krige(kernel, [101], [1.0]),
        lambda kernel: krige(kernel, [101], [1.0], noise=0.1),
        lambda kernel: posterior_covariance(kernel, [101], [102, 5]),
        lambda kernel: posterior_samples(kernel, [101], [1.0], [102, 5]),
        lambda kernel: posterior_samples(kernel, [5], [1.0], [101, 102]),
    ],
)
def test_a_kernel_that_is_no_covariance_is_refused(use):
    with pytest.raises(KernelError, match=r"not positive semidefinite: .* -(1.25|1.04545|0.5)"):
        use(indefinite())
