"""Laws of covariance, over a list of all kernels."""

import numpy as np
import pytest
from reference import dense_kernel

import gplandmark
from gplandmark import KernelError, SettingsError, Surface, make_molar
from gplandmark.gp.kernels import (
    DiffusionKernel,
    FieldKernel,
    GraphKernel,
    MaternKernel,
    PartKernel,
    ReweightedKernel,
    SquaredExponentialKernel,
    as_kernel,
    bandwidth,
    heat_kernel,
    reweighted_heat_kernel,
    spectral_matern_kernel,
)
from gplandmark.gp.kernels import reweighted as sums
from gplandmark.mesh import spectrum
from gplandmark.numerics.threads import limited_threads

MOLAR = make_molar(3, vertex_count=400).surface
POINTS = MOLAR.points
MASSES = np.random.default_rng(1).random(len(POINTS)) / len(POINTS)


def pairs(points, **options):
    return spectrum(Surface(points, MOLAR.triangles), 60, boundary="neumann", **options)


KERNELS = {
    "reweighted": lambda points=POINTS: ReweightedKernel(points, MASSES, 0.5),
    "squared exponential": lambda points=POINTS: SquaredExponentialKernel(points, 0.5),
    "field": lambda points=POINTS: FieldKernel.of(points, MASSES, 0.5, tolerance=1e-12),
    "graph": lambda points=POINTS: GraphKernel(points, MASSES, 0.5, neighbours=60),
    "matern": lambda points=POINTS: MaternKernel(points, 0.5),
    "matern of any smoothness": lambda points=POINTS: MaternKernel(points, 0.5, 1.2),
    "heat": lambda points=POINTS: heat_kernel(pairs(points), 0.5),
    "cotangent heat": lambda points=POINTS: heat_kernel(pairs(points, laplacian="cotangent"), 0.5),
    "reweighted heat": lambda points=POINTS: reweighted_heat_kernel(pairs(points), 0.5, MASSES),
    "spectral matern": lambda points=POINTS: spectral_matern_kernel(pairs(points), 2.0),
    "diffusion": lambda points=POINTS: DiffusionKernel(points, 0.5),
    "part": lambda points=POINTS: PartKernel(
        MaternKernel(np.vstack([points[:9] + 0.1, points]), 0.5), 9 + ALL
    ),
    "matrix": lambda points=POINTS: as_kernel(dense_kernel(points - points[0], MASSES, 0.5)),
}
SPATIAL = ("reweighted", "squared exponential", "field", "matern", "matern of any smoothness")
ALL = np.arange(len(POINTS))
NEGLIGIBLE = 1e-14  # of a kernel whose largest entries are near 0.01

every_kernel = pytest.mark.parametrize("name", KERNELS)
every_spatial_kernel = pytest.mark.parametrize("name", SPATIAL)


@every_kernel
def test_symmetric_and_positive(name):
    matrix = KERNELS[name]().columns(ALL)
    np.testing.assert_allclose(matrix, matrix.T, rtol=1e-10, atol=NEGLIGIBLE)
    assert np.linalg.eigvalsh(matrix).min() > -1e-12 * matrix.max()


@every_kernel
def test_diagonal_columns_and_blocks_agree(name):
    kernel = KERNELS[name]()
    matrix = kernel.columns(ALL)
    assert matrix.shape == (kernel.size, kernel.size) == (len(POINTS), len(POINTS))
    np.testing.assert_allclose(kernel.diagonal(), np.diag(matrix), rtol=1e-12)
    rows, columns = np.array([5, 3, 99]), np.array([7, 7, 0, 250])
    np.testing.assert_allclose(
        kernel.block(rows, columns), matrix[np.ix_(rows, columns)], rtol=1e-11, atol=NEGLIGIBLE
    )
    np.testing.assert_allclose(kernel.columns(columns), matrix[:, columns], rtol=1e-12)


@every_kernel
def test_the_diagonal_is_a_fresh_array(name):
    kernel = KERNELS[name]()
    kernel.diagonal()[:] = 0
    assert (kernel.diagonal() > 0).all()


@every_kernel
def test_a_shift_changes_nothing(name):
    near, far = KERNELS[name](), KERNELS[name](POINTS + np.array([1e4, -1e4, 1e4]))
    np.testing.assert_allclose(
        near.columns(ALL[:9]), far.columns(ALL[:9]), rtol=1e-8, atol=NEGLIGIBLE
    )


@every_spatial_kernel
def test_values_between_points_anywhere_extend_the_matrix(name, random):
    kernel = KERNELS[name]()
    np.testing.assert_allclose(
        kernel.between(POINTS[:20], POINTS[5:30]),
        kernel.columns(ALL[5:30])[:20],
        rtol=1e-11,
        atol=NEGLIGIBLE,
    )
    elsewhere = random.random((6, 3))
    values = kernel.between(elsewhere, elsewhere)
    np.testing.assert_allclose(values, values.T, rtol=1e-12)


def test_the_reweighted_kernel_is_w_lambda_w():
    expected = dense_kernel(POINTS, MASSES, 0.5)
    np.testing.assert_allclose(
        KERNELS["reweighted"]().columns(ALL), expected, rtol=1e-11, atol=1e-20
    )


def test_the_squared_exponential_is_its_formula():
    values = KERNELS["squared exponential"]().block(np.array([3]), np.array([8]))
    assert values[0, 0] == pytest.approx(np.exp(-((POINTS[3] - POINTS[8]) ** 2).sum() / 0.5))


def test_cut_at_all_neighbours_the_graph_kernel_is_the_reweighted_one():
    whole = GraphKernel(POINTS, MASSES, 0.5, neighbours=len(POINTS) + 5)
    np.testing.assert_allclose(
        whole.columns(ALL), KERNELS["reweighted"]().columns(ALL), rtol=1e-10, atol=NEGLIGIBLE
    )


def test_small_blocks_give_the_same_numbers(monkeypatch):
    expected = KERNELS["reweighted"]()
    monkeypatch.setattr(sums, "BLOCK", 16)
    narrow = ReweightedKernel(POINTS, MASSES, 0.01)  # most pairs of blocks do not matter
    wide = ReweightedKernel(POINTS, MASSES, 0.5)
    assert max(map(len, wide._sums.blocks)) <= 16
    assert sorted(np.concatenate(wide._sums.blocks).tolist()) == ALL.tolist()
    np.testing.assert_allclose(
        narrow.columns(ALL), dense_kernel(POINTS, MASSES, 0.01), rtol=1e-9, atol=1e-22
    )
    np.testing.assert_allclose(wide.columns(ALL[:5]), expected.columns(ALL[:5]), rtol=1e-12)
    np.testing.assert_allclose(wide.diagonal(), expected.diagonal(), rtol=1e-12)
    near = [sum(len(each.near(part)) for part in each.parts) for each in (narrow._sums, wide._sums)]
    assert near[0] < near[1]


def test_beyond_space_the_picks_are_those_of_the_whole_matrix(random):
    points = random.standard_normal((1500, 10))
    surface = gplandmark.as_surface(points)
    kernel = gplandmark.covariance(surface)
    whole = gplandmark.as_kernel(dense_kernel(points, kernel.masses, kernel.eps))
    np.testing.assert_allclose(kernel.diagonal(), whole.diagonal(), rtol=1e-12)
    expected = gplandmark.select(whole, 30)
    found = gplandmark.place(points, 30)
    assert found.vertices.tolist() == expected.indices.tolist()
    np.testing.assert_allclose(found.variances, expected.variances, rtol=1e-7)


@pytest.mark.parametrize("dimension", [2, 8])
def test_covariances_are_deferred_and_that_changes_no_pick(dimension, random, monkeypatch):
    points = random.standard_normal((900, dimension))
    kernel = ReweightedKernel(points, np.full(900, 1 / 900), dimension)
    candidates = random.random(900) < 0.8
    request = {"start": [5, 17, 5], "candidates": candidates}  # whatever their variance
    deferred = gplandmark.select(kernel, 40, **request)
    begun = gplandmark.select(kernel, 7, **request)
    continued = gplandmark.select(kernel, 40, after=begun, candidates=candidates)
    monkeypatch.setattr(ReweightedKernel, "columns_together", False)
    at_once = gplandmark.select(kernel, 40, **request)
    for found in (deferred, continued):
        assert found.indices.tolist() == at_once.indices.tolist()
        assert (found.stopped, found.skipped) == (at_once.stopped, at_once.skipped)
        np.testing.assert_allclose(found.variances, at_once.variances, rtol=1e-9)
        np.testing.assert_allclose(found.variance, at_once.variance, atol=1e-12 * found.initial)
        np.testing.assert_allclose(found.factor, at_once.factor, atol=1e-9)


def test_in_many_dimensions_few_covariances_are_needed(random, monkeypatch):
    points = random.standard_normal((3000, 10))
    kernel = ReweightedKernel(points, np.full(3000, 1 / 3000), 8.0)
    rows, columns = [], []
    for name, asked in (("block", rows), ("columns", columns)):
        whole = getattr(ReweightedKernel, name)

        def counted(self, some, *more, asked=asked, whole=whole):
            asked.append(len(some))
            return whole(self, some, *more)

        monkeypatch.setattr(ReweightedKernel, name, counted)
    gplandmark.select(kernel, 20)
    assert columns == [20]  # once, for the variance that is left
    assert sum(rows) < 10 * kernel.size


def test_no_number_of_threads_changes_a_digit(random, monkeypatch):
    monkeypatch.setattr(sums, "BLOCK", 64)
    points = random.standard_normal((500, 6))
    kernel = ReweightedKernel(points, np.ones(500), 2.0)
    with limited_threads(1):
        one = kernel.columns(np.arange(3))
    with limited_threads(3):
        assert (kernel.columns(np.arange(3)) == one).all()


@pytest.mark.parametrize("eps", [0.0, -1.0, np.nan, np.inf])
def test_a_bandwidth_must_be_positive(eps):
    for make in (
        lambda: SquaredExponentialKernel(POINTS, eps),
        lambda: ReweightedKernel(POINTS, MASSES, eps),
        lambda: GraphKernel(POINTS, MASSES, eps),
        lambda: bandwidth(1.0, eps),
    ):
        with pytest.raises(SettingsError, match="must be positive"):
            make()


@pytest.mark.parametrize(
    ("masses", "message"),
    [
        (MASSES[1:], "one weight per vertex"),
        (-MASSES, "not negative"),
        (MASSES * np.nan, "finite"),
        (MASSES * 0, "All weights are zero"),
    ],
)
def test_masses_must_make_a_covariance(masses, message):
    for kind in (GraphKernel, ReweightedKernel):
        with pytest.raises(KernelError, match=message):
            kind(POINTS, masses, 0.5)
