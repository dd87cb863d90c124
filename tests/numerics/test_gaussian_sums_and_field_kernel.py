"""The field engine: entries within the stated tolerance, and the landmarks of the dense matrix."""

import sys

import numpy as np
import pytest
from conftest import SMALL, specimen
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import assert_same_picks, dense_kernel, pivoted_cholesky

from gplandmark import (
    GplandmarkWarning,
    KernelError,
    Settings,
    SettingsError,
    Stop,
    place,
    read,
    select,
)
from gplandmark.gp import limits as memory
from gplandmark.gp.kernels import FieldKernel, ReweightedKernel
from gplandmark.gp.selection import cells
from gplandmark.gp.selection import field_search as lazy
from gplandmark.landmarks import masses as masses_of
from gplandmark.mesh import surface_area
from gplandmark.numerics.gaussian_sums import Field, Neighbours, gaussian_sums
from gplandmark.numerics.gaussian_sums import near_points as neighbours
from gplandmark.numerics.gaussian_sums.field import LARGEST
from gplandmark.numerics.native import COMPILED

LOOPS = [pytest.param("compiled", marks=pytest.mark.skipif(COMPILED is None, reason="no compiler")),
         "numpy"]  # fmt: skip


def bumpy_sphere(count, seed=0):
    random = np.random.default_rng(seed)
    points = random.standard_normal((count, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    points *= 1.0 + 0.1 * np.sin(4 * points[:, :1])
    return points + np.array([7.0, -3.0, 1.0]), random.uniform(0.2, 1.0, count)


def dense_picks(points, masses, eps, count):
    matrix = dense_kernel(points, masses, eps)
    return pivoted_cholesky(np.diag(matrix), lambda pick: matrix[:, pick].copy(), count)


def assert_dense_landmarks(found, points, masses, eps):
    """Same picks, up to ties within the stated accuracy: 1e-8 of the largest entry, or better."""
    expected, before = dense_picks(points, masses, eps, len(found.indices))
    error = 4e-8 * found.initial
    for number, (pick, reference) in enumerate(zip(found.indices, expected, strict=True)):
        if pick != reference:
            gap = before[number][reference] - before[number][pick]
            sharp = 1e-2 if before[number].max() < 1e-4 * found.initial else 1
            assert gap <= sharp * error, f"pick {number}: {pick}, not {reference}"
            return
    np.testing.assert_allclose(found.variances, [v.max() for v in before], atol=error)


@pytest.mark.parametrize("loops", LOOPS)
@pytest.mark.parametrize("eps", [1e-5, 0.02, 0.3, 50.0])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-8, 1e-11])
def test_entries_are_within_tolerance_of_the_largest(loops, eps, tolerance):
    points, masses = bumpy_sphere(300)
    kernel = FieldKernel.of(points, masses, eps, tolerance=tolerance, loops=loops)
    exact = dense_kernel(points, masses, eps)
    limit = tolerance * exact.max()
    picked, some = np.array([3, 7, 299]), np.arange(50)
    assert np.abs(kernel.diagonal() - np.diag(exact)).max() <= limit
    assert np.abs(kernel.columns(picked) - exact[:, picked]).max() <= limit
    assert np.abs(kernel.block(some, picked) - exact[np.ix_(some, picked)]).max() <= limit


@pytest.mark.parametrize("spread", [0.3, 3.0])
def test_values_anywhere_also_where_no_field_reaches(random, spread):
    points, masses = bumpy_sphere(300)
    kernel = FieldKernel.of(points, masses, 0.3)
    x, y = (points.mean(axis=0) + random.uniform(-spread, spread, (8, 3)) for _ in range(2))
    exact = ReweightedKernel(points, masses, 0.3).between(x, y)
    assert np.abs(kernel.between(x, y) - exact).max() <= 1e-8 * kernel.diagonal().max()


@pytest.mark.parametrize("loops", LOOPS)
def test_masks_and_starting_points(loops):
    points, masses = bumpy_sphere(500)
    allowed = points[:, 2] > 1.0
    start = [int(np.flatnonzero(~allowed)[0]), 17, 3]
    options = {"candidates": allowed, "start": start}
    found = select(FieldKernel.of(points, masses, 0.2, tolerance=1e-10, loops=loops), 40, **options)
    exact = select(ReweightedKernel(points, masses, 0.2), 40, **options)
    assert (found.indices == exact.indices).all()
    np.testing.assert_allclose(found.variances, exact.variances, atol=1e-9 * exact.initial)
    np.testing.assert_allclose(found.variance, exact.variance, atol=1e-9 * exact.initial)
    assert allowed[found.indices[3:]].all()


@pytest.mark.slow
@settings(max_examples=20)
@given(st.integers(0, 10**6), st.integers(60, 900), st.floats(0.003, 2.0), st.floats(0.0, 3.0))
def test_random_surfaces_and_weights(seed, count, eps, contrast):
    points, masses = bumpy_sphere(count, seed)
    masses = masses ** (1 + contrast)
    found = select(FieldKernel.of(points, masses, eps), min(count, 30))
    assert_dense_landmarks(found, points, masses, eps)


def test_polynomial_and_direct_cells_agree(monkeypatch):
    points, masses = bumpy_sphere(20_000)
    kernel = FieldKernel.of(points, masses, 0.5, tolerance=1e-10)
    polynomial = select(kernel, 40)
    monkeypatch.setattr(cells, "WORTH", 0.0)
    direct = select(kernel, 40)
    assert (polynomial.indices == direct.indices).all()
    floor = direct.floor * direct.initial
    np.testing.assert_allclose(polynomial.variance, direct.variance, atol=floor)


@pytest.mark.parametrize("eps", [0.05, 0.5])
def test_no_digit_depends_on_the_number_of_threads(eps):
    points, masses = bumpy_sphere(3000)
    one, two = (
        select(FieldKernel.of(points, masses, eps, threads=threads), 30) for threads in (1, 2)
    )
    assert (one.indices == two.indices).all()
    assert (one.variance == two.variance).all()
    slow = select(FieldKernel.of(points, masses, eps, loops="numpy"), 30)
    assert (one.indices == slow.indices).all()


def test_the_field_is_sharpened_as_the_variance_nears_its_error():
    points, masses = bumpy_sphere(600)
    found = select(FieldKernel.of(points, masses, 1.5), 80)
    assert found.floor < 1e-11
    assert_dense_landmarks(found, points, masses, 1.5)


def test_without_memory_for_a_finer_field_it_stops_at_its_own_floor(monkeypatch):
    points, masses = bumpy_sphere(600)
    monkeypatch.setattr(lazy, "available_memory", lambda: 0)
    found = select(FieldKernel.of(points, masses, 1.5), 300)
    assert found.stopped is Stop.NOISE
    assert found.floor == pytest.approx(4e-8)
    assert found.variances[-1] > 4e-8 * found.initial >= 0.5 * found.variance.max()


def test_a_run_that_reaches_its_noise_floor_stops_and_says_so():
    points, masses = bumpy_sphere(300)
    found = select(FieldKernel.of(points, masses, 50.0), 200)
    assert found.stopped is Stop.NOISE
    assert len(found.indices) < 60
    assert found.variance.max() <= 2 * found.floor * found.initial


@pytest.mark.parametrize("loops", LOOPS)
def test_rank_five_gives_five_landmarks(loops):
    points, _ = bumpy_sphere(200)
    masses = np.zeros(200)
    masses[[3, 50, 90, 120, 199]] = 1.0
    found = select(FieldKernel.of(points, masses, 0.5, loops=loops), 50)
    assert (len(found.indices), found.stopped) == (5, Stop.NOISE)


def test_stops_at_the_target_and_can_be_continued():
    points, masses = bumpy_sphere(800)
    kernel = FieldKernel.of(points, masses, 0.3)
    found = select(kernel, target=0.1)
    assert found.stopped is Stop.TARGET
    assert found.variances[-1] > 0.1 * found.initial >= found.variance.max()
    more = select(kernel, len(found.indices) + 10, after=found)
    whole = select(kernel, len(found.indices) + 10)
    assert (more.indices == whole.indices).all()


def test_ties_with_and_without_a_seed():
    points, _ = bumpy_sphere(300)
    kernel = FieldKernel.of(points, np.ones(300), 1e-12)
    outwards = np.linalg.norm(points - points.mean(axis=0), axis=1)
    assert select(kernel, 300).indices.tolist() == np.argsort(-outwards).tolist()
    one, same, other = (select(kernel, 50, seed=seed).indices.tolist() for seed in (1, 1, 2))
    assert one == same != other


def test_a_bandwidth_so_small_that_every_vertex_is_alone():
    points, masses = bumpy_sphere(300)
    kernel = FieldKernel.of(points, masses, 1e-12)
    assert isinstance(kernel.field, Neighbours)
    found = select(kernel, 300)
    assert found.indices.tolist() == np.argsort(-masses, kind="stable").tolist()


def test_a_bandwidth_so_large_that_the_rank_is_one():
    points, masses = bumpy_sphere(300)
    found = select(FieldKernel.of(points, masses, 1e14), 10)
    assert found.stopped is Stop.NOISE
    assert 1 <= len(found.indices) <= 4
    assert np.isfinite(found.variance).all()


@pytest.mark.parametrize("flatten", [(1, 1, 0), (1, 0, 0), (1, 1e-4, 1e-4), (1e4, 1, 1)])
def test_extreme_shapes(flatten):
    points, masses = bumpy_sphere(300)
    points = points * flatten
    found = select(FieldKernel.of(points, masses, 0.05, tolerance=1e-10), 12)
    assert_dense_landmarks(found, points, masses, 0.05)


@pytest.mark.parametrize("offset", [(1e6, 0, 0), (1e6, -1e6, 3e6)])
def test_coordinates_of_a_million_with_details_of_a_thousandth(offset):
    points, masses = bumpy_sphere(400)
    points = 1e-3 * (points - points.mean(axis=0)) + offset
    found = select(FieldKernel.of(points, masses, 2e-7), 40)
    assert_dense_landmarks(found, points, masses, 2e-7)


@pytest.mark.parametrize("distance", [30.0, 1e6])
def test_two_components_far_apart(distance):
    points, masses = bumpy_sphere(600)
    points[::2] += distance
    kernel = FieldKernel.of(points, masses, 0.2)
    assert isinstance(kernel.field, Field)
    assert_dense_landmarks(select(kernel, 40), points, masses, 0.2)


def test_it_can_be_interrupted_between_two_picks():
    def stop(count, left):
        if count == 3:
            raise KeyboardInterrupt

    points, masses = bumpy_sphere(300)
    with pytest.raises(KeyboardInterrupt):
        select(FieldKernel.of(points, masses, 0.2), 10, progress=stop)


def test_what_does_not_fit_into_memory_is_refused_before_the_work(monkeypatch):
    points, masses = bumpy_sphere(2000)
    assert memory.available_memory() > 1e6
    monkeypatch.setattr(memory, "available_memory", lambda: 1_000_000)
    message = r"need about .* GB .* Ask for at most \d+"
    told = []
    for kernel in (FieldKernel.of(points, masses, 0.2), ReweightedKernel(points, masses, 0.2)):
        with pytest.raises(SettingsError, match=message) as error:
            select(kernel, 1000, progress=lambda *_: told.append(1))
        assert not told
        fitting = int(str(error.value).split("at most ")[1].split(",")[0])
        assert len(select(kernel, min(fitting, 5)).indices) == min(fitting, 5)
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    assert len(select(kernel, 5).indices) == 5


@pytest.mark.parametrize("eps", [0.05, 1e-4, 3e-5])
def test_a_table_never_takes_more_than_half_a_gigabyte(eps):
    points, masses = bumpy_sphere(500)
    field = FieldKernel.of(points, masses, eps).field
    assert isinstance(field, Neighbours) or field.values.nbytes <= 8 * LARGEST


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"eps": 0.0}, SettingsError, "positive"),
        ({"masses": -np.ones(9)}, KernelError, "not negative"),
        ({"masses": np.zeros(9)}, KernelError, "zero"),
        ({"masses": np.ones(8)}, KernelError, "one weight"),
        ({"points": np.ones((9, 4))}, KernelError, "three dimensions|in space"),
        ({"tolerance": 1e-18}, SettingsError, "tolerance must be"),
        ({"tolerance": 0.5}, SettingsError, "tolerance must be"),
        ({"eps": 1e-40}, SettingsError, "too small"),
    ],
)
def test_bad_input(change, error, message):
    good = {"points": np.random.default_rng(0).random((9, 3)), "masses": np.ones(9), "eps": 0.1}
    with pytest.raises(error, match=message):
        FieldKernel.of(**{**good, **change})


def test_more_cubes_than_numbers_are_refused(monkeypatch):
    monkeypatch.setattr(neighbours, "MOST_CUBES", 10.0)
    points, masses = bumpy_sphere(50)
    with pytest.raises(SettingsError, match="too small for 50 vertices"):
        FieldKernel.of(points, masses, 1e-12)


def test_gaussian_sums_smooth_values_of_either_sign(random):
    points, values = random.random((500, 3)), random.standard_normal((500, 2))
    exact = np.exp(-((points[:, None] - points) ** 2).sum(axis=2) / (2 * 0.1**2)) @ values
    found = gaussian_sums(points, values, 0.1)
    assert np.abs(found - exact).max() < 1e-5 * np.abs(values).sum()
    assert np.abs(found - exact).max() < 1e-4 * np.abs(exact).max()


@pytest.mark.parametrize("engine", ["field", "direct"])
def test_the_engine_is_recorded_and_changes_no_landmark(molar, engine):
    chosen = place(molar, 30, settings=Settings(engine=engine, curvature_radius=0.15))
    assert (chosen.vertices == place(molar, 30, settings=SMALL).vertices).all()
    assert chosen.record.outcome["engine"].startswith(engine)
    assert chosen.record.settings["engine"] == engine


def test_without_compiled_loops_small_surfaces_go_direct_and_large_ones_say_so(molar, monkeypatch):
    chosen = "gplandmark.landmarks.surface_kernels"
    monkeypatch.setattr(sys.modules[chosen], "COMPILED", None)
    assert place(molar, 3, settings=SMALL).record.outcome["engine"] == "direct"
    monkeypatch.setattr(sys.modules[chosen], "MANY_WITHOUT_COMPILER", 100)
    with pytest.warns(GplandmarkWarning, match="compiled loops were not built"):
        landmarks = place(molar, 3, settings=SMALL)
    assert landmarks.record.outcome["engine"].startswith("field")


@pytest.mark.slow
@pytest.mark.parametrize("fraction", [0.0031, 0.008, 0.03])
@pytest.mark.parametrize(
    "name",
    [
        "data/teeth/B03_sas.off",
        "data/calcaneus/Lynx_rufus.ply",
        "data/bones/FMA24482_right_talus.stl",
    ],
)
def test_real_bones_as_the_direct_engine(name, fraction):
    surface = read(specimen(name))
    eps, masses = fraction * surface_area(surface), masses_of(surface)
    field = select(FieldKernel.of(surface.points, masses, eps), 150)
    direct = ReweightedKernel(surface.points, masses, eps)
    expected, before = pivoted_cholesky(
        direct.diagonal(), lambda pick: direct.columns(np.array([pick]))[:, 0], 150
    )
    tie = max(1e-9, field.floor * field.initial / field.variances[-1])
    assert_same_picks(field.indices, expected, before, tie=tie)
