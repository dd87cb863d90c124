"""Landmarks that come and go: the variance is always that of a computation from scratch."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import SMALL
from hypothesis import given, settings
from hypothesis import strategies as st
from matrices import MatrixKernel, smooth_kernel
from scipy.linalg import cho_factor, cho_solve

from gplandmark import Design, KernelError, SettingsError, Stop, covariance, select
from gplandmark.gp.conditioning import whiten
from gplandmark.gp.selection import randomly_pivoted
from gplandmark.gp.theory import feature_map

KERNEL = smooth_kernel(1, eps=0.02)


def from_scratch(kernel, landmarks):
    diagonal = kernel.diagonal()
    if len(landmarks) == 0:
        return diagonal
    columns = kernel.columns(np.array(landmarks))
    solved = cho_solve(cho_factor(columns[landmarks]), columns.T)
    return diagonal - np.einsum("ij,ji->i", columns, solved)


def assert_same(design, kernel):
    expected = from_scratch(kernel, design.landmarks.tolist())
    largest = kernel.diagonal().max()
    np.testing.assert_allclose(design.variance, expected, atol=1e-9 * largest, rtol=0)
    assert (design.variance >= 0).all()


changes = st.lists(
    st.tuples(st.sampled_from(["add", "remove", "move"]), st.integers(0, 59), st.integers(0)),
    max_size=40,
)


@settings(max_examples=80)
@given(changes)
def test_any_sequence_of_changes_gives_the_variance_from_scratch(sequence):
    design, held = Design(KERNEL), []
    for change, vertex, number in sequence:
        old = held[number % len(held)] if held else None
        if change == "add" and vertex not in held and len(held) < 15:
            design.add(vertex)
            held.append(vertex)
        elif change == "remove" and held:
            design.remove(old)
            held.remove(old)
        elif change == "move" and held and vertex not in held:
            design.move(old, vertex)
            held[held.index(old)] = vertex
        assert design.landmarks.tolist() == held
    assert_same(design, KERNEL)


def test_many_moves_do_not_drift():
    random = np.random.default_rng(3)
    design = Design(KERNEL, select(KERNEL, 12).indices)
    for _ in range(2000):
        free = np.setdiff1d(np.arange(60), design.landmarks)
        design.move(int(random.choice(design.landmarks)), int(random.choice(free)))
    assert_same(design, KERNEL)


def test_it_begins_where_a_selection_ends():
    found = select(KERNEL, 15)
    np.testing.assert_allclose(Design(KERNEL, found.indices).variance, found.variance, atol=1e-14)


def test_removing_all_leaves_the_prior_variance():
    design = Design(KERNEL, [3, 1, 4, 15, 9])
    for vertex in (4, 9, 3, 15, 1):
        design.remove(vertex)
    assert len(design.landmarks) == 0
    assert (design.variance == KERNEL.diagonal()).all()


def test_the_old_names_still_work_with_a_warning():
    new, old = Design(KERNEL, [3]), Design(KERNEL, [3])
    new.add(7)
    new.remove(3)
    with pytest.warns(DeprecationWarning, match="use add"):
        old.take(7)
    with pytest.warns(DeprecationWarning, match="use remove"):
        old.give_back(3)
    assert (old.landmarks == new.landmarks).all()
    assert (old.variance == new.variance).all()


def test_a_field_kernel_is_moved_on(molar):
    kernel = covariance(molar, replace(SMALL, engine="field"))
    design = Design(kernel, select(kernel, 30).indices)
    for vertex in design.landmarks[:10]:
        design.move(int(vertex), int(vertex) + 1)
    assert_same(design, kernel)


def test_the_variance_handed_out_is_a_copy():
    design = Design(KERNEL, [1, 2])
    design.variance[:] = -1
    assert_same(design, KERNEL)


def test_a_landmark_added_twice():
    design = Design(KERNEL, [5])
    with pytest.raises(SettingsError, match="Vertex 5 is a landmark already"):
        design.add(5)
    with pytest.raises(SettingsError, match="Vertex 7 is a landmark already"):
        Design(KERNEL, [7, 2, 7])


def test_removing_one_that_is_not_there():
    design = Design(KERNEL, [5])
    with pytest.raises(SettingsError, match="Vertex 6 is not a landmark"):
        design.remove(6)
    with pytest.raises(SettingsError, match="Vertex 6 is not a landmark"):
        design.move(6, 8)


@pytest.mark.parametrize("vertex", [-1, 60])
def test_a_vertex_that_does_not_exist(vertex):
    design = Design(KERNEL, [5])
    for change in (design.add, lambda index: design.move(5, index)):
        with pytest.raises(SettingsError, match=f"Vertex {vertex} does not exist.* 0 to 59"):
            change(vertex)
    with pytest.raises(SettingsError, match="does not exist"):
        whiten(KERNEL, [vertex])


def test_landmarks_that_are_no_numbers():
    with pytest.raises(SettingsError, match="list of vertex numbers"):
        Design(KERNEL, [0.5, 1.0])
    with pytest.raises(SettingsError, match="no landmarks"):
        whiten(KERNEL, [])


def test_a_landmark_that_the_others_determine_is_refused_and_nothing_changes():
    matrix = np.pad(KERNEL.matrix, (0, 1), mode="edge")  # point 60 is point 59 again
    kernel = MatrixKernel(matrix)
    design = Design(kernel, [59, 3])
    before = design.variance
    for change in (lambda: design.add(60), lambda: design.move(3, 60)):
        with pytest.raises(KernelError, match="vertex 60 would add nothing"):
            change()
        assert design.landmarks.tolist() == [59, 3]
        assert (design.variance == before).all()
    design.move(59, 60)  # but it may take its twin's place
    assert design.landmarks.tolist() == [60, 3]
    np.testing.assert_allclose(design.variance, before, atol=1e-13)


def test_repeated_landmarks_make_the_covariance_singular():
    for landmarks in ([1, 2, 1], [1, 1]):
        with pytest.raises(KernelError, match="vertex 1 is repeated or determined"):
            whiten(KERNEL, landmarks)
    assert (whiten(KERNEL, [1, 2, 1], noise=0.1).variance > 0).all()


def test_a_kernel_that_is_no_covariance():
    with pytest.raises(KernelError, match="positive somewhere"):
        Design(MatrixKernel(np.zeros((4, 4))))


def test_random_pivots_give_a_cholesky_factor():
    found = randomly_pivoted(KERNEL, 12, seed=4)
    assert len(set(found.indices.tolist())) == 12
    assert found.stopped is Stop.COUNT
    residual = KERNEL.matrix - found.factor.T @ found.factor
    np.testing.assert_allclose(np.diag(residual), found.variance, atol=1e-13)
    expected = from_scratch(KERNEL, found.indices.tolist())
    np.testing.assert_allclose(found.variance, expected, atol=1e-9 * KERNEL.matrix.max())


def test_random_pivots_come_in_proportion_to_the_variance():
    kernel = MatrixKernel(np.diag([0.0, 1.0, 2.0, 5.0]))
    picks = [randomly_pivoted(kernel, 1, seed=seed).indices[0] for seed in range(800)]
    shares = np.bincount(picks, minlength=4) / 800
    np.testing.assert_allclose(shares, [0, 0.125, 0.25, 0.625], atol=0.05)


def test_random_pivots_stop_at_the_rank_and_repeat_with_their_seed():
    factor = np.random.default_rng(0).standard_normal((40, 5))
    kernel = MatrixKernel(factor @ factor.T)
    found = randomly_pivoted(kernel, 20, seed=1)
    assert (len(found.indices), found.stopped) == (5, Stop.RANK)
    assert (randomly_pivoted(kernel, 20, seed=1).indices == found.indices).all()


@pytest.mark.parametrize(("count", "seed"), [(0, 1), (61, 1), (3, -1)])
def test_random_pivots_refuse(count, seed):
    with pytest.raises(SettingsError, match=r"number of landmarks|seed"):
        randomly_pivoted(KERNEL, count, seed)


@pytest.mark.parametrize(
    "work",
    [
        lambda: Design(KERNEL, [1, 2, 3]),
        lambda: randomly_pivoted(KERNEL, 3, seed=0),
        lambda: feature_map(KERNEL, rank=3),
    ],
)
def test_memory_is_asked_for_before_the_work(work, monkeypatch):
    monkeypatch.setattr("gplandmark.gp.limits.available_memory", lambda: 1000)
    with pytest.raises(SettingsError, match="GB of memory"):
        work()
