"""The coordinate system that a mesh file tells, from its header to the landmarks placed on it."""

import json
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from click.testing import CliRunner

from gplandmark import (
    GplandmarkWarning,
    Landmarks,
    check,
    place,
    read,
    read_landmarks,
    to_system,
    write,
    write_collection,
)
from gplandmark.cli.main import cli
from gplandmark.io.start_landmarks import in_mesh_system, read_start
from gplandmark.landmarks import in_system_of
from gplandmark.landmarks.baselines import farthest_point
from gplandmark.mesh.synthetic import make_molar
from gplandmark.morphometrics.matching import match_pair
from gplandmark.morphometrics.matching.sample_landmarks import landmarks_over
from gplandmark.visual.charts.component_charts import specimen_of
from gplandmark.visual.editor import Editor

pytestmark = [
    pytest.mark.usefixtures("empty_figures"),
    pytest.mark.filterwarnings("ignore:The mesh of .* is coarse"),
]

MOLAR = make_molar(1, vertex_count=300).surface
AWAY = np.array([11.0, 17.0, 23.0])  # from the axes that turn
POINTS, FACES = MOLAR.points + AWAY, MOLAR.faces()
TAGS = {"SPACE=LPS": "LPS", "3D Slicer output. SPACE=RAS": "RAS", "": None, "SPACE=foo": None,
        "SPACE=RAS or SPACE=LPS": None}  # fmt: skip


def rows(array, before=""):
    return "".join(before + " ".join(map(repr, row)) + "\n" for row in array.tolist())


def ply(tag):
    comment = f"comment {tag}\n" if tag else ""
    return (
        f"ply\nformat ascii 1.0\n{comment}element vertex {len(POINTS)}\nproperty double x\n"
        f"property double y\nproperty double z\nelement face {len(FACES)}\n"
        f"property list uchar int vertex_indices\nend_header\n{rows(POINTS)}{rows(FACES, '3 ')}"
    )


def obj(tag):
    return f"# made by hand\n# {tag}\n\nmtllib a.mtl\n{rows(POINTS, 'v ')}{rows(FACES + 1, 'f ')}"


def stl(tag):
    facets = "".join(
        f"facet normal 0 0 0\nouter loop\n{rows(corners, 'vertex ')}endloop\nendfacet\n"
        for corners in POINTS[FACES]
    )
    return f"solid {tag}\n{facets}endsolid\n"


def binary_stl(tag):
    triangles = np.zeros(len(FACES), [("n", "<f4", 3), ("c", "<f4", (3, 3)), ("a", "<u2")])
    triangles["c"] = POINTS[FACES]
    return tag.encode().ljust(80, b"\0") + len(FACES).to_bytes(4, "little") + triangles.tobytes()


def vtk(tag):
    return (
        f"# vtk DataFile Version 4.2\n{tag}\nASCII\nDATASET POLYDATA\nPOINTS {len(POINTS)} double\n"
        f"{rows(POINTS)}POLYGONS {len(FACES)} {4 * len(FACES)}\n{rows(FACES, '3 ')}"
    )


def vtp(tag):
    codes = " ".join(str(ord(letter)) for letter in tag.partition("SPACE=")[2])
    field = f'<Array type="String" Name="SPACE" format="ascii">{codes} 0</Array>' if tag else ""
    ends = " ".join(str(3 * number) for number in range(1, len(FACES) + 1))
    return (
        f'<VTKFile type="PolyData"><PolyData><FieldData>{field}</FieldData>'
        f'<Piece NumberOfPoints="{len(POINTS)}" NumberOfPolys="{len(FACES)}">'
        f'<Points><DataArray type="Float64" NumberOfComponents="3">{rows(POINTS)}</DataArray>'
        f'</Points><Polys><DataArray type="Int64" Name="connectivity">{rows(FACES)}</DataArray>'
        f'<DataArray type="Int64" Name="offsets">{ends}</DataArray></Polys></Piece></PolyData>'
        "</VTKFile>"
    )


def mesh(folder, tag, text=ply, name="molar.ply"):
    content = text(tag)
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def run(*arguments):
    return CliRunner().invoke(cli, [str(each) for each in arguments], standalone_mode=False)


@pytest.fixture
def marked_ras(tmp_path):
    return mesh(tmp_path, "SPACE=RAS")


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize("text", [ply, obj, stl, binary_stl, vtk, vtp])
def test_every_format_tells_its_system(tmp_path, text, tag):
    path = mesh(tmp_path, tag, text, f"a.{text.__name__.removeprefix('binary_')}")
    surface = read(path)
    assert surface.system == TAGS[tag]
    assert surface.vertex_count == len(POINTS)
    np.testing.assert_allclose(surface.points.mean(axis=0), POINTS.mean(axis=0), rtol=1e-6)


def test_a_tag_among_the_vertices_is_none(tmp_path):
    path = tmp_path / "a.obj"
    path.write_text(obj("").replace("mtllib a.mtl\n", "g a\n# SPACE=RAS\n"))
    assert read(path).system is None


@pytest.mark.parametrize("text", ["82 65 83 0 x", "nan 1e300 -5", "ü", ""])
def test_a_field_in_disorder_does_not_stop_the_reader(tmp_path, text):
    path = tmp_path / "a.vtp"
    path.write_text(vtp("SPACE=RAS").replace("82 65 83 0", text), encoding="utf-8")
    assert read(path).system is None


@pytest.mark.parametrize("system", ["LPS", "RAS"])
@pytest.mark.parametrize("compressor", ["NONE", "ZLIB"])
@pytest.mark.parametrize("mode", ["Ascii", "Binary", "Appended"])
def test_vtp_as_the_library_writes_it(tmp_path, system, mode, compressor):
    library = pytest.importorskip("vtk")
    reader = library.vtkPLYReader()
    reader.SetFileName(str(mesh(tmp_path, "")))
    reader.Update()
    array = library.vtkStringArray()
    array.SetName("SPACE")
    array.InsertNextValue(system)
    data = reader.GetOutput()
    data.GetFieldData().AddArray(array)
    writer = library.vtkXMLPolyDataWriter()
    getattr(writer, f"SetDataModeTo{mode}")()
    writer.SetCompressorType(getattr(library.vtkXMLWriter, compressor))
    writer.SetInputData(data)
    writer.SetFileName(str(tmp_path / "a.vtp"))
    writer.Write()
    assert read(tmp_path / "a.vtp").system == system


@pytest.mark.parametrize("extension", [".mrk.json", ".fcsv", ".csv"])
@pytest.mark.parametrize("system", ["LPS", "RAS"])
def test_placed_landmarks_are_marked_as_the_mesh(tmp_path, system, extension):
    path, output = mesh(tmp_path, f"SPACE={system}"), tmp_path / f"a{extension}"
    assert run("place", path, "-n", 4, "-o", output).exit_code == 0
    landmarks = read_landmarks(output)
    assert landmarks.system == system
    assert (landmarks.points == POINTS[landmarks.vertices]).all()
    assert landmarks.record.input["system"] == system
    assert check(read(path), landmarks).fits


def test_a_mesh_marked_lps_is_as_one_without_a_tag(tmp_path):
    files = []
    for number, tag in enumerate(["", "SPACE=LPS"]):
        output = tmp_path / f"{number}.mrk.json"
        assert run("place", mesh(tmp_path, tag), "-n", 4, "-o", output).exit_code == 0
        files.append(output.read_bytes())
    assert files[0] == files[1]


def test_landmarks_of_a_mesh_without_a_tag_tell_no_system(tmp_path):
    landmarks = place(read(mesh(tmp_path, "")), 3)
    assert landmarks.system is None
    assert landmarks.record.input["system"] is None


def test_landmarks_of_other_samplers_are_marked_too(marked_ras):
    assert farthest_point(read(marked_ras), 3).system == "RAS"


def test_check_compares_with_the_mesh(tmp_path, marked_ras):
    ras = replace(Landmarks.at(POINTS[::30], "molar"), system="RAS")
    lps = to_system(ras, "LPS")
    wrong = replace(ras, system="LPS")
    answers = []
    for number, each in enumerate([ras, lps, wrong]):
        write(each, tmp_path / f"{number}.mrk.json")
        answers.append(run("check", marked_ras, tmp_path / f"{number}.mrk.json"))
    assert [each.return_value for each in answers] == [0, 0, 1]
    assert all("the mesh is marked RAS" in each.output for each in answers)
    assert "They fit: the median" in answers[0].output
    assert "They fit, converted from LPS to RAS" in answers[1].output
    assert "read as RAS: the file is wrongly marked LPS" in answers[2].output
    assert check(read(marked_ras), Landmarks.at(POINTS[::30], "molar")).fits
    told = json.loads(run("check", marked_ras, tmp_path / "0.mrk.json", "--json").output)
    assert (told["system"], told["mesh_system"]) == ("RAS", "RAS")


def test_landmarks_are_brought_to_the_system_of_the_mesh(tmp_path, marked_ras):
    surface = read(marked_ras)
    ras = replace(Landmarks.at(POINTS[::50], "molar"), system="RAS")
    same, notes = in_mesh_system(surface, ras, "a")
    assert (same.points == ras.points).all()
    assert notes == ()
    turned, notes = in_mesh_system(surface, to_system(ras, "LPS"), "a")
    assert (turned.points == ras.points).all()
    assert turned.system == "RAS"
    assert "a is in LPS and the scan is marked RAS" in notes[-1]
    untold, notes = in_mesh_system(surface, replace(ras, system=None), "a")
    assert (untold.points == ras.points).all()
    assert (untold.system, notes) == ("RAS", ())
    write(ras, tmp_path / "ras.fcsv")
    assert (
        read_start(tmp_path / "ras.fcsv", surface).vertices == np.arange(len(POINTS))[::50]
    ).all()


def test_landmarks_in_ras_are_turned_beside_a_mesh_without_a_tag(tmp_path):
    surface = read(mesh(tmp_path, ""))
    ras = replace(Landmarks.at(POINTS[::50], "molar"), system="RAS")
    turned, notes = in_mesh_system(surface, ras, "a")
    assert (turned.points == to_system(ras, "LPS").points).all()
    assert "the scan is taken to be in LPS" in notes[-1]
    untold = replace(ras, system=None)
    assert in_system_of(surface, untold) is untold


def test_edited_landmarks_are_marked_as_the_mesh(marked_ras):
    surface = read(marked_ras)
    lps = to_system(replace(Landmarks.at(POINTS[::50], "molar"), system="RAS"), "LPS")
    for given in (None, lps, replace(lps, points=POINTS[::50], system=None)):
        edited = Editor(surface, given).landmarks()
        assert edited.system == "RAS"
        assert (edited.points == POINTS[::50][: len(edited)]).all()


def test_carried_landmarks_are_marked_as_the_mesh_that_they_lie_on(tmp_path, marked_ras):
    plain = read(mesh(tmp_path, "", name="plain.ply"))
    given = place(plain, 5)
    carried = landmarks_over(match_pair(plain, read(marked_ras)).route, given, 2)
    assert (given.system, carried.system) == (None, "RAS")


@pytest.mark.filterwarnings("ignore::gplandmark.GplandmarkWarning")
def test_shapes_are_brought_to_the_system_of_the_mesh(tmp_path, marked_ras, random, monkeypatch):
    there = POINTS[::40]
    sets = [there + 0.1 * random.standard_normal(there.shape) for _ in range(5)]
    marked = [Landmarks.at(each, f"m{number}", system="RAS") for number, each in enumerate(sets)]
    marked[3] = to_system(Landmarks.at(there, "m3", system="RAS"), "LPS")
    write_collection(marked, tmp_path / "all.csv")
    found = []
    monkeypatch.setattr(
        import_module("gplandmark.cli.analyze"),  # the package has the command of that name
        "result_files",
        lambda outcome, *_, surface, **__: found.append(specimen_of(surface, outcome.aligned)),
    )
    run("analyze", tmp_path / "all.csv", "--surface", marked_ras, "--permutations", 9,
        "-o", tmp_path / "shapes")  # fmt: skip
    assert found == [3]


def test_joint_files_do_not_mix_systems(tmp_path):
    scans = tmp_path / "scans"
    scans.mkdir()
    mesh(scans, "SPACE=RAS", name="a.ply")
    assert run("batch", scans, "-n", 3, "-o", tmp_path / "one", "--workers", 0).exit_code == 0
    assert (tmp_path / "one" / "collection" / "landmarks.tps").is_file()
    mesh(scans, "", name="b.ply")
    with pytest.warns(GplandmarkWarning, match="distinguishes them"):
        assert run("batch", scans, "-n", 3, "-o", tmp_path / "two", "--workers", 0).exit_code == 0
    joint = tmp_path / "two" / "collection"
    assert not (joint / "landmarks.tps").exists()
    rows = (joint / "landmarks.csv").read_text().splitlines()[1:]
    assert [row.rpartition(",")[2] for row in rows] == ["RAS"] * 3 + ["LPS"] * 3


def test_inspect_tells_the_tag(tmp_path, marked_ras):
    assert "  system   RAS, as stated in the file\n" in run("inspect", marked_ras).output
    assert json.loads(run("inspect", marked_ras, "--json").output)[0]["system"] == "RAS"
    plain = mesh(tmp_path, "", name="plain.ply")
    assert "  system" not in run("inspect", plain).output
    assert json.loads(run("inspect", plain, "--json").output)[0]["system"] is None
