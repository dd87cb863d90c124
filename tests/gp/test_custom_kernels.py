"""Kernels of the user's own: taken if they are covariances, refused if not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import algorithm_1
from scipy import sparse

from gplandmark import Design, KernelError, as_kernel, krige, select


class Own:
    """The least that a kernel must have: no `block`."""

    def __init__(self, matrix, size=None):
        self.matrix = np.asarray(matrix, dtype=float)
        self.size = len(self.matrix) if size is None else size

    def diagonal(self):
        return np.diag(self.matrix)

    def columns(self, indices):
        return self.matrix[:, indices]


def covariance_matrix(random, size=200, rank=60):
    factor = random.standard_normal((size, rank))
    return factor @ factor.T


@pytest.mark.parametrize("wrap", [np.array, np.ndarray.tolist, sparse.csr_array, Own])
def test_a_matrix_and_an_object_give_the_picks_of_algorithm_1(random, wrap):
    matrix = covariance_matrix(random)
    expected, variances = algorithm_1(matrix, 20)
    found = select(as_kernel(wrap(matrix)), 20)
    assert found.indices.tolist() == expected
    np.testing.assert_allclose(found.variances, variances, rtol=1e-8)


def test_the_users_matrix_is_not_written_to(random):
    matrix = covariance_matrix(random)
    before = matrix.copy()
    select(as_kernel(matrix), 20)
    select(as_kernel(Own(matrix)), 20)
    np.testing.assert_array_equal(matrix, before)


def test_single_precision_and_a_low_rank_are_taken(random):
    matrix = covariance_matrix(random, rank=5)
    assert len(select(as_kernel(matrix), 20).indices) == 5
    kernel = as_kernel(covariance_matrix(random).astype(np.float32))
    assert len(select(kernel, 40).indices) == 40


def lopsided(random):
    matrix = covariance_matrix(random)
    matrix[3, 50] += 1
    return matrix


def with_hole(random):
    matrix = covariance_matrix(random)
    matrix[7, 7] = np.nan
    return matrix


@pytest.mark.parametrize("wrap", [np.array, Own])
@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (with_hole, "NaN"),
        (lambda random: covariance_matrix(random) - 500 * np.eye(200), "not positive semidef"),
        (lambda _: 1 - 2.0 * np.eye(200), "not positive semidefinite"),
        (lambda random: np.triu(covariance_matrix(random)), "not symmetric"),
    ],
)
def test_what_is_no_covariance_is_refused(random, matrix, words, wrap):
    with pytest.raises(KernelError, match=words):
        as_kernel(wrap(matrix(random)))


def test_one_wrong_entry_of_a_matrix_is_found(random):
    with pytest.raises(KernelError, match="points 3 and 50 have"):
        as_kernel(lopsided(random))


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (np.ones((4, 5)), "square"),
        (np.ones(4), "square"),
        (np.zeros((0, 0)), "square"),
        ([[1.0], [1.0, 2.0]], "square matrix of numbers"),
        ("kernel", "square matrix of numbers"),
        (None, "square matrix"),
        (Own(np.eye(5), size=6), "should have shape"),
    ],
)
def test_what_is_no_square_matrix_is_refused(thing, words):
    with pytest.raises(KernelError, match=words):
        as_kernel(thing)


def test_a_matrix_of_another_size_is_refused():
    with pytest.raises(KernelError, match="5 points, but 7"):
        as_kernel(np.eye(5), size=7)


def test_a_diagonal_that_is_not_that_of_the_columns_is_refused():
    own = Own(np.eye(5))
    own.diagonal = lambda: np.full(5, 2.0)
    with pytest.raises(KernelError, match="diagonal differs"):
        as_kernel(own)


def test_what_escapes_the_sample_is_refused_during_selection(random):
    matrix = np.eye(1000) + 0.01
    matrix[500, 501] = matrix[501, 500] = 3.0  # more than the variance of either
    kernel = as_kernel(matrix)
    with pytest.raises(KernelError, match="not positive semidefinite: after"):
        select(kernel, 1000)


def test_a_column_that_turns_out_not_finite_is_refused():
    own = Own(np.eye(300))
    own.matrix[101, 100] = np.inf
    with pytest.raises(KernelError, match="NaN or infinite"):
        select(as_kernel(own), 300)
    with pytest.raises(KernelError, match="not positive semidefinite"):
        select(own, 300)


@settings(max_examples=40)
@given(size=st.integers(2, 60), rank=st.integers(1, 60), seed=st.integers(0, 2**32 - 1))
def test_every_covariance_passes_and_its_negative_does_not(size, rank, seed):
    matrix = covariance_matrix(np.random.default_rng(seed), size, rank)
    assert len(select(as_kernel(matrix)).indices) == min(size, rank)
    with pytest.raises(KernelError):
        as_kernel(-matrix)


def tridiagonal(size):
    return sparse.diags_array([-1.0, 2.5, -1.0], offsets=[-1, 0, 1], shape=(size, size))


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.coo_array, sparse.csc_matrix])
def test_a_sparse_kernel_stays_sparse_and_picks_what_a_dense_one_does(kind):
    matrix = kind(tridiagonal(300))
    kernel = as_kernel(matrix)
    assert sparse.issparse(kernel.matrix)
    dense = select(matrix.toarray(), 40)
    for source in (kernel, matrix):
        found = select(source, 40)
        assert (found.indices == dense.indices).all()
        np.testing.assert_allclose(found.variance, dense.variance, atol=1e-14)
    rows, columns = np.array([5, 1, 299]), np.array([0, 298])
    assert (kernel.block(rows, columns) == matrix.toarray()[np.ix_(rows, columns)]).all()


def test_a_sparse_kernel_of_many_points_takes_little_memory():
    import tracemalloc

    matrix = sparse.csr_array(tridiagonal(100_000))  # dense, it would take 80 GB
    tracemalloc.start()
    found = select(matrix, 5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found.indices) == 5
    assert peak < 120e6


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (sparse.csr_array(np.triu(np.ones((4, 4)))), "not symmetric"),
        (sparse.csr_array(np.diag([1.0, np.nan])), "NaN"),
        (sparse.csr_array(np.diag([1.0, -1.0])), "not positive semidefinite"),
        (sparse.csr_array(np.eye(3) * 1j), "must be numbers"),
        (sparse.csr_array(np.ones((2, 3))), "square"),
    ],
)
def test_a_sparse_matrix_that_is_no_covariance_is_refused(matrix, words):
    with pytest.raises(KernelError, match=words):
        as_kernel(matrix)


POINTS = np.random.default_rng(3).random((80, 2))


def gaussian_of(points, others):
    return np.exp(-((points[:, None] - others) ** 2).sum(axis=2) / 0.3)


def picks_of(kernel):
    """The kernel picks what the matrix does, from the same start: all variances are equal."""
    matrix = gaussian_of(POINTS, POINTS)
    found, expected = (select(each, 10, start=[4]) for each in (kernel, matrix))
    assert found.indices.tolist() == expected.indices.tolist()
    np.testing.assert_allclose(found.variances, expected.variances, rtol=1e-4)


def test_a_function_with_its_points():
    picks_of((gaussian_of, POINTS))
    design = Design((gaussian_of, POINTS), [3, 7])
    mean = krige((gaussian_of, POINTS), [3, 7], [1.0, 2.0]).mean
    np.testing.assert_allclose(mean[[3, 7]], [1.0, 2.0])
    assert design.variance[3] == 0


def test_a_linear_operator_of_scipy():
    from scipy.sparse.linalg import aslinearoperator

    picks_of(aslinearoperator(gaussian_of(POINTS, POINTS)))


def test_a_kernel_of_scikit_learn():
    kernels = pytest.importorskip("sklearn.gaussian_process.kernels")
    picks_of((kernels.RBF(np.sqrt(0.3 / 2)), POINTS))


def test_a_kernel_of_gpytorch_and_a_linear_operator():
    torch, gpytorch = pytest.importorskip("torch"), pytest.importorskip("gpytorch")
    kernel = gpytorch.kernels.RBFKernel().double()
    kernel.lengthscale = np.sqrt(0.3 / 2)  # its tensors need gradients
    picks_of((kernel, POINTS))
    picks_of(kernel(torch.as_tensor(POINTS)))


def test_a_kernel_of_geometric_kernels_on_a_sphere():
    kernels = pytest.importorskip("geometric_kernels.kernels")
    spaces = pytest.importorskip("geometric_kernels.spaces")
    random = np.random.default_rng(0).standard_normal((60, 3))
    points = random / np.linalg.norm(random, axis=1, keepdims=True)
    found = select((kernels.MaternGeometricKernel(spaces.Hypersphere(2)), points), 5)
    assert len(set(found.indices.tolist())) == 5


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        ((gaussian_of, "points"), "points of a kernel"),
        ((gaussian_of, np.zeros((0, 2))), "points of a kernel"),
        ((3, POINTS), "must be called with points"),
        (gaussian_of, "needs its points"),
        ((lambda some, others: np.zeros((2, 2)), POINTS), "should have shape"),
        ((lambda some, others: gaussian_of(some, others) * np.nan, POINTS), "NaN"),
        ((lambda some, others: gaussian_of(some, others) * 1j, POINTS), "must be numbers"),
        ((lambda some, others: -gaussian_of(some, others), POINTS), "not positive"),
        ((lambda some, others: some[:, :1] + 0 * others[:, 0], POINTS), "not symmetric"),
    ],
)
def test_a_function_that_is_no_covariance_is_refused(thing, words):
    with pytest.raises(KernelError, match=words):
        as_kernel(thing)


def linear(points, others):
    return points @ others.T


KINDS = {
    "function": lambda points: (lambda some, others: linear(some, others).astype("f4"), points),
    "points": lambda points: (linear, points.astype("f4")),
    "matrix": lambda points: linear(points, points).astype("f4"),
    "sparse": lambda points: sparse.csr_array(linear(points, points).astype("f4")),
    "operator": lambda points: sparse.linalg.aslinearoperator(linear(points, points).astype("f4")),
    "double": lambda points: (linear, points),
    "exact": lambda points: (linear, np.round(100 * points).astype(int)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_the_noise_floor_follows_from_the_precision_of_the_entries(kind, seed):
    points = np.random.default_rng(seed).standard_normal((300, 3))
    kernel = as_kernel(KINDS[kind](points))
    assert len(select(kernel, 50).indices) == 3  # the rank
    is_single = kind not in ("double", "exact")
    assert kernel.noise_floor == 256 * np.finfo("f4" if is_single else "f8").eps
    if is_single:
        picks = select(kernel).indices.tolist()
        more = next(each for each in range(4) if each not in picks)
        with pytest.raises(KernelError, match="determined by those before"):
            krige(kernel, [*picks, more], np.zeros(4))


def test_half_precision_has_a_floor_that_leaves_something():
    assert as_kernel(np.eye(5, dtype=np.float16)).noise_floor == 0.01
