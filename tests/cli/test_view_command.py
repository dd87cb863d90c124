"""`gplandmark view`: what it opens, what it refuses, where it saves, and how it ends."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import SMALL
from result_folders import write_results, write_scans

import gplandmark
from gplandmark import Landmarks, make_molar, place
from gplandmark.cli.main import cli
from gplandmark.errors import LandmarkFileError, ViewerError
from gplandmark.io.scans import as_ply
from gplandmark.visual.editor import Autosave, Editor, History, autosave_path, recover
from gplandmark.visual.editor.open import origin_of
from gplandmark.visual.editor.placement import Finder

pytest.importorskip("starlette")

EVENLY = ("--weight", "uniform")  # this small mesh is too coarse for the default curvature


@pytest.fixture(scope="module")
def files(tmp_path_factory, molar):
    folder = tmp_path_factory.mktemp("viewer")
    (folder / "tooth.ply").write_bytes(as_ply(molar))
    gplandmark.write(place(molar, 6, settings=SMALL), folder / "tooth.csv")
    return folder


@pytest.fixture
def views(monkeypatch):
    """What would be served."""
    found = []
    monkeypatch.setattr("gplandmark.cli.view.serve_collection", lambda view, *_: found.append(view))
    monkeypatch.setattr(
        "gplandmark.cli.view_collection.serve_collection", lambda view, *_: found.append(view)
    )
    yield found
    for view in found:
        view.close()


def run(*arguments):
    return CliRunner().invoke(cli, [*map(str, arguments), *EVENLY])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--against", "tooth.csv", "--beside", "tooth.ply"], "side by side"),
        (["--beside-landmarks", "tooth.csv"], "add --beside"),
        (["-n", "100000"], "from 1 to 700"),
        (["--display-vertices", "3"], "at least 1,000"),
        (["--port", "70000"], "65,535"),
        (["-o", "a.what"], "extension"),
        (["-o", "tooth.ply"], "one of the inputs"),
    ],
)
def test_view_refuses_what_it_cannot_show(files, options, message):
    paths = [files / each if each.startswith("tooth") else each for each in options]
    assert message in str(run("view", files / "tooth.ply", *paths).exception)


def test_landmarks_of_another_specimen_are_refused_before_it_opens(files, tmp_path, molar):
    far = tmp_path / "far.csv"
    gplandmark.write(Landmarks.at(molar.points[:3] + 100, "far"), far)
    result = run("view", files / "tooth.ply", far)
    assert "another specimen" in str(result.exception)
    assert result.output == ""


def test_an_output_that_somebody_edits_is_refused(files, tmp_path, molar):
    with Autosave(tmp_path / "a.csv", molar):
        busy = run("view", files / "tooth.ply", "-o", tmp_path / "a.csv")
    assert isinstance(busy.exception, LandmarkFileError)
    assert "is being edited" in str(busy.exception)


def test_save_writes_to_our_own_landmarks_but_not_to_an_experts(files, tmp_path, molar, views):
    own = tmp_path / "own.csv"
    gplandmark.write(place(molar, 3, settings=SMALL), own)
    theirs = tmp_path / "expert.fcsv"
    gplandmark.write(Landmarks.at(molar.points[:3], "tooth"), theirs)
    (tmp_path / "expert.record.json").unlink()
    for words in ((own,), (theirs,), (own, "-o", tmp_path / "other.csv"), ()):
        result = run("view", files / "tooth.ply", *words)
        assert result.exit_code == 0, result.exception
    assert [view.collection.specimens[0].output for view in views] == [
        own, tmp_path / "expert.edited.mrk.json", tmp_path / "other.csv", Path("tooth.mrk.json")
    ]  # fmt: skip


def test_two_scans_or_two_sets_are_beside_each_other(files, views):
    run("view", files / "tooth.ply", files / "tooth.csv", "--against", files / "tooth.csv")
    run("view", files / "tooth.ply", "--beside", files / "tooth.ply")
    assert [view.listing()["beside"] for view in views] == [
        "tooth, tooth.csv (2)", "tooth, placed here (2)"
    ]  # fmt: skip
    assert all(view.listing()["single"] for view in views)


def test_an_autosave_of_another_surface_is_never_overwritten(files, tmp_path, views):
    other = make_molar(3, vertex_count=300).surface
    output = tmp_path / "tooth.mrk.json"
    with Autosave(output, other) as autosave:
        autosave.write(History.starting(origin_of(Finder(other), None)))
    kept = autosave_path(output).read_bytes()
    assert run("view", files / "tooth.ply", "-o", output).exit_code == 0
    opened = views[0].opened("tooth")
    with pytest.raises(LandmarkFileError, match="another surface"):
        opened.edit(lambda editor: editor.add(editor.surface.points[0]))
    assert autosave_path(output).read_bytes() == kept
    assert not (tmp_path / ".tooth.mrk.json.lock").exists()


def test_a_folder_is_listed_and_takes_no_landmarks(tmp_path, views):
    results = write_results(tmp_path / "matched", write_scans(tmp_path / "scans", 2), 2)
    result = run("view", results)
    assert "results of match, 3 specimens, 1 of which failed" in result.output
    assert not views[0].listing()["single"]
    assert "leave LANDMARKS" in str(run("view", results, "a.csv").exception)
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "no scan" in str(run("view", empty).exception)


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal as Ctrl-C does")
def test_control_c_with_unsaved_work_says_what_is_kept(files, tmp_path):
    surface = gplandmark.read(files / "tooth.ply")
    output = tmp_path / "tooth.mrk.json"
    editor = Editor(surface, place(surface, 4, settings=SMALL), SMALL)
    editor.delete(0)
    with Autosave(output, surface) as autosave:
        autosave.write(editor.history)
    command = [sys.executable, "-W", "error", "-m", "gplandmark", "view", files / "tooth.ply"]
    words = [str(each) for each in (*command, "--no-browser", *EVENLY)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True, cwd=tmp_path)
    try:
        lines = [process.stdout.readline() for _ in range(5)]
        assert lines[0].endswith("has unsaved edits, 3 landmarks. They were recovered.\n")
        assert lines[1] == "Save writes to tooth.mrk.json.\n"
        assert lines[2].startswith("Open http://127.0.0.1:")
        assert lines[4] == "Ctrl-C ends the viewer.\n"
        process.send_signal(signal.SIGINT)
    finally:
        said, errors = process.communicate(timeout=240)
    assert errors == ""
    assert said.splitlines() == [
        "The viewer has ended.",
        "Unsaved edits are kept: tooth. Run the same command to continue.",
    ]
    assert process.returncode == 0
    assert recover(output, surface).history is not None


@pytest.mark.parametrize("arguments", [[], ["tooth.ply"], ["."]])
def test_missing_web_libraries_are_named_in_a_sentence(files, monkeypatch, arguments):
    monkeypatch.setitem(sys.modules, "starlette", None)
    found = CliRunner().invoke(cli, ["view", *(str(files / each) for each in arguments)])
    assert isinstance(found.exception, ViewerError)
    assert "gplandmark[viewer]" in str(found.exception)
