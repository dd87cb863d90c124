"""Formats of scans in their many forms; each holds the same ball, or a known small mesh."""

import gzip
import io
import os
import sys

import numpy as np
import pytest
import trimesh
from vtk_files import polydata, write_legacy

from gplandmark import GplandmarkWarning, ScanError, read
from gplandmark.io.scans import as_ply, read_scan, specimen_name
from gplandmark.io.scans import file_bytes as door
from gplandmark.mesh.surface import Surface
from gplandmark.mesh.synthetic import sphere

BALL = sphere(2).surface
SQUARE = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
PYRAMID = [[0, 1, 2], [0, 2, 3], [0, 4, 1]]


def scan_of(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_scan(path)


# PLY


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_ply_of_both_byte_orders_with_more_properties_and_elements(tmp_path, order, kind):
    vertex = np.dtype([("q", "u1"), ("x", order + kind), ("y", order + kind), ("z", order + kind)])
    vertices = np.zeros(len(BALL.points), vertex)
    for axis, column in zip("xyz", BALL.points.T, strict=True):
        vertices[axis] = column
    face = np.dtype([("n", "u1"), ("i", order + "u4", 3), ("m", "u1"), ("t", order + "f4", 6)])
    faces = np.zeros(len(BALL.triangles), face)
    faces["n"], faces["m"], faces["i"] = 3, 6, BALL.triangles
    name, format = {"f4": "float", "f8": "double"}[kind], {"<": "little", ">": "big"}[order]
    header = (
        f"ply\r\nformat binary_{format}_endian 1.0\r\ncomment gr\xfc\xdfe\r\n"
        f"element camera 1\r\nproperty float f\r\nelement vertex {len(vertices)}\r\n"
        f"property uchar quality\r\nproperty {name} x\r\nproperty {name} y\r\nproperty {name} z\r\n"
        f"element face {len(faces)}\r\nproperty list uchar uint32 vertex_index\r\n"
        "property list uint8 float texcoord\r\nelement edge 1\r\nproperty int a\r\nend_header\r\n"
    )
    body = bytes(4) + vertices.tobytes() + faces.tobytes() + bytes(4)
    scan = scan_of(tmp_path, "a.ply", header.encode("latin-1") + body)
    np.testing.assert_array_equal(scan.points, BALL.points.astype(kind))
    np.testing.assert_array_equal(scan.triangles, BALL.triangles)


def ply(vertices, rest, element="face", count=3):
    return (
        f"ply\nformat ascii 1.0\nelement vertex {vertices}\nproperty float x\nproperty float y\n"
        f"property float z\nelement {element} {count}\nproperty list uchar int vertex_indices\n"
        f"end_header\n{rest}"
    )


def test_ply_with_polygons_of_mixed_size_in_text_and_bytes(tmp_path):
    points = SQUARE + "0.5 0.5 1\n"
    text = ply(5, points + "4 0 1 2 3\n3 0 4 1\n2 0 1\n")
    scan = scan_of(tmp_path, "a.ply", text)
    assert scan.triangles.tolist() == PYRAMID
    assert scan.notes == ("1 face with fewer than three corners left out",)
    faces = b"\x04" + np.array([0, 1, 2, 3], "<i4").tobytes()
    faces += b"\x03" + np.array([0, 4, 1], "<i4").tobytes()
    header = text[: text.index("end_header")].replace("ascii", "binary_little_endian")
    numbers = np.array(points.split(), dtype="<f4").tobytes()
    content = header.replace("face 3", "face 2").encode() + b"end_header\n" + numbers + faces
    assert scan_of(tmp_path, "b.ply", content).triangles.tolist() == PYRAMID


def test_ply_with_triangle_strips(tmp_path):
    points = "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n"
    scan = scan_of(tmp_path, "a.ply", ply(5, points + "8 0 1 2 3 -1 2 3 4", "tristrips", 1))
    assert scan.triangles.tolist() == [[0, 1, 2], [2, 1, 3], [2, 3, 4]]


def test_ply_lines_may_hold_more_than_the_header_says(tmp_path):
    points = "".join(f"{line} 9 9\n" for line in SQUARE.splitlines())
    scan = scan_of(tmp_path, "a.ply", ply(4, points + "3 0 1 2 255 0\n3 0 2 3 0 0\n", count=2))
    assert scan.triangles.tolist() == [[0, 1, 2], [0, 2, 3]]
    assert scan.points[:, :2].tolist() == [[0, 0], [1, 0], [1, 1], [0, 1]]


def test_nan_as_windows_writes_it(tmp_path):
    points = "-nan(ind) 0 0\n1.#QNAN 0 0\n1 1.#INF 0\n0 1 0\n"
    scan = scan_of(tmp_path, "a.ply", ply(4, points + "3 0 1 2\n", count=1))
    assert np.isnan(scan.points[:2, 0]).all()
    assert np.isinf(scan.points[2, 1])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("property float z\n", ""), "no vertices with x, y and z"),
        (("property float z", "property half z"), "header has the line 'property half z'"),
        (("format ascii 1.0\n", ""), "header has the line|names no format"),
        (("ascii", "utf8"), "header has the line 'format utf8"),
        (("end_header", "end"), "does not begin with the header"),
        (("3 0 1 2", "3 0 1 9"), "names vertex 9"),
        (("3 0 1 2", "3 0 1 -1"), "names vertex -1"),
        (("1 0 0", "1 zero 0"), "something else was found where numbers are expected"),
    ],
)
def test_ply_that_is_none(tmp_path, change, message):
    with pytest.raises(ScanError, match=message):
        scan_of(tmp_path, "a.ply", ply(4, SQUARE + "3 0 1 2\n", count=1).replace(*change, 1))


# OBJ, OFF, STL


def test_obj_with_quads_objects_and_missing_materials(tmp_path):
    text = "mtllib gone.mtl\no a\nv 0 0 0 1\nv 1 0 0 1\nv 1 1 0 1\nv 0 1 0 1\nusemtl gone\n"
    text += "f 1/1 2/2 3/3 4/4\no b\nv 0.5 0.5 1\nf -5//-1 -1// -4//1 # the last\n"
    assert scan_of(tmp_path, "a.obj", text).triangles.tolist() == PYRAMID
    assert scan_of(tmp_path, "b.obj", text.replace("\n", "\r\n")).triangles.tolist() == PYRAMID


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("f 0 1 2", "names vertex 0, but OBJ files count from 1"),
        ("f 1 2 9", "names vertex 8"),
        ("f 1 2 -9", "names vertex -5"),
        ("f 1 2 x", "something other than integers"),
        ("v 1 2", "a line has 2 numbers where 3 are expected"),
    ],
)
def test_obj_that_is_damaged(tmp_path, line, message):
    with pytest.raises(ScanError, match=message):
        scan_of(tmp_path, "a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n" + line)


@pytest.mark.parametrize(
    ("head", "beside", "face"),
    [
        ("OFF", "", ""),
        ("OFF", "", " 255 0 0"),
        ("OFF", "", " 5"),
        ("COFF", " 0.1 0.2 0.3 1", " 0.5 0.5 0.5"),
        ("NOFF", " 0 0 1", ""),
        ("STCNOFF", " 1 1 1 0 0 1 0 0", " 3"),
        ("", "", ""),
    ],
)
def test_off_with_comments_normals_colours_and_quads(tmp_path, head, beside, face):
    points = "".join(f"{line}{beside} # so\n" for line in (SQUARE + "0.5 0.5 1").splitlines())
    text = f"{head}\n# 9 9 9\n5 2 0\n\n{points}# 3 1 2 3\n4 0 1 2 3{face}\n3 0 4 1{face}\n"
    scan = scan_of(tmp_path, "a.off", text)
    assert scan.triangles.tolist() == PYRAMID
    assert scan.points.tolist()[4] == [0.5, 0.5, 1]


@pytest.mark.parametrize("head", ["4OFF", "nOFF", "OFF BINARY", "HELLO"])
def test_off_of_other_kinds_is_refused(tmp_path, head):
    with pytest.raises(ScanError, match="header of an OFF file in space"):
        scan_of(tmp_path, "a.off", f"{head}\n4 1 0\n{SQUARE}3 0 1 2\n")


def test_a_polygon_with_a_notch_is_covered_without_folds(tmp_path):
    # Seen from its first corner the arrow head folds over; from the notch it does not.
    points = "0 0 0\n2 -1 0\n0.5 0 0\n2 1 0\n"
    for turn in range(4):
        corners = " ".join(str((turn + k) % 4) for k in range(4))
        scan = scan_of(tmp_path, "a.off", f"OFF\n4 1 0\n{points}4 {corners}\n")
        a, b, c = (scan.points[scan.triangles[:, k]] for k in range(3))
        normals = np.cross(b - a, c - a)[:, 2]
        assert (normals > 0).all()
        assert normals.sum() / 2 == pytest.approx(0.5)


def test_stl_of_two_solids_and_with_bytes_behind(tmp_path):
    mesh = trimesh.Trimesh(BALL.points, BALL.triangles, process=False)
    binary = mesh.export(file_type="stl")
    one = scan_of(tmp_path, "a.stl", binary)
    behind = scan_of(tmp_path, "b.stl", binary + b"some program's own")
    np.testing.assert_array_equal(one.triangles, behind.triangles)
    solid = scan_of(tmp_path, "c.stl", b"solid" + binary[5:])
    np.testing.assert_array_equal(one.points, solid.points)
    text = mesh.export(file_type="stl_ascii")
    two = scan_of(tmp_path, "d.stl", text + "\n" + text.replace("vertex ", "VERTEX  "))
    assert len(two.triangles) == 2 * len(BALL.triangles)
    assert len(two.points) == len(BALL.points)


# VTK, VTP, GLB, GLTF


def same_as_ball(scan, digits=0.0):
    np.testing.assert_allclose(scan.points, BALL.points, rtol=0, atol=digits)
    np.testing.assert_array_equal(scan.triangles, BALL.triangles)


@pytest.fixture(scope="module")
def vtk_ball():
    vtk, data = polydata(BALL)
    from vtk.util.numpy_support import numpy_to_vtk

    times = vtk.vtkDoubleArray()
    times.SetName("TimeValue")
    times.InsertNextValue(1.5)
    data.GetFieldData().AddArray(times)
    normals = numpy_to_vtk(BALL.points, deep=True)
    normals.SetName("Normals")
    data.GetPointData().SetNormals(normals)
    return vtk, data


@pytest.mark.parametrize("version", [42, 51])
@pytest.mark.parametrize("binary", [False, True])
def test_vtk_as_its_own_library_writes_it(tmp_path, vtk_ball, version, binary):
    vtk, data = vtk_ball
    write_legacy(vtk, data, tmp_path / "a.vtk", version, binary=binary)
    same_as_ball(read_scan(tmp_path / "a.vtk"), 0 if binary else 1e-5)


@pytest.mark.parametrize("mode", ["Ascii", "Binary", "Appended"])
@pytest.mark.parametrize("compressor", ["None", "ZLib"])
@pytest.mark.parametrize("header", [32, 64])
@pytest.mark.parametrize("encoded", [False, True])
def test_vtp_as_the_library_writes_it(tmp_path, vtk_ball, mode, compressor, header, encoded):
    vtk, data = vtk_ball
    writer = vtk.vtkXMLPolyDataWriter()
    writer.SetInputData(data)
    writer.SetDataMode(getattr(writer, mode))
    writer.SetCompressorType(getattr(writer, compressor.upper()))
    writer.SetHeaderType(header)
    writer.SetEncodeAppendedData(encoded)
    writer.SetBlockSize(4096)
    writer.SetFileName(str(tmp_path / "a.vtp"))
    writer.Write()
    same_as_ball(read_scan(tmp_path / "a.vtp"), 1e-9 if mode == "Ascii" else 0)


def test_vtk_with_polygons_and_strips(tmp_path):
    text = (
        "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 5 float\n"
        f"{SQUARE}0.5 0.5 1\nPOLYGONS 1 5\n4 0 1 2 3\nTRIANGLE_STRIPS 1 5\n4 0 1 4 2\n"
    )
    expected = [[0, 1, 2], [0, 2, 3], [0, 1, 4], [4, 1, 2]]
    assert scan_of(tmp_path, "a.vtk", text).triangles.tolist() == expected
    with pytest.raises(ScanError, match="kind UNSTRUCTURED_GRID, and a surface is POLYDATA"):
        scan_of(tmp_path, "b.vtk", text.replace("POLYDATA", "UNSTRUCTURED_GRID"))


@pytest.mark.parametrize("ending", [".glb", ".gltf"])
def test_scenes_come_through_with_their_numbering_told(tmp_path, ending):
    mesh = trimesh.Trimesh(BALL.points, BALL.triangles, process=False)
    if ending == ".glb":
        (tmp_path / "a.glb").write_bytes(mesh.export(file_type="glb"))
    else:
        for name, content in trimesh.Scene(mesh).export(file_type="gltf").items():
            (tmp_path / name.replace("model", "a")).write_bytes(content)
    scan = read_scan(tmp_path / f"a{ending}")
    same_as_ball(scan, 1e-6)
    assert "nodes" in scan.source.numbering
    if ending == ".gltf":
        next(tmp_path.glob("*.bin")).unlink()
        with pytest.raises(ScanError, match=r"\.bin that it names is not beside it"):
            read_scan(tmp_path / "a.gltf")


# The door


@pytest.mark.parametrize("name", ["a.ply.gz", "A ball \u00fc.PLY.GZ"])
def test_packed_scans_are_read(tmp_path, name):
    scan = scan_of(tmp_path, name, gzip.compress(as_ply(BALL)))
    same_as_ball(scan)
    assert scan.name == specimen_name(name) == name.split(".")[0]


def test_packed_scans_that_are_cut_or_none(tmp_path):
    packed = gzip.compress(as_ply(BALL))
    for content in (packed[:-20], b"no gzip at all", packed[:500]):
        with pytest.raises(ScanError, match=r"a\.ply\.gz cannot be decompressed"):
            scan_of(tmp_path, "a.ply.gz", content)
    with pytest.raises(ScanError, match="decompressed it has more bytes than a scan"):
        scan_of(tmp_path, "a.ply.gz", gzip.compress(bytes(50_000_000)))
    with pytest.raises(ScanError, match=r"extension '.doc'"):
        scan_of(tmp_path, "a.doc.gz", packed)


MESH = trimesh.Trimesh(BALL.points, BALL.triangles, process=False)


@pytest.mark.parametrize(
    "content",
    [
        as_ply(BALL), gzip.compress(as_ply(BALL)), MESH.export(file_type="off").encode(),
        MESH.export(file_type="obj").encode(), MESH.export(file_type="stl"),
        MESH.export(file_type="stl_ascii").encode(), MESH.export(file_type="glb"),
    ],
    ids=["ply", "gz", "off", "obj", "stl", "stl-ascii", "glb"],
)  # fmt: skip
def test_the_standard_input_is_known_by_its_bytes(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    surface = read("-")
    assert surface.vertex_count == len(BALL.points)
    assert surface.name == "standard-input"


def test_points_and_nonsense_on_the_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"# p\n" + SQUARE.encode())))
    assert read("-").triangles is None
    for content, message in ((b"dear diary", "no format"), (b"", "is empty|no format")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        with pytest.raises(ScanError, match=message):
            read("-")


def test_links_are_followed_and_said_when_they_lead_nowhere(tmp_path):
    (tmp_path / "a.ply").write_bytes(as_ply(BALL))
    (tmp_path / "link.ply").symlink_to("a.ply")
    same_as_ball(read_scan(tmp_path / "link.ply"))
    (tmp_path / "broken.ply").symlink_to("gone.ply")
    with pytest.raises(ScanError, match=r"broken.ply is a link to gone.ply, which does not exist"):
        read(tmp_path / "broken.ply")
    (tmp_path / "round.ply").symlink_to("round.ply")
    with pytest.raises(ScanError, match=r"round.ply cannot be read"):
        read(tmp_path / "round.ply")


def test_pipes_and_devices_are_no_scans(tmp_path):
    os.mkfifo(tmp_path / "pipe.ply")
    (tmp_path / "zero.ply").symlink_to("/dev/zero")
    for name in ("pipe.ply", "zero.ply"):
        with pytest.raises(ScanError, match=f"{name} is not a regular file"):
            read(tmp_path / name)
    with pytest.raises(ScanError, match="cannot be read"):
        read("nul\0byte.ply")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_permission(tmp_path):
    (tmp_path / "a.ply").write_bytes(as_ply(BALL))
    (tmp_path / "a.ply").chmod(0)
    with pytest.raises(ScanError, match="Check its permissions"):
        read(tmp_path / "a.ply")


def test_a_refusal_by_the_system_is_one_sentence(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(door, "_open", refuse)
    with pytest.raises(ScanError, match=r"a.ply cannot be read \(Permission denied\)"):
        read(tmp_path / "a.ply")


@pytest.mark.parametrize("size", [0, 7, 5_000_000])
def test_a_view_of_a_file_holds_its_bytes_and_cannot_be_changed(tmp_path, size):
    path = tmp_path / "a.ply"
    path.write_bytes(np.arange(size, dtype=np.uint8).tobytes())
    view = door.file_view(path)
    assert view == door.file_bytes(path) == path.read_bytes()
    assert view.readonly


@pytest.mark.parametrize("size", [10_000, 10], ids=["longer", "shorter"])
def test_a_file_that_changes_while_it_is_read(tmp_path, monkeypatch, size):
    path = tmp_path / "a.ply"
    path.write_bytes(as_ply(BALL))
    check = door._check_kind

    def write_meanwhile(found, name):
        check(found, name)
        os.truncate(name, size)

    monkeypatch.setattr(door, "_check_kind", write_meanwhile)
    with pytest.raises(ScanError, match="changed while it was read"):
        read(path)


def test_reading_says_in_one_line_what_was_done(tmp_path):
    path = tmp_path / "a.ply"
    path.write_bytes(as_ply(Surface(BALL.points, np.vstack([BALL.triangles, BALL.triangles[:1]]))))
    with pytest.warns(GplandmarkWarning, match=r"a.ply: 1 repeated face dropped\.$") as caught:
        read(path)
    assert len(caught) == 1
    assert caught[0].filename == __file__
