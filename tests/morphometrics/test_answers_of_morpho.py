"""Where Morpho, shapes and geomorph do something else on purpose, our numbers lead to theirs."""

from functools import cache

import numpy as np
import pytest
from conftest import specimen
from geomorph_answers import about, answer, array, landmarks_of

from gplandmark import Landmarks
from gplandmark.io.scans import read
from gplandmark.landmarks.curves import Curve
from gplandmark.mesh.areas import vertex_normals
from gplandmark.mesh.closest_point import ClosestPoints
from gplandmark.morphometrics.analysis import generalised_procrustes, principal_components
from gplandmark.morphometrics.analysis.missing_landmarks import estimate_missing
from gplandmark.morphometrics.analysis.procrustes import thin_plate_spline
from gplandmark.morphometrics.asymmetry import LandmarkPairs, object_symmetry
from gplandmark.morphometrics.models import (
    allometry,
    canonical_variates,
    design_of,
    shape_anova,
)
from gplandmark.morphometrics.models.measurement_error import measurement_error
from gplandmark.morphometrics.semilandmarks import (
    Sliders,
    SpecimenSurface,
    bending_energy_matrix,
    slide,
    sliders_along,
)
from gplandmark.morphometrics.semilandmarks.slide import slide_once
from gplandmark.morphometrics.semilandmarks.tangents import directions
from gplandmark.numerics.rotations import apply_similarity, best_rotations


def superimposed(points, **options):
    collection = [Landmarks.at(each, str(at)) for at, each in enumerate(points)]
    return generalised_procrustes(collection, **options)


def gram(shapes):
    """Inner products, which do not depend on the orientation of axes."""
    return np.asarray(shapes) @ np.swapaxes(shapes, -1, -2)


def same_up_to_sign(found, expected, **tolerance):
    signs = np.sign(np.sum(found * expected, axis=0))
    np.testing.assert_allclose(found * signs, expected, **tolerance)


def groups():
    return about("mandibles")["group"]


# --- superimposition: theirs is full, sizes are those of least squares; ours is partial


def full(shapes, cosines):
    """Shapes of a full superimposition, from those of size 1 and their cosines with the mean."""
    return shapes * (cosines / np.mean(cosines**2))[:, None, None]


def test_shapes_of_a_full_superimposition_follow_from_ours():
    found = superimposed(landmarks_of("mandibles"))
    cosines = np.einsum("ijk,jk->i", found.shapes, found.consensus)
    expected = answer("Morpho.procSym.mandibles.orpF")
    turn = best_rotations(found.consensus[None], np.array(expected["mshape"]), reflect=True)[0]
    # The two means differ by 3e-6.
    np.testing.assert_allclose(full(found.shapes, cosines) @ turn, expected["rotated"], atol=4e-6)
    np.testing.assert_allclose(
        np.arccos(cosines), array("shapes.procGPA.mandibles.scaleT", "rho"), atol=4e-6
    )


def test_a_superimposition_that_keeps_sizes_is_that_of_shapes():
    found = superimposed(landmarks_of("mandibles"), keep_size=True)
    expected = answer("shapes.procGPA.mandibles.scaleF")
    assert found.sum_of_squares == pytest.approx(expected["GSS"], rel=1e-9)
    np.testing.assert_allclose(gram(found.consensus), gram(expected["mshape"]), atol=1e-6)
    np.testing.assert_allclose(found.centroid_sizes, expected["size"], rtol=1e-12)
    deviations = np.sqrt(principal_components(found).variances)
    np.testing.assert_allclose(deviations[:10], expected["pcasd"][:10], rtol=1e-6)


# --- semilandmarks on meshes


SURFACE = Sliders(surfaces=np.arange(13, 43))
CRITERIA = {"BE": "bending-energy", "ProcD": "procrustes"}


def patches(relaxed="F"):
    """Five mandibles with 13 landmarks and a patch of 30 points, and their names."""
    answered = answer(f"Morpho.placePatch.relax{relaxed}")
    return np.array(answered["coords"], dtype=float), answered["specimens"]


@cache
def mesh(name):
    return read(specimen(f"data/mandibles/{name}.ply"))


@cache
def closest(name):
    return ClosestPoints(mesh(name))


def normals_of_morpho(name, points):
    """Of the three vertices of the closest triangle, weighted by their inverse distances."""
    _, which, found = closest(name).to(points)
    corners = closest(name).triangles[which]
    apart = np.linalg.norm(closest(name).points[corners] - found[:, None], axis=2)
    own = vertex_normals(mesh(name).points, mesh(name).faces())[corners]
    normals = np.sum(own / np.maximum(apart, 1e-12)[..., None], axis=1)
    return normals / np.linalg.norm(normals, axis=1, keepdims=True)


def on_mesh(name, points, first):
    """Points whose patch, and all after `first`, are on the mesh."""
    laid = points.copy()
    laid[first:] = closest(name).to(points[first:])[2]
    return laid


def rigid_mean(points):
    """Mean of configurations that are moved and rotated, but not scaled."""
    centred = points - points.mean(axis=1, keepdims=True)
    mean = centred[0]
    for _ in range(100):
        centred = centred @ best_rotations(centred, mean, reflect=False)
        mean = centred.mean(axis=0)
    return mean


def slid_as_in_morpho(name, points, reference, criterion):
    """One step of `slider3d`: onto the mesh, in the tangent planes, onto the mesh."""
    start = on_mesh(name, points, 13)
    normals = normals_of_morpho(name, start[13:])
    if criterion == "BE":  # the pose does not matter
        along, matrix = directions(start, SURFACE, normals), bending_energy_matrix(reference)
        slid = slide_once(start, np.zeros_like(start), along, "bending-energy", matrix)
        return on_mesh(name, slid, 13)
    fitted = apply_similarity(start, start, reference, reflect=False)
    turned = apply_similarity(start[13:] + normals, start, reference, reflect=False) - fitted[13:]
    turned = turned / np.linalg.norm(turned, axis=1, keepdims=True)
    slid = slide_once(fitted, reference, directions(fitted, SURFACE, turned), "procrustes")
    # Fixed landmarks are laid on the mesh as well.
    return on_mesh(name, apply_similarity(slid, fitted, start, reflect=False), 0)


@pytest.mark.parametrize(
    ("relaxed", "criterion", "clean"),
    [
        ("T", "BE", ("152_9",)),
        ("F", "BE", ("158_28", "805_8")),
        ("T", "ProcD", ()),
        ("F", "ProcD", ("158_28", "805_8")),
    ],
)
def test_one_slide_over_meshes_is_that_of_slider3d(relaxed, criterion, clean):
    points, names = patches(relaxed)
    key = f"Morpho.slider3d.{'' if relaxed == 'T' else 'from_relaxF.'}{criterion}.iterations1"
    laid = np.array([on_mesh(name, own, 13) for name, own in zip(names, points, strict=True)])
    reference = rigid_mean(laid)
    for name, own, expected in zip(names, points, array(key, "dataslide"), strict=True):
        found = slid_as_in_morpho(name, own, reference, criterion)
        offsets = np.linalg.norm(found - expected, axis=1)
        # A point on an edge of the mesh has two normals, and bending energy couples all points.
        assert offsets.max() < (1e-5 if name in clean else 0.07)
        assert np.median(offsets) < (1e-5 if criterion == "ProcD" else 0.002)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_one_specimen_slides_over_its_mesh_as_in_relax_lm(criterion):
    points, names = patches("T")
    found = slid_as_in_morpho(names[1], points[1], points[0], criterion)
    expected = array(f"Morpho.relaxLM.{criterion}", "coords")
    assert np.linalg.norm(found - expected, axis=1)[13:].max() < 1e-5


@pytest.mark.parametrize("rounds", [1, 3])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_our_slide_over_meshes_is_close_to_slider3d(criterion, rounds):
    """Ours has normals between those of vertices, and a mean of shapes of size 1."""
    points, names = patches("T")
    surfaces = [SpecimenSurface(mesh(name), own) for name, own in zip(names, points, strict=True)]
    found = slide(points, SURFACE, CRITERIA[criterion], rounds=rounds, tolerance=0,
                  surfaces=surfaces)  # fmt: skip
    expected = array(f"Morpho.slider3d.{criterion}.iterations{rounds}", "dataslide")
    offsets = np.linalg.norm(found.points - expected, axis=2)[:, 13:]
    moved = np.linalg.norm(expected - points, axis=2)[:, 13:]
    assert offsets.max() < 0.05 < moved.max() / 4
    assert np.median(offsets) < 0.01


def test_two_slides_along_outlines_are_those_of_proc_sym():
    """Its first reference is the mean of two specimens, the second that of all."""
    skulls = landmarks_of("skulls")
    sliders = sliders_along([Curve("a", (4, 13, 14, 15)), Curve("b", (26, 40, 44, 49, 50))])
    current, reference = skulls, rigid_mean(skulls[:2])
    for _ in range(2):
        matrix = bending_energy_matrix(reference)
        current = np.array([
            slide_once(own, np.zeros_like(own), directions(own, sliders), "bending-energy", matrix)
            for own in current
        ])  # fmt: skip
        found = superimposed(current)
        cosines = np.einsum("ijk,jk->i", found.shapes, found.consensus)
        reference = full(found.shapes, cosines).mean(axis=0)
    expected = array("Morpho.procSym.slide_outlines", "dataslide")
    np.testing.assert_allclose(current, expected, atol=1e-6)
    ours = slide(skulls, sliders, rounds=2, tolerance=0).points
    moved = np.linalg.norm(expected - skulls, axis=2).max()
    assert np.linalg.norm(ours - expected, axis=2).max() < 0.2 < moved / 4


# --- left and right


def skull_pairs():
    return LandmarkPairs(np.array(about("skulls")["land_pairs_1based"]) - 1, 51)


def test_components_of_asymmetry_lead_to_those_of_proc_sym():
    names = [str(each) for each in about("skulls")["names"]]
    found = object_symmetry(landmarks_of("skulls"), names, skull_pairs(), permutations_of=1)
    mean = found.symmetric.mean(axis=0)
    sines = np.linalg.norm(found.symmetric - mean + found.differences / 2, axis=(1, 2))
    cosines = np.sqrt(1 - sines**2)
    expected = answer("Morpho.procSym.skulls.pairedLM")
    halves = full(found.differences / 2, cosines)  # its differences are half of ours
    np.testing.assert_allclose(gram(halves), gram(expected["Asym"]), atol=1e-8)
    np.testing.assert_allclose(gram(halves.mean(axis=0)), gram(expected["asymmean"]), atol=1e-8)
    whole = mean + full(found.symmetric - mean, cosines)
    np.testing.assert_allclose(gram(whole), gram(expected["Sym"]), atol=1e-5)


def test_sums_of_squares_of_asymmetry_are_twice_those_of_morpho():
    """It counts halves of differences, of a full superimposition; its F has wrong df."""
    skulls = landmarks_of("skulls") + np.array(about("skull_replicates")["perturbation"])
    owners = [str(each) for each in about("skulls")["names"]] * 2
    names = [f"{name} {number}" for number, name in enumerate(owners)]
    found = object_symmetry(
        skulls.reshape(-1, 51, 3), names, skull_pairs(), owners, permutations_of=1
    ).anova
    sums = [*(each.sum_of_squares for each in found.effects), found.residual_sum_of_squares]
    expected = np.array(answer("Morpho.procAOVsym.skull_replicates")["table"]["SS"])
    np.testing.assert_allclose(sums, 2 * expected, rtol=2e-3)


# --- models


def mandibles_of_morpho():
    shapes = array("Morpho.procSym.mandibles", "orpdata")
    size = np.log(array("Morpho.procSym.mandibles", "size"))
    design = design_of("shape ~ size", {"size": size}, ["s"] * 50)
    return shapes, size, shape_anova(shapes, design, permutations_of=1)


def test_the_common_component_within_groups_is_that_of_morpho():
    shapes, size, model = mandibles_of_morpho()
    found = allometry(shapes, model, size, groups=groups())
    expected = answer("Morpho.CAC.groups")
    same_up_to_sign(found.common_component, np.array(expected["CACscores"]), atol=1e-11)
    same_up_to_sign(
        found.residual_components[:, :3], np.array(expected["RSCscores1_3"]), atol=1e-11
    )


def test_regression_scores_are_those_of_morpho():
    shapes, size, model = mandibles_of_morpho()
    found = allometry(shapes, model, size).regression_scores
    np.testing.assert_allclose(found, array("Morpho.RegScore", "RegScore"), atol=1e-11)


@pytest.mark.parametrize("weighting", ["T", "F"])
def test_distances_and_cross_validation_are_those_of_cva(weighting):
    expected = answer(f"Morpho.CVA.PC10.weighting{weighting}")
    found = canonical_variates(np.array(expected["input_PCscores1_10"]), groups())
    np.testing.assert_allclose(found.mahalanobis, expected["GroupdistMaha"], rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(found.validated, expected["posterior"], atol=1e-9)
    assert [found.groups[each] for each in found.predicted] == expected["class"]


def test_canonical_variates_of_all_coordinates_are_those_of_morpho():
    table = array("Morpho.procSym.mandibles", "orpdata").reshape(50, -1)
    left, sizes, _ = np.linalg.svd(table - table.mean(axis=0), full_matrices=False)
    found = canonical_variates((left * sizes)[:, :32], groups())  # 7 of 39 do not vary
    expected = answer("Morpho.CVA.orpdata")
    np.testing.assert_allclose(found.mahalanobis, expected["GroupdistMaha"], rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(found.roots * 2 / 47, np.array(expected["Var"])[:, 0], rtol=1e-6)


def test_roots_of_canonical_variates_lead_to_the_statistics_of_manova():
    found = canonical_variates(array("gm.prcomp.mandibles", "scores")[:, :10], groups())
    roots = found.roots * 2 / 47  # sums of squares
    expected = answer("manova.PC10")
    assert np.prod(1 / (1 + roots)) == pytest.approx(expected["wilks"][1], rel=1e-9)
    assert np.sum(roots / (1 + roots)) == pytest.approx(expected["pillai"][1], rel=1e-9)


def test_a_repeatability_of_rrpp_has_a_wrong_number_of_repeats():
    data = about("mandible_replicates")
    shapes = array("gpagen.mandible_replicates.default", "coords")
    found = measurement_error(shapes, [str(each) for each in data["ind"]], permutations_of=1).anova
    among, error = found.effects[0].mean_square, found.residual_mean_square
    wrong = (among - error) / (among + found.residual_df * error)
    assert wrong == pytest.approx(answer("measerr.ICC.ind")["ICC_disp.ICC"], rel=1e-6)


# --- missing landmarks


def incomplete():
    """Mandibles with gaps, the complete ones, and where the gaps are."""
    points = landmarks_of("mandibles").copy()
    gaps = {each["specimen_1based"] - 1: [at - 1 for at in each["landmarks_1based"]]
            for each in answer("estimate.missing.Reg")["missing"]}  # fmt: skip
    for number, absent in gaps.items():
        points[number, absent] = np.nan
    return points, np.delete(points, list(gaps), axis=0), gaps


def shape_difference(one, other):
    found = superimposed(np.array([one, other]))
    return np.linalg.norm(found.shapes[0] - found.shapes[1])


def nearest_mean(points, complete, known):
    """Mean of the three complete specimens that are most alike, weighted by inverse distances."""
    apart = np.array([shape_difference(each[known], points[known]) for each in complete])
    near = np.argsort(apart)[:3]
    laid = [apply_similarity(complete[at], complete[at][known], points[known], reflect=False)
            for at in near]  # fmt: skip
    return np.average(laid, axis=0, weights=1 / apart[near])


@pytest.mark.parametrize("weighted", [True, False])
def test_missing_landmarks_by_splines_are_close_to_those_of_fix_lm_tps(weighted):
    points, complete, gaps = incomplete()
    expected = array(f"Morpho.fixLMtps.weight{'T' if weighted else 'F'}", "coords_of_these")
    mean = superimposed(complete).consensus
    for (number, absent), wanted in zip(gaps.items(), expected, strict=True):
        known = np.delete(np.arange(13), absent)
        own = nearest_mean(points[number], complete, known) if weighted else mean
        found = thin_plate_spline(own[absent], own[known], points[number][known])
        assert np.linalg.norm(found - wanted[absent], axis=1).max() < 0.02


def test_missing_landmarks_are_closer_than_those_of_the_regression_of_geomorph():
    """It regresses coordinates that are not centred. Ours is the conditional mean."""
    true = landmarks_of("mandibles")
    points, _, gaps = incomplete()
    found = estimate_missing([Landmarks.at(each, str(at)) for at, each in enumerate(points)])
    theirs = array("estimate.missing.Reg", "coords_of_these")
    for (number, absent), wanted in zip(gaps.items(), theirs, strict=True):
        known = np.delete(np.arange(13), absent)
        back = apply_similarity(wanted, wanted[known], true[number][known], reflect=False)
        np.testing.assert_allclose(back[known], true[number][known], atol=1e-9)
        ours = np.linalg.norm(found.points[number] - true[number], axis=1)[absent]
        regression = np.linalg.norm(back - true[number], axis=1)[absent]
        assert (ours < 0.35).all()
        assert (regression > 2 * ours).all()
