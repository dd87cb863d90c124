"""Nothing jumps as vertices are added: one estimator, and gradual drawing, at every resolution."""

import warnings
from sys import modules

import numpy as np
import pytest
from conftest import teeth
from scipy.spatial import cKDTree

from gplandmark import (
    GplandmarkWarning,
    Landmarks,
    Settings,
    Surface,
    make_molar,
    place,
    read,
)
from gplandmark.mesh import estimate_curvature, estimator_for, surface_area
from gplandmark.mesh.curvature.from_points import PATCH_RADIUS
from gplandmark.mesh.synthetic import sphere


def with_more_vertices(surface: Surface, count: int) -> Surface:
    """The same surface, with a vertex in the middle of triangles until there are that many."""
    triangles, added = surface.triangles, count - surface.vertex_count
    chosen = np.random.default_rng(0).choice(len(triangles), added, replace=False)
    new = surface.vertex_count + np.arange(added)
    a, b, c = triangles[chosen].T
    parts = [np.column_stack(corners) for corners in ((a, b, new), (b, c, new), (c, a, new))]
    points = np.vstack([surface.points, surface.points[triangles[chosen]].mean(axis=1)])
    return Surface(points, np.vstack([np.delete(triangles, chosen, axis=0), *parts]))


def kept(before: Landmarks, after: Landmarks, surface: Surface) -> int:
    """How many landmarks have another within two edges of a mesh of 30,000 vertices."""
    apart = cKDTree(after.points).query(before.points)[0]
    return int(np.count_nonzero(apart < 0.012 * np.sqrt(surface_area(surface))))


def subdivided(surface: Surface) -> Surface:
    import igl

    return Surface(*igl.upsample(surface.points, surface.triangles))


@pytest.mark.parametrize("subdivisions", [2, 5, 6])
def test_the_estimator_is_the_same_at_every_resolution(subdivisions):
    assert estimator_for(sphere(subdivisions).surface, "auto") == "normal-cycle"


def test_no_landmark_of_a_molar_jumps_at_30_000_vertices():
    molar = make_molar(vertex_count=29_998).surface
    before = place(molar, 40)
    for count in (30_000, 30_001):
        after = place(with_more_vertices(molar, count), 40)
        assert kept(before, after, molar) >= 39


@pytest.mark.skipif(not teeth(), reason="no specimens")
def test_no_landmark_of_a_tooth_jumps_at_30_000_vertices():
    tooth = with_more_vertices(subdivided(read(teeth()[0])), 29_999)
    before, after = (place(each, 40) for each in (tooth, with_more_vertices(tooth, 30_001)))
    assert kept(before, after, tooth) >= 39


def test_coarse_and_fine_meshes_of_a_molar_have_landmarks_at_the_same_places():
    coarse = make_molar(vertex_count=2_500).surface
    fine = subdivided(subdivided(coarse))
    assert fine.vertex_count > 30_000
    apart = np.linalg.norm(place(coarse, 12).points - place(fine, 12).points, axis=1)
    assert np.median(apart) < 0.03 * np.sqrt(surface_area(coarse))


def test_a_quadric_can_still_be_chosen_by_name_at_any_resolution():
    fine = sphere(6).surface  # 40,962 vertices
    found = estimate_curvature(fine, "quadric", radius=0.02)
    np.testing.assert_allclose(found.mean, 1.0, rtol=0.01)
    settings = Settings(curvature="quadric", curvature_radius=0.2)
    record = place(sphere(3).surface, 3, settings=settings).record
    assert record.settings["curvature_estimator"] == "quadric"


def test_no_landmark_of_a_cloud_jumps_where_drawing_begins(monkeypatch):
    monkeypatch.setattr(modules["gplandmark.mesh.curvature.from_points"], "IN_BALL", 50)
    drawn = round(50 / (np.pi * PATCH_RADIUS**2))
    points = make_molar(vertex_count=drawn + 60).surface.points
    points = points[np.random.default_rng(1).permutation(len(points))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)
        before, after = (place(Surface(points[: drawn + more]), 40) for more in (0, 1))
        assert kept(before, after, before.surface) >= 38
