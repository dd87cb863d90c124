import numpy as np
import pytest
from conftest import specimen

from gplandmark import ScanError, Surface, read
from gplandmark.mesh import (
    barycentric_areas,
    boundary_vertices,
    edge_lengths,
    edges,
    mean_edge_length,
    surface_area,
    voronoi_areas,
)
from gplandmark.mesh.closest_point import ClosestPoints, ClosestTriangle
from gplandmark.mesh.neighbours import pick_farthest
from gplandmark.mesh.synthetic import cylinder, plane, sphere, torus


def test_cell_areas_add_up_to_the_surface(any_surface):
    total = surface_area(any_surface)
    for areas in (voronoi_areas(any_surface), barycentric_areas(any_surface)):
        assert (areas > 0).all()
        np.testing.assert_allclose(areas.sum(), total, rtol=1e-12)


def test_the_cell_of_a_vertex_in_a_square_grid_is_one_square():
    flat = plane(6, size=5.0).surface
    interior = ~boundary_vertices(flat)
    np.testing.assert_allclose(voronoi_areas(flat)[interior], 1.0)


def test_obtuse_triangles_are_shared_by_halves_and_quarters():
    points = np.array([[0.0, 0, 0], [4, 0, 0], [2, 0.5, 0], [2, -0.5, 0]])
    kite = Surface(points, np.array([[0, 1, 2], [1, 0, 3]]))
    np.testing.assert_allclose(voronoi_areas(kite), [0.5, 0.5, 0.5, 0.5])


def test_degenerate_triangles_and_loose_vertices_have_no_area():
    flat = plane(4).surface
    points = np.vstack([flat.points, [[5, 5, 5]]])
    triangles = np.vstack([flat.triangles, [[0, 0, 1], [0, 5, 10]]])
    surface = Surface(points, triangles)
    areas = voronoi_areas(surface)
    assert areas[-1] == 0
    np.testing.assert_allclose(areas.sum(), 1.0)


def test_a_surface_of_degenerate_triangles_is_refused():
    line = np.column_stack([np.arange(5.0), np.zeros((5, 2))])
    with pytest.raises(ScanError, match="no area"):
        surface_area(Surface(line, np.array([[0, 1, 2], [2, 3, 4]])))


@pytest.mark.parametrize(
    ("make", "order"), [(sphere, 2), (lambda k: torus(12 * 2**k, 6 * 2**k), 2)]
)
def test_area_converges_with_order_two(make, order):
    errors = [abs(surface_area(make(k).surface) / make(k).area - 1) for k in (2, 3)]
    assert np.log2(errors[0] / errors[1]) > order - 0.2


def test_rims():
    assert not boundary_vertices(sphere(1).surface).any()
    assert np.count_nonzero(boundary_vertices(cylinder(20, 5).surface)) == 40
    assert np.count_nonzero(boundary_vertices(plane(5).surface)) == 16


def test_every_edge_is_listed_once():
    surface = sphere(1).surface
    ends, counts = edges(surface)
    assert len(ends) == 3 * len(surface.triangles) // 2
    assert (counts == 2).all()
    assert (ends[:, 0] < ends[:, 1]).all()
    np.testing.assert_allclose(edge_lengths(surface).mean(), mean_edge_length(surface))


def test_a_real_tooth_has_one_rim():
    tooth = read(specimen("data/teeth/B03_sas.off"))
    assert 100 < np.count_nonzero(boundary_vertices(tooth)) < 500
    np.testing.assert_allclose(voronoi_areas(tooth).sum(), surface_area(tooth))


def test_both_searches_find_the_closest_point(any_surface, random):
    centre, spread = any_surface.points.mean(axis=0), any_surface.points.std(axis=0)
    points = centre + 2 * spread * random.standard_normal((20, 3))
    squares, triangles, found = ClosestPoints(any_surface).to(points)
    np.testing.assert_allclose(((points - found) ** 2).sum(axis=1), squares, rtol=1e-9)
    assert triangles.shape == (20,)
    one_by_one = ClosestTriangle(any_surface)
    for point, square, closest in zip(points, squares, found, strict=True):
        distance = np.linalg.norm(any_surface.points - point, axis=1).min()
        triangle, weights = one_by_one.to(point, distance)
        assert weights.sum() == pytest.approx(1)
        assert (weights >= 0).all()
        place = weights @ any_surface.points[any_surface.faces()[triangle]]
        assert np.sum((place - point) ** 2) == pytest.approx(square, rel=1e-9)
        np.testing.assert_allclose(place, closest, atol=1e-6 * spread.max())


def test_farthest_points_fill_the_surface_and_are_never_picked_twice(random):
    points = np.repeat(random.random((6, 3)), 2, axis=0)  # each has a twin
    picks, radii = pick_farthest(lambda k: np.linalg.norm(points - points[k], axis=1), 3, 12)
    assert picks[0] == 3
    assert sorted(picks) == list(range(12))
    assert (np.diff(radii) <= 0).all()
    assert (radii[:5] > 0).all()
    assert (radii[5:] == 0).all()
