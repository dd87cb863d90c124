import hashlib

import numpy as np
import pytest
import trimesh
from conftest import specimen

from gplandmark import ScanError, Surface, read
from gplandmark.scans import as_ply
from gplandmark.specimens import sphere

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
    surface = read(path)
    assert surface.vertex_count == 5
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
        ("a.xyz", b"1 2 3", "ends in '.xyz'.*PLY, OBJ, STL, OFF"),
        ("a", b"1 2 3", "cannot read a scan that ends in ''"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n", "no triangles"),
        ("a.off", b"OFF\n4 1 0\n0 0 0\n1 0 0\n0 1 0\n0 0 nan\n3 0 1 2\n", "NaN or infinite"),
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
    assert len(read(path).triangles) == 2


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
    surface = read(specimen(name))
    assert (surface.vertex_count, len(surface.triangles)) == (vertices, triangles)


@pytest.mark.parametrize(
    "name", ["binary_cut.ply", "invalid_cut.ply", "empty.ply", "points_bin.ply", "empty.stl"]
)
def test_real_broken_files_are_refused_by_name(name):
    with pytest.raises(ScanError, match=name):
        read(specimen(f"data/nasty/{name}"))
