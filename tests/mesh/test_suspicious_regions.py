# SPDX-License-Identifier: MIT
"""Regions that may not be bone: what is found on generated molars and on real scans."""

import numpy as np
import pytest
from conftest import teeth

from gplandmark.io.scans.read import read_cleaned
from gplandmark.mesh.areas import voronoi_areas
from gplandmark.mesh.edges import mean_edge_length
from gplandmark.mesh.roughness import roughness
from gplandmark.mesh.surface import Surface
from gplandmark.mesh.suspicious_regions import suspicious_regions
from gplandmark.mesh.synthetic import make_molar, sphere
from gplandmark.mesh.vertex_graph import VertexGraph
from gplandmark.numerics.rotations import rotation_matrices


def molar(seed=0, count=8000):
    return make_molar(seed, vertex_count=count).surface


def changed(surface, points):
    return Surface(points, surface.triangles, surface.name)


def sawn(surface, fraction=0.92):
    """The tops cut off: all that is higher lies in one plane."""
    height = np.quantile(surface.points[:, 2], fraction)
    points = surface.points.copy()
    points[:, 2] = np.minimum(points[:, 2], height)
    return changed(surface, points), surface.points[:, 2] > height


def with_patch(surface, amount, seed=1):
    """Noise on a disc, as a fraction of the edge length."""
    size = np.sqrt(voronoi_areas(surface).sum())
    middle = surface.points[surface.vertex_count // 3]
    near = np.linalg.norm(surface.points - middle, axis=1) < 0.12 * size
    noise = np.random.default_rng(seed).normal(size=surface.points.shape)
    moved = surface.points + near[:, None] * noise * amount * mean_edge_length(surface)
    return changed(surface, moved), near


def noisy(surface, amount):
    noise = np.random.default_rng(2).normal(size=surface.points.shape)
    return changed(surface, surface.points + noise * amount * mean_edge_length(surface))


@pytest.mark.parametrize("seed", range(4))
def test_a_molar_has_nothing_suspicious(seed):
    assert suspicious_regions(molar(seed)) == []


@pytest.mark.parametrize("seed", range(3))
def test_a_sawn_molar_has_flat_cuts_where_it_was_sawn(seed):
    surface, cut = sawn(molar(seed))
    found = suspicious_regions(surface)
    areas = voronoi_areas(surface)
    marked = np.concatenate([each.vertices for each in found if each.kind == "flat cut"])
    assert all(cut[each.vertices].any() for each in found)  # its sharp edge may be called rough
    assert areas[marked] @ cut[marked] > 0.95 * areas[marked].sum()  # nothing else is marked,
    assert areas[marked].sum() > 0.5 * areas[cut].sum()  # and the largest cut is


@pytest.mark.parametrize("amount", [0.1, 0.3])
def test_a_rough_patch_is_found_and_little_else(amount):
    surface, patch = with_patch(molar(), amount)
    (found,) = suspicious_regions(surface)
    areas = voronoi_areas(surface)
    assert found.kind == "rough"
    assert areas[found.vertices] @ patch[found.vertices] > 0.9 * areas[patch].sum()
    assert found.share < 1.6 * areas[patch].sum() / areas.sum()
    assert patch[found.nearest]


@pytest.mark.parametrize("amount", [0.05, 0.2])
def test_a_scan_that_is_rough_all_over_has_no_region_out_of_line(amount):
    assert suspicious_regions(noisy(molar(), amount)) == []


def test_a_cut_is_found_on_a_noisy_scan_of_high_resolution():
    surface, cut = sawn(molar(count=20_000))
    (found,) = suspicious_regions(noisy(surface, 0.05))
    assert found.kind == "flat cut"
    assert cut[found.vertices].mean() > 0.95


def test_share_and_place_of_a_region_are_those_of_its_area():
    surface, _ = sawn(molar())
    for each in suspicious_regions(surface):
        areas = voronoi_areas(surface)
        points, weights = surface.points[each.vertices], areas[each.vertices]
        assert each.share == pytest.approx(weights.sum() / areas.sum())
        assert each.centre == pytest.approx(weights @ points / weights.sum())
        assert each.nearest in each.vertices


def test_regions_do_not_depend_on_pose_unit_or_place():
    surface, _ = with_patch(sawn(molar())[0], 0.3)
    turn = rotation_matrices(np.array([[0.4, -1.1, 0.7]]))[0]
    moved = changed(surface, 1000 * surface.points @ turn.T + 1e5)
    before, after = suspicious_regions(surface), suspicious_regions(moved)
    assert {each.kind for each in before} == {"flat cut", "rough"}
    assert [each.kind for each in after] == [each.kind for each in before]
    for one, other in zip(before, after, strict=True):  # grids of seeds turn with the pose
        assert other.share == pytest.approx(one.share, rel=0.1)
        assert np.linalg.norm(other.centre - (1000 * one.centre @ turn.T + 1e5)) < 20


def test_roughness_is_the_noise_over_the_edge_length():
    ball = sphere(6).surface
    smooth = roughness(VertexGraph(ball))
    assert smooth.max() < 0.01
    rough = roughness(VertexGraph(noisy(ball, 0.1)))
    # Of independent heights with six neighbours: the mean of |d - mean d| is 0.8 times its spread.
    assert np.median(rough) == pytest.approx(0.8 * 0.13, rel=0.2)


def test_a_cloud_and_a_tiny_mesh_are_not_judged():
    surface, _ = sawn(molar())
    assert suspicious_regions(Surface(surface.points)) == []
    assert suspicious_regions(sphere(1).surface) == []


def test_real_teeth_have_few_false_alarms():
    found = {path.stem: suspicious_regions(read_cleaned(path).surface) for path in teeth()[:12]}
    assert sum(map(len, found.values())) <= 1, found
