"""Landmarks edited in a real browser, on the real server: what is seen is what is saved."""

import re
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest
from browser import scene_of, steady, until

from gplandmark import make_molar, read_landmarks
from gplandmark.io.scans import as_ply

pytest.importorskip("viser")
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

COUNT = 6
PATIENCE = 30_000  # ms: the machine may be busy
EVENLY = ("--weight", "uniform")  # this small mesh is too coarse for the default curvature
STEP, NAME = 1, 2  # fields of the panel after that of the file
MAGENTA = (255, 61, 242)


@pytest.fixture
def scan(tmp_path):
    path = tmp_path / "molar.ply"
    path.write_bytes(as_ply(make_molar(1, vertex_count=1_500).surface))
    return path


@contextmanager
def serving(scan, *arguments):
    """The command in a process of its own: its address, and what it said until then."""
    command = [sys.executable, "-m", "gplandmark", "view", scan.name, *map(str, arguments)]
    process = subprocess.Popen(
        [*command, "-n", str(COUNT), "--no-browser", *EVENLY],
        cwd=scan.parent, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        said = [process.stdout.readline()]
        while said[-1] and not said[-1].startswith("Open http"):
            said.append(process.stdout.readline())
        yield said[-1].split()[1], said, process
    finally:
        process.kill()
        process.communicate()


def rows(page):
    """The list of landmarks in the panel: position, name, kind, author."""
    found = page.locator("table.landmarks tr").all_inner_texts()[1:]
    return [tuple(row.split("\t")) for row in found]


def wait_rows(page, count):
    """Wait until so many landmarks are listed."""
    page.wait_for_function(
        "count => document.querySelectorAll('table.landmarks tr').length == count + 1",
        arg=count, timeout=PATIENCE,
    )  # fmt: skip
    return rows(page)


def wait_status(page, text):
    page.get_by_text(text, exact=True).wait_for(timeout=PATIENCE)


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def fill(page, field, text):
    box = page.get_by_role("textbox").nth(field)
    box.fill(text)
    box.press("Enter")


def take(page, tool):
    page.get_by_role("button", name=tool).click()
    page.get_by_text(f"{tool}.", exact=True).wait_for()


def open_editor(open_page, address, count):
    page = open_page(address)
    page.set_default_timeout(PATIENCE)
    wait_rows(page, count)
    until(page, is_drawn)
    return page


def is_drawn(seen):
    return (scene_of(seen).min(axis=2) < 200).mean() > 0.2


def told_place(page):
    """Where the last click met the specimen, as the panel tells it."""
    text = page.get_by_text("nearest vertex").inner_text()
    return np.array([float(each) for each in re.findall(r"\b[xyz] (-?[\d.e+-]+)", text)])


def share_of_magenta(seen):
    return (np.abs(scene_of(seen) - np.array(MAGENTA)).max(axis=2) < 70).mean()


def select_box(page, start, end, tries=5):
    """Draw a box until landmarks are selected: a busy browser may miss part of a drag."""
    for attempt in range(tries):
        page.mouse.move(*start)
        page.mouse.down()
        page.mouse.move(*end, steps=4)
        page.wait_for_timeout(200 * (attempt + 1))
        page.mouse.up()
        try:
            return until(page, lambda seen: share_of_magenta(seen) > 0.002, seconds=10)
        except AssertionError:
            if attempt == tries - 1:
                raise


def add_one(page):
    """Look at an early step, add a landmark, name it and mark it; returns where it is."""
    fill(page, STEP, "3")
    take(page, "Add")
    page.mouse.click(180, 260)
    assert wait_rows(page, COUNT + 1)[-1] == ("7", "7", "", "human")
    until(page, lambda seen: share_of_magenta(seen) > 0.0002)
    place = told_place(page)
    fill(page, NAME, "tip")
    wait_status(page, "Done: rename 7.")
    press(page, "semi")
    wait_status(page, "Done: mark tip.")
    return place


def move_it(page):
    """Drag the landmark that was added, then send it elsewhere by a click; returns where."""
    take(page, "Move")
    page.mouse.move(180, 260)
    page.mouse.down()
    page.mouse.move(200, 275, steps=4)
    page.mouse.move(230, 300, steps=4)
    page.wait_for_timeout(300)
    page.mouse.up()
    wait_status(page, "Done: move tip.")
    before = page.get_by_text("nearest vertex").inner_text()
    page.mouse.click(170, 310)
    page.wait_for_function("text => !document.body.innerText.includes(text)", arg=before)
    page.wait_for_timeout(500)
    return told_place(page)


def delete_and_place(page):
    """Delete a landmark, undo that, delete it again, and place more; returns the list."""
    page.get_by_role("combobox").last.click()
    page.get_by_role("option", name="2: 2").click()
    press(page, "Delete")
    assert "2" not in [row[1] for row in wait_rows(page, COUNT)]
    page.keyboard.press("Control+z")
    wait_rows(page, COUNT + 1)
    press(page, "Delete")
    wait_rows(page, COUNT)
    press(page, "Place more")
    return wait_rows(page, COUNT + 5)


def check_file(path, shown, moved):
    written = read_landmarks(path)
    assert list(written.labels) == [row[1] for row in shown]
    assert list(written.kinds) == [row[2] for row in shown]
    assert written.record.request["edits"]["authors"] == [row[3] for row in shown]
    np.testing.assert_allclose(written.points[COUNT - 1], moved, rtol=1e-5, atol=1e-5)


def test_from_the_first_click_to_the_file_and_on_after_a_crash(scan, open_page):
    output = scan.parent / "edited.mrk.json"
    with serving(scan, "-o", output.name) as (address, _, process):
        page = open_editor(open_page, address, COUNT)
        added = add_one(page)
        moved = move_it(page)
        assert np.linalg.norm(moved - added) > 0.02
        shown = delete_and_place(page)
        page.get_by_text("molar (unsaved)").wait_for()
        press(page, "Save")
        wait_status(page, f"Saved 11 landmarks to {output.name}.")
        assert page.get_by_text("molar (unsaved)").count() == 0
        check_file(output, shown, moved)
        page.reload()
        assert wait_rows(page, COUNT + 5) == shown
        until(page, is_drawn)
        take(page, "Add")
        page.mouse.click(250, 240)
        lost = wait_rows(page, COUNT + 6)
        page.wait_for_timeout(500)
        process.kill()  # as kill -9: nothing is tidied up
        process.wait()
    with serving(scan, output.name, "-o", output.name) as (address, said, _):
        assert "12 landmarks. They were recovered." in said[0]
        page = open_editor(open_page, address, COUNT + 6)
        assert rows(page) == lost
        page.get_by_text("They were recovered.").wait_for()
        press(page, "Discard")
        page.get_by_role("dialog").get_by_role("button", name="Discard", exact=True).click()
        assert wait_rows(page, COUNT + 5) == shown
        assert not (scan.parent / f".{output.name}.autosave").exists()


def sweep(page):
    """Paint by a slow drag: the specimen is painted, and does not turn."""
    take(page, "Paint")
    before = steady(page)
    page.mouse.move(150, 330)
    page.mouse.down()
    page.mouse.move(180, 335, steps=3)
    wait_status(page, "Done: paint.")
    page.wait_for_timeout(1_000)  # by now the mesh of the start is hidden
    page.mouse.move(220, 340, steps=3)
    page.mouse.up()
    after = until(page, lambda seen: grey_share(seen) > grey_share(before) + 0.005)
    assert (outline(after) != outline(before)).mean() < 0.01


def grey_share(seen):
    """Share of a picture that is grey, neither white nor a colour of the variance."""
    scene = scene_of(seen)
    return ((np.ptp(scene, axis=2) < 50) & (np.abs(scene.mean(axis=2) - 150) < 60)).mean()


def outline(seen):
    """Where the specimen is on a picture."""
    return scene_of(seen).min(axis=2) < 240


def test_two_tabs_edit_the_same_and_a_foreign_file_needs_a_yes(scan, open_page):
    foreign = scan.parent / "expert.csv"
    foreign.write_text("name,x,y,z\nmine,0,0,0\n")
    before = foreign.read_text()
    with serving(scan, "-o", foreign.name) as (address, _, process):
        first = open_editor(open_page, address, COUNT)
        second = open_editor(open_page, address, COUNT)
        take(first, "Add")
        second.get_by_text("Add.", exact=True).wait_for()
        first.mouse.click(180, 260)
        wait_rows(second, COUNT + 1)
        second.mouse.click(230, 300)
        shown = wait_rows(first, COUNT + 2)
        assert wait_rows(second, COUNT + 2) == shown
        second.context.close()  # in the middle of the work
        sweep(first)
        take(first, "Select")
        select_box(first, (20, 160), (390, 470))
        press(first, "fixed")
        first.wait_for_function(
            "() => [...document.querySelectorAll('table.landmarks tr')]"
            ".filter(row => row.cells[2].innerText == 'fixed').length > 3"
        )
        press(first, "Save")
        dialog = first.get_by_role("dialog")
        dialog.get_by_text("not written by gplandmark").wait_for()
        assert foreign.read_text() == before
        dialog.get_by_role("button", name="Overwrite").click()
        wait_status(first, f"Saved 8 landmarks to {foreign.name}.")
        assert len(read_landmarks(foreign)) == COUNT + 2
        assert process.poll() is None
