"""Joint files and the summary follow the landmarks of each specimen."""

import csv
import hashlib

import numpy as np
import pytest
from commands import run
from shape_samples import sample

from gplandmark import GplandmarkWarning, Landmarks, SettingsError, read_landmarks, write
from gplandmark.io.landmark_files import read_collection
from gplandmark.landmarks.record import Record
from gplandmark.runs.duplicates import same_scans
from gplandmark.runs.joint_files import NAMES as JOINT_NAMES
from gplandmark.runs.joint_files import read_results
from gplandmark.runs.journal import JournalEntry
from gplandmark.runs.refresh import refresh_results, results_around
from gplandmark.runs.reports.batch_report import batch_page
from gplandmark.runs.run_folder import open_run_folder
from gplandmark.runs.viewing.results_updater import ResultsUpdater

NAMES = ("a", "b", "site/a b", "site/a_b")
SCAN = {"vertices": 12, "repairs": "", "notes": []}
LABELS = tuple(f"p{number}" for number in range(12))


def folder_of(results, command):
    """Results of a run as it writes them, with joint files."""
    record = Record(request={"matching": {"from": "a"}} if command == "match" else {})
    for name, points in zip(NAMES, sample(np.random.default_rng(2), len(NAMES)), strict=True):
        path = results / "landmarks" / f"{name}.mrk.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        labels = LABELS if command == "match" else ()
        write(Landmarks.at(points, name, labels=labels, record=record), path)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        entry = JournalEntry(
            name, f"{name}.ply", outputs={f"landmarks/{name}.mrk.json": digest},
            facts={"landmarks": len(points), "missing": 0, "sha256": name, **SCAN},
        )  # fmt: skip
        with open_run_folder(results, command) as journal:
            journal.add(entry)
    return results


@pytest.fixture(params=["match", "batch"])
def results(request, tmp_path):
    folder = folder_of(tmp_path / "results", request.param)
    notes = refresh_results(folder)
    assert any("would make one name of 'site/a_b' and 'site/a b'" in note for note in notes)
    return folder


def corrected(results, name="b", by=0.5):
    """Move a landmark of a specimen as a person does."""
    path = results / "landmarks" / f"{name}.mrk.json"
    found = read_landmarks(path)
    points = found.points.copy()
    points[3] += by
    write(Landmarks.at(points, found.specimen, labels=found.labels, system=found.system), path,
          overwrite=True)  # fmt: skip
    return points


def rows(results):
    with (results / "summary.csv").open(newline="") as file:
        return {row["specimen"]: row for row in csv.DictReader(file)}


def test_a_correction_is_said_until_the_joint_files_have_it(results):
    read_results(results)
    points = corrected(results)
    with pytest.warns(GplandmarkWarning, match="Changed after .*: specimen b. The files there"):
        read_results(results)
    refresh_results(results)
    read_results(results)
    for name in JOINT_NAMES:
        np.testing.assert_array_equal(read_collection(results / "collection" / name)[1].points,
                                      points)  # fmt: skip
    assert [row["status"] for row in rows(results).values()] == ["done", "edited", "done", "done"]
    assert rows(results)["b"]["reason"] == "edited by a person, 12 landmarks, kept"


def test_a_joint_file_that_is_named_itself_tells_that_it_is_old(results, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    corrected(results)
    for path in (results, results / "collection", results / "collection" / "landmarks.csv"):
        with pytest.warns(GplandmarkWarning, match="Changed after .*: specimen b."):
            run("convert", path, "out.csv", "--overwrite")


def test_saving_in_a_folder_of_results_updates_it(results, tmp_path):
    points = corrected(results, "site/a_b")
    path = results / "landmarks" / "site" / "a_b.mrk.json"
    assert results_around(path) == results.absolute()
    assert results_around(results / "collection" / "landmarks.csv") is None
    assert results_around(tmp_path / "landmarks" / "a.csv") is None
    updater = ResultsUpdater()
    updater.request(tmp_path / "elsewhere.csv")
    updater.request(path)
    updater.close()
    read_results(results)
    last = read_collection(results / "collection" / "landmarks.csv")[3]
    np.testing.assert_array_equal(last.points, points)


def test_a_file_that_is_gone_and_specimens_that_wait_stay_rows(tmp_path):
    results = folder_of(tmp_path / "results", "batch")
    refresh_results(results)
    with (results / "summary.csv").open("a") as file:
        file.write("w,waiting,,,,,,,,w.ply\n")
    (results / "landmarks" / "b.mrk.json").unlink()
    refresh_results(results)
    found = rows(results)
    assert (found["b"]["status"], found["b"]["reason"]) == ("failed", "Its landmark file is gone.")
    assert (found["w"]["status"], found["w"]["file"]) == ("waiting", "w.ply")


def test_a_folder_that_a_run_writes_is_left_to_it(results):
    command = (results / ".gplandmark" / "command").read_text().strip()
    with open_run_folder(results, command), pytest.raises(SettingsError, match="Another run"):
        refresh_results(results)


def test_the_same_scan_under_two_names_is_said(tmp_path):
    entries = [
        JournalEntry(name, f"{name}.ply", "It has a hole.", "refused", facts={"sha256": content})
        for name, content in (("a", "1"), ("b", "2"), ("copy of a", "1"), ("c", "3"))
    ]
    (note,) = same_scans(entries)
    assert note.startswith("The same scan under several names: specimens a, copy of a. It counts")
    assert same_scans(entries[:2]) == []
    assert note in batch_page(entries, tmp_path, 0)
