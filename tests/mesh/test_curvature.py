"""Estimators against exact values, with their order of convergence, and by Gauss-Bonnet."""

import numpy as np
import pytest
from conftest import specimen

from gplandmark import GplandmarkWarning, SettingsError, Surface, read
from gplandmark.mesh import boundary_vertices, estimate_curvature, voronoi_areas
from gplandmark.mesh.curvature import surface_variation
from gplandmark.mesh.curvature.from_triangles import angle_defects
from gplandmark.mesh.synthetic import cylinder, ellipsoid, plane, saddle, sphere, torus

WITH_UNITS = ("quadric", "normal-cycle", "angle-defect")
SHAPES = {
    "sphere": lambda: sphere(5, radius=2.0),
    "ellipsoid": lambda: ellipsoid(5),
    "torus": lambda: torus(160, 80),
    "cylinder": lambda: cylinder(128, 64),
    "plane": lambda: plane(41),
    "saddle": lambda: saddle(81),
}


@pytest.mark.parametrize("estimator", WITH_UNITS)
@pytest.mark.parametrize("name", SHAPES)
def test_exact_shapes(estimator, name):
    shape = SHAPES[name]()
    found = estimate_curvature(shape.surface, estimator)
    for values, exact in (
        (found.gaussian, shape.curvature.gaussian),
        (found.mean, shape.curvature.mean),
    ):
        scale = np.abs(exact).max() or np.abs(shape.curvature.mean).max() ** 2 or 1.0
        assert np.median(np.abs(values - exact)) < 0.04 * scale
        assert np.isfinite(values).all()


@pytest.mark.parametrize("estimator", WITH_UNITS)
def test_the_mean_curvature_of_a_sphere_facing_outwards_is_positive(estimator):
    assert (estimate_curvature(sphere(4).surface, estimator).mean > 0.9).all()


@pytest.mark.parametrize("estimator", WITH_UNITS)
def test_a_saddle_has_negative_gaussian_curvature(estimator):
    shape = saddle(81)
    interior = ~boundary_vertices(shape.surface)
    found = estimate_curvature(shape.surface, estimator).gaussian
    assert np.median(found[interior]) < -0.5


@pytest.mark.parametrize("estimator", [*WITH_UNITS, "variation"])
def test_the_rim_of_a_flat_sheet_is_flat(estimator):
    shape = plane(41)
    found = estimate_curvature(shape.surface, estimator)
    assert np.abs(found.gaussian).max() < 1e-9
    assert np.abs(found.mean).max() < 1e-5


@pytest.mark.parametrize("estimator", WITH_UNITS)
def test_the_rim_of_a_cylinder_is_not_more_curved_than_its_middle(estimator):
    shape = cylinder(128, 64)
    rim = boundary_vertices(shape.surface)
    found = estimate_curvature(shape.surface, estimator)
    assert np.abs(found.mean[rim]).max() < 1.1 * np.median(np.abs(found.mean[~rim]))
    assert np.abs(found.gaussian[rim]).max() < 0.02


@pytest.mark.parametrize(("field", "order"), [("gaussian", 1.8), ("mean", 1.8)])
def test_pointwise_estimators_converge(field, order):
    def error(steps):
        shape = torus(steps * 24, steps * 12)
        found = getattr(estimate_curvature(shape.surface, "angle-defect"), field)
        return np.abs(found - getattr(shape.curvature, field)).max()

    assert np.log2(error(2) / error(4)) > order


@pytest.mark.parametrize(("estimator", "size"), [("quadric", 0.06), ("normal-cycle", 0.03)])
def test_smoothing_estimators_converge_as_radius_and_mesh_shrink_together(estimator, size):
    def error(level, radius):
        shape = ellipsoid(level)
        found = estimate_curvature(shape.surface, estimator, radius=radius)
        return np.median(np.abs(found.mean / shape.curvature.mean - 1))

    assert error(5, size) < 0.4 * error(4, 2 * size)


@pytest.mark.parametrize(
    ("estimator", "size"),
    [pytest.param("quadric", 0.12, marks=pytest.mark.slow), ("normal-cycle", 0.04)],
)
def test_a_radius_in_units_of_the_specimen_does_not_follow_the_mesh(estimator, size):
    coarse, fine = ellipsoid(4), ellipsoid(5)  # the vertices of one are the first of the other
    values = [
        estimate_curvature(shape.surface, estimator, radius=size).mean for shape in (coarse, fine)
    ]
    shared = len(values[0])
    change = np.abs(values[1][:shared] / values[0] - 1)
    assert np.median(change) < 0.01


@pytest.mark.parametrize("make", [sphere, ellipsoid])
def test_gauss_bonnet_on_closed_spheres(make):
    assert angle_defects(make(3).surface).sum() == pytest.approx(4 * np.pi)


def test_gauss_bonnet_on_a_torus_a_cylinder_and_a_disc(molar):
    assert angle_defects(torus(24, 12).surface).sum() == pytest.approx(0, abs=1e-9)
    assert angle_defects(cylinder(24, 12).surface).sum() == pytest.approx(0, abs=1e-9)
    assert angle_defects(molar).sum() == pytest.approx(2 * np.pi)


@pytest.mark.parametrize("estimator", WITH_UNITS)
def test_total_gaussian_curvature_of_a_sphere(estimator):
    surface = sphere(4).surface
    total = estimate_curvature(surface, estimator).gaussian @ voronoi_areas(surface)
    assert total == pytest.approx(4 * np.pi, rel=0.03)


@pytest.mark.parametrize("estimator", WITH_UNITS)
def test_curvature_scales_with_the_unit_and_ignores_the_pose(estimator, random):
    surface = ellipsoid(4).surface
    turn, _ = np.linalg.qr(random.standard_normal((3, 3)))
    turn *= np.sign(np.linalg.det(turn))
    moved = Surface(1000 * surface.points @ turn.T + 1e5, surface.triangles)
    before, after = (estimate_curvature(each, estimator) for each in (surface, moved))
    scale = np.abs(before.mean).max()
    np.testing.assert_allclose(after.mean * 1e3, before.mean, atol=1e-4 * scale)
    np.testing.assert_allclose(after.gaussian * 1e6, before.gaussian, atol=1e-4 * scale**2)


def test_libigl_is_given_the_exact_radius():
    import igl

    surface = ellipsoid(4).surface
    sides = surface.points[surface.triangles] - surface.points[surface.triangles[:, [1, 2, 0]]]
    mean = np.linalg.norm(sides, axis=2).mean()
    _, _, first, second, _ = igl.principal_curvature(surface.points, surface.triangles, 4, False)
    area = voronoi_areas(surface).sum()
    found = estimate_curvature(surface, "quadric", radius=4 * mean / np.sqrt(area) * (1 + 1e-12))
    np.testing.assert_allclose(found.mean, (first + second) / 2, rtol=1e-9)


def test_a_coarse_mesh_limits_the_radius_and_says_so():
    with pytest.warns(GplandmarkWarning, match="coarse"):
        estimate_curvature(sphere(2).surface, "quadric")


def test_surface_variation_is_flat_on_planes_and_grows_with_the_square_of_curvature(random):
    flat = np.column_stack([random.random((200, 2)), np.zeros(200)])
    assert surface_variation(flat).max() < 1e-12
    small, large = sphere(4, 1.0).surface.points, sphere(4, 1.0).surface.points * 3
    np.testing.assert_allclose(surface_variation(small), surface_variation(large), rtol=1e-6)
    assert 0 < surface_variation(small).max() <= 1 / 3


def test_surface_variation_works_without_triangles_in_any_dimension(random):
    assert surface_variation(random.random((50, 6)), 8).shape == (50,)


def test_degenerate_and_loose_parts_do_no_harm():
    ball = sphere(4).surface
    points = np.vstack([ball.points, [[9, 9, 9]]])
    triangles = np.vstack([ball.triangles, [[0, 0, 1], [3, 3, 3]]])
    for estimator in WITH_UNITS:
        found = estimate_curvature(Surface(points, triangles), estimator)
        assert np.isfinite(found.mean).all()
        assert found.mean[-1] == 0
        assert np.median(found.mean) == pytest.approx(1, rel=0.02)


@pytest.mark.parametrize(
    ("estimator", "options", "message"),
    [
        ("guess", {}, "no curvature estimator 'guess'"),
        ("quadric", {"radius": 0.0}, "positive fraction"),
        ("normal-cycle", {"radius": np.nan}, "positive fraction"),
        ("angle-defect", {"radius": 0.1}, "has no radius"),
        ("quadric", {"neighbours": 5}, "counts no neighbours"),
        ("variation", {"neighbours": 2}, "needs 3 to"),
        ("variation", {"neighbours": 10**6}, "needs 3 to"),
    ],
)
def test_bad_options(estimator, options, message):
    with pytest.raises(SettingsError, match=message):
        estimate_curvature(sphere(2).surface, estimator, **options)


def test_estimators_agree_on_where_a_real_tooth_is_curved():
    tooth = read(specimen("data/teeth/B03_sas.off"))
    quadric = np.abs(estimate_curvature(tooth, "quadric").mean)
    cycle = np.abs(estimate_curvature(tooth, "normal-cycle").mean)
    assert np.corrcoef(quadric, cycle)[0, 1] > 0.85
