"""Landmarks between vertices: the continuous maximum of the variance."""

import numpy as np
import pytest
from conftest import SMALL
from hypothesis import given
from hypothesis import strategies as st

from gplandmark import (
    Settings,
    SettingsError,
    Surface,
    covariance,
    place,
    read_landmarks,
    select,
    write,
)
from gplandmark.gp.kernels import FieldKernel, ReweightedKernel
from gplandmark.landmarks import masses
from gplandmark.landmarks.between_vertices import NODES, Mover, highest
from gplandmark.mesh import surface_area

SHARES = np.array([(i, j, 30 - i - j) for i in range(31) for j in range(31 - i)]) / 30


def quadratic(values, shares):
    """The quadratic through six values, in the usual basis of finite elements."""
    x, y, z = shares.T
    basis = [x * (2 * x - 1), y * (2 * y - 1), z * (2 * z - 1), 4 * y * z, 4 * x * z, 4 * x * y]
    return np.array(values) @ np.array(basis)


@given(st.lists(st.floats(-10, 10), min_size=6, max_size=6))
def test_the_highest_point_of_a_quadratic_beats_every_other(values):
    np.testing.assert_allclose(quadratic(values, NODES), values, atol=1e-12)
    top = highest(np.array(values))
    assert top.sum() == pytest.approx(1)
    assert (top >= 0).all()
    assert quadratic(values, top[None])[0] >= quadratic(values, SHARES).max() - 1e-9


def moved(surface, count=20, allowed=None):
    mover = Mover(surface, surface.covered() if allowed is None else allowed)
    return mover, select(covariance(surface, SMALL), count, candidates=allowed, move=mover)


def test_every_landmark_lies_on_its_triangle_next_to_its_vertex(molar):
    mover, found = moved(molar)
    for spot, vertex, point in zip(mover.places, found.indices, found.points, strict=True):
        corners = molar.triangles[spot.triangle]
        assert vertex in corners
        np.testing.assert_allclose(spot.barycentric @ molar.points[corners], point)
        assert spot.barycentric.min() >= -1e-12
        assert spot.barycentric.sum() == pytest.approx(1)


def test_the_variance_is_that_of_the_points_and_above_that_of_the_vertices(molar):
    _, found = moved(molar)
    kernel = ReweightedKernel(molar.points, masses(molar, SMALL), 0.008 * surface_area(molar))
    for k, (vertex, point) in enumerate(zip(found.indices, found.points, strict=True)):
        before = found.points[:k]
        both = np.array([point, molar.points[vertex]])
        cross = kernel.between(before, both)
        left = np.linalg.solve(kernel.between(before, before), cross) if k else cross
        variance = kernel.between(both, both).diagonal() - (cross * left).sum(axis=0)
        assert found.variances[k] == pytest.approx(variance[0], rel=1e-4)
        assert variance[0] >= variance[1] * (1 - 1e-6)


def test_the_spotis_the_best_of_many_on_its_triangles(molar):
    kernel = covariance(molar, SMALL)
    mover = Mover(molar, molar.covered())
    first = select(kernel, 1, move=mover)
    near = mover.around(int(first.indices[0]))
    points = (SHARES @ molar.points[molar.triangles[near]]).reshape(-1, 3)
    values = ReweightedKernel(molar.points, masses(molar, SMALL), kernel.exact.eps)
    best = max(values.between(point[None], point[None])[0, 0] for point in points[::7])
    assert first.variances[0] >= best * (1 - 1e-7)


def test_excluded_corners_keep_landmarks_off_their_triangles(molar):
    allowed = molar.points[:, 0] > np.median(molar.points[:, 0])
    mover, found = moved(molar, allowed=allowed)
    assert allowed[found.indices].all()
    for spot in mover.places:
        used = molar.triangles[spot.triangle][spot.barycentric > 0]
        assert allowed[used].all()


def test_landmarks_agree_better_between_two_meshes_of_one_surface():
    """A sphere with bumps, meshed twice: the points must agree better than the vertices do."""
    import igl

    from gplandmark.mesh.synthetic import make_molar

    fine = make_molar(2, vertex_count=3000).surface
    coarse = Surface(*igl.qslim(fine.points, fine.triangles, len(fine.triangles) // 4)[:2])
    gaps, narrow = {}, Settings(curvature_radius=0.05)
    for name in ("vertices", "points"):
        picks = []
        for surface in (fine, coarse):
            mover = Mover(surface, surface.covered()) if name == "points" else None
            found = select(covariance(surface, narrow), 16, move=mover)
            picks.append(surface.points[found.indices] if mover is None else found.points)
        distances = np.linalg.norm(picks[0][:, None] - picks[1], axis=2).min(axis=1)
        gaps[name] = np.median(distances) / np.sqrt(surface_area(fine))
    assert gaps["points"] < 0.7 * gaps["vertices"]


def test_a_run_between_vertices_goes_on_where_it_stopped(molar):
    _, whole = moved(molar, 20)
    mover, begun = moved(molar, 8)
    continued = select(covariance(molar, SMALL), 20, after=begun, move=mover)
    np.testing.assert_allclose(continued.points, whole.points)


def test_other_kernels_have_no_points_between_vertices(molar):
    kernel = ReweightedKernel(molar.points, np.ones(molar.vertex_count), 0.1)
    with pytest.raises(SettingsError, match="field engine"):
        select(kernel, 3, move=Mover(molar, molar.covered()))
    field = FieldKernel.of(molar.points, np.ones(molar.vertex_count), 0.1, loops="numpy")
    assert select(field, 3, move=Mover(molar, molar.covered())).points.shape == (3, 3)


def test_spotbetween_vertices_is_recorded_and_continues(molar, tmp_path):
    landmarks = place(molar, 12, settings=SMALL, between_vertices=True)
    assert landmarks.record.request["between_vertices"] is True
    for spot, point in zip(landmarks.places, landmarks.points, strict=True):
        corners = molar.points[molar.triangles[spot.triangle]]
        np.testing.assert_allclose(spot.barycentric @ corners, point)
    path, _ = write(landmarks, tmp_path / "molar.mrk.json")
    again = read_landmarks(path)
    assert [each.triangle for each in again.places] == [each.triangle for each in landmarks.places]
    np.testing.assert_array_equal(again.places[3].barycentric, landmarks.places[3].barycentric)
    np.testing.assert_array_equal(again.places[3].corners, landmarks.places[3].corners)
    more = place(molar, 15, settings=SMALL, between_vertices=True, after=landmarks)
    assert len(more.places) == 15
    np.testing.assert_array_equal(more.points[:12], landmarks.points)
    with pytest.raises(SettingsError, match="only with the settings that made them"):
        place(molar, 15, settings=SMALL, after=landmarks)


def test_starting_landmarks_stay_on_their_vertices(molar):
    landmarks = place(molar, 6, settings=SMALL, start=[5, 300], between_vertices=True)
    np.testing.assert_array_equal(landmarks.points[:2], molar.points[[5, 300]])
    assert landmarks.places[0].barycentric.max() == 1


def test_the_old_name_of_barycentric_coordinates_still_works(molar):
    spot = place(molar, 2, settings=SMALL, between_vertices=True).places[0]
    with pytest.warns(DeprecationWarning, match="use barycentric"):
        assert (spot.shares == spot.barycentric).all()
