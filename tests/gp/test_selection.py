"""Laws of greedy selection, and agreement with Algorithm 1 as written."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matrices import MatrixKernel
from reference import algorithm_1, assert_same_picks, dense_kernel, pivoted_cholesky
from scipy.linalg import lapack

from gplandmark import KernelError, SettingsError, Stop, make_molar, select
from gplandmark.gp.kernels import (
    FieldKernel,
    MaternKernel,
    PartKernel,
    ReweightedKernel,
    SquaredExponentialKernel,
)


def smooth_matrix(seed, size=60, dimension=2, eps=0.05):
    random = np.random.default_rng(seed)
    points, masses = random.random((size, dimension)), random.random(size)
    return dense_kernel(points, masses, eps)


def low_rank(seed, size=40, rank=5):
    factor = np.random.default_rng(seed).standard_normal((size, rank))
    return factor @ factor.T


MATRIX = smooth_matrix(0)
KERNEL = MatrixKernel(MATRIX)


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 25), st.floats(0.005, 0.5))
def test_same_picks_as_algorithm_1(seed, count, eps):
    matrix = smooth_matrix(seed, eps=eps)
    expected, before = pivoted_cholesky(np.diag(matrix), lambda pick: matrix[:, pick].copy(), count)
    if before[-1].max() < 1e-9 * before[0].max():
        return  # the reference itself is picking noise
    found = select(MatrixKernel(matrix), count)
    assert_same_picks(found.indices, expected, before)
    literal, peaks = algorithm_1(matrix, count)
    assert_same_picks(literal, expected, before, tie=1e-6)
    np.testing.assert_allclose(found.variances, peaks, rtol=1e-5)


def test_same_picks_as_lapack():
    _, pivots, rank, _ = lapack.dpstrf(MATRIX, lower=1)
    count = min(rank, 20)
    assert select(KERNEL, count).indices.tolist() == (pivots[:count] - 1).tolist()


def test_same_picks_as_algorithm_1_on_a_surface(molar):
    masses = np.random.default_rng(0).random(molar.vertex_count)
    matrix = dense_kernel(molar.points, masses, 0.5)
    expected, before = pivoted_cholesky(np.diag(matrix), lambda pick: matrix[:, pick].copy(), 60)
    found = select(ReweightedKernel(molar.points, masses, 0.5), 60)
    assert_same_picks(found.indices, expected, before)


def test_the_variance_left_is_the_mean_squared_prediction_error():
    found = select(KERNEL, 12)
    picks = found.indices
    solved = np.linalg.solve(MATRIX[np.ix_(picks, picks)], MATRIX[picks])
    expected = np.diag(MATRIX) - np.einsum("ij,ij->j", MATRIX[picks], solved)
    np.testing.assert_allclose(found.variance, expected, atol=1e-9 * MATRIX.max())


@given(st.integers(1, 15), st.integers(0, 15))
def test_nested(first, more):
    short, long = select(KERNEL, first), select(KERNEL, first + more)
    assert long.indices[:first].tolist() == short.indices.tolist()
    assert (long.variances[:first] == short.variances).all()


def test_variances_do_not_increase():
    found = select(KERNEL, 30)
    assert (np.diff(found.variances) <= 1e-15).all()
    assert found.variances[0] == np.diag(MATRIX).max() == found.initial
    assert len(set(found.indices.tolist())) == 30
    assert found.stopped is Stop.COUNT


@pytest.mark.parametrize("rank", [1, 5, 9])
@pytest.mark.parametrize("count", [None, 20])
def test_a_kernel_of_rank_r_gives_exactly_r_points(rank, count):
    found = select(MatrixKernel(low_rank(3, rank=rank)), count)
    assert len(found.indices) == len(found.variances) == len(found.factor) == rank
    assert found.stopped is Stop.RANK
    assert found.variance.max() < 1e-12 * found.initial


def test_it_stops_at_the_target():
    found = select(KERNEL, target=0.1)
    assert found.stopped is Stop.TARGET
    assert found.variance.max() <= 0.1 * found.initial < found.variances[-1]
    both = select(KERNEL, 3, target=0.1)
    assert (len(both.indices), both.stopped) == (3, Stop.COUNT)


@given(st.permutations(range(60)))
@settings(max_examples=20)
def test_relabelling_points_relabels_picks(order):
    order = np.array(order)
    found = select(MatrixKernel(MATRIX[np.ix_(order, order)]), 15)
    assert order[found.indices].tolist() == select(KERNEL, 15).indices.tolist()


def test_ties_go_to_the_lowest_index():
    found = select(MatrixKernel(np.eye(6) * (1 + 1e-12 * np.arange(6))))
    assert found.indices.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize(
    "make",
    [
        lambda points: SquaredExponentialKernel(points, 0.1),
        lambda points: MaternKernel(points, 0.1, 1.5),
        lambda points: FieldKernel.of(points, np.full(len(points), 1 / len(points)), 0.1),
        lambda points: PartKernel(SquaredExponentialKernel(points, 0.1), np.arange(len(points))),
    ],
)
def test_ties_are_broken_by_position_and_not_by_number(make, seed, random):
    grid = np.stack(np.meshgrid(*3 * [np.linspace(0, 1, 4)]), axis=-1).reshape(-1, 3)
    expected = grid[select(make(grid), 12, seed=seed).indices]
    order = random.permutation(len(grid))
    found = grid[order][select(make(grid[order]), 12, seed=seed).indices]
    np.testing.assert_array_equal(found, expected)


def test_of_tied_points_the_outermost_is_picked(random):
    points = random.random((50, 2))
    farthest = np.argmax(np.linalg.norm(points - points.mean(axis=0), axis=1))
    assert select(SquaredExponentialKernel(points, 0.1), 1).indices[0] == farthest


def test_with_a_seed_ties_are_broken_at_random_and_repeatably():
    kernel = MatrixKernel(np.eye(50))
    orders = {tuple(select(kernel, 50, seed=seed).indices) for seed in range(5)}
    assert len(orders) == 5
    assert all(sorted(order) == list(range(50)) for order in orders)
    assert (select(kernel, 50, seed=3).indices == select(kernel, 50, seed=3).indices).all()
    assert (select(KERNEL, 9, seed=1).indices == select(KERNEL, 9).indices).all()


def test_starting_points_come_first_and_the_search_is_conditioned_on_them():
    free = select(KERNEL, 10)
    given_first = select(KERNEL, 10, start=free.indices[:4])
    assert given_first.indices.tolist() == free.indices.tolist()
    other = select(KERNEL, 3, start=[17, 4])
    assert other.indices[:2].tolist() == [17, 4]
    posterior = MATRIX - MATRIX[:, [17, 4]] @ np.linalg.solve(
        MATRIX[np.ix_([17, 4], [17, 4])], MATRIX[[17, 4]]
    )
    assert other.indices[2] == np.argmax(np.diag(posterior))


def test_a_starting_point_that_the_others_determine_is_skipped():
    matrix = np.pad(MATRIX, (0, 1), mode="edge")  # point 60 is point 59 again
    found = select(MatrixKernel(matrix), 6, start=[59, 60, 3, 59])
    assert found.skipped == (60, 59)
    assert found.indices[:2].tolist() == [59, 3]
    assert len(found.indices) == 6


def test_excluded_points_are_never_picked_and_do_not_count_for_stopping():
    first = select(KERNEL, 5).indices
    candidates = np.ones(60, dtype=bool)
    candidates[first] = False
    found = select(KERNEL, 20, candidates=candidates)
    assert not set(first) & set(found.indices.tolist())
    assert found.initial == np.diag(MATRIX)[candidates].max()
    few = np.zeros(60, dtype=bool)
    few[[2, 30]] = True
    every = select(KERNEL, target=1e-3, candidates=few)
    assert set(every.indices.tolist()) <= {2, 30}
    assert every.variance.max() > 1e-3 * every.initial


def test_an_excluded_point_may_still_be_a_starting_point():
    candidates = np.ones(60, dtype=bool)
    candidates[8] = False
    assert select(KERNEL, 4, start=[8], candidates=candidates).indices[0] == 8


@pytest.mark.parametrize("first", [1, 7, 63, 64])
def test_a_selection_can_be_continued(first):
    matrix = smooth_matrix(5, size=200, eps=0.002)

    class Counting(MatrixKernel):
        asked = 0

        def columns(self, indices):
            Counting.asked += len(indices)
            return super().columns(indices)

    kernel = Counting(matrix)
    whole = select(kernel, 80)
    begun = select(kernel, first)
    Counting.asked = 0
    continued = select(kernel, 80, after=begun)
    assert Counting.asked == 80 - first + 1  # one, by which a kernel that is not ours is checked
    assert (continued.indices == whole.indices).all()
    assert (continued.variance == whole.variance).all()
    assert len(begun.indices) == first


def test_progress_is_told_after_every_pick():
    told = []
    found = select(KERNEL, 5, progress=lambda count, left: told.append((count, left)))
    assert [count for count, _ in told] == [1, 2, 3, 4, 5]
    shares = found.variances[1:] / found.initial
    assert [left for _, left in told[:4]] == pytest.approx(shares.tolist())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"count": 0}, "from 1 to 60"),
        ({"count": 61}, "from 1 to 60.*got 61"),
        ({"count": 3, "candidates": np.arange(60) < 2}, "from 1 to 2"),
        ({"candidates": np.zeros(60, bool)}, "Every vertex is excluded"),
        ({"count": 2, "target": 1.0}, "below 1"),
        ({"count": 2, "target": np.nan}, "below 1"),
        ({"count": 2, "start": [60]}, "60 does not exist"),
        ({"count": 2, "start": [-1]}, "-1 does not exist"),
        ({"count": 2, "start": [1, 2, 3]}, "3 starting landmarks"),
    ],
)
def test_bad_requests(options, message):
    with pytest.raises(SettingsError, match=message):
        select(KERNEL, **options)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [(np.full((4, 4), np.nan), "NaN or infinite"), (np.zeros((4, 4)), "zero at every candidate")],
)
def test_what_is_no_covariance_is_refused(matrix, message):
    with pytest.raises(KernelError, match=message):
        select(MatrixKernel(matrix), 2)


def test_a_bandwidth_so_small_that_the_kernel_is_diagonal():
    molar = make_molar(vertex_count=300).surface
    masses = np.random.default_rng(2).random(300)
    found = select(ReweightedKernel(molar.points, masses, 1e-9), 20)
    assert found.indices.tolist() == np.argsort(-masses)[:20].tolist()


def test_a_bandwidth_so_large_that_the_rank_is_tiny():
    molar = make_molar(vertex_count=300).surface
    found = select(ReweightedKernel(molar.points, np.ones(300), 1e6))
    assert found.stopped is Stop.RANK
    assert 1 < len(found.indices) < 40
    assert np.isfinite(found.variances).all()
