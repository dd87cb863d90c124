"""Curves laid on a surface, with their points at equal distances."""

import numpy as np
import pytest

from gplandmark import Landmarks
from gplandmark.landmarks.curves import Curve
from gplandmark.landmarks.curves_on_surface import SurfacePaths, equidistant_curves
from gplandmark.mesh.closest_point import ClosestPoints
from gplandmark.mesh.surface import Surface
from gplandmark.mesh.synthetic import sphere

BALL = sphere(4).surface
UNEVEN = np.array([0.0, 0.1, 0.15, 0.6, 0.7, 1.0])


def on_equator(angles):
    """Points of the unit sphere's equator, on the triangles of the mesh."""
    points = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(len(angles))])
    return ClosestPoints(BALL).to(points)[2]


def angles_of(points):
    return np.unwrap(np.arctan2(points[:, 1], points[:, 0]))


def arc(**details):
    points = np.vstack([[[0.0, 0.0, 1.0]], on_equator(2.0 * UNEVEN)])
    return Landmarks.at(points, "ball", curves=(Curve("arc", tuple(range(1, 7))),), **details)


def test_points_between_the_ends_become_equidistant_on_the_surface():
    given = arc(kinds=("fixed", "fixed", *("semi",) * 4, "fixed"))
    found = equidistant_curves(BALL, given)
    np.testing.assert_array_equal(found.points[[0, 1, 6]], given.points[[0, 1, 6]])
    np.testing.assert_allclose(angles_of(found.points[1:]), np.linspace(0, 2, 6), atol=2e-3)
    assert ClosestPoints(BALL).to(found.points)[0].max() < 1e-20
    assert (found.curves, found.labels, found.kinds) == (given.curves, given.labels, given.kinds)
    again = equidistant_curves(BALL, found)
    np.testing.assert_allclose(again.points, found.points, atol=2e-4)


THIN = Surface(BALL.points * [1.0, 1.0, 0.03], BALL.triangles)


def over_the_rim(places):
    """Points of a thin plate along y = 0, from 0 on its upper side over the rim at 1 to 2 below."""
    along = np.array(places)
    points = np.column_stack([1 - np.abs(along - 1), 0 * along, 0.03 * np.sign(1 - along)])
    return ClosestPoints(THIN).to(points)[2]


def test_a_curve_goes_round_the_edge_of_a_thin_bone_and_not_through_it():
    points = over_the_rim([0.4, 0.6, 1.4, 1.6])
    path = SurfacePaths(THIN).laid(points)
    steps = np.diff(path, axis=0)
    middles = path[:-1] + steps / 2
    assert ClosestPoints(THIN).to(middles)[0].max() < 1e-8
    assert np.linalg.norm(steps, axis=1).sum() == pytest.approx(1.2, abs=0.02)
    np.testing.assert_array_equal(path[[0, -1]], points[[0, -1]])
    given = Landmarks.at(over_the_rim([0.4, 0.5, 0.6, 1.4, 1.6]), "plate",
                         curves=(Curve("edge", tuple(range(5))),))  # fmt: skip
    found = equidistant_curves(THIN, given).points
    wanted = over_the_rim(np.linspace(0.4, 1.6, 5))
    np.testing.assert_allclose(found, wanted, atol=0.02)


def test_a_path_between_parts_that_are_not_connected_is_laid_by_closest_points():
    apart = Surface(np.vstack([BALL.points, BALL.points + np.array([3.0, 0, 0])]),
                    np.vstack([BALL.triangles, BALL.triangles + len(BALL.points)]))  # fmt: skip
    ends = np.array([[1.0, 0, 0], [2.0, 0, 0]])
    path = SurfacePaths(apart).laid(ends)
    assert len(path) == 9
    np.testing.assert_array_equal(path[[0, -1]], ends)


def test_fixed_landmarks_divide_a_curve():
    given = arc(kinds=("", "", "semi", "fixed", "semi", "semi", ""))
    found = angles_of(equidistant_curves(BALL, given).points[1:])
    middle = 2 * UNEVEN[2]
    wanted = [0.0, middle / 2, *np.linspace(middle, 2.0, 4)]
    np.testing.assert_allclose(found, wanted, atol=2e-3)


def test_a_closed_curve_goes_round_from_its_first_point():
    start = np.array([0.2, 0.5, 1.9, 3.0, 4.1])
    given = Landmarks.at(on_equator(start), "ball", curves=(Curve("rim", tuple(range(5)), True),))
    found = angles_of(equidistant_curves(BALL, given).points)
    np.testing.assert_allclose(found, 0.2 + np.linspace(0, 2 * np.pi, 6)[:5], atol=0.015)


def test_where_curves_meet_the_landmark_stays():
    points = np.vstack([on_equator(2.0 * UNEVEN), [[0.0, 0.0, 1.0]]])
    curves = (Curve("arc", tuple(range(6))), Curve("branch", (6, 2)))
    found = equidistant_curves(BALL, Landmarks.at(points, "ball", curves=curves))
    np.testing.assert_array_equal(found.points[2], points[2])
    assert angles_of(found.points)[1] == pytest.approx(UNEVEN[2], abs=2e-3)


def test_a_curve_with_a_gap_is_left_as_it_is_and_the_record_says_so():
    given = arc()
    given.points[3] = np.nan
    found = equidistant_curves(BALL, given)
    np.testing.assert_array_equal(found.points, given.points)
    assert "Curve arc lacks a point" in found.record.warnings[0]


def test_landmarks_without_curves_and_curves_without_length_stay():
    given = Landmarks.at(on_equator(UNEVEN), "ball")
    assert equidistant_curves(BALL, given) is given
    one = Landmarks.at(
        np.repeat(BALL.points[:1], 3, axis=0), "ball", curves=(Curve("c", (0, 1, 2)),)
    )
    np.testing.assert_array_equal(equidistant_curves(BALL, one).points, one.points)
