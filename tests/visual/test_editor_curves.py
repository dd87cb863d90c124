"""Curves in the editor: drawn, edited, undone, saved, and joined by shortest paths."""

import numpy as np
import pytest
from conftest import SMALL

from gplandmark import Landmarks, Surface, read_landmarks
from gplandmark.errors import SettingsError
from gplandmark.landmarks.curves import Curve
from gplandmark.mesh.geodesic_paths import GeodesicPaths, PathEnd
from gplandmark.mesh.synthetic import sphere
from gplandmark.visual.editor import Autosave, CurveEditor, CurvePaths, Editor, recover, save


def length(path):
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())


def at(surface, vertex):
    return PathEnd(surface.points[vertex], vertex)


@pytest.fixture
def editor(molar):
    made = Editor(molar, settings=SMALL)
    for vertex in (10, 200):
        made.add(molar.points[vertex])
    return made


def draw(editor, vertices, name=""):
    curves = CurveEditor(editor)
    for vertex in vertices:
        curves.extend(name, editor.surface.points[vertex])
        name = name or editor.state.curves[-1].name
    return curves


def labels(editor, curve=0):
    named = {mark.identity: mark.label for mark in editor.state.marks}
    return [named[member] for member in editor.state.curves[curve].members]


def test_a_path_over_a_sphere_is_as_long_as_the_arc():
    ball = sphere(4).surface
    paths = GeodesicPaths(ball)
    for start, end in ((0, 100), (5, 2000), (17, 700)):
        path = paths.between(at(ball, start), at(ball, end))
        angle = np.arccos(np.clip(ball.points[start] @ ball.points[end], -1, 1))
        assert np.array_equal(path[[0, -1]], ball.points[[start, end]])
        assert length(path) == pytest.approx(angle, rel=0.003)


@pytest.fixture
def plane():
    x, y = np.meshgrid(np.arange(9.0), np.arange(9.0))
    points = np.column_stack([x.ravel(), y.ravel(), 0 * x.ravel()])
    corners = [
        triangle
        for row in range(8)
        for at in range(9 * row, 9 * row + 8)
        for triangle in ([at, at + 1, at + 10], [at, at + 10, at + 9])
    ]
    return Surface(points, np.array(corners), name="plane")


def test_a_path_in_a_plane_is_straight(plane, random):
    paths = GeodesicPaths(plane)
    path = paths.between(at(plane, 3), at(plane, 77))
    straight = np.linalg.norm(plane.points[77] - plane.points[3])
    assert length(path) == pytest.approx(straight, rel=1e-12)
    for _ in range(20):  # within triangles
        triangles = random.integers(0, 128, 2)
        weights = random.dirichlet([1, 1, 1], 2)
        corners = plane.faces()[triangles]
        points = np.einsum("ij,ijk->ik", weights, plane.points[corners])
        ends = [
            PathEnd(points[i], int(corners[i][weights[i].argmax()]), int(triangles[i]))
            for i in (0, 1)
        ]
        path = paths.between(*ends)
        assert np.array_equal(path[[0, -1]], points)
        assert length(path) == pytest.approx(np.linalg.norm(points[1] - points[0]), rel=1e-9)


def test_where_sheets_meet_paths_follow_the_edges_and_parts_are_joined_straight():
    corners = [[0, 1, 2], [0, 1, 3], [0, 1, 4], [5, 6, 7]]
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1.0]])
    points = np.vstack([points, points[:3] + 5])
    fan = Surface(points, np.array(corners), name="fan")
    paths = GeodesicPaths(fan)
    assert paths.between(at(fan, 2), at(fan, 4)).tolist() == points[[2, 0, 4]].tolist()
    assert paths.between(at(fan, 2), at(fan, 5)).tolist() == points[[2, 5]].tolist()
    two = Surface(points, np.array(corners)[[0, 3]], name="two parts")
    assert len(GeodesicPaths(two).between(at(two, 2), at(two, 5))) == 2
    cloud = Surface(points, None, name="cloud")
    assert len(GeodesicPaths(cloud).between(at(cloud, 0), at(cloud, 1))) == 2


def test_a_curve_is_drawn_point_by_point_and_undone_point_by_point(editor, molar):
    draw(editor, [30, 300, 400])
    assert labels(editor) == ["curve1-1", "curve1-2", "curve1-3"]
    assert {mark.kind for mark in editor.state.marks[2:]} == {"semi"}
    editor.undo()
    assert labels(editor) == ["curve1-1", "curve1-2"]
    editor.undo()
    editor.undo()
    assert not editor.state.curves
    assert len(editor.state.marks) == 2
    editor.redo()
    assert labels(editor) == ["curve1-1"]


def test_a_curve_goes_through_landmarks_and_the_first_closes_it(editor):
    curves = CurveEditor(editor)
    curves.lead_through("", 0)
    curves.lead_through("curve1", 1)
    with pytest.raises(SettingsError, match="3 points"):
        curves.lead_through("curve1", 0)
    curves.extend("curve1", editor.surface.points[400])
    with pytest.raises(SettingsError, match="already"):
        curves.lead_through("curve1", 1)
    curves.lead_through("curve1", 0)
    assert labels(editor) == ["1", "2", "curve1-1"]
    assert editor.state.curves[0].is_closed
    with pytest.raises(SettingsError, match="closed"):
        curves.extend("curve1", editor.surface.points[0])
    (paths,) = CurvePaths(editor.surface).of(editor.state)
    assert len(paths) == 3
    assert np.array_equal(paths[2][-1], paths[0][0])


def test_points_are_inserted_deleted_and_moved(editor, molar):
    curves = draw(editor, [30, 300])
    first = editor.state.curves[0].members[0]
    curves.insert("curve1", first, molar.points[150])
    assert labels(editor) == ["curve1-1", "curve1-3", "curve1-2"]
    editor.delete([2])
    assert labels(editor) == ["curve1-3", "curve1-2"]
    known = CurvePaths(molar)
    before = known.of(editor.state)[0][0]
    assert known.of(editor.state)[0][0] is before  # computed once
    editor.move(2, molar.points[99])
    after = known.of(editor.state)[0][0]
    assert np.array_equal(after[-1], before[-1]) or np.array_equal(after[0], before[0])
    assert not np.array_equal(after, before)
    with pytest.raises(SettingsError, match="changed meanwhile"):
        curves.insert("curve1", 77, molar.points[150])
    editor.delete([2, 3])
    assert not editor.state.curves


def test_names_of_curves_are_unique_and_their_points_follow(editor):
    curves = draw(editor, [30, 300])
    draw(editor, [31])
    with pytest.raises(SettingsError, match="already"):
        curves.rename("curve1", "curve2")
    with pytest.raises(SettingsError, match="no name"):
        curves.rename("curve1", "a:b")
    with pytest.raises(SettingsError, match="no curve"):
        curves.rename("ridge", "rim")
    curves.rename("curve1", " ridge ")
    assert labels(editor) == ["ridge-1", "ridge-2"]
    curves.remove("ridge")
    assert [curve.name for curve in editor.state.curves] == ["curve2"]
    assert "ridge-1" in [mark.label for mark in editor.state.marks]


def test_points_are_spaced_evenly_and_named_along_the_curve(editor, molar):
    curves, paths = draw(editor, [30, 300]), CurvePaths(molar)
    whole = np.vstack(paths.of(editor.state)[0])
    curves.space_evenly("curve1", 8, paths)
    assert labels(editor) == [f"curve1-{at}" for at in range(1, 9)]
    assert [mark.label for mark in editor.state.marks[2:]] == labels(editor)
    steps = [length(each) for each in paths.of(editor.state)[0]]
    assert sum(steps) == pytest.approx(length(whole), rel=0.05)
    assert max(steps) < 1.3 * min(steps)
    editor.undo()
    assert len(labels(editor)) == 2
    with pytest.raises(SettingsError, match="2 to 1,000 points"):
        curves.space_evenly("curve1", 1, paths)


def test_spacing_never_deletes_a_landmark_of_its_own(editor, molar):
    curves = draw(editor, [30])
    curves.lead_through("curve1", 0)
    curves.extend("curve1", molar.points[300])
    with pytest.raises(SettingsError, match="goes through 1"):
        curves.space_evenly("curve1", 5, CurvePaths(molar))


def test_a_missing_point_has_no_path(molar):
    points = molar.points[[1, 50, 300]].copy()
    points[1] = np.nan
    given = Landmarks.at(points, "m", curves=(Curve("rim", (0, 1, 2), True),))
    editor, paths = Editor(molar, given, SMALL), CurvePaths(molar)
    assert [len(each) > 0 for each in paths.of(editor.state)[0]] == [False, False, True]
    with pytest.raises(SettingsError, match="missing"):
        CurveEditor(editor).space_evenly("rim", 5, paths)


@pytest.mark.parametrize("extension", [".mrk.json", ".csv"])
def test_curves_are_saved_and_opened_again(editor, molar, tmp_path, extension):
    curves = draw(editor, [30, 300, 400])
    curves.close("curve1", True)
    draw(editor, [31])  # one point is no curve yet
    path = tmp_path / f"m{extension}"
    save(editor, path)
    found = read_landmarks(path)
    assert found.curves == (Curve("curve1", (2, 3, 4), True),)
    assert found.record.request["edits"]["drawn"] == ["curve1", "curve2"]
    again = Editor(molar, found, SMALL)
    assert labels(again) == ["curve1-1", "curve1-2", "curve1-3"]
    assert again.history.is_saved
    again.add(molar.points[5])
    save(again, path)
    assert read_landmarks(path).curves == found.curves
    CurveEditor(again).remove("curve1")
    assert again.landmarks().record.request["edits"]["undrawn"] == ["curve1"]


def test_curves_are_in_the_autosave(editor, molar, tmp_path):
    output = tmp_path / "m.mrk.json"
    with Autosave(output, molar) as autosave:
        editor.watch(autosave.write)
        draw(editor, [30, 300])
    found = recover(output, molar)
    assert found.history.state == editor.state
    text = (tmp_path / ".m.mrk.json.autosave").read_text()
    assert '"curves"' in text
