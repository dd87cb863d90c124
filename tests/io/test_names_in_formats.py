"""Names that a format would make one stay two, and it is said."""

import json

import numpy as np
import pytest
from commands import run

from gplandmark import GplandmarkWarning, Landmarks, read_landmarks
from gplandmark.io.formatting import kept_names
from gplandmark.io.landmark_files import read_collection
from gplandmark.io.landmark_formats.formats import JOINT
from gplandmark.io.write_landmarks import folder_contents, write_collection

POINTS = np.arange(12.0).reshape(4, 3) ** 2
NAMES = ("a b", "a_b", "a_b-2", "a\tb", "c")


def collection(names=NAMES):
    return [Landmarks.at(POINTS + 5 * i, name) for i, name in enumerate(names)]


@pytest.mark.parametrize("extension", JOINT)
def test_specimens_stay_apart_in_every_format(tmp_path, extension):
    path = tmp_path / f"all{extension}"
    with pytest.warns(GplandmarkWarning) as caught:
        _, record = write_collection(collection(), path)
    record.unlink()
    found = read_collection(path)
    assert len({each.specimen for each in found}) == len(NAMES)
    for given, each in zip(collection(), found, strict=True):
        np.testing.assert_array_equal(each.points, given.points)
    said = [str(each.message) for each in caught]
    assert any("would make one name of" in note for note in said)


def test_names_without_a_quarrel_are_left_alone():
    with (
        pytest.warns(GplandmarkWarning, match="X cannot hold every name"),
        pytest.warns(GplandmarkWarning, match="X would make one name of 'a_b' and 'a b'"),
    ):
        kept = kept_names(["a b", "a_b", "c", "a b"], lambda name: name.replace(" ", "_"), "X")
    assert kept == ("a_b-2", "a_b", "c", "a_b-2")
    assert kept_names(["a", "a", "b"], str, "X") == ("a", "a", "b")


def test_files_of_one_name_are_said(tmp_path):
    with pytest.warns(GplandmarkWarning, match="Files of one name got numbers: 'a_b' as 'a_b-2'"):
        files = folder_contents(collection(("a b", "a_b")), tmp_path, ".csv")
    assert sorted(path.name for path in files)[::2] == ["a_b-2.csv", "a_b.csv"]


def test_planes_and_lines_of_slicer_are_said(tmp_path):
    path = tmp_path / "a.mrk.json"
    run("convert", _written(tmp_path), path)
    content = json.loads(path.read_text())
    content["markups"][0]["type"] = "Plane"
    path.write_text(json.dumps(content))
    with pytest.warns(GplandmarkWarning, match="a Plane of 3D Slicer. Its 4 control points are re"):
        assert len(read_landmarks(path)) == 4


def _written(folder):
    text = "x,y,z,system\n" + "".join(f"{x},{y},{z},LPS\n" for x, y, z in POINTS)
    (folder / "b.csv").write_text(text)
    return folder / "b.csv"
