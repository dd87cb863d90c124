"""The commands align and repeatability, as a user meets them."""

import csv
import warnings

import numpy as np
import pytest
from commands import names_in, refused, run
from conftest import SMALL
from shape_samples import moved

from gplandmark import GplandmarkWarning, Landmarks, ScanError, SettingsError, Surface, make_molar
from gplandmark.io.scans import as_ply, read
from gplandmark.io.write_landmarks import write_collection
from gplandmark.landmarks.repeatability import repeatability

PLACES = np.array([[0.05, 0], [0.5, 0.1], [-0.4, 0.3], [0.2, -0.6], [-0.3, -0.4], [0.1, 0.7]])


@pytest.fixture
def folder(tmp_path, monkeypatch, random):
    """One tooth in three poses, sizes and sides, with its landmarks."""
    monkeypatch.chdir(tmp_path)
    tooth = make_molar(1, vertex_count=400)
    (tmp_path / "scans").mkdir()
    given = []
    for number in range(3):
        mesh = np.vstack([tooth.surface.points, tooth.at(PLACES)])
        if number == 2:
            mesh = mesh * [-1, 1, 1]
        mesh = moved(mesh, random)
        points, marks = np.split(mesh, [tooth.surface.vertex_count])
        faces = tooth.surface.triangles
        faces = faces[:, ::-1].copy() if number == 2 else faces
        (tmp_path / "scans" / f"s{number}.ply").write_bytes(as_ply(Surface(points, faces)))
        given.append(Landmarks.at(marks, f"s{number}", labels=tuple("abcdef")))
    write_collection(given, "marks.csv")
    return tmp_path


def areas(surface):
    corners = surface.points[surface.triangles]
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def test_scans_of_one_shape_coincide(folder):
    options = ("--landmarks", "marks.csv", "--equal-sizes", "--reflect")
    said = run("align", "scans", *options, "-o", "out")
    assert "mirrored   1 scan" in said
    assert names_in(folder / "out") == ["poses.csv", "s0.ply", "s1.ply", "s2.ply"]
    scans = [read(folder / "out" / f"s{number}.ply") for number in range(3)]
    outwards = areas(scans[0]).sum(axis=0)
    for other in scans[1:]:
        np.testing.assert_allclose(other.points, scans[0].points, atol=1e-8)
        np.testing.assert_allclose(areas(other).sum(axis=0), outwards, atol=1e-8)


def test_sizes_and_sides_stay_unless_asked(folder):
    run("align", "scans", "--landmarks", "marks.csv", "-o", "out", "-q")
    table = list(csv.DictReader((folder / "out" / "poses.csv").read_text().splitlines()))
    for number, row in enumerate(table):
        before, after = (read(folder / at / f"s{number}.ply").points for at in ("scans", "out"))
        assert float(row["scale"]) == 1
        assert row["mirrored"] == "no"
        rotation = np.array([float(row[f"rotation_{a}{b}"]) for a in "xyz" for b in "xyz"])
        centre = np.array([float(row[f"centre_{axis}"]) for axis in "xyz"])
        np.testing.assert_allclose((before - centre) @ rotation.reshape(3, 3), after, atol=1e-8)
        np.testing.assert_allclose(np.linalg.det(rotation.reshape(3, 3)), 1)
    refused("align", "scans", "--landmarks", "marks.csv", "-o", "out", words="exists")
    (folder / "scans" / "s1.ply").unlink()
    refused(
        "align", "scans", "--landmarks", "marks.csv", "-o", "new", words="no scan of specimen s1"
    )
    assert not (folder / "new").exists()


@pytest.mark.slow
def test_scans_without_landmarks_are_laid_on_each_other(folder):
    said = run("align", "scans", "--equal-sizes", "--reflect", "-o", "out")
    scans = [read(folder / "out" / f"s{number}.ply") for number in range(3)]
    size = np.ptp(scans[0].points, axis=0).max()
    sides = [row["mirrored"] for row in
             csv.DictReader((folder / "out" / "poses.csv").read_text().splitlines())]  # fmt: skip
    assert sides in (["no", "no", "yes"], ["yes", "yes", "no"])
    assert f"mirrored   {sides.count('yes')} scan" in said
    for other in scans[1:]:
        assert np.abs(other.points - scans[0].points).max() < 0.02 * size
        assert np.sum(areas(other) * areas(scans[0])) > 0  # the outside is the same
    run("align", "scans/s0.ply", "scans/s1.ply", "-o", "kept", "-q")
    for name in ("s0", "s1"):
        before, after = (read(folder / at / f"{name}.ply") for at in ("scans", "kept"))
        np.testing.assert_allclose(np.linalg.norm(areas(before), axis=1),
                                   np.linalg.norm(areas(after), axis=1), rtol=1e-9)  # fmt: skip


def test_landmarks_move_little_on_other_meshes(molar):
    found = repeatability(molar, 10, settings=SMALL)
    assert [each.name for each in found] == ["subdivided", "decimated", "noise"]
    assert found[0].vertices > molar.vertex_count > found[1].vertices
    for each in found:
        assert each.distances.shape == (10,)
        assert np.median(each.distances) < 0.1 * each.unit
    assert found[0].stayed == np.mean(found[0].distances < 0.02 * found[0].unit)


def test_the_command_prints_and_writes_a_table(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)  # such a small mesh may be too coarse
        said = run("repeatability", "scans/s0.ply", "-n", 6, "--csv", "table.csv")
    assert "decimated" in said
    rows = list(csv.DictReader((folder / "table.csv").read_text().splitlines()))
    assert [row["change"] for row in rows] == ["subdivided", "decimated", "noise"]
    assert all(float(row["median"]) <= float(row["largest"]) for row in rows)


def test_bad_scans_and_counts_are_refused(molar, random):
    with pytest.raises(SettingsError, match="at least 1"):
        repeatability(molar, 0)
    with pytest.raises(ScanError, match="no triangles"):
        repeatability(Surface(random.normal(size=(50, 3)), None), 5)
