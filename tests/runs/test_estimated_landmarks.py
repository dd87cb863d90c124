"""Estimates of missing landmarks are written into a file of their own."""

import csv

import numpy as np
import pytest

from gplandmark import GplandmarkWarning, Landmarks
from gplandmark.io.landmark_formats.formats import writer_of
from gplandmark.runs.journal import JournalEntry
from gplandmark.runs.matched.estimated_landmarks import (
    ESTIMATED,
    unused_estimates,
    update_estimates,
    write_estimates,
)

LABELS = [*"abcdefgh"]


@pytest.fixture
def shapes(random):
    mean, change = random.normal(size=(2, len(LABELS), 3))
    return mean + 0.1 * random.normal(size=9)[:, None, None] * change


def joint(folder, shapes, names):
    path = folder / "collection" / "landmarks.csv"
    path.parent.mkdir(exist_ok=True)
    sets = [
        Landmarks.at(each, name, labels=LABELS) for each, name in zip(shapes, names, strict=True)
    ]
    path.write_text(writer_of(path)(sets))
    return path


def entries(names, mirrored=()):
    return [
        JournalEntry(name, f"{name}.ply", facts={"mirrored": name in mirrored}) for name in names
    ]


def rows_of(folder):
    with (folder / ESTIMATED).open() as file:
        return list(csv.DictReader(file))


def test_missing_landmarks_are_in_a_file_apart_and_marked(tmp_path, shapes):
    names = [f"s{k}" for k in range(len(shapes))]
    truth = shapes[0, 5:].copy()
    shapes[0, 5:] = np.nan
    path = joint(tmp_path, shapes, names)
    before = path.read_text()
    said = write_estimates(entries(names), tmp_path)
    assert said == "3 missing landmarks estimated from 8 complete specimens, in estimated.csv only."
    rows = rows_of(tmp_path)
    assert [(row["specimen"], row["landmark"], row["status"]) for row in rows] == [
        ("s0", label, "estimated") for label in "fgh"
    ]
    points = np.array([[float(row[axis]) for axis in "xyz"] for row in rows])
    assert np.linalg.norm(points - truth, axis=1).max() < 0.1
    assert all(0 < float(row["expected_error"]) < float(row["radius_90"]) for row in rows)
    assert path.read_text() == before


def test_estimates_of_a_mirror_image_are_in_its_own_coordinates(tmp_path, shapes):
    names = [f"s{k}" for k in range(len(shapes))]
    shapes[0, 5:] = np.nan
    joint(tmp_path, shapes, names)
    write_estimates(entries(names), tmp_path)
    straight = [float(row["x"]) for row in rows_of(tmp_path)]
    shapes[0] *= [-1, 1, 1]
    joint(tmp_path, shapes, names)
    write_estimates(entries(names, ["s0"]), tmp_path)
    np.testing.assert_allclose([-float(row["x"]) for row in rows_of(tmp_path)], straight, atol=1e-5)


@pytest.mark.parametrize("count", [9, 4], ids=["complete", "too few"])
def test_without_anything_to_estimate_no_file_is_left(tmp_path, shapes, count):
    names = [f"s{k}" for k in range(count)]
    (tmp_path / ESTIMATED).write_text("of an earlier run")
    if count == 4:
        shapes[0, 5:] = np.nan
    joint(tmp_path, shapes[:count], names)
    said = write_estimates(entries(names), tmp_path)
    assert ("No landmark is missing" if count == 9 else "at least 5 are needed") in said
    assert not (tmp_path / ESTIMATED).exists()


def test_estimates_that_are_not_wanted_any_more_are_removed(tmp_path):
    (tmp_path / ESTIMATED).write_text("of an earlier run")
    assert update_estimates([], tmp_path, wanted=False) == []
    assert not (tmp_path / ESTIMATED).exists()


def test_estimates_that_an_analysis_does_not_use_are_said(tmp_path, shapes):
    complete = [Landmarks.at(each.copy(), "s") for each in shapes]
    shapes[0, 5:] = np.nan
    lacking = [Landmarks.at(each, "s") for each in shapes]
    assert unused_estimates([tmp_path, None], lacking) == []
    (tmp_path / ESTIMATED).write_text("estimates")
    assert unused_estimates([tmp_path], complete) == []
    with pytest.warns(GplandmarkWarning, match="thin-plate splines"):
        (said,) = unused_estimates([tmp_path, None], lacking)
    assert said.startswith(str(tmp_path / ESTIMATED))
