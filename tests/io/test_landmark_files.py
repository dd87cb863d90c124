"""Landmark files: round trips to the last digit, foreign files, and files that are whole."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
from conftest import SMALL, specimen
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from landmark_sets import collections

from gplandmark import (
    GplandmarkWarning,
    LandmarkClass,
    LandmarkFileError,
    Landmarks,
    place,
    read_landmarks,
    write,
)
from gplandmark.io.files import check_writable, write_atomically
from gplandmark.io.landmark_formats import csv_long as table
from gplandmark.io.landmark_formats import slicer
from gplandmark.io.landmark_formats.formats import WRITABLE

every_format = pytest.mark.parametrize("extension", WRITABLE)


@pytest.mark.filterwarnings("ignore:.*has 9999 among:gplandmark.GplandmarkWarning")
@every_format
@settings(max_examples=12)
@given(collection=collections(many=False), data=st.data())
def test_files_and_records_hold_everything(tmp_path_factory, extension, collection, data):
    count = len(collection[0])
    assume(count or extension != ".wide.csv")
    vertices = st.lists(st.integers(-1, 10**9), min_size=count, max_size=count)
    variances = st.lists(st.floats(0, 1), min_size=count, max_size=count)
    classes = st.lists(st.sampled_from(LandmarkClass), min_size=count, max_size=count)
    landmarks = replace(
        collection[0],
        classes=tuple(data.draw(classes | st.just([]))),
        vertices=np.array(data.draw(vertices), dtype=np.int64),
        variances=np.array(data.draw(variances)),
    )
    path = tmp_path_factory.mktemp("files") / f"a b{extension}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)  # the tests of formats look at these
        write(landmarks, path)
    again = read_landmarks(path)
    assert np.array_equal(again.points, landmarks.points, equal_nan=True)
    assert again.classes == landmarks.classes
    assert (again.vertices == landmarks.vertices).all()
    assert (again.variances == landmarks.variances).all()
    assert again.record == landmarks.record


@every_format
def test_placed_landmarks_come_back_with_their_record(tmp_path, molar, extension):
    landmarks = place(molar, 6, settings=SMALL)
    path, beside = write(landmarks, tmp_path / f"m{extension}")
    assert beside.name == "m.record.json"
    again = read_landmarks(path)
    assert (again.points == landmarks.points).all()
    assert (again.vertices == landmarks.vertices).all()
    assert (again.variances == landmarks.variances).all()
    assert again.record == landmarks.record
    assert again.specimen == "molar-1"
    assert again.uncertainty is None


@every_format
def test_equal_runs_write_equal_bytes(tmp_path, molar, extension):
    for name in ("one", "two"):
        write(place(molar, 4, settings=SMALL), tmp_path / f"{name}{extension}")
    for suffix in (extension, ".record.json"):
        assert (tmp_path / f"one{suffix}").read_bytes() == (tmp_path / f"two{suffix}").read_bytes()


def test_the_table_has_the_promised_columns(molar):
    lines = table.text([place(molar, 3, settings=SMALL)]).splitlines()
    assert lines[0] == "specimen,landmark,x,y,z,vertex,variance,class,type,system"
    assert lines[1].startswith("molar-1,1,")
    assert len(lines) == 4


def test_markups_say_lps_and_leave_coordinates_alone(molar):
    landmarks = place(molar, 3, settings=SMALL)
    markup = json.loads(slicer.text([landmarks]))["markups"][0]
    assert (markup["type"], markup["coordinateSystem"]) == ("Fiducial", "LPS")
    assert [point["position"] for point in markup["controlPoints"]] == landmarks.points.tolist()
    assert [point["label"] for point in markup["controlPoints"]] == ["1", "2", "3"]


def test_markups_in_ras_keep_their_numbers_and_tell(tmp_path):
    markup = {"type": "Fiducial", "coordinateSystem": "RAS",
              "controlPoints": [{"label": "nasion", "position": [1.0, 2.0, 3.0]}]}  # fmt: skip
    path = tmp_path / "ras.mrk.json"
    path.write_text(json.dumps({"@schema": "x", "markups": [markup]}))
    landmarks = read_landmarks(path)
    assert landmarks.points.tolist() == [[1.0, 2.0, 3.0]]
    assert landmarks.labels == ("nasion",)
    assert landmarks.system == "RAS"


def test_a_real_markups_file():
    landmarks = read_landmarks(specimen("data/skull/CAST_EIJ.mrk.json"))
    assert landmarks.points.shape == (51, 3)
    assert (landmarks.vertices == -1).all()


def test_a_table_of_coordinates_alone_is_enough(tmp_path):
    path = tmp_path / "hand.csv"
    path.write_bytes(b"\xef\xbb\xbfX, y,Z\r\n1,2,3\r\n4e-3,5,6\r\n")
    landmarks = read_landmarks(path)
    assert landmarks.points.tolist() == [[1, 2, 3], [0.004, 5, 6]]
    assert landmarks.specimen == "hand"
    assert landmarks.labels == ("1", "2")
    assert np.isnan(landmarks.variances).all()


def test_a_record_of_other_points_is_ignored(tmp_path, molar):
    path, beside = write(place(molar, 3, settings=SMALL), tmp_path / "a.mrk.json")
    write(Landmarks.at(np.ones((3, 3)), "other"), tmp_path / "b.mrk.json")
    (tmp_path / "b.record.json").write_text(beside.read_text())
    assert (read_landmarks(tmp_path / "b.mrk.json").vertices == -1).all()
    beside.write_text("not json")
    assert len(read_landmarks(path)) == 3


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "a,b\n1,2\n", "no column x and no column y and no column z"),
        ("a.csv", "", "is empty"),
        ("a.csv", "x\n1\n", "no column y"),
        ("a.csv", "x,y,z\n1,two,3\n", "line 2 has no number in column y: 'two'"),
        ("a.csv", "x,y,z\n1,nan,3\n", "line 2 has no number"),
        ("a.csv", "x,y,z\n1,2\n", "no number in column z"),
        ("a.csv", "specimen,x,y,z\na,1,2,3\nb,1,2,3\n", "holds 2 specimens"),
        ("a.mrk.json", "{}", "not a 3D Slicer markups"),
        ("a.mrk.json", "hello", "not a 3D Slicer markups"),
        ("a.mrk.json", '{"markups": [{}, {}]}', "holds 2 markups"),
        ("a.mrk.json", '{"markups": [{"coordinateSystem": "IJK"}]}', "neither LPS nor RAS"),
        (
            "a.mrk.json",
            '{"markups": [{"controlPoints": [{"label": "x", "position": [1, 2]}]}]}',
            "position of landmark 'x' is not three numbers",
        ),
        ("a.docx", "LM3=0", "unknown landmark file extension"),
        ("a.ply", "ply", "a.ply is a mesh, not a landmark file"),
    ],
)
def test_bad_files_get_a_sentence_with_their_name(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(LandmarkFileError, match=message) as error:
        read_landmarks(path)
    assert str(path) in str(error.value)


def test_missing_and_undecodable_files(tmp_path):
    with pytest.raises(LandmarkFileError, match="no such file"):
        read_landmarks(tmp_path / "none.csv")
    (tmp_path / "latin.csv").write_bytes(b"x,y,z\n\xff\xfe,1,2\n")
    with pytest.raises(LandmarkFileError, match="cannot be read"):
        read_landmarks(tmp_path / "latin.csv")


def test_a_failed_write_leaves_everything_as_it_was(tmp_path):
    first, second = tmp_path / "a", tmp_path / "none" / "b"
    first.write_text("old")
    with pytest.raises(LandmarkFileError, match="b cannot be written"):
        write_atomically({first: "new", second: "new"})
    assert first.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_outputs_are_checked_before_the_work(tmp_path):
    with pytest.raises(LandmarkFileError, match="there is no folder"):
        check_writable(tmp_path / "none" / "a.csv")
    with pytest.raises(LandmarkFileError, match="is a folder"):
        check_writable(tmp_path)
    check_writable(tmp_path / "a.csv")
