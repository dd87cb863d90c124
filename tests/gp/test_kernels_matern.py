"""The Matern kernel in space: its formulas, and the bandwidth that it shares with the others."""

from itertools import pairwise

import numpy as np
import pytest

from gplandmark import Settings, SettingsError
from gplandmark.gp.kernels import MaternKernel, SquaredExponentialKernel
from gplandmark.gp.kernels.stationary import matern


@pytest.mark.parametrize("smoothness", [0.5, 1.5, 2.5])
def test_short_formulas_agree_with_bessel_functions(smoothness):
    distances = np.concatenate([[0.0, 1e-12, 1e-6], np.linspace(0.001, 30, 400)])
    short = matern(distances, smoothness)
    general = matern(distances, smoothness + 1e-9)
    np.testing.assert_allclose(general, short, atol=2e-4 if smoothness == 0.5 else 1e-6)
    np.testing.assert_allclose(general[10:], short[10:], rtol=1e-6)


@pytest.mark.parametrize("smoothness", [0.3, 1.0, 7.3, 50.0])
def test_it_falls_from_1_to_0_without_a_hitch(smoothness):
    values = matern(np.concatenate([[0.0], np.geomspace(1e-9, 1e3, 2000)]), smoothness)
    assert values[0] == 1
    assert np.isfinite(values).all()
    assert (np.diff(values) <= 1e-12).all()
    assert values[-1] < 1e-10


def test_the_smoother_it_is_the_closer_to_the_squared_exponential(random):
    points = random.random((60, 3))
    gaussian = SquaredExponentialKernel(points, 0.3).columns(np.arange(60))
    gaps = [
        np.abs(MaternKernel(points, 0.3, nu).columns(np.arange(60)) - gaussian).max()
        for nu in (5.0, 10.0, 20.0, 40.0)
    ]
    assert gaps[-1] < 0.01
    assert all(one > 1.7 * two for one, two in pairwise(gaps))


def test_units_change_nothing(random):
    points = random.random((40, 3))
    one, two = MaternKernel(points, 0.3), MaternKernel(1000 * points, 0.3e6)
    np.testing.assert_allclose(one.columns(np.arange(5)), two.columns(np.arange(5)), rtol=1e-10)


@pytest.mark.parametrize("smoothness", [0.0, -1.0, np.nan, np.inf, 51.0])
def test_the_smoothness_must_be_a_sensible_number(smoothness):
    for make in (
        lambda: MaternKernel(np.zeros((4, 3)), 1.0, smoothness),
        lambda: Settings(kernel="matern", smoothness=smoothness),
    ):
        with pytest.raises(SettingsError, match="smoothness must be"):
            make()
