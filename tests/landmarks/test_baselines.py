"""Other samplers: what each promises, behind one interface."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gplandmark import GplandmarkWarning, SettingsError, Surface, make_molar, write
from gplandmark.io.landmark_files import read_landmarks
from gplandmark.landmarks import classify
from gplandmark.landmarks.baselines import (
    SAMPLERS,
    curvature_peaks,
    farthest_point,
    geodesic_farthest_point,
)
from gplandmark.mesh import surface_area, voronoi_areas
from gplandmark.mesh.geodesics import _along_edges, geodesic_distances
from gplandmark.mesh.synthetic import sphere

MOLAR = make_molar(3, vertex_count=3000)
every_sampler = pytest.mark.parametrize("name", SAMPLERS)


def sample(name, surface=MOLAR.surface, count=12, seed=None):
    return SAMPLERS[name](surface, count, seed=seed)


@every_sampler
def test_a_sampler_gives_that_many_different_points_of_the_surface_and_says_how(name):
    found = sample(name)
    assert len(found) == len(set(found.vertices.tolist())) == 12
    assert (found.points == MOLAR.surface.points[found.vertices]).all()
    assert found.record.settings["method"] == name
    assert found.record.request["count"] == 12
    assert found.record.input["specimen"] == MOLAR.surface.name
    assert found.classes == classify(MOLAR.surface, found.vertices)
    assert np.isnan(found.variances).all()


@every_sampler
def test_equal_seeds_give_equal_points(name):
    assert (sample(name, seed=5).vertices == sample(name, seed=5).vertices).all()


@pytest.mark.parametrize(
    "name", ["random", "area-uniform", "farthest-point", "farthest-point-geodesic"]
)
def test_seeds_matter_and_points_are_nested(name):
    assert (sample(name, seed=1).vertices != sample(name, seed=2).vertices).any()
    assert (sample(name, count=5).vertices == sample(name).vertices[:5]).all()


@every_sampler
def test_points_do_not_depend_on_units(name):
    surface = MOLAR.surface
    larger = Surface(surface.points * 1024, surface.triangles)
    assert (sample(name).vertices == sample(name, larger).vertices).all()


@every_sampler
def test_points_survive_a_file(name, tmp_path):
    found = sample(name)
    path, _ = write(found, tmp_path / "m.mrk.json")
    again = read_landmarks(path)
    assert (again.points == found.points).all()
    assert again.record == found.record


@every_sampler
@pytest.mark.parametrize(("count", "seed"), [(0, None), (3001, None), (3, -1)])
def test_impossible_requests_are_refused(name, count, seed):
    with pytest.raises(SettingsError, match=r"number of landmarks|seed"):
        sample(name, count=count, seed=seed)


@every_sampler
def test_loose_vertices_are_never_taken(name):
    surface = MOLAR.surface
    loose = Surface(np.vstack([surface.points, [[9.0, 0, 0]] * 300]), surface.triangles)
    assert sample(name, loose).vertices.max() < surface.vertex_count


def test_farthest_points_are_farthest():
    points = farthest_point(MOLAR.surface, 20).points
    everywhere = MOLAR.surface.points
    for count in range(1, 20):
        gaps = np.linalg.norm(everywhere[:, None] - points[:count], axis=2).min(axis=1)
        reached = np.linalg.norm(points[count] - points[:count], axis=1).min()
        assert reached == pytest.approx(gaps.max())


def test_the_first_farthest_point_is_farthest_from_the_centre_of_the_area():
    areas = voronoi_areas(MOLAR.surface)
    centre = areas @ MOLAR.surface.points / areas.sum()
    distances = np.linalg.norm(MOLAR.surface.points - centre, axis=1)
    assert farthest_point(MOLAR.surface, 1).vertices[0] == np.argmax(distances)


def test_geodesic_distances_converge_to_those_of_great_circles():
    errors = []
    for subdivisions in (3, 5):
        ball = sphere(subdivisions).surface
        angles = np.arccos(np.clip(ball.points @ ball.points[[0, 5]].T, -1, 1)).min(axis=1)
        found = geodesic_distances(ball)(np.array([0, 5]))
        errors.append(np.abs(found - angles).max() / angles.max())
    assert errors[1] < 0.6 * errors[0]
    assert errors[1] < 0.01


def test_where_sheets_meet_distances_follow_the_edges_and_a_warning_says_so():
    fin = np.array([[0, 1, 0], [0, 0, 0], [1, 0, 0], [0, 0, 1], [-1, 0, 0], [0, 3, 0.0]])
    three = Surface(fin, np.array([[0, 1, 2], [0, 1, 3], [0, 1, 4]]), "fin")
    with pytest.warns(GplandmarkWarning, match="fin has an edge or a vertex where more than two"):
        found = geodesic_distances(three)(np.array([2]))
    assert found == pytest.approx([np.sqrt(2), 1, 0, 2, 2, np.inf])


def test_the_way_along_edges_is_a_little_longer():
    ball = sphere(4).surface
    marching = geodesic_distances(ball)(np.array([0]))
    edgewise = _along_edges(ball)(np.array([0]))
    far = marching > 0.5
    assert 1 < (edgewise / np.where(far, marching, 1))[far].mean() < 1.12


def test_points_along_the_surface_visit_every_part():
    ball = sphere(2).surface
    count = ball.vertex_count
    parts = Surface(
        np.vstack([ball.points, 0.1 * ball.points + 3, 0.1 * ball.points - 3]),
        np.vstack([ball.triangles + part * count for part in range(3)]),
    )
    found = geodesic_farthest_point(parts, 3).vertices
    assert sorted(found // count) == [0, 1, 2]


def test_area_counts_and_not_the_mesh():
    """Half of the sphere has four times the vertices: drawn by area, both get as many."""
    plane = Surface(
        np.array([[x, y, 0.0] for x in [*np.linspace(0, 1, 41), *np.linspace(1.1, 2, 10)]
                  for y in np.linspace(0, 1, 20)]),
        np.array([[20 * i + j + a, 20 * i + j + b, 20 * i + j + c]
                  for i in range(50) for j in range(19)
                  for a, b, c in ((0, 20, 1), (1, 20, 21))]),
    )  # fmt: skip
    left = {
        name: np.mean(
            [(SAMPLERS[name](plane, 30, seed=seed).points[:, 0] <= 1).mean() for seed in range(40)]
        )
        for name in ("random", "area-uniform")
    }
    assert abs(left["area-uniform"] - 0.5) < 0.06
    assert abs(left["random"] - 41 / 51) < 0.06


def test_curvature_peaks_find_the_cusps_first():
    found = curvature_peaks(MOLAR.surface, 5).points
    near = 0.06 * np.sqrt(surface_area(MOLAR.surface))
    assert (np.linalg.norm(MOLAR.cusps[:, None] - found, axis=2).min(axis=1) < near).all()


@settings(max_examples=10)
@given(count=st.integers(2, 25))
def test_curvature_peaks_keep_apart_by_the_radius_in_the_record(count):
    found = curvature_peaks(MOLAR.surface, count)
    gaps = np.linalg.norm(found.points[:, None] - found.points, axis=2)
    gaps[np.diag_indices(count)] = np.inf
    radius = found.record.settings["radius"] * np.sqrt(surface_area(MOLAR.surface))
    assert gaps.min() > radius
    assert found.record.settings["radius"] <= 0.09
    assert len(found) == count


def test_too_few_peaks_are_told():
    with pytest.warns(GplandmarkWarning, match="only"):
        found = curvature_peaks(MOLAR.surface, 2900)
    assert 5 < len(found) < 2900
    assert "only" in found.record.warnings[0]


def test_nothing_warns_on_the_way():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in SAMPLERS:
            sample(name)
