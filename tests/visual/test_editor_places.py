"""From a click to a place: the nearest point of the surface, and the first that a ray meets."""

import igl
import numpy as np
import pytest
from conftest import SMALL
from hypothesis import given
from hypothesis import strategies as st

from gplandmark import LandmarkFileError, Landmarks, Surface, make_molar, place
from gplandmark.mesh.closest_point import closest_on_triangles
from gplandmark.mesh.synthetic import sphere
from gplandmark.visual.editor.open import origin_of
from gplandmark.visual.editor.placement import Finder

MOLAR = make_molar(2, vertex_count=600).surface
FINDER = Finder(MOLAR)
coordinate = st.floats(-12, 12, width=32)
anywhere = st.tuples(coordinate, coordinate, coordinate)


@given(anywhere)
def test_the_nearest_place_is_as_near_as_any(point):
    squared, _, _ = igl.point_mesh_squared_distance(
        np.array([point]), MOLAR.points, np.ascontiguousarray(MOLAR.triangles)
    )
    found = FINDER.nearest(point)
    distance = np.linalg.norm(np.array(found.point) - point)
    assert distance == pytest.approx(float(np.sqrt(squared.ravel()[0])), rel=1e-7, abs=1e-7)
    if found.triangle >= 0:
        corners = MOLAR.triangles[found.triangle]
        np.testing.assert_allclose(
            np.array(found.barycentric) @ MOLAR.points[corners], found.point, atol=1e-12
        )
        assert min(found.barycentric) >= 0
        assert sum(found.barycentric) == pytest.approx(1)
        to_corners = np.linalg.norm(MOLAR.points[corners] - found.point, axis=1)
        assert found.vertex == corners[to_corners.argmin()]
    else:
        assert found.point == tuple(MOLAR.points[found.vertex])


def test_a_vertex_is_its_own_place():
    for vertex in (0, 17, 599):
        found = FINDER.nearest(MOLAR.points[vertex])
        assert (found.vertex, found.triangle, found.barycentric) == (vertex, -1, ())


@given(st.integers(0, len(MOLAR.triangles) - 1), st.integers(0, 500))
def test_a_ray_meets_the_first_triangle_on_its_way(triangle, seed):
    random = np.random.default_rng(seed)
    aim = random.dirichlet(np.ones(3)) @ MOLAR.points[MOLAR.triangles[triangle]]
    origin = aim + 30 * random.standard_normal(3)
    found = FINDER.along(origin, aim - origin)
    way = (aim - origin) / np.linalg.norm(aim - origin)
    offset = np.array(found.point) - origin
    np.testing.assert_allclose(np.cross(offset, way), 0, atol=1e-9)
    hits = igl.ray_mesh_intersect(origin, way, MOLAR.points, MOLAR.triangles)
    assert offset @ way == pytest.approx(min(hit[1] for hit in hits), rel=1e-5)


def test_rays_do_not_slip_through_edges_and_corners():
    ball = sphere(2).surface
    finder = Finder(ball)
    middles = ball.points[ball.triangles[:, :2]].mean(axis=1)
    for aim in np.vstack([ball.points, middles]):
        found = finder.along(3 * aim, -aim)
        np.testing.assert_allclose(found.point, aim, atol=1e-9)


def test_a_ray_meets_what_lies_ahead_from_both_sides():
    ball = sphere(2).surface
    finder = Finder(ball)
    inside = finder.along([0, 0, 0], [0, 0, 7])
    outside = finder.along([0, 0, 5], [0, 0, -1])
    np.testing.assert_allclose(inside.point, outside.point, atol=1e-12)
    assert finder.along([0, 0, 5], [0, 0, 1]) is None
    assert finder.along([5, 0, 5], [0, 0, -1]) is None


def test_of_a_cloud_the_first_point_near_the_ray_is_met():
    cloud = Surface(sphere(3).surface.points)
    finder = Finder(cloud)
    found = finder.along([0.01, 0.02, 5], [0, 0, -1])
    assert found.point[2] > 0.9
    assert found.point == tuple(cloud.points[found.vertex])
    far = finder.along([3, 0, 5], [0, 0, -1])  # beside the cloud: the nearest to the ray
    assert far.point[0] == cloud.points[:, 0].max()
    assert finder.along([0, 0, 5], [0, 0, 1]) is None


def test_a_ray_needs_space():
    finder = Finder(Surface(np.random.default_rng(0).random((20, 4))))
    with pytest.raises(ValueError, match="not lie in space"):
        finder.along([0, 0, 0, 0], [1, 0, 0, 0])
    assert finder.nearest(finder.surface.points[7]).vertex == 7


def test_triangles_without_area_have_nearest_points():
    corners = np.array([[[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[1, 1, 1]] * 3], dtype=float)
    weights, distances = closest_on_triangles(np.array([1.5, 2.0, 0.0]), corners)
    np.testing.assert_allclose(distances, [2, np.sqrt(0.25 + 1 + 1)])
    np.testing.assert_allclose(np.einsum("kc,kcd->kd", weights, corners)[0], [1.5, 0, 0])
    finder = Finder(Surface(corners.reshape(6, 3), np.arange(6).reshape(2, 3)))
    assert finder.along([1.5, 2.0, 0.0], [0, -1.0, 0]) is None


def test_loose_vertices_are_no_places():
    points = np.vstack([MOLAR.points, [[20.0, 0, 0]]])
    finder = Finder(Surface(points, MOLAR.triangles))
    assert finder.nearest([20, 0, 0]).vertex < 600
    assert 600 not in finder.ball([20, 0, 0], 50)
    assert len(finder.ball([20, 0, 0], 50)) == 600


def test_far_from_the_origin_places_lie_on_their_triangles():
    far = Surface(MOLAR.points + 1500.0, MOLAR.triangles)
    found = Finder(far).along([1500, 1500, 1600], [0.001, 0.002, -1])
    here = FINDER.along([0, 0, 100], [0.001, 0.002, -1])
    assert found.triangle == here.triangle
    np.testing.assert_allclose(np.array(found.point) - 1500, here.point, atol=1e-9)


def test_opened_coordinates_stay_to_the_last_digit():
    points = MOLAR.points[[3, 50]] + [[0, 0, 0], [0.01, 0.02, 0.03]]
    origin = origin_of(FINDER, Landmarks.at(points, "molar"))
    assert (origin.state.points() == points).all()
    assert [mark.author for mark in origin.state.marks] == ["human", "human"]


def test_landmarks_in_ras_are_turned_onto_the_mesh():
    turned = MOLAR.points[[3, 50]] * [-1, -1, 1]
    origin = origin_of(FINDER, Landmarks.at(turned, "molar", system="RAS"))
    assert (origin.state.points() == MOLAR.points[[3, 50]]).all()
    assert origin.system == "LPS"


def test_placed_landmarks_have_the_algorithm_as_author_but_for_the_start():
    origin = origin_of(FINDER, place(MOLAR, 4, settings=SMALL, start=[77], exclude=[5, 6, 9]))
    assert [mark.author for mark in origin.state.marks] == ["human"] + ["algorithm"] * 3
    mask = np.unpackbits(np.frombuffer(origin.state.painted, dtype=np.uint8))
    assert np.flatnonzero(mask).tolist() == [5, 6, 9]


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (np.array([[900.0, 0, 0]]), "'1' lies .* off molar"),
        (np.array([[0.0, 0]]), "has dimension 2"),
    ],
)
def test_landmarks_of_another_surface_are_refused(points, message):
    with pytest.raises(LandmarkFileError, match=message):
        origin_of(FINDER, Landmarks.at(points, "other"))
