"""Editing in the viewer without a browser: tools, steps, saving, autosave, threads."""

import asyncio
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import SMALL

import gplandmark
from gplandmark import (
    LandmarkFileError,
    Landmarks,
    Settings,
    Surface,
    covariance,
    make_molar,
    place,
    read_landmarks,
)
from gplandmark.cli.main import cli
from gplandmark.cli.view_session import output_for
from gplandmark.io.scans import as_ply
from gplandmark.mesh.synthetic import torus
from gplandmark.visual.editor import Autosave, Editor, History, autosave_path, recover
from gplandmark.visual.editor.open import origin_of
from gplandmark.visual.editor.placement import Finder
from gplandmark.visual.pictures.colour_maps import Method
from gplandmark.visual.viewer import DisplayedSpecimen, View, display_mesh, steps_of
from gplandmark.visual.viewer.editing import Controls, Session
from gplandmark.visual.viewer.editing.landmark_list import (
    current_choice,
    landmark_table,
    list_choices,
)
from gplandmark.visual.viewer.editing.mouse_tools import (
    TOOLS,
    box,
    click,
    depth_along,
    drag_mark,
    drag_paint,
    is_visible,
    shown_marks,
)
from gplandmark.visual.viewer.editing.worker import Worker
from gplandmark.visual.viewer.glb import encode_mesh
from gplandmark.visual.viewer.picking import Eye, Ray, ray_to, under

pytest.importorskip("viser")

COUNT = 8
FRONT = np.array([0.0, 0.0, -1.0])  # the way a person looks who has not turned the specimen
EYE = Eye(np.array([0.0, 0.0, 6.0]), np.diag([1.0, -1.0, -1.0]), (0.3, 0.3))


@pytest.fixture(scope="module")
def landmarks(molar):
    return place(molar, COUNT, settings=SMALL)


@pytest.fixture
def session(served, molar, landmarks, tmp_path):
    view = View(served, [DisplayedSpecimen(molar, molar.name, display_mesh(molar), Method(SMALL))])
    with Autosave(tmp_path / "tooth.mrk.json", molar) as autosave:
        editor = Editor(molar, landmarks, SMALL)

        def afresh():
            return History.starting(origin_of(editor.finder, landmarks))

        yield Session(view, editor, autosave, tmp_path / "tooth.ply", "", afresh)


@pytest.fixture
def controls(session):
    shown = Controls(session, str(session.autosave.output))
    yield shown
    shown.wait()


def above(session, vertex):
    """A ray of the scene straight down on a vertex that can be seen from the front."""
    point = session.view.poses[0].in_scene(session.editor.surface.points[[vertex]])[0]
    return Ray(point + np.array([0.0, 0.0, 5.0]), FRONT)


@pytest.fixture
def seen(session, molar):
    """Some vertices that can be seen from the front and have no landmark near."""
    front = session.view.poses[0].in_scene(molar.points)
    order = np.argsort(np.linalg.norm(front[:, :2] - [0.1, 0.1], axis=1))
    return [int(v) for v in order if depth_along(session, above(session, v)) > 5 - 1e-6][:30:6]


def labels(session):
    return [mark.label for mark in session.editor.state.marks]


# What is shown


def test_the_steps_of_an_editor_are_those_of_the_viewer(session, molar, landmarks):
    steps = session.view.specimens[0].steps
    drawn = np.arange(molar.vertex_count)
    expected = steps_of(molar, covariance(molar, SMALL), landmarks, drawn, "ours")
    np.testing.assert_allclose(steps.largest, expected.largest, atol=1e-5)
    for count in (0, 3, COUNT):
        np.testing.assert_allclose(steps.variance(count), expected.variance(count), atol=1e-5)


def test_an_edit_changes_the_colours_and_a_selection_does_not(session, seen, monkeypatch):
    painted = []
    mesh = session.view.meshes[0]
    monkeypatch.setattr(mesh, "paint", lambda values, *_: painted.append(values))
    session.select(2)
    assert painted == []
    assert session.view.specimens[0].steps.selected == (2,)
    session.tool = "Add"
    click(session, above(session, seen[0]))
    assert len(painted) == 1
    assert painted[0][seen[0]] < 1e-6  # in per cent: nothing is left at a landmark


def test_the_step_stays_where_it_was_unless_landmarks_come(session, seen):
    panel = session.view.panel
    panel._step.value = 3
    session.edit(lambda editor: editor.move(1, editor.surface.points[seen[0]]))
    assert panel.wanted().step == 3
    session.edit(lambda editor: editor.delete([4, 5, 6, 7, 2]))
    assert panel.wanted().step == 3
    session.edit(lambda editor: editor.add(editor.surface.points[seen[1]]))
    assert panel.wanted().step == 4
    session.undo()
    assert panel.wanted().step == 3


def test_without_landmarks_there_is_nothing_to_show(session, controls):
    session.edit(lambda editor: editor.delete(range(COUNT)))
    assert session.view.panel.wanted().step == 0
    assert "No landmarks yet" in landmark_table(session.editor)
    session.edit(lambda editor: editor.place_more(2))
    assert session.view.panel.wanted().step == 2


def test_missing_landmarks_are_listed_and_not_drawn(session, molar, landmarks):
    points = landmarks.points.copy()
    points[2] = np.nan
    with session.view.lock:
        session.editor.history = History.starting(
            origin_of(session.editor.finder, Landmarks.at(points, molar.name))
        )
    session.edit(lambda editor: editor.rename(0, "<first>"))
    assert session.view.marks[0].shown.tolist() == [0, 1, 3, 4, 5, 6, 7]
    text = landmark_table(session.editor)
    assert "missing" in text
    assert "&lt;first&gt;" in text


def test_the_second_row_of_colours_is_for_excluded_vertices(molar):
    values = np.linspace(0, 1, molar.vertex_count)
    excluded = values > 0.5
    encoded = encode_mesh(molar.points, molar.triangles)
    plain, covered = (encoded.painted(values, b"colours", each) for each in (None, excluded))
    assert len(plain) == len(covered)
    differ = np.frombuffer(plain, np.uint8) != np.frombuffer(covered, np.uint8)
    assert 0 < differ.sum() <= 2 * excluded.sum()  # one number of 16 bits each


def test_the_list_and_the_choices_tell_what_is_selected(session):
    assert current_choice(session.editor) == "none"
    session.select(1)
    assert current_choice(session.editor) == "2: 2"
    session.select(1, 2, 5)
    assert current_choice(session.editor) == "3 landmarks"
    assert current_choice(session.editor) in list_choices(session.editor)
    assert landmark_table(session.editor).count("sticky") == 3


# Tools


def test_add_puts_a_landmark_where_the_ray_meets_and_selects_it(session, seen, molar):
    session.choose_tool("Add")
    click(session, above(session, seen[0]))
    assert session.editor.selected == (COUNT,)
    np.testing.assert_allclose(session.editor.points[-1], molar.points[seen[0]], atol=1e-6)
    assert session.status == "Done: add 9."
    assert session.has_unsaved
    click(session, Ray(np.array([9.0, 9, 9]), FRONT))
    assert session.status == "The click missed the specimen."
    assert session.is_refused
    assert len(labels(session)) == COUNT + 1


def test_move_takes_a_click_on_a_landmark_and_one_on_its_place(session, seen, molar):
    session.choose_tool("Move")
    click(session, above(session, seen[0]))
    assert "First" in session.status
    session.edit(lambda editor: editor.add(molar.points[seen[1]]))
    click(session, above(session, seen[1]))
    assert session.editor.selected == (COUNT,)
    click(session, above(session, seen[4]))
    np.testing.assert_allclose(session.editor.points[-1], molar.points[seen[4]], atol=1e-6)


def test_a_drag_is_one_edit_and_stays_on_the_surface(session, seen, molar):
    before = session.editor.points[0]
    for number, vertex in enumerate(seen):
        drag_mark(session, 0, above(session, vertex), is_first=number == 0)
    drag_mark(session, 0, Ray(np.array([9.0, 9, 9]), FRONT), is_first=False)
    np.testing.assert_allclose(session.editor.points[0], molar.points[seen[-1]], atol=1e-6)
    session.undo()
    np.testing.assert_array_equal(session.editor.points[0], before)
    assert session.status == "Undone: move 1."
    session.undo()
    assert session.status == "Nothing to undo."


def test_select_by_click_adds_and_takes_away_with_shift(session, seen, molar):
    session.edit(
        lambda editor: (editor.add(molar.points[seen[0]]), editor.add(molar.points[seen[4]]))
    )
    session.choose_tool("Select")
    one, two = above(session, seen[0]), above(session, seen[4])
    click(session, one)
    click(session, two, is_more=True)
    assert session.editor.selected == (COUNT, COUNT + 1)
    click(session, one, is_more=True)
    assert session.editor.selected == (COUNT + 1,)
    click(session, Ray(np.array([9.0, 9, 9]), FRONT))
    assert session.editor.selected == ()


def test_a_box_selects_what_can_be_seen_in_it(session):
    session.view.panel._step.value = COUNT
    positions, points = shown_marks(session)
    places = EYE.on_screen(points)
    visible = [is_visible(session, EYE.position, point) for point in points]
    box(session, EYE, (0, 0), (1, 1))
    assert session.editor.selected == tuple(positions[visible])
    left = positions[np.array(visible) & (places[:, 0] < 0.5)]
    box(session, EYE, (0, 0), (0.5, 1))
    assert 0 < len(left) < COUNT
    assert session.editor.selected == tuple(left)
    box(session, EYE, (0.5, 0), (1, 1), is_more=True)
    assert session.editor.selected == tuple(positions[visible])
    side = Eye(np.array([6.0, 0, 0]), np.array([[0, 0, -1.0], [0, -1, 0], [-1, 0, 0]]), (1, 1))
    assert side.in_box(points, (0, 0), (1, 1)).all()
    box(session, side, (0, 0), (1, 1))
    assert 0 < len(session.editor.selected) < COUNT  # the crown hides the others


def test_paint_keeps_the_algorithm_off_and_shows(session, seen, molar):
    session.choose_tool("Paint")
    session.brush = 0.2
    click(session, above(session, seen[0]))
    drag_paint(session, above(session, seen[1]), is_first=True)
    drag_paint(session, above(session, seen[4]), is_first=False)
    painted = session.editor.painted
    assert painted[[seen[0], seen[1], seen[4]]].all()
    np.testing.assert_array_equal(session.view.specimens[0].steps.excluded, painted)
    session.place_more(5)
    assert not painted[session.editor.state.vertices()[COUNT:]].any()
    session.is_erasing = True
    session.brush = 5.0
    click(session, above(session, seen[0]))
    assert not session.editor.painted.any()
    assert session.view.specimens[0].steps.excluded is None


def test_looking_changes_nothing(session, seen):
    click(session, above(session, seen[0]))
    assert not session.has_unsaved
    assert session.tool == "Look"


def test_an_eye_sees_where_things_are():
    eye = Eye.of(
        SimpleNamespace(position=(0, 0, 6), wxyz=(0, 1, 0, 0), fov=2 * np.arctan(0.3), aspect=2.0)
    )  # turned half around x: forwards is -z, downwards -y
    points = np.array([[0, 0, 0], [6 * 0.6, 0, 0], [0, 6 * 0.3, 0], [0, 0, 9.0]])
    expected = np.array([[0.5, 0.5], [1, 0.5], [0.5, 0], [np.nan, np.nan]])
    np.testing.assert_allclose(eye.on_screen(points), expected, atol=1e-12)
    assert eye.in_box(points, (0, 0.1), (1, 1)).tolist() == [True, True, False, False]


def test_the_first_ball_that_is_not_hidden_is_met():
    ray = ray_to([0, 0, 5], [0, 0, 0])
    points = np.array([[0, 0, -1.0], [0.05, 0, 1.0], [0.5, 0, 2.0]])
    assert under(ray, points, 0.1, np.inf) == 1
    assert under(ray, points[[0, 2]], 0.1, depth=4.0) is None
    assert under(ray, np.zeros((0, 3)), 0.1, np.inf) is None


# The controls


def test_every_button_does_its_edit(session, controls):
    controls.selected.choose("2: 2")
    controls.selected.name.value = "tip"
    controls.selected.rename()
    assert labels(session)[1] == "tip"
    assert session.status == "Done: rename 2."
    controls.selected.call("semi")
    controls.selected.arrange("Earlier")
    assert labels(session)[:2] == ["tip", "1"]
    controls.selected.arrange("Earlier")
    assert session.status == "It is already the first landmark."
    controls.selected.arrange("Later")
    assert session.editor.state.marks[1].kind == "semi"
    controls.selected.name.value = "1"
    controls.selected.rename()
    assert session.is_refused
    assert "already" in session.status
    controls.selected.arrange("Delete")
    assert "tip" not in labels(session)
    controls.selected.arrange("Delete")
    assert session.status == "No landmark is selected. Select one or more first."
    controls.selected.rename()
    assert session.status == "Select exactly one landmark first."
    for _ in range(5):
        controls.acts["Undo"]()
    assert labels(session) == [str(number) for number in range(1, COUNT + 1)]
    controls.acts["Redo"]()
    assert labels(session)[1] == "tip"


def test_what_somebody_types_stays_while_others_edit(session, controls, seen, molar):
    session.select(0)
    assert controls.selected.name.value == "1"
    controls.selected.name.value = "half a na"
    session.edit(lambda editor: editor.move(3, molar.points[seen[0]]))
    assert controls.selected.name.value == "half a na"
    session.select(1)
    assert controls.selected.name.value == "2"


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_in_hand_listens_to_what_it_needs(session, controls, served, tool):
    session.choose_tool(tool)
    assert f"\N{BLACK CIRCLE} {tool}" in controls._tools.options
    scene = served.viser.scene
    boxes = [each for each in scene._scene_pointer_cb if each.event_type == "rect-select"]
    assert bool(boxes) == (tool == "Select")
    assert bool(session.view.marks[0]._balls._impl.drag_cb) == (tool == "Move")
    assert ("/0/skin" in scene._handle_from_node_name) == (tool == "Paint")
    assert controls._brush.visible == (tool == "Paint")


def test_a_cloud_can_be_edited(served, tmp_path):
    cloud = Surface(torus(24, 12).surface.points, name="cloud")
    even = Settings(weight="uniform")
    view = View(served, [DisplayedSpecimen(cloud, "cloud", display_mesh(cloud), Method(even))])
    with Autosave(tmp_path / "cloud.csv", cloud) as autosave:
        session = Session(view, Editor(cloud, place(cloud, 4, settings=even), even), autosave)
        controls = Controls(session, str(tmp_path / "cloud.csv"))
        for tool in ("Add", "Paint"):
            session.choose_tool(tool)
            aim = view.poses[0].in_scene(cloud.points[[7]])[0]
            click(session, ray_to(5 * aim, aim))
        assert not session.is_refused, session.status
        assert session.editor.painted[session.editor.state.vertices()[-1]]
        controls.save()
        assert len(read_landmarks(tmp_path / "cloud.csv")) == 5


# Saving


@pytest.mark.parametrize("name", ["a.mrk.json", "a.csv", "a.tps", "a.pts"])
def test_the_file_has_what_the_screen_shows(session, controls, tmp_path, seen, name):
    session.choose_tool("Add")
    click(session, above(session, seen[0]))
    controls._file.value = str(tmp_path / name)
    assert controls._labelled.endswith("(unsaved)")
    controls.save()
    assert session.status == f"Saved 9 landmarks to {tmp_path / name}."
    written = read_landmarks(tmp_path / name)
    np.testing.assert_allclose(written.points, session.editor.points, rtol=1e-6, atol=1e-6)
    assert written.record.request["edits"]["authors"] == ["algorithm"] * COUNT + ["human"]
    assert not session.has_unsaved
    assert not controls._labelled.endswith("(unsaved)")
    assert not autosave_path(session.autosave.output).exists()


def test_a_file_that_is_not_ours_needs_a_yes(session, controls, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(controls, "_ask", lambda *words: asked.append(words))
    foreign = tmp_path / "foreign.csv"
    foreign.write_text("name,x,y,z\nmine,0,0,0\n")
    before = foreign.read_text()
    controls._file.value = str(foreign)
    controls.save()
    assert foreign.read_text() == before
    assert session.status.startswith("Not saved yet.")
    title, text, agree, agreed = asked.pop()
    assert (title, agree) == ("Overwrite?", "Overwrite")
    assert text == f"{foreign} exists and was not written by gplandmark, or was changed since."
    agreed()
    controls.wait()
    assert len(read_landmarks(foreign)) == COUNT
    controls.save()  # now it is ours
    assert asked == []


def test_with_overwrite_the_named_file_needs_no_yes(session, tmp_path):
    foreign = tmp_path / "foreign.csv"
    foreign.write_text("name,x,y,z\nmine,0,0,0\n")
    controls = Controls(session, str(foreign), force=True)
    controls.save()
    assert len(read_landmarks(foreign)) == COUNT


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tooth.ply", "the inputs"),
        ("a.xyz.what", "extension"),
        ("no/folder/a.csv", "folder"),
    ],
)
def test_what_cannot_be_written_is_told(session, controls, tmp_path, molar, name, message):
    (tmp_path / "tooth.ply").write_bytes(as_ply(molar))
    controls._file.value = str(tmp_path / name)
    controls.save()
    assert session.is_refused
    assert message in session.status
    assert gplandmark.read(tmp_path / "tooth.ply").vertex_count == molar.vertex_count


def test_an_empty_file_name_is_told(session, controls):
    controls._file.value = "  "
    controls.save()
    assert session.is_refused
    assert session.status == "Give a file name."


@pytest.mark.parametrize("tool", ["Add", "Move", "Paint"])
def test_a_click_beside_the_specimen_is_told(session, tool):
    session.choose_tool(tool)
    session.select(0)
    click(session, Ray(np.array([9.0, 9.0, 6.0]), FRONT))
    assert session.is_refused
    assert session.status == "The click missed the specimen."
    assert len(session.editor.state.marks) == COUNT
    assert not session.has_unsaved


# Autosave


def test_every_edit_is_kept_until_it_is_saved_or_undone(session, molar):
    output = session.autosave.output
    session.edit(lambda editor: editor.delete(0))
    assert recover(output, molar).history.state == session.editor.state
    session.undo()
    assert not autosave_path(output).exists()
    session.redo()
    assert len(recover(output, molar).history.state.marks) == COUNT - 1


def test_an_autosave_that_fails_is_told_and_editing_goes_on(session, monkeypatch):
    def fails(_history):
        session.autosave.problem = "The disk is full."

    monkeypatch.setattr(session.autosave, "write", fails)
    session.edit(lambda editor: editor.delete(0))
    assert session.status == "This edit was not autosaved. The disk is full."
    assert len(labels(session)) == COUNT - 1


def test_recovered_edits_can_be_discarded(session, controls):
    session.recovered = "There is something."
    session.edit(lambda editor: editor.delete(0))
    controls.refresh()
    assert controls._discard.visible
    assert "There is something." in controls._recovered.content
    session.discard()
    assert len(labels(session)) == COUNT
    assert not controls._discard.visible
    assert not session.has_unsaved
    assert not autosave_path(session.autosave.output).exists()


# Threads


def test_edits_of_many_threads_come_one_after_the_other(session, molar):
    def work(number):
        for each in range(3):
            point = molar.points[20 * number + each]
            session.edit(partial(Editor.add, point=point))
            session.view.update()
            session.undo()
            session.redo()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not session.is_refused
    count = len(labels(session))
    assert session.view.marks[0].shown.tolist() == list(range(count))
    steps = session.view.specimens[0].steps
    assert len(steps.largest) == count + 1


def test_a_worker_keeps_the_order_and_drops_what_is_out_of_date():
    done, errors, gate = [], [], threading.Event()
    worker = Worker(errors.append)
    worker.submit(gate.wait)
    for number in range(3):
        worker.submit(lambda number=number: done.append(f"drag {number}"), "drag")
    worker.submit(lambda: done.append("click"))
    worker.submit(lambda: 1 / 0)
    worker.submit(lambda: done.append("drag again"), "drag")
    gate.set()
    worker.wait()
    assert done == ["drag 2", "click", "drag again"]
    assert [type(each) for each in errors] == [ZeroDivisionError]
    worker.stop()
    worker.submit(lambda: done.append("too late"))
    assert done[-1] == "drag again"


def test_a_name_typed_quickly_is_stored_with_its_last_letters(session, controls):
    """The browser sends Enter at once, and the letters typed last up to 50 ms later."""
    controls.selected.choose("2: 2")
    field = controls.selected.name
    field.value = "prot"
    containers = session.view.served.viser.gui._container_handle_from_uuid.values()
    (form,) = (each for each in containers if hasattr(each, "_submit_cb"))
    (submitted,) = form._submit_cb
    asyncio.run(submitted(SimpleNamespace(client=object(), target=None)))
    time.sleep(0.05)
    field.value = "protocone"
    controls.wait()
    assert labels(session)[1] == "protocone"


# The command


EVENLY = ("--weight", "uniform")


@pytest.fixture(scope="module")
def scan(tmp_path_factory, molar):
    path = tmp_path_factory.mktemp("editing") / "tooth.ply"
    path.write_bytes(as_ply(molar))
    return path


def run(*arguments):
    return CliRunner().invoke(cli, [*map(str, arguments), *EVENLY])


def test_an_output_that_cannot_be_is_refused_at_once(scan, tmp_path, molar):
    assert "extension" in str(run("view", scan, "-o", tmp_path / "a.what").exception)
    assert "leave -o out" in str(run("view", scan, "--beside", scan, "-o", "a.csv").exception)
    with Autosave(tmp_path / "a.csv", molar):
        busy = run("view", scan, "-o", tmp_path / "a.csv")
    assert isinstance(busy.exception, LandmarkFileError)
    assert "is being edited" in str(busy.exception)


@pytest.mark.parametrize("name", ["results/tooth.csv", "results/expert.mrk.json"])
def test_save_writes_to_the_landmarks_that_were_opened(scan, tmp_path, molar, monkeypatch, name):
    (tmp_path / "results").mkdir()
    monkeypatch.chdir(tmp_path)
    gplandmark.write(Landmarks.at(molar.points[:3], "tooth"), name)
    outputs = []
    monkeypatch.setattr("gplandmark.cli.view.edit", lambda _, output, *__: outputs.append(output))
    assert run("view", scan, name).exit_code == 0
    assert run("view", scan, name, "-o", "other.csv").exit_code == 0
    assert run("view", scan).exit_code == 0
    for each in outputs:
        each.autosave.close()
    assert [each.path for each in outputs] == [
        Path(name), Path("other.csv"), Path("tooth.mrk.json")
    ]  # fmt: skip


def test_landmarks_of_a_format_that_is_only_read_go_to_the_current_folder(
    scan, tmp_path, molar, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    output = output_for(scan, molar, None, Path("expert.pp"), force=False)
    output.autosave.close()
    assert output.path == Path("tooth.mrk.json")


def test_an_autosave_of_another_surface_is_never_overwritten(scan, tmp_path, monkeypatch):
    other = make_molar(3, vertex_count=300).surface
    output = tmp_path / "tooth.mrk.json"
    with Autosave(output, other) as autosave:
        autosave.write(History.starting(origin_of(Finder(other), None)))
    kept = autosave_path(output).read_bytes()
    named = run("view", scan, "-o", output)
    assert "another surface" in str(named.exception)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gplandmark.cli.view._show", lambda *_: None)
    result = run("view", scan)
    assert result.exit_code == 0
    assert "can be viewed, but not edited" in result.output
    assert autosave_path(output).read_bytes() == kept
    assert not (tmp_path / ".tooth.mrk.json.lock").exists()


def test_landmarks_of_another_specimen_end_the_command(scan, tmp_path):
    far = tmp_path / "far.csv"
    gplandmark.write(Landmarks.at(make_molar(3).surface.points[:4] + 50, "far"), far)
    command = [sys.executable, "-m", "gplandmark", "view", str(scan), str(far), "--no-browser"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert done.returncode == 1
    assert "belongs to another specimen" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal as Ctrl-C does")
def test_control_c_with_unsaved_work_says_where_it_is(scan, tmp_path):
    surface = gplandmark.read(scan)
    output = tmp_path / "tooth.mrk.json"
    editor = Editor(surface, place(surface, 4, settings=SMALL), SMALL)
    editor.delete(0)
    with Autosave(output, surface) as autosave:
        autosave.write(editor.history)
    command = [sys.executable, "-W", "error", "-m", "gplandmark", "view", str(scan), "--no-browser"]
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [*command, *EVENLY], stdout=pipe, stderr=pipe, text=True, cwd=tmp_path
    )
    try:
        lines = [process.stdout.readline() for _ in range(5)]
        assert lines[0].endswith("has unsaved edits, 3 landmarks. They were recovered.\n")
        assert lines[1] == "Save writes to tooth.mrk.json.\n"
        assert lines[4] == "Ctrl-C ends the viewer.\n"
        process.send_signal(signal.SIGINT)
    finally:
        said, errors = process.communicate(timeout=120)
    assert errors == ""
    assert said.splitlines() == [
        "The viewer has ended.",
        "Unsaved edits are kept in .tooth.mrk.json.autosave. "
        "Run the same command again to continue.",
    ]
    assert process.returncode == 0
    assert recover(output, surface).history is not None


def test_a_browser_that_does_not_read_holds_nobody_up(served, session, molar, seen, tmp_path):
    import viser
    from websockets.sync.client import connect

    def browser(**options):
        address = f"ws://127.0.0.1:{served.port}/{served.token}"
        return connect(address, subprotocols=[f"viser-v{viser.__version__}"], **options)

    with browser(
        max_queue=1, close_timeout=0.1
    ):  # it stops reading at once, and what is sent piles up
        for turn in range(40):
            vertex = seen[turn % len(seen)]
            session.edit(lambda editor, at=vertex: editor.move(1, editor.surface.points[at]))
        session.edit(lambda editor: editor.rename(1, "after all"))
        session.save(str(tmp_path / "tooth.mrk.json"))
        with browser(max_size=None) as quick:
            assert len(quick.recv(timeout=20)) > 0
    saved = read_landmarks(tmp_path / "tooth.mrk.json")
    assert saved.labels[1] == "after all"
    np.testing.assert_allclose(saved.points[1], molar.points[seen[39 % len(seen)]])
