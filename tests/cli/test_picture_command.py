"""The command picture as a user meets it."""

import os
import shutil
import sys

import numpy as np
import pytest
from commands import gplandmark, in_process, names_in, refused, run

from gplandmark import Landmarks, Settings, make_molar, place, read, write
from gplandmark.errors import GplandmarkWarning
from gplandmark.io.scans import as_ply

MOLAR = make_molar(2, vertex_count=3500)
COARSE = ("--width", 3, "--dpi", 60)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A scan, landmarks of an expert and landmarks of ours."""
    made = tmp_path_factory.mktemp("files")
    (made / "tooth.ply").write_bytes(as_ply(MOLAR.surface))
    write(Landmarks.at(MOLAR.surface.points[::500], "tooth"), made / "expert.csv")
    own = Settings(curvature_radius=0.1, bandwidth=0.02)
    write(place(read(made / "tooth.ply"), 9, settings=own), made / "ours.mrk.json")
    return made


@pytest.fixture
def folder(files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return shutil.copytree(files, tmp_path, dirs_exist_ok=True)


def draw(*arguments, output="p.png"):
    run("picture", "tooth.ply", *arguments, "-o", output, *COARSE)


def test_every_kind_of_picture_is_written(folder):
    draw(output="bare.png")
    draw("ours.mrk.json", "--view", "top", "--view", "30,20", "--colour", "weight", output="p.pdf")
    draw("expert.csv", "--against", "ours.mrk.json", output="q.svg")
    draw("--steps", 2, output="s.png")
    assert (folder / "bare.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "p.pdf").read_bytes().startswith(b"%PDF")
    svg = (folder / "q.svg").read_text()
    assert ">expert<" in svg
    assert ">ours<" in svg
    assert {"bare.png", "p.pdf", "q.svg", "s.png"} <= set(names_in(folder))
    assert not [name for name in names_in(folder) if name.endswith(".part")]


def test_the_program_says_where_the_picture_is_and_needs_no_display(folder):
    arguments = ("picture", "tooth.ply", "ours.mrk.json", "-o", "p.png", "--width", "2")
    done = gplandmark(*arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (0, "written p.png\n")
    again = in_process(*arguments, cwd=folder)
    assert again.returncode == 1
    assert again.stderr == ("gplandmark: p.png exists. Choose another name, or use --overwrite.\n")


def test_an_existing_picture_is_kept_unless_told(folder):
    (folder / "p.png").write_bytes(b"mine")
    refused("picture", "tooth.ply", "-o", "p.png", words="p.png exists.*--overwrite")
    assert (folder / "p.png").read_bytes() == b"mine"
    draw("--overwrite")
    first = (folder / "p.png").read_bytes()
    draw("--force")
    assert (folder / "p.png").read_bytes() == first != b"mine"


def test_the_variance_follows_the_record_unless_options_are_given(folder):
    draw("ours.mrk.json", "--colour", "variance", output="record.png")
    same = ("--curvature-radius", 0.1, "--bandwidth", 0.02)
    draw("ours.mrk.json", "--colour", "variance", *same, output="same.png")
    draw("ours.mrk.json", "--colour", "variance", "--preset", "paper", output="paper.png")
    record, given, paper = (
        (folder / name).read_bytes() for name in ("record.png", "same.png", "paper.png")
    )
    assert record == given != paper


def test_missing_landmarks_and_ras_are_noted(folder):
    points = MOLAR.surface.points[::500].copy()
    points[:, :2] *= -1
    points[2] = np.nan
    write(Landmarks.at(points, "tooth", system="RAS"), folder / "ras.mrk.json")
    with pytest.warns(GplandmarkWarning) as caught:
        draw("ras.mrk.json")
    notes = " ".join(str(each.message) for each in caught)
    assert "is in RAS" in notes
    assert "1 missing landmarks of ras.mrk.json were left out" in notes


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--view", "sideways"), "view 'sideways'"),
        (("other.csv",), "belongs to another specimen.*gplandmark check"),
        (("nowhere.csv",), "nowhere.csv"),
        (("--steps", 3, "--against", "expert.csv"), "Leave --against out"),
        (("--steps", 3, "--colour", "weight"), "Leave --colour weight out"),
        (("--steps", 3, "--view", "top", "--view", "left"), "Give --view once"),
        (("--steps", 0), "from 1 to 40"),
        (("expert.csv", "--steps", 30), "too few for 30"),
        (("--colour", "weight", "--kernel", "squared-exponential"), "no weight"),
        (("--dpi", 9000), "cannot be drawn"),
        (("--weight", "nothing"), "no such file"),
    ],
)
def test_what_cannot_be_drawn_is_told_in_a_sentence_and_leaves_nothing(folder, arguments, words):
    write(Landmarks.at(MOLAR.surface.points[:5] + 100, "other"), folder / "other.csv")
    before = names_in(folder)
    refused("picture", "tooth.ply", *arguments, "-o", "p.png", words=words)
    assert names_in(folder) == before


def test_outputs_that_cannot_be_written_are_refused_before_the_work(folder, monkeypatch):
    refused("picture", "no-scan.ply", "-o", "p.jpeg", words=r"extension '\.jpeg'")
    refused("picture", "no-scan.ply", "-o", "nowhere/p.png", words="no folder")
    refused("picture", "no-scan.ply", "-o", str(folder), words="extension|is a folder")
    monkeypatch.setattr(os, "access", lambda *_: False)
    refused("picture", "no-scan.ply", "-o", "p.png", words="not writable")
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    refused("picture", "no-scan.ply", "-o", "p.png", words=r"gplandmark\[pictures\]")


def test_a_full_disk_leaves_nothing_half_written(folder, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    before = names_in(folder)
    monkeypatch.setattr(os, "fsync", full)
    refused("picture", "tooth.ply", "-o", "p.png", *COARSE, words="No space left")
    assert names_in(folder) == before


def test_a_cloud_is_drawn_too(folder):
    np.savetxt(folder / "cloud.xyz", MOLAR.surface.points)
    run("picture", "cloud.xyz", "expert.csv", "--colour", "variance", "-o", "c.png", *COARSE)
    assert (folder / "c.png").read_bytes().startswith(b"\x89PNG")
