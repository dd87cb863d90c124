"""Formats of scans as some programs write them: each file holds the same mesh as its plain form."""

import hashlib
import io
import json
import struct
import sys

import numpy as np
import pytest
import trimesh
from vtk_files import polydata, write_legacy

from gplandmark import ScanError, read
from gplandmark.io.scans import as_ply, read_scan, vertex_properties
from gplandmark.mesh.synthetic import sphere

BALL = sphere(2).surface
MESH = trimesh.Trimesh(BALL.points, BALL.triangles, process=False)
MARK = b"\xef\xbb\xbf"
BINARY = MESH.export(file_type="stl")


def text_vtk():
    corners = "".join(f"3 {a} {b} {c}\n" for a, b, c in BALL.triangles.tolist())
    return (
        "# vtk DataFile Version 3.0\nball\nASCII\nDATASET POLYDATA\n"
        f"POINTS {len(BALL.points)} double\n{numbers(BALL.points)}\n"
        f"POLYGONS {len(BALL.triangles)} {4 * len(BALL.triangles)}\n{corners}"
    ).encode()


def binary_vtk(points=BALL.points, title="ball", fields=b""):
    rows = np.column_stack([np.full(len(BALL.triangles), 3), BALL.triangles]).astype(">i4")
    return (
        f"# vtk DataFile Version 3.0\n{title}\nBINARY\nDATASET POLYDATA\n".encode()
        + fields
        + f"POINTS {len(points)} float\n".encode()
        + points.astype(">f4").tobytes()
        + f"\nPOLYGONS {len(rows)} {rows.size}\n".encode()
        + rows.tobytes()
    )


def numbers(points):
    return "\n".join(" ".join(map(repr, row)) for row in points.tolist())


TEXTS = {
    "a.obj": MESH.export(file_type="obj", header=None).encode().lstrip(),
    "a.off": MESH.export(file_type="off").encode(),
    "a.ply": MESH.export(file_type="ply", encoding="ascii"),
    "a.stl": MESH.export(file_type="stl_ascii").encode(),
    "a.vtk": text_vtk(),
}


def scan_of(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    return read_scan(tmp_path / name)


def same(one, two):
    np.testing.assert_array_equal(one.points, two.points)
    np.testing.assert_array_equal(one.triangles, two.triangles)


def from_standard_input(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    return read_scan("-")


# Text


def test_the_files_begin_with_what_counts():
    assert TEXTS["a.obj"].startswith(b"v ")  # and a mark would hide the first vertex
    assert TEXTS["a.off"].startswith(b"OFF")


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
@pytest.mark.parametrize("name", TEXTS)
def test_lines_may_end_as_anywhere(tmp_path, monkeypatch, name, end):
    plain = scan_of(tmp_path, name, TEXTS[name])
    content = TEXTS[name].replace(b"\n", end)
    same(scan_of(tmp_path, name, content), plain)
    same(from_standard_input(monkeypatch, content), plain)


@pytest.mark.parametrize("name", [*TEXTS, "binary.ply", "binary.vtk", "a.xyz"])
def test_a_mark_before_text_is_no_part_of_it(tmp_path, monkeypatch, name):
    more = {
        "binary.ply": as_ply(BALL),
        "binary.vtk": binary_vtk(),
        "a.xyz": numbers(BALL.points).encode(),
    }
    content = {**TEXTS, **more}[name]
    plain = scan_of(tmp_path, name, content)
    marked = scan_of(tmp_path, name, MARK + content)
    assert np.array_equal(marked.points, plain.points)
    assert np.array_equal(marked.triangles, plain.triangles)
    assert marked.source.sha256 == hashlib.sha256(MARK + content).hexdigest()
    again = from_standard_input(monkeypatch, MARK + content)
    assert np.array_equal(again.points, plain.points)


def test_a_mark_alone_is_an_empty_file(tmp_path):
    with pytest.raises(ScanError, match=r"a\.obj is empty"):
        scan_of(tmp_path, "a.obj", MARK + b"\r\n")


def test_properties_of_vertices_behind_a_mark_and_lines_of_any_end(tmp_path):
    plain = TEXTS["a.ply"]
    for name, content in (("a.ply", plain), ("b.ply", MARK + plain.replace(b"\n", b"\r"))):
        (tmp_path / name).write_bytes(content)
    found = vertex_properties(tmp_path / "b.ply")
    np.testing.assert_array_equal(found["x"], vertex_properties(tmp_path / "a.ply")["x"])


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_obj_lines_that_go_on_lose_no_corners(tmp_path, end):
    lines = [b"v 0 0 \\", b"0", b"v 1 0 0", b"v 1 1 0", b"v 0 1 0", b"f 1 2 3 \\", b" 4", b""]
    scan = scan_of(tmp_path, "a.obj", end.join(lines))
    assert scan.points.tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    assert scan.triangles.tolist() == [[0, 1, 2], [0, 2, 3]]


@pytest.mark.parametrize("first", [b"\n", b"\x00", b"\r"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_the_header_of_a_binary_ply_takes_no_byte_of_the_data(tmp_path, end, first):
    header = as_ply(BALL)[: as_ply(BALL).index(b"end_header\n") + 11]
    body = bytearray(as_ply(BALL)[len(header) :])
    body[:1] = first
    scan = scan_of(tmp_path, "a.ply", header.replace(b"\n", end) + body)
    assert scan.points.tobytes() == bytes(body)[: scan.points.nbytes]
    np.testing.assert_array_equal(scan.triangles, BALL.triangles)


@pytest.mark.parametrize("name", ["a.obj", "a.off", "a.ply", "a.xyz"])
def test_nan_of_windows_is_no_comment(tmp_path, name):
    points = ["1.#IND 0 0", "0 -1.#QNAN0 0", "0 0 1.#QNAN", "0 0 -1.#INF00", "0 0 1", "1 0 0"]
    face = "{} 3 4 5".format("f" if name == "a.obj" else 3)
    ply = "ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\n"
    ply += "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
    text = {
        "a.obj": "".join(f"v {each} # so\n" for each in points) + face,
        "a.off": "OFF # 1.#IND\n6 1 0\n" + " # so\n".join([*points, face]),
        "a.ply": ply + "\n".join([*points, face]),
        "a.xyz": " # so\n".join(points),
    }[name]
    scan = scan_of(tmp_path, name, text.encode())
    expected = [[np.nan, 0, 0], [0, np.nan, 0], [0, 0, np.nan], [0, 0, -np.inf], [0, 0, 1]]
    np.testing.assert_array_equal(scan.points, [*expected, [1, 0, 0]])


# STL


def solid(content, name=b"solid of some program"):
    return name.ljust(80) + content[80:]


@pytest.mark.parametrize("behind", [b"", b"some program's own", b"\nfacet normal\n"])
@pytest.mark.parametrize("head", [b"solid", b"SOLID facet", MARK + b"solid", MARK, b"ply to stl"])
def test_binary_stl_may_begin_and_end_with_anything(tmp_path, monkeypatch, head, behind):
    plain = scan_of(tmp_path, "a.stl", BINARY)
    content = solid(BINARY, head) + behind
    same(scan_of(tmp_path, "b.stl", content), plain)
    same(from_standard_input(monkeypatch, content), plain)


def test_binary_stl_that_is_cut_short_is_no_text(tmp_path):
    with pytest.raises(ScanError, match="cut short: it declares 320 triangles"):
        scan_of(tmp_path, "a.stl", solid(BINARY)[:-20])


# The standard input


def test_numbers_in_binary_stl_are_no_vertices_of_obj(monkeypatch, tmp_path):
    for behind in (b"", b"more"):
        content = BINARY[:40] + b"\nv 1 2 3\n" + BINARY[49:100] + b"\nv 1 2 3\n" + BINARY[109:]
        expected = scan_of(tmp_path, "a.stl", content)
        assert len(expected.triangles) == len(BALL.triangles)
        same(from_standard_input(monkeypatch, content + behind), expected)


@pytest.mark.parametrize("before", ["# a ball\n", "\n# 1 2 3\r\n  # v 1 2 3\n\n"])
@pytest.mark.parametrize("name", ["a.off", "a.obj"])
def test_comments_may_stand_before_everything(monkeypatch, tmp_path, name, before):
    content = before.encode() + TEXTS[name]
    same(from_standard_input(monkeypatch, content), scan_of(tmp_path, name, content))


@pytest.mark.parametrize("content", [b"\n" * 65_536, b" \t" * 40_000 + b"x", b"#\n" * 40_000])
def test_what_is_nothing_is_soon_known(monkeypatch, content):
    with pytest.raises(ScanError, match="no format"):
        from_standard_input(monkeypatch, content)


def test_a_vtk_file_with_any_title_is_one(monkeypatch, tmp_path):
    content = binary_vtk(title="OFF")
    same(from_standard_input(monkeypatch, content), scan_of(tmp_path, "a.vtk", content))


# VTK


@pytest.mark.parametrize("title", ["ball", "converted from ascii STL", "ASCII", "", "BINARY"])
def test_the_title_of_a_vtk_file_changes_no_data(tmp_path, title):
    points = BALL.points.copy()
    points[0, 0] = np.frombuffer(b"\x40\x0d\x0a\x40", ">f4")[0]  # the end of a line, by chance
    scan = scan_of(tmp_path, "a.vtk", binary_vtk(points, title))
    np.testing.assert_array_equal(scan.points, points.astype("f4"))
    np.testing.assert_array_equal(scan.triangles, BALL.triangles)


LONG = (1, 63, 64, 16_383, 16_384, 70_000)  # where the number of characters takes more bytes


@pytest.mark.parametrize("version", [42, 51])
@pytest.mark.parametrize("binary", [False, True])
def test_fields_of_strings_are_passed_over(tmp_path, version, binary):
    vtk, data = polydata(BALL)
    words = vtk.vtkStringArray()
    words.SetName("SPACE")
    for word in ("RAS", "", "POINTS 4 float", "two\nlines", "zähne", *("x" * n for n in LONG)):
        words.InsertNextValue(word)
    pairs, times = vtk.vtkStringArray(), vtk.vtkDoubleArray()
    pairs.SetName("pairs of words")
    pairs.SetNumberOfComponents(2)
    for word in ("a", "b", "c", "d"):
        pairs.InsertNextValue(word)
    times.SetName("time")  # before another name in small letters
    times.SetComponentName(0, "seconds")  # which adds metadata
    times.InsertNextValue(1.5)
    for field in (times, words, pairs):
        data.GetFieldData().AddArray(field)
    write_legacy(vtk, data, tmp_path / "a.vtk", version, binary=binary)
    assert b"SPACE 1 11 string" in (tmp_path / "a.vtk").read_bytes()
    scan = read_scan(tmp_path / "a.vtk")
    np.testing.assert_allclose(scan.points, BALL.points, rtol=0, atol=0 if binary else 1e-9)
    np.testing.assert_array_equal(scan.triangles, BALL.triangles)


@pytest.mark.parametrize(
    ("field", "message"),
    [
        (b"a 1 1 string\n" + struct.pack(">Q", 2**61), "declares .* characters"),
        (b"a 1 1 string\n" + struct.pack(">I", 2**30 + 2**29), "declares .* characters"),
        (b"a 1000000 1000000 string\n", "declares 1,000,000,000,000 strings"),
        (b"a 1 -1 string\n", "declares -1 strings"),
        (b"a 1 1 variant\n", "numbers of the kind 'variant'"),
    ],
)
def test_strings_that_cannot_be_are_refused(tmp_path, field, message):
    with pytest.raises(ScanError, match=message):
        scan_of(tmp_path, "a.vtk", binary_vtk(fields=b"FIELD FieldData 1\n" + field))


# GLTF


def gltf(folder, rename):
    """Write a scene whose buffers have other names in the scene than in the folder."""
    files = trimesh.Scene(MESH).export(file_type="gltf")
    tree = json.loads(files.pop("model.gltf"))
    for number, each in enumerate(tree["buffers"]):
        content = files[each["uri"]]
        each["uri"], name = rename(number)
        if name is not None:
            (folder / name).write_bytes(content)
    (folder / "a.gltf").write_text(json.dumps(tree))
    return folder / "a.gltf"


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("my%20mesh%20{}.bin", "my mesh {}.bin"),
        ("my mesh {}.bin", "my mesh {}.bin"),
        ("z%C3%A4hne%20{}.bin", "z\u00e4hne {}.bin"),
        ("100%25{}.bin", "100%{}.bin"),
        ("my%20mesh%20{}.bin", "my%20mesh%20{}.bin"),  # as no program should
    ],
)
def test_names_of_buffers_may_be_escaped(tmp_path, uri, name):
    scan = read_scan(gltf(tmp_path, lambda number: (uri.format(number), name.format(number))))
    np.testing.assert_allclose(scan.points, BALL.points, atol=1e-6)
    np.testing.assert_array_equal(scan.triangles, BALL.triangles)


@pytest.mark.parametrize(
    "uri",
    [
        "../b{}.bin", "..%2fb{}.bin", "%2e%2e/b{}.bin", "%2E%2E%2Fb{}.bin", "..%5Cb{}.bin",
        "in/%2e%2e/../b{}.bin", "%2fetc%2fb{}.bin", "file%3A///b{}.bin", "c%3ab{}.bin",
        "b{}.bin%00", "%5cb{}.bin",
    ],
)  # fmt: skip
def test_names_that_lead_elsewhere_are_refused_whatever_their_spelling(tmp_path, uri):
    (tmp_path / "in").mkdir()
    for number in range(2):
        (tmp_path / f"b{number}.bin").write_bytes(bytes(100_000))
    path = gltf(tmp_path / "in", lambda number: (uri.format(number), None))
    with pytest.raises(ScanError, match="which does not lie beside it"):
        read(path)


# --- ascii STL that is cut short


def facets(text, count):
    """The text up to the end of so many facets."""
    parts = text.split("endfacet")
    return "endfacet".join(parts[:count]) + "endfacet\n"


def test_ascii_stl_that_is_cut_between_facets_is_refused(tmp_path):
    text = TEXTS["a.stl"].decode()
    half = len(BALL.triangles) // 2
    with pytest.raises(ScanError, match=f"cut short: after {half:,} facets the line 'endsolid'"):
        scan_of(tmp_path, "a.stl", facets(text, half).encode())
    with pytest.raises(ScanError, match="'endsolid' is missing"):  # the second of two solids is cut
        scan_of(tmp_path, "b.stl", (text + "\n" + facets(text, half)).encode())


@pytest.mark.parametrize(
    "end", ["endsolid", "ENDSOLID a vertex 1 2 3", "  end solid ball", "endsolid\r"]
)
def test_ascii_stl_may_end_as_programs_write_it(tmp_path, end):
    text = facets(TEXTS["a.stl"].decode(), len(BALL.triangles))
    whole = scan_of(tmp_path, "a.stl", TEXTS["a.stl"])
    same(scan_of(tmp_path, "b.stl", (text + end).encode()), whole)
