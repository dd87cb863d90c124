"""Section 4 of the paper, measured: identities, bounds on both sides, and inequalities."""

from itertools import combinations

import numpy as np
import pytest
from conftest import teeth
from hypothesis import given, settings
from hypothesis import strategies as st
from matrices import MatrixKernel, conditional, smooth_kernel
from scipy.spatial.distance import cdist

from gplandmark import (
    KernelError,
    ScanError,
    Settings,
    SettingsError,
    Surface,
    covariance,
    read,
    select,
)
from gplandmark.gp.kernels import MaternKernel, SquaredExponentialKernel
from gplandmark.gp.selection import randomly_pivoted
from gplandmark.gp.theory import (
    comparison,
    farthest_points,
    feature_map,
    fill_distance,
    fill_power_bound,
    fit_decay,
    halving,
    inner_product,
    oracle_bounds,
    packing_bound,
    power_function,
    product_theorem,
    projection_coefficients,
    variance_history,
)
from gplandmark.mesh import geodesic_distances, surface_area, voronoi_areas
from gplandmark.mesh.synthetic import sphere, torus

KERNEL = smooth_kernel(4, eps=0.03)
MATRIX = KERNEL.matrix
LARGEST = MATRIX.max()
MEASURE = np.random.default_rng(1).random(60)
LANDMARKS = select(KERNEL, 14).indices
LOWER = [oracle_bounds(KERNEL, 20).lower, oracle_bounds(KERNEL, 20, MEASURE).lower]
FEATURES = feature_map(KERNEL).features


def test_the_fill_distance_by_brute_force(random):
    points = random.random((200, 3))
    landmarks = [5, 77, 140]
    expected = cdist(points, points[landmarks]).min(axis=1).max()
    np.testing.assert_allclose(fill_distance(Surface(points), landmarks), expected)


def test_the_fill_distance_of_one_point_of_a_sphere():
    surface = sphere(3, radius=2.0).surface
    assert fill_distance(surface, [0]) == pytest.approx(4.0)
    assert fill_distance(surface, [0], geodesic=True) == pytest.approx(2 * np.pi, rel=0.01)


def test_geodesic_distances_converge_to_those_of_the_sphere():
    errors = []
    for subdivisions in (3, 4, 5):
        surface = sphere(subdivisions).surface
        angles = np.arccos(np.clip(surface.points @ surface.points[[0, 7]].T, -1, 1)).min(axis=1)
        errors.append(np.abs(geodesic_distances(surface)(np.array([0, 7])) - angles).max())
    assert (np.diff(np.log2(errors)) < -0.45).all()  # h log(1 / h), slower than first order
    assert errors[-1] < 0.01 * np.pi


def pieces():
    one = sphere(1).surface
    points = np.vstack([one.points, one.points + 5.0, [[9.0, 9.0, 9.0]]])
    return Surface(points, np.vstack([one.triangles, one.triangles + 42]), "pieces")


def test_a_piece_without_a_landmark_is_infinitely_far():
    surface = pieces()
    distances = geodesic_distances(surface)(np.array([3]))
    assert np.isfinite(distances[:42]).all()
    assert np.isinf(distances[42:]).all()
    assert fill_distance(surface, [3], geodesic=True) == np.inf
    one = fill_distance(Surface(surface.points[:42], surface.triangles[:80]), [3], geodesic=True)
    assert fill_distance(surface, [3, 45], geodesic=True) == pytest.approx(one)


def test_distances_keep_the_numbers_of_vertices_where_some_are_loose():
    one = sphere(1).surface
    shifted = Surface(np.vstack([[[9.0, 9, 9]], one.points]), one.triangles + 1)
    np.testing.assert_allclose(
        geodesic_distances(shifted)(np.array([4]))[1:],
        geodesic_distances(one)(np.array([3])),
        atol=1e-12,
    )


def test_distances_that_do_not_exist():
    surface = pieces()
    with pytest.raises(SettingsError, match="There are no landmarks"):
        fill_distance(surface, [])
    with pytest.raises(SettingsError, match="Vertex 85 does not exist"):
        fill_distance(surface, [85], geodesic=True)
    with pytest.raises(ScanError, match="no triangles"):
        geodesic_distances(Surface(surface.points))(np.array([0]))


def test_the_power_function_is_the_root_of_the_variance():
    found = select(KERNEL, 14)
    squares = power_function(KERNEL, found.indices) ** 2
    np.testing.assert_allclose(squares, found.variance, atol=1e-14 * LARGEST)
    exact = np.diag(conditional(MATRIX, found.indices))
    np.testing.assert_allclose(squares, exact, atol=1e-10 * LARGEST)


def test_the_projection_is_orthogonal_and_its_distance_is_the_variance():
    coefficients = projection_coefficients(KERNEL, LANDMARKS)
    among, across = MATRIX[np.ix_(LANDMARKS, LANDMARKS)], MATRIX[LANDMARKS]
    np.testing.assert_allclose(coefficients[:, LANDMARKS], np.eye(14), atol=1e-8)
    np.testing.assert_allclose(among @ coefficients, across, atol=1e-11)  # normal equations
    squares = np.diag(
        MATRIX
        - 2 * coefficients.T @ across
        + coefficients.T @ among @ coefficients  # |K(., x) - sum_i a_i K(., x_i)|^2
    )
    np.testing.assert_allclose(
        squares, power_function(KERNEL, LANDMARKS) ** 2, atol=1e-11 * LARGEST
    )


def test_the_history_of_the_variance():
    found = variance_history(KERNEL, LANDMARKS, MEASURE)
    selection = select(KERNEL, 14)
    np.testing.assert_allclose(found.largest[:14], selection.variances, rtol=1e-8)
    assert found.largest[14] == pytest.approx(selection.variance.max())
    for n in (0, 3, 14):
        variance = np.diag(conditional(MATRIX, LANDMARKS[:n]))
        assert found.mean[n] == pytest.approx(np.average(variance, weights=MEASURE))
    assert (found.mean < found.largest).all()
    assert (np.diff(found.mean) < 0).all()


def test_the_feature_map_gives_the_kernel_and_its_eigenfunctions():
    found = feature_map(KERNEL, MEASURE)
    np.testing.assert_allclose(found.features @ found.features.T, MATRIX, atol=1e-12 * LARGEST)
    gram = found.features.T @ (found.measure[:, None] * found.features)
    np.testing.assert_allclose(gram, np.diag(found.eigenvalues), atol=1e-14 * LARGEST)
    roots = np.sqrt(MEASURE / MEASURE.sum())
    exact = np.linalg.eigvalsh(roots[:, None] * MATRIX * roots)[::-1]
    rank = len(found.eigenvalues)
    np.testing.assert_allclose(found.eigenvalues, exact[:rank], atol=1e-14 * LARGEST)


@pytest.mark.parametrize("measure", [None, MEASURE])
def test_the_inner_product_reproduces(measure, random):
    space = feature_map(KERNEL, measure)
    norms = [[inner_product(space, MATRIX[x], MATRIX[y]) for x in (3, 17)] for y in (3, 17, 40)]
    np.testing.assert_allclose(norms, MATRIX[np.ix_([3, 17, 40], [3, 17])], atol=1e-7 * LARGEST)
    weights = random.standard_normal(60)
    function = MATRIX @ weights
    assert inner_product(space, function, MATRIX[8]) == pytest.approx(function[8], rel=1e-6)
    assert inner_product(space, function, function) == pytest.approx(weights @ function, rel=1e-6)


def test_the_inner_product_of_eigenfunctions():
    space = feature_map(KERNEL)
    first, second = (space.features[:, k] / np.sqrt(space.eigenvalues[k]) for k in (0, 1))
    assert inner_product(space, first, first) == pytest.approx(1 / space.eigenvalues[0])
    assert inner_product(space, first, second) == pytest.approx(0, abs=1e-6)


def test_a_function_outside_the_space_has_no_norm():
    space = feature_map(KERNEL, rank=5)
    with pytest.raises(SettingsError, match="does not lie in the space"):
        inner_product(space, np.eye(60)[4], MATRIX[3])
    with pytest.raises(SettingsError, match="60 finite values"):
        inner_product(space, np.ones(59), MATRIX[3])


@pytest.mark.parametrize("rank", [1, 5, 12, 25])
def test_a_lower_rank_keeps_both_bounds_true(rank):
    exact, rough = oracle_bounds(KERNEL, 20, MEASURE), oracle_bounds(KERNEL, 20, MEASURE, rank)
    assert (rough.lower <= exact.lower * (1 + 1e-12)).all()
    assert (rough.upper >= exact.lower).all()
    rest = feature_map(KERNEL, MEASURE, rank)
    residual = MATRIX - rest.features @ rest.features.T
    np.testing.assert_allclose(np.diag(residual), rest.residual, atol=1e-13 * LARGEST)
    assert np.linalg.eigvalsh(residual)[0] > -1e-13 * LARGEST


def test_the_upper_bound_is_that_of_the_eigenspace():
    values, vectors = np.linalg.eigh(MATRIX)
    values, vectors = values[::-1], vectors[:, ::-1]
    found = oracle_bounds(KERNEL, 20)
    for m in range(21):
        exact = (np.diag(MATRIX) - (values[:m] * vectors[:, :m] ** 2).sum(axis=1)).max()
        assert found.upper[m] == pytest.approx(exact, rel=1e-9)
        assert found.lower[m] == pytest.approx(values[m:].sum() / 60, rel=1e-9)
    assert (found.lower <= found.upper).all()


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 20), st.integers(0, 1))
def test_no_landmarks_and_no_subspace_beat_the_lower_bound(seed, dimension, measure):
    random = np.random.default_rng(seed)
    lower = LOWER[measure]
    landmarks = random.choice(60, dimension, replace=False)
    left = np.diag(conditional(MATRIX, landmarks)).max()
    assert left >= lower[dimension] * (1 - 1e-9)
    subspace, _ = np.linalg.qr(random.standard_normal((FEATURES.shape[1], dimension)))
    squares = (FEATURES**2).sum(axis=1) - ((FEATURES @ subspace) ** 2).sum(axis=1)
    assert squares.max() >= lower[dimension] * (1 - 1e-9)


def test_the_lower_bound_is_reached_by_points_that_know_nothing_of_each_other():
    found = oracle_bounds(MatrixKernel(np.eye(50)), 10)
    np.testing.assert_allclose(found.lower, 1 - np.arange(11) / 50)
    greedy = variance_history(MatrixKernel(np.eye(50)), np.arange(10))
    np.testing.assert_allclose(greedy.mean, found.lower)
    assert (greedy.largest == 1).all()


SMALL = Settings(curvature_radius=0.2)
SURFACES = {"sphere": lambda: sphere(3).surface, "torus": lambda: torus(36, 18).surface}
if teeth():
    SURFACES["tooth"] = lambda: read(teeth()[0])


@pytest.fixture(scope="module", params=[*SURFACES, "molar"])
def measured(request, molar):
    surface = molar if request.param == "molar" else SURFACES[request.param]()
    kernel = covariance(surface, SMALL)
    count = 60
    landmarks = select(kernel, count).indices
    areas = voronoi_areas(surface)
    history = variance_history(kernel, landmarks, areas)
    return surface, landmarks, history, oracle_bounds(kernel, count, areas, rank=3 * count)


def test_greedy_landmarks_lie_between_the_bounds_on_surfaces(measured):
    _, _, history, oracle = measured
    assert (oracle.lower <= oracle.upper).all()
    assert (oracle.lower <= history.mean * (1 + 1e-6)).all()
    assert (history.mean <= history.largest).all()
    ratio = np.sqrt(history.largest / oracle.lower)  # of distances
    assert (ratio >= 1).all()
    assert ratio[:41].max() < 3  # measured: 2.2


@pytest.mark.parametrize("skipped", [0, 1, 7])
def test_the_product_theorem_holds_on_surfaces(measured, skipped):
    _, _, history, oracle = measured
    found = product_theorem(history.largest, oracle.upper, skipped)
    assert len(found.left) == (60 - skipped) * (59 - skipped) / 2
    assert found.violations() == 0


def test_what_follows_from_it_holds_on_surfaces(measured):
    _, _, history, oracle = measured
    for found in (
        comparison(history.largest, oracle.upper),
        halving(history.largest, oracle.upper),
    ):
        assert len(found.left) == 59
        assert found.violations() == 0
    tight, loose = comparison(history.largest, oracle.upper), halving(history.largest, oracle.upper)
    assert (tight.right <= loose.right * (1 + 1e-12)).all()


def test_the_inequality_as_printed_is_false_in_distances(measured):
    _, _, history, oracle = measured
    greedy, width = np.sqrt(history.largest), np.sqrt(oracle.upper)
    n = np.arange(2, 61)
    printed = np.sqrt(2) * history.largest[0] ** 0.5 * width[n // 2] ** 0.5
    assert (greedy[2:] > printed).any()


def test_widths_that_are_too_small_are_found_out(measured):
    _, _, history, oracle = measured
    assert product_theorem(history.largest, 0.1 * oracle.upper).violations() > 0
    assert halving(history.largest, 1e-3 * oracle.upper).violations() > 0


def test_the_packing_bound_holds_on_surfaces(measured):
    surface, landmarks, _, _ = measured
    found = farthest_points(surface.points, 60)
    bound = packing_bound(surface_area(surface), np.arange(1, 61))
    assert (found.upper <= bound).all()
    assert found.upper[-1] == pytest.approx(fill_distance(surface, found.indices))
    assert fill_distance(surface, landmarks) >= found.lower[-1]


def test_the_variance_falls_exponentially_on_surfaces(measured):
    _, _, history, _ = measured
    decay = fit_decay(history.largest[20:], first=20)
    assert decay.better == "exponential"
    assert decay.exponential.determination > 0.9


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_least_fill_distance_by_trying_all(count):
    points = np.random.default_rng(count).random((12, 2))
    distances = cdist(points, points)
    least = min(distances[list(c)].min(axis=0).max() for c in combinations(range(12), count))
    found = farthest_points(points, count)
    assert found.lower[-1] <= least <= found.upper[-1]


def test_the_packing_bound_in_numbers():
    assert packing_bound(np.pi, 8) == pytest.approx(1.0)  # sqrt(8 area / (pi n))
    np.testing.assert_allclose(packing_bound(6.0, np.array([2, 4]), 1), [6.0, 3.0])  # 2 length / n
    assert packing_bound(np.pi, 8, 3) == pytest.approx((16 * 3 / 4 / 8) ** (1 / 3))


@pytest.mark.parametrize("rate", [0.5, 3.0])
def test_decay_finds_the_law_it_was_given(rate):
    n = np.arange(4, 40)
    power = fit_decay(7 * n**-rate, first=4)
    assert (power.better, power.power.rate, power.power.constant) == (
        "power",
        pytest.approx(rate),
        pytest.approx(7),
    )
    assert power.power.determination == pytest.approx(1)
    assert power.power.deviation < 1e-12 < power.exponential.deviation
    exponential = fit_decay(0.1 * np.exp(-rate * n), first=4)
    assert exponential.better == "exponential"
    assert exponential.exponential.rate == pytest.approx(rate)
    assert exponential.exponential.constant == pytest.approx(0.1)


def convex_set(name):
    """Points of the square of side 1, or of the disc in it."""
    x, y = np.meshgrid(*2 * [np.linspace(0, 1, 41)])
    points = np.column_stack([x.ravel(), y.ravel()])
    return points if name == "square" else points[np.linalg.norm(points - 0.5, axis=1) <= 0.5]


@pytest.mark.parametrize("name", ["square", "disc"])
def test_the_law_of_convex_sets_holds_in_the_plane(name):
    points = convex_set(name)
    area, diameter = (1, np.sqrt(2)) if name == "square" else (np.pi / 4, 1)
    kernel = SquaredExponentialKernel(points, 0.4)
    variances = variance_history(kernel, select(kernel, 80).indices).largest
    n = np.arange(10, 81)
    # h_{n/2}, by the thinnest covering of the plane with discs (Kershner)
    fill = np.sqrt(2 * area / np.sqrt(27) / (n // 2))
    assert (fill <= farthest_points(points, 40).upper[n // 2 - 1]).all()
    decay = fit_decay(variances[10:], first=10, fill=fill / diameter)
    assert decay.better == "convex"
    assert decay.convex.rate > 0  # beta above 1
    assert decay.convex.determination > 0.99


def test_decay_finds_the_law_of_convex_sets():
    fill = np.linspace(0.5, 0.05, 30)
    decay = fit_decay(3 * 2.0 ** (np.log(fill) / fill), first=4, fill=fill)
    assert decay.better == "convex"
    assert np.exp(decay.convex.rate) == pytest.approx(2.0)
    assert decay.convex.constant == pytest.approx(3.0)
    assert fit_decay(fill).convex is None


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_the_variance_is_bounded_by_powers_of_the_fill_distance(order):
    surface = torus(48, 24).surface
    kernel = SquaredExponentialKernel(surface.points, 3.0)
    landmarks = farthest_points(surface.points, 120).indices
    counts = np.arange(10, 121, 10)
    fill = np.array([fill_distance(surface, landmarks[:n]) for n in counts])
    variances = variance_history(kernel, landmarks).largest[counts]
    found = fill_power_bound(variances, fill, order, known=4)
    assert len(found.left) == len(counts) - 4
    assert found.violations() == 0
    rough = variance_history(MaternKernel(surface.points, 3.0, 0.5), landmarks).largest[counts]
    assert fill_power_bound(rough, fill, order, known=4).violations() > 0  # it has no derivative


def test_the_entropy_rule_picks_the_same():
    picks = []
    for _ in range(12):
        entropies = np.full(60, -np.inf)
        for x in set(range(60)) - set(picks):
            sign, entropies[x] = np.linalg.slogdet(MATRIX[np.ix_([*picks, x], [*picks, x])])
            assert sign > 0
        picks.append(int(np.argmax(entropies)))
    assert picks == LANDMARKS[:12].tolist()


def test_greedy_pivots_beat_random_ones_where_the_variance_is_largest():
    kernel = covariance(torus(36, 18).surface, SMALL)
    greedy = select(kernel, 60).variance.max()
    others = [randomly_pivoted(kernel, 60, seed).variance.max() for seed in range(5)]
    assert greedy < min(others)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: oracle_bounds(KERNEL, -1), "count must be 0 or more"),
        (lambda: feature_map(KERNEL, rank=0), "rank must be at least 1"),
        (lambda: feature_map(KERNEL, np.ones(59)), "must have 60 entries"),
        (lambda: feature_map(KERNEL, -np.ones(60)), "measure must be finite"),
        (lambda: variance_history(KERNEL, [60]), "Vertex 60 does not exist"),
        (lambda: comparison(np.ones(4), np.ones(5)), "as many greedy errors as widths"),
        (lambda: halving(np.zeros(4), np.ones(4)), "must be positive"),
        (lambda: product_theorem(np.ones(4), np.ones(4), 2), "at least two greedy errors"),
        (lambda: farthest_points(np.zeros((5, 3)), 6), "within the 5 points"),
        (lambda: packing_bound(0.0, 3), "must be positive"),
        (lambda: fit_decay(np.ones(2)), "3 variances or more"),
        (lambda: fit_decay(np.array([1, 0.5, 0.0])), "positive variances"),
        (lambda: fit_decay(np.ones(3), fill=np.array([0.5, 1.0, 2.0])), "between 0 and 1"),
        (lambda: fit_decay(np.ones(3), fill=np.ones(2) / 2), "one fill distance"),
        (lambda: fill_power_bound(np.ones(4), np.ones(4), 1, 4), "some sets but not from all"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(SettingsError, match=message):
        call()


def test_a_kernel_of_nothing_has_no_features():
    with pytest.raises(KernelError, match="positive somewhere"):
        feature_map(MatrixKernel(np.zeros((3, 3))))
