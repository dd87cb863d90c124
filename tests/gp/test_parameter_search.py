"""Parameters are found from any guess, also beside singular covariances, and doubt is reported."""

import numpy as np
import pytest

from gplandmark import GplandmarkWarning, KernelError, SettingsError, fit_kernel, krige
from gplandmark.gp.kernels import MaternKernel, SquaredExponentialKernel

LINE = np.linspace(0, 10, 15)[:, None]
WAVE = np.sin(LINE[:, 0])
ALL = np.arange(15)


def rbf(length):
    """The kernel that scikit-learn calls RBF."""
    return SquaredExponentialKernel(LINE, 2 * length**2)


def of_scikit_learn(alpha):
    """Its optimum, with the noise in units of the kernel, as ours is."""
    process = pytest.importorskip("sklearn.gaussian_process")
    best = (-np.inf, np.nan)
    for length in np.geomspace(0.5, 8, 400):
        with np.errstate(all="ignore"):
            covariance = process.kernels.RBF(length)(LINE) + alpha * np.eye(15)
        sign, determinant = np.linalg.slogdet(covariance)
        scale = WAVE @ np.linalg.solve(covariance, WAVE) / 15
        if sign > 0 and scale > 0:
            score = -0.5 * (15 * (np.log(2 * np.pi * scale) + 1) + determinant)
            best = max(best, (score, length))
    return best


@pytest.mark.parametrize("start", [1e-3, 0.2, 0.5, 1.0, 2.0, 5.0, 1e3])
def test_a_smooth_function_without_noise_is_fitted_from_any_guess(start):
    process = pytest.importorskip("sklearn.gaussian_process")
    kernels = process.kernels
    theirs = process.GaussianProcessRegressor(
        kernels.ConstantKernel(16.7) * kernels.RBF(3.2), alpha=1e-10, optimizer=None
    ).fit(LINE, WAVE)
    found = fit_kernel(rbf, ALL, WAVE, start={"length": start}, noise=0)
    assert found.score > theirs.log_marginal_likelihood_value_  # 41.7: without noise it is larger
    assert 2.9 < found.parameters["length"] < 4
    assert np.isfinite(krige(found.kernel, ALL, WAVE).mean).all()  # it is no singular kernel


@pytest.mark.parametrize("start", [1e-3, 0.2, 0.5, 1.0, 2.0, 5.0, 1e3])
@pytest.mark.parametrize("noise", [1e-10, 1e-6])
def test_every_guess_ends_at_the_largest_likelihood(start, noise):
    score, length = of_scikit_learn(noise)
    found = fit_kernel(rbf, ALL, WAVE, start={"length": start}, noise=noise)
    np.testing.assert_allclose(found.score, score, atol=0.05)
    np.testing.assert_allclose(found.parameters["length"], length, rtol=0.05)


def test_scikit_learn_finds_the_same_optimum_with_its_restarts():
    process = pytest.importorskip("sklearn.gaussian_process")
    kernels = process.kernels
    random = np.random.default_rng(1)
    values = WAVE + 0.1 * random.standard_normal(15)
    theirs = process.GaussianProcessRegressor(
        kernels.ConstantKernel(1.0) * kernels.RBF(1.0) + kernels.WhiteKernel(0.1),
        n_restarts_optimizer=5,
        random_state=0,
    ).fit(LINE, values)
    for start in (0.01, 1.0, 100.0):
        found = fit_kernel(rbf, ALL, values, start={"length": start})
        np.testing.assert_allclose(found.score, theirs.log_marginal_likelihood_value_, atol=1e-3)


@pytest.mark.parametrize("noise", [0.0, 0.01, None])
def test_nothing_better_was_evaluated(noise):
    from gplandmark.gp.regression.parameter_search import ParameterSearch

    seen = []
    search = ParameterSearch(rbf, {"length": 1.0}, ALL, WAVE, noise, 1.0, "likelihood")
    height = search._scored
    search._scored = lambda *given: seen.append(height(*given)) or seen[-1]
    search.run()
    assert search.score.value == max(each.value for each in seen if each is not None)


@pytest.mark.parametrize("noise", [0.0, 0.01, None])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_values_without_a_signal_give_a_warning(noise, seed):
    values = np.random.default_rng(seed).standard_normal(15)
    with pytest.warns(GplandmarkWarning, match="hardly determine length"):
        fit_kernel(rbf, ALL, values, start={"length": 1.0}, noise=noise)


def test_a_parameter_at_the_border_of_the_search_gives_a_warning():
    with pytest.warns(GplandmarkWarning, match="hardly determine length: .* border"):
        fit_kernel(rbf, ALL, WAVE, start={"length": 1e-7}, noise=1e-3)
    fit_kernel(rbf, ALL, WAVE, start={"length": 1e-5}, noise=1e-3)


@pytest.mark.parametrize("values", [np.zeros(15), np.full(15, 0.1), 3 + 1e-16 * WAVE])
@pytest.mark.parametrize("noise", [0.0, None])
def test_values_that_are_all_equal_are_refused(values, noise):
    with pytest.raises(SettingsError, match="all equal"):
        fit_kernel(rbf, ALL, values, start={"length": 1.0}, noise=noise)


def test_parameters_that_the_family_refuses_are_passed_over():
    def matern(smoothness):
        return MaternKernel(LINE, 8.0, smoothness)  # refuses more than 50

    found = fit_kernel(matern, ALL, np.abs(WAVE), start={"smoothness": 2.0}, noise=1e-3)
    assert 0 < found.parameters["smoothness"] <= 50


def test_a_family_without_covariances_is_refused():
    ones = np.ones((15, 15))  # singular, whatever the parameter
    with pytest.raises(KernelError, match="No parameters near the guess"):
        fit_kernel(lambda size: size * ones, ALL, WAVE, start={"size": 1.0}, noise=0)
