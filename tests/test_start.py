"""Starting landmarks from files of every kind: systems, missing ones, and lists of vertices."""

import numpy as np
import pytest

from gplandmark import LandmarkFileError, Landmarks, write
from gplandmark.files.start import read_start


def test_landmarks_in_ras_are_brought_to_the_mesh_and_it_is_said(tmp_path, molar):
    turned = molar.points[[5, 9]] * [-1, -1, 1]
    path, _ = write(Landmarks.at(turned, "a", system="RAS"), tmp_path / "a.mrk.json")
    start = read_start(path, molar)
    assert start.vertices.tolist() == [5, 9]
    assert any("RAS" in note and "turned" in note for note in start.notes)


def test_missing_landmarks_are_left_out_and_it_is_said(tmp_path, molar):
    points = molar.points[[5, 6, 9]].copy()
    points[1] = np.nan
    landmarks = Landmarks.at(points, "a", labels=("p", "q", "r"))
    path, _ = write(landmarks, tmp_path / "a.csv")
    start = read_start(path, molar)
    assert start.vertices.tolist() == [5, 9]
    assert start.labels == ("p", "r")
    assert start.notes == ("1 missing landmarks of a.csv were left out.",)


def test_a_text_file_is_either_landmarks_or_vertices(tmp_path, molar):
    path, _ = write(Landmarks.at(molar.points[[5, 9]], "a"), tmp_path / "a.txt")
    assert read_start(path, molar).vertices.tolist() == [5, 9]
    (tmp_path / "vertices.txt").write_text("5\n9\n")
    assert read_start(tmp_path / "vertices.txt", molar).vertices.tolist() == [5, 9]


def test_landmarks_of_another_unit_are_refused(tmp_path, molar):
    path, _ = write(Landmarks.at(1000 * molar.points[:3], "a"), tmp_path / "a.pts")
    with pytest.raises(LandmarkFileError, match="gplandmark check"):
        read_start(path, molar)
