"""Landmark files that are damaged, hostile, or no files at all: one sentence, at once."""

import os
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pytest
from foreign_files import AMIRA, CHECKPOINT, FIDUCIALS, FOREIGN, MORPHOLOGIKA, NTS, PICKED
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gplandmark import (
    GplandmarkWarning,
    LandmarkFileError,
    Landmarks,
    read_collection,
    read_landmarks,
    write,
)
from gplandmark.io.files import LARGEST
from gplandmark.io.landmark_formats.formats import FORMATS, WRITABLE

quick = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
POINTS = Landmarks.at(np.array([[1.25, -2.5, 3e-05], [4.0, 5.0, 6.125]]), "a")
JUNK = [b"\n", b"1e999", b"-", b"\0", b"9" * 5000, b"'", b'"', b"=", b"NaN", b"[", b"]", b" ", b",",
        b"1_0", b"\xff", "\u0663".encode(), b"inf", b"\x85", b"{", b"<"]  # fmt: skip


def harmless(path):
    """Reading gives landmarks or a LandmarkFileError that names the file, nothing else."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)
        try:
            found = read_collection(path)
        except LandmarkFileError as error:
            assert str(path) in str(error)  # noqa: PT017
            return
    for each in found:
        assert not np.isinf(each.points).any()
        assert (np.isnan(each.points).sum(axis=1) % 3 == 0).all()


def damaged(data, content):
    """The content cut, with bits flipped, bytes exchanged, or something put in between."""
    content = bytearray(content)
    how = data.draw(st.sampled_from(["cut", "flip", "put", "swap"]))
    if how == "cut":
        return bytes(content[: data.draw(st.integers(0, len(content)))])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        if how == "flip":
            content[place] ^= 1 << data.draw(st.integers(0, 7))
        elif how == "swap":
            content[place] = content[data.draw(st.integers(0, len(content) - 1))]
        else:
            content[place:place] = data.draw(st.sampled_from(JUNK) | st.binary(max_size=9))
    return bytes(content)


SEEDS = [*FOREIGN, *((f"ours{each}", FORMATS[each].text([POINTS])) for each in WRITABLE)]


@pytest.mark.parametrize(("name", "content"), SEEDS, ids=[f"{n}-{len(c)}" for n, c in SEEDS])
@quick
@given(data=st.data())
def test_damaged_files_are_read_or_refused(tmp_path_factory, name, content, data):
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(damaged(data, content.encode()))
    harmless(path)


@pytest.mark.parametrize("extension", FORMATS)
@quick
@given(content=st.binary(max_size=80) | st.text(max_size=80).map(lambda text: text.encode()))
def test_any_bytes_are_read_or_refused(tmp_path_factory, extension, content):
    path = tmp_path_factory.getbasetemp() / f"any{extension}"
    path.write_bytes(content)
    harmless(path)


MANY = 10**12
POSITION = '{{"markups": [{{"controlPoints": [{{"position": [{}, 2, 3]}}]}}]}}'
HOSTILE = {
    "points.pts": f"Version 1.0\n{MANY}\nS000 1 2 3\n",
    "landmarks.tps": f"LM3={MANY}\n1 2 3\n",
    "curves.tps": f"LM3=0\nCURVES={MANY}\nPOINTS={MANY}\n",
    "individuals.txt": f"[individuals]\n{MANY}\n[landmarks]\n0\n[dimensions]\n3\n[rawpoints]\n",
    "landmarks.txt": f"[individuals]\n1\n[landmarks]\n{MANY}\n[dimensions]\n3\n[rawpoints]\n'#1\n",
    "rows.nts": f"1 {MANY} 3 0 DIM=3\n1 2 3\n",
    "columns.nts": f"1 1 {3 * MANY} 0 DIM=3\n1 2 3\n",
    "empty.nts": f"1 {MANY} 0 0 DIM=3\n1 2 3\n",
    "rows.dta": f"1 {MANY}L {3 * MANY} 1 9999 Dim=3\n\na\n\n1 2 3\n",
    "markers.landmarkascii": AMIRA.replace("Markers 2", f"Markers {MANY}"),
    "points.ckpt": CHECKPOINT.replace("NumberOfPoints: 3", f"NumberOfPoints: {MANY}"),
    "digits.pts": f"Version 1.0\n{'9' * 100_000}\nS000 1 2 3\n",
    "deep.mrk.json": "[" * 200_000,
    "integer.mrk.json": POSITION.format("1" + "0" * 999),
    "infinity.mrk.json": POSITION.format("1e999"),
    "list.mrk.json": '{"markups": [[]]}',
    "number.mrk.json": '{"markups": [{"controlPoints": 5}]}',
    "numbers.mrk.json": '{"markups": [{"controlPoints": [5]}]}',
    "laughs.pp": '<!DOCTYPE p [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><PickedPoints>'
    '<point x="&b;" y="1" z="2"/></PickedPoints>',
    "deep.pp": "<a>" * 100_000,
    "field.csv": "x,y,z\n" + "1" * 200_000 + ",2,3\n",
    "digits.csv": "x,y,z\n" + "1" * 100_000 + ",2,3\n",
    "nothing.csv": '"',
    "commas.csv": ",,,\n,,\n",
    "quote.csv": 'x,y,z\n"1,2,3\n',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_at_once(tmp_path, name):
    path = tmp_path / name
    path.write_text(HOSTILE[name])
    tracemalloc.start()
    try:
        with pytest.raises(LandmarkFileError) as error:
            read_collection(path)
        assert tracemalloc.get_traced_memory()[1] < 150 * len(HOSTILE[name]) + 2**20
    finally:
        tracemalloc.stop()
    assert str(path) in str(error.value)
    assert len(str(error.value)) < 400 + len(str(path))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tps", "LM3=1\n1,5 2,5 3,5\n", "decimal comma: '1,5'"),
        ("a.tps", "LM3=2\n1 2 3\nID=a\n", "declares 2 points, but 1 follow"),
        ("a.tps", "LM=1\n1 2\n", "landmarks in the plane"),
        ("a.tps", "LM3=1\n1 NA 3\n", "has no number: 'NA'"),
        ("a.tps", "LM3=1\n1_0 2 3\n", "has no number: '1_0'"),
        ("a.tps", "LM3=1\n1 2 3\nSCALE=-1\n", "is not a scale"),
        ("a.tps", "LM3=1\n1e300 2 3\nSCALE=1e300\n", "out of range"),
        ("a.tps", "hello\nLM3=1\n1 2 3\n", "does not begin with LM3="),
        ("a.pts", "10\n1 2 3\n", "not a Landmark Editor file"),
        ("a.pts", "Version 1.0\n1\nS000 1 2 3\nS001 1 2 3\n", "declares 1 landmarks, but 2"),
        ("a.txt", "1 2 3\n", r"has no section \[individuals\]"),
        ("a.txt", MORPHOLOGIKA.replace("'#2\n", ""), "declares 2 specimens"),
        ("a.txt", MORPHOLOGIKA.replace("\n3\n", "\n2\n", 1), "lie in the plane"),
        ("a.txt", MORPHOLOGIKA.replace("4 5 6", "4 5 6\n7 8 9"), "has 3 landmarks, expected 2"),
        ("a.nts", NTS.replace("DIM=3", "DIM=2"), "only DIM=3"),
        ("a.nts", "2 2 6 0 DIM=3\n1\n", "is not the first line"),
        ("a.nts", NTS.replace("7 8 9", "7 8"), "more or less than that"),
        ("a.nts", '"\n', "nothing but comments"),
        ("a.fcsv", FIDUCIALS.replace("= 0", "= 2", 1), "neither LPS nor RAS"),
        ("a.fcsv", FIDUCIALS.replace(",x,y,", ",u,v,"), "names no x, y and z"),
        ("a.fcsv", FIDUCIALS.replace('"a', '"a" b'), "line 4 is not a row"),
        ("a.landmarkAscii", AMIRA.replace("ASCII", "BINARY"), "not an ASCII landmark set"),
        ("a.landmarkAscii", "  \t\n", "not an ASCII landmark set|empty"),  # found by scripts/fuzz
        ("a.landmarkAscii", AMIRA.replace("4.5e+00 5 -6\n", ""), "declares 2 landmarks, but 1"),
        ("a.pp", "<a/>", "not a file of MeshLab picked points"),
        ("a.pp", PICKED[:-20], "not XML, or cut short"),
        ("a.pp", PICKED.replace('x="1"', ""), "point 'tip' has no number"),
        ("a.ckpt", "[Landmarks]\n", "not a Checkpoint project"),
        ("a.ckpt", CHECKPOINT.replace("1.5 2.5 3.5 0 0 0", "1.5"), "line 8 is not a row"),
        ("a.csv", "x;y;z\n1,5;2;3\n", "separated by semicolons"),
        ("a.csv", 'x,y,z\n"1,5",2,3\n', "decimal comma: '1,5'"),
        ("a.csv", "x,y,z,system\n1,2,3,LPS\n1,2,3,RAS\n", "several coordinate systems"),
        ("a.csv", "x,y,z,system\n1,2,3,IJK\n", "must be LPS, RAS"),
        ("a.csv", "x,y,z,vertex\n1,2,3,4.5\n", "no integer in column vertex"),
    ],
)
@pytest.mark.filterwarnings("ignore::gplandmark.GplandmarkWarning")
def test_bad_content_gets_a_sentence(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(LandmarkFileError, match=message) as error:
        read_collection(path)
    assert str(path) in str(error.value)


def test_things_that_are_no_ordinary_files(tmp_path):
    good, _ = write(POINTS, tmp_path / "good.tps")
    (tmp_path / "link.tps").symlink_to(good)
    assert (read_landmarks(tmp_path / "link.tps").points == POINTS.points).all()
    (tmp_path / "broken.tps").symlink_to(tmp_path / "none.tps")
    (tmp_path / "loop.tps").symlink_to(tmp_path / "loop.tps")
    (tmp_path / "folder.tps").mkdir()
    (tmp_path / "empty.tps").write_text(" \n")
    (tmp_path / "zero.tps").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.tps")
    with (tmp_path / "huge.tps").open("wb") as file:
        file.truncate(LARGEST + 1)
    for name, message in {
        "broken": "no such file", "none": "no such file", "loop": "cannot be read",
        "folder": "is a folder", "empty": "is empty", "zero": "not a regular file",
        "pipe": "not a regular file", "huge": "at most", "null\0": "cannot be read",
    }.items():  # fmt: skip
        with pytest.raises(LandmarkFileError, match=message):
            read_landmarks(tmp_path / f"{name}.tps")


def test_a_file_that_is_closed_to_us(tmp_path, monkeypatch):
    path, _ = write(POINTS, tmp_path / "a.tps")
    if os.geteuid():
        path.chmod(0)
    else:  # root may read everything

        def closed(*_args, **_options):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "read_text", closed)
    with pytest.raises(LandmarkFileError, match=r"cannot be read \(Permission denied\)"):
        read_landmarks(path)
