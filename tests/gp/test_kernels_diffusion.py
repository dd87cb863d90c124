"""The diffusion kernel: a reversible Markov chain that forgets how points were sampled."""

import numpy as np
import pytest

from gplandmark import Settings, SettingsError
from gplandmark.gp.kernels import DiffusionKernel


def dense(points, eps, alpha):
    """The definition, line by line."""
    heat = np.exp(-((points[:, None] - points) ** 2).sum(axis=2) / eps)
    density = heat.sum(axis=1)
    normalised = heat / np.outer(density, density) ** alpha
    degree = normalised.sum(axis=1)
    return degree.sum() * normalised / np.outer(degree, degree), degree / degree.sum()


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("dimension", [2, 3])
def test_it_is_its_definition(random, alpha, dimension):
    points = random.random((150, dimension))
    expected, _ = dense(points, 0.1, alpha)
    found = DiffusionKernel(points, 0.1, alpha).columns(np.arange(150))
    np.testing.assert_allclose(found, expected, rtol=1e-7)


def test_one_step_keeps_constants_and_the_stationary_measure(random):
    points = random.random((150, 3))
    _, stationary = dense(points, 0.1, 1.0)
    kernel = DiffusionKernel(points, 0.1).columns(np.arange(150))
    np.testing.assert_allclose(kernel @ stationary, 1.0, rtol=1e-7)


def evenly_sampled(count=4000):
    """Points of a sphere along a spiral, each with the same share of its area."""
    height = 1 - (2 * np.arange(count) + 1) / count
    angle = np.pi * (3 - np.sqrt(5)) * np.arange(count)
    ring = np.sqrt(1 - height**2)
    return np.column_stack([ring * np.cos(angle), ring * np.sin(angle), height])


def unevenly_sampled(random, count=6000):
    """Points of a sphere, five times as dense at one pole as at the other."""
    points = random.standard_normal((3 * count, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    kept = random.random(len(points)) < (3 + 2 * points[:, 2]) / 5
    return points[kept][:count]


def test_with_alpha_1_the_sampling_density_cancels(random):
    points = unevenly_sampled(random)
    spread = {}
    for alpha in (0.0, 1.0):
        diagonal = DiffusionKernel(points, 0.05, alpha).diagonal()
        poles = [np.median(diagonal[side * points[:, 2] > 0.8]) for side in (1, -1)]
        spread[alpha] = max(poles) / min(poles)
    assert spread[1.0] < 1.15
    assert spread[0.0] > 3


def test_with_alpha_1_it_tends_to_the_heat_kernel_of_the_sphere():
    points = evenly_sampled()
    degrees = np.arange(80)
    errors = []
    for eps in (0.2, 0.1, 0.05):
        weights = (2 * degrees + 1) * np.exp(-degrees * (degrees + 1) * eps / 4)
        # A density against area / 4 pi, because the stationary measure has sum 1.
        exact = np.polynomial.legendre.legval(points @ points[2000], weights)
        found = DiffusionKernel(points, eps).columns(np.array([2000]))[:, 0]
        errors.append(np.abs(found - exact).max() / exact.max())
    assert errors[-1] < 0.04
    assert errors[0] > 1.5 * errors[1] > 1.5 * 1.5 * errors[2]


@pytest.mark.parametrize("alpha", [-0.1, 1.1, np.nan])
def test_alpha_must_be_a_share(alpha):
    for make in (
        lambda: DiffusionKernel(np.zeros((4, 3)), 1.0, alpha),
        lambda: Settings(kernel="diffusion", alpha=alpha),
    ):
        with pytest.raises(SettingsError, match="alpha must be"):
            make()
