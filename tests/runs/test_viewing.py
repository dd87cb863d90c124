"""A collection for the viewer: what is listed, opened, edited, saved and checked."""

import json
import os
import threading
import time
import urllib.error
import urllib.request

import numpy as np
import pytest
import trimesh
from result_folders import (
    LANDMARKS,
    hollow_ball,
    molar_with_landmarks,
    write_off,
    write_results,
    write_scans,
)

from gplandmark import Surface, read
from gplandmark.errors import (
    GplandmarkError,
    LandmarkFileError,
    ScanError,
    SettingsError,
)
from gplandmark.io.landmark_files import read_collection, read_landmarks
from gplandmark.io.write_landmarks import write
from gplandmark.landmarks import Landmarks
from gplandmark.runs.checked import read_checked
from gplandmark.runs.reports.viewer_links import open_command
from gplandmark.runs.run_folder import open_run_folder
from gplandmark.runs.viewing.collection import open_collection
from gplandmark.runs.viewing.collection_view import KEPT, CollectionView
from gplandmark.runs.viewing.colours import colours_of, file_colours
from gplandmark.runs.viewing.delayed_call import DelayedCall
from gplandmark.runs.viewing.edits import edit, locate
from gplandmark.runs.viewing.poses import common_pose, turned_onto
from gplandmark.runs.viewing.specimen_content import count_inside, page_content
from gplandmark.visual.editor import autosave_path
from gplandmark.visual.viewer.framing import scene_pose

DOWN = [[0, 0, 9], [0, 0, -1]]


@pytest.fixture
def results(tmp_path):
    scans = write_scans(tmp_path / "scans")
    return write_results(tmp_path / "matched", scans)


@pytest.fixture
def view(results):
    made = CollectionView(open_collection(results))
    yield made
    made.close()


def states(view):
    return {row["key"]: row["state"] for row in view.listing()["specimens"]}


def test_results_are_listed_worst_first(view):
    rows = view.listing()["specimens"]
    assert [row["key"] for row in rows] == ["broken", "tooth0", "tooth1", "tooth2"]
    assert rows[0]["failure"] == "It has no faces."
    assert rows[1]["uncertainty"] == pytest.approx(0.3 / 2)
    assert states(view) == dict.fromkeys(["tooth0", "tooth1", "tooth2"], "untouched") | {
        "broken": "failed"
    }
    assert view.collection.reference == "tooth2"


def test_scans_that_moved_are_found_by_name(results, tmp_path):
    (tmp_path / "scans").rename(tmp_path / "moved")
    assert "--scans" in open_collection(results).specimens[0].failure
    found = open_collection(results, tmp_path / "moved")
    assert [each.key for each in found.specimens if each.failure] == ["broken"]
    assert found.specimens[1].scan == tmp_path / "moved" / "tooth0.off"


def test_a_folder_of_scans_is_listed_with_the_landmark_files_beside(tmp_path):
    scans = write_scans(tmp_path / "scans")
    write(molar_with_landmarks(0)[1], scans / "tooth0.mrk.json")
    np.savetxt(scans / "tooth1.csv", [[0, 0, 0]])
    theirs = Landmarks.at(molar_with_landmarks(2)[1].points, "tooth2")
    write(theirs, scans / "tooth2.fcsv")
    (scans / "tooth2.record.json").unlink()
    found = {each.key: each for each in open_collection(scans).specimens}
    assert found["tooth0"].output == scans / "tooth0.mrk.json"
    assert found["tooth2"].landmarks == scans / "tooth2.fcsv"
    assert found["tooth2"].output == scans / "tooth2.edited.mrk.json"  # not the expert's


@pytest.mark.parametrize("content", [None, "landmarks.csv"])
def test_a_folder_without_scans_is_refused(tmp_path, content):
    if content:
        (tmp_path / content).write_text("name,x,y,z\n")
    with pytest.raises(ScanError, match="no scan"):
        open_collection(tmp_path)


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ScanError, match="no such folder"):
        open_collection(tmp_path / "what")


def test_looking_writes_nothing(view, results):
    before = sorted(results.rglob("*"))
    opened = view.opened("tooth0")
    page_content(opened)
    view.opened("tooth1").drawn.mesh_message()
    assert sorted(results.rglob("*")) == before
    marks = page_content(opened)["marks"]
    assert [mark["label"] for mark in marks] == [str(at + 1) for at in range(LANDMARKS)]
    assert marks[0]["radius"] == pytest.approx(0.3)


def test_points_of_the_scene_are_those_of_the_file(view):
    opened = view.opened("tooth1")
    mark = page_content(opened)["marks"][2]
    expected = molar_with_landmarks(1)[1].points[2]
    assert np.allclose(opened.drawn.pose.in_file(np.array([mark["point"]]))[0], expected)
    assert np.allclose(mark["file"], expected, rtol=0, atol=0)


def test_an_edit_is_kept_at_once_and_saved_by_save(view, results):
    opened = view.opened("tooth0")
    path = results / "landmarks" / "tooth0.mrk.json"
    before = path.read_bytes()
    assert edit(opened, {"edit": "add", "ray": DOWN, "label": "tip"}) == "Done: add tip."
    assert path.read_bytes() == before
    assert autosave_path(path).exists()
    assert view.listing()["specimens"][1]["unsaved"]
    done, question = view.save("tooth0", path, is_agreed=False)
    assert f"Saved {LANDMARKS + 1} landmarks" in done
    assert not question
    assert read_landmarks(path).labels[-1] == "tip"
    assert not autosave_path(path).exists()
    assert states(view)["tooth0"] == "corrected"


def test_a_corrected_landmark_has_no_radius_any_more(view):
    opened = view.opened("tooth0")
    edit(opened, {"edit": "move", "id": 3, "ray": DOWN})
    marks = page_content(opened)["marks"]
    assert marks[3]["radius"] is None
    assert marks[3]["author"] == "human"
    assert marks[2]["radius"] is not None


@pytest.mark.parametrize(
    ("asked", "labels"),
    [
        ({"edit": "delete", "ids": [0, 1]}, "3456"),
        ({"edit": "rename", "id": 2, "label": " m "}, "12m456"),
        ({"edit": "reorder", "id": 2, "by": 1}, "124356"),
        ({"edit": "kind", "ids": [0], "kind": "semi"}, "123456"),
        ({"edit": "paint", "ray": DOWN, "radius": 0.3}, "123456"),
        ({"edit": "place", "count": 1}, "1234567"),
    ],
)
def test_edits_can_be_undone_and_redone(view, asked, labels):
    opened = view.opened("tooth1")
    before = opened.editor.state
    edit(opened, asked)
    after = opened.editor.state
    assert "".join(mark.label for mark in after.marks) == labels
    assert edit(opened, {"edit": "undo"}).startswith("Undone")
    assert opened.editor.state == before
    assert not opened.has_unsaved
    assert edit(opened, {"edit": "redo"}).startswith("Redone")
    assert opened.editor.state == after
    assert edit(opened, {"edit": "redo"}) == "Nothing to redo."


ASIDE = [[0.3, 0, 9], [0, 0, -1]]


def test_a_curve_is_drawn_named_divided_and_saved(view, results):
    opened = view.opened("tooth1")
    assert edit(opened, {"edit": "draw", "curve": "", "ray": DOWN}) == "Done: draw curve1."
    edit(opened, {"edit": "draw", "curve": "curve1", "id": 2})
    edit(opened, {"edit": "draw", "curve": "curve1", "ray": ASIDE})
    first = page_content(opened)["curves"][0]["ids"][0]
    edit(opened, {"edit": "rename curve", "curve": "curve1", "name": "rim"})
    edit(opened, {"edit": "close curve", "curve": "rim", "closed": True})
    edit(opened, {"edit": "insert", "curve": "rim", "after": first, "ray": ASIDE})
    curve = page_content(opened)["curves"][0]
    assert (curve["name"], curve["closed"], len(curve["ids"])) == ("rim", True, 4)
    assert len(curve["paths"]) == 4
    assert np.allclose(curve["paths"][0][0], page_content(opened)["marks"][-3]["point"], atol=1e-5)
    edit(opened, {"edit": "draw", "curve": "ridge", "ray": DOWN})  # a name from elsewhere
    edit(opened, {"edit": "draw", "curve": "ridge", "ray": ASIDE})
    assert "evenly" in edit(opened, {"edit": "space evenly", "curve": "ridge", "count": 5})
    assert "Saved" in view.save("tooth1", opened.output, is_agreed=False)[0]
    found = read_landmarks(results / "landmarks" / "tooth1.mrk.json").curves
    assert [(each.name, len(each.members)) for each in found] == [("rim", 4), ("ridge", 5)]
    edit(opened, {"edit": "delete curve", "curve": "rim"})
    assert [each["name"] for each in page_content(opened)["curves"]] == ["ridge"]
    edit(opened, {"edit": "undo"})
    assert not opened.has_unsaved


@pytest.mark.filterwarnings("ignore::gplandmark.errors.GplandmarkWarning")
def test_saving_says_what_a_format_cannot_hold(view, tmp_path):
    opened = view.opened("tooth1")
    for ray in (DOWN, ASIDE):
        edit(opened, {"edit": "draw", "curve": "ridge", "ray": ray})
    done, _ = view.save("tooth1", tmp_path / "tooth1.fcsv", is_agreed=False)
    assert "cannot hold the curves" in done


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"edit": "close curve", "curve": "what", "closed": True}, "no curve what"),
        ({"edit": "space evenly", "curve": "what", "count": "x"}, "not understood"),
        ({"edit": "draw", "curve": "a:b", "ray": DOWN}, "no name for a curve"),
        ({"edit": "add", "ray": [[9, 9, 9], [0, 0, 1]]}, "missed"),
        ({"edit": "move", "id": 99, "ray": DOWN}, "not there any more"),
        ({"edit": "reorder", "id": 0, "by": -1}, "already the first"),
        ({"edit": "explode"}, "not understood"),
        ({"edit": "add", "ray": "up"}, "not understood"),
        ({"edit": "rename", "id": 0, "label": "2"}, "2"),
    ],
)
def test_impossible_edits_change_nothing(view, results, asked, message):
    opened = view.opened("tooth1")
    before = opened.editor.state
    with pytest.raises(SettingsError, match=message):
        edit(opened, asked)
    assert opened.editor.state == before
    assert not autosave_path(results / "landmarks" / "tooth1.mrk.json").exists()


def test_unsaved_edits_are_there_after_a_crash_and_can_be_discarded(view, results):
    edit(view.opened("tooth0"), {"edit": "delete", "ids": [0]})
    view.close()  # what the operating system does when the program is killed
    again = CollectionView(open_collection(results))
    opened = again.opened("tooth0")
    assert "recovered" in page_content(opened)["recovered"]
    assert len(page_content(opened)["marks"]) == LANDMARKS - 1
    edit(opened, {"edit": "discard"})
    assert len(page_content(opened)["marks"]) == LANDMARKS
    assert not autosave_path(results / "landmarks" / "tooth0.mrk.json").exists()
    again.close()


def test_of_two_programs_only_one_edits_and_both_show_it(view, results):
    other = CollectionView(open_collection(results))
    edit(view.opened("tooth0"), {"edit": "delete", "ids": [0]})
    assert other.listing()["specimens"][1]["elsewhere"]
    assert page_content(other.opened("tooth0"))["elsewhere"]
    with pytest.raises(LandmarkFileError, match="being edited"):
        edit(other.opened("tooth0"), {"edit": "delete", "ids": [1]})
    view.save("tooth0", view.opened("tooth0").output, is_agreed=False)
    other.refresh()
    assert len(page_content(other.opened("tooth0"))["marks"]) == LANDMARKS - 1
    edit(other.opened("tooth0"), {"edit": "delete", "ids": [0]})
    other.close()


def test_a_file_that_changed_meanwhile_is_shown_before_it_is_edited(view, results):
    opened = view.opened("tooth0")
    path = results / "landmarks" / "tooth0.mrk.json"
    path.write_bytes((results / "landmarks" / "tooth1.mrk.json").read_bytes())
    with pytest.raises(LandmarkFileError, match="changed by another program"):
        edit(opened, {"edit": "delete", "ids": [0]})
    assert len(page_content(opened)["marks"]) == LANDMARKS
    edit(opened, {"edit": "delete", "ids": [0]})


def test_a_file_of_another_program_is_replaced_only_if_a_person_agrees(view, tmp_path):
    theirs = tmp_path / "expert.csv"
    theirs.write_text("name,x,y,z\na,1,2,3\n")
    edit(view.opened("tooth0"), {"edit": "delete", "ids": [0]})
    done, question = view.save("tooth0", theirs, is_agreed=False)
    assert not done
    assert "not written by gplandmark" in question
    assert theirs.read_text().startswith("name")
    with pytest.raises(GplandmarkError, match="input"):
        view.save("tooth0", view.opened("tooth0").specimen.scan, is_agreed=True)
    done, _ = view.save("tooth0", theirs, is_agreed=True)
    assert len(read_landmarks(theirs)) == LANDMARKS - 1


def test_checked_is_a_line_in_the_folder_and_survives(view, results):
    assert "checked" in view.check("tooth1", True)
    assert read_checked(results) == {"tooth1"}
    assert states(CollectionView(open_collection(results)))["tooth1"] == "checked"
    view.check("tooth1", False)
    assert states(view)["tooth1"] == "untouched"


def test_a_checked_file_that_is_damaged_is_reported(view, results):
    (results / "checked.txt").write_bytes(b"\xff\xff")
    assert "UTF-8" in view.listing()["problem"]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser can write everywhere")
def test_a_read_only_folder_can_be_viewed_but_not_edited(view, results):
    (results / "landmarks").chmod(0o500)
    try:
        opened = view.opened("tooth0")
        with pytest.raises(LandmarkFileError, match="not writable"):
            edit(opened, {"edit": "delete", "ids": [0]})
        assert len(page_content(opened)["marks"]) == LANDMARKS
    finally:
        (results / "landmarks").chmod(0o700)


def test_a_specimen_that_cannot_be_read_says_why(view):
    with pytest.raises(ScanError):
        view.opened("broken")
    with pytest.raises(SettingsError, match="no specimen"):
        view.opened("what")


def test_only_the_last_specimens_stay_in_memory(tmp_path):
    scans = write_scans(tmp_path / "scans", 3)
    for number in range(KEPT + 1):
        (scans / f"copy{number}.off").write_bytes((scans / "tooth0.off").read_bytes())
    view = CollectionView(open_collection(scans))
    first = view.opened("copy0")
    edit(first, {"edit": "add", "ray": DOWN})
    for number in range(1, KEPT + 1):
        view.opened(f"copy{number}")
    again = view.opened("copy0")
    assert again is not first
    assert len(page_content(again)["marks"]) == 1  # from its autosave
    view.close()


def test_matched_specimens_are_shown_in_the_pose_of_the_reference(random):
    points = random.normal(size=(5, 3))
    turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
    assert np.allclose(turned_onto(points, points @ turn.T + 1), turn)


def test_a_left_specimen_is_shown_as_the_mirror_image_of_a_right_one(random):
    surface, landmarks = molar_with_landmarks(0)
    turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
    for sign in (1, -1):
        flip = turn * sign * np.sign(np.linalg.det(turn))  # a rotation, or a reflection
        other = Surface(surface.points @ flip.T, surface.faces(), "other")
        marks = Landmarks.at(landmarks.points @ flip.T, "other", labels=landmarks.labels)
        ours = scene_pose(surface)
        pose = common_pose(other, marks, ours.axes, landmarks)
        assert pose.is_mirrored == (sign < 0)
        expected = ours.in_scene(surface.points) * [sign, 1, 1]
        assert np.allclose(pose.in_scene(other.points), expected)


def test_landmarks_that_no_side_shows_are_counted(tmp_path):
    ball = hollow_ball()
    write_off(tmp_path / "ball.off", ball)
    write(Landmarks.at(ball.points[[3, 700, 900]], "ball"), tmp_path / "ball.csv")
    view = CollectionView(open_collection(tmp_path))
    assert count_inside(view.opened("ball")) == 2
    edit(view.opened("ball"), {"edit": "delete", "ids": [1]})
    assert count_inside(view.opened("ball")) == 1
    view.close()


def test_a_click_is_located_in_the_file(view):
    opened = view.opened("tooth0")
    found = locate(opened, {"ray": DOWN})
    at = opened.drawn.pose.in_scene(np.array([found["point"]]))[0]
    assert np.allclose(at[:2], 0)


def test_a_thumbnail_is_a_picture_and_a_broken_scan_has_none(view):
    assert view.thumbnail("tooth0").startswith(b"\x89PNG")
    assert view.thumbnail("broken") == b""


@pytest.fixture
def served(view):
    pytest.importorskip("starlette")
    from gplandmark.runs.viewing.api import routes
    from gplandmark.visual.viewer.web_server import page_application, start_web_server

    server = start_web_server(page_application(routes(view)))
    yield server
    server.stop()


def fetch(url, content=None, headers=()):
    data = None if content is None else json.dumps(content).encode()
    sent = {"Content-Type": "application/json", **dict(headers)}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, sent), timeout=60) as answer:
            return answer.status, answer.read(), answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read(), error.headers


def test_nothing_is_served_without_the_secret_or_to_other_sites(served):
    bare = f"http://127.0.0.1:{served.port}/"
    assert fetch(bare)[0] == 403
    assert fetch(f"{bare}wrong/api/collection")[0] == 403
    assert fetch(f"{served.address}api/collection", headers={"Host": "evil.example"})[0] == 403
    evil = {"Origin": "http://evil.example"}
    assert fetch(f"{served.address}api/check", {"key": "tooth0", "checked": True}, evil)[0] == 403
    status, _, headers = fetch(served.address)
    assert status == 200
    assert "default-src 'none'" in headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("edit", {"key": "tooth0", "edit": "explode"}, "not understood"),
        ("edit", {}, "without 'key'"),
        ("edit", [1], "not understood"),
        ("check", {"key": "what", "checked": True}, "no specimen"),
        ("specimen?key=broken", None, "broken"),
        ("colours?key=tooth0&colouring=red", None, "no colouring"),
        ("colours?key=tooth0&colouring=scan", None, "no colours of its own"),
        ("colours?key=tooth0&colouring=variance&step=x", None, "not understood"),
    ],
)
def test_bad_requests_get_a_sentence(served, name, content, message):
    status, body, _ = fetch(f"{served.address}api/{name}", content)
    assert status == 400
    assert message in json.loads(body)["error"]


@pytest.mark.parametrize("colouring", ["bone", "variance", "curvature", "weight"])
def test_every_vertex_has_a_colour(served, view, colouring):
    url = f"{served.address}api/colours?key=tooth0&colouring={colouring}"
    status, body, _ = fetch(url)
    assert status == 200
    length = int.from_bytes(body[:4], "little")
    heading = json.loads(body[4 : 4 + length])
    assert heading["vertices"] == len(view.opened("tooth0").drawn.mesh.vertices)
    assert len(body) == 4 + length + 4 * heading["vertices"]
    assert (heading["scale"] is None) == (colouring == "bone")


def test_a_report_shows_the_command_and_in_the_viewer_a_link(view, results, served):
    (results / "report.html").write_text(f"<h3>a</h3>{open_command('site/a & b')}")
    assert "gplandmark view . --specimen &#x27;site/a &amp; b&#x27;" in open_command("site/a & b")
    assert view.listing()["report"]
    status, body, headers = fetch(f"{served.address}report")
    assert status == 200
    assert b'href="./#site/a%20%26%20b"' in body
    assert b"--specimen" not in body
    assert "sandbox" in headers["Content-Security-Policy"]


def test_a_folder_without_a_report_says_so(view, served):
    assert not view.listing()["report"]
    assert fetch(f"{served.address}report")[0] == 400


def test_a_specimen_to_begin_with_must_be_there(results):
    collection = open_collection(results)
    assert CollectionView(collection, first="tooth2").listing()["first"] == "tooth2"
    with pytest.raises(SettingsError, match="no specimen"):
        CollectionView(collection, first="what")


def test_colours_in_a_scan_are_shown(tmp_path):
    surface = molar_with_landmarks(0)[0]
    colours = np.zeros((surface.vertex_count, 3), dtype=np.uint8)
    colours[:, 0] = 200
    trimesh.Trimesh(surface.points, surface.faces(), vertex_colors=colours, process=False).export(
        tmp_path / "red.ply"
    )
    view = CollectionView(open_collection(tmp_path))
    sent = colours_of(view.opened("red"), "scan", None)
    rows = np.frombuffer(sent, dtype=np.uint8)[-4 * surface.vertex_count :].reshape(-1, 4)
    assert (rows == [200, 0, 0, 255]).all()
    view.close()


def test_a_texture_is_shown_at_the_vertices_also_across_its_seams(tmp_path):
    image = pytest.importorskip("PIL.Image")
    picture = image.new("RGB", (2, 1))
    picture.putdata([(200, 0, 0), (0, 0, 200)])
    picture.save(tmp_path / "picture.png")
    (tmp_path / "m.mtl").write_text("newmtl skin\nmap_Kd picture.png\n")
    rows = ["mtllib m.mtl", "v 0 0 0", "v 1 0 0", "v 1 1 0", "v 0 1 0", "vt 0.1 0.5", "vt 0.9 0.5"]
    rows += ["usemtl skin", "f 1/1 2/1 3/1", "f 1/2 3/2 4/2"]  # both triangles share an edge
    (tmp_path / "m.obj").write_text("\n".join(rows) + "\n")
    found = file_colours(tmp_path / "m.obj", read(tmp_path / "m.obj"))
    assert np.round(255 * found[[1, 3]]).tolist() == [[200, 0, 0], [0, 0, 200]]
    assert len(found) == 4


def test_joint_files_and_summary_follow_a_correction(view, results):
    edit(view.opened("tooth0"), {"edit": "move", "id": 3, "ray": DOWN})
    view.save("tooth0", view.opened("tooth0").output, is_agreed=False)
    view.close()  # finishes what was asked for
    saved = read_landmarks(results / "landmarks" / "tooth0.mrk.json").points
    joint = {each.specimen: each for each in read_collection(results / "collection/landmarks.csv")}
    assert np.array_equal(joint["tooth0"].points, saved)
    rows = (results / "summary.csv").read_text().splitlines()
    assert any(row.startswith("tooth0,edited") for row in rows)


def test_a_run_that_writes_into_the_folder_delays_the_joint_files(view, results):
    with open_run_folder(results, "match"):
        edit(view.opened("tooth0"), {"edit": "delete", "ids": [0]})
        view.save("tooth0", view.opened("tooth0").output, is_agreed=False)
        end = time.monotonic() + 60
        while not view.listing()["problem"] and time.monotonic() < end:
            time.sleep(0.05)
        assert "not up to date yet" in view.listing()["problem"]


def test_requests_that_follow_each_other_are_one_call():
    called = threading.Event()
    times = []

    def work():
        times.append(1)
        called.set()
        raise SettingsError("Saving says so.")

    delayed = DelayedCall(work, 0.2)
    delayed.cancel()
    for _ in range(5):
        delayed.request()
    assert called.wait(60)
    delayed.request()
    delayed.cancel()
    assert times == [1]


def test_later_answers_have_larger_versions_also_of_another_viewer(view, results):
    versions = [page_content(view.opened("tooth0"))["version"]]
    edit(view.opened("tooth0"), {"edit": "delete", "ids": [0]})
    versions.append(page_content(view.opened("tooth0"))["version"])
    edit(view.opened("tooth0"), {"edit": "undo"})
    versions.append(page_content(view.opened("tooth0"))["version"])
    view.close()
    again = CollectionView(open_collection(results))
    versions.append(page_content(again.opened("tooth0"))["version"])
    again.close()
    assert versions == sorted(set(versions))
