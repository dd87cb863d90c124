"""Volumes in whole runs: labels as specimens, read again as they were cut, and sent to workers."""

import json

import numpy as np
import pytest
from commands import gplandmark, in_process, names_in
from volumes import ball, centres, write_dicom, write_stack, write_volume

from gplandmark import Rules, ScanError, VolumeOptions, place, read, read_landmarks, write
from gplandmark.io.scans import read_cleaned
from gplandmark.io.volumes.voxel_grid import Grid
from gplandmark.runs.discover import ScanFile, find_scans
from gplandmark.runs.duplicates import same_scans
from gplandmark.runs.engine import Outcome
from gplandmark.runs.engine.sent_files import call_with_files, with_contents
from gplandmark.runs.entry_checks import is_entry
from gplandmark.runs.job_keys import content_key
from gplandmark.runs.journal import read_entries
from gplandmark.runs.label_maps import with_labels
from gplandmark.runs.manifest import read_manifest
from gplandmark.runs.matched.sample_scans import ScanSource
from gplandmark.runs.place_job import PlacementTask
from gplandmark.runs.place_request import Request
from gplandmark.runs.result_scans import scans_of_results
from gplandmark.runs.run_folder import open_run_folder
from gplandmark.runs.specimen_files import SpecimenWriter
from gplandmark.runs.viewing.collection import open_collection
from gplandmark.runs.viewing.read_specimen import read_specimen
from gplandmark.visual.charts.threshold_chart import threshold_chart

pytestmark = pytest.mark.filterwarnings("ignore::gplandmark.GplandmarkWarning")
PLACES = {1: (8.0, 8.0, 8.0), 4: (8.0, 8.0, 24.0), 9: (8.0, 8.0, 40.0)}


def write_labels(path):
    """Three pears of different proportions, each a label."""
    grid = Grid((32, 32, 96), (0.5, 0.5, 0.5), np.zeros(3), np.eye(3))
    at, values = centres(grid), np.zeros(grid.size[::-1], dtype=np.uint8)
    for number, (label, middle) in enumerate(PLACES.items()):
        x, y, z = np.moveaxis(at - middle, -1, 0)
        across = np.hypot(x, (1.2 + 0.05 * number) * y) * (1 + 0.08 * z) + 0.06 * (x + 1) ** 2
        values[across**2 + (0.7 * z) ** 2 < 18] = label
    return write_volume(values, grid, path, True)


def ball_volume():
    grid = Grid((24, 24, 24), (0.5, 0.5, 0.5), np.zeros(3), np.eye(3))
    return ball(grid, np.full(3, 6.0), 4.0), grid


def test_labels_are_specimens_beside_meshes_and_damaged_files(tmp_path):
    write_labels(tmp_path / "a.nrrd")
    (tmp_path / "a-label4.ply").write_bytes(b"ply")  # has the name that a label would have
    (tmp_path / "b.nrrd").write_bytes(b"NRRD0004\n")
    asked = Rules(volume=VolumeOptions(label="all", smooth=0.2))
    found = with_labels(find_scans([tmp_path]), asked)
    keys = {each.key: each for each in found.specimens}
    assert list(keys) == ["a-label1", "a-label4", "a-label4-2", "a-label9", "b"]
    assert keys["a-label4"].volume is None
    assert keys["a-label4-2"].rules(asked).volume == VolumeOptions(label=4, smooth=0.2)
    assert keys["a-label9"].name == "a-label9"
    with pytest.raises(ScanError, match=r"b.nrrd .*cannot be read"):
        keys["b"].read()
    assert with_labels(found, Rules()) is found


@pytest.mark.slow
def test_what_was_chosen_in_a_run_counts_when_the_volume_is_read_again(tmp_path):
    write_labels(tmp_path / "teeth.nrrd")
    done = gplandmark(
        "match", "teeth.nrrd", "--label", "all", "-n", 6, "-o", "matched", "--workers", 1,
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "matched"
    keys = [f"teeth-label{label}" for label in PLACES]
    assert names_in(folder / "thresholds") == [f"{key}.png" for key in keys]
    assert "Thresholds of volumes" in (folder / "report.html").read_text()
    for label, key in zip(PLACES, keys, strict=True):
        landmarks = read_landmarks(folder / "landmarks" / f"{key}.mrk.json")
        assert landmarks.system == "LPS"
        assert np.linalg.norm(landmarks.points.mean(axis=0) - PLACES[label]) < 4
    specimens = {each.key: each for each in open_collection(folder).specimens}
    again = scans_of_results(folder)
    for label, key in zip(PLACES, keys, strict=True):
        surface, landmarks = read_specimen(specimens[key])
        assert surface.source.volume["label"] == label
        distance = np.linalg.norm(landmarks.points[:, None] - surface.points, axis=2).min(axis=1)
        assert distance.max() < 0.5
        assert again[key].read().source.volume["label"] == label


def test_a_manifest_gives_each_volume_its_own_threshold(tmp_path):
    values, grid = ball_volume()
    path = write_volume(values, grid, tmp_path / "a.nrrd")
    table = tmp_path / "table.csv"
    table.write_text("file,threshold,smooth\na.nrrd,700,0.1\n")
    common = Request(rules=Rules(volume=VolumeOptions(label=3)))
    request = read_manifest(table).request(path, common)
    assert request.rules.volume == VolumeOptions(threshold=700, smooth=0.1)
    assert request.identity()["rules.volume.threshold"] == 700
    assert "rules.volume.threshold" not in Request().identity()


def test_slices_travel_to_a_worker_and_errors_name_the_folder_here(tmp_path):
    values, grid = ball_volume()
    folder = write_dicom(values, grid, tmp_path / "series")
    header = write_volume(values, grid, tmp_path / "detached.mhd")
    for path in (folder, header):
        task = PlacementTask(ScanFile("a", path), Request(count=3))
        found = call_with_files(_surface, with_contents(task))
        np.testing.assert_array_equal(found.points, read(path).points)
        assert not found.source.path.startswith(str(tmp_path))
    (folder / "0005.dcm").unlink()
    with pytest.raises(ScanError) as error:
        call_with_files(_surface, with_contents(PlacementTask(ScanFile("a", folder), Request())))
    assert str(error.value).startswith(f"{folder} has slices missing")


def _surface(task):
    return read(task.specimen.path)


@pytest.mark.slow
def test_a_volume_is_done_again_when_a_slice_or_the_threshold_changes(tmp_path):
    values, grid = ball_volume()
    (tmp_path / "scans").mkdir()
    folder = write_dicom(values, grid, tmp_path / "scans" / "series")

    def again(*more):
        words = ("batch", "scans", "-n", 4, "-o", "results", "--workers", 1, "--dry-run", *more)
        return gplandmark(*words, cwd=tmp_path).stdout

    done = gplandmark("batch", "scans", "-n", 4, "-o", "results", "--workers", 1, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1 already done" in again()
    assert "threshold none -> 900" in again("--threshold", 900)
    shifted = values.copy()
    shifted[3] += 1
    write_dicom(shifted, grid, folder)
    assert "the scan changed" in again()


@pytest.mark.parametrize(
    "volume", [3, [], {"label": "x"}, {"threshold": "high"}, {"path": "/etc"}, {"spacing": [1]}]
)
def test_foreign_journals_cannot_hold_other_options(volume):
    entry = {
        "key": "a", "file": "a.nrrd", "reason": "", "kind": "", "identity": {}, "seconds": 1.0,
        "outputs": {"landmarks/a.csv": "0" * 64}, "attempts": 1,
        "facts": {"vertices": 9, "repairs": "", "landmarks": 3, "notes": []},
    }  # fmt: skip
    assert is_entry(entry)
    good = {"label": 2, "smooth": 0.5, "spacing": [1.0, 1.0, 2.0]}
    entry["facts"]["volume"] = json.loads(json.dumps(good))
    assert is_entry(entry)
    entry["facts"]["volume"] = volume
    assert not is_entry(entry)


def test_landmarks_beside_a_folder_of_slices_are_opened_with_it(tmp_path):
    values, grid = ball_volume()
    folder = write_dicom(values, grid, tmp_path / "series")
    (specimen,) = open_collection(folder).specimens
    assert (specimen.key, specimen.landmarks) == ("series", None)
    assert specimen.output == tmp_path / "series.mrk.json"
    write(place(read(folder), 3), specimen.output)
    for opened in (folder, tmp_path):
        (specimen,) = open_collection(opened).specimens
        assert specimen.landmarks == tmp_path / "series.mrk.json"


def test_numbered_photographs_beside_meshes_are_no_scan(tmp_path):
    values, _ = ball_volume()
    write_stack(values, tmp_path)
    assert [each.path for each in find_scans([tmp_path]).specimens] == [tmp_path]
    (tmp_path / "tooth.ply").write_bytes(b"ply")
    found = find_scans([tmp_path])
    assert [each.key for each in found.specimens] == ["tooth"]
    assert len(found.ignored) == len(values)


def test_how_a_volume_is_cut_is_part_of_what_a_stored_result_is_known_by(tmp_path):
    def key(volume):
        return content_key(ScanSource("a", "0" * 64, Rules(volume=volume), tmp_path))

    keys = [key(each) for each in (None, VolumeOptions(label=2), VolumeOptions(threshold=2.0))]
    assert len(set(keys)) == 3


def test_labels_of_a_map_are_not_the_same_scan_even_if_they_fail(tmp_path):
    write_labels(tmp_path / "a.nrrd")
    found = with_labels(find_scans([tmp_path]), Rules(volume=VolumeOptions(label="all")))
    with open_run_folder(tmp_path / "results", "batch") as journal:
        writer = SpecimenWriter(tmp_path / "results", journal)
        failed = Outcome(0, kind="refused", reason="It is too small.")
        entries = [writer.write(failed, each, {}) for each in found.specimens]
    assert [each.facts["volume"]["label"] for each in entries] == list(PLACES)
    assert same_scans(entries) == []
    assert list(read_entries(tmp_path / "results").values()) == entries


def test_the_report_shows_where_a_volume_was_cut_that_failed(tmp_path):
    values, grid = ball_volume()
    (tmp_path / "scans").mkdir()
    write_volume(values, grid, tmp_path / "scans" / "good.nrrd")
    dust = np.zeros_like(values)
    dust[2::4, 2::4, 2::4] = 100
    write_volume(dust, grid, tmp_path / "scans" / "dust.nrrd")
    (tmp_path / "scans" / "damaged.nrrd").write_bytes(b"NRRD0004\n")
    words = ("batch", "scans", "-n", "4", "-o", "out", "--workers", "0")
    done = in_process(*words, cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    entries = read_entries(tmp_path / "out")
    assert "falls into" in entries["dust"].reason
    assert entries["dust"].outputs == {}
    assert names_in(tmp_path / "out" / "thresholds") == ["dust.png", "good.png"]
    report = (tmp_path / "out" / "report.html").read_text()
    section = report[report.index("Thresholds of volumes") :]
    assert section.count("<img") == 2
    view = open_collection(tmp_path / "out")
    assert {each.key: each.landmarks is None for each in view.specimens}["dust"]


def test_a_slice_says_where_it_is_in_units_of_the_file(tmp_path):
    values, grid = ball_volume()
    path = write_volume(values, grid, tmp_path / "ball.nrrd")
    chart = threshold_chart(read_cleaned(path).preview, "ball")
    place = (12 + 0.5) * 0.5  # the middle of voxel 12, each 0.5 wide
    assert [axes.get_title() for axes in chart.axes[1:]] == [
        f"slice {axis} = 12, at {place:.4g}" for axis in "zyx"
    ]
