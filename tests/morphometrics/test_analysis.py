"""Procrustes statistics: laws, hand-computed cases, and other people's programs."""

import itertools
import json
import warnings

import numpy as np
import pytest
from conftest import specimen
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import procrustes
from shape_samples import base_shape, landmarks, moved, sample

from gplandmark import AnalysisError, GplandmarkWarning, Landmarks, SettingsError, make_molar
from gplandmark.landmarks import Record
from gplandmark.mesh import surface_area, vertex_areas
from gplandmark.mesh.areas import triangle_normals
from gplandmark.morphometrics.analysis import (
    continuous_distance,
    generalised_procrustes,
    likely_mirror_images,
    mrpp,
    nearest_neighbour,
    principal_components,
    procrustes_distances,
    thin_plate_spline,
)
from gplandmark.morphometrics.analysis.specimen_groups import groups_of
from gplandmark.numerics.rotations import best_rotations
from gplandmark.visual.charts.component_charts import specimen_of, surface_at

# --- superimposition


@settings(max_examples=20)
@given(st.integers(0, 2**20), st.booleans())
def test_position_size_and_orientation_do_not_matter(seed, reflect):
    random = np.random.default_rng(seed)
    points = sample(random)
    first = generalised_procrustes(landmarks(points), reflect=reflect)
    again = generalised_procrustes(
        landmarks([moved(each, random) for each in points]), reflect=reflect
    )
    np.testing.assert_allclose(again.shapes, first.shapes, atol=1e-8)
    np.testing.assert_allclose(again.consensus, first.consensus, atol=1e-8)


def test_the_order_of_specimens_does_not_matter(random):
    points = sample(random, noise=0.5)
    order = random.permutation(len(points))
    first, again = (
        generalised_procrustes(landmarks(points)),
        generalised_procrustes(landmarks(points[order])),
    )
    np.testing.assert_allclose(again.shapes, first.shapes[order], atol=1e-8)


def test_the_result_is_a_fixed_point_of_both_steps(random):
    aligned = generalised_procrustes(landmarks(sample(random, noise=0.5)))
    sizes = np.linalg.norm(aligned.shapes, axis=(1, 2))
    np.testing.assert_allclose(sizes, 1)
    np.testing.assert_allclose(aligned.shapes.mean(axis=1), 0, atol=1e-14)
    mean = aligned.shapes.mean(axis=0)
    np.testing.assert_allclose(aligned.consensus, mean / np.linalg.norm(mean), atol=1e-9)
    turns = best_rotations(aligned.shapes, aligned.consensus, reflect=False)
    np.testing.assert_allclose(turns, np.broadcast_to(np.eye(3), turns.shape), atol=1e-8)


def test_the_consensus_lies_along_its_principal_axes(random):
    spread = generalised_procrustes(landmarks(sample(random))).consensus
    products = spread.T @ spread
    np.testing.assert_allclose(products, np.diag(np.diag(products)), atol=1e-12)
    assert (np.diff(np.diag(products)) < 0).all()


def test_nothing_is_mirrored_unless_it_may_be(random):
    points = sample(random)
    aligned = generalised_procrustes(landmarks(points))
    for given_points, shape in zip(points, aligned.shapes, strict=True):
        product = (given_points - given_points.mean(axis=0)).T @ shape
        assert np.linalg.det(product) > 0


def test_centroid_sizes_by_hand():
    # Three corners of an equilateral triangle with side 1 lie 1 / sqrt(3) from its centre.
    triangle = np.array([[0, 0, 0], [1, 0, 0], [0.5, np.sqrt(0.75), 0]])
    aligned = generalised_procrustes(landmarks([triangle, 7 * triangle + 5]))
    np.testing.assert_allclose(aligned.centroid_sizes, [1, 7])
    assert aligned.sum_of_squares < 1e-20


def test_the_distance_of_two_triangles_by_hand():
    # In the plane a triangle is a complex vector z, and |<z, w>| the best overlap by a rotation;
    # in space a triangle may be turned over as well, which conjugates it.
    equilateral = np.exp(2j * np.pi * np.arange(3) / 3) / np.sqrt(3)
    right = np.array([0, 1, 1j]) - (1 + 1j) / 3
    right /= np.linalg.norm(right)
    overlap = max(abs(np.vdot(equilateral, right)), abs(np.vdot(equilateral.conj(), right)))
    flat = [np.column_stack([z.real, z.imag, 0 * z.real]) for z in (equilateral, right)]
    distances = procrustes_distances(generalised_procrustes(landmarks(flat)))
    np.testing.assert_allclose(distances[0, 1], np.sqrt(2 - 2 * overlap))


@pytest.mark.parametrize("reflect", [False, True])
def test_morphops_comes_near_the_same_consensus_and_not_below(random, reflect, capsys):
    # morphops turns all onto the mean of all but one, and so stops beside the minimum.
    morphops = pytest.importorskip("morphops")
    points = sample(random, noise=0.5)
    aligned = generalised_procrustes(landmarks(points), reflect=reflect)
    other = morphops.gpa(points, tol=1e-13, no_reflect=not reflect, unitize_mean=True)
    capsys.readouterr()
    turn = best_rotations(other["mean"], aligned.consensus, reflect=reflect)
    np.testing.assert_allclose(other["mean"] @ turn, aligned.consensus, atol=1e-3)
    np.testing.assert_allclose(1 / other["b"], aligned.centroid_sizes)
    ours, theirs = (
        np.sum((each - each.mean(axis=0)) ** 2) for each in (aligned.shapes, other["aligned"])
    )
    assert theirs * (1 - 1e-3) < ours <= theirs * (1 + 1e-12)


def test_ktch_finds_the_same_consensus_with_sizes(random):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ktch = pytest.importorskip("ktch.landmark")
    points = sample(random, noise=0.5)
    aligned = generalised_procrustes(landmarks(points), reflect=True, keep_size=True)
    other = ktch.GeneralizedProcrustesAnalysis(n_dim=3, scaling=False, tol=1e-12)
    mean = other.fit(points.reshape(len(points), -1)).mu_
    turn = best_rotations(mean, aligned.consensus, reflect=True)
    np.testing.assert_allclose(
        mean @ turn, aligned.consensus, atol=1e-5 * np.linalg.norm(aligned.consensus)
    )


def test_tangent_coordinates_are_those_of_geomorph(random):
    aligned = generalised_procrustes(landmarks(sample(random, noise=0.5)))
    vector = aligned.consensus.ravel()
    table = aligned.shapes.reshape(len(aligned.shapes), -1)
    expected = table @ (np.eye(len(vector)) - np.outer(vector, vector)) + vector
    found = aligned.tangent_coordinates().reshape(table.shape)
    np.testing.assert_allclose(found, expected, atol=1e-14)
    np.testing.assert_allclose(found.mean(axis=0), vector, atol=1e-9)


def test_kept_sizes_stay(random):
    points = sample(random)
    aligned = generalised_procrustes(landmarks(points), keep_size=True)
    np.testing.assert_allclose(np.linalg.norm(aligned.shapes, axis=(1, 2)), aligned.centroid_sizes)
    np.testing.assert_allclose(aligned.consensus, aligned.shapes.mean(axis=0), rtol=1e-7)
    assert aligned.tangent_coordinates() is aligned.shapes


# --- mirror images


def mirrored_sample(random):
    points = sample(random, specimens=9)
    points[[1, 4, 6], :, 0] *= -1
    return points


def test_mirror_images_are_found_and_the_majority_is_not_turned(random):
    points = mirrored_sample(random)
    aligned = generalised_procrustes(landmarks(points), reflect=True)
    assert np.flatnonzero(aligned.mirrored).tolist() == [1, 4, 6]
    direct = generalised_procrustes(landmarks(np.delete(points, [1, 4, 6], axis=0)))
    assert aligned.sum_of_squares < 2 * direct.sum_of_squares
    other = points.copy()
    other[..., 1] *= -1
    assert np.flatnonzero(
        generalised_procrustes(landmarks(other), reflect=True).mirrored
    ).tolist() == [1, 4, 6]


def test_matched_specimens_are_mirrored_as_their_match_says(random):
    """The reference may be on the side of the few."""
    shape = base_shape(random)
    shapes = np.array([shape, *(shape * [1, 1, -1] for _ in range(3))])
    shapes = shapes + 0.01 * random.normal(size=shapes.shape)
    names = [f"s{number}" for number in range(4)]
    sides = [False, True, True, True]
    records = [Record(request={"matching": {}}, outcome={"mirrored": side}) for side in sides]
    matched = [Landmarks.at(*each[:2], record=each[2])
               for each in zip(shapes, names, records, strict=True)]  # fmt: skip
    assert generalised_procrustes(matched, reflect=True).mirrored.tolist() == sides
    alone = [Landmarks.at(*each) for each in zip(shapes, names, strict=True)]
    assert generalised_procrustes(alone, reflect=True).mirrored.tolist() == [True, *[False] * 3]


def test_mirror_images_are_suspected_where_they_are_not_allowed(random):
    points = mirrored_sample(random)
    assert likely_mirror_images(generalised_procrustes(landmarks(points))) == ("s1", "s4", "s6")
    assert likely_mirror_images(generalised_procrustes(landmarks(points), reflect=True)) == ()
    assert likely_mirror_images(generalised_procrustes(landmarks(sample(random)))) == ()


def test_flat_shapes_are_not_called_mirror_images(random):
    points = sample(random)
    shape = base_shape(random) * [1, 1, 0]
    points = [moved(shape + random.normal(size=shape.shape) * [0.1, 0.1, 0], random)
              for _ in range(6)]  # fmt: skip
    assert not generalised_procrustes(landmarks(points), reflect=True).mirrored.any()


# --- missing landmarks


def with_gaps(points, gaps):
    points = points.copy()
    for row, column in gaps:
        points[row, column] = np.nan
    return points


def test_a_missing_landmark_of_the_same_shape_is_found_exactly(random):
    points = sample(random, noise=0)
    gaps = [(0, 1), (0, 7), (3, 2), (5, 11)]
    aligned = generalised_procrustes(landmarks(with_gaps(points, gaps)))
    size = aligned.centroid_sizes[:, None, None]
    np.testing.assert_allclose(aligned.points / size, points / size, atol=1e-7)
    assert np.argwhere(aligned.missing).tolist() == [list(gap) for gap in gaps]
    assert aligned.sum_of_squares < 1e-14


def test_estimates_are_nearer_than_those_of_a_rigid_consensus(random):
    shape = base_shape(random, 20)
    stretched = [shape @ (np.eye(3) + 0.15 * random.normal(size=(3, 3))) for _ in range(15)]
    points = np.stack([moved(each, random) for each in stretched])
    gaps = [(row, int(random.integers(20))) for row in range(10)]
    aligned = generalised_procrustes(landmarks(with_gaps(points, gaps)))
    rows, columns = np.array(gaps).T
    size = aligned.centroid_sizes[rows]
    spline = np.linalg.norm(aligned.points[rows, columns] - points[rows, columns], axis=1) / size
    full = generalised_procrustes(landmarks(points))
    rigid = np.linalg.norm(full.shapes[rows, columns] - full.consensus[columns], axis=1)
    assert spline.max() < 1e-5  # a spline has every affine map in it
    assert np.median(rigid) > 1e-2


def test_no_specimen_needs_to_be_complete(random):
    points = sample(random, noise=0.05)
    gaps = [(row, row) for row in range(len(points))]
    aligned = generalised_procrustes(landmarks(with_gaps(points, gaps)))
    assert np.isfinite(aligned.shapes).all()
    rows, columns = np.array(gaps).T
    off = np.linalg.norm(aligned.points[rows, columns] - points[rows, columns], axis=1)
    assert (off / aligned.centroid_sizes).max() < 0.1


def test_estimates_agree_with_the_consensus_they_are_part_of(random):
    points = with_gaps(sample(random), [(0, 1), (2, 3), (2, 4)])
    aligned = generalised_procrustes(landmarks(points))
    for row in (0, 2):
        gone = aligned.missing[row]
        again = thin_plate_spline(
            aligned.consensus[gone], aligned.consensus[~gone], points[row][~gone]
        )
        np.testing.assert_allclose(
            again, aligned.points[row][gone], atol=1e-8 * aligned.centroid_sizes[row]
        )


def test_a_spline_meets_its_targets_and_has_every_affine_map(random):
    sources, points = random.normal(size=(9, 3)), random.normal(size=(30, 3))
    targets = sources + 0.2 * random.normal(size=(9, 3))
    np.testing.assert_allclose(thin_plate_spline(sources, sources, targets), targets, atol=1e-9)
    matrix, shift = random.normal(size=(3, 3)), random.normal(size=3)
    np.testing.assert_allclose(
        thin_plate_spline(points, sources, sources @ matrix + shift),
        points @ matrix + shift,
        atol=1e-9,
    )


def test_a_spline_from_a_plane_is_the_best_similarity(random):
    sources = random.normal(size=(9, 3)) * [1, 1, 0]
    points = random.normal(size=(30, 3))
    both = moved(np.vstack([sources, points]), random)
    np.testing.assert_allclose(thin_plate_spline(points, sources, both[:9]), both[9:], atol=1e-9)


# --- components


def test_components_are_those_of_scikit_learn(random):
    decomposition = pytest.importorskip("sklearn.decomposition")
    aligned = generalised_procrustes(landmarks(sample(random, noise=0.5)))
    parts = principal_components(aligned)
    other = decomposition.PCA(7)
    scores = other.fit_transform(aligned.tangent_coordinates().reshape(8, -1))
    np.testing.assert_allclose(parts.variances, other.explained_variance_, rtol=1e-9)
    np.testing.assert_allclose(parts.variance_fractions, other.explained_variance_ratio_, rtol=1e-9)
    np.testing.assert_allclose(np.abs(parts.scores), np.abs(scores), atol=1e-9)


def test_components_give_the_shapes_back(random):
    aligned = generalised_procrustes(landmarks(sample(random, noise=0.5)))
    parts = principal_components(aligned)
    again = parts.consensus + np.einsum("sc,ckd->skd", parts.scores, parts.axes)
    np.testing.assert_allclose(again, aligned.tangent_coordinates(), atol=1e-8)
    low, high = parts.extremes(0)
    length = np.linalg.norm(high - low)
    np.testing.assert_allclose(length, np.ptp(parts.scores[:, 0]))


def test_there_are_no_more_components_than_freedoms(random):
    few = principal_components(generalised_procrustes(landmarks(sample(random, specimens=4))))
    assert len(few.variances) == 3
    four = principal_components(
        generalised_procrustes(landmarks(sample(random, specimens=30, count=4)))
    )
    assert len(four.variances) == 3 * 4 - 7


def test_one_way_of_varying_is_one_component(random):
    shape, way = base_shape(random), random.normal(size=(12, 3))
    points = [moved(shape + step * way, random) for step in np.linspace(-1e-4, 1e-4, 7)]
    parts = principal_components(generalised_procrustes(landmarks(points)))
    assert parts.variance_fractions[0] > 1 - 1e-6
    order = np.argsort(parts.scores[:, 0])
    assert order.tolist() in (list(range(7)), list(range(6, -1, -1)))


# --- distances


def test_distances_agree_with_scipy(random):
    points = sample(random, noise=0.5)
    points[2, :, 0] *= -1
    distances = procrustes_distances(generalised_procrustes(landmarks(points), reflect=True))
    for one, two in itertools.combinations(range(len(points)), 2):
        disparity = procrustes(points[one], points[two])[2]  # 1 - (tr S)^2
        expected = np.sqrt(2 - 2 * np.sqrt(1 - disparity))
        np.testing.assert_allclose(distances[one, two], expected, rtol=1e-6)


def test_distances_are_a_metric(random):
    distances = procrustes_distances(generalised_procrustes(landmarks(sample(random, noise=1.0))))
    np.testing.assert_array_equal(distances, distances.T)
    assert (np.diag(distances) == 0).all()
    through = (distances[:, :, None] + distances[None]).min(axis=1)
    assert (distances <= through + 1e-12).all()


def test_a_continuous_distance_forgets_rigid_motions_only(random):
    surface = make_molar(1, vertex_count=700).surface
    areas = vertex_areas(surface)
    moved_points = moved(surface.points, random, scale=False)
    assert continuous_distance(surface.points, moved_points, areas) < 1e-9
    mirrored = moved_points * [1, 1, -1]
    assert continuous_distance(surface.points, mirrored, areas) > 0.01
    assert continuous_distance(surface.points, mirrored, areas, reflect=True) < 1e-9
    # A copy half as large again is off by half the radius of gyration.
    middle = areas @ surface.points / areas.sum()
    squares = np.sum((surface.points - middle) ** 2, axis=1)
    expected = 0.5 * np.sqrt(areas @ squares / areas.sum())
    found = continuous_distance(surface.points, 1.5 * moved_points, areas)
    np.testing.assert_allclose(found, expected)
    with pytest.raises(AnalysisError, match="one image and one area"):
        continuous_distance(surface.points, moved_points[1:], areas)


# --- groups

LINE = np.abs(np.subtract.outer([0.0, 1, 10, 12, 30], [0.0, 1, 10, 12, 30]))


def test_neighbours_by_hand():
    found = nearest_neighbour(LINE, ["a", "a", "b", "b", "c"])
    assert found.nearest.tolist() == [1, 0, 3, 2, 3]
    assert found.counted.tolist() == [True] * 4 + [False]
    assert found.rate == 1
    assert found.chance == pytest.approx(0.25)
    wrong = nearest_neighbour(LINE, ["a", None, "a", "b", "b"])
    assert wrong.nearest.tolist() == [2, 0, 3, 2, 3]
    assert wrong.predicted[1] == "a"  # what is not known is found
    assert wrong.correct.tolist() == [True, False, False, False, True]
    assert wrong.rate == pytest.approx(2 / 4)
    assert wrong.chance == pytest.approx(1 / 3)


def test_mrpp_by_hand():
    found = mrpp(LINE, ["a", "a", "b", "b", None], 99)
    assert found.delta == pytest.approx((1 + 2) / 2)
    assert found.expected == pytest.approx((1 + 10 + 12 + 9 + 11 + 2) / 6)
    assert found.agreement == pytest.approx(1 - found.delta / found.expected)
    assert found.within == {"a": (2, 1.0), "b": (2, 2.0)}


def test_the_p_value_of_mrpp_is_that_of_all_permutations(random):
    points = random.normal(size=(7, 2))
    points[:3] += 1
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    groups = list("aaabbbb")
    deltas = []
    for chosen in itertools.combinations(range(7), 3):
        others = [number for number in range(7) if number not in chosen]
        means = [np.mean([distances[pair] for pair in itertools.combinations(each, 2)])
                 for each in (chosen, others)]  # fmt: skip
        deltas.append((3 * means[0] + 4 * means[1]) / 7)
    exact = np.mean(np.array(deltas) <= deltas[0] + 1e-12)
    found = mrpp(distances, groups, 20_000)
    assert found.delta == pytest.approx(deltas[0])
    assert found.expected == pytest.approx(np.mean(deltas))
    assert abs(found.p_value - exact) < 4 * np.sqrt(exact * (1 - exact) / 20_000) + 1e-4


def test_mrpp_is_fair_under_the_null(random):
    values = []
    for seed in range(200):
        points = random.normal(size=(12, 3))
        distances = np.linalg.norm(points[:, None] - points, axis=2)
        values.append(mrpp(distances, list("aaaabbbbcccc"), 99, seed).p_value)
    assert abs(np.mean(values) - 0.5) < 4 * np.sqrt(1 / 12 / 200)
    assert np.mean(np.array(values) <= 0.05) < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 200)


def test_mrpp_draws_the_same_again_and_other_seeds_others():
    groups = ["a", "a", "b", "b", "b"]
    one, two, three = (mrpp(LINE, groups, 333, seed).p_value for seed in (1, 1, 2))
    assert one == two
    assert one != three


def test_groups_that_cannot_be_tested_are_refused():
    with pytest.raises(AnalysisError, match="No group has two members"):
        nearest_neighbour(LINE, list("abcde"))
    with pytest.raises(AnalysisError, match="one per specimen"):
        nearest_neighbour(LINE, ["a", "a"])
    with pytest.raises(AnalysisError, match="two groups of at least two members, got 1"):
        mrpp(LINE, list("aabcd"))
    with pytest.raises(AnalysisError, match="same shape"):
        mrpp(np.zeros((5, 5)), list("aabbb"))
    with pytest.raises(SettingsError, match="at least 1"):
        mrpp(LINE, list("aabbb"), 0)


def test_genera_of_teeth_are_told_by_the_nearest_tooth():
    content = json.loads(specimen("data/teeth/landmarks.json").read_text())
    collection = [Landmarks.at(np.array(each["xyz"])[:16], name) for name, each in content.items()]
    genera = [each["genus"] for each in content.values()]
    aligned = generalised_procrustes(collection, reflect=True)
    distances = procrustes_distances(aligned)
    found = nearest_neighbour(distances, genera)
    assert (found.correct.sum(), found.counted.sum()) == (19, 22)  # 86.4 %
    assert mrpp(distances, genera, 999).p_value == pytest.approx(0.001)
    # Left and right teeth are mixed: without mirror images the neighbours say little.
    direct = generalised_procrustes(collection)
    assert len(likely_mirror_images(direct)) == aligned.mirrored.sum() == 11
    assert nearest_neighbour(procrustes_distances(direct), genera).rate < 0.5


# --- surfaces

PLACES = np.array([[0.05, 0], [0.5, 0.1], [-0.4, 0.3], [0.2, -0.6], [-0.3, -0.4], [0.1, 0.7]])


def molar_sample(count=5):
    molars = [make_molar(seed, vertex_count=1500) for seed in range(count)]
    return molars, generalised_procrustes(landmarks([molar.at(PLACES) for molar in molars]))


def test_a_surface_bent_to_its_own_shape_is_itself_turned_and_scaled():
    molars, aligned = molar_sample()
    surface = molars[2].surface
    assert specimen_of(surface, aligned) == 2
    own = surface_at(surface, aligned, 2, aligned.shapes[2])
    area = surface_area(surface) / aligned.centroid_sizes[2] ** 2
    assert surface_area(own) == pytest.approx(area, rel=1e-9)
    assert (own.triangles == surface.triangles).all()


def test_the_outside_of_a_mirror_image_stays_outside():
    molars, _ = molar_sample()
    points = np.stack([molar.at(PLACES) for molar in molars])
    surface = molars[2].surface
    points[[0, 1, 3, 4]] *= [1, 1, -1]  # the third is then the odd one
    aligned = generalised_procrustes(landmarks(points), reflect=True)
    assert np.flatnonzero(aligned.mirrored).tolist() == [2]
    bent = surface_at(surface, aligned, 2, aligned.consensus)
    up = triangle_normals(surface.points, surface.faces()).sum(axis=0)
    towards = surface.points + 0.1 * up / np.linalg.norm(up)
    above = thin_plate_spline(towards, aligned.points[2], aligned.consensus, reflect=True)
    lifted = (above - bent.points).mean(axis=0)
    assert triangle_normals(bent.points, bent.faces()).sum(axis=0) @ lifted > 0


def test_a_surface_of_nobody_is_refused():
    _, aligned = molar_sample()
    stranger = make_molar(9, vertex_count=1500).surface
    away = type(stranger)(stranger.points + 5, stranger.triangles, "stranger")
    with pytest.raises(
        AnalysisError, match="No specimen has its landmarks on stranger; those of s"
    ):
        specimen_of(away, aligned)


# --- what cannot be compared


def refused(collection, words):
    with pytest.raises(AnalysisError, match=words):
        generalised_procrustes(collection)


def test_landmarks_that_cannot_be_compared_are_refused_with_a_sentence(random):
    points = sample(random)
    good = landmarks(points)
    refused(good[:1], "At least two specimens with landmarks .*, got 1")
    refused([], "got 0")
    refused([*good, Landmarks.at(points[0][:-1], "short")], "s0 has 12 landmarks and short has 11")
    refused([good[0], good[0]], "the same name: s0")
    names = tuple("abcdefghijkl")
    other = (*names[:4], "nasion", *names[5:])
    refused(
        [
            Landmarks.at(points[0], "one", labels=names),
            Landmarks.at(points[1], "two", labels=other),
        ],
        "Landmark 5 is called 'e' on one and 'nasion' on two",
    )
    refused([Landmarks.at(each[:, :2], f"s{i}") for i, each in enumerate(points)], "2D landmarks")
    few = points[0].copy()
    few[2:] = np.nan
    refused([*good, Landmarks.at(few, "few")], "few has 2 of the landmarks, and at least 3")
    line = np.outer(np.arange(12.0), [1, 2, 3]) + 50
    refused([*good, Landmarks.at(line, "ruler")], "landmarks of ruler lie on one line")
    refused([*good, Landmarks.at(np.full((12, 3), 7.0), "dot")], "landmarks of dot lie on one line")
    refused(landmarks(sample(random, count=2)), "has 2 of the landmarks")


def test_specimens_that_share_too_few_landmarks_are_refused(random):
    points = sample(random, specimens=4)
    points[:2, :6] = np.nan
    points[2:, 8:] = np.nan
    refused(landmarks(points), "s0 shares 2 landmarks with the others, and at least 3")


def test_specimens_of_one_shape_have_no_components(random):
    shape = base_shape(random)
    aligned = generalised_procrustes(landmarks([moved(shape, random) for _ in range(4)]))
    with pytest.raises(AnalysisError, match="All specimens have the same shape"):
        principal_components(aligned)


def test_what_is_wholly_missing_is_left_out_and_said(random):
    points = sample(random)
    points[3] = np.nan
    points[:, 5] = np.nan
    with pytest.warns(GplandmarkWarning) as caught:
        aligned = generalised_procrustes(landmarks(points))
    said = " ".join(str(each.message) for each in caught)
    assert "Without any landmark, and left out: specimen s3." in said
    assert "On no specimen, and left out: landmark 6." in said
    assert "s3" not in aligned.names
    assert aligned.labels == tuple(str(i) for i in range(1, 13) if i != 6)
    assert np.isfinite(aligned.shapes).all()


def test_landmarks_in_another_order_are_matched_by_name(random):
    points = sample(random)
    names = tuple("abcdefghijkl")
    order = random.permutation(12)
    collection = landmarks(points, labels=names)
    collection[2] = Landmarks.at(points[2][order], "s2", labels=tuple(names[i] for i in order))
    with pytest.warns(GplandmarkWarning, match="s2: landmarks are put into the order of s0"):
        aligned = generalised_procrustes(collection)
    np.testing.assert_allclose(
        aligned.shapes, generalised_procrustes(landmarks(points)).shapes, atol=1e-9
    )


def test_a_consensus_that_does_not_come_to_rest_is_said_to_move(random, monkeypatch):
    monkeypatch.setattr("gplandmark.morphometrics.analysis.procrustes.MOST", 2)
    with pytest.warns(GplandmarkWarning, match="still moves by .* of its size after 2 iterations"):
        aligned = generalised_procrustes(landmarks(random.normal(size=(5, 6, 3))))
    assert aligned.rounds == 2
    assert np.isfinite(aligned.shapes).all()


def test_groups_name_specimens_by_the_end_of_their_path():
    names = ("site/a", "site/b", "other/b", "c")
    with pytest.warns(GplandmarkWarning):
        found = groups_of(names, {"a": "x", "b": "y", "c": "z"})
    assert found == ("x", None, None, "z")  # two are called b
