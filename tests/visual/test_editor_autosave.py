"""Edits survive the end of a program, and only one program edits a file."""

import json
import os
import signal
import subprocess
import sys
import zlib

import pytest
from conftest import SMALL

from gplandmark import LandmarkFileError, Landmarks, Surface, make_molar, place
from gplandmark.visual.editor import Autosave, Editor, autosave_path, recover, save
from gplandmark.visual.editor.history import KEPT, history_of, text_of
from gplandmark.visual.editor.output_file import lock_output, lock_path

MOLAR = make_molar(1, vertex_count=700).surface


@pytest.fixture
def output(tmp_path):
    return tmp_path / "tooth.mrk.json"


def edited():
    editor = Editor(MOLAR, place(MOLAR, 4, settings=SMALL), SMALL)
    editor.add([0, 0, 40.0], [0.01, 0.02, -1.0], label="tip", kind="fixed")
    editor.paint(MOLAR.points[9], 0.7)
    editor.delete(1)
    editor.select([2])
    return editor


def test_an_interrupted_editor_is_found_again_with_what_can_be_undone(output):
    editor = edited()
    with Autosave(output, MOLAR) as autosave:
        editor.watch(autosave.write)
        editor.rename(0, "first")
        assert autosave.problem == ""
    found = recover(output, MOLAR)
    assert "4 landmarks. They were recovered" in found.sentence
    again = Editor(MOLAR, settings=SMALL, history=found.history)
    assert again.state == editor.state
    assert not again.history.is_saved
    assert again.landmarks().record == editor.landmarks().record
    while editor.undo():
        assert again.undo()
        assert again.state == editor.state
    assert not again.undo()


def test_a_long_history_is_cut_and_the_origin_stays(output):
    editor = edited()
    for number in range(KEPT + 20):
        editor.move(0, MOLAR.points[number])
    found = history_of(text_of(editor.history), MOLAR)
    assert len(found.entries) == KEPT + 1
    assert found.origin == editor.history.origin
    assert found.state == editor.state
    assert len(text_of(editor.history)) < 200_000


def test_a_saved_file_needs_no_autosave(output):
    editor = edited()
    with Autosave(output, MOLAR) as autosave:
        autosave.write(editor.history)
        assert autosave_path(output).exists()
        save(editor, output)
        autosave.remove()
        assert not autosave_path(output).exists()
        autosave.remove()
    found = recover(output, MOLAR)
    assert (found.history, found.sentence) == (None, "")
    assert {path.name for path in output.parent.iterdir()} == {
        "tooth.mrk.json",
        "tooth.record.json",
    }


def test_edits_of_another_surface_are_left_alone(output):
    with Autosave(output, MOLAR) as autosave:
        autosave.write(edited().history)
    moved = Surface(MOLAR.points + 1e-9, MOLAR.triangles, "other")
    cloud = Surface(MOLAR.points, None, "cloud")
    for surface in (moved, cloud):
        found = recover(output, surface)
        assert found.history is None
        assert f"another surface than {surface.name}" in found.sentence
    assert autosave_path(output).exists()


def test_the_name_of_the_surface_does_not_matter(output):
    with Autosave(output, MOLAR) as autosave:
        autosave.write(edited().history)
    assert recover(output, Surface(MOLAR.points, MOLAR.triangles, "renamed")).history is not None


def test_any_damage_gives_a_sentence(output):
    path = autosave_path(output)
    with Autosave(output, MOLAR) as autosave:
        autosave.write(edited().history)
    whole = path.read_bytes()
    texts = [b"", b"\x00\xff\xfe", b"{}", b"[1]\n[]", b"null", b'"a"\nb', b"[" * 100_000]
    texts += [whole[: len(whole) * part // 10] for part in range(10)]
    texts += [whole[:at] + b"7" + whole[at + 1 :] for at in range(400, len(whole), 997)]
    for text in texts:
        if text == whole:
            continue
        path.write_bytes(text)
        found = recover(output, MOLAR)
        assert found.history is None
        assert "is damaged" in found.sentence or "left unchanged" in found.sentence, text[:80]
    path.unlink()
    path.mkdir()
    assert "is damaged" in recover(output, MOLAR).sentence


def test_another_version_is_left_alone(output):
    path = autosave_path(output)
    with Autosave(output, MOLAR) as autosave:
        autosave.write(edited().history)
    heading, _, text = path.read_text().partition("\n")
    path.write_text(json.dumps({**json.loads(heading), "autosave": 2}) + "\n" + text)
    assert "another version" in recover(output, MOLAR).sentence


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content["marks"][0]["place"].update(vertex=700),
        lambda content: content["marks"][0]["place"].update(triangle=10**6),
        lambda content: content["marks"][0]["place"].update(shares=[1.0]),
        lambda content: content["marks"][0]["place"].update(point=[0.0, 1.0]),
        lambda content: content["marks"][0].update(kind="loose"),
        lambda content: content["marks"][0].update(author="nobody"),
        lambda content: content["marks"][0].update(more=1),
        lambda content: content["states"][0].update(marks=[99]),
        lambda content: content["paints"].append("AAAA"),
        lambda content: content.update(paints=[]),
        lambda content: content.update(edits=[]),
        lambda content: content.update(system="XYZ"),
        lambda content: content.pop("record"),
    ],
)
def test_no_history_is_made_of_a_text_that_does_not_fit_the_surface(change):
    content = json.loads(text_of(edited().history))
    change(content)
    with pytest.raises((ValueError, KeyError, TypeError, IndexError, zlib.error)):
        history_of(json.dumps(content), MOLAR)


def test_a_full_disk_is_told_and_editing_goes_on(output, monkeypatch):
    editor = edited()
    with Autosave(output, MOLAR) as autosave:
        editor.watch(autosave.write)
        editor.rename(0, "first")
        before = autosave_path(output).read_bytes()

        def refuse(_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("os.fsync", refuse)
        editor.rename(0, "second")
        assert "No space left" in autosave.problem
        assert editor.state.marks[0].label == "second"
        assert autosave_path(output).read_bytes() == before
        monkeypatch.undo()
        editor.rename(0, "third")
        assert autosave.problem == ""


KILLED = """
import os, sys
from gplandmark import Settings, make_molar
from gplandmark.visual.editor import Autosave, Editor
surface = make_molar(1, vertex_count=700).surface
editor = Editor(surface, settings=Settings(curvature_radius=0.15))
autosave = Autosave(sys.argv[1], surface)
editor.watch(autosave.write)
editor.add(surface.points[5])
editor.add(surface.points[6])
real = os.fsync
def never(file):
    print("writing", flush=True)
    sys.stdin.read()  # until it is killed
os.fsync = never
editor.add(surface.points[7])
"""


def test_a_program_killed_while_it_writes_leaves_the_autosave_before(output):
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(output)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "writing\n"
    with pytest.raises(LandmarkFileError, match=f"edited by process {process.pid}"):
        Autosave(output, MOLAR)
    process.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
    process.communicate()
    with Autosave(output, MOLAR):  # the lock of a dead program is free
        found = recover(output, MOLAR)
    assert found.history.state.vertices().tolist() == [5, 6]
    assert list(output.parent.iterdir()) == [autosave_path(output)]


def test_a_second_editor_is_refused_until_the_first_is_closed(output):
    first = Autosave(output, MOLAR)
    with pytest.raises(LandmarkFileError, match=f"edited by process {os.getpid()}"):
        Autosave(output, MOLAR)
    with Autosave(output.with_name("other.csv"), MOLAR):
        pass
    first.close()
    first.close()
    with Autosave(output, MOLAR):
        pass
    assert list(output.parent.iterdir()) == []


def test_a_lock_file_that_nobody_holds_is_taken_over(output):
    lock_path(output).write_text("123456 and more\n")
    lock = lock_output(output)
    assert json.loads(lock_path(output).read_text())["process"] == os.getpid()
    lock.release()
    assert not lock_path(output).exists()


RACE = """
import sys, time
from pathlib import Path
from gplandmark.errors import LandmarkFileError
from gplandmark.visual.editor.output_file import lock_output
output, mine = Path(sys.argv[1]), Path(sys.argv[1] + ".only")
taken, ends = 0, time.monotonic() + 1.0
while time.monotonic() < ends:
    try:
        lock = lock_output(output)
    except LandmarkFileError:
        continue
    mine.open("x").close()  # fails if two are here at once
    mine.unlink()
    lock.release()
    taken += 1
print(taken)
"""


def test_two_programs_never_hold_one_lock(output):
    command = [sys.executable, "-c", RACE, str(output)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    counts = [int(process.communicate()[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sum(counts) > 0


def test_an_output_in_no_folder_is_refused(tmp_path):
    with pytest.raises(LandmarkFileError, match="there is no folder"):
        Autosave(tmp_path / "none" / "tooth.csv", MOLAR)


def test_missing_landmarks_survive(output):
    points = MOLAR.points[[3, 4]].copy()
    points[1] = float("nan")
    editor = Editor(MOLAR, Landmarks.at(points, "molar"), SMALL)
    assert history_of(text_of(editor.history), MOLAR).state == editor.state
