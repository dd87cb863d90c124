"""Tables and other landmark files of people and programs: nothing moves, merges or vanishes."""

import numpy as np
import pytest
from foreign_files import FIDUCIALS, FIDUCIALS_5
from hypothesis import given
from hypothesis import strategies as st

from gplandmark import GplandmarkWarning, LandmarkFileError, read_collection, read_landmarks
from gplandmark.io.landmark_formats import csv_long as table

GONE = "gone"


def read(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content.encode())
    return read_collection(path)


def told(landmarks):
    """Name, labels and points of a specimen."""
    points = [GONE if np.isnan(each).any() else each.tolist() for each in landmarks.points]
    return landmarks.specimen, landmarks.labels, points


def refused(tmp_path, name, content, message):
    with pytest.raises(LandmarkFileError, match=message):
        read(tmp_path, name, content)


# --------------------------------------------------------------------------- missing and blank


def test_a_row_of_empty_cells_is_a_missing_landmark(tmp_path):
    (found,) = read(tmp_path, "a.csv", "x,y,z\n1,2,3\n,,\n4,5,6\n")
    assert told(found) == ("a", ("1", "2", "3"), [[1, 2, 3], GONE, [4, 5, 6]])
    (first,) = read(tmp_path, "a.csv", "x,y,z\n,,\n4,5,6\n")
    assert told(first)[2] == [GONE, [4, 5, 6]]


def test_blank_lines_and_what_spreadsheets_leave_at_the_end_are_nothing(tmp_path):
    (found,) = read(tmp_path, "a.csv", ",,\n\nx,y,z\n\n1,2,3\n  \n4,5,6\n,,\n\n , ,\n")
    assert told(found)[2] == [[1, 2, 3], [4, 5, 6]]


def test_blank_rows_part_specimens_and_are_missing_inside_them(tmp_path):
    content = "specimen,x,y,z\n,,,\na,1,2,3\n,,,\na,4,5,6\n,,,\nb,7,8,9\n,,,\n"
    first, second = read(tmp_path, "t.csv", content)
    assert told(first) == ("a", ("1", "2", "3"), [[1, 2, 3], GONE, [4, 5, 6]])
    assert told(second) == ("b", ("1",), [[7, 8, 9]])


@given(st.lists(st.booleans(), min_size=1, max_size=12), st.integers(0, 3))
def test_every_landmark_keeps_its_number(present, behind):
    """Whatever is missing, and however many blank rows follow: number k stands in row k."""
    while present and not present[-1]:
        present.pop()
    rows = [f"{k},0,1" if there else ",," for k, there in enumerate(present)]
    (found,) = table.parse("\n".join(["x,y,z", *rows, *[",,"] * behind]), "a")
    assert len(found) == len(present)
    assert (~found.missing).tolist() == present
    assert all(found.points[k, 0] == k for k, there in enumerate(present) if there)


# ------------------------------------------------------------------------------- specimens' names

WIDE = "LM1_X,LM1_Y,LM1_Z,LM2_X,LM2_Y,LM2_Z\n1,2,3,4,5,6\n7,8,9,10,11,12\n"


def test_a_wide_table_without_names_is_called_after_its_file(tmp_path):
    first, second = read(tmp_path, "a.csv", WIDE)
    assert told(first) == ("a-1", ("1", "2"), [[1, 2, 3], [4, 5, 6]])
    assert told(second) == ("a-2", ("1", "2"), [[7, 8, 9], [10, 11, 12]])
    (alone,) = read(tmp_path, "a.csv", WIDE.rsplit("\n", 2)[0])
    assert told(alone) == ("a", ("1", "2"), [[1, 2, 3], [4, 5, 6]])


def test_a_wide_table_may_have_its_names_anywhere(tmp_path):
    content = "sex,nasion_X,nasion_Y,nasion_Z,ID,\nf,1,2,3,m1,\n,,,,,\nf,4,5,6,m2,\n"
    with pytest.warns(GplandmarkWarning, match=r"a: .* left out: sex\.$"):
        first, second = read(tmp_path, "a.csv", content)
    assert told(first) == ("m1", ("nasion",), [[1, 2, 3]])
    assert told(second) == ("m2", ("nasion",), [[4, 5, 6]])


ROWS = "\na,1,1,2,3\na,2,4,5,6\nb,1,7,8,9\n"


@pytest.mark.parametrize(
    "header",
    ["ID,landmark", "Specimen,Landmark", "id,label", "subject,name", "id,name", "name,landmark",
     "INDIVIDUAL,Label"],
)  # fmt: skip
def test_specimens_and_landmarks_under_the_words_in_use(tmp_path, header):
    first, second = read(tmp_path, "t.csv", f"{header},x,y,z{ROWS}")
    assert told(first) == ("a", ("1", "2"), [[1, 2, 3], [4, 5, 6]])
    assert told(second) == ("b", ("1",), [[7, 8, 9]])


@pytest.mark.parametrize("header", ["label", "name", "Landmark", "id"])
def test_names_of_landmarks_alone(tmp_path, header):
    (found,) = read(tmp_path, "t.csv", f"{header},x,y,z\nnasion,1,2,3\nbregma,4,5,6\n")
    assert told(found) == ("t", ("nasion", "bregma"), [[1, 2, 3], [4, 5, 6]])


def test_an_id_of_single_rows_is_no_specimen(tmp_path):
    with pytest.warns(GplandmarkWarning, match="left out: id"):
        (found,) = read(tmp_path, "t.csv", "id,label,x,y,z\n7,n,1,2,3\n8,m,4,5,6\n")
    assert told(found)[:2] == ("t", ("n", "m"))
    (alone,) = read(tmp_path, "t.csv", "id,label,x,y,z\nm7,n,1,2,3\n")
    assert told(alone)[:2] == ("m7", ("n",))
    first, second = read(tmp_path, "t.csv", "id,label,x,y,z\nm7,n,1,2,3\nm8,n,4,5,6\n")
    assert (first.specimen, second.specimen) == ("m7", "m8")


def test_a_name_that_may_be_anybodys_is_refused(tmp_path):
    refused(tmp_path, "t.csv", "name,x,y,z\na,1,2,3\na,4,5,6\nb,7,8,9\n",
            "Call it specimen or landmark")  # fmt: skip


def test_columns_that_are_not_read_are_named(tmp_path):
    with pytest.warns(
        GplandmarkWarning, match="t: .* left out: colour, one without a name"
    ) as all_:
        read(tmp_path, "t.csv", "x,y,z,colour,,empty\n1,2,3,red,9,\n")
    assert "empty" not in str(all_[0].message)
    refused(tmp_path, "t.csv", "x,y,z,x\n1,2,3,4\n", "two columns x")


def test_morphologika_takes_the_names_that_fit(tmp_path):
    content = (
        "[individuals]\n2\n[landmarks]\n1\n[dimensions]\n3\n[names]\n{}\n[rawpoints]\n"
        "'{}\n1 2 3\n'{}\n4 5 6\n"
    )
    with pytest.warns(GplandmarkWarning, match=r"has 1 name for 2 specimens; those of \[rawpoints"):
        found = read(tmp_path, "t.txt", content.format("only", "a", "b"))
    assert [each.specimen for each in found] == ["a", "b"]
    with pytest.warns(GplandmarkWarning, match="has 1 name for 2 specimens; they are called after"):
        found = read(tmp_path, "t.txt", content.format("only", "#1", "#2"))
    assert [each.specimen for each in found] == ["t-1", "t-2"]
    for openers in (("a", "b"), ("", "")):
        found = read(tmp_path, "t.txt", content.format("one\ntwo", *openers))
        assert [each.specimen for each in found] == ["one", "two"]
    found = read(tmp_path, "t.txt", content.format("", "a", "b"))
    assert [each.specimen for each in found] == ["a", "b"]


# -------------------------------------------------------------------- decimal commas and the lines


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "landmark,x,y,z\nbregma,1,2,3\nnasion,1,5,2,5,3,5\n"),
        ("a.csv", "landmark,x,y,z\nbregma,1,2,3\nnasion,1,5,2,3\n"),
        ("a.csv", "x,y,z,vertex,variance,,\n1,2,3,,\n1,5,2,5,3,5,,\n"),
        ("a.csv", "x,y,z,vertex,variance,type\n1,2,3,,,\n1,5,2,5,3,5,,,\n"),
        ("a.csv", "ID,LM1_X,LM1_Y,LM1_Z\na,1,2,3\nb,1,5,2,5,3,5\n"),
        ("a.wide.csv", "LM1_X,LM1_Y,LM1_Z\n1,2,3\n1,5,2,3\n"),
    ],
)
def test_decimal_commas_in_tables_are_refused(tmp_path, name, content):
    refused(tmp_path, name, content, "line 3 has .* cells, but .* decimal points")


def test_commas_at_the_end_of_rows_are_harmless(tmp_path):
    (found,) = read(tmp_path, "a.csv", "x,y,z\n1,2,3,\n4,5,6,\n,,,,,\n7,8,9\n")
    assert told(found)[2] == [[1, 2, 3], [4, 5, 6], GONE, [7, 8, 9]]


@pytest.mark.parametrize("where", ["1,5,-2,3", "1,5,-2,5,3", "1,5,-2,5,3,5"])
@pytest.mark.parametrize("content", [FIDUCIALS, FIDUCIALS_5])
def test_decimal_commas_in_fiducials_are_refused(tmp_path, content, where):
    assert "1.5,-2,3" in content
    damaged = content.replace("1.5,-2,3e0", where).replace("1.5,-2,3", where)
    refused(tmp_path, "a.fcsv", damaged, "line 4 has .* fields, but .* decimal points")


def test_fields_that_slicer_adds_are_understood(tmp_path):
    (found,) = read(tmp_path, "a.fcsv", FIDUCIALS_5)
    assert told(found) == ("a", ("nasion", "gone", "a, b"), [[1.5, -2, 3], GONE, [4, 5, 6]])
    assert found.kinds == ("", "", "semi")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("x,y,z\n\n\n1,2,3\n1,2,q\n", 5),
        ('landmark,x,y,z\n"two\nlines",1,2,3\nb,1,2,q\n', 4),
        ('landmark,x,y,z\r\n\r\n"two\r\nlines",1,2,q\r\n', 3),
        ("ID,LM1_X,LM1_Y,LM1_Z\n\na,1,2,3\n\nb,1,2,q\n", 5),
    ],
)
def test_errors_name_the_line_of_the_file(tmp_path, content, line):
    refused(tmp_path, "a.csv", content, rf"line {line}\b.* has no number")


def test_systems_that_only_some_landmarks_tell(tmp_path):
    refused(tmp_path, "a.csv", "x,y,z,system\n1,2,3,LPS\n1,2,3,\n",
            "a: some landmarks are in LPS, and some do not say .* Fill in")  # fmt: skip
    refused(tmp_path, "a.csv", "x,y,z,system\n1,2,3,LPS\n1,2,3,ras\n", "systems: LPS and RAS")
    (found,) = read(tmp_path, "a.csv", "x,y,z,system\n1,2,3,LPS\n,,,\n4,5,6,LPS\n")
    assert found.system == "LPS"
    (missing,) = read(tmp_path, "a.csv", "x,y,z,system\nNA,NA,NA,RAS\n")
    assert missing.system == "RAS"


# ----------------------------------------------------------------------- codes for missing ones


def test_a_declared_code_stands_for_all_coordinates_or_none(tmp_path):
    content = "1 1L 9 1 -999 DIM=3\na\n{} 4 5 6 7 8 9\n"
    refused(tmp_path, "a.nts", content.format("-999 2 3"), "landmark 1 .* -999, .* in some")
    (found,) = read(tmp_path, "a.nts", content.format("-999 -999 -999"))
    assert told(found)[2] == [GONE, [4, 5, 6], [7, 8, 9]]
    undeclared = content.replace("1 -999", "0").format("-999 2 3")
    refused(tmp_path, "a.nts", undeclared, "landmark 1 of a has -999, .* in some coordinates")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.pts", "Version 1.0\n2\nS000 9999 1 2\nS001 9999 9999 9999\n"),
        ("a.dta", "1 1L 6 1 9999 Dim=3\n\na\n\n9999 1 2\n9999 9999 9999\n"),
        ("a.txt", "[individuals]\n1\n[landmarks]\n2\n[dimensions]\n3\n[names]\na\n[rawpoints]\n"
                  "'#1\n9999 1 2\n9999 9999 9999\n"),
    ],
)  # fmt: skip
def test_a_customary_code_among_coordinates_is_kept_and_said(tmp_path, name, content):
    with pytest.warns(GplandmarkWarning, match="a: .* has 9999 among its coordinates"):
        (found,) = read(tmp_path, name, content)
    assert told(found)[2] == [[9999, 1, 2], GONE]


def test_tabs_part_cells_too(tmp_path):
    text = "landmark\tx\ty\tz\na, b\t1\t2\t3\nc\t4\t5\t6\n"
    (tmp_path / "tabs.csv").write_text(text)
    found = read_landmarks(tmp_path / "tabs.csv")
    assert found.labels == ("a, b", "c")
    assert found.points.tolist() == [[1, 2, 3], [4, 5, 6]]
