"""No name that others gave becomes a formula in a spreadsheet."""

import csv
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gplandmark import Landmarks
from gplandmark.io.csv_tables import table_text
from gplandmark.io.landmark_formats import csv_long, csv_wide
from gplandmark.landmarks.compare import COLUMNS
from gplandmark.landmarks.spreadsheet_cells import as_cell, csv_text, of_cell
from gplandmark.morphometrics.analysis.specimen_groups import read_groups
from gplandmark.runs.manifest import read_manifest

FORMULAS = [
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\uff1d1+1",
    "'=1",
    "''@x",
]
PLAIN = ["a", "", "-1.5", "+7", "-1e-05", "-inf", "'a", "'", "a=b", "1-2"]


def is_formula(cell):
    """What a spreadsheet would compute: a text that begins so and is no number."""
    try:
        float(cell)
    except ValueError:
        return cell.startswith(
            ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
        )
    return False


@given(st.text("'=+-@\t1.ae\uff1d") | st.text())
def test_every_text_comes_back_and_none_is_a_formula(text):
    assert of_cell(as_cell(text)) == text
    assert not is_formula(as_cell(text))


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_become_text(text):
    assert as_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", PLAIN)
def test_names_and_numbers_stay_as_they_are(text):
    assert as_cell(text) == text
    assert of_cell(text) == text


def cells(text):
    return [cell for row in csv.reader(StringIO(text)) for cell in row]


@pytest.mark.parametrize("name", FORMULAS[:4])
def test_tables_have_no_formula_and_landmark_tables_are_read_as_they_were(name, tmp_path):
    landmarks = Landmarks.at(np.array([[-1.5, 0, 2], [3, -4, 5]]), name, labels=(name, "b"))
    others = replace(landmarks, specimen="other")
    texts = [each.text((landmarks, others)) for each in (csv_long, csv_wide)]
    texts += [table_text((name, "x"), [(name, -1.5)]), csv_text((name, *COLUMNS), [(name, -1)])]
    for text in texts:
        assert any(name in cell for cell in cells(text))
        assert not [cell for cell in cells(text) if is_formula(cell)]
    for kind in (csv_long, csv_wide):
        found, _ = kind.parse(kind.text((landmarks, others)), "a")
        assert (found.specimen, found.labels) == (name, (name, "b"))
        np.testing.assert_array_equal(found.points, landmarks.points)


def test_groups_and_manifests_know_the_names_of_our_tables(tmp_path):
    (tmp_path / "groups.csv").write_text(table_text(("specimen", "group"), [("-a", "=b")]))
    assert read_groups(tmp_path / "groups.csv") == {"-a": "=b"}
    (tmp_path / "all.csv").write_text(table_text(("file", "specimen"), [("-a.ply", "@a")]))
    manifest = read_manifest(tmp_path / "all.csv")
    assert manifest.rows == {tmp_path / "-a.ply": {"file": "-a.ply", "specimen": "@a"}}
