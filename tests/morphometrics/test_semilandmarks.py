"""Sliding semilandmarks: equal to geomorph and Morpho where they define it, and laws."""

import numpy as np
import pytest
from conftest import specimen
from geomorph_answers import answer, array, landmarks_of, sliding
from shape_samples import sample

from gplandmark import AnalysisError, SettingsError
from gplandmark.io.scans import read
from gplandmark.landmarks.curves import Curve, closest_on_path, resampled
from gplandmark.mesh.synthetic import sphere
from gplandmark.morphometrics.semilandmarks import (
    Sliders,
    bending_energy_matrix,
    slide,
    sliders_along,
)
from gplandmark.morphometrics.semilandmarks.slide import slide_once
from gplandmark.morphometrics.semilandmarks.specimen_surface import SpecimenSurface
from gplandmark.morphometrics.semilandmarks.tangents import directions
from gplandmark.numerics.rotations import apply_similarity

SETS = ("mandibles.curves", "skulls.surfaces", "skulls.curves_surfaces",
        "scallops.curves_surfaces", "hummingbirds2d.curves")  # fmt: skip
OPTIONS = {"maxiter1": (1, 0.0), "maxiter3": (2, 0.0), "default": (9, 1e-4)}
CRITERIA = {"BE": "bending-energy", "ProcD": "procrustes"}


def tangent_projection(shapes):
    """As gpagen projects by default."""
    mean = shapes.mean(axis=0) - shapes.mean(axis=(0, 1))
    mean = mean / np.linalg.norm(mean)
    return shapes + (1 - np.einsum("ijk,jk->i", shapes, mean))[:, None, None] * mean


# --- equal to others


@pytest.mark.parametrize("stop", OPTIONS)
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("which", SETS)
def test_sliding_without_scans_equals_gpagen(which, criterion, stop):
    name, kinds = which.replace("2d", "").split(".")
    sliders = Sliders(
        sliding(f"curves.{name}") if "curves" in kinds else np.zeros((0, 3), int),
        sliding(f"surfaces.{name}") if "surfaces" in kinds else np.zeros(0, int),
    )
    rounds, tolerance = OPTIONS[stop]
    found = slide(
        landmarks_of(name), sliders, CRITERIA[criterion],
        rounds=rounds, tolerance=tolerance, recentre=False,
    )  # fmt: skip
    key = f"slide.{which}.{criterion}.{stop}"
    expected = array(key, "coords")
    if stop == "default":  # turned to principal axes, whose signs are arbitrary
        found = tangent_projection(found.shapes)
        np.testing.assert_allclose(
            found @ found.swapaxes(1, 2), expected @ expected.swapaxes(1, 2), atol=1e-12
        )
        return
    np.testing.assert_allclose(found.shapes, expected, atol=1e-12)


def test_the_bending_energy_matrix_is_that_of_geomorph_and_morpho():
    consensus = array("gpagen.mandibles.default", "consensus")
    np.testing.assert_allclose(
        bending_energy_matrix(consensus), -array("tps.warp", "BE_matrix"), atol=1e-10
    )
    mean = array("Morpho.procSym.mandibles", "mshape")
    np.testing.assert_allclose(
        bending_energy_matrix(mean), array("Morpho.CreateL", "Lsubk"), rtol=1e-5, atol=1e-5
    )


OUTLINES = (Curve("a", (4, 13, 14, 15)), Curve("b", (26, 40, 44, 49, 50)))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_one_specimen_slides_along_outlines_as_in_morpho(criterion):
    skulls = landmarks_of("skulls")
    moving, reference = skulls[1], skulls[0]
    fitted = moving  # the reference itself has no bending energy, so that its pose does not matter
    if criterion == "ProcD":
        fitted = apply_similarity(moving, moving, reference, reflect=False)
    along = directions(fitted, sliders_along(OUTLINES))
    slid = slide_once(fitted, reference, along, CRITERIA[criterion])
    found = apply_similarity(slid, fitted, moving, reflect=False)
    np.testing.assert_allclose(
        found, array(f"Morpho.relaxLM.outlines.{criterion}", "coords"), atol=1e-6
    )


def test_a_slide_over_a_mesh_equals_morpho():
    answered = answer("Morpho.placePatch.relaxT")
    points = np.array(answered["coords"], dtype=float)
    path = specimen(f"data/mandibles/{answered['specimens'][1]}.ply")
    sliders = Sliders(surfaces=np.arange(13, 43))
    mesh = SpecimenSurface(read(path), points[1])
    start = mesh.returned(points[1], sliders)
    along = directions(start, sliders, mesh.normals(start[13:]))
    moved = mesh.returned(slide_once(start, points[0], along, "bending-energy"), sliders)
    expected = array("Morpho.relaxLM.BE", "coords")
    # Morpho weights the three normals of a triangle by inverse distances, in single precision.
    assert np.median(np.linalg.norm(moved - expected, axis=1)) < 0.01
    assert np.linalg.norm(moved - expected, axis=1).max() < 0.05


# --- laws


def curved(random, specimens=6, count=12):
    """Noisy circles with a fixed landmark above, all different in pose and size."""
    angles = 2 * np.pi * np.arange(count) / count
    shapes = []
    for _ in range(specimens):
        shifted = angles + 0.15 * random.normal(size=count)
        ring = np.column_stack([np.cos(shifted), np.sin(shifted), 0 * angles])
        shapes.append(np.vstack([ring, [[0, 0, 1.5], [0.3, 0.1, -1.0]]]))
    return np.array(shapes)


RING = sliders_along([Curve("ring", tuple(range(12)), is_closed=True)], fixed=[0])


@pytest.mark.parametrize("by", CRITERIA.values())
def test_the_result_does_not_depend_on_pose_and_size(random, by):
    points = curved(random)
    turned = sample(random, specimens=1, noise=0)[0][:3]
    turn = np.linalg.qr(turned)[0]
    turn *= np.sign(np.linalg.det(turn))
    plain = slide(points, RING, by)
    moved = slide(7.5 * points @ turn + [30.0, 2.0, -5.0], RING, by)
    np.testing.assert_allclose(
        moved.points, 7.5 * plain.points @ turn + [30.0, 2.0, -5.0], atol=1e-8
    )


@pytest.mark.parametrize("by", CRITERIA.values())
def test_only_sliding_landmarks_move_and_only_along_their_directions(random, by):
    points = curved(random)
    found = slide(points, RING, by, rounds=1)
    fixed = [0, 12, 13]
    np.testing.assert_allclose(found.points[:, fixed], points[:, fixed], atol=1e-12)
    for before, after in zip(points, found.points, strict=True):
        along = directions(before, RING).vectors
        moves = (after - before)[RING.curves[:, 1]]
        across = moves - np.sum(moves * along, axis=1, keepdims=True) * along
        np.testing.assert_allclose(across, 0, atol=1e-12)


def test_no_other_step_has_less_bending_energy(random):
    points = curved(random)
    reference = points.mean(axis=0)
    along = directions(points[0], RING)
    matrix = bending_energy_matrix(reference)

    def energy(shape):
        return np.trace(shape.T @ matrix @ shape)

    best = slide_once(points[0], reference, along, "bending-energy")
    for _ in range(20):
        other = best.copy()
        other[along.landmarks] += 0.05 * random.normal(size=(11, 1)) * along.vectors
        assert energy(other) > energy(best)


def test_specimens_that_slid_are_closer_to_each_other(random):
    points = curved(random)
    found = slide(points, RING, "procrustes", rounds=3)
    again = slide(points, RING, "procrustes", rounds=1)
    spread = [np.sum((each.shapes - each.shapes.mean(axis=0)) ** 2) for each in (found, again)]
    assert spread[0] < spread[1]


def test_recentred_specimens_are_centred_and_of_unit_size(random):
    found = slide(curved(random), RING, "procrustes")
    np.testing.assert_allclose(found.shapes.mean(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(found.shapes, axis=(1, 2)), 1)
    as_gpagen = slide(curved(random), RING, "procrustes", recentre=False)
    assert np.abs(as_gpagen.shapes.mean(axis=1)).max() > 1e-6


def test_nearly_equal_points_slide_without_infinities(random):
    points = curved(random)
    points[:, 5] = points[:, 4] + 1e-14
    for by in CRITERIA.values():
        found = slide(points, RING, by)
        assert np.isfinite(found.points).all()
        assert np.abs(found.points).max() < 10


def test_points_return_to_the_surface_and_to_the_curve(random):
    ball = sphere(3).surface
    points = random.normal(size=(5, 20, 3)) * 0.2 + random.normal(size=(20, 3))
    points /= np.linalg.norm(points, axis=2, keepdims=True)
    curve = Curve("arc", (0, 1, 2, 3))
    surfaces = [SpecimenSurface(ball, each, [curve]) for each in points]
    sliders = sliders_along([curve], surfaces=range(8, 20))
    found = slide(points, sliders, "bending-energy", surfaces=surfaces, rounds=4)
    for own, start, surface in zip(found.points, points, surfaces, strict=True):
        np.testing.assert_allclose(surface.returned(own, sliders), own, atol=0.01)
        np.testing.assert_allclose(np.linalg.norm(own[sliders.sliding], axis=1), 1, atol=0.02)
        fine = resampled(start[[0, 1, 2, 3]], 1000)
        fine /= np.linalg.norm(fine, axis=1, keepdims=True)
        # The shortest path over triangles is not exactly the arc.
        assert np.linalg.norm(closest_on_path(own[[1, 2]], fine) - own[[1, 2]], axis=1).max() < 0.04


# --- curves


def test_resampled_points_are_equidistant_along_the_curve():
    corner = np.array([[0.0, 0, 0], [1, 0, 0], [1, 3, 0]])
    np.testing.assert_allclose(
        resampled(corner, 5), [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 2, 0], [1, 3, 0]]
    )
    square = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    found = resampled(square, 8, is_closed=True)
    np.testing.assert_allclose(np.linalg.norm(np.diff(found, axis=0), axis=1), 0.5)
    np.testing.assert_allclose(found[0], square[0])
    np.testing.assert_allclose(resampled(resampled(corner, 9), 3), resampled(corner, 3))


# --- bad input


@pytest.mark.parametrize(
    ("sliders", "words"),
    [
        (Sliders(), "No landmark slides"),
        (Sliders(surfaces=np.array([99])), "number 100, but there are 14"),
        (Sliders(np.array([[0, 1, 2]]), np.array([1])), "Sliding twice: landmark 2"),
        (Sliders(np.array([[0, 1, 0]])), "visits a landmark twice"),
    ],
)
def test_sliders_that_do_not_fit_are_refused(random, sliders, words):
    with pytest.raises(AnalysisError, match=words):
        slide(curved(random), sliders)


def test_a_curve_of_two_points_is_refused():
    with pytest.raises(AnalysisError, match="Curve ridge has 2 points, and at least 3"):
        sliders_along([Curve("ridge", (0, 1))])


def test_bad_specimens_and_settings_are_refused(random):
    points = curved(random)
    with pytest.raises(AnalysisError, match="at least two specimens"):
        slide(points[:1], RING)
    with pytest.raises(SettingsError, match="got 'magic'"):
        slide(points, RING, "magic")
    gone = points.copy()
    gone[0, 0] = np.nan
    with pytest.raises(AnalysisError, match="missing"):
        slide(gone, RING)
    gone[0] = 1.0
    with pytest.raises(AnalysisError, match="in one place"):
        slide(gone, RING)
    with pytest.raises(AnalysisError, match="at least 5 landmarks"):
        bending_energy_matrix(points[0, :4])
    with pytest.raises(AnalysisError, match="1 surfaces"):
        slide(points, RING, surfaces=[SpecimenSurface(sphere(1).surface, points[0])])
