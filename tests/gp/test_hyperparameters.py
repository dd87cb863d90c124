"""Parameters from values: equal to scikit-learn's, and to leave-one-out done one by one."""

import numpy as np
import pytest

from gplandmark import SettingsError, fit_kernel, krige
from gplandmark.gp.kernels import MaternKernel, SquaredExponentialKernel
from gplandmark.gp.regression.criteria import scored

RANDOM = np.random.default_rng(5)
POINTS = RANDOM.random((60, 2))
AT = np.arange(40)
TRUTH = 30 * np.sin(5 * POINTS[:, 0]) * np.cos(4 * POINTS[:, 1])
VALUES = (TRUTH + 2.0 * RANDOM.standard_normal(60))[AT]


def family(eps):
    return SquaredExponentialKernel(POINTS, eps)


def test_the_likelihood_is_as_large_as_that_of_scikit_learn():
    process = pytest.importorskip("sklearn.gaussian_process")
    kernels = process.kernels
    own = kernels.ConstantKernel(100.0, (1e-3, 1e7)) * kernels.RBF(0.3) + kernels.WhiteKernel(1.0)
    theirs = process.GaussianProcessRegressor(own, n_restarts_optimizer=3, random_state=0)
    theirs.fit(POINTS[AT], VALUES)
    found = fit_kernel(family, AT, VALUES, start={"eps": 0.2})
    np.testing.assert_allclose(found.score, theirs.log_marginal_likelihood_value_, atol=1e-3)
    length = theirs.kernel_.k1.k2.length_scale
    np.testing.assert_allclose(found.parameters["eps"], 2 * length**2, rtol=0.01)
    noise = theirs.kernel_.k2.noise_level
    np.testing.assert_allclose(found.noise * found.scale, noise, rtol=0.02)
    mean, deviation = theirs.predict(POINTS, return_std=True)
    ours = krige(found.kernel, AT, VALUES, noise=found.noise)
    np.testing.assert_allclose(ours.mean, mean, atol=0.05)
    variance = found.scale * (ours.variance + found.noise)  # theirs is that of an observation
    np.testing.assert_allclose(np.sqrt(variance), deviation, rtol=0.02)


@pytest.mark.parametrize("alpha", [1e-10, 0.1])
def test_the_table_for_those_who_know_scikit_learn_holds(alpha):
    process = pytest.importorskip("sklearn.gaussian_process")
    kernels = process.kernels
    pairs = [
        (kernels.RBF(0.2), SquaredExponentialKernel(POINTS, 2 * 0.2**2)),
        (kernels.Matern(0.4, nu=1.7), MaternKernel(POINTS, 2 * 0.4**2, 1.7)),
    ]
    for theirs, ours in pairs:
        np.testing.assert_allclose(ours.block(AT, AT), theirs(POINTS[AT]), atol=1e-12)
        fitted = process.GaussianProcessRegressor(theirs, alpha=alpha, optimizer=None)
        mean, deviation = fitted.fit(POINTS[AT], VALUES).predict(POINTS, return_std=True)
        for kernel in (ours, (theirs, POINTS)):
            found = krige(kernel, AT, VALUES, noise=alpha)
            np.testing.assert_allclose(found.mean, mean, atol=1e-2)
            np.testing.assert_allclose(found.standard_deviation, deviation, atol=1e-4)


def test_leaving_one_out_is_what_kriging_without_it_gives():
    found = fit_kernel(family, AT, VALUES, start={"eps": 0.2}, criterion="leave-one-out")
    score = 0.0
    for left in AT:
        others = AT[left != AT]
        other = krige(found.kernel, others, VALUES[others], noise=found.noise)
        variance = found.scale * (other.variance[left] + found.noise)
        error = VALUES[left] - other.mean[left]
        score -= 0.5 * (np.log(2 * np.pi * variance) + error**2 / variance)
    np.testing.assert_allclose(found.score, score, rtol=1e-8)


@pytest.mark.parametrize("criterion", ["likelihood", "leave-one-out"])
def test_the_derivative_by_the_entries_is_that_of_differences(criterion):
    among = family(0.2).block(AT, AT)
    score = scored(among, VALUES, 0.1, criterion)
    change = RANDOM.standard_normal((len(AT), len(AT)))
    change += change.T
    step = 1e-6
    up, down = (scored(among + h * change, VALUES, 0.1, criterion).value for h in (step, -step))
    np.testing.assert_allclose(np.vdot(score.slope(), change), (up - down) / (2 * step), rtol=1e-5)


@pytest.mark.parametrize("criterion", ["likelihood", "leave-one-out"])
def test_no_other_parameters_score_higher(criterion):
    found = fit_kernel(family, AT, VALUES, start={"eps": 0.2}, noise=0.01, criterion=criterion)
    for factor in (0.5, 0.9, 1.1, 2.0):
        start = {"eps": found.parameters["eps"] * factor}
        other = fit_kernel(family, AT, VALUES, start=start, noise=0.01, criterion=criterion)
        np.testing.assert_allclose(other.score, found.score, atol=1e-4)


def test_units_change_the_scale_alone_and_smoothness_can_be_chosen():
    def matern(eps, smoothness):
        return MaternKernel(POINTS, eps, min(smoothness, 20.0))

    start = {"eps": 0.3, "smoothness": 2.0}
    small = fit_kernel(matern, AT, VALUES, start=start, noise=0.01)
    large = fit_kernel(matern, AT, 1000 * VALUES, start=start, noise=0.01)
    np.testing.assert_allclose(large.scale, 1e6 * small.scale, rtol=0.05)
    assert set(small.parameters) == {"eps", "smoothness"}


def test_what_was_fitted_is_shown_in_short_plain_numbers():
    found = fit_kernel(family, AT, VALUES, start={"eps": 0.2})
    eps, noise = found.parameters["eps"], found.noise
    shown = f"parameters={{'eps': {eps:.6g}}}, noise={noise:.6g}, scale={found.scale:.6g}"
    expected = f"FittedKernel(kernel=<SquaredExponentialKernel>, {shown}, score={found.score:.6g})"
    assert repr(found) == expected
    assert type(found.score) is float


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"start": {"eps": -1.0}}, "must be positive"),
        ({"start": {}}, "first guess"),
        ({"start": {"eps": "wide"}}, "must be a number"),
        ({"criterion": "best"}, "no criterion 'best'"),
        ({"values": VALUES[:5]}, "Expected 40 values"),
        ({"noise": -1.0}, "cannot be negative"),
        ({"landmarks": []}, "no landmarks"),
        ({"landmarks": [3], "values": [1.0]}, "at least 3 landmarks, got 1"),
        ({"family": 3}, "must be a function"),
        ({"start": {"width": 1.0}}, "does not take width"),
    ],
)
def test_bad_input_is_refused(more, words):
    given = {"family": family, "landmarks": AT, "values": VALUES, "start": {"eps": 0.2}, **more}
    with pytest.raises(SettingsError, match=words):
        fit_kernel(**given)
