"""Any sequence of edits: states against lists, variances against a computation from scratch."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import SMALL
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from gplandmark import KernelError, Landmarks, SettingsError, Surface, covariance, make_molar, place
from gplandmark.gp.conditioning import whiten
from gplandmark.gp.kernels import PartKernel, as_kernel, noise_floor
from gplandmark.mesh import vertex_areas
from gplandmark.visual.editor import Editor, VarianceMap
from gplandmark.visual.editor.history import history_of, text_of

MOLAR = make_molar(1, vertex_count=250).surface
COARSE = replace(SMALL, curvature_radius=0.3)
DIRECT = replace(COARSE, engine="direct")
MATRIX = covariance(MOLAR, DIRECT).columns(np.arange(MOLAR.vertex_count))
LARGEST = MATRIX.diagonal().max()
MISSING = Landmarks.at(
    np.vstack([MOLAR.points[7], [np.nan] * 3, MOLAR.points[100]]),
    "molar",
    labels=("tip", "lost", "groove"),
    kinds=("fixed", "", "semi"),
)


def from_scratch(vertices, matrix=MATRIX):
    """Variance given landmarks, by elimination; those that the others determine are left out."""
    left = matrix.copy()
    for vertex in vertices:
        pivot = left[vertex, vertex]
        if vertex >= 0 and pivot > 1e-13 * matrix.diagonal().max():
            left = left - np.outer(left[:, vertex], left[vertex]) / pivot
    return left.diagonal()


class Editing(RuleBasedStateMachine):
    """An editor beside plain lists: what each edit should do, without any cleverness."""

    def __init__(self):
        super().__init__()
        self.editor = Editor(MOLAR, MISSING, DIRECT)
        rows = [["tip", 7, "fixed", "human"], ["lost", None, "", "human"]]
        rows += [["groove", 100, "semi", "human"]]
        self.done = [(rows, frozenset())]
        self.undone = []

    @property
    def rows(self):
        return [list(row) for row in self.done[-1][0]]

    @property
    def painted(self):
        return self.done[-1][1]

    def expect(self, rows=None, painted=None):
        now = (
            self.rows if rows is None else rows,
            self.painted if painted is None else frozenset(painted),
        )
        if now != self.done[-1]:
            self.done.append(now)
            self.undone = []

    def some(self, number):
        return number % len(self.rows)

    @rule(vertex=st.integers(0, MOLAR.vertex_count - 1), kind=st.sampled_from(["", "fixed"]))
    @precondition(lambda self: len(self.rows) < 14)
    def add(self, vertex, kind):
        at = self.editor.add(MOLAR.points[vertex], kind=kind)
        label = self.editor.state.marks[at].label
        assert label not in [row[0] for row in self.rows]
        self.expect([*self.rows, [label, vertex, kind, "human"]])

    @rule(vertex=st.integers(0, MOLAR.vertex_count - 1), number=st.integers(0, 99))
    @precondition(lambda self: self.rows)
    def move(self, vertex, number):
        at, rows = self.some(number), self.rows
        self.editor.move(at, MOLAR.points[vertex])
        rows[at] = [rows[at][0], vertex, rows[at][2], "human"]
        self.expect(rows)

    @rule(numbers=st.sets(st.integers(0, 99), max_size=3))
    @precondition(lambda self: self.rows)
    def delete(self, numbers):
        gone = {self.some(number) for number in numbers}
        self.editor.delete(gone)
        self.expect([row for at, row in enumerate(self.rows) if at not in gone])

    @rule(number=st.integers(0, 99), label=st.sampled_from(["a", "b", "tip", "5"]))
    @precondition(lambda self: self.rows)
    def rename(self, number, label):
        at, rows = self.some(number), self.rows
        if label in [row[0] for row in rows[:at] + rows[at + 1 :]]:
            with pytest.raises(SettingsError, match="already"):
                self.editor.rename(at, label)
        else:
            self.editor.rename(at, label)
            rows[at][0] = label
            self.expect(rows)

    @rule(number=st.integers(0, 99), to=st.integers(0, 99))
    @precondition(lambda self: self.rows)
    def reorder(self, number, to):
        at, to, rows = self.some(number), self.some(to), self.rows
        self.editor.reorder(at, to)
        rows.insert(to, rows.pop(at))
        self.expect(rows)

    @rule(number=st.integers(0, 99), kind=st.sampled_from(["", "fixed", "semi"]))
    @precondition(lambda self: self.rows)
    def mark(self, number, kind):
        at, rows = self.some(number), self.rows
        self.editor.set_kind(at, kind)
        rows[at][2] = kind
        self.expect(rows)

    @rule(vertex=st.integers(0, MOLAR.vertex_count - 1), paints=st.booleans())
    def paint(self, vertex, paints):
        distances = np.linalg.norm(MOLAR.points - MOLAR.points[vertex], axis=1)
        ball = set(np.flatnonzero(distances <= 1.0).tolist())
        (self.editor.paint if paints else self.editor.unpaint)(MOLAR.points[vertex], 1.0)
        self.expect(painted=self.painted | ball if paints else self.painted - ball)

    @rule()
    def clear_paint(self):
        self.editor.clear_paint()
        self.expect(painted=())

    @rule()
    def undo(self):
        assert self.editor.undo() == (len(self.done) > 1)
        if len(self.done) > 1:
            self.undone.append(self.done.pop())

    @rule()
    def redo(self):
        assert self.editor.redo() == bool(self.undone)
        if self.undone:
            self.done.append(self.undone.pop())

    @rule(numbers=st.sets(st.integers(0, 99), max_size=3))
    @precondition(lambda self: self.rows)
    def select(self, numbers):
        chosen = {self.some(number) for number in numbers}
        self.editor.select(chosen)
        assert set(self.editor.selected) == chosen

    @rule(count=st.integers(1, 2))
    @precondition(lambda self: len(self.rows) < 12)
    def place_more(self, count):
        start = list(dict.fromkeys(row[1] for row in self.rows if row[1] is not None))
        painted = np.isin(np.arange(MOLAR.vertex_count), list(self.painted))
        expected = place(
            MOLAR, len(start) + count, settings=DIRECT, start=start, exclude=painted
        ).vertices[len(start) :]
        new = self.editor.place_more(count)
        labels = [self.editor.state.marks[at].label for at in new]
        rows = self.rows
        for label, vertex in zip(labels, expected.tolist(), strict=True):
            rows.append([label, vertex, "", "algorithm"])
        self.expect(rows)

    @rule(number=st.integers(0, 99))
    def look_back(self, number):
        count = number % (len(self.rows) + 1)
        vertices = [row[1] for row in self.rows[:count] if row[1] is not None]
        found = self.editor.variance(count)
        np.testing.assert_allclose(found, from_scratch(vertices), atol=1e-10 * LARGEST, rtol=0)

    @rule()
    def interrupt(self):
        history = history_of(text_of(self.editor.history), MOLAR)
        assert history.origin == self.editor.history.origin
        assert history.entries == self.editor.history.entries[: len(self.done)]
        assert history.present == len(self.done) - 1

    @invariant()
    def the_landmarks_are_those_of_the_lists(self):
        vertices = [-1 if row[1] is None else row[1] for row in self.rows]
        assert self.editor.state.vertices().tolist() == vertices
        marks = self.editor.state.marks
        assert [[each.label, each.kind, each.author] for each in marks] == [
            [row[0], row[2], row[3]] for row in self.rows
        ]
        assert len({each.identity for each in marks}) == len(marks)
        assert set(np.flatnonzero(self.editor.painted).tolist()) == self.painted
        there = [vertex for vertex in vertices if vertex >= 0]
        present = ~np.isnan(self.editor.points).any(axis=1)
        assert (self.editor.points[present] == MOLAR.points[there]).all()

    @invariant()
    def the_variance_is_that_from_scratch(self):
        vertices = [row[1] for row in self.rows if row[1] is not None]
        found = self.editor.variance()
        np.testing.assert_allclose(found, from_scratch(vertices), atol=1e-10 * LARGEST, rtol=0)
        assert (found >= 0).all()


Editing.TestCase.settings = hypothesis_settings(max_examples=25, stateful_step_count=25)
TestEditing = Editing.TestCase


def test_undo_gives_back_the_very_states():
    editor = Editor(MOLAR, place(MOLAR, 5, settings=DIRECT), DIRECT)
    states = [editor.state]
    for change in (
        lambda: editor.add(MOLAR.points[3]),
        lambda: editor.move(0, MOLAR.points[9]),
        lambda: editor.delete([1, 2]),
        lambda: editor.reorder(0, 2),
        lambda: editor.paint(MOLAR.points[50], 1.0),
    ):
        change()
        states.append(editor.state)
    for state in reversed(states[:-1]):
        assert editor.undo()
        assert editor.state is state
    assert not editor.undo()
    for state in states[1:]:
        assert editor.redo()
        assert editor.state is state
    assert not editor.redo()
    assert [entry.edit for entry in editor.history.entries[1:]] == [
        "add 6", "move 1", "delete 2, 3", "reorder 1", "paint",
    ]  # fmt: skip


def test_an_edit_after_an_undo_cuts_off_what_was_undone():
    editor = Editor(MOLAR, settings=DIRECT)
    editor.add(MOLAR.points[3])
    editor.undo()
    editor.add(MOLAR.points[4])
    assert not editor.redo()
    assert editor.state.vertices().tolist() == [4]


def test_a_drag_is_undone_as_one():
    editor = Editor(MOLAR, place(MOLAR, 5, settings=DIRECT), DIRECT)
    before = editor.state
    for vertex in (10, 11, 12):
        editor.move(2, MOLAR.points[vertex], joined=True)
    editor.move(3, MOLAR.points[13], joined=True)
    assert editor.state.vertices()[2:4].tolist() == [12, 13]
    editor.undo()
    assert editor.state.vertices()[2] == 12
    editor.undo()
    assert editor.state is before


def test_what_changes_nothing_is_no_edit():
    editor = Editor(MOLAR, MISSING, DIRECT)
    editor.rename(0, "tip")
    editor.set_kind(0, "fixed")
    editor.reorder(1, 1)
    editor.delete([])
    editor.clear_paint()
    editor.move(0, MOLAR.points[7])
    assert not editor.undo()


def test_a_selection_is_no_edit_and_follows_its_landmarks():
    editor = Editor(MOLAR, place(MOLAR, 5, settings=DIRECT), DIRECT)
    editor.select([0, 3])
    assert not editor.undo()
    editor.reorder(0, 4)
    assert editor.selected == (2, 4)
    editor.delete(2)
    assert editor.selected == (3,)
    editor.undo()
    assert editor.selected == (2, 4)
    high = MOLAR.points[:, 2].mean()
    editor.select_where(lambda points: points[:, 2] > high)
    assert set(editor.selected) == set(np.flatnonzero(editor.points[:, 2] > high).tolist())
    editor.select(())
    assert editor.selected == ()


def test_missing_landmarks_are_never_selected_by_a_shape_and_can_be_placed():
    editor = Editor(MOLAR, MISSING, DIRECT)
    editor.select_where(lambda points: np.ones(len(points), dtype=bool))
    assert editor.selected == (0, 2)
    assert np.isnan(editor.points[1]).all()
    editor.move(1, MOLAR.points[30])
    assert editor.state.vertices().tolist() == [7, 30, 100]


def test_two_landmarks_at_one_vertex_give_the_information_of_one():
    editor = Editor(MOLAR, settings=DIRECT)
    for _ in range(3):
        editor.add(MOLAR.points[40])
    assert len(editor.state.marks) == 3
    np.testing.assert_allclose(editor.variance(), from_scratch([40]), atol=1e-12 * LARGEST)
    editor.delete(0)
    np.testing.assert_allclose(editor.variance(), from_scratch([40]), atol=1e-12 * LARGEST)
    editor.delete([0, 1])
    np.testing.assert_allclose(editor.variance(), MATRIX.diagonal(), rtol=1e-12)


def test_a_landmark_that_the_others_determine_speaks_once_they_are_gone():
    factor = np.random.default_rng(0).standard_normal((MOLAR.vertex_count, 3))
    matrix = factor @ factor.T  # three landmarks determine all
    kept = VarianceMap(MOLAR, as_kernel(matrix))
    kept.show(np.array([5, 6, 7, 8]))
    np.testing.assert_allclose(kept.variance(), 0, atol=1e-9)
    kept.show(np.array([8, 6]))
    np.testing.assert_allclose(kept.variance(), from_scratch([8, 6], matrix), atol=1e-9)
    kept.show(np.array([8, 7, 6, 5]))  # 8 first, which adds nothing to the other three
    for count, some in enumerate(([], [8], [8, 7], [8, 7, 6], [8, 7, 6, 5])):
        np.testing.assert_allclose(kept.after(count), from_scratch(some, matrix), atol=1e-9)


def test_the_curve_is_the_largest_and_the_mean_after_each_step():
    editor = Editor(MOLAR, MISSING, DIRECT)
    editor.place_more(4)
    editor.reorder(4, 0)
    editor.paint(MOLAR.points[editor.variance().argmax()], 1.0)
    curve, areas = editor.curve(), vertex_areas(MOLAR)
    assert len(curve.largest) == len(curve.mean) == len(editor.state.marks) + 1
    for count in range(8):
        left = editor.variance(count)
        assert curve.largest[count] == pytest.approx(left[~editor.painted].max(), rel=1e-9)
        assert curve.mean[count] == pytest.approx(left @ areas / areas.sum(), rel=1e-9)
    assert (np.diff(curve.mean) <= 1e-15).all()


def test_a_field_kernel_is_edited_too():
    editor = Editor(MOLAR, place(MOLAR, 12, settings=COARSE), COARSE)
    editor.move(3, MOLAR.points[80])
    editor.delete(0)
    kernel = covariance(MOLAR, COARSE)
    expected = whiten(kernel, editor.state.vertices()).variance
    np.testing.assert_allclose(editor.variance(), expected, atol=1e-6 * LARGEST)


def test_above_the_limit_witnesses_speak_for_their_neighbours():
    kept = VarianceMap(MOLAR, as_kernel(MATRIX), most=120)
    kept.show(np.array([10, -1, 60, 110]))
    variance = kept.variance()
    representatives = kept._representatives
    assert len(representatives.vertices) == 120
    at = representatives.vertices[representatives.nearest[[10, 60, 110]]]
    expected = from_scratch(at)[representatives.vertices[representatives.nearest]]
    np.testing.assert_allclose(variance, expected, atol=1e-12 * LARGEST)
    curve = kept.curve(np.ones(MOLAR.vertex_count, dtype=bool))
    assert curve.largest[-1] == pytest.approx(variance.max())
    areas = vertex_areas(MOLAR)
    assert curve.mean[-1] == pytest.approx(variance @ areas / areas.sum())


def test_a_part_of_a_kernel_keeps_its_entries_and_its_noise():
    kernel = covariance(MOLAR, COARSE)
    part = PartKernel(kernel, np.array([5, 200, 31]))
    whole = kernel.columns(np.arange(MOLAR.vertex_count))[np.ix_(part.points, part.points)]
    np.testing.assert_allclose(part.columns(np.arange(3)), whole, rtol=1e-12)
    np.testing.assert_allclose(part.block(np.array([2]), np.array([0, 1])), whole[2:, :2])
    np.testing.assert_allclose(part.diagonal(), whole.diagonal(), rtol=1e-12)
    assert noise_floor(part) == noise_floor(kernel)


def test_no_landmark_is_placed_on_paint():
    editor = Editor(MOLAR, settings=DIRECT)
    middle = MOLAR.points[editor.variance().argmax()]
    editor.paint(middle, 2.0)
    new = editor.place_more(10)
    assert not editor.painted[editor.state.vertices()[list(new)]].any()
    at = editor.add(middle)  # a person may
    assert editor.painted[editor.state.vertices()[at]]


def test_a_cloud_is_edited_like_a_mesh():
    cloud = Surface(MOLAR.points, None, "cloud")
    editor = Editor(cloud, settings=replace(DIRECT, curvature_radius=None, weight="uniform"))
    editor.add(MOLAR.points[3] + 1e-4)
    editor.place_more(3)
    expected = place(cloud, 4, settings=editor._variance.process.settings, start=[3]).vertices
    assert editor.state.vertices().tolist() == expected.tolist()
    assert editor.landmarks().places == ()


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda editor: editor.move(3, [0, 0, 0]), "no landmark 3: they are counted 0 to 2"),
        (lambda editor: editor.delete([0, -1]), "no landmark -1"),
        (lambda editor: editor.select([5]), "no landmark 5"),
        (lambda editor: editor.reorder(0, 3), "no landmark 3"),
        (lambda editor: editor.rename(0, "groove"), "'groove' already"),
        (lambda editor: editor.rename(0, "  "), "no name"),
        (lambda editor: editor.rename(0, "a\nb"), "no name"),
        (lambda editor: editor.add([0, 0, 0], label="tip"), "'tip' already"),
        (lambda editor: editor.add([0, 0, 0], kind="loose"), "'fixed', 'semi'"),
        (lambda editor: editor.add([0, np.nan, 0]), "3 finite numbers"),
        (lambda editor: editor.add([0, 0]), "3 finite numbers"),
        (lambda editor: editor.add("here"), "3 finite numbers"),
        (lambda editor: editor.add([0, 0, 50], [0, 0, 1]), "does not meet"),
        (lambda editor: editor.add([0, 0, 50], [0, 0, 0]), "must not be zero"),
        (lambda editor: editor.paint([0, 0, 0], 0), "radius must be a positive"),
        (lambda editor: editor.paint([0, 0, 0], np.inf), "radius must be a positive"),
        (lambda editor: editor.place_more(0), "Ask for 1 to 248"),
        (lambda editor: editor.place_more(249), "Ask for 1 to 248"),
        (lambda editor: editor.variance(4), "0 to 3 landmarks"),
        (lambda editor: editor.variance(-1), "0 to 3 landmarks"),
        (lambda editor: editor.select_where(lambda _: [True]), "one answer for each of 2"),
    ],
)
def test_what_cannot_be_done_changes_nothing(edit, message):
    editor = Editor(MOLAR, MISSING, DIRECT)
    before = editor.state
    with pytest.raises(SettingsError, match=message):
        edit(editor)
    assert editor.state is before
    assert len(editor.history.entries) == 1


def test_a_map_that_does_not_fit_is_refused_and_editing_goes_on(monkeypatch):
    editor = Editor(MOLAR, MISSING, DIRECT)
    editor.variance()
    monkeypatch.setattr("gplandmark.gp.limits.available_memory", lambda: 1000)
    editor.add(MOLAR.points[3])
    with pytest.raises(SettingsError, match="GB of memory"):
        editor.variance()
    monkeypatch.undo()
    np.testing.assert_allclose(editor.variance(), from_scratch([7, 100, 3]), atol=1e-12 * LARGEST)


def test_watchers_hear_of_every_change():
    editor, heard = Editor(MOLAR, MISSING, DIRECT), []
    editor.watch(lambda history: heard.append(history.present))
    editor.add(MOLAR.points[3])
    editor.select([0])
    editor.undo()
    editor.undo()
    assert heard == [1, 1, 0]


def test_a_kernel_that_is_no_covariance_is_told():
    with pytest.raises(KernelError, match="positive somewhere"):
        VarianceMap(MOLAR, as_kernel(np.zeros((MOLAR.vertex_count,) * 2)))
