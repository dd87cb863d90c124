"""The command surface, and volumes in other commands, as a user meets them."""

import json

import numpy as np
import pytest
from commands import in_process, names_in, refused, run
from volumes import (
    LEVEL,
    OBLIQUE,
    around,
    ball,
    molar_volume,
    write_dicom,
    write_stack,
    write_volume,
)

from gplandmark import read, read_landmarks
from gplandmark.errors import GplandmarkWarning
from gplandmark.io.volumes.voxel_grid import Grid

pytestmark = pytest.mark.filterwarnings("ignore::gplandmark.GplandmarkWarning")
CENTRE = np.array([3.0, -7.0, 11.0])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A ball as a file, and two balls as a label map."""
    monkeypatch.chdir(tmp_path)
    grid = around(CENTRE - 4, CENTRE + 4, (0.8, 0.9, 1.1), OBLIQUE)
    write_volume(ball(grid, CENTRE, 4.0), grid, tmp_path / "ball.nrrd")
    both = Grid((24, 24, 44), (0.5, 0.5, 0.5), np.zeros(3), np.eye(3))
    values = np.zeros(both.size[::-1], dtype=np.uint8)
    for label, height in ((2, 6.0), (5, 15.0)):
        values[ball(both, np.array([6.0, 6.0, height]), 4.0) > LEVEL] = label
    write_volume(values, both, tmp_path / "labels.nrrd", True)
    return tmp_path


def test_a_mesh_is_written_with_its_picture_and_the_choice_is_shown(folder):
    said = run("surface", "ball.nrrd", "-o", "ball.ply", "--picture", "cut.png")
    assert "by Otsu's method" in said
    assert "written    ball.ply, cut.png" in said
    mesh = read("ball.ply")
    assert mesh.system == "LPS"
    np.testing.assert_array_equal(mesh.points, read("ball.nrrd").points)
    assert (folder / "cut.png").read_bytes().startswith(b"\x89PNG")
    refused("surface", "ball.nrrd", "-o", "ball.ply", words="exists")
    assert "as given" in run("surface", "ball.nrrd", "--threshold", 900, "--overwrite")


def test_all_labels_become_meshes_of_a_folder(folder):
    run("surface", "labels.nrrd", "--label", "all", "-o", "meshes")
    assert names_in(folder / "meshes") == ["labels-label2.ply", "labels-label5.ply"]
    heights = [read(path).points[:, 2].mean() for path in sorted((folder / "meshes").iterdir())]
    np.testing.assert_allclose(heights, [6, 15], atol=0.2)


def test_the_outer_part_has_no_cavity(folder):
    grid = Grid((40, 40, 40), (1.0, 1.0, 1.0), np.zeros(3), np.eye(3))
    centre = np.full(3, 19.5)
    shell = np.minimum(ball(grid, centre, 15.0), 2000 - ball(grid, centre, 8.0))
    write_volume(shell, grid, folder / "shell.mha")
    run("surface", "shell.mha", "--components", "all", "-o", "both.ply")
    run("surface", "shell.mha", "--components", "all", "--outer-only", "-o", "outer.ply")
    both, outer = (
        np.linalg.norm(read_all(name).points - centre, axis=1) for name in ("both", "outer")
    )
    assert both.min() < 9
    assert outer.min() > 14


def read_all(name):
    from gplandmark.io.scans.rules import RULES

    return read(f"{name}.ply", RULES["none"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ball.nrrd", "-o", "ball.stl"), "meshes are written as .ply"),
        (("ball.nrrd", "-o", "none/ball.ply"), "there is no folder"),
        (("ball.nrrd", "--label", "molar"), "give a whole number, or 'all'"),
        (("ball.nrrd", "--spacing", "1,2"), "three positive lengths"),
        (("ball.nrrd", "--spacing", "a,b,c"), "give three positive lengths"),
        (("ball.nrrd", "--spacing", "0.02"), r"--spacing 0\.02: give three positive lengths"),
        (("ball.nrrd", "--threshold", "9000"), "leaves nothing"),
        (("labels.nrrd",), "looks like a label map"),
        (("labels.nrrd", "--label", "3"), "has no label 3"),
        (("labels.nrrd", "--label", "all", "--picture", "p.png"), "picture is of one label"),
        (("other.ply",), "is not a volume"),
        (("ball.nrrd", "--picture", "p.gif"), "unknown picture file extension"),
    ],
)
def test_bad_requests_get_a_sentence_and_write_nothing(folder, arguments, words):
    before = names_in(folder)
    refused("surface", *arguments, words=words)
    assert names_in(folder) == before


def test_errors_are_one_line_without_a_traceback(folder):
    (folder / "cut.mha").write_bytes((folder / "ball.nrrd").read_bytes()[:2000])
    done = in_process("surface", "cut.mha", cwd=folder)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("gplandmark: cut.mha ")


def test_place_takes_a_volume_and_says_how_it_was_cut(folder):
    with pytest.warns(GplandmarkWarning, match="by Otsu's method"):
        said = run("place", "ball.nrrd", "-n", 5)
    assert "by Otsu's method" in said
    record = json.loads((folder / "ball.record.json").read_text())
    assert record["input"]["volume"]["threshold_by"] == "otsu"
    assert record["input"]["system"] == "LPS"
    run("place", "labels.nrrd", "--label", 5, "-n", 5)
    found = read_landmarks(folder / "labels-label5.mrk.json")
    np.testing.assert_allclose(np.linalg.norm(found.points - [6, 6, 15], axis=1), 4, atol=0.4)


def test_inspect_describes_a_volume(folder):
    said = run("inspect", "ball.nrrd")
    assert "LPS" in said
    assert "Otsu" in said
    assert "clean" in said


@pytest.mark.slow
def test_folders_of_slices_are_one_scan_each(folder):
    volume = molar_volume()
    scans = folder / "scans"
    scans.mkdir()
    write_dicom(volume.values, volume.grid, scans / "first.1")
    write_stack(volume.values, scans / "second")
    write_volume(volume.values, volume.grid, scans / "third.nii.gz")
    (scans / "photo.tif").write_bytes((scans / "second" / "slice0.tif").read_bytes())
    (scans / "first.1" / "notes.txt").write_text("scanned on a Monday")
    run_batch("scans", "-n", 6, "-o", "results")
    landmarks = folder / "results" / "landmarks"
    assert names_in(landmarks) == sorted(
        f"{name}{end}"
        for name in ("first.1", "second", "third")
        for end in (".mrk.json", ".record.json")
    )
    one, other = (read_landmarks(landmarks / f"{name}.mrk.json") for name in ("first.1", "third"))
    np.testing.assert_allclose(one.points, other.points, atol=1e-4)
    assert names_in(folder / "results" / "thresholds") == ["first.1.png", "second.png", "third.png"]
    report = (folder / "results" / "report.html").read_text()
    assert "Thresholds of volumes" in report
    assert report.count("<figure>") == 3
    assert "Otsu" in report


def run_batch(*arguments):
    done = in_process("batch", *arguments, "--workers", 0, cwd=".")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_folder_that_is_a_series_is_one_scan(folder):
    grid = Grid((24, 24, 24), (0.5, 0.5, 0.5), np.zeros(3), np.eye(3))
    write_dicom(ball(grid, np.full(3, 6.0), 4.0), grid, folder / "series")
    run_batch("series", "-n", 6, "-o", "results")
    assert names_in(folder / "results" / "landmarks") == ["series.mrk.json", "series.record.json"]


@pytest.mark.slow
def test_all_labels_are_a_batch(folder):
    run_batch("labels.nrrd", "--label", "all", "-n", 5, "-o", "results")
    landmarks = folder / "results" / "landmarks"
    found = [read_landmarks(landmarks / f"labels-label{label}.mrk.json") for label in (2, 5)]
    np.testing.assert_allclose([each.points[:, 2].mean() for each in found], [6, 15], atol=2)
    report = (folder / "results" / "report.html").read_text()
    assert "same scan under several names" not in report
    before = {path.name: path.read_bytes() for path in landmarks.iterdir()}
    again = run_batch("labels.nrrd", "--label", "all", "-n", 5, "-o", "results")
    assert "2 already done" in again
    assert before == {path.name: path.read_bytes() for path in landmarks.iterdir()}


def test_options_of_volumes_change_nothing_on_a_mesh_and_that_is_said(folder):
    run("surface", "ball.nrrd", "-o", "tooth.ply")
    with pytest.warns(GplandmarkWarning, match="is not a volume"):
        run("place", "tooth.ply", "-n", 3, "--label", 2)
    assert (folder / "tooth.mrk.json").exists()
