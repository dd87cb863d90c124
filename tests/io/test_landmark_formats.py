"""Every landmark format: round trips, independent readers, foreign and hostile files."""

import json
import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import readers_in_r as r
from conftest import specimen
from foreign_files import (
    AMIRA,
    CHECKPOINT,
    DTA,
    FIDUCIALS,
    LANDMARK_ROWS,
    LONG,
    MARKUPS,
    MORPHOJ,
    MORPHOLOGIKA,
    NTS,
    PAIRED,
    PICKED,
    PTS,
    SAMS,
    TPS,
)
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from landmark_sets import collections, ordinary

from gplandmark import (
    GplandmarkWarning,
    LandmarkFileError,
    Landmarks,
    read_collection,
    read_landmarks,
    to_system,
    write,
    write_collection,
)
from gplandmark.io import landmark_formats
from gplandmark.io.formatting import are_numbers, digits, one_line
from gplandmark.io.landmark_files import folder_files, read_files
from gplandmark.io.landmark_formats.formats import FORMATS, WRITABLE
from gplandmark.io.scans import is_scan
from gplandmark.io.scans.point_tables import POINT_READERS
from gplandmark.io.write_landmarks import contents, folder_contents

UNEVEN = (".csv", ".tps")  # formats whose specimens may differ in their number of landmarks
quick = settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
extension = pytest.mark.parametrize("extension", WRITABLE)


def texts(collection, path):
    """Text of the file alone, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        content = contents(collection, Path(path))[Path(path)]
    return content, [str(each.message) for each in caught]


def same_points(one, other):
    return np.array_equal(one.points, other.points, equal_nan=True)


lone_codes = pytest.mark.filterwarnings("ignore:.*has 9999 among:gplandmark.GplandmarkWarning")


@lone_codes
@extension
@quick
@given(data=st.data())
def test_round_trip(extension, data):
    chosen = FORMATS[extension]
    collection = data.draw(collections(many=chosen.holds_many, even=extension not in UNEVEN))
    system = data.draw(st.sampled_from([None, "LPS", "RAS"]))
    collection = [replace(each, system=system) for each in collection]
    assume(extension not in (".csv", ".wide.csv") or all(len(each) for each in collection))
    assume(len({one_line(each.specimen) for each in collection}) == len(collection))
    content, notes = texts(collection, f"a{extension}")
    again = chosen.parse(content, "a")
    renamed = any("cannot hold every name" in note for note in notes)
    for before, after in zip(collection, again, strict=True):
        assert same_points(before, after)
        assert after.specimen == before.specimen or renamed or not chosen.holds_many
        check_system(extension, before, after, notes)
        check_kinds(extension, before, after, notes)
        check_labels(extension, before, after, notes)


def check_system(extension, before, after, notes):
    if "system" in FORMATS[extension].keeps:
        assert after.system == (before.system or FORMATS[extension].default_system)
    else:
        assert after.system is None
        assert bool(before.system) == any("the coordinate system" in note for note in notes)


def check_kinds(extension, before, after, notes):
    kinds = before.kinds or ("",) * len(before)
    if extension == ".pts":  # every landmark is a single point or not
        assert after.kinds == tuple("semi" if kind == "semi" else "fixed" for kind in kinds)
    elif "types" in FORMATS[extension].keeps:
        assert after.kinds == before.kinds
    else:
        assert after.kinds == ()
        assert before.kinds == () or any("which are fixed" in note for note in notes)


def check_labels(extension, before, after, notes):
    if "names" not in FORMATS[extension].keeps:
        assert are_numbers(after.labels)
        if not are_numbers(before.labels):
            assert any("the names of the landmarks" in note for note in notes)
    elif after.labels != before.labels:
        assert any("cannot hold every name" in note for note in notes)


@extension
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_endings_of_every_system(tmp_path, extension, newline):
    before = Landmarks.at(np.array([[1.5, -2.0, 1e-7], [3.0, 4.0, 5.0]]), "a")
    path, beside = write(before, tmp_path / f"a{extension}")
    beside.unlink()
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", newline.encode()))
    assert same_points(read_landmarks(path), before)


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(1e-5)
@example(5e-324)
@example(1.7976931348623157e308)
def test_digits_read_back_as_the_very_number(value):
    word = digits(value)
    assert float(word) == value
    assert "e" not in word or not 1e-20 < abs(value) < 1e20


# ------------------------------------------------------------------------- independent readers


def names_of(collection):
    return [each.specimen for each in collection]


def stacked(collection):
    return np.array([each.points for each in collection])


def equal(one, other):
    return np.array_equal(one, other, equal_nan=True)


@quick
@given(collections())
def test_geomorph_reads_our_tps(collection):
    assume(len(collection[0]))
    content, _ = texts(collection, "a.tps")
    points, names = r.geomorph_tps(content)
    assert equal(points, stacked(collection))
    assert names == names_of(FORMATS[".tps"].parse(content, "a"))


@lone_codes
@pytest.mark.parametrize("extension", [".nts", ".dta"])
@quick
@given(collection=collections(values=ordinary))
@example(
    collection=[
        Landmarks.at(np.array([[-9990.5, 0, 1], [np.nan] * 3, [-999.0, 99999.0, 2]]), "a b"),
        Landmarks.at(np.arange(9.0).reshape(3, 3), "c"),
    ]
)
def test_geomorph_reads_our_ntsys(extension, collection):
    assume(len(collection[0]))
    content, notes = texts(collection, f"a{extension}")
    if any("9999" in note and "geomorph" in note for note in notes):
        return
    points, names = r.geomorph_nts(content)
    assert equal(points, stacked(collection))
    assert names == names_of(FORMATS[extension].parse(content, "a")) or len(collection[0]) == 1


@lone_codes
@quick
@given(collections())
def test_geomorph_reads_our_morphologika(collection):
    assume(len(collection[0]))
    content, _ = texts(collection, "a.txt")
    points, names = r.geomorph_morphologika(content)
    missing = np.isnan(stacked(collection))
    assert equal(points, np.where(missing, 9999.0, stacked(collection)))
    assert names == names_of(FORMATS[".txt"].parse(content, "a"))


@quick
@given(collections(many=False))
def test_geomorph_reads_our_fiducials(collection):
    assume(len(collection[0]))
    points, names = r.geomorph_fcsv(texts(collection, "a.fcsv")[0])
    assert equal(points, collection[0].points)
    assert len(set(names)) == len(names)


@lone_codes
@quick
@given(collections())
def test_morpho_reads_our_dta(collection):
    assume(len(collection[0]))
    content, _ = texts(collection, "a.dta")
    points, names = r.morpho_dta(content)
    assert equal(points, np.where(stacked(collection) == 9999, np.nan, stacked(collection)))
    assert names == names_of(FORMATS[".dta"].parse(content, "a"))


@quick
@given(collections(many=False))
def test_morpho_and_slicermorph_read_our_pts(collection):
    content, _ = texts(collection, "a.pts")
    points, names = r.morpho_pts(content)
    wanted = np.where(np.isnan(collection[0].points), 9999.0, collection[0].points)
    assert equal(points, wanted)
    assert len(set(names)) == len(names)
    assert equal(r.slicermorph_pts(content), wanted)


@quick
@given(collections())
def test_r_reads_our_wide_table(collection):
    assume(len(collection[0]))
    points, _ = r.r_wide_table(texts(collection, "a.wide.csv")[0])
    assert equal(points, stacked(collection))


def test_morpho_reads_our_markups():
    before = Landmarks.at(np.arange(6.0).reshape(2, 3), "a", labels=("nasion", "bregma"))
    points, labels, system = r.morpho_json(texts([before], "a.mrk.json")[0])
    assert equal(points, before.points)
    assert (labels, system) == (["nasion", "bregma"], "LPS")


TYPES = {"string": str, "array": list, "boolean": bool, "number": (int, float)}
POINT = {"id": "string", "label": "string", "description": "string", "associatedNodeID": "string",
         "position": "array", "orientation": "array", "selected": "boolean", "locked": "boolean",
         "visibility": "boolean", "positionStatus": "string"}  # fmt: skip


@quick
@given(collection=collections(many=False), system=st.sampled_from([None, "LPS", "RAS"]))
def test_markups_keep_to_the_schema(collection, system):
    content = json.loads(texts([replace(collection[0], system=system)], "a.mrk.json")[0])
    assert re.fullmatch(r".*markups-schema-v1\.[0-9]+\.[0-9]+\.json#*", content["@schema"])
    (markup,) = content["markups"]
    assert markup["type"] == "Fiducial"
    assert markup["coordinateSystem"] in ("LPS", "RAS")
    assert markup["coordinateUnits"] in ("mm", "um")
    for point in markup["controlPoints"]:
        assert all(isinstance(point[key], TYPES[POINT[key]]) for key in point)
        assert len(point["orientation"]) == 9
        assert point["positionStatus"] in ("undefined", "preview", "defined")
        assert ("position" in point) == (point["positionStatus"] == "defined")
        assert len(point.get("position", [0, 0, 0])) == 3
        assert point["description"] in ("", "Fixed", "Semi")


def three(missing=False):
    points = np.array([[1.25, -2.5, 3e-05], [4.0, 5.0, 6.125]])
    if missing:
        points[1] = np.nan
    return [Landmarks.at(points + i, name) for i, name in enumerate(("a", "b", "c"))]


def test_ktch_reads_our_tps(tmp_path):
    io = pytest.importorskip("ktch.io")
    path, _ = write_collection(three(), tmp_path / "all.tps")
    found = io.read_tps(path)
    assert [each.specimen_name for each in found] == ["a", "b", "c"]
    assert equal(np.array([each.landmarks for each in found]), stacked(three()))


def test_morphops_reads_our_dta(tmp_path):
    io = pytest.importorskip("morphops.io")
    path, _ = write_collection(three(), tmp_path / "all.dta")
    points, names = io.read_dta(str(path))
    assert names == ["a", "b", "c"]
    assert equal(points, stacked(three()))


def test_we_read_what_meshlab_pickedpoints_writes(tmp_path):
    pp = pytest.importorskip("meshlab_pickedpoints")
    path = tmp_path / "a.pp"
    points = [{"name": "tip", "point": [1.5, 2, 3.25]}, {"name": "base", "point": [0, 0, 1]}]
    path.write_text(pp.dumps(points).strip())
    landmarks = read_landmarks(path)
    assert landmarks.labels == ("tip", "base")
    assert landmarks.points.tolist() == [each["point"] for each in points]


# ------------------------------------------------------------------------------- foreign files

GONE = [None, None, None]


def read(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content)
    return read_collection(path)


def told(landmarks):
    points = [GONE if np.isnan(each).any() else each.tolist() for each in landmarks.points]
    return landmarks.specimen, points, landmarks.labels, landmarks.kinds, landmarks.system


def test_foreign_files_of_one_specimen(tmp_path):
    cases = {
        ("a.landmarkAscii", AMIRA): ([[1, 2, 3], [4.5, 5, -6]], ("1", "2"), (), None),
        ("a.pp", PICKED): ([[1, 2, 3], GONE], ("tip", "gone"), (), None),
        ("a.ckpt", CHECKPOINT): (
            [[1.5, 2.5, 3.5], GONE, [4, 5, 6]],
            ("nasion", "far left", "c1"),
            ("fixed", "fixed", "semi"),
            None,
        ),
        ("a.fcsv", FIDUCIALS): (
            [[1.5, -2, 3], [4, 5, 6]], ('a, "b"', "F-2"), ("semi", ""), "RAS",
        ),
        ("a.nts", LANDMARK_ROWS): ([[1, 2, 3], [4, 5, 6]], ("tip", "base"), (), None),
        ("a.pts", PTS): (
            [[1, 2, 3], [4, 5, 6], GONE], ("1", "2", "3"), ("fixed", "semi", "semi"), None,
        ),
        ("a.mrk.json", MARKUPS): (
            [[1, 2, 3], GONE, GONE], ("a", "b", "c"), ("semi", "", ""), "RAS",
        ),
    }  # fmt: skip
    for (name, content), wanted in cases.items():
        (found,) = read(tmp_path, name, content)
        assert told(found) == ("a", *wanted), name


def test_foreign_collections(tmp_path):
    cases = {
        ("a.landmarkAscii", PAIRED): [("a-1", [[1, 2, 3]]), ("a-2", [[4, 5, 6]])],
        ("a.txt", MORPHOLOGIKA): [
            ("first one", [[1, 2, 3], [4, 5, 6]]), ("second", [GONE, GONE]),
        ],
        ("a.nts", NTS): [("left", [[1, 2, 3], [4, 5, 6]]), ("right", [GONE, [7, 8, 9]])],
        ("a.dta", DTA): [("a tooth", [[1, 2, 3], [4, 5, 6]]), ("b", [[1.5, 2, 3], GONE])],
        ("a.csv", SAMS): [("m1", [[1, 2, 3], [4, 5, 6]]), ("m2", [[1, 2, 3], GONE])],
        ("a.csv", LONG): [("a", [[1, 2, 3], GONE]), ("b", [[4, 5, 6]])],
    }  # fmt: skip
    for (name, content), wanted in cases.items():
        assert [told(each)[:2] for each in read(tmp_path, name, content)] == wanted, name
    first, second = read(tmp_path, "a.csv", LONG)
    assert (first.kinds, first.system, first.labels) == (("semi", ""), "RAS", ("tip", "2"))
    assert second.system == "LPS"
    with pytest.raises(LandmarkFileError, match="holds 2 specimens"):
        read_landmarks(tmp_path / "a.csv")


def test_tps_scales_curves_and_names(tmp_path):
    with pytest.warns(GplandmarkWarning, match="multiplied by SCALE=2.0"):
        (scaled,) = read(tmp_path, "a.tps", "LM3=1\n1 2 3\nSCALE=2\n")
    assert scaled.points.tolist() == [[2, 4, 6]]
    with pytest.warns(GplandmarkWarning, match="SCALE=0.5"):
        first, second = read(tmp_path, "a.tps", TPS)
    assert told(first)[:2] == ("tooth 7", [[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    assert first.kinds == ("fixed", "fixed", "semi")
    assert told(second)[:2] == ("two", [GONE])
    with pytest.warns(GplandmarkWarning, match="outlines are left out"):
        read(tmp_path, "a.tps", "LM3=1\n1 2 3\nOUTLINES=1\nPOINTS=1\n1 2 3\n")


def test_columns_and_units_that_we_leave_are_named(tmp_path):
    with pytest.warns(GplandmarkWarning, match="left out: sex"):
        (found,) = read(tmp_path, "a.csv", MORPHOJ)
    assert told(found)[:3] == ("m1", [[1, 2, 3]], ("nasion",))
    with pytest.warns(GplandmarkWarning, match="neither fixed nor semi"):
        read(tmp_path, "a.csv", "x,y,z,type\n1,2,3,molar\n")
    with pytest.warns(GplandmarkWarning, match="'um', not mm"):
        read(tmp_path, "a.mrk.json", '{"markups": [{"coordinateUnits": "um"}]}')
    with pytest.warns(GplandmarkWarning, match="does not say its coordinate system"):
        (found,) = read(tmp_path, "a.fcsv", "id,1,2,3\n")
    assert found.system is None


# ---------------------------------------------------------------------- what cannot be written


@pytest.mark.parametrize(
    ("name", "collection", "message"),
    [
        ("a.pp", three(), "only read. Write one of"),
        ("a.mrk.json", three(), "holds one specimen, but there are 3"),
        ("a.tps", [], "no specimen"),
        ("a.txt", [*three(), Landmarks.at(np.ones((1, 3)), "d")], "same landmarks on every"),
        ("a.nts", [Landmarks.at(np.ones((1, 3)), n) for n in "ab"], "specimens of one landmark"),
        ("a.csv", [*three(), three()[0]], "two specimens are called 'a'"),
        ("a.pts", [Landmarks.at(np.full((1, 3), 9999.0), "a")], "at 9999 9999 9999"),
        ("a.tps", [replace(three()[0], system=s) for s in ("LPS", "RAS")], "some in RAS"),
        (
            "a.wide.csv",
            [three()[0], replace(three()[1], labels=("x", "y"))],
            "have different names",
        ),
    ],
)
def test_what_a_format_cannot_hold_at_all_is_refused(tmp_path, name, collection, message):
    with pytest.raises(LandmarkFileError, match=message):
        write_collection(collection, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_what_a_format_loses_is_named_and_in_the_record(tmp_path):
    before = replace(three()[0], labels=("tip", "base"), kinds=("semi", ""), system="RAS")
    with pytest.warns(GplandmarkWarning) as caught:
        path, beside = write(before, tmp_path / "a.tps")
    (note,) = {str(each.message) for each in caught}
    assert "names of the landmarks, which are fixed and which semi, the coordinate sys" in note
    assert told(read_landmarks(path)) == told(before)
    beside.unlink()
    assert told(read_landmarks(path))[2:] == (("1", "2"), (), None)


def test_a_hostile_record_is_ignored(tmp_path):
    path, beside = write(three()[0], tmp_path / "a.tps")
    good = json.loads(beside.read_text())
    for change in (
        {"vertices": ["x", 1]}, {"vertices": [10**30, 1]}, {"labels": 5}, {"kinds": [[1], [2]]},
        {"system": "IJK"}, {"points": {}}, {"labels": ["one"]}, {"variances": None},
    ):  # fmt: skip
        beside.write_text(json.dumps({**good, "landmarks": {**good["landmarks"], **change}}))
        assert told(read_landmarks(path)) == told(three()[0])
    for text in ("[]", "5", '{"specimens": 4}', '{"specimens": [1]}', "[" * 100_000, "{", ""):
        beside.write_text(text)
        assert same_points(read_landmarks(path), three()[0])


# --------------------------------------------------------------------------- coordinate systems


def test_systems_are_kept_until_somebody_asks(tmp_path):
    (ras,) = read(tmp_path, "a.fcsv", FIDUCIALS)
    assert ras.points[0].tolist() == [1.5, -2, 3]
    lps = to_system(ras, "LPS")
    assert lps.points[0].tolist() == [-1.5, 2, 3]
    assert "RAS to LPS" in lps.record.warnings[0]
    assert to_system(lps, "LPS") is lps
    assert same_points(to_system(lps, "RAS"), ras)
    with pytest.warns(GplandmarkWarning, match="taken to be in RAS"):
        assert to_system(three()[0], "LPS").system == "LPS"


# ----------------------------------------------------------------------------------- collections


@pytest.mark.filterwarnings("ignore:Files of one name got numbers")  # as some letters of Unicode
@quick
@given(collections())
def test_a_folder_holds_every_specimen(tmp_path_factory, collection):
    folder = tmp_path_factory.mktemp("folder")
    files = folder_contents(collection, folder, ".mrk.json")
    assert len(files) == 2 * len(collection)
    for path, content in files.items():
        assert path.parent == folder
        assert not path.name.startswith(".")
        path.write_text(content)
    found = {each.specimen: each for each in read_files(folder_files(folder))}
    assert found.keys() == {each.specimen for each in collection}
    for each in collection:
        assert same_points(found[each.specimen], each)


def test_a_readme_beside_landmark_files_is_none_of_them(tmp_path):
    path, _ = write(three()[0], tmp_path / "a.csv")
    (tmp_path / "readme.txt").write_text("Placed by me, in 2026.\n")
    assert folder_files(tmp_path) == [path]
    write(three()[0], tmp_path / "b.txt")
    with pytest.raises(LandmarkFileError, match=r"several formats: .csv, .txt"):
        folder_files(tmp_path)


def test_folders_that_are_not_clear(tmp_path):
    with pytest.raises(LandmarkFileError, match="no landmark file"):
        read_files(folder_files(tmp_path))
    write(three()[0], tmp_path / "a.csv")
    write(three()[0], tmp_path / "a.tps")
    with pytest.raises(LandmarkFileError, match=r"several formats: .csv, .tps"):
        read_files(folder_files(tmp_path))
    with pytest.raises(LandmarkFileError, match="cannot be read"):
        read_files(folder_files(tmp_path / "none"))


def test_a_collection_keeps_the_record_of_each_specimen(tmp_path):
    collection = [replace(each, vertices=np.array([i, 9])) for i, each in enumerate(three())]
    path, beside = write_collection(collection, tmp_path / "all.tps")
    assert [each.vertices.tolist() for each in read_collection(path)] == [[0, 9], [1, 9], [2, 9]]
    content = path.read_text().replace("4.0 5.0", "4.5 5.0")
    path.write_text(content)
    assert [each.vertices.tolist() for each in read_collection(path)] == [
        [-1, -1], [1, 9], [2, 9],
    ]  # fmt: skip
    assert beside.name == "all.record.json"


def test_a_format_is_a_module_and_a_line_in_the_table():
    folder = Path(landmark_formats.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "formats"}
    functions = [f for each in FORMATS.values() for f in (each.parse, each.text) if f is not None]
    assert {function.__module__.rpartition(".")[2] for function in functions} == modules
    assert {function.__name__ for function in functions} == {"parse", "text"}


def test_the_page_lists_every_format():
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text()
    rows = [[cell.strip() for cell in line.split("|")] for line in page.splitlines()]
    for known, each in FORMATS.items():
        tells = [each.text is not None, each.holds_many]
        tells += [what in each.keeps for what in ("names", "types", "missing", "system")]
        cells = [f"`{known}`", each.name, *("yes" if tell else "" for tell in tells)]
        assert ["", *cells, ""] in rows, known


def test_real_markups_through_every_format(tmp_path):
    skull = read_landmarks(specimen("data/skull/CAST_EIJ.mrk.json"))
    assert (skull.system, skull.kinds) == ("LPS", ())
    for known in WRITABLE:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GplandmarkWarning)
            path, beside = write(skull, tmp_path / f"skull{known}")
        beside.unlink()
        assert same_points(read_landmarks(path), skull), known


def test_landmarks_share_an_extension_only_with_tables_of_points():
    assert not any(is_scan(Path(f"a{extension}")) for extension in FORMATS)
    assert set(FORMATS) & set(POINT_READERS) == {".csv"}
