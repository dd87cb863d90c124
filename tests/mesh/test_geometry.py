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
