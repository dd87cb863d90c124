"""Readers of scans on bytes that no program should have written."""

import gzip
import json
import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gplandmark import ScanError
from gplandmark.io.scans import as_ply, read_cleaned
from gplandmark.io.scans.file_bytes import guess_extension
from gplandmark.mesh.synthetic import sphere

BALL = sphere(1).surface
MESH = trimesh.Trimesh(BALL.points, BALL.triangles, process=False)
MANY = 10**12


def as_bytes(content):
    return content if isinstance(content, bytes) else content.encode()


def as_vtk(binary):
    head = (
        f"# vtk DataFile Version 3.0\nball\n{'BINARY' if binary else 'ASCII'}\nDATASET POLYDATA\n"
    )
    rows = np.column_stack([np.full(len(BALL.triangles), 3), BALL.triangles])
    if binary:
        parts = BALL.points.astype(">f8").tobytes(), rows.astype(">i4").tobytes()
    else:
        parts = tuple(" ".join(map(str, each.ravel().tolist())).encode() for each in
                      (BALL.points, rows))  # fmt: skip
    points = f"POINTS {len(BALL.points)} double\n".encode() + parts[0]
    return head.encode() + points + f"\nPOLYGONS {len(rows)} {rows.size}\n".encode() + parts[1]


def as_vtp():
    def array(name, values, kind):
        text = " ".join(map(str, np.ravel(values).tolist()))
        return f'<DataArray Name="{name}" type="{kind}" format="ascii">{text}</DataArray>'

    ends = 3 * np.arange(1, len(BALL.triangles) + 1)
    return (
        '<VTKFile type="PolyData" byte_order="LittleEndian"><PolyData><Piece '
        f'NumberOfPoints="{len(BALL.points)}" NumberOfPolys="{len(ends)}"><Points>'
        f"{array('Points', BALL.points, 'Float64')}</Points><Polys>"
        f"{array('connectivity', BALL.triangles, 'Int64')}{array('offsets', ends, 'Int64')}"
        "</Polys></Piece></PolyData></VTKFile>"
    ).encode()


MARK = b"\xef\xbb\xbf"
STRINGS = b"FIELD FieldData 2\ntime 1 1 double\n" + b"0.5     " + b"\nspace 2 1 string\n"
SEEDS = {
    "binary.ply": as_ply(BALL),
    "text.ply": as_bytes(MESH.export(file_type="ply", encoding="ascii")),
    "ball.obj": as_bytes(MESH.export(file_type="obj")),
    "ball.off": as_bytes(MESH.export(file_type="off")),
    "binary.stl": as_bytes(MESH.export(file_type="stl")),
    "text.stl": as_bytes(MESH.export(file_type="stl_ascii")),
    "ball.glb": as_bytes(MESH.export(file_type="glb")),
    "text.vtk": as_vtk(False),
    "binary.vtk": as_vtk(True),
    "fields.vtk": as_vtk(False).replace(b"POINTS", STRINGS + b"RAS\n\nPOINTS", 1),
    "strings.vtk": as_vtk(True).replace(b"POINTS", STRINGS + b"\xc3RAS\x80\x02ab\nPOINTS", 1),
    "ends.ply": MARK
    + as_bytes(MESH.export(file_type="ply", encoding="ascii")).replace(b"\n", b"\r"),
    "marked.obj": MARK + as_bytes(MESH.export(file_type="obj")).replace(b"f ", b"f \\\r\n"),
    "trailing.stl": b"solid".ljust(80) + as_bytes(MESH.export(file_type="stl"))[80:] + b"more",
    "ball.vtp": as_vtp(),
    "ball.ply.gz": gzip.compress(as_ply(BALL), mtime=0),
}


def attempt(path: Path, content: bytes) -> bool:
    """Read the bytes; anything but a surface or a ScanError is a failure of the test."""
    path.write_bytes(content)
    try:
        surface = read_cleaned(path).surface
    except ScanError:
        return False
    assert np.isfinite(surface.points).all()
    return True


@pytest.mark.parametrize("name", [name for name in SEEDS if not name.endswith(".gz")])
def test_whole_files_are_known_without_their_names(name):
    assert guess_extension(SEEDS[name]) == Path(name).suffix


@pytest.mark.parametrize("name", SEEDS)
def test_whole_files_are_read(tmp_path, name):
    assert attempt(tmp_path / name, SEEDS[name])


@pytest.mark.parametrize("name", SEEDS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_bytes(tmp_path, name, data):
    content = bytearray(SEEDS[name])
    if data.draw(st.booleans()):
        content = content[: data.draw(st.integers(0, len(content) - 1))]
    for _ in range(data.draw(st.integers(0, 6)) if content else 0):
        where = data.draw(
            st.integers(0, min(len(content), 400) - 1) | st.integers(0, len(content) - 1)
        )
        content[where] = data.draw(st.integers(0, 255))
    attempt(tmp_path / name, bytes(content))


@pytest.mark.parametrize(
    "extension", ["ply", "obj", "stl", "off", "vtk", "vtp", "glb", "gltf", "ply.gz"]
)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=400))
@example(b"\x00")
@example(b"OFF 4 4 0 0 0 0")
@example(b"f 1 2 3")
@example(b"v 1 2\nv a b c")
def test_any_bytes(tmp_path, extension, content):
    magic = {"ply": b"ply\nformat ascii 1.0\n", "vtk": b"# vtk DataFile Version 3.0\nx\nASCII\n",
             "glb": b"glTF\x02\x00\x00\x00", "gltf": b"{", "off": b"OFF"}  # fmt: skip
    attempt(tmp_path / f"a.{extension}", content)
    attempt(tmp_path / f"a.{extension}", magic.get(extension, b"") + content)


def glb(tree):
    text = json.dumps(tree).encode().ljust(8)
    return struct.pack("<4sIIII", b"glTF", 2, 20 + len(text), len(text), 0x4E4F534A) + text


HOSTILE = {
    "vertices.ply": b"ply\nformat binary_little_endian 1.0\nelement vertex %d\n"
    b"property float x\nproperty float y\nproperty float z\nend_header\n" % MANY,
    "text.ply": b"ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\n"
    b"property float z\nend_header\n1 2 3\n" % MANY,
    "bare.ply": b"ply\nformat ascii 1.0\nelement vertex %d\nend_header\n" % MANY,
    "list.ply": b"ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\n"
    b"property float y\nproperty float z\nelement face 1\n"
    b"property list uint int vertex_indices\nend_header\n" + bytes(12) + b"\xff\xff\xff\x7f" * 3,
    "a.off": b"OFF\n%d %d 0\n0 0 0\n" % (MANY, MANY),
    "faces.off": b"OFF\n1 %d 0\n0 0 0\n" % MANY,
    "corners.off": b"OFF\n1 1 0\n0 0 0\n%d 0 0 0\n" % MANY,
    "digits.off": b"OFF\n" + b"9" * 5000 + b" 1 0\n0 0 0\n",
    "a.stl": bytes(80) + b"\xff\xff\xff\xff" + bytes(50),
    "a.obj": b"v 0 0 0\nf 1 %d 3\n" % MANY,
    "digits.obj": b"v 0 0 0\nf 1 2 " + b"9" * 6000 + b"\n",
    "a.vtk": b"# vtk DataFile Version 3.0\nx\nBINARY\nDATASET POLYDATA\nPOINTS %d float\n" % MANY,
    "cells.vtk": b"# vtk DataFile Version 5.1\nx\nASCII\nDATASET POLYDATA\nPOINTS 1 float\n0 0 0\n"
    b"POLYGONS 2 3\nOFFSETS vtktypeint64\n0 %d\nCONNECTIVITY vtktypeint64\n0 0 0\n" % MANY,
    "fields.vtk": b"# vtk DataFile Version 5.1\nx\nASCII\nDATASET POLYDATA\nFIELD f %d\n" % MANY,
    "strings.vtk": b"# vtk DataFile Version 5.1\nx\nASCII\nDATASET POLYDATA\nFIELD f 1\n"
    b"a 1 %d string\n" % MANY,
    "words.vtk": b"# vtk DataFile Version 5.1\nx\nBINARY\nDATASET POLYDATA\nFIELD f 1\n"
    b"a 1 1 string\n\x3f" + b"\xff" * 7,
    "laughs.vtp": b'<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;">]><VTKFile>&c;</VTKFile>',
    "bomb.vtp": b'<VTKFile type="PolyData" compressor="vtkZLibDataCompressor"><PolyData><Piece>'
    b'<Points><DataArray type="Float32" format="binary">/////////////////////w==</DataArray>'
    b"</Points></Piece></PolyData></VTKFile>",
    "a.glb": glb({"asset": {"version": "2.0"}, "accessors": [
        {"count": MANY, "componentType": 5126, "type": "VEC3"}]}),
    "far.gltf": json.dumps({"asset": {"version": "2.0"},
                            "buffers": [{"uri": "../../etc/passwd", "byteLength": 9}]}).encode(),
    "device.gltf": json.dumps({"asset": {"version": "2.0"},
                               "buffers": [{"uri": "/dev/zero", "byteLength": 9}]}).encode(),
    "deep.gltf": b"[" * 100_000,
    "bomb.ply.gz": gzip.compress(bytes(60_000_000)),
}  # fmt: skip


def test_positions_that_are_no_points_are_refused(tmp_path):  # found by scripts/fuzz
    wrong = SEEDS["ball.glb"].replace(b'"POSITION":1', b'"POSITION":0')
    (tmp_path / "wrong.glb").write_bytes(wrong)
    with pytest.raises(ScanError, match="not points in space"):
        read_cleaned(tmp_path / "wrong.glb")


@pytest.mark.parametrize("name", HOSTILE)
def test_counts_that_no_file_can_hold_are_refused_at_once(tmp_path, name):
    attempt(tmp_path / "warm.glb", SEEDS["ball.glb"])  # imports are not the reader's memory
    tracemalloc.start()
    try:
        assert not attempt(tmp_path / name, HOSTILE[name])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100_000_000
