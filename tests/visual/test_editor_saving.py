"""What is saved: the file's numbers, and a record of what a person changed."""

import json
import re
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
from conftest import SMALL

from gplandmark import (
    AuthorsSettings,
    GplandmarkWarning,
    LandmarkFileError,
    Landmarks,
    Record,
    Surface,
    covariance,
    make_molar,
    place,
    read,
    read_landmarks,
    write,
)
from gplandmark.gp.conditioning import whiten
from gplandmark.io.landmark_formats.formats import FORMATS
from gplandmark.io.overwrite import check_own_landmarks
from gplandmark.io.scans.ply import as_ply
from gplandmark.visual.editor import Editor, check_output, save

MOLAR = make_molar(1, vertex_count=700).surface


def placed(count=6):
    return Editor(MOLAR, place(MOLAR, count, settings=SMALL), SMALL)


def edits_of(landmarks):
    return landmarks.record.request["edits"]


def test_what_nobody_edited_is_what_was_placed():
    before = place(MOLAR, 6, settings=SMALL)
    after = Editor(MOLAR, before, SMALL).landmarks()
    assert after.vertices.tolist() == before.vertices.tolist()
    assert (after.points == before.points).all()
    assert (after.labels, after.classes) == (before.labels, before.classes)
    np.testing.assert_allclose(after.variances, before.variances, rtol=1e-5)
    largest = before.record.outcome["largest_variance_before"]
    np.testing.assert_allclose(after.uncertainty, before.uncertainty, atol=1e-6 * largest)
    edits = edits_of(after)
    assert edits.pop("authors") == ["algorithm"] * 6
    assert not any(edits.values())
    assert after.record.settings == before.record.settings
    for name in ("largest_variance_before", "largest_variance_after", "mean_variance_after"):
        expected = before.record.outcome[name]
        assert after.record.outcome[name] == pytest.approx(expected, rel=1e-4), name


def test_the_record_tells_what_a_person_changed():
    editor = placed()
    old = editor.points
    editor.add(MOLAR.points[11], label="tip")
    editor.move(0, MOLAR.points[12])
    editor.rename(1, "groove")
    editor.set_kind([1, 2], "semi")
    editor.delete(3)
    editor.reorder(5, 0)
    editor.paint(MOLAR.points[20], 0.5)
    editor.place_more(2)
    editor.add(MOLAR.points[30])
    editor.undo()
    found = editor.landmarks()
    edits = edits_of(found)
    assert edits["added"] == ["tip"]
    assert edits["continued"] == ["7", "8"]
    assert edits["moved"] == [{"label": "1", "point": old[0].tolist()}]
    assert edits["deleted"] == [{"label": "4", "point": old[3].tolist()}]
    assert edits["renamed"] == [["2", "groove"]]
    assert edits["marked"] == [["groove", "", "semi"], ["3", "", "semi"]]
    assert edits["reordered"] is False  # the new one went first; the others kept their order
    assert edits["authors"] == ["human"] * 2 + ["algorithm"] * 6
    assert edits["unpainted"] == []
    runs = [number for first, last in edits["painted"] for number in range(first, last + 1)]
    assert runs == np.flatnonzero(editor.painted).tolist()
    assert found.record.request["excluded"] == edits["painted"]
    assert found.record.request["count"] == 6
    assert found.record.outcome["placed_by_algorithm"] == 6
    assert found.record.outcome["placed_by_hand"] == 2
    json.dumps(found.record.as_dict())


def test_equal_landmarks_have_equal_records_whatever_the_way():
    one, two = placed(), placed()
    one.add(MOLAR.points[5])
    one.delete(2)
    two.delete(2)
    two.rename(0, "x")
    two.undo()
    two.add(MOLAR.points[5], label="7")
    assert one.landmarks().record == two.landmarks().record


def test_the_variances_are_those_before_each_landmark():
    editor = placed()
    editor.reorder(4, 1)
    editor.add(MOLAR.points[editor.state.vertices()[0]])  # a twin
    found = editor.landmarks()
    kernel = covariance(MOLAR, SMALL)
    vertices = editor.state.vertices()
    for number in range(1, 6):
        left = whiten(kernel, vertices[:number]).variance[vertices[number]]
        assert found.variances[number] == pytest.approx(left, rel=1e-4)
    assert found.variances[-1] == 0
    assert found.variances[0] == pytest.approx(kernel.diagonal()[vertices[0]])


def test_a_second_sitting_tells_of_the_first(tmp_path):
    path = tmp_path / "tooth.mrk.json"
    editor = placed()
    editor.add([0, 0, 40.0], [0.01, 0.02, -1.0], label="tip")
    editor.paint(MOLAR.points[20], 0.5)
    save(editor, path)
    again = Editor(MOLAR, read_landmarks(path), SMALL)
    assert [mark.author for mark in again.state.marks] == ["algorithm"] * 6 + ["human"]
    assert (again.painted == editor.painted).all()
    assert (again.points == editor.points).all()
    again.delete(0)
    edits = edits_of(again.landmarks())
    assert [each["added"] for each in edits["before"]] == [["tip"]]
    assert edits["added"] == []
    assert edits["authors"] == ["algorithm"] * 5 + ["human"]
    save(again, path)
    third = edits_of(Editor(MOLAR, read_landmarks(path), SMALL).landmarks())
    assert [len(each["deleted"]) for each in third["before"]] == [0, 1]


@pytest.mark.parametrize("ending", [ending for ending, each in FORMATS.items() if each.text])
def test_every_format_holds_edited_landmarks(ending, tmp_path):
    editor = Editor(MOLAR, settings=SMALL)
    editor.add([0, 0, 40.0], [0.01, 0.02, -1.0])
    editor.place_more(3)
    path = tmp_path / f"tooth{ending}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        written = save(editor, path)
    assert written == (path, tmp_path / "tooth.record.json")
    found = read_landmarks(path)
    assert (found.points == editor.points).all()
    assert found.vertices.tolist() == editor.state.vertices().tolist()
    assert edits_of(found)["authors"] == ["human"] + ["algorithm"] * 3
    assert found.places[0].triangle == editor.state.marks[0].place.triangle
    for at, spot in enumerate(found.places):
        corners = MOLAR.points[MOLAR.triangles[spot.triangle]]
        np.testing.assert_allclose(spot.barycentric @ corners, editor.points[at], atol=1e-12)


def test_missing_landmarks_are_saved_as_missing(tmp_path):
    points = MOLAR.points[[3, 4, 5]].copy()
    points[1] = np.nan
    editor = Editor(MOLAR, Landmarks.at(points, "molar", labels=("a", "b", "c")), SMALL)
    editor.add([0, 0, 40.0], [0.01, 0.02, -1.0])
    save(editor, tmp_path / "tooth.csv")
    found = read_landmarks(tmp_path / "tooth.csv")
    assert found.missing.tolist() == [False, True, False, False]
    assert found.vertices.tolist()[:3] == [3, -1, 5]
    assert np.isnan(found.variances).tolist() == [False, True, False, False]
    again = Editor(MOLAR, found, SMALL)
    np.testing.assert_array_equal(again.points, editor.points)


def test_an_empty_set_has_landmarks_and_a_record():
    found = Editor(MOLAR, settings=SMALL).landmarks()
    assert len(found) == 0
    assert found.record.outcome["landmarks"] == 0


def test_the_authors_method_is_edited_too():
    settings = AuthorsSettings()
    editor = Editor(MOLAR, place(MOLAR, 4, settings=settings), settings)
    editor.add(MOLAR.points[3])
    editor.place_more(1)
    expected = place(MOLAR, 6, settings=settings, start=editor.state.vertices()[:5]).vertices
    assert editor.landmarks().vertices.tolist() == expected.tolist()


def test_vertex_numbers_are_those_of_the_file(tmp_path):
    shuffled = np.random.default_rng(1).permutation(MOLAR.vertex_count)
    points = np.vstack([[[50.0, 50, 50]], MOLAR.points[shuffled]])  # a loose vertex comes first
    triangles = np.argsort(shuffled)[MOLAR.triangles] + 1
    path = tmp_path / "tooth.ply"
    path.write_bytes(as_ply(Surface(points, triangles)))
    with pytest.warns(GplandmarkWarning, match="1 vertex that no face uses"):
        surface = read(path)
    assert surface.vertex_count == MOLAR.vertex_count
    editor = Editor(surface, settings=SMALL)
    editor.add(points[5])
    editor.paint(points[90], 0.5)
    found = editor.landmarks()
    assert found.vertices.tolist() == [5]
    runs = edits_of(found)["painted"]
    painted = [number for first, last in runs for number in range(first, last + 1)]
    near = np.linalg.norm(points - points[90], axis=1) <= 0.5
    assert painted == np.flatnonzero(near).tolist()
    save(editor, tmp_path / "tooth.csv")
    again = Editor(surface, read_landmarks(tmp_path / "tooth.csv"), SMALL)
    assert again.state.vertices().tolist() == editor.state.vertices().tolist()
    assert (again.painted == editor.painted).all()


def test_other_settings_than_those_that_placed_are_told():
    before = place(MOLAR, 4, settings=SMALL)
    other = Editor(MOLAR, before, AuthorsSettings()).landmarks()
    assert edits_of(other)["placed_with"] == before.record.settings
    assert "placed_with" not in edits_of(Editor(MOLAR, before, SMALL).landmarks())


def test_a_damaged_record_is_no_obstacle():
    for request in ({"edits": 5}, {"start": 5}, {"excluded": [[1]]}, {"edits": {"authors": [[]]}}):
        record = Record(
            input={"sha256": None, "vertices": 700}, request=request, software={"gplandmark": "0"}
        )
        landmarks = Landmarks.at(MOLAR.points[:2], "molar", record=record)
        editor = Editor(MOLAR, landmarks, SMALL)
        assert len(editor.landmarks()) == 2


def test_a_foreign_file_is_replaced_only_by_consent(tmp_path):
    path = tmp_path / "tooth.csv"
    write(Landmarks.at(MOLAR.points[:2], "molar"), path)
    (tmp_path / "tooth.record.json").unlink()
    before = path.read_bytes()
    editor = placed()
    editor.add(MOLAR.points[3])
    with pytest.raises(LandmarkFileError, match="was not written by gplandmark"):
        save(editor, path)
    assert path.read_bytes() == before
    assert not editor.history.is_saved
    save(editor, path, force=True)
    assert editor.history.is_saved
    editor.delete(0)
    assert not editor.history.is_saved
    save(editor, path)  # it is ours now
    with pytest.raises(LandmarkFileError, match="a person edited"):
        check_own_landmarks(path, MOLAR.name)  # as placing anew asks
    anew = place(MOLAR, 3, settings=SMALL)
    with pytest.raises(LandmarkFileError, match="overwrite=True"):
        write(anew, path)
    write(anew, path, overwrite=True)
    assert len(read_landmarks(path)) == 3


def test_landmarks_of_another_specimen_are_replaced_only_by_consent(tmp_path):
    path = tmp_path / "tooth.csv"
    save(placed(), path)
    other = Editor(Surface(MOLAR.points, MOLAR.triangles, "other"), settings=SMALL)
    with pytest.raises(LandmarkFileError, match="has landmarks of molar-1, not of other"):
        save(other, path)
    save(other, path, force=True)


def test_points_of_the_plane_need_a_table(tmp_path):
    flat = Surface(np.random.default_rng(0).random((50, 2)), None, "flat")
    with pytest.raises(LandmarkFileError, match="points in space"):
        check_output(tmp_path / "flat.tps", flat)
    check_output(tmp_path / "flat.csv", flat)


def test_the_record_of_other_landmarks_is_replaced_only_by_consent(tmp_path):
    editor = placed()
    save(editor, tmp_path / "tooth.csv")
    with pytest.raises(LandmarkFileError, match="belongs to other landmarks"):
        save(editor, tmp_path / "tooth.tps")
    assert not (tmp_path / "tooth.tps").exists()


@pytest.mark.parametrize("name", ["tooth.doc", "tooth.pp", "none/tooth.csv"])
def test_an_output_that_cannot_be_is_refused_beforehand(name, tmp_path):
    with pytest.raises(LandmarkFileError):
        check_output(tmp_path / name, MOLAR)
    with pytest.raises(LandmarkFileError):
        check_output(tmp_path / name, MOLAR, force=True)


def test_the_example_of_the_page_runs(tmp_path, monkeypatch):
    page = (Path(__file__).parents[2] / "docs" / "editing.md").read_text()
    monkeypatch.chdir(tmp_path)
    exec(
        compile(re.search(r"```python\n(.*?)```", page, re.DOTALL).group(1), "editing.md", "exec"),
        {},
    )
    assert len(read_landmarks("tooth.mrk.json")) == 9
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "tooth.mrk.json",
        "tooth.record.json",
    ]


def test_what_was_prepared_while_a_person_edits_does_not_change_the_record(molar):
    placed = place(molar, 6, settings=SMALL)
    ready, fresh = Editor(molar, placed, SMALL), Editor(molar, placed, SMALL)
    thread = threading.Thread(target=ready.prepare)
    thread.start()
    for editor in (ready, fresh):
        editor.move(2, molar.points[99])
    thread.join()
    ready.prepare()
    one, other = (editor.landmarks().record.as_dict() for editor in (ready, fresh))
    for name in ("noise_floor", "largest_variance_before", "largest_variance_after"):
        assert one["outcome"].pop(name) == pytest.approx(other["outcome"].pop(name), rel=1e-9)
    name = "mean_variance_after"
    assert one["outcome"].pop(name) == pytest.approx(other["outcome"].pop(name), rel=1e-9)
    assert one == other
