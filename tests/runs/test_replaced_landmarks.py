# SPDX-License-Identifier: MIT
"""A match into a folder with other landmarks: it is said, and what was checked is set aside."""

from types import SimpleNamespace

import numpy as np
import pytest

from gplandmark.runs.checked import CHECKED, read_checked
from gplandmark.runs.journal import JournalEntry
from gplandmark.runs.matched.prediction_files import least_certain
from gplandmark.runs.matched.replaced_landmarks import note_replaced


@pytest.fixture
def folder(tmp_path):
    (tmp_path / CHECKED).write_text("a\n")
    return tmp_path


def entries_of(*sets):
    return [
        JournalEntry(f"s{number}", "s.ply", identity={"landmarks": list(each)})
        for number, each in enumerate(sets)
    ]


def test_other_landmarks_are_told_and_what_was_checked_is_set_aside(folder):
    said = note_replaced(entries_of("abcd", "abcd", ""), ["a", "b"], folder)
    assert "had 4 landmarks of an earlier match" in said[0]
    assert "replaced by 2" in said[0]
    assert "is now" in said[1]
    assert read_checked(folder) == frozenset()
    assert (folder / "edited" / CHECKED).read_text() == "a\n"


def test_what_was_set_aside_before_stays(folder):
    entries = entries_of("abcd")
    note_replaced(entries, ["a"], folder)
    (folder / CHECKED).write_text("b\n")
    note_replaced(entries, ["a"], folder)
    assert (folder / "edited" / CHECKED).read_text() == "a\n"
    assert (folder / "edited" / f"2-{CHECKED}").read_text() == "b\n"


@pytest.mark.parametrize("sets", [(), ("",), ("ab",), ("ab", "abcd")])
def test_the_same_landmarks_or_none_are_no_news(folder, sets):
    assert note_replaced(entries_of(*sets), ["a", "b"], folder) == ()
    assert read_checked(folder) == {"a"}


def test_landmarks_that_are_not_on_a_fragment_are_not_to_be_annotated():
    predicted = SimpleNamespace(
        error=np.array([[1.0, 5.0, np.nan, 2.0, 3.0]]),
        absent=np.array([[False, True, True, False, False]]),
        labels=("a", "b", "c", "d", "e"),
    )
    assert least_certain(predicted, 0) == ["e", "d", "a"]
