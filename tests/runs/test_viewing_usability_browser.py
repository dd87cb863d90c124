"""What hurt people who used the viewer, and bad input, in a real browser."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import trimesh
from browser import until
from conftest import PATIENCE
from result_folders import (
    LANDMARKS,
    hollow_ball,
    molar_with_landmarks,
    write_off,
    write_results,
    write_scans,
)
from viewer_page import is_still, names, row, says, shows, wait_for_rows

from gplandmark import Landmarks, read_landmarks, write
from gplandmark.errors import LandmarkFileError
from gplandmark.runs.viewing import open_specimen
from gplandmark.runs.viewing.collection import open_collection
from gplandmark.runs.viewing.collection_view import CollectionView
from gplandmark.runs.viewing.edits import edit

pytestmark = pytest.mark.slow
pytest.importorskip("starlette")
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


@pytest.fixture
def results(tmp_path):
    return write_results(tmp_path / "matched", write_scans(tmp_path / "scans"))


@pytest.fixture
def crowded(tmp_path):
    """A scan with 60 landmarks, most of them near one place; it was annotated by an expert."""
    surface = molar_with_landmarks(0)[0]
    write_off(tmp_path / "tooth.off", surface)
    away = np.linalg.norm(surface.points - surface.points[surface.points[:, 2].argmax()], axis=1)
    write(Landmarks.at(surface.points[np.argsort(away)[:60]], "tooth"), tmp_path / "tooth.fcsv")
    (tmp_path / "tooth.record.json").unlink()
    return tmp_path


def delete_first(page):
    page.locator("#landmarks tbody tr").first.click()
    page.keyboard.press("Delete")


def test_names_do_not_overlap_and_lines_lead_to_those_that_crowd(view, crowded):
    page = view(crowded)
    page.locator("#landmarks tbody tr").nth(30).click()  # close up
    is_still(page)
    found = page.evaluate("window.gplandmark.app.stage.views[0].names")
    assert len(found) > 10
    assert any(each["hasLine"] for each in found)
    boxes = np.array([each["box"] for each in found])
    for at, (left, top, right, bottom) in enumerate(boxes):
        others = np.delete(boxes, at, axis=0)
        meets = (left < others[:, 2]) & (others[:, 0] < right)
        meets &= (top < others[:, 3]) & (others[:, 1] < bottom)
        assert meets.sum() <= 1  # where there is no room at all


def test_all_landmarks_are_listed_and_the_file_of_the_expert_is_not_the_default(view, crowded):
    page = view(crowded)
    assert len(names(page)) == 60
    before = (crowded / "tooth.fcsv").read_bytes()
    page.locator("#landmarks tbody tr").nth(59).click()
    assert page.locator("#landmarks tr[aria-selected=true] td").first.inner_text() == "60"
    page.keyboard.press("Delete")
    wait_for_rows(page, 59)
    page.keyboard.press("Control+s")
    says(page, "Saved 59 landmarks")
    assert page.locator("#output").input_value() == str(crowded / "tooth.edited.mrk.json")
    assert (crowded / "tooth.fcsv").read_bytes() == before


def test_bone_is_the_first_colour_and_a_scan_shows_its_own(view, tmp_path):
    surface = molar_with_landmarks(0)[0]
    colours = np.tile(np.array([200, 0, 0], dtype=np.uint8), (surface.vertex_count, 1))
    mesh = trimesh.Trimesh(surface.points, surface.faces(), vertex_colors=colours, process=False)
    mesh.export(tmp_path / "red.ply")

    def is_red(seen):
        middle = seen[200:400, 300:420].astype(int)
        return (middle[..., 0] - middle[..., 2] > 60).mean() > 0.2

    page = view(tmp_path)
    assert page.locator("#colouring").input_value() == "bone"
    until(page, lambda seen: (seen[200:400, 300:420].max(axis=2) < 245).mean() > 0.2)
    assert not is_red(until(page, lambda seen: True))
    page.locator("#colouring").select_option("scan")
    until(page, is_red)


def test_landmarks_that_no_side_shows_are_counted_with_a_hint(view, tmp_path):
    ball = hollow_ball()
    write_off(tmp_path / "ball.off", ball)
    write(Landmarks.at(ball.points[[3, 700, 900]], "ball"), tmp_path / "ball.csv")
    page = view(tmp_path)
    hint = page.locator("#hidden-note")
    hint.get_by_text("2 cannot be seen from any side").wait_for()
    assert "--outer-only" in hint.inner_text()


def test_help_names_every_tool_and_key(view, results):
    page = view(results)
    page.keyboard.press("?")
    text = page.locator("#help[open]").inner_text()
    for key in (
        "N, P",
        "C",
        "1 to 7",
        "[, ]",
        "Delete",
        "Ctrl+Z",
        "Ctrl+S",
        "R",
        "T",
        "B",
        "L",
        "/",
        "H",
    ):
        assert key in text
    page.keyboard.press("Escape")
    for number, tool in enumerate(("look", "add", "move", "select", "mask", "curve")):
        page.keyboard.press(str(number + 1))
        page.locator(f"#tools [data-tool={tool}][aria-checked=true]").wait_for()


def test_what_another_program_edits_is_shown_and_cannot_be_edited(view, results):
    page = view(results)
    shows(page, "tooth0")
    other = CollectionView(open_collection(results))
    edit(other.opened("tooth0"), {"edit": "delete", "ids": [1]})
    row(page, "tooth0").get_by_text("edited elsewhere").wait_for()
    page.locator("#elsewhere").wait_for()
    delete_first(page)
    says(page, "is being edited by")
    assert len(names(page)) == LANDMARKS
    other.save("tooth0", other.opened("tooth0").output, is_agreed=False)
    other.close()
    wait_for_rows(page, LANDMARKS - 1)  # what the other saved
    page.locator("#elsewhere").wait_for(state="hidden")


def test_a_scan_that_has_gone_is_missed_in_words(view, results, tmp_path):
    (tmp_path / "scans" / "tooth1.off").unlink()
    page = view(results)
    shows(page, "tooth0")
    row(page, "tooth1").click()
    says(page, "not there any more")
    row(page, "tooth2").click()  # the others can be seen
    shows(page, "tooth2")


def test_a_disk_that_is_read_only_is_looked_at_and_says_so(view, results, monkeypatch):
    def refuse(*_, **__):
        raise LandmarkFileError("The folder is not writable. Choose another output.")

    page = view(results)
    shows(page, "tooth0")
    monkeypatch.setattr(open_specimen, "check_output", refuse)
    delete_first(page)
    says(page, "not writable")
    assert len(names(page)) == LANDMARKS
    (results / "checked.txt").mkdir()  # cannot be written either
    page.keyboard.press("c")
    says(page, "checked.txt")
    assert page.evaluate("document.body.dataset.shown") == "tooth0"


@pytest.fixture
def viewer_process(results):
    """A function that starts the viewer as a program of its own: the process and its address."""
    running = []

    def started():
        command = [sys.executable, "-m", "gplandmark", "view", str(results), "--no-browser"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        running.append(process)
        line = next(each for each in process.stdout if each.startswith("Open "))
        return process, line.split()[1]

    yield started
    for process in running:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.skipif(os.name == "nt", reason="needs the signals of Unix")
@pytest.mark.parametrize("is_saving", [False, True])
def test_a_viewer_that_is_killed_loses_nothing(viewer_process, open_page, results, is_saving):
    path = results / "landmarks" / "tooth0.mrk.json"
    process, address = viewer_process()
    page = open_page(address)
    page.set_default_timeout(PATIENCE)
    shows(page, "tooth0")
    delete_first(page)
    wait_for_rows(page, LANDMARKS - 1)
    if is_saving:
        page.keyboard.press("Control+s")
    process.send_signal(signal.SIGKILL)
    process.wait()
    says(page, "no edit is lost")
    assert len(read_landmarks(path)) in (LANDMARKS, LANDMARKS - 1)  # whole, old or new
    _, address = viewer_process()
    again = open_page(address)
    again.set_default_timeout(PATIENCE)
    shows(again, "tooth0")
    assert names(again) == [str(at + 2) for at in range(LANDMARKS - 1)]
    again.keyboard.press("Control+s")
    says(again, "Saved")
    assert len(read_landmarks(path)) == LANDMARKS - 1


def test_five_thousand_scans_are_listed_and_searched(view, tmp_path):
    write_scans(tmp_path, 1)
    for number in range(5_000):
        os.link(tmp_path / "tooth0.off", tmp_path / f"copy{number:04}.off")
    page = view(tmp_path)
    page.locator("#count", has_text="5001").wait_for()
    assert page.locator(".specimen").count() < 40
    page.keyboard.press("/")
    page.keyboard.type("copy4321")
    page.locator("#count", has_text="1 of 5001").wait_for()
    page.locator(".specimen").click()
    shows(page, "copy4321")
