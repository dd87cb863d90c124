"""`gplandmark convert` as a user meets it."""

import json
import warnings

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import SMALL

from gplandmark import (
    GplandmarkError,
    GplandmarkWarning,
    LandmarkFileError,
    Landmarks,
    place,
    read_collection,
    read_landmarks,
    write,
    write_collection,
)
from gplandmark.cli.main import cli

pytestmark = pytest.mark.usefixtures("empty_figures")

POINTS = np.array([[1.5, -2.25, 3.0], [4.0, 5e-06, 6.0]])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def convert(*arguments):
    """Output of the command and its notes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        done = CliRunner().invoke(cli, ["convert", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output, " ".join(str(each.message) for each in caught)


def refused(*arguments, match):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)
        with pytest.raises(GplandmarkError, match=match):
            CliRunner().invoke(cli, ["convert", *map(str, arguments)], catch_exceptions=False)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_one_file_into_another(folder):
    write(Landmarks.at(POINTS, "a", labels=("tip", "base"), system="RAS"), "a.mrk.json")
    output, notes = convert("a.mrk.json", "b.tps")
    assert "1 specimen, 2 landmarks; coordinate system: RAS" in output
    assert "b.tps cannot hold the names of the landmarks, the coordinate system (RAS)" in notes
    assert (folder / "b.tps").read_text().startswith("LM3=2\n1.5 -2.25 3.0\n4.0 0.000005 6.0\nID=a")
    (folder / "b.record.json").unlink()
    assert (read_landmarks("b.tps").points == POINTS).all()


def test_a_folder_into_a_collection_and_back(folder):
    (folder / "teeth").mkdir()
    for number, name in enumerate(("x 1", "y/2", "z")):
        write(Landmarks.at(POINTS + number, name), folder / "teeth" / f"{number}.mrk.json")
    convert("teeth", "all.csv")
    assert [each.specimen for each in read_collection("all.csv")] == ["x 1", "y/2", "z"]
    convert(*sorted((folder / "teeth").glob("*.mrk.json")), "all.tps")
    assert len(read_collection("all.tps")) == 3
    _, notes = convert("all.csv", "back", "--each", ".pts")
    assert notes.count("cannot hold") == 1
    assert names(folder / "back") == [
        "x_1.pts", "x_1.record.json", "y_2.pts", "y_2.record.json", "z.pts", "z.record.json",
    ]  # fmt: skip
    assert (read_landmarks("back/z.pts").points == POINTS + 2).all()
    convert("all.csv", "again")
    assert (read_landmarks("again/x_1.mrk.json").points == POINTS).all()
    assert read_landmarks("again/x_1.mrk.json").specimen == "x 1"


def test_systems_and_units_change_when_asked(folder):
    write(Landmarks.at(POINTS, "a", system="LPS"), "a.mrk.json")
    output, _ = convert("a.mrk.json", "ras.mrk.json", "--to-ras")
    assert "LPS, written as RAS" in output
    turned = read_landmarks("ras.mrk.json")
    assert turned.system == "RAS"
    assert (turned.points == POINTS * [-1, -1, 1]).all()
    assert "LPS to RAS" in turned.record.warnings[0]
    convert("ras.mrk.json", "back.mrk.json", "--to-lps", "--scale", "1000")
    back = read_landmarks("back.mrk.json")
    assert (back.points == POINTS * 1000).all()
    assert "scaled by 1000.0" in back.record.warnings[-1]
    write(Landmarks.at(POINTS, "a"), "none.tps")
    assert "taken to be in LPS" in convert("none.tps", "b.fcsv", "--to-ras")[1]
    assert "marked LPS" in convert("none.tps", "c.mrk.json")[1]
    assert "marked LPS" not in convert("none.tps", "c.csv")[1]
    refused("none.tps", "d.csv", "--to-ras", "--to-lps", match="not both")


def test_a_record_travels_along(folder, molar):
    placed = place(molar, 3, settings=SMALL)
    write(placed, "a.mrk.json")
    convert("a.mrk.json", "a.tps")
    convert("a.tps", "b.csv", "-q")
    for name in ("a.mrk.json", "a.tps", "b.csv"):
        assert read_landmarks(name).record == placed.record
        assert (read_landmarks(name).vertices == placed.vertices).all()


def test_nothing_is_replaced_unasked(folder):
    write(Landmarks.at(POINTS, "a"), "a.csv")
    write(Landmarks.at(POINTS, "a"), "b.csv")
    refused("a.csv", "b.csv", match="b.csv exists. Choose another name, or use --overwrite")
    refused("a.csv", "b.tps", "--scale", "2", match="b.record.json is about other landmarks")
    assert names(folder) == ["a.csv", "a.record.json", "b.csv", "b.record.json"]
    assert convert("a.csv", "b.csv", "--scale", "2", "--overwrite", "-q") == ("", "")
    assert (read_landmarks("b.csv").points == 2 * POINTS).all()


def test_what_cannot_be_converted(folder):
    write_collection([Landmarks.at(POINTS + i, f"s{i}") for i in range(2)], "two.tps")
    refused("two.tps", "one.mrk.json", match="holds one specimen, but there are 2")
    refused("two.tps", "one.pp", match="only read")
    refused("two.tps", "one.docx", match="unknown landmark file extension")
    refused("none.tps", "one.csv", match="no such file")
    refused(".", "one.csv", "--scale", "0", match="scale must be a positive number")
    refused("two.tps", "one.csv", "--scale", "nan", match="scale must be a positive number")
    refused("two.tps", "none/one.csv", match="there is no folder")
    refused("two.tps", "two.tps", "--each", ".csv", match="is a file")
    assert names(folder) == ["two.record.json", "two.tps"]
    markup = {"controlPoints": [{"position": [1, 2, 3]}], "coordinateSystem": "RAS"}
    (folder / "ras.mrk.json").write_text(json.dumps({"markups": [markup]}))
    write(Landmarks.at(POINTS, "a", system="LPS"), "lps.mrk.json")
    refused("ras.mrk.json", "lps.mrk.json", "both.tps", match="some in RAS")


def test_formats_that_are_only_read_are_not_offered_for_writing(tmp_path):
    one = Landmarks.at(np.eye(3), "a")
    with pytest.raises(LandmarkFileError, match=r"Use one of .*\.tps") as caught:
        write(one, tmp_path / "a.docx")
    assert "only read" not in str(caught.value)
    with pytest.raises(LandmarkFileError, match="only read"):
        read_landmarks(tmp_path / "a.docx")


def test_a_file_of_several_specimens_tells_how_to_split_it(tmp_path):
    write_collection([Landmarks.at(np.eye(3), name) for name in "ab"], tmp_path / "all.tps")
    words = r"Split it with 'gplandmark convert .*all.tps separate --each .mrk.json'"
    with pytest.raises(LandmarkFileError, match=words):
        read_landmarks(tmp_path / "all.tps")


@pytest.mark.parametrize(
    "name",
    ["analyze", "batch", "convert", "pairs", "picture", "place", "share", "study", "view"],
)
def test_every_command_that_replaces_files_has_both_names_of_the_option(name):
    options = [option for each in cli.get_command(None, name).params for option in each.opts]
    assert {"--overwrite", "--force"} <= set(options)
