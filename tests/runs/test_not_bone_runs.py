# SPDX-License-Identifier: MIT
"""What is painted as not bone: painted in the viewer, and left out by every command."""

import csv
import json
import warnings

import numpy as np
import pytest
from commands import in_process
from conftest import PATIENCE
from result_folders import write_off, write_results, write_scans
from viewer_page import is_still, says, shows

from gplandmark import MolarShape, Surface, make_molar, read_landmarks
from gplandmark.errors import GplandmarkWarning, LandmarkFileError
from gplandmark.io.scans.not_bone import not_bone_file
from gplandmark.runs.discover import ScanFile, find_scans
from gplandmark.runs.engine.sent_files import call_with_files, with_contents
from gplandmark.runs.place_job import PlacementTask, place_on_scan
from gplandmark.runs.place_request import Request
from gplandmark.runs.viewing.collection import open_collection
from gplandmark.runs.viewing.collection_view import CollectionView
from gplandmark.runs.viewing.edits import edit
from gplandmark.runs.viewing.specimen_content import page_content

DOWN = [[0, 0, 9], [0, 0, -1]]
PAINT = {"edit": "paint not bone", "ray": DOWN, "radius": 0.3}


@pytest.fixture
def scans(tmp_path):
    return write_scans(tmp_path / "scans")


@pytest.fixture
def view(scans):
    made = CollectionView(open_collection(scans))
    yield made
    made.close()


def listed(scan, name):
    lines = not_bone_file(scan, name).read_text().splitlines()
    return [int(line) for line in lines if not line.startswith("#")]


def test_a_list_of_what_is_not_bone_that_belongs_to_no_scan_is_said(tmp_path):
    scans = write_scans(tmp_path / "scans")
    (scans / "tooth0.not-bone.txt").write_text("0\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error", GplandmarkWarning)
        find_scans([scans])
    (scans / "tooth0.not-bone.txt").rename(scans / "tooth-0.not-bone.txt")
    with pytest.warns(GplandmarkWarning, match="tooth-0.not-bone.txt lists what is not bone"):
        find_scans([scans])


def test_paint_is_saved_beside_the_scan_and_shown_again(view, scans):
    opened = view.opened("tooth0")
    assert edit(opened, PAINT) == "Done: paint not bone."
    assert page_content(opened)["notBone"] > 0.02
    assert not not_bone_file(scans / "tooth0.off", "tooth0").exists()
    done, question = view.save("tooth0", opened.output, is_agreed=False)
    assert "vertices that are not bone to" in done
    assert question == ""
    numbers = listed(scans / "tooth0.off", "tooth0")
    hit = opened.drawn.pose.in_scene(opened.surface.points[numbers])
    assert np.linalg.norm(hit[:, :2], axis=1).max() < 0.31
    assert not opened.output.exists()  # no landmark was changed, so that none is written
    assert not opened.has_unsaved
    again = CollectionView(open_collection(scans))
    assert page_content(again.opened("tooth0"))["notBone"] == page_content(opened)["notBone"]
    assert again.opened("tooth0").surface.vertex_count == opened.surface.vertex_count
    again.close()


def test_paint_can_be_erased_undone_cleared_and_discarded(view, scans):
    opened = view.opened("tooth0")
    edit(opened, PAINT)
    share = page_content(opened)["notBone"]
    edit(opened, {**PAINT, "erase": True, "radius": 0.15})
    assert 0 < page_content(opened)["notBone"] < share
    edit(opened, {"edit": "undo"})
    assert page_content(opened)["notBone"] == share
    assert edit(opened, {"edit": "clear not bone"}) == "Done: clear not bone."
    assert page_content(opened)["notBone"] == 0
    assert not opened.has_unsaved
    edit(opened, {"edit": "undo"})
    assert opened.has_unsaved
    edit(opened, {"edit": "discard"})
    assert page_content(opened)["notBone"] == 0


def test_unsaved_paint_is_there_after_a_crash(view, scans):
    edit(view.opened("tooth0"), PAINT)
    share = page_content(view.opened("tooth0"))["notBone"]
    view.close()
    again = CollectionView(open_collection(scans))
    assert page_content(again.opened("tooth0"))["notBone"] == share
    assert "recovered" in again.opened("tooth0").recovered
    again.close()


def test_landmarks_and_paint_are_saved_together(view, scans):
    opened = view.opened("tooth0")
    edit(opened, PAINT)
    edit(opened, {"edit": "place", "count": 12})
    done, _ = view.save("tooth0", opened.output, is_agreed=False)
    assert "Saved 12 landmarks" in done
    assert "not bone" in done
    numbers = set(listed(scans / "tooth0.off", "tooth0"))
    assert not numbers & set(read_landmarks(opened.output).vertices.tolist())


def test_landmarks_are_saved_even_if_the_paint_cannot_be(view, scans, monkeypatch):
    opened = view.opened("tooth0")
    edit(opened, PAINT)
    edit(opened, {"edit": "place", "count": 5})

    def fails(*_):
        raise LandmarkFileError("The scans are read-only.")

    monkeypatch.setattr("gplandmark.runs.viewing.saving.write_not_bone", fails)
    with pytest.raises(LandmarkFileError, match="read-only"):
        view.save("tooth0", opened.output, is_agreed=False)
    assert len(read_landmarks(opened.output)) == 5
    assert opened.has_unsaved
    monkeypatch.undo()
    assert "not bone" in view.save("tooth0", opened.output, is_agreed=False)[0]


def test_painting_leaves_the_landmarks_of_results_as_they_are(tmp_path, scans):
    results = write_results(tmp_path / "matched", scans)
    before = {path: path.read_bytes() for path in (results / "landmarks").iterdir()}
    view = CollectionView(open_collection(results))
    edit(view.opened("tooth0"), PAINT)
    view.save("tooth0", view.opened("tooth0").output, is_agreed=False)
    view.close()
    assert {path: path.read_bytes() for path in (results / "landmarks").iterdir()} == before
    assert listed(scans / "tooth0.off", "tooth0")


def test_paint_of_another_program_is_shown(view, scans):
    opened = view.opened("tooth0")
    not_bone_file(scans / "tooth0.off", "tooth0").write_text("1\n2\n")
    view.refresh()
    assert page_content(opened)["notBone"] == pytest.approx(2 / opened.surface.vertex_count)


def test_the_brush_stays_on_one_side_of_a_thin_bone(tmp_path):
    side = 30
    x, y = np.meshgrid(np.linspace(-1, 1, side), np.linspace(-1, 1, side))
    sheet = np.column_stack([x.ravel(), y.ravel(), np.zeros(side**2)])
    at = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).ravel()
    faces = np.vstack([np.column_stack([at, at + 1, at + side]),
                       np.column_stack([at + 1, at + side + 1, at + side])])  # fmt: skip
    both = np.vstack([faces, faces[:, ::-1] + side**2])
    rim = [k for k in range(side**2) if k % side == 0][:2]
    both = np.vstack([both, [[rim[0], rim[1], rim[0] + side**2]]])  # joined at one edge
    tmp_path.joinpath("scans").mkdir()
    write_off(
        tmp_path / "scans" / "blade.off",
        Surface(np.vstack([sheet, sheet + np.array([0, 0, 0.02])]), both),
    )
    view = CollectionView(open_collection(tmp_path / "scans"))
    opened = view.opened("blade")
    edit(opened, {**PAINT, "radius": 0.1})
    view.save("blade", opened.output, is_agreed=False)
    sides = {number // side**2 for number in listed(tmp_path / "scans" / "blade.off", "blade")}
    assert len(sides) == 1
    view.close()


def test_suspicious_regions_are_proposed(tmp_path):
    folder = tmp_path / "scans"
    folder.mkdir()
    molar = make_molar(0, vertex_count=6000).surface
    points = molar.points.copy()
    points[:, 2] = np.minimum(points[:, 2], np.quantile(points[:, 2], 0.92))
    write_off(folder / "sawn.off", Surface(points, molar.triangles))
    write_off(folder / "whole.off", molar)
    view = CollectionView(open_collection(folder))
    asked = {"edit": "propose not bone"}
    assert edit(view.opened("sawn"), asked) == "Done: paint suspicious regions."
    assert 0.01 < page_content(view.opened("sawn"))["notBone"] < 0.2
    assert "No suspicious region was found" in edit(view.opened("whole"), asked)
    view.close()


def rows(folder):
    with (folder / "summary.csv").open() as file:
        return {row["specimen"]: row for row in csv.DictReader(file)}


def test_batch_leaves_the_paint_out_and_does_a_scan_again_when_it_changes(tmp_path, scans):
    place = ("batch", scans, "-n", "8", "-o", "out", "--workers", "0")
    in_process(*place, cwd=tmp_path)
    before = read_landmarks(tmp_path / "out" / "landmarks" / "tooth0.mrk.json").vertices
    painted = not_bone_file(scans / "tooth0.off", "tooth0")
    painted.write_text("".join(f"{number}\n" for number in before[:3]))
    said = in_process(*place, cwd=tmp_path)
    assert "what is painted as not bone changed" in said.stdout + said.stderr
    assert "What is painted as not bone was left out on tooth0." in said.stderr
    after = read_landmarks(tmp_path / "out" / "landmarks" / "tooth0.mrk.json")
    assert not set(before[:3].tolist()) & set(after.vertices.tolist())
    assert "not bone left out" in rows(tmp_path / "out")["tooth0"]["repairs"]
    assert "changed" not in in_process(*place, cwd=tmp_path).stdout
    painted.unlink()
    in_process(*place, cwd=tmp_path)
    again = read_landmarks(tmp_path / "out" / "landmarks" / "tooth0.mrk.json").vertices
    assert again.tolist() == before.tolist()


def test_the_list_is_sent_to_workers_with_the_scan(scans):
    not_bone_file(scans / "tooth0.off", "tooth0").write_text("5\n6\n7\n")
    task = PlacementTask(ScanFile("tooth0", scans / "tooth0.off"), Request(6))
    found = call_with_files(place_on_scan, with_contents(task))
    record = json.loads(found.files["landmarks.record.json"])
    assert record["input"]["cleaning"]["findings"]["not_bone"]["count"] == 3


PLACES = np.array([[0.36, 0.36], [0.3, -0.38], [-0.3, 0.0], [0.0, 0.7], [0.1, -0.8]])


@pytest.fixture(scope="module")
def painted_sample(tmp_path_factory):
    """Three similar molars with an expert's landmarks; around the third, one is not bone."""
    folder = tmp_path_factory.mktemp("sample")
    (folder / "scans").mkdir()
    for seed in (4, 5, 6):
        molar = make_molar(seed, vertex_count=1500, shape=MolarShape(variation=0.04))
        points = molar.surface.points
        write_off(folder / "scans" / f"m{seed}.off", molar.surface)
        np.savetxt(
            folder / f"m{seed}.csv", molar.at(PLACES), delimiter=",", header="x,y,z", comments=""
        )
        if seed == 6:
            near = np.linalg.norm(points - molar.at(PLACES)[2], axis=1) < 0.1 * np.ptp(points)
            text = "".join(f"{number}\n" for number in np.flatnonzero(near))
            not_bone_file(folder / "scans" / "m6.off", "m6").write_text(text)
    return folder


def missing(path):
    return np.flatnonzero(read_landmarks(path).missing).tolist()


@pytest.mark.parametrize(
    "words",
    [
        ("transfer", "scans/m4.off", "m4.csv", "scans/m6.off", "-o", "one.mrk.json", "-q"),
        pytest.param(
            ("transfer", "scans/m4.off", "m4.csv", "scans", "-o", "all", "--workers", "0", "-q"),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_transfer_carries_no_landmark_onto_paint(painted_sample, words):
    done = in_process(*words, "--never-mirrored", "--least", "0", cwd=painted_sample)
    assert done.returncode == 0, done.stderr
    written = painted_sample / (
        "one.mrk.json" if "one.mrk.json" in words else "all/landmarks/m6.mrk.json"
    )
    assert missing(written) == [2]
    record = json.loads(
        written.with_name(written.name.replace(".mrk.json", ".record.json")).read_text()
    )
    assert record["outcome"]["not_on_this_fragment"] == [read_landmarks(written).labels[2]]


@pytest.mark.slow
def test_match_and_predict_leave_paint_out(painted_sample):
    common = ("--never-mirrored", "--least", "0", "--workers", "0", "-q")
    done = in_process(
        "match",
        "scans",
        "-n",
        "12",
        "--reference",
        "m4",
        "-o",
        "matched",
        *common,
        cwd=painted_sample,
    )
    assert done.returncode == 0, done.stderr
    scan = painted_sample / "scans" / "m6.off"
    points = make_molar(6, vertex_count=1500, shape=MolarShape(variation=0.04)).surface.points
    painted = points[listed(scan, "m6")]
    found = read_landmarks(painted_sample / "matched" / "landmarks" / "m6.mrk.json")
    there = found.points[~found.missing]
    apart = np.linalg.norm(there[:, None] - painted, axis=2).min(axis=1)
    assert apart.min() > 0
    (painted_sample / "expert").mkdir()
    for seed in (4, 5):
        (painted_sample / "expert" / f"m{seed}.csv").write_text(
            (painted_sample / f"m{seed}.csv").read_text()
        )
    done = in_process("predict", "scans", "expert", "-o", "predicted", *common, cwd=painted_sample)
    assert done.returncode in (0, 3), done.stderr
    assert missing(painted_sample / "predicted" / "landmarks" / "m6.mrk.json") == [2]


@pytest.mark.slow
def test_a_person_paints_in_the_browser(scans, serve, open_page):
    page = open_page(serve(scans).address)
    page.set_default_timeout(PATIENCE)
    shows(page, "tooth0")
    page.keyboard.press("7")
    assert page.get_by_role("radio", name="Not bone (7)").get_attribute("aria-checked") == "true"
    assert page.get_by_role("button", name="Propose suspicious regions").is_visible()
    is_still(page)
    box = page.locator("#overlay").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y + 10, steps=4)
    page.mouse.up()
    says(page, "Done: paint not bone.")
    share = page.locator("#not-bone-share")
    page.evaluate("() => window.gplandmark.app.queue")  # all strokes are done
    before = share.inner_text()
    assert not before.startswith("0.0 %")
    radius = float(page.locator("#radius").input_value())
    page.keyboard.press("]")
    assert float(page.locator("#radius").input_value()) > radius
    page.keyboard.press("e")
    page.mouse.click(x, y)
    says(page, "Done: erase not bone.")
    assert share.inner_text() != before
    page.keyboard.press("Control+z")
    says(page, "Undone: erase not bone.")
    assert share.inner_text() == before
    page.keyboard.press("Control+s")
    says(page, "vertices that are not bone to")
    assert len(listed(scans / "tooth0.off", "tooth0")) > 5
    page.reload()
    shows(page, "tooth0")
    page.keyboard.press("7")
    assert share.inner_text() == before
    page.get_by_role("button", name="Clear all violet").click()
    says(page, "Done: clear not bone.")
    assert share.inner_text().startswith("0.0 %")
