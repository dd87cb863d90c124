"""The compiled loops against their twins in NumPy, and what they refuse."""

import shutil

import numpy as np
import pytest

from gplandmark import SettingsError, Surface
from gplandmark.mesh import edges
from gplandmark.mesh.synthetic import make_molar
from gplandmark.numerics import native
from gplandmark.numerics.gaussian_sums.grid import choose_window
from gplandmark.numerics.native import COMPILED, choose_loops, in_numpy, loops_name
from gplandmark.numerics.threads import chunks, map_chunks, run_threaded

needs_compiled = pytest.mark.skipif(COMPILED is None, reason="there was no compiler")
WINDOWS = [choose_window(0.12, tolerance) for tolerance in (1e-4, 1e-8, 1e-12)]
SURFACE = make_molar(vertex_count=400).surface


def grid_and_points(random, window, count=50):
    grid = random.random((24, 26, 44))
    low = 0.5 * window.width + 1
    points = low + random.random((count, 3)) * (np.array([24, 26, 40]) - 2 * low - 4)
    return grid, points


def both(name, *arguments, out):
    """Results of the same call by both loops, which write into copies of `out`."""
    results = []
    for loops in (COMPILED, in_numpy):
        written = out.copy()
        getattr(loops, name)(*(written if each is out else each for each in arguments))
        results.append(written)
    return results


def test_where_there_is_a_compiler_the_loops_are_compiled():
    if shutil.which("cc") or shutil.which("gcc"):
        assert COMPILED is not None
        assert loops_name(choose_loops()) == "compiled"
    assert loops_name(choose_loops("numpy")) == "numpy"


def test_without_a_compiler_numpy_serves(monkeypatch):
    monkeypatch.setattr(native, "COMPILED", None)
    assert choose_loops() is in_numpy
    with pytest.raises(SettingsError, match="compiler"):
        choose_loops("compiled")


@needs_compiled
@pytest.mark.parametrize("window", WINDOWS, ids=lambda window: str(window.width))
def test_spread_interpolate_and_entries(random, window):
    grid, points = grid_and_points(random, window)
    shape = window.coefficients, window.width
    masses = random.standard_normal(len(points))
    out = np.zeros_like(grid)
    np.testing.assert_allclose(*both("spread", out, points, masses, *shape, out=out), atol=1e-12)
    out = np.zeros(len(points))
    np.testing.assert_allclose(
        *both("interpolate", grid, points, shape[0], out, shape[1], out=out), rtol=1e-11
    )
    out = np.ones((3, len(points)))
    arguments = (grid, points, points[:3].copy(), shape[0], out, shape[1], 0.05, 4.0)
    compiled, numpy = both("entries", *arguments, out=out)
    np.testing.assert_allclose(compiled, numpy, rtol=1e-10, atol=1e-15)
    assert (compiled == 0).any()


@needs_compiled
@pytest.mark.parametrize("window", WINDOWS, ids=lambda window: str(window.width))
@pytest.mark.parametrize("counts", [(1, 1, 1), (3, 5, 2), (9, 4, 13)])
def test_tensor_entries(random, window, counts):
    grid, points = grid_and_points(random, window, 4)
    low, high = points.min(axis=0), points.max(axis=0)
    axes = [np.linspace(a, b, count) for a, b, count in zip(low, high, counts, strict=True)]
    out = np.zeros((4, np.prod(counts)))
    arguments = (grid, *axes, points, window.coefficients, out, window.width, 0.01)
    np.testing.assert_allclose(*both("tensor_entries", *arguments, out=out), rtol=1e-9, atol=1e-13)
    nodes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    direct = np.zeros_like(out)
    in_numpy.entries(grid, nodes, points, window.coefficients, direct, window.width, 0.01, np.inf)
    np.testing.assert_allclose(both("tensor_entries", *arguments, out=out)[0], direct, rtol=1e-9)


@needs_compiled
@pytest.mark.parametrize("shape", [(1, 1), (7, 5), (40, 33)])
def test_convolve(random, shape):
    table, taps = random.random(shape), random.random(9)
    out = np.zeros(shape)
    compiled, numpy = both("convolve", table, taps, out, out=out)
    np.testing.assert_allclose(compiled, numpy, rtol=1e-12)
    expected = np.array([np.convolve(column, taps[::-1])[4:-4] for column in table.T]).T
    np.testing.assert_allclose(compiled, expected, rtol=1e-12)


@needs_compiled
@pytest.mark.parametrize("size", [1, 16, 37, 210])
@pytest.mark.parametrize(("known", "fresh"), [(0, 1), (0, 5), (4, 3), (33, 2), (70, 39)])
def test_downdate(random, size, known, fresh):
    factor = random.standard_normal((known + fresh + 2, size))
    weights = 0.1 * random.standard_normal((fresh, known + fresh))
    scales, start = 1 + random.random(fresh), 100 * np.ones(size)
    results = []
    for loops in (COMPILED, in_numpy):
        rows, variances = factor.copy(), start.copy()
        loops.downdate(rows, weights, scales, variances, known)
        results.append((rows, variances))
    for compiled, numpy in zip(*results, strict=True):
        np.testing.assert_allclose(compiled, numpy, rtol=1e-9, atol=1e-11)


@needs_compiled
@pytest.mark.parametrize("counts", [(1, 1, 1), (4, 1, 6), (8, 9, 10), (32, 17, 31)])
@pytest.mark.parametrize("others", [(1, 2, 3), (9, 32, 12)])
def test_squares(random, counts, others):
    columns = random.standard_normal((3, np.prod(counts)))
    pairs = zip(others, counts, strict=True)
    x, y, z = (random.standard_normal(shape) / shape[1] for shape in pairs)
    out = np.ones(np.prod(others))
    compiled, numpy = both("subtract_squares", columns, x, y, z, out, out=out)
    np.testing.assert_allclose(compiled, numpy, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(
        compiled, 1 - ((columns @ np.kron(np.kron(x, y), z).T) ** 2).sum(axis=0), atol=1e-12
    )


@needs_compiled
@pytest.mark.parametrize("counts", [(1, 1, 1), (4, 1, 6), (8, 9, 10)])
def test_series(random, counts):
    coefficients, points = random.standard_normal(counts), random.random((37, 3))
    box = np.array([[0.5, 0.5, 0.5], [2.0, 2.0, 2.0]])
    out = np.zeros(37)
    arguments = (coefficients, box, points, out, 1e-12)
    compiled, numpy = both("chebyshev_series", *arguments, out=out)
    np.testing.assert_allclose(compiled, numpy, rtol=1e-10, atol=1e-12)
    unit = (points - 0.5) * 2
    expected = np.polynomial.chebyshev.chebval3d(*unit.T, coefficients)
    np.testing.assert_allclose(compiled, expected, rtol=1e-10, atol=1e-12)


@needs_compiled
def test_neighbours(random):
    from gplandmark.numerics.gaussian_sums.grid import shorten_axes
    from gplandmark.numerics.gaussian_sums.near_points import near_field

    points, masses = random.random((300, 3)), random.random(300)
    fields = [
        near_field(points, masses, 0.02, 1e-8, shorten_axes(points, 10.0), loops)
        for loops in (COMPILED, in_numpy)
    ]
    exact = np.exp(-2 * ((points[:, None] - points) ** 2).sum(axis=2) / 0.02) @ masses
    for field in fields:
        np.testing.assert_allclose(field.at(field.units(points)), exact, rtol=1e-7)


@needs_compiled
def test_normals_hinges_and_principal(random):
    points, triangles = SURFACE.points, SURFACE.triangles
    out = np.zeros((len(triangles), 3))
    normals = both("normals", points, triangles, out, out=out)
    np.testing.assert_allclose(*normals, rtol=1e-12, atol=1e-15)
    out = np.zeros(len(triangles))
    areas = both("double_areas", points, triangles, out, out=out)
    np.testing.assert_allclose(*areas, rtol=1e-12)
    np.testing.assert_allclose(areas[0], np.linalg.norm(normals[0], axis=1), rtol=1e-12)
    one = np.arange(0, 300, 3)
    two = np.arange(1, 301, 3)
    out = np.zeros((len(points), 6))
    tensors = both("edge_tensors", points, triangles, normals[0], one, two, out, out=out)
    np.testing.assert_allclose(*tensors, rtol=1e-9, atol=1e-12)
    symmetric = np.vstack([random.standard_normal((200, 6)), np.zeros((1, 6)), np.ones((1, 6))])
    out = np.zeros((len(symmetric), 2))
    np.testing.assert_allclose(
        *both("principal_curvatures", symmetric, out, out=out), rtol=1e-7, atol=1e-9
    )


SOUP = np.array(  # an edge in one, in two and in three triangles, a repeated and a thin triangle
    [[0, 1, 2], [2, 1, 3], [1, 2, 4], [0, 2, 5], [0, 1, 5], [3, 3, 1], [4, 5, 0], [4, 5, 0]]
)


@needs_compiled
@pytest.mark.parametrize("triangles", [SURFACE.triangles, SOUP, np.zeros((0, 3), dtype=np.int64)])
def test_cells_and_pairs(triangles):
    points = SURFACE.points
    out = np.zeros(len(points))
    areas = both("voronoi_areas", points, triangles, out, out=out)
    np.testing.assert_allclose(*areas, rtol=1e-12, atol=1e-15)
    normals = np.zeros((len(triangles), 3))
    in_numpy.normals(points, triangles, normals)
    assert areas[0].sum() == pytest.approx(np.linalg.norm(normals, axis=1).sum() / 2)
    found = []
    for loops in (COMPILED, in_numpy):
        one, two = np.full((2, 3 * len(triangles) // 2), -1)
        count = loops.edge_pairs(triangles, len(points), one, two)
        found.append(np.array([one[:count], two[:count]]))
    np.testing.assert_array_equal(*found)


@needs_compiled
def test_census(random):
    soups = [
        np.array([random.choice(9, 3, replace=False) for _ in range(count)], dtype=np.int64)
        for count in range(1, 40)
    ]
    for size in (3, 4, 5, 6, 7, 8, 24, 25, 300):  # fans, closed but for one triangle, twice, torn
        rim = np.arange(1, size + 1)
        fan = np.column_stack([np.zeros(size, dtype=np.int64), rim, np.roll(rim, -1)])
        torn = np.vstack([fan[:-1], [[0, size, 2]]])
        soups += [fan, random.permutation(fan), fan[1:], np.vstack([fan, fan[::-1, ::-1]]), torn]
        soups += [np.vstack([fan, fan + size * (fan > 0)]), np.vstack([fan, fan[1:2]])]
    for triangles in (SURFACE.triangles, *soups):
        found = []
        for loops in (COMPILED, in_numpy):
            pieces, totals = np.zeros(700, dtype=np.int64), np.zeros(5, dtype=int)
            loops.components(triangles, pieces)
            loops.count_defects(triangles, len(pieces), np.zeros(triangles.size, dtype=int), totals)
            found.append(np.concatenate([pieces, totals]))
        np.testing.assert_array_equal(*found)


def test_census_counts_what_is_known():
    # A tetrahedron with one face turned, a second face on one of its edges, and one twice.
    triangles = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 2, 3], [5, 6, 7], [7, 6, 5]])
    pieces, totals = np.zeros(9, dtype=np.int64), np.zeros(5, dtype=np.int64)
    in_numpy.components(triangles, pieces)
    in_numpy.count_defects(triangles, 9, np.zeros(18, dtype=np.int64), totals)
    assert pieces.tolist() == [0, 0, 0, 0, 4, 5, 5, 5, 8]
    assert totals.tolist() == [0, 0, 3, 0, 1]


@needs_compiled
def test_pairs_at_the_hub_of_a_large_fan():
    rim = np.arange(1, 301)
    fan = np.column_stack([np.zeros(300, dtype=np.int64), rim, np.roll(rim, -1)])
    one, two = np.zeros((2, 450), dtype=np.int64)
    count = COMPILED.edge_pairs(fan, 301, one, two)
    assert count == 300  # the spokes; edges of the rim lie in one triangle
    assert (np.sort(np.concatenate([one[:300], two[:300]]) % 3) == np.repeat([0, 2], 300)).all()


def rays(points, starts=(0, 2)):
    """Arguments of `block` for rays from all points."""
    return points, np.arange(2), np.array(starts), np.zeros(2, int)


def pixels(height, width):
    """What `cover` writes to."""
    shape = (height, width)
    return np.full(shape, -1), np.zeros((*shape, 2)), np.full(shape, -np.inf)


def places(triangle):
    """One place in a triangle, for `blend`."""
    return np.array([triangle]), np.zeros((1, 2))


@needs_compiled
@pytest.mark.parametrize("scale", [3.0, 20.0, 90.0])
def test_pixels_show_the_same_nearest_triangle_by_both_loops(random, scale):
    points = random.uniform(-0.2, 1.2, (60, 3)) * np.array([scale, scale, 1])
    triangles = random.integers(0, 60, (80, 3))
    shape = (int(scale), int(scale) + 3)
    results = []
    for loops in (COMPILED, in_numpy):
        triangle, weights, depth = pixels(*shape)
        loops.rasterize(points, triangles, triangle, weights, depth)
        shown = triangle >= 0
        out = np.zeros((shown.sum(), 3))
        loops.interpolate_corners(points, triangles, triangle[shown], weights[shown], out)
        rows, columns = np.nonzero(shown)
        assert out == pytest.approx(np.column_stack([columns + 0.5, rows + 0.5, depth[shown]]))
        results.append((triangle, depth))
    (one, depth), (two, other) = results
    assert (one >= 0).sum() > 0.2 * one.size
    assert (one == two).mean() > 0.999  # of two that are equally near, either
    assert depth == pytest.approx(other)


@needs_compiled
def test_rays_that_graze_the_sides_of_triangles_are_blocked_by_both_loops(random):
    corners = np.array([[0, 0], [4, 0], [0, 4], [4, 4]])
    plate = np.column_stack([corners, [1.0, 1.0, 1.0, 1.0]])
    starts = random.integers(0, 5, (60, 2)).astype(float)  # many on corners, sides and diagonal
    below = np.column_stack([starts, random.choice([0.0, 1.0, 2.0], 60)])
    cell = below[:, :2].astype(int) @ [5, 1]
    below = below[np.argsort(cell)]
    first = np.searchsorted(np.sort(cell), np.arange(26))
    out = np.zeros(60, int)
    triangles = np.array([[0, 1, 2], [3, 1, 2]])
    arguments = plate, triangles, below, np.full(60, -1), first, out, 5, 1e-9
    compiled, plain = both("block_rays", *arguments, out=out)
    np.testing.assert_array_equal(compiled, plain)
    np.testing.assert_array_equal(compiled, below[:, 2] < 1)


@needs_compiled
def test_the_dispatcher_checks_every_buffer():
    grid, window, points = np.zeros((20, 20, 24)), np.ones((3, 8)), np.full((2, 3), 9.0)
    triangles = np.array([[0, 1, 1]])
    out = np.zeros(2)

    def ones(*sizes):
        return [np.ones((size, size)) for size in sizes]

    wrong = [
        lambda: COMPILED.interpolate(grid.astype(np.float32), points, window, out, 8),
        lambda: COMPILED.interpolate(grid, points + 99.0, window, out, 8),
        lambda: COMPILED.interpolate(grid, points * np.nan, window, out, 8),
        lambda: COMPILED.interpolate(grid, points, window, np.zeros(3), 8),
        lambda: COMPILED.interpolate(grid, points, window, out, 9),
        lambda: COMPILED.spread(grid, points, np.zeros(3), window, 8),
        lambda: COMPILED.convolve(np.zeros((4, 4)), np.zeros(2), np.zeros((4, 4))),
        lambda: COMPILED.downdate(np.zeros((2, 5)), np.zeros((3, 3)), np.ones(3), np.ones(5), 0),
        lambda: COMPILED.subtract_squares(np.zeros((1, 33)), *ones(33, 1, 1), np.zeros(33)),
        lambda: COMPILED.subtract_squares(np.zeros((1, 9)), *ones(3, 3, 2), np.zeros(18)),
        lambda: COMPILED.subtract_squares(np.zeros((1, 18)), *ones(3, 3, 2), np.zeros(9)),
        lambda: COMPILED.tensor_entries(
            grid, *(np.zeros(33),) * 3, points, window, np.zeros((2, 33**3)), 8, 0.1
        ),
        lambda: COMPILED.chebyshev_series(np.zeros((33, 1, 1)), np.zeros((2, 3)), points, out, 0.0),
        lambda: COMPILED.normals(points, triangles + 1, np.zeros((1, 3))),
        lambda: COMPILED.count_defects(triangles, 1, np.zeros(3, int), np.zeros(5, int)),
        lambda: COMPILED.count_defects(triangles, 2, np.zeros(2, int), np.zeros(5, int)),
        lambda: COMPILED.count_defects(triangles, 2, np.zeros(3, int), np.zeros(4, int)),
        lambda: COMPILED.count_defects(triangles, -2, np.zeros(3, int), np.zeros(5, int)),
        lambda: COMPILED.components(triangles, np.zeros(1, int)),
        lambda: COMPILED.components(np.zeros((1, 4), int), np.zeros(2, int)),
        lambda: COMPILED.normals(points, triangles, np.zeros((2, 3))),
        lambda: COMPILED.double_areas(points, triangles + 1, np.zeros(1)),
        lambda: COMPILED.double_areas(points, triangles - 1, np.zeros(1)),
        lambda: COMPILED.double_areas(points, triangles, np.zeros(2)),
        lambda: COMPILED.voronoi_areas(points, triangles + 1, np.zeros(2)),
        lambda: COMPILED.voronoi_areas(points, triangles, np.zeros(3)),
        lambda: COMPILED.block_rays(points, triangles + 1, *rays(points), 1, 0.0),
        lambda: COMPILED.block_rays(points, triangles, *rays(points), 2, 0.0),
        lambda: COMPILED.rasterize(points, triangles + len(points), *pixels(3, 4)),
        lambda: COMPILED.rasterize(points[:, :2].copy(), triangles, *pixels(3, 4)),
        lambda: COMPILED.rasterize(points, triangles, *pixels(3, 4)[:2], np.zeros((4, 4))),
        lambda: COMPILED.interpolate_corners(
            points, triangles, *places(len(triangles)), np.zeros((1, 3))
        ),
        lambda: COMPILED.interpolate_corners(points, triangles, *places(0), np.zeros((2, 3))),
        lambda: COMPILED.interpolate_corners(points, triangles, *places(0), np.zeros((1, 2))),
        lambda: COMPILED.block_rays(points, triangles, *rays(points), 1, np.nan),
        lambda: COMPILED.block_rays(points, triangles, *rays(points, [0, 9]), 1, 0.0),
        lambda: COMPILED.block_rays(points, triangles, *rays(points, [1, 2]), 1, 0.0),
        lambda: COMPILED.edge_pairs(triangles, 1, np.zeros(1, int), np.zeros(1, int)),
        lambda: COMPILED.edge_pairs(triangles, 2, np.zeros(0, int), np.zeros(0, int)),
        lambda: COMPILED.edge_tensors(
            points, triangles, np.zeros((1, 3)), np.array([3]), np.array([0]), np.zeros((2, 6))
        ),
        lambda: COMPILED.principal_curvatures(np.zeros((2, 5)), np.zeros((2, 2))),
    ]
    for call in wrong:
        with pytest.raises(ValueError, match=r"expected|outside|agree|array"):
            call()
    with pytest.raises(TypeError, match="expected 5 arguments"):
        COMPILED.spread(grid)
    for masses, message in (
        (np.zeros(3), "masses: expected size 2 along axis 0, got 3"),
        (np.zeros(2, int), "masses: expected a 1-dimensional float64 array"),
        (np.zeros(4)[::2], "contiguous"),
    ):
        with pytest.raises(ValueError, match=message):
            COMPILED.spread(grid, points, masses, window, 8)
    with pytest.raises(ValueError, match="count_defects: an index lies outside"):
        COMPILED.count_defects(triangles, 1, np.zeros(3, int), np.zeros(5, int))
    read_only = np.zeros(2)
    read_only.setflags(write=False)
    with pytest.raises((ValueError, BufferError)):
        COMPILED.interpolate(grid, points, window, read_only, 8)


def test_threads_do_all_the_work_and_pass_on_errors():
    done = []
    run_threaded(done.append, range(10), 3)
    assert sorted(done) == list(range(10))
    assert chunks(10, 4) == [slice(0, 4), slice(4, 8), slice(8, 10)]
    rows = np.arange(20.0).reshape(10, 2)
    assert (map_chunks(lambda some: some.sum(axis=1), rows, 4, 3) == rows.sum(axis=1)).all()

    def fail(item):
        raise KeyboardInterrupt if item == 1 else ValueError

    with pytest.raises((KeyboardInterrupt, ValueError)):
        run_threaded(fail, range(2), 2)


@needs_compiled
@pytest.mark.parametrize("count", [1, 16, 37])
@pytest.mark.parametrize("dimension", [1, 3, 10])
def test_pair_sums(random, count, dimension):
    points, others = random.random((dimension, count)), random.random((29, dimension))
    points[:, -1] += 300.0  # so far from the others that nothing is left of the Gaussian
    for columns, factors in ((1, np.ones((1, 1))), (5, random.standard_normal((2, 3)))):
        values = random.standard_normal((29, columns))
        out = random.random((len(factors), columns, count))
        arguments = points, others, values, factors, out, 3.0
        np.testing.assert_allclose(*both("pair_sums", *arguments, out=out), rtol=1e-13, atol=1e-14)


@needs_compiled
def test_gaussians_are_exact_from_one_to_nothing():
    distances = np.concatenate([np.linspace(0.0, 26.0, 500), [1e3, 1e8, 1e200, np.nan]])
    out = np.zeros((1, 1, len(distances)))
    arguments = distances[None], np.zeros((1, 1)), np.ones((1, 1)), np.ones((1, 1)), out, 1.0
    with np.errstate(over="ignore"):
        compiled, numpy = both("pair_sums", *arguments, out=out)
    assert compiled[0, 0, 0] == 1.0
    np.testing.assert_allclose(compiled, numpy, rtol=2e-13, atol=0.0)


@needs_compiled
def test_rim_vertices():
    triangles = np.vstack([SURFACE.triangles, SURFACE.triangles[:3]])  # repeated: not a rim
    out = np.zeros(SURFACE.vertex_count, dtype=np.int64)
    compiled, numpy = both("rim_vertices", triangles, out, out=out)
    assert (compiled == numpy).all()
    ends, counts = edges(Surface(SURFACE.points, triangles))
    assert (np.flatnonzero(compiled) == np.unique(ends[counts == 1])).all()
