"""Starting landmarks from files of every kind: systems, missing ones, and lists of vertices."""

import numpy as np
import pytest
from conftest import SMALL

from gplandmark import LandmarkFileError, Landmarks, place, read_landmarks, write
from gplandmark.io.landmark_files import stated_specimen
from gplandmark.io.landmark_formats.formats import FORMATS
from gplandmark.io.scans.names import NAMELESS
from gplandmark.io.start_landmarks import note_of_another, read_start


def test_landmarks_in_ras_are_brought_to_the_mesh_and_it_is_said(tmp_path, molar):
    turned = molar.points[[5, 9]] * [-1, -1, 1]
    path, _ = write(Landmarks.at(turned, "a", system="RAS"), tmp_path / "a.mrk.json")
    start = read_start(path, molar)
    assert start.vertices.tolist() == [5, 9]
    assert any("RAS" in note and "changed" in note for note in start.notes)


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


def placed_after(tmp_path, molar, count, vertices, **words):
    """Landmarks that follow those that a person placed at these vertices."""
    path, _ = write(Landmarks.at(molar.points[vertices], "a", **words), tmp_path / "a.csv")
    start = read_start(path, molar)
    firsts = list(dict.fromkeys(start.vertices.tolist()))
    return start.label(place(molar, count, settings=SMALL, start=firsts))


def test_starting_landmarks_keep_their_types(tmp_path, molar):
    kinds = ("semi", "", "fixed")
    found = placed_after(tmp_path, molar, 5, [5, 90, 40], kinds=kinds)
    assert found.kinds == (*kinds, "", "")
    assert placed_after(tmp_path, molar, 5, [5, 90, 40]).kinds == ()


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        ((), ("1", "2", "3", "4", "5", "6")),
        (("tip", "base"), ("tip", "base", "3", "4", "5", "6")),
        (("1", "7"), ("1", "7", "3", "4", "5", "6")),
        (("3", "tip"), ("3", "tip", "4", "5", "6", "7")),
        (("5", "3"), ("5", "3", "4", "6", "7", "8")),
    ],
)
def test_new_landmarks_take_no_name_that_is_taken(tmp_path, molar, names, labels):
    for count in (6, 4, 2):  # and more landmarks change no name
        assert placed_after(tmp_path, molar, count, [5, 90], labels=names).labels == labels[:count]


def test_of_two_starting_landmarks_on_one_vertex_the_first_stands(tmp_path, molar):
    words = {"labels": ("p", "q", "r"), "kinds": ("fixed", "semi", "semi")}
    found = placed_after(tmp_path, molar, 4, [5, 5, 9], **words)
    assert found.labels == ("p", "r", "3", "4")
    assert found.kinds == ("fixed", "semi", "", "")
    assert found.record.warnings[0] == "Landmarks of a.csv share a vertex: 'q' is merged with 'p'."


def test_a_mesh_is_no_landmark_file(tmp_path, molar):
    with pytest.raises(LandmarkFileError, match=r"tooth\.ply is a mesh, not a landmark file"):
        read_start(tmp_path / "tooth.ply", molar)


@pytest.mark.parametrize("extension", FORMATS)
def test_a_file_without_the_name_of_a_specimen_states_none(tmp_path, molar, extension):
    if FORMATS[extension].text is None:
        pytest.skip("it is only read")
    path, record = write(Landmarks.at(molar.points[:3], "m3"), tmp_path / f"a{extension}")
    assert stated_specimen(path) == "m3"  # its record does, if not the file
    record.unlink()
    assert stated_specimen(path) == ("m3" if FORMATS[extension].holds_many else "")
    assert read_landmarks(path).specimen == ("m3" if FORMATS[extension].holds_many else "a")


def test_landmarks_of_another_specimen_are_noted(tmp_path, molar):
    path = tmp_path / "expert.csv"
    write(Landmarks.at(molar.points[:3], "site/m3"), path)
    noted = ("expert.csv has landmarks of site/m3, but the scan is teeth/m0.",)
    assert note_of_another(path, "teeth/m0") == noted
    assert note_of_another(path, "other/m3") == ()
    assert note_of_another(path, NAMELESS) == ()
    write(Landmarks.at(molar.points[:3], Landmarks.specimen), path, overwrite=True)
    assert note_of_another(path, "m0") == ()
    (tmp_path / "vertices.txt").write_text("5\n9\n")
    assert note_of_another(tmp_path / "vertices.txt", "m0") == ()
