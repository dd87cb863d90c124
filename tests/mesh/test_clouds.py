"""Bare clouds of points, in any dimension: areas, curvature, kernels, landmarks, files."""

import warnings
from sys import modules

import numpy as np
import pytest
from conftest import teeth
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from gplandmark import (
    GplandmarkWarning,
    KernelError,
    LandmarkClass,
    LandmarkFileError,
    Landmarks,
    ScanError,
    Settings,
    SettingsError,
    Surface,
    check,
    covariance,
    make_molar,
    place,
    read,
    read_collection,
    read_landmarks,
    to_system,
    write,
    write_collection,
)
from gplandmark.gp.kernels import GraphKernel, ReweightedKernel
from gplandmark.io.landmark_formats.formats import FORMATS, WRITABLE
from gplandmark.io.scans import read_cleaned
from gplandmark.landmarks import masses as masses_of
from gplandmark.landmarks import surface_kernels
from gplandmark.mesh import (
    cloud_areas,
    estimate_curvature,
    estimator_for,
    intrinsic_dimension,
    surface_area,
    voronoi_areas,
)
from gplandmark.mesh.curvature import surface_variation
from gplandmark.mesh.neighbours import nearest
from gplandmark.mesh.synthetic import ellipsoid, plane, sphere, torus

covariances = modules["gplandmark.landmarks.covariance"]  # hidden by its function
MOLAR = make_molar(1, vertex_count=2500).surface
DIMENSIONS = (1, 2, 3, 5, 200)
every_dimension = pytest.mark.parametrize("dimension", DIMENSIONS)


def bare(surface):
    return Surface(surface.points, None, surface.name)


def ball(random, count):
    points = random.normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1)[:, None]


def cloud_in(dimension, count=200, seed=0):
    return np.random.default_rng(seed).random((count, dimension))


def placed(surface, count=20, **options):
    """Landmarks of a cloud that is small, flat or both, of which the warnings tell."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)
        return place(surface, count, **options)


# Areas


@pytest.mark.parametrize(("count", "error"), [(200, 0.03), (2000, 0.02), (20_000, 0.01)])
def test_area_of_a_sphere_from_random_points(random, count, error):
    assert surface_area(Surface(ball(random, count))) == pytest.approx(4 * np.pi, rel=error)


@pytest.mark.parametrize(("count", "error"), [(200, 0.12), (2000, 0.05), (20_000, 0.02)])
def test_area_of_an_open_sheet_from_random_points(random, count, error):
    points = random.random((count, 2))
    assert surface_area(Surface(points)) == pytest.approx(1, rel=error)
    upright = np.column_stack([points[:, 0], np.zeros(count), points[:, 1]])
    assert surface_area(Surface(upright)) == pytest.approx(surface_area(Surface(points)), rel=1e-3)


def test_cells_of_a_grid_are_squares_and_halves_at_the_rim():
    rows, columns = np.mgrid[:12, :15]
    areas = cloud_areas(Surface(np.column_stack([rows.ravel(), columns.ravel()]))).reshape(12, 15)
    np.testing.assert_allclose(areas[3:-3, 3:-3], 1, rtol=2e-3)
    np.testing.assert_allclose(areas[0, 3:-3], 0.5, rtol=0.05)
    np.testing.assert_allclose(areas[0, 0], 0.25, rtol=0.1)


@pytest.mark.parametrize("path", teeth()[:4], ids=lambda path: getattr(path, "stem", ""))
def test_areas_of_a_tooth_are_those_of_its_triangles(path):
    tooth = read_cleaned(path).surface  # one has a face twice
    assert surface_area(bare(tooth)) == pytest.approx(surface_area(tooth), rel=0.02)
    correlation = np.corrcoef(cloud_areas(bare(tooth)), voronoi_areas(tooth))[0, 1]
    assert correlation > 0.95


def test_density_does_not_change_the_area(random):
    everywhere = ball(random, 3000)
    north = everywhere[everywhere[:, 2] > 0]
    more = ball(random, 20_000)
    dense = Surface(np.vstack([everywhere, more[more[:, 2] > 0]]))
    assert surface_area(dense) == pytest.approx(4 * np.pi, rel=0.03)
    northern = cloud_areas(dense)[dense.points[:, 2] > 0].sum()
    assert northern == pytest.approx(2 * np.pi, rel=0.04)
    assert len(north) < 2000


@every_dimension
def test_points_with_equal_coordinates_share_an_area(dimension):
    points = cloud_in(dimension)
    twice = Surface(np.vstack([points, points[:50], np.repeat(points[:1], 30, axis=0)]))
    areas = cloud_areas(twice)
    assert (areas > 0).all()
    np.testing.assert_allclose(areas[0], areas[-30:], rtol=1e-12)
    np.testing.assert_allclose(areas[:50], areas[200:250], rtol=1e-12)
    if dimension <= 3:
        np.testing.assert_allclose(areas.sum(), surface_area(Surface(points)), rtol=1e-12)
    assert np.isfinite(placed(twice).variances).all()


def test_where_there_is_no_area_that_of_a_disc_stands_for_it(random):
    line = Surface(random.random((4000, 1)))
    # 2.5 % of a line of length 1 lie within 0.0125 of a point.
    assert surface_area(line) == pytest.approx(np.pi * 0.0125**2 / 0.025, rel=0.05)
    sheet = np.zeros((4000, 4))
    sheet[:, :2] = random.random((4000, 2))
    sheet[:, 2:] = 1e-4 * random.random((4000, 2))  # so that it spans four dimensions
    assert intrinsic_dimension(Surface(sheet)) is None
    assert surface_area(Surface(sheet)) == pytest.approx(1, rel=0.05)


def test_the_disc_does_not_follow_the_number_of_points():
    few, many = (surface_area(Surface(cloud_in(6, count))) for count in (1000, 4000))
    assert few == pytest.approx(many, rel=0.05)


def test_dimension_is_that_of_the_flat_which_the_cloud_spans(random):
    turn = np.linalg.qr(random.normal(size=(10, 10)))[0]
    for rank, dimension in [(1, 1), (2, 2), (3, 2), (4, None)]:
        points = random.random((100, rank)) @ turn[:rank]
        assert intrinsic_dimension(Surface(points)) == dimension
    assert intrinsic_dimension(MOLAR) == 2


def test_fewer_than_four_different_points_are_refused():
    points = np.repeat(np.eye(3), 5, axis=0)
    with pytest.raises(ScanError, match="cloud has only 3 different points"):
        place(Surface(points, None, "cloud"), 2)


# Neighbours


@pytest.mark.parametrize("dimension", [3, 12, 13, 200])
def test_neighbours_are_those_of_all_distances(dimension):
    points = cloud_in(dimension, 300) + 1e3
    distances, found = nearest(points, 9)
    everything = cdist(points, points)
    np.testing.assert_allclose(distances, np.sort(everything, axis=1)[:, :9], atol=1e-9)
    np.testing.assert_allclose(
        np.take_along_axis(everything, found, axis=1), distances, rtol=1e-12, atol=1e-12
    )
    assert (found[:, 0] == np.arange(300)).all()


# Curvature


@pytest.mark.parametrize("shape", [sphere(5, radius=2.0), ellipsoid(5), torus(160, 80)])
def test_patches_find_the_curvature_of_exact_shapes(shape):
    found = estimate_curvature(bare(shape.surface))
    for values, exact in (
        (found.gaussian, shape.curvature.gaussian),
        (found.mean, np.abs(shape.curvature.mean)),
    ):
        assert np.median(np.abs(values - exact)) < 0.04 * np.abs(exact).max()
        assert np.isfinite(values).all()


def test_patches_converge_as_the_ball_shrinks():
    shape = ellipsoid(5)
    errors = [
        np.sqrt(np.mean((found.gaussian - shape.curvature.gaussian) ** 2))
        for found in (estimate_curvature(bare(shape.surface), radius=r) for r in (0.07, 0.035))
    ]
    assert errors[1] < errors[0] / 3  # second order: a quarter


def test_a_cloud_with_many_points_in_a_ball_is_drawn_from(monkeypatch):
    shape = bare(ellipsoid(5).surface)
    exact = estimate_curvature(shape)
    monkeypatch.setattr(modules["gplandmark.mesh.curvature.from_points"], "IN_BALL", 40)
    drawn = estimate_curvature(shape)
    assert np.corrcoef(exact.gaussian, drawn.gaussian)[0, 1] > 0.99
    np.testing.assert_allclose(drawn.mean, exact.mean, rtol=0.2)


def test_flat_clouds_have_no_curvature_and_uniform_weights(random):
    with pytest.warns(GplandmarkWarning, match="flat"):
        place(Surface(random.random((300, 2))), 5)
    for flat in (bare(plane(20).surface), Surface(random.random((300, 1)))):
        assert np.abs(estimate_curvature(flat).gaussian).max() < 1e-9


def test_auto_is_patch_in_space_and_variation_beyond():
    assert estimator_for(bare(MOLAR), "auto") == "patch"
    assert estimator_for(MOLAR, "auto") == "normal-cycle"
    assert estimator_for(Surface(cloud_in(5)), "auto") == "variation"
    with pytest.raises(SettingsError, match="spans 5 dimensions"):
        estimate_curvature(Surface(cloud_in(5)), "patch")
    with pytest.raises(ScanError, match="no triangles"):
        estimate_curvature(bare(MOLAR), "quadric")


def test_variation_beyond_space_is_the_spread_outside_two_directions(random):
    flat = random.random((300, 2)) @ random.normal(size=(2, 40))
    assert surface_variation(flat, 12, leading=2).max() < 1e-12
    bent = np.column_stack([flat, (flat[:, :1] ** 2)])
    assert surface_variation(bent, 12, leading=2).max() > 1e-6
    around = np.vstack([np.zeros((1, 4)), random.normal(size=(500, 4))])
    assert surface_variation(around, 500, leading=1)[0] == pytest.approx(3 / 4, abs=0.06)


def test_a_coarse_cloud_says_so(random):
    with pytest.warns(GplandmarkWarning, match="coarse"):
        place(Surface(ball(random, 60)), 5)


# Kernels


@every_dimension
def test_both_engines_and_the_whole_graph_are_one_kernel(dimension):
    cloud = Surface(cloud_in(dimension))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)
        masses = masses_of(cloud)
        chosen = covariance(cloud)
        graph = covariance(cloud, Settings(kernel="graph", neighbours=199))
    eps = 0.008 * surface_area(cloud)
    heat = np.exp(-cdist(cloud.points, cloud.points, "sqeuclidean") / eps)
    exact = heat @ np.diag(masses) @ heat
    everything = np.arange(200)
    for kernel in (chosen, graph, ReweightedKernel(cloud.points, masses, eps)):
        np.testing.assert_allclose(kernel.columns(everything), exact, atol=1e-7 * exact.max())
        np.testing.assert_allclose(kernel.diagonal(), np.diag(exact), atol=1e-7 * exact.max())
    np.testing.assert_allclose(
        chosen.between(cloud.points[:5], cloud.points[9:11]),
        exact[:5, 9:11],
        atol=1e-7 * exact.max(),
    )


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    dimension=st.integers(1, 20),
    neighbours=st.integers(1, 40),
    scale=st.floats(0.01, 100),
)
def test_a_graph_is_a_covariance_whatever_its_cut(seed, dimension, neighbours, scale):
    points = cloud_in(dimension, 40, seed)
    points[30:] = points[:10]
    masses = np.random.default_rng(seed).random(40)
    matrix = GraphKernel(points, masses, scale * dimension, neighbours).columns(np.arange(40))
    assert np.isfinite(matrix).all()
    np.testing.assert_allclose(matrix, matrix.T, rtol=1e-12, atol=1e-300)
    assert np.linalg.eigvalsh(matrix).min() > -1e-12 * matrix.max()


def test_a_graph_in_pieces_says_how_many_and_still_serves():
    points = np.vstack([MOLAR.points, MOLAR.points + 1000.0, MOLAR.points - 1000.0])
    graph = Settings(kernel="graph", neighbours=60, weight="uniform", eps=0.05)
    with pytest.warns(GplandmarkWarning, match=r"cloud has 3 separate pieces.*more neighbours"):
        found = place(Surface(points, None, "cloud"), 12, settings=graph)
    assert set(found.vertices // MOLAR.vertex_count) == {0, 1, 2}
    assert any("3 separate pieces" in note for note in found.record.warnings)


def test_a_cut_that_decides_how_far_landmarks_reach_is_said():
    with pytest.warns(GplandmarkWarning, match="ends at 5 neighbours"):
        covariance(bare(MOLAR), Settings(kernel="graph", neighbours=5))


@pytest.mark.parametrize("neighbours", [0, -3])
def test_a_graph_needs_edges(neighbours):
    with pytest.raises(SettingsError, match=f"at least 1, got {neighbours}"):
        Settings(kernel="graph", neighbours=neighbours)


def test_a_cloud_smaller_than_the_neighbourhood():
    small = Surface(cloud_in(3, 12), None, "small")
    with pytest.raises(SettingsError, match=r"from 1 to 11 on 12 points, got 40"):
        place(small, 3, settings=Settings(kernel="graph", neighbours=40))
    with pytest.raises(SettingsError, match=r"3 to 11 neighbours on 12 points, got 20"):
        place(small, 3, settings=Settings(curvature="variation", curvature_neighbours=20))
    for options in (Settings(), Settings(kernel="graph"), Settings(curvature="variation")):
        assert len(placed(small, 5, settings=options)) == 5
    for dimension in DIMENSIONS:
        assert len(placed(Surface(cloud_in(dimension, 4)), 2)) == 2


def test_a_graph_that_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr(surface_kernels, "available_memory", lambda: 10**6)
    with pytest.raises(SettingsError, match=r"200 points with 199 neighbours.*fewer neighbours"):
        place(Surface(cloud_in(5)), 3, settings=Settings(kernel="graph"))


def test_many_points_beyond_space_are_placed_and_the_graph_is_named(monkeypatch):
    monkeypatch.setattr(surface_kernels, "MANY_BEYOND_SPACE", 100)
    cloud = Surface(cloud_in(5), None, "cloud")
    with pytest.warns(GplandmarkWarning, match=r"200 points in 5 dimensions.*'graph'"):
        found = place(cloud, 3)
    assert (found.points == place(cloud, 3, settings=Settings(engine="direct")).points).all()
    assert len(placed(cloud, 3, settings=Settings(kernel="graph"))) == 3
    with pytest.raises(KernelError, match="field needs points in space"):
        place(cloud, 3, settings=Settings(engine="field"))


# Landmarks


@every_dimension
@pytest.mark.parametrize("kernel", ["reweighted", "graph", "squared-exponential"])
def test_landmarks_depend_on_neither_units_nor_pose_nor_order(dimension, kernel, random):
    options = {"settings": Settings(kernel=kernel)}
    points = cloud_in(dimension)
    expected = placed(Surface(points), **options).vertices
    assert (placed(Surface(1000 * points), **options).vertices == expected).all()
    turn = np.linalg.qr(random.normal(size=(dimension, dimension)))[0]
    assert (placed(Surface(points @ turn + 3.0), **options).vertices == expected).all()
    if kernel != "squared-exponential":  # it begins with a tie of all points
        order = random.permutation(len(points))
        assert (order[placed(Surface(points[order]), **options).vertices] == expected).all()


def test_a_tooth_is_a_tooth_in_ten_dimensions(random):
    turn = np.linalg.qr(random.normal(size=(10, 10)))[0][:3]
    assert intrinsic_dimension(Surface(MOLAR.points @ turn)) == 2
    expected = place(bare(MOLAR), 20).vertices
    assert (place(Surface(MOLAR.points @ turn), 20).vertices == expected).all()


def test_landmarks_cover_the_cloud():
    cloud = Surface(cloud_in(2, 1000))
    found = placed(cloud, 60).points
    distances, _ = cKDTree(found).query(cloud.points)
    assert distances.max() < 0.25
    assert len(np.unique(found, axis=0)) == 60


def test_the_record_tells_a_cloud():
    about = placed(Surface(cloud_in(5), None, "five"), 3).record.input
    assert about["triangles"] == 0
    assert (about["dimension"], about["intrinsic_dimension"]) == (5, None)
    about = place(bare(MOLAR), 3).record.input
    assert (about["dimension"], about["intrinsic_dimension"]) == (3, 2)
    assert about["area"] == surface_area(bare(MOLAR))


def test_more_landmarks_after_the_first_and_a_weight_of_the_users_own():
    cloud = Surface(cloud_in(5))
    both = place(cloud, 12)
    assert (place(cloud, 12, after=place(cloud, 5)).vertices == both.vertices).all()
    weight = np.zeros(200)
    weight[:20] = 1.0
    first = place(cloud, 1, weight=weight).vertices[0]
    heat = np.exp(
        -2 * cdist(cloud.points, cloud.points, "sqeuclidean") / 0.008 / surface_area(cloud)
    )
    assert first == np.argmax(heat[:, :20].sum(axis=1))


def test_bare_vertices_of_a_molar_have_the_landmarks_of_its_mesh():
    expected, found = place(MOLAR, 40).points, place(bare(MOLAR), 40).points
    distances, _ = cKDTree(found).query(expected)
    assert np.mean(distances <= 0.03 * np.sqrt(surface_area(MOLAR))) >= 0.75


@pytest.mark.parametrize("path", teeth()[:3], ids=lambda path: getattr(path, "stem", ""))
def test_bare_vertices_of_a_tooth_have_the_landmarks_of_its_mesh(path):
    tooth = read(path)
    expected, found = place(tooth, 40).points, place(bare(tooth), 40).points
    distances, _ = cKDTree(found).query(expected)
    assert np.mean(distances <= 0.03 * np.sqrt(surface_area(tooth))) >= 0.75


# Landmark files


@every_dimension
def test_tables_hold_landmarks_of_any_dimension(tmp_path, dimension):
    landmarks = placed(Surface(cloud_in(dimension), None, "five"), 6)
    write(landmarks, tmp_path / "a.csv")
    again = read_landmarks(tmp_path / "a.csv")
    assert (again.points == landmarks.points).all()
    assert (again.vertices == landmarks.vertices).all()
    assert again.record == landmarks.record
    (tmp_path / "a.record.json").unlink()
    assert (read_landmarks(tmp_path / "a.csv").points == landmarks.points).all()


def test_a_table_of_many_clouds_with_missing_landmarks_types_and_classes(tmp_path):
    points = cloud_in(4, 3)
    points[1] = np.nan
    one = Landmarks.at(points, "one", kinds=("fixed", "", "semi"))
    other = Landmarks.at(cloud_in(4, 2), "other", classes=tuple(LandmarkClass)[:2])
    path, beside = write_collection([one, other], tmp_path / "a.csv")
    beside.unlink()
    heading = "specimen,landmark,x1,x2,x3,x4,vertex,variance,class,type,system"
    assert path.read_text().splitlines()[0] == heading
    again = read_collection(path)
    assert [each.specimen for each in again] == ["one", "other"]
    assert np.array_equal(again[0].points, points, equal_nan=True)
    assert again[0].missing.tolist() == [False, True, False]
    assert again[0].kinds == one.kinds
    assert again[1].classes == other.classes


def test_a_table_has_one_dimension(tmp_path):
    flat, deep = Landmarks.at(cloud_in(2, 3), "flat"), Landmarks.at(cloud_in(3, 3), "deep")
    with pytest.raises(LandmarkFileError, match="flat has dimension 2 and deep has dimension 3"):
        write_collection([flat, deep], tmp_path / "a.csv")
    assert not list(tmp_path.iterdir())


def test_numbered_columns_of_tables(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("X1,X2,X3\n1,2,3\n")
    assert read_landmarks(path).points.tolist() == [[1, 2, 3]]
    path.write_text("x1,x2\n")
    assert read_landmarks(path).points.shape == (0, 2)
    for header, words in [("x1,x3", "no column x2"), ("ID,x1,y1,x2,y2", "no column x and")]:
        path.write_text(f"{header}\n1,2,3,4,5\n")
        with pytest.raises(LandmarkFileError, match=words):
            read_landmarks(path)
    path.write_text("ID,x1,y1,z1,x2,y2,z2\na,1,2,3,4,5,6\n")  # a row per specimen
    assert read_landmarks(path).points.tolist() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize(
    "ending",
    [extension for extension in WRITABLE if FORMATS[extension].in_space],
)
def test_other_formats_hold_points_in_space_only(tmp_path, ending):
    landmarks = placed(Surface(cloud_in(5)), 3)
    with pytest.raises(LandmarkFileError, match=r"dimension 5. Use .csv"):
        write(landmarks, tmp_path / f"a{ending}")
    assert not list(tmp_path.iterdir())


def test_points_beyond_space_are_neither_lps_nor_ras_nor_on_a_mesh():
    landmarks = Landmarks.at(cloud_in(5, 3), "five")
    with pytest.raises(SettingsError, match="five has dimension 5"):
        to_system(landmarks, "RAS")
    with pytest.raises(LandmarkFileError, match="dimension 5"):
        check(MOLAR, landmarks)
