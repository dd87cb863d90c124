import hashlib

import numpy as np
import pytest
import trimesh
from conftest import specimen

from gplandmark import GplandmarkWarning, ScanError, Surface, read
from gplandmark.io.scans import as_ply, read_scan
from gplandmark.mesh.synthetic import sphere

BALL = sphere(2).surface


def written(folder, ending, **options):
    mesh = trimesh.Trimesh(BALL.points, BALL.triangles, process=False)
    path = folder / f"my ball ü{ending}"
    content = mesh.export(file_type=ending[1:], **options)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("ending", "options", "digits"),
    [
        (".ply", {"encoding": "binary"}, 1e-6),
        (".ply", {"encoding": "ascii"}, 1e-6),
        (".obj", {"digits": 17}, 0),
        (".off", {"digits": 17}, 0),
        (".OFF", {"digits": 17}, 0),
    ],
)
def test_vertices_keep_their_numbers_and_coordinates(tmp_path, ending, options, digits):
    path = written(tmp_path, ending.lower(), **options).rename(tmp_path / f"ball{ending}")
    surface = read(path)
    np.testing.assert_allclose(surface.points, BALL.points, rtol=0, atol=digits)
    assert (surface.triangles == BALL.triangles).all()
    assert surface.name == "ball"
    assert surface.source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("ending", [".stl", ".stl_ascii"])
def test_stl_is_welded_and_says_so(tmp_path, ending):
    path = written(tmp_path, ending).rename(tmp_path / "ball.stl")
    surface = read(path)
    assert surface.vertex_count == BALL.vertex_count
    assert len(surface.triangles) == len(BALL.triangles)
    assert "welded" in surface.source.numbering
    corners = np.sort(np.linalg.norm(surface.points[surface.triangles].mean(axis=1), axis=1))
    expected = np.sort(np.linalg.norm(BALL.points[BALL.triangles].mean(axis=1), axis=1))
    np.testing.assert_allclose(corners, expected, atol=1e-6)


def test_obj_numbers_survive_materials_textures_groups_and_negative_indices(tmp_path):
    path = tmp_path / "t.obj"
    path.write_text(
        "# a comment\nmtllib none.mtl\no one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 5 5 5\n"
        "vt 0 0\nvt 1 0\nvn 0 0 1\nusemtl a\ng left\nf 1/1/1 2/2/1 3/1/1\nf 1//1 2//1 4//1\n"
        "usemtl b\no two\nf -4/-2 -3/-1 \\\n -2\nf 4 3 1\n"
    )
    surface = read_scan(path)
    assert len(surface.points) == 5
    assert surface.triangles.tolist() == [[0, 1, 2], [0, 1, 3], [1, 2, 3], [3, 2, 0]]


def test_our_own_ply_comes_back_to_the_last_digit(tmp_path, random):
    surface = Surface(BALL.points * np.pi + 1e5 * random.random(3), BALL.triangles, "x")
    path = tmp_path / "x.ply"
    path.write_bytes(as_ply(surface))
    again = read(path)
    assert (again.points == surface.points).all()
    assert (again.triangles == surface.triangles).all()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.ply", b"dear diary, today I renamed a file", "cannot be read as PLY"),
        ("a.off", b"3 4", "cannot be read as OFF|no vertices"),
        ("a.stl", b"solid nothing", "no vertices|cannot be read"),
        ("a.ply", b"", "is empty"),
        ("a.ply", b" \n", "is empty"),
        (
            "a.txt",
            b"1 2 3",
            "extension '.txt'.*PLY, OBJ, STL, OFF, VTK, VTP, GLB, GLTF, XYZ, CSV, NPY",
        ),
        ("a", b"1 2 3", "extension ''"),
        (
            "a.ply",
            b"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
            b"property float z\nend_header\n0 0 0\n1 0 0\n0 1 0\n",
            "cut short|cannot be read",
        ),
        ("a.xyz", b"", "is empty"),
        ("a.xyz", b"# nothing\n\n", "no points, only comments"),
        ("a.xyz", b"0 0 0\n1 0 0\n0 1 0\n", "only 3 vertices"),
        ("a.xyz", b"0 0 0\n1 0 0\n0 1\n0 0 1\n", "line 3 has 2 columns, but line 1 has 3"),
        (
            "a.xyz",
            b"0 0 0\n1 zero 0\n0 1 0\n0 0 1\n",
            "line 2 has 'zero' where a number is",
        ),
        (
            "a.xyz",
            b"0 0\n1 0\n0 1\n2 2\n",
            "line 1 has 2 columns, and an XYZ file needs x, y and z",
        ),
        ("a.xyz", b"0 0 0\n1 0 0\n0 1 0\nnan 0 1\n", "only 3 vertices"),
        ("a.xyz", b"nan 0 0\n" * 5, "has no vertices"),
        ("a.xyz", b"\xff\xfe\x00\x01", "not a text file"),
        ("a.csv", b"x,y,z\n", "column names but no points"),
        (
            "a.csv",
            b"x,y,z\n0,0,0\n1,,0\n0,1,0\n0,0,1\n",
            "line 3 has '' where a number is",
        ),
        ("a.csv", b"x,y,z\n0,0,0\n1,0,0,4\n", "line 3 has 4 columns, but line 1 has 3"),
        ("a.csv", b"name,kind\na,b\nc,d\n", "no column of numbers"),
        ("a.csv", b"0,inf\n1,0\n2,0\n0,1\n", "only 3 vertices"),
        ("a.npy", b"not an array", "cannot be read as NPY"),
        ("a.off", b"OFF\n4 1 0\n0 0 0\n1 0 0\n0 1 0\n0 0 nan\n3 0 1 2\n", "only 3 vertices"),
        ("a.off", b"OFF\n4 1 0\n0 0 0\n1 0 0\n0 1 0\n0 0 nan\n3 3 1 2\n", "has no area"),
        (
            "a.ply",
            b"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
            b"property float z\nelement face 1\nproperty list uchar int vertex_indices\n"
            b"end_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 7\n",
            "names vertex 7",
        ),
    ],
)
def test_bad_files_get_a_sentence_with_their_name(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ScanError, match=message) as error:
        read(path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("ending", [".off", ".ply"])
@pytest.mark.parametrize("share", [0.5, 0.8, 0.95])
def test_a_file_cut_short_is_refused(tmp_path, ending, share):
    options = {".off": {"digits": 9}, ".ply": {"encoding": "ascii"}}[ending]
    path = written(tmp_path, ending, **options)
    content = path.read_bytes()
    path.write_bytes(content[: content.rindex(b"\n", 0, int(share * len(content)))])
    with pytest.raises(ScanError, match=r"cut short"):
        read(path)


@pytest.mark.parametrize(
    "head", [b"OFF\n4 2 0\n", b"OFF4 2 0\n", b"OFF # a comment 9 9\n#7 7\n4 2 0 # so\n"]
)
def test_the_header_of_an_off_file_in_its_many_forms(tmp_path, head):
    path = tmp_path / "a.off"
    path.write_bytes(head + b"0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n3 0 1 3\n")
    assert len(read_scan(path).triangles) == 2


def test_missing_files_and_folders_are_refused(tmp_path):
    with pytest.raises(ScanError, match="no such file"):
        read(tmp_path / "none.ply")
    (tmp_path / "folder.ply").mkdir()
    with pytest.raises(ScanError, match="is a folder"):
        read(tmp_path / "folder.ply")


@pytest.mark.parametrize(
    ("name", "vertices", "triangles"),
    [
        ("data/bones/FMA24482_right_talus.stl", 2983, 5962),
        ("data/nasty/negative_indices.obj", 8, 12),
        ("data/nasty/fuze.ply", 502, 1000),
        ("data/skull/CAST_EIJ.ply", 59871, 120444),
        ("data/nasty/two_objects_mixed_case_names.stl", 16, 24),
    ],
)
def test_real_files_are_read_whole(name, vertices, triangles):
    scan = read_scan(specimen(name))
    assert (len(scan.points), len(scan.triangles)) == (vertices, triangles)


@pytest.mark.parametrize(
    "name", ["binary_cut.ply", "invalid_cut.ply", "empty.ply", "invalid_nv.ply", "empty.stl"]
)
def test_real_broken_files_are_refused_by_name(name):
    with pytest.raises(ScanError, match=name):
        read(specimen(f"data/nasty/{name}"))


# Points


POINTS = np.array([[0.1, 2, 3], [1 / 3, 0, -1e-9], [7e5, 1, 0], [1, 1, 1], [0.1, 2, 3]])


@pytest.mark.parametrize(
    ("name", "separator", "header"),
    [
        ("a.xyz", " ", ""),
        ("a.XYZ", "\t", "# exported\n\n"),
        ("a.xyz", ",", ""),
        ("a.csv", ",", ""),
        ("a.csv", ", ", "X, Y, Z\n"),
        ("a.csv", ";", '"x";"y";"z"\n'),
        ("a.csv", " ", "\ufeffa b c\n"),
    ],
)
def test_points_come_from_tables_to_the_last_digit(tmp_path, name, separator, header):
    path = tmp_path / name
    lines = [separator.join(repr(float(value)) for value in point) for point in POINTS]
    path.write_text(header + "\n".join(lines), encoding="utf-8")
    cloud = read(path)
    assert cloud.triangles is None
    assert (cloud.points == POINTS).all()
    assert cloud.source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_columns_are_found_by_name(tmp_path):
    path = tmp_path / "a.csv"
    rows = [f"t{k},{z},{y},{x},9" for k, (x, y, z) in enumerate(POINTS.tolist())]
    path.write_text("name,z,y,x,quality\n" + "\n".join(rows))
    assert (read(path).points == POINTS).all()
    path.write_text("x2,name,x1\n" + "\n".join(f"{y},t,{x}" for x, y, _ in POINTS.tolist()))
    assert (read(path).points == POINTS[:, :2]).all()
    path.write_text("a,name,b\n" + "\n".join(f"{x},t,{y}" for x, y, _ in POINTS.tolist()))
    with pytest.warns(GplandmarkWarning, match="columns name hold no numbers"):
        assert (read(path).points == POINTS[:, :2]).all()


def test_further_columns_of_xyz_are_left_out_and_said(tmp_path):
    path = tmp_path / "a.xyz"
    np.savetxt(path, np.hstack([POINTS, POINTS]), fmt="%.17g")
    with pytest.warns(GplandmarkWarning, match="6 columns; the first three"):
        assert (read(path).points == POINTS).all()


@pytest.mark.parametrize("dimension", [1, 3, 200])
def test_points_come_from_arrays(tmp_path, random, dimension):
    points = random.random((9, dimension))
    np.save(tmp_path / "a.npy", points)
    assert (read(tmp_path / "a.npy").points == points).all()
    np.save(tmp_path / "b.npy", points.astype(np.float32))
    assert read(tmp_path / "b.npy").points.dtype == np.float64


@pytest.mark.parametrize("array", [np.zeros(9), np.zeros((9, 0)), np.array([["a", "b"]] * 9)])
def test_arrays_that_are_no_points_are_refused(tmp_path, array):
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(ScanError, match=r"a.npy holds an array of .* shape \(n, d\)"):
        read(tmp_path / "a.npy")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"),
        ("a.off", b"OFF\n4 0 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"),
    ],
)
def test_meshes_without_faces_are_clouds_and_said_to_be(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.warns(GplandmarkWarning, match="4 vertices but no faces"):
        cloud = read(path)
    assert cloud.triangles is None
    assert cloud.points.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize("encoding", ["ascii", "binary"])
def test_ply_files_of_points(tmp_path, encoding):
    cloud = trimesh.PointCloud(BALL.points)
    path = tmp_path / "a.ply"
    path.write_bytes(cloud.export(file_type="ply", encoding=encoding))
    again = read(path)
    assert again.triangles is None
    np.testing.assert_allclose(again.points, BALL.points, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "count"), [("points_ascii", 5), ("points_bin", 5), ("points_emptyface", 1024)]
)
def test_real_ply_files_of_points(name, count):
    cloud = read(specimen(f"data/nasty/{name}.ply"))
    assert (cloud.vertex_count, cloud.triangles) == (count, None)
