"""Superimposition, components, distances, splines and closest points are those of R."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import specimen
from geomorph_answers import answer, array, landmarks_of

from gplandmark import Landmarks
from gplandmark.io.scans import read
from gplandmark.mesh.areas import vertex_normals
from gplandmark.mesh.closest_point import ClosestPoints
from gplandmark.morphometrics.analysis import (
    generalised_procrustes,
    principal_components,
    procrustes_distances,
)
from gplandmark.morphometrics.analysis.procrustes import thin_plate_spline
from gplandmark.morphometrics.models import design_of, partial_least_squares, shape_anova
from gplandmark.numerics.rotations import best_rotations

SAMPLES = ("mandibles", "teeth", "skulls")


def aligned_sample(name, points=None):
    points = landmarks_of(name) if points is None else points
    return generalised_procrustes([Landmarks.at(each, str(at)) for at, each in enumerate(points)])


def turned_onto(shapes, mean, target):
    """Shapes after the one rotation that brings their mean onto another; axes are arbitrary."""
    return shapes @ best_rotations(mean[None], target, reflect=True)[0]


def same_up_to_sign(found, expected, **tolerance):
    signs = np.sign(np.sum(found * expected, axis=0))
    np.testing.assert_allclose(found * signs, expected, **tolerance)


@pytest.mark.parametrize("name", SAMPLES)
def test_superimposed_shapes_are_those_of_gpagen(name):
    expected = answer(f"gpagen.{name}.default")
    found = aligned_sample(name)
    np.testing.assert_allclose(found.centroid_sizes, expected["Csize"], rtol=1e-12)
    shapes = turned_onto(found.tangent_coordinates(), found.consensus, array_of(expected))
    # Its default stops a little before the mean has converged.
    np.testing.assert_allclose(shapes, expected["coords"], atol=2e-6 if name == "teeth" else 1e-6)


def array_of(expected):
    mean = np.array(expected["consensus"])
    return mean / np.linalg.norm(mean)


@pytest.mark.parametrize("key", ["mandibles.ProjF.PrinAxesF.tol0", "skulls.ProjF.PrinAxesF.tol0"])
def test_the_converged_mean_is_that_of_gpagen(key):
    expected = answer(f"gpagen.{key}")
    found = aligned_sample(key.split(".")[0])
    shapes = turned_onto(found.shapes, found.consensus, array_of(expected))
    np.testing.assert_allclose(shapes, expected["coords"], atol=1e-8)


@pytest.mark.parametrize(
    "key", ["mandibles.ProjF.PrinAxesF", "mandibles.ProjF.PrinAxesF.iter1", "teeth.ProjF"]
)
def test_shapes_that_are_not_projected_are_those_of_gpagen(key):
    expected = answer(f"gpagen.{key}")
    found = aligned_sample(key.split(".")[0])
    shapes = turned_onto(found.shapes, found.consensus, array_of(expected))
    np.testing.assert_allclose(shapes, expected["coords"], atol=2e-6)  # it stops a little early


@pytest.mark.parametrize("name", SAMPLES)
def test_components_are_those_of_gm_prcomp(name):
    expected = answer(f"gm.prcomp.{name}")
    found = principal_components(aligned_sample(name))
    count = min(len(found.variances), 8)
    values = np.array(expected["eigenvalues"])[:count]
    np.testing.assert_allclose(found.variances[:count], values, rtol=2e-5)
    scores = np.array(expected["scores"])[:, :count]
    same_up_to_sign(found.scores[:, :count], scores, atol=2e-6 if name != "teeth" else 1e-5)


def test_components_of_the_same_superimposition_agree_to_rounding():
    given, expected = answer("gpagen.mandibles.ProjF"), answer("gm.prcomp.mandibles")
    own = aligned_sample("mandibles")
    same = replace(own, shapes=np.array(given["coords"]), consensus=np.array(given["consensus"]))
    found = principal_components(same)
    values, scores = np.array(expected["eigenvalues"]), np.array(expected["scores"])
    np.testing.assert_allclose(found.variances[:8], values[:8], rtol=1e-9)
    same_up_to_sign(found.scores[:, :8], scores[:, :8], atol=1e-10)


def test_relative_warps_without_weights_are_principal_components():
    own = aligned_sample("mandibles")
    shapes, mean = (array("Morpho.procSym.mandibles", name) for name in ("orpdata", "mshape"))
    found = principal_components(replace(own, shapes=shapes, consensus=mean))
    same_up_to_sign(found.scores[:, :5], array("Morpho.relWarps.alpha0", "bescores1_5"), atol=1e-9)


def test_shapes_at_the_ends_of_a_component_are_those_of_gm_prcomp():
    expected = answer("gm.prcomp.mandibles.shapes")
    found = aligned_sample("mandibles")
    mean = array_of(answer("gpagen.mandibles.default"))
    ends = [turned_onto(each / np.linalg.norm(each), found.consensus, mean)
            for each in principal_components(found).extremes(0)]  # fmt: skip
    wanted = [np.array(expected[name]) for name in ("min", "max")]
    if np.linalg.norm(ends[0] - wanted[0]) > np.linalg.norm(ends[0] - wanted[1]):
        ends.reverse()
    np.testing.assert_allclose(ends, wanted, atol=1e-6)


def test_shapes_predicted_by_size_are_those_of_shape_predictor():
    given = answer("gpagen.mandibles.default")
    coords, size = np.array(given["coords"]), np.log(given["Csize"])
    design = design_of("shape ~ size", {"size": size}, [str(at) for at in range(len(size))])
    model = shape_anova(coords, design, permutations_of=1)
    for name, at in (("small", size.argmin()), ("large", size.argmax())):
        expected = array("shape.predictor.size", name)
        np.testing.assert_allclose(model.fitted[at].reshape(-1, 3), expected, atol=1e-9)


def test_the_mean_specimen_and_outliers_are_those_of_geomorph():
    found = aligned_sample("mandibles")
    offsets = np.linalg.norm(found.shapes - found.consensus, axis=(1, 2))
    assert int(offsets.argmin()) == answer("findMeanSpec")["index_1based"] - 1
    order = np.array(answer("plotOutliers.mandibles")["order_1based"]) - 1
    assert np.argsort(-offsets).tolist() == order.tolist()


def test_distances_are_those_of_shapes_and_morpho():
    points = landmarks_of("mandibles")
    riemannian = {tuple(each["pair_1based"]): each["kendalldist"]
                  for each in answer("Morpho.kendalldist")}  # fmt: skip
    for each in answer("shapes.procdist.mandibles"):
        pair = [number - 1 for number in each["pair_1based"]]
        found = procrustes_distances(aligned_sample("mandibles", points[pair]))[0, 1]
        assert found == pytest.approx(each["partial"], rel=1e-9)
        angle = 2 * np.arcsin(found / 2)
        assert angle == pytest.approx(each["Riemannian"], rel=1e-9)
        if tuple(each["pair_1based"]) in riemannian:
            assert angle == pytest.approx(riemannian[tuple(each["pair_1based"])], rel=1e-7)


def test_the_best_rotation_is_that_of_rotonto():
    first, second = landmarks_of("mandibles")[:2]
    centred = second - second.mean(axis=0)
    turn = best_rotations(centred[None], first - first.mean(axis=0), reflect=False)[0]
    found = centred @ turn + first.mean(axis=0)
    np.testing.assert_allclose(found, array("Morpho.rotonto", "yrot_noscale"), atol=1e-9)


def test_thin_plate_splines_are_those_of_geomorph_and_morpho():
    given, warp = answer("gpagen.mandibles.default"), answer("tps.warp")
    source, target = np.array(given["consensus"]), np.array(given["coords"])[0]
    found = thin_plate_spline(np.array(warp["points"]), source, target)
    np.testing.assert_allclose(found, warp["warped"], atol=1e-9)
    one, other = landmarks_of("mandibles")[:2]
    for key, tolerance in (("lambda0", 1e-8), ("lambda1e-08", 1e-6)):  # how much it is smoothed
        warp = answer(f"Morpho.tps3d.{key}")
        found = thin_plate_spline(np.array(warp["points"]), one, other)
        np.testing.assert_allclose(found, warp["warped"], rtol=tolerance)


def test_missing_landmarks_by_the_mean_of_complete_specimens_are_those_of_geomorph():
    expected, points = answer("estimate.missing.TPS"), landmarks_of("mandibles")
    gaps = {each["specimen_1based"] - 1: [at - 1 for at in each["landmarks_1based"]]
            for each in expected["missing"]}  # fmt: skip
    complete = aligned_sample("mandibles", np.delete(points, list(gaps), axis=0))
    mean = np.mean(complete.shapes * complete.centroid_sizes[:, None, None], axis=0)
    for number, wanted in zip(expected["specimens_1based"], expected["coords_of_these"],
                              strict=True):  # fmt: skip
        absent = gaps[number - 1]
        there = np.delete(np.arange(points.shape[1]), absent)
        own = points[number - 1]
        found = thin_plate_spline(mean, mean[there], own[there])
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)


def test_blocks_that_are_superimposed_apart_covary_as_in_geomorph():
    points = landmarks_of("mandibles")
    blocks = [aligned_sample("mandibles", part).tangent_coordinates()
              for part in (points[:, :8], points[:, 8:])]  # fmt: skip
    expected = answer("two.b.pls.mandibles.separateGPA")
    found = partial_least_squares(*blocks, permutations_of=1)
    # Both superimpositions of geomorph stop a little early.
    assert found.correlation == pytest.approx(expected["r.pls"], rel=2e-4)


def mandible():
    return read(specimen("data/mandibles/152_1.ply"))


def test_closest_points_and_normals_are_those_of_rvcg():
    surface, expected = mandible(), answer("Rvcg.vcgClost")
    squares, _, found = ClosestPoints(surface).to(np.array(expected["query"]))
    np.testing.assert_allclose(found, expected["closest"], atol=5e-6)  # it has single precision
    np.testing.assert_allclose(np.sqrt(squares), np.abs(expected["signed_distance"]), atol=5e-6)
    expected = answer("Rvcg.vertexNormals")
    normals = vertex_normals(surface.points, surface.faces())[expected["vertex_0based"]]
    np.testing.assert_allclose(normals, expected["area_weighted"], atol=1e-6)


def test_distances_of_two_surfaces_are_those_of_rvcg():
    expected = answer("Rvcg.mesh_to_mesh")
    move = np.array(expected["trafo4x4"])
    other = read(specimen("data/mandibles/152_9.ply"))
    moved = mandible().points @ move[:3, :3].T + move[:3, 3]
    distances = np.sqrt(ClosestPoints(other).to(moved)[0])
    assert np.sqrt(np.mean(distances**2)) == pytest.approx(expected["rms"], rel=1e-5)
    assert distances.max() == pytest.approx(expected["max"], rel=1e-5)
    np.testing.assert_allclose(distances[:20], np.abs(expected["first20"]), atol=2e-5)
