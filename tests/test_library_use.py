"""Meshes of other libraries go in; tables, files, pictures and short descriptions come out."""

import logging
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import SMALL

import gplandmark
from gplandmark import Landmarks, ScanError, SettingsError, as_surface, place


@pytest.fixture(scope="module")
def placed(molar):
    return place(molar, 6, settings=SMALL)


def vtk_list(triangles):
    """Faces as VTK and PyVista have them: 3 a b c 3 d e f ..."""
    return np.column_stack([np.full(len(triangles), 3), triangles]).ravel()


MESHES = {
    "pair": lambda v, f: (v, f),
    "list": lambda v, f: [v.tolist(), f.tolist()],
    "trimesh": lambda v, f: SimpleNamespace(vertices=v, faces=f, triangles=v[f]),
    "open3d": lambda v, f: SimpleNamespace(vertices=v, triangles=f.astype(np.int32)),
    "vedo": lambda v, f: SimpleNamespace(vertices=v, cells=f.tolist()),
    "pyvista": lambda v, f: SimpleNamespace(points=v, faces=vtk_list(f)),
    "meshio": lambda v, f: SimpleNamespace(points=v, cells=[], cells_dict={"triangle": f}),
}


@pytest.mark.parametrize("kind", MESHES)
def test_every_kind_of_mesh_gives_the_same_landmarks(kind, molar, placed):
    mesh = MESHES[kind](molar.points.copy(), molar.triangles.copy())
    assert (as_surface(mesh).triangles == molar.triangles).all()
    assert (place(mesh, 6, settings=SMALL).points == placed.points).all()


def test_a_mesh_of_trimesh_itself(molar):
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.Trimesh(molar.points, molar.triangles, process=False)
    assert (as_surface(mesh).triangles == molar.triangles).all()
    assert as_surface(trimesh.PointCloud(molar.points)).triangles is None


def test_a_path_is_read_and_a_surface_is_returned_as_it_is(molar, placed, tmp_path):
    from gplandmark.io.scans import as_ply

    path = tmp_path / "tooth.ply"
    path.write_bytes(as_ply(molar))
    for scan in (path, str(path)):
        assert place(scan, 6, settings=SMALL).specimen == "tooth"
    assert as_surface(molar) is molar


def test_points_alone_are_a_cloud_and_single_precision_is_welcome(molar):
    cloud = as_surface(molar.points.astype(np.float32), "cloud")
    assert cloud.triangles is None
    assert cloud.points.dtype == np.float64
    assert repr(cloud) == "Surface('cloud', 700 vertices, a cloud of dimension 3)"
    assert np.asarray(cloud).shape == (700, 3)


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (None, "No surface can be made"),
        ({"vertices": 3}, "No surface can be made"),
        (3.0, "No surface can be made"),
        (np.zeros(5), "No surface can be made"),
        ([[1], [2, 3]], "No surface can be made"),
        (
            SimpleNamespace(points=np.zeros((9, 3)), faces=np.array([4, 0, 1, 2, 3])),
            "not triangles",
        ),
        (SimpleNamespace(points=np.zeros((9, 3)), cells_dict={"quad": []}), "triangles: quad"),
        (SimpleNamespace(vertices="abc", faces=None), "coordinates must be numbers"),
        (SimpleNamespace(points=np.zeros((9, 3)), cells=3), "triangles of shape"),
        (np.zeros((1, 3)), "only 1 vertex;"),
        (np.zeros((9, 3)) * 1j, "must be numbers"),
    ],
)
def test_what_is_nearly_a_mesh_is_refused(thing, words):
    with pytest.raises(ScanError, match=words):
        place(thing, 3)


def test_landmarks_are_a_sequence_of_points(placed):
    assert (np.array(list(placed)) == placed.points).all()
    assert (placed[0] == placed.points[0]).all()
    assert (placed[-1] == placed.points[5]).all()
    assert (placed["3"] == placed.points[2]).all()
    first = placed[:4]
    assert isinstance(first, Landmarks)
    assert (first.points == placed.points[:4]).all()
    assert (placed[[5, 1]].points == placed.points[[5, 1]]).all()
    mask = np.array([True, False, False, True, False, False])
    assert placed[mask].labels == ("1", "4")


@pytest.mark.parametrize("which", [6, -7, "7", 1.5, [6], None, [[0]]])
def test_a_landmark_that_is_not_there(which, placed):
    with pytest.raises(SettingsError):
        placed[which]


@pytest.mark.parametrize("mask", [[True] * 3, np.ones(7, dtype=bool), np.ones((6, 1), dtype=bool)])
def test_a_mask_of_another_length_is_refused(mask, placed):
    with pytest.raises(SettingsError, match="mask of 6 booleans"):
        placed[mask]


def test_a_point_or_a_label_may_be_among_the_landmarks(placed):
    assert placed[0] in placed
    assert placed.points[3].tolist() in placed
    assert "3" in placed
    for other in ("apex", placed[0] + 1, [1.0, 2.0], None, 3, [[1], [2, 3]]):
        assert other not in placed


def test_arithmetic_is_that_of_the_points(placed):
    points, row = placed.points, [1.0, 2.0, 3.0]
    np.testing.assert_array_equal(placed * 2, points * 2)
    np.testing.assert_array_equal(2 * placed, points * 2)
    np.testing.assert_array_equal(placed / 2, points / 2)
    np.testing.assert_array_equal(-placed, -points)
    np.testing.assert_array_equal(placed + row, points + row)
    np.testing.assert_array_equal(row + placed, points + row)
    np.testing.assert_array_equal(placed - placed, 0 * points)
    np.testing.assert_array_equal(row - placed, row - points)
    np.testing.assert_array_equal(np.ones(3) - placed, 1 - points)
    np.testing.assert_array_equal(placed @ np.eye(3), points)
    assert placed.shape == points.shape == np.shape(placed)
    assert placed == placed
    assert len({placed}) == 1


def smooth(some, others):
    return np.exp(-((some[:, None] - others) ** 2).sum(axis=2))


def test_a_selection_is_its_points(random):
    points = random.standard_normal((60, 2))
    kernel = smooth, points
    found = gplandmark.select(kernel, 9)
    assert len(found) == 9
    assert np.asarray(found).tolist() == found.indices.tolist()
    assert np.asarray(found, dtype=float).dtype == float
    assert np.array(found) is not found.indices
    values = np.sin(points[found.indices, 0])
    expected = gplandmark.krige(kernel, found.indices, values)
    assert (gplandmark.krige(kernel, found, values).mean == expected.mean).all()
    covariances = gplandmark.posterior_covariance(kernel, found, [1, 2])
    assert covariances.shape == (2, 2)
    design = gplandmark.Design(kernel, found)
    assert len(design) == 9
    design.remove(int(found.indices[0]))
    assert len(design) == 8
    assert gplandmark.select(kernel, 12, start=found).indices[:9].tolist() == list(found.indices)


def test_a_generator_of_numpy_is_a_seed(molar):
    kernel, use = np.eye(40), np.random.default_rng
    picks = [gplandmark.select(kernel, 20, seed=use(3)).indices.tolist() for _ in range(2)]
    assert picks[0] == picks[1]
    generator = use(3)
    one, other = (gplandmark.select(kernel, 20, seed=generator).indices.tolist() for _ in range(2))
    assert one == picks[0] != other
    draw = gplandmark.posterior_samples
    samples = [draw(kernel, [1], [1.0], [2, 3], seed=generator) for _ in range(2)]
    assert (samples[0] != samples[1]).all()
    random = gplandmark.gp.selection.randomly_pivoted
    assert (random(kernel, 9, use(1)).indices == random(kernel, 9, use(1)).indices).all()
    placed = place(molar, 5, settings=SMALL, seed=use(5))
    seed = placed.record.request["seed"]
    assert isinstance(seed, int)
    assert (place(molar, 5, settings=SMALL, seed=seed).vertices == placed.vertices).all()


@pytest.mark.parametrize("seed", [-1, 1.5, "1", np.random])
def test_what_is_no_seed(seed):
    for use in (
        lambda: gplandmark.select(np.eye(5), 2, seed=seed),
        lambda: gplandmark.posterior_samples(np.eye(5), [1], [1.0], [2], seed=seed),
    ):
        with pytest.raises(SettingsError, match="The seed must be"):
            use()


def test_landmarks_become_tables(placed):
    columns = placed.columns()
    assert {len(each) for each in columns.values()} == {6}
    assert (np.column_stack([columns[axis] for axis in "xyz"]) == placed.points).all()


def test_a_dataframe_has_what_is_known_of_every_landmark(placed):
    pandas = pytest.importorskip("pandas")
    table = placed.to_dataframe()
    assert isinstance(table, pandas.DataFrame)
    assert list(table.columns) == list(placed.columns())
    assert (table[["x", "y", "z"]].to_numpy() == placed.points).all()
    assert table["landmark"].tolist() == list(placed.labels)
    assert table["vertex"].dtype == np.int64
    assert (table["variance"].to_numpy() == placed.variances).all()
    table.loc[0, "x"] = 1e9  # a copy: the landmarks stay
    assert placed.points[0, 0] != 1e9
    two = pandas.concat([placed.to_dataframe(), placed[:2].to_dataframe()])
    assert two.groupby("specimen").size().tolist() == [8]


def test_an_array_of_xarray_is_found_by_names(placed):
    xarray = pytest.importorskip("xarray")
    found = placed.to_xarray()
    assert isinstance(found, xarray.DataArray)
    assert found.dims == ("landmark", "axis")
    assert (found.sel(landmark="2").values == placed.points[1]).all()
    assert float(found.sel(landmark="3", axis="z")) == placed.points[2, 2]
    assert (found["variance"].values == placed.variances).all()
    assert found.name == placed.specimen
    stacked = xarray.concat([found, found + 1.0], dim="specimen")
    np.testing.assert_allclose(stacked.mean("specimen").values, placed.points + 0.5)


def test_missing_landmarks_and_two_dimensions_stay_in_tables(placed):
    pytest.importorskip("xarray")
    points = np.array([[0.0, 1.0], [np.nan, np.nan]])
    flat = Landmarks.at(points, "wing", labels=("tip", "base"))
    table = flat.to_dataframe()
    assert [name for name in table.columns if name in "xyz"] == ["x", "y"]
    assert table["x"].isna().tolist() == [False, True]
    assert np.isnan(flat.to_xarray().sel(landmark="base").values).all()


def test_a_missing_package_is_named(placed, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(SettingsError, match="pip install pandas"):
        placed.to_dataframe()


def test_landmarks_save_and_draw_themselves(placed, tmp_path):
    placed.save(tmp_path / "tooth.csv")
    again = gplandmark.read_landmarks(tmp_path / "tooth.csv")
    np.testing.assert_allclose(again.points, placed.points)
    with pytest.raises(SettingsError, match=r"surface of .* is not known"):
        again.picture()
    pytest.importorskip("matplotlib")
    assert placed.picture(width=3.0).axes
    assert placed.surface._repr_png_().startswith(b"\x89PNG")


def test_descriptions_are_short(molar, placed):
    assert repr(molar) == f"Surface('molar-1', 700 vertices, {len(molar.triangles):,} triangles)"
    assert repr(placed) == "Landmarks('molar-1', 6 points of dimension 3)"
    kernel = gplandmark.covariance(molar, SMALL)
    selection = gplandmark.select(kernel, 3)
    prediction = gplandmark.krige(kernel, selection.indices, [1.0, 2.0, 3.0])
    for each in (kernel, selection, prediction):
        assert len(repr(each)) < 300
        assert "\n" not in repr(each)


def test_the_number_of_threads_changes_nothing_and_is_checked(molar, placed):
    assert (place(molar, 6, settings=SMALL, threads=1).points == placed.points).all()
    for bad in (0, 1.5, "two"):
        with pytest.raises(SettingsError, match="number of threads"):
            place(molar, 6, settings=SMALL, threads=bad)


def test_an_exception_in_progress_stops_the_work(molar):
    class EnoughError(Exception):
        pass

    def progress(count, _):
        if count == 3:
            raise EnoughError

    with pytest.raises(EnoughError):
        place(molar, 6, settings=SMALL, progress=progress)


def test_the_library_logs_under_its_name(molar, caplog):
    with caplog.at_level(logging.INFO, logger="gplandmark"):
        place(molar, 6, settings=SMALL)
    assert any("molar-1: 6 landmarks in" in each.getMessage() for each in caplog.records)
