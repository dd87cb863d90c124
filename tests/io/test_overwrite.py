"""What a person wrote, and what belongs to other landmarks, is not replaced unasked."""

import json
import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, assume, given, settings
from landmark_sets import collections

from gplandmark import (
    GplandmarkWarning,
    LandmarkFileError,
    Landmarks,
    make_molar,
    read_landmarks,
    write,
)
from gplandmark.cli.main import cli
from gplandmark.errors import OverwriteError
from gplandmark.io.files import content_digest
from gplandmark.io.landmark_formats.formats import WRITABLE
from gplandmark.io.overwrite import (
    check_new,
    check_not_input,
    check_own_folder,
    check_own_landmarks,
    check_own_record,
    check_own_start,
    check_own_text,
    is_unchanged,
)
from gplandmark.io.scans import as_ply
from gplandmark.landmarks import Record

MOLAR = make_molar(2, vertex_count=600).surface
OURS = Record(input={"specimen": "tooth"}, software={"gplandmark": "0"})


def placed(count=4, **more):
    return Landmarks.at(MOLAR.points[: 9 * count : 9], "tooth", record=OURS, **more)


def rewritten(path, old, new):
    content = path.read_text()
    assert old in content
    path.write_text(content.replace(old, new, 1))


@pytest.mark.parametrize("extension", WRITABLE)
@settings(max_examples=20, suppress_health_check=[HealthCheck.filter_too_much])
@given(collection=collections(many=False))
def test_what_was_written_is_our_own_in_every_format(tmp_path_factory, extension, collection):
    """Names that a format spells in its own way, or cannot hold, make nothing foreign."""
    assume(len(collection[0]) or extension != ".wide.csv")
    landmarks = replace(collection[0], record=OURS)
    path = tmp_path_factory.mktemp("ours") / f"tooth{extension}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)
        write(landmarks, path)
        check_own_landmarks(path, "tooth")


@pytest.mark.filterwarnings("ignore:.*cannot hold:gplandmark.GplandmarkWarning")
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("a.mrk.json", '"label": "2"', '"label": "nasion"'),
        ("a.mrk.json", '"description": ""', '"description": "Fixed"'),
        ("a.fcsv", ",0,2,,", ",0,nasion,,"),
        ("a.fcsv", ",0,2,,", ",0,2,Semi,"),
        ("a.fcsv", "= LPS", "= RAS"),
        ("a.csv", "tooth,2,", "tooth,nasion,"),
        ("a.wide.csv", "LM2_X,LM2_Y,LM2_Z", "nasion_X,nasion_Y,nasion_Z"),
        ("a.pts", "S001", "C001"),
        ("a.tps", "LM3=4\n", "LM3=4\n0.5"),
    ],
)
def test_what_a_person_wrote_into_the_file_is_theirs(tmp_path, name, old, new):
    path = tmp_path / name
    write(replace(placed(), system="LPS"), path)
    check_own_landmarks(path, "tooth")
    rewritten(path, old, new)
    with pytest.raises(
        LandmarkFileError, match=r"changed since\. Choose another name, or use --ov"
    ):
        check_own_landmarks(path, "tooth")


def test_one_set_in_several_formats_shares_a_record(tmp_path):
    write(placed(), tmp_path / "a.tps")
    for extension in WRITABLE:
        check_own_record(placed(), tmp_path / f"a{extension}")
        write(placed(), tmp_path / f"a{extension}")
    for extension in WRITABLE:
        check_own_landmarks(tmp_path / f"a{extension}", "tooth")


def test_the_record_of_other_landmarks_is_kept(tmp_path):
    names = ("1L", "1R", "2M", "3M")
    with pytest.warns(GplandmarkWarning, match="cannot hold"):
        write(placed(labels=names), tmp_path / "a.TPS")
    for other in (
        placed(),
        placed(3),
        placed(9),
        replace(placed(labels=names), points=np.eye(4, 3)),
    ):
        with pytest.raises(LandmarkFileError, match=r"record of a\.TPS, which has other landmarks"):
            check_own_record(other, tmp_path / "a.csv")
    check_own_record(placed(labels=names), tmp_path / "a.csv")
    check_own_record(placed(9), tmp_path / "a.TPS")  # its own
    check_own_record(placed(9), tmp_path / "a.b.csv")
    check_own_record(placed(9), tmp_path / "b.csv")
    rewritten(tmp_path / "a.TPS", "LM3=4\n", "LM3=4\n0.5")  # the record is not about it any more
    check_own_record(placed(9), tmp_path / "a.csv")


def test_names_of_an_expert_are_not_lost_with_the_record(tmp_path):
    with pytest.warns(GplandmarkWarning, match="cannot hold"):
        write(Landmarks.at(np.eye(3), "tooth", labels=("a", "b", "c")), tmp_path / "a.tps")
    with pytest.raises(LandmarkFileError, match="other landmarks"):
        check_own_record(placed(), tmp_path / "a.csv")


def test_a_renamed_file_does_not_stand_in_the_way_of_the_same_landmarks(tmp_path):
    write(placed(), tmp_path / "a.csv")
    rewritten(tmp_path / "a.csv", "tooth,2,", "tooth,nasion,")
    check_own_record(placed(), tmp_path / "a.tps")
    with pytest.raises(LandmarkFileError, match="other landmarks"):
        check_own_record(placed(5), tmp_path / "a.tps")


def test_a_file_that_lost_its_record_to_another_is_told_so(tmp_path):
    write(placed(), tmp_path / "a.tps")
    write(placed(9), tmp_path / "a.csv")
    with pytest.raises(LandmarkFileError, match=r"a\.tps exists, and the record .* of a\.csv, not"):
        check_own_landmarks(tmp_path / "a.tps", "tooth")


# The command line


def run(*arguments):
    return CliRunner().invoke(cli, [*map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tooth.ply").write_bytes(as_ply(MOLAR))
    return tmp_path


@pytest.mark.filterwarnings("ignore::gplandmark.GplandmarkWarning")
def test_place_keeps_what_a_person_renamed(folder):
    run("place", "tooth.ply", "-n", 4)
    path = folder / "tooth.mrk.json"
    rewritten(path, '"label": "2"', '"label": "nasion"')
    before = path.read_text()
    with pytest.raises(LandmarkFileError, match="changed since"):
        run("place", "tooth.ply", "-n", 6)
    assert path.read_text() == before
    run("place", "tooth.ply", "-n", 6, "--overwrite")
    assert len(read_landmarks(path)) == 6


@pytest.mark.filterwarnings("ignore::gplandmark.GplandmarkWarning")
def test_place_and_pairs_keep_the_records_of_other_files(folder):
    pairs = ("pairs", "tooth.ply", "-n", 6, "--plane", "0,0,0,1,0,0")
    run(*pairs, "-o", "a.tps")
    names = read_landmarks(folder / "a.tps").labels
    assert "1L" in names or "1M" in names
    before = sorted(path.name for path in folder.iterdir())
    for method in ("gaussian-process", "random"):
        with pytest.raises(LandmarkFileError, match=r"a\.tps, which has other landmarks"):
            run("place", "tooth.ply", "-n", 6, "-o", "a.csv", "--method", method)
    assert sorted(path.name for path in folder.iterdir()) == before
    assert read_landmarks(folder / "a.tps").labels == names
    for extension in (".tps", ".csv", ".tps"):  # the same in two formats, again and again
        run("place", "tooth.ply", "-n", 4, "-o", f"b{extension}")
    with pytest.raises(LandmarkFileError, match=r"b\.\w+, which has other landmarks"):
        run(*pairs, "-o", "b.mrk.json")
    run("place", "tooth.ply", "-n", 9, "-o", "b.csv", "--overwrite")
    assert json.loads((folder / "b.record.json").read_text())["outcome"]["landmarks"] == 9


# Other files


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        (check_new, "exists"),
        (lambda path: check_own_text(path, "ours", path.parent / "b.csv"), "no landmarks of ours"),
        (lambda path: check_own_text(path, "ours", path), "not written with a.csv"),
        (lambda path: check_own_text(path, None, path), "not written with a.csv"),
        (lambda path: check_own_start(path, re.compile(rb"x,y"), "a table"), "is not a table"),
        (lambda path: check_own_folder(path.parent, "run.json", ["a.csv"]), "by this command"),
        (lambda path: check_not_input(path, [path.parent / "b.csv", path]), "one of the inputs"),
    ],
)
def test_other_files_are_refused_if_they_are_not_ours_and_never_if_missing(tmp_path, check, reason):
    path = tmp_path / "a.csv"
    check(path)
    path.write_text("theirs")
    with pytest.raises(OverwriteError, match=rf"a\.csv .*{reason}.*Choose another"):
        check(path)
    assert path.read_text() == "theirs"


def test_our_own_files_are_known_by_text_start_mark_and_digest(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y\n1,2\n")
    check_own_text(path, "x,y\n1,2\n", path)
    check_own_start(path, re.compile(rb"x,y"), "a table")
    (tmp_path / "run.json").touch()
    check_own_folder(tmp_path, "run.json", ["a.csv"])
    written = content_digest(path)
    assert is_unchanged(path, written)
    path.write_text("x,y\n1,3\n")
    assert not is_unchanged(path, written)
    path.unlink()
    assert not is_unchanged(path, written)
    assert not is_unchanged(path, None)
