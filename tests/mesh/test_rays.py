"""Where a ray meets a surface, against a test of every triangle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gplandmark import Surface
from gplandmark.mesh.rays import Target, nearest_to_ray
from gplandmark.mesh.synthetic import sphere, torus


def every_triangle(surface, origin, direction):
    """Smallest t >= 0 at which a ray meets a triangle, one linear system for each."""
    best = np.inf
    for corners in surface.points[surface.triangles]:
        matrix = np.column_stack([-direction, corners[1] - corners[0], corners[2] - corners[0]])
        if abs(np.linalg.det(matrix)) < 1e-14:
            continue
        t, u, v = np.linalg.solve(matrix, origin - corners[0])
        if t >= 0 and min(u, v, 1 - u - v) >= -1e-9:
            best = min(best, t)
    return best


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.booleans())
def test_the_first_hit_is_that_of_every_triangle_tested(seed, from_inside):
    random = np.random.default_rng(seed)
    surface = torus(24, 12).surface
    origin = surface.points.mean(axis=0) if from_inside else random.normal(size=3) * 5
    aim = surface.points[random.integers(surface.vertex_count)] + 0.1 * random.normal(size=3)
    hit = Target(surface).hit(origin, aim - origin)
    truth = every_triangle(surface, origin, aim - origin)
    if hit is None:
        assert truth == np.inf
        return
    assert hit.distance == pytest.approx(truth, rel=1e-9)
    np.testing.assert_allclose(hit.point, origin + hit.distance * (aim - origin), atol=1e-9)
    corners = surface.points[surface.triangles[hit.triangle]]
    np.testing.assert_allclose(hit.barycentric @ corners, hit.point, atol=1e-12)
    assert hit.barycentric.min() >= 0
    assert hit.barycentric.sum() == pytest.approx(1)


def test_no_ray_slips_between_triangles():
    surface = sphere(2).surface
    target = Target(surface)
    middles = surface.points[surface.triangles][:, [0, 1]].mean(axis=1)
    for aim in (*surface.points, *middles):  # through vertices and through edges
        hit = target.hit(5 * aim, -aim)
        assert hit is not None
        np.testing.assert_allclose(hit.point, aim, atol=1e-9)


def test_what_lies_behind_or_beside_is_not_met():
    target = Target(sphere(2).surface)
    away = np.array([0.0, 0, 1])
    assert target.hit(np.array([0.0, 0, 3]), away) is None
    assert target.hit(np.array([3.0, 0, -3]), away) is None
    assert target.hit(np.array([0.0, 0, -3]), away).distance == pytest.approx(2, abs=0.05)


def test_a_single_large_triangle_is_met_among_many_small_ones():
    small = sphere(4).surface
    wall = np.array([[-90.0, -90, -2], [90, -90, -2], [0, 90, -2]])
    corners = small.vertex_count + np.arange(3)
    surface = Surface(np.vstack([small.points, wall]), np.vstack([small.triangles, corners]))
    hit = Target(surface).hit(np.array([20.0, -20, 5]), np.array([0.0, 0, -1]))
    assert hit.triangle == len(small.triangles)
    assert Target(surface).hit(np.array([0.0, 0, 5]), np.array([0.0, 0, -1])).distance < 5


def test_far_from_the_origin_nothing_is_lost():
    near = sphere(3).surface
    shift = np.array([1e6, -2e6, 5e5])
    far = Surface(near.points + shift, near.triangles)
    origin, direction = np.array([0.3, 0.2, 4]), np.array([0.01, 0, -1])
    one, two = Target(near).hit(origin, direction), Target(far).hit(origin + shift, direction)
    assert one.triangle == two.triangle
    assert one.distance == pytest.approx(two.distance, rel=1e-8)


def test_a_cloud_is_met_at_its_first_point_near_the_ray():
    points = np.array([[0, 0, 0], [0.05, 0, 1], [3, 0, 2], [0, 0, 9]], dtype=float)
    origin, down = np.array([0.0, 0, 5]), np.array([0.0, 0, -2])
    assert nearest_to_ray(points, origin, down, 0.1) == 1
    assert nearest_to_ray(points, origin, down, 0.01) == 0
    assert nearest_to_ray(points, np.array([1.0, 1, 5]), down, 0.1) is None
