import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gplandmark import GplandmarkWarning, SettingsError
from gplandmark.gp.kernels import curvature_weight
from gplandmark.mesh import Curvature, estimate_curvature, voronoi_areas
from gplandmark.mesh.synthetic import cylinder, plane, sphere, torus


def literal_weight(curvature, areas, mixture, exponent):
    """Equation (weight-function-discrete), character by character."""
    kappa, eta = np.abs(curvature.gaussian) ** exponent, np.abs(curvature.mean) ** exponent
    return mixture * kappa / (kappa @ areas) + (1 - mixture) * eta / (eta @ areas)


@pytest.mark.parametrize("mixture", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0])
def test_the_weight_is_the_papers_equation(mixture, exponent):
    surface = torus(48, 24).surface
    curvature, areas = torus(48, 24).curvature, voronoi_areas(surface)
    found = curvature_weight(curvature, areas, mixture=mixture, exponent=exponent)
    np.testing.assert_allclose(found, literal_weight(curvature, areas, mixture, exponent))
    assert found @ areas == pytest.approx(1)


@given(st.floats(1e-6, 1e6), st.floats(0, 1), st.floats(0.1, 4))
def test_the_weight_does_not_depend_on_the_unit(unit, mixture, exponent):
    shape = torus(12, 8)
    areas = voronoi_areas(shape.surface)
    scaled = Curvature(shape.curvature.gaussian / unit**2, shape.curvature.mean / unit)
    before = curvature_weight(shape.curvature, areas, mixture=mixture, exponent=exponent)
    after = curvature_weight(scaled, areas * unit**2, mixture=mixture, exponent=exponent)
    np.testing.assert_allclose(after * unit**2, before, rtol=1e-9)


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("estimator", ["quadric", "normal-cycle", "angle-defect"])
def test_on_a_cylinder_the_gaussian_term_is_dropped(estimator, unit):
    surface = cylinder(96, 48, unit, 2 * unit).surface
    areas = voronoi_areas(surface)
    curvature = estimate_curvature(surface, estimator)
    with pytest.warns(GplandmarkWarning, match="Gaussian curvature vanishes"):
        found = curvature_weight(curvature, areas)
    np.testing.assert_allclose(found, np.abs(curvature.mean) / (np.abs(curvature.mean) @ areas))
    with pytest.warns(GplandmarkWarning, match="Gaussian curvature vanishes"):
        alone = curvature_weight(curvature, areas, mixture=1.0)
    assert np.ptp(alone) == 0


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("estimator", ["quadric", "normal-cycle", "angle-defect", "variation"])
def test_on_a_plane_the_weight_is_uniform(estimator, unit):
    surface = plane(41, unit).surface
    areas = voronoi_areas(surface)
    with pytest.warns(GplandmarkWarning, match="flat"):
        found = curvature_weight(estimate_curvature(surface, estimator), areas)
    np.testing.assert_allclose(found, 1 / areas.sum())


def test_on_a_minimal_surface_the_mean_term_is_dropped():
    areas = np.full(10, 0.1)
    curvature = Curvature(np.linspace(-2, -1, 10), np.full(10, 1e-9))
    with pytest.warns(GplandmarkWarning, match="mean curvature vanishes"):
        found = curvature_weight(curvature, areas)
    np.testing.assert_allclose(found, np.linspace(2, 1, 10) / (np.linspace(2, 1, 10) @ areas))


def test_a_sphere_has_a_uniform_weight_without_a_warning():
    shape = sphere(3)
    areas = voronoi_areas(shape.surface)
    np.testing.assert_allclose(curvature_weight(shape.curvature, areas), 1 / areas.sum())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mixture": -0.1}, "from 0 to 1"),
        ({"mixture": 1.1}, "from 0 to 1"),
        ({"mixture": np.nan}, "from 0 to 1"),
        ({"exponent": 0.0}, "must be positive"),
        ({"exponent": np.inf}, "must be positive"),
    ],
)
def test_parameters_out_of_range(options, message):
    with pytest.raises(SettingsError, match=message):
        curvature_weight(sphere(1).curvature, np.ones(42), **options)
