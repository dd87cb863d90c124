"""Whole folders: nothing stops the rest, nothing is done twice, nothing is half-written."""

import csv
import json
import os
import re
import shutil
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from commands import compared
from conftest import SMALL
from readers_in_r import geomorph_tps

from gplandmark import (
    GplandmarkWarning,
    LandmarkFileError,
    Landmarks,
    Machines,
    ScanError,
    SettingsError,
    make_molar,
    place,
    place_all,
    read,
    read_landmarks,
    write,
)
from gplandmark.io.landmark_files import read_collection
from gplandmark.io.region_files import RegionOptions
from gplandmark.io.scans import as_ply
from gplandmark.mesh.synthetic import sphere
from gplandmark.numerics.safe_files import temporary_file
from gplandmark.runs.batch import Batch
from gplandmark.runs.discover import find_scans
from gplandmark.runs.engine import StopRequest, start_workers
from gplandmark.runs.inspect import inspect_all
from gplandmark.runs.job_runner import JobRunner
from gplandmark.runs.journal import JournalEntry, read_entries
from gplandmark.runs.manifest import read_manifest
from gplandmark.runs.place_job import PlacementTask
from gplandmark.runs.place_request import Request, difference, landmarks_on, memory_for
from gplandmark.runs.plan import BatchOptions, make_plan
from gplandmark.runs.reports.batch_report import batch_page
from gplandmark.runs.reports.unusual_specimens import FAR, batch_outliers
from gplandmark.runs.run_folder import open_run_folder
from gplandmark.runs.study import study_scans

COUNT = 6


@pytest.fixture(scope="module")
def workers():
    with start_workers(Machines(workers=2, memory=4_000_000_000)) as found:
        yield found


@pytest.fixture(scope="module")
def molars():
    return [as_ply(make_molar(seed, vertex_count=250).surface) for seed in range(3)]


@pytest.fixture
def scans(tmp_path, molars):
    """Three molars in two folders, a broken scan and a file that is none."""
    folder = tmp_path / "scans"
    (folder / "site").mkdir(parents=True)
    for name, content in zip(("a", "b", "site/a"), molars, strict=True):
        (folder / f"{name}.ply").write_bytes(content)
    (folder / "broken.ply").write_bytes(molars[0][:500])
    (folder / "notes.md").write_text("no scan")
    return folder


def batch_of(folder, output, journal, request=None, **choice):
    found = find_scans([folder], output)
    tasks = [PlacementTask(each, request or Request(COUNT)) for each in found.specimens]
    options = BatchOptions(**choice)
    return Batch(
        output, journal, make_plan(tasks, journal.entries, output, options), found, options
    )


def carry_out(folder, output, request=None, *, workers=None, stop_after=None, **choice):
    """Run a batch; return what was done, and why."""
    stop = StopRequest()
    done = {}
    with open_run_folder(output, "batch") as journal:
        run = batch_of(folder, output, journal, request, **choice)
        for entry in run.carry_out(JobRunner(workers, stop)):
            done[entry.key] = run.plan.todo[entry.key]
            if len(done) == stop_after:
                stop.ask()
        run.finish(["gplandmark"], _when(), stopped=bool(stop))
    return done


def placed(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)  # such small molars are coarse
        return place(read(path), COUNT)


def _when():
    from datetime import UTC, datetime

    return datetime.now(UTC)


def summary(output):
    with (output / "summary.csv").open(newline="") as file:
        return {row["specimen"]: row for row in csv.DictReader(file)}


# ----- finding and naming


def test_scans_are_named_by_their_path_and_endings_tell_equal_names_apart(tmp_path, molars):
    for name in ("x.ply", "y.ply", "y.off", "Y.PLY", "deep/er/x.ply.gz", ".hidden.ply", "t.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(molars[0])
    found = find_scans([tmp_path])
    keys = [each.key for each in found.specimens]
    assert "x" in keys
    assert "deep/er/x" in keys
    assert {"y.off", "Y.PLY"} <= set(keys)
    assert len({key.casefold() for key in keys}) == len(keys) == 5
    assert [each.name for each in found.ignored] == ["t.csv"]


def test_several_folders_keep_their_names_as_far_as_they_must(tmp_path, molars):
    for name in ("one/scans/a.ply", "two/scans/a.ply"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_bytes(molars[0])
    found = find_scans([tmp_path / "one" / "scans", tmp_path / "two" / "scans"])
    assert [each.key for each in found.specimens] == ["one/scans/a", "two/scans/a"]
    twice = find_scans([tmp_path / "one", tmp_path / "one"])
    assert [each.key for each in twice.specimens] == ["one/scans/a"]


def test_results_inside_the_input_are_no_input(scans):
    output = scans / "results"
    carry_out(scans, output, limit=1)
    (output / "landmarks" / "stray.ply").write_text("none of ours")
    assert len(find_scans([scans], output).specimens) == 4
    assert len(find_scans([scans]).specimens) == 4  # other results neither


def test_a_loop_of_links_ends(scans):
    (scans / "site" / "loop").symlink_to(scans, target_is_directory=True)
    assert len(find_scans([scans]).specimens) == 4


@pytest.mark.parametrize("name", ["empty", "missing", "notes.md"])
def test_places_without_scans_are_refused(tmp_path, name):
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.md").write_text("no scan")
    with pytest.raises(ScanError, match=name):
        find_scans([tmp_path / name])


def test_a_closed_folder_is_a_row(scans, tmp_path, monkeypatch):
    real = os.scandir

    def scandir(path):
        if Path(path).name == "site":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    carry_out(scans, tmp_path / "out")
    row = summary(tmp_path / "out")["site/"]
    assert row["status"] == "failed"
    assert "cannot be read (Permission denied)" in row["reason"]


# ----- results


def test_each_scan_ends_as_a_result_or_as_a_row_with_its_reason(scans, tmp_path, workers):
    output = tmp_path / "out"
    done = carry_out(scans, output, workers=workers)
    assert set(done) == {"a", "b", "site/a", "broken"}
    rows = summary(output)
    assert [row["status"] for row in rows.values()] == ["done", "done", "failed", "done"]
    assert "damaged or cut short" in rows["broken"]["reason"]
    assert rows["a"]["landmarks"] == str(COUNT)
    assert float(rows["a"]["variance_left"]) < 1
    assert all(len(row["sha256"]) == 64 for row in rows.values())
    assert json.loads((output / "run.json").read_text())["failed"] == 1


def test_landmarks_are_those_of_the_library(scans, tmp_path, workers):
    output = tmp_path / "out"
    carry_out(scans, output, workers=workers)
    for key in ("a", "site/a"):
        expected = placed(scans / f"{key}.ply")
        found = read_landmarks(output / "landmarks" / f"{key}.mrk.json")
        assert np.array_equal(found.points, expected.points)
        assert found.record.as_dict() == expected.record.as_dict()


def test_with_and_without_workers_the_folders_are_equal(scans, tmp_path, workers):
    carry_out(scans, tmp_path / "with", workers=workers)
    carry_out(scans, tmp_path / "without")
    assert compared(tmp_path / "with") == compared(tmp_path / "without")


def test_sent_scans_give_the_same_results(scans, tmp_path, workers):
    (tmp_path / "mask.txt").write_text("0 1 2 3")
    request = Request(COUNT, regions=RegionOptions(exclude=tmp_path / "mask.txt"))
    carry_out(scans, tmp_path / "read", request, workers=workers)
    with open_run_folder(tmp_path / "sent", "batch") as journal:
        run = batch_of(scans, tmp_path / "sent", journal, request)
        assert len(list(run.carry_out(JobRunner(workers, send=True)))) == 4
        run.finish([], _when(), stopped=False)
    assert compared(tmp_path / "sent") == compared(tmp_path / "read")


def test_pictures_are_drawn_where_they_are_asked_for(scans, tmp_path):
    output = tmp_path / "out"
    assert carry_out(scans, output, limit=1) == {"a": "new"}
    done = carry_out(scans, output, pictures=True, limit=1)
    assert done == {"a": "no picture yet"}
    assert (output / "pictures" / "a.png").read_bytes().startswith(b"\x89PNG")


def test_files_of_others_are_not_replaced(scans, tmp_path):
    output = tmp_path / "out"
    theirs = output / "landmarks" / "a.mrk.json"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("{}")
    carry_out(scans, output)
    assert theirs.read_text() == "{}"
    assert "was not written by gplandmark" in summary(output)["a"]["reason"]
    carry_out(scans, output, force=True)
    assert summary(output)["a"]["status"] == "done"


# ----- going on


def test_a_finished_run_does_nothing_but_what_failed(scans, tmp_path):
    output = tmp_path / "out"
    carry_out(scans, output)
    before = compared(output)
    assert carry_out(scans, output) == {"broken": "failed before"}
    assert compared(output) == before


def test_a_stopped_run_goes_on_where_it_was(scans, tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    carry_out(scans, whole)
    first = carry_out(scans, parts, stop_after=2)
    assert len(first) == 2
    assert [row["status"] for row in summary(parts).values()].count("waiting") == 2
    second = carry_out(scans, parts)
    assert not {key for key in first if key != "broken"} & set(second)
    assert compared(parts) == compared(whole)


def test_what_changed_is_done_again_and_the_reason_is_told(scans, tmp_path, molars):
    output = tmp_path / "out"
    carry_out(scans, output)
    os.utime(scans / "a.ply")  # dates do not count
    assert "a" not in carry_out(scans, output)
    (scans / "a.ply").write_bytes(molars[2])
    assert carry_out(scans, output)["a"] == "the scan changed"
    (output / "landmarks" / "b.record.json").unlink()
    assert carry_out(scans, output)["b"] == "result files are missing"
    reasons = carry_out(scans, output, Request(COUNT + 1))
    assert reasons["a"] == f"count {COUNT} -> {COUNT + 1}"
    assert set(reasons) == {"a", "b", "site/a", "broken"}


def test_a_mask_counts_by_its_content(scans, tmp_path):
    mask, output = tmp_path / "mask.txt", tmp_path / "out"
    mask.write_text("1 2 3")
    request = Request(COUNT, regions=RegionOptions(exclude=mask))
    carry_out(scans, output, request)
    assert set(carry_out(scans, output, request)) == {"broken"}
    mask.write_text("1 2 3 4")
    assert set(carry_out(scans, output, request)) == {"a", "b", "site/a", "broken"}


def test_another_version_does_everything_again(scans, tmp_path, monkeypatch):
    carry_out(scans, tmp_path / "out")
    monkeypatch.setattr(sys.modules["gplandmark.runs.plan"], "version", lambda _: "99")
    assert carry_out(scans, tmp_path / "out")["a"].endswith("-> 99")


def test_force_limit_and_only_failed_choose(scans, tmp_path):
    output = tmp_path / "out"
    assert len(carry_out(scans, output, limit=2)) == 2
    assert set(carry_out(scans, output, only_failed=True)) <= {"broken"}
    carry_out(scans, output)
    assert set(carry_out(scans, output, only_failed=True)) == {"broken"}
    assert len(carry_out(scans, output, force=True)) == 4
    with pytest.raises(SettingsError, match="limit"):
        carry_out(scans, output, limit=0)


def test_edited_landmarks_are_left_alone_and_told(scans, tmp_path):
    output = tmp_path / "out"
    carry_out(scans, output)
    edited = output / "landmarks" / "a.mrk.json"
    edited.write_text(edited.read_text() + " ")
    for request in (Request(COUNT), Request(COUNT + 1)):
        with open_run_folder(output, "batch") as journal:
            run = batch_of(scans, output, journal, request)
        assert run.plan.edited == ("a",)
        assert "a" not in run.plan.todo
    write(Landmarks.at(read_landmarks(edited).points[:2], "a"), edited)
    (output / "landmarks" / "b.mrk.json").write_text("no more")
    carry_out(scans, output)
    rows = summary(output)
    assert rows["a"]["status"] == "edited"
    assert rows["a"]["reason"] == "edited by a person, 2 landmarks, kept"
    assert (rows["a"]["landmarks"], rows["a"]["variance_left"]) == ("2", "")
    assert rows["b"]["status"] == "failed"
    assert "edited by a person, kept, and cannot be read" in rows["b"]["reason"]
    page = (output / "report.html").read_text()
    assert "Edited by a person, 2 landmarks, kept." in page
    assert "; 1 edited by a person" in page
    assert carry_out(scans, output, force=True)["a"] == "asked for by --overwrite"


def test_landmarks_edited_after_a_failure_are_kept_when_the_scan_is_mended(scans, tmp_path):
    output, scan = tmp_path / "out", scans / "a.ply"
    carry_out(scans, output)
    content = scan.read_bytes()
    scan.write_bytes(content[:500])
    carry_out(scans, output)
    assert summary(output)["a"]["status"] == "failed"
    edited = output / "landmarks" / "a.mrk.json"
    write(Landmarks.at(read_landmarks(edited).points[:2], "a"), edited, overwrite=True)
    before = edited.read_bytes()
    scan.write_bytes(content)
    assert carry_out(scans, output)["a"] == "failed before"
    assert edited.read_bytes() == before
    assert summary(output)["a"]["status"] == "edited"
    assert set(carry_out(scans, output)) == {"broken"}
    assert summary(output)["a"]["reason"] == "edited by a person, 2 landmarks, kept"


def test_a_report_does_without_a_picture_that_somebody_removed(scans, tmp_path):
    output = tmp_path / "out"
    carry_out(scans, output)
    entries = list(read_entries(output).values())
    pages = [batch_page(entries, output)]
    (output / "thumbnails" / "a.png").unlink()
    pages.append(batch_page(entries, output))
    assert [page.count("<img") for page in pages] == [3, 2]


def test_a_second_correction_is_not_taken_for_the_first(scans, tmp_path):
    output = tmp_path / "out"
    carry_out(scans, output)
    path = output / "landmarks" / "a.mrk.json"
    for shift in (1.0, 2.0):
        points = read_landmarks(path).points + shift
        write(Landmarks.at(points, "a"), path, overwrite=True)
        with open_run_folder(output, "batch") as journal:
            assert not batch_of(scans, output, journal).is_reported()
        carry_out(scans, output)
        with open_run_folder(output, "batch") as journal:
            assert batch_of(scans, output, journal).is_reported()
        joint = read_collection(output / "collection" / "landmarks.csv")
        np.testing.assert_array_equal(joint[0].points, points)


def test_a_power_cut_leaves_a_journal_that_can_be_read(scans, tmp_path):
    output = tmp_path / "out"
    carry_out(scans, output)
    before = compared(output)
    journal = output / ".gplandmark" / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    last = json.loads(lines[-1])["key"]
    journal.write_bytes(b"".join(lines[:-1]) + lines[-1][:40])
    assert len(read_entries(output)) == 3
    assert set(carry_out(scans, output)) == {last, "broken"}
    assert compared(output) == before


def test_what_a_killed_run_was_writing_is_cleared_away_and_nothing_else(scans, tmp_path):
    output = tmp_path / "out"
    carry_out(scans, output)
    whole = compared(output)
    (output / ".gplandmark" / "lock").write_text('{"process": 4711, "machine": "here"}')
    for name in (".gplandmark-0123.part", "landmarks/site/.gplandmark-4567.part"):
        (output / name).write_text("half")
    (output / ".download.part").write_text("of another program")
    with temporary_file(output) as file, open_run_folder(output, "batch"):
        left = {path.name for path in output.rglob("*.part")}
        assert left == {".download.part", Path(file.name).name}
    (output / ".download.part").unlink()
    assert compared(output) == whole
    assert not (output / ".gplandmark" / "lock").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_that_lead_to_themselves_stop_nothing(tmp_path):
    (tmp_path / "loop.ply").symlink_to("loop.ply")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "again").symlink_to(tmp_path)
    (tmp_path / "site" / "a.ply").write_bytes(as_ply(make_molar(vertex_count=300).surface))
    found = find_scans([tmp_path], tmp_path / "loop")
    assert [each.key for each in found.specimens] == ["loop", "site/a"]
    assert found.ignored == [tmp_path / "loop"]
    good, bad = inspect_all([each.path for each in reversed(found.specimens)])
    assert (good.verdict, bad.verdict) == ("clean", "refused")
    for places in ([tmp_path / "loop.ply"], [tmp_path / "loop", tmp_path / "site"]):
        with pytest.raises(ScanError, match="no such file"):
            find_scans(places, tmp_path / "out")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes among files")
def test_a_pipe_among_the_scans_is_a_row(scans, tmp_path):
    os.mkfifo(scans / "pipe.ply")
    carry_out(scans, tmp_path / "out")
    assert "not a regular file" in summary(tmp_path / "out")["pipe"]["reason"]


def test_two_runs_into_one_folder_are_one_too_many(tmp_path):
    with (
        open_run_folder(tmp_path / "out", "batch"),
        pytest.raises(SettingsError, match=f"process {os.getpid()}"),
        open_run_folder(tmp_path / "out", "batch"),
    ):
        pass
    with open_run_folder(tmp_path / "out", "batch"):
        pass  # the lock goes with the run that held it


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(SettingsError, match="cannot be used for results"),
        open_run_folder(tmp_path / "file", "batch"),
    ):
        pass


def test_a_full_disk_ends_the_run_and_leaves_nothing_half_written(scans, tmp_path, monkeypatch):
    from gplandmark.io import files as whole

    output = tmp_path / "out"
    written = []
    real = os.fsync

    def fsync(number):
        written.append(number)
        if len(written) > 7:
            raise OSError(28, "No space left on device")
        real(number)

    monkeypatch.setattr(whole.os, "fsync", fsync)
    with pytest.raises(LandmarkFileError, match="No space left"):
        carry_out(scans, output)
    monkeypatch.undo()
    assert not list(output.rglob("*.part"))
    done = {key for key, each in read_entries(output).items() if each.is_done}
    assert {path.name for path in (output / "landmarks").rglob("*.mrk.json")} == {
        f"{key}.mrk.json" for key in done
    }
    carry_out(scans, output)
    carry_out(scans, tmp_path / "whole")
    assert compared(output) == compared(tmp_path / "whole")


# ----- the manifest


def test_a_manifest_gives_specimens_settings_of_their_own(scans, tmp_path, molars):
    (scans / "start.txt").write_text("5 6")
    (tmp_path / "more.ply").write_bytes(molars[1])
    table = scans / "table.csv"
    table.write_text(
        "File,count,until,start,bandwidth,species,specimen\n"
        "a.ply,4,,start.txt,0.01,Homo,\n"
        "b.ply,,0.5,,,Pan,\n"
        "../more.ply,,,,,,extra\n"
    )
    with pytest.warns(UserWarning, match="species"):
        manifest = read_manifest(table)
    found = find_scans([scans])
    manifest.add_to(found)
    assert "extra" in [each.key for each in found.specimens]
    common = Request(COUNT)
    first = manifest.request(scans / "a.ply", common)
    assert (first.count, first.settings.bandwidth, first.start.name) == (4, 0.01, "start.txt")
    second = manifest.request(scans / "b.ply", common)
    assert (second.count, second.target) == (None, 0.5)
    assert manifest.request(scans / "site" / "a.ply", common) == common
    with open_run_folder(tmp_path / "out", "batch") as journal:
        tasks = [
            PlacementTask(each, manifest.request(each.path, common)) for each in found.specimens
        ]
        what = make_plan(tasks, journal.entries, tmp_path / "out", BatchOptions())
        run = Batch(tmp_path / "out", journal, what, found)
        list(run.carry_out(JobRunner()))
        run.finish([], _when(), stopped=False)
    landmarks = read_landmarks(tmp_path / "out" / "landmarks" / "a.mrk.json")
    assert landmarks.vertices[:2].tolist() == [5, 6]
    assert len(landmarks) == 4
    joint = {
        each.specimen: each for each in read_collection(tmp_path / "out/collection/landmarks.tps")
    }
    assert joint["a"].missing.sum() == max(map(len, joint.values())) - 4


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("name,count\na,3\n", "column 'file'"),
        ("file,count\n", "column 'file'"),
        ("file,count\na.ply,3\na.ply,4\n", "two rows"),
        ("file,count\na.ply,many\n", "the row of a.ply"),
        ("file,bandwidth\na.ply,-3\n", "the row of a.ply"),
    ],
)
def test_damaged_manifests_are_refused(scans, text, reason):
    (scans / "table.csv").write_text(text)
    with pytest.raises(SettingsError, match=reason):
        read_manifest(scans / "table.csv").request(scans / "a.ply", Request(COUNT))


def test_a_mistyped_column_of_a_manifest_is_recognised(scans):
    (scans / "table.csv").write_text("file,cuont,species\na.ply,3,Mus\n")
    with pytest.warns(GplandmarkWarning, match=r"cuont \(did you mean 'count'\?\), species\."):
        read_manifest(scans / "table.csv")


def test_too_many_landmarks_for_a_tiny_mesh_are_refused_with_its_name(tmp_path):
    path = tmp_path / "tiny.ply"
    path.write_bytes(as_ply(sphere(0).surface))
    with pytest.raises(SettingsError, match=r"tiny: .* from 1 to 12, .* got 200\. Ask for fewer"):
        landmarks_on(path, Request(200, settings=SMALL))


# ----- joint files and the report


def test_joint_files_hold_every_specimen_and_failed_ones_as_missing(scans, tmp_path):
    output = tmp_path / "out"
    carry_out(scans, output)
    for name in ("landmarks.tps", "landmarks.txt", "landmarks.nts", "landmarks.wide.csv"):
        found = {each.specimen: each for each in read_collection(output / "collection" / name)}
        assert list(found) == ["a", "b", "broken", "site/a"]
        assert found["broken"].missing.all()
        expected = read_landmarks(output / "landmarks" / "site" / "a.mrk.json")
        assert np.array_equal(found["site/a"].points, expected.points)


def test_joint_files_say_that_numbers_do_not_match(scans, tmp_path):
    output = tmp_path / "out"
    carry_out(scans, output)
    folder = output / "collection"
    tps = (folder / "landmarks.tps").read_text()
    assert tps.count("COMMENT=These landmarks are not matched") == 4
    points, names = geomorph_tps(tps)
    assert np.shape(points) == (4, COUNT, 3)
    assert list(names) == ["a", "b", "broken", "site/a"]
    for name in ("landmarks.txt", "landmarks.nts", "not-matched.txt"):
        assert "not matched" in (folder / name).read_text()
    assert "not matched" in (output / "report.html").read_text()


def test_the_report_has_every_specimen_and_needs_no_network(scans, tmp_path):
    output = tmp_path / "out"
    (scans / "a.ply").rename(scans / "<b>&.ply")
    carry_out(scans, output)
    page = (output / "report.html").read_text()
    assert page.count("data:image/png;base64,") == 3
    assert "&lt;b&gt;&amp;" in page
    assert "<b>" not in page
    assert "Failed: " in page
    assert page.count("gplandmark view . --specimen") == 3
    assert not re.findall(r'(?:src|href)="?(?!"?data:)', page)
    assert "http" not in page


def test_a_report_of_very_many_says_what_it_leaves_out(tmp_path):
    from gplandmark.runs.journal import JournalEntry
    from gplandmark.runs.reports.batch_report import MOST, ROWS, batch_page

    facts = {
        "vertices": 5000, "landmarks": 3, "variance_left": 0.1, "size": 10.0,
        "curve": [1.0, 0.5, 0.1], "repairs": "", "notes": [],
    }  # fmt: skip
    done = [JournalEntry(f"done-{number}", "", facts=facts) for number in range(2 * ROWS)]
    done.append(JournalEntry("inches", "", facts={**facts, "size": 254.0}))
    failed = [
        JournalEntry(f"failed-{number}", "", "It is bad.", "refused") for number in range(ROWS)
    ]
    page = batch_page([*done, *failed], tmp_path)
    assert page.count('class="name"') == ROWS
    assert page.count("Failed: It is bad.") == ROWS // 2
    assert page.index("failed-0") < page.index("inches") < page.index("done-0")
    assert f"{2 * ROWS + 1:,} more are in summary.csv" in page
    assert f"{2 * ROWS + 1:,} specimens have landmarks, {ROWS:,} failed" in page
    assert page.count('class="one"') + page.count('class="marked"') == MOST
    assert page.count('class="marked"') == 1
    few = batch_page(done[:ROWS], tmp_path)
    assert few.count('class="name"') == ROWS
    assert "summary.csv" not in few


def test_outliers_come_first():
    usual = {"variance_left": 0.1, "size": 10.0, "vertices": 5000}
    entries = [
        JournalEntry(str(i), "", facts={**usual, "size": 10.0 + i / 10, "vertices": 5000 + i})
        for i in range(9)
    ]
    entries.append(JournalEntry("inches", "", facts={**usual, "size": 254.0}))
    entries.append(JournalEntry("failed", "", reason="no.", kind="refused"))
    found = batch_outliers(entries)
    assert [key for key, (score, _) in found.items() if score > FAR] == ["inches"]
    assert found["inches"][1] == "large"
    assert batch_outliers(entries[:3])["0"] == (0.0, "")


def test_what_is_left_is_compared_among_equal_numbers_of_landmarks():
    left = [0.070, 0.071, 0.072, 0.073, 0.074, 0.03, 0.2]
    facts = [{"landmarks": 40, "variance_left": each} for each in left]
    facts[5]["landmarks"] = 60  # asked for more: no wonder
    entries = [JournalEntry(str(k), f"{k}.ply", facts=each) for k, each in enumerate(facts)]
    found = batch_outliers(entries)
    assert found["5"] == (0.0, "")
    assert found["6"][0] > FAR
    assert found["6"][1] == "much variance is left"


# ----- from Python


def test_place_all_yields_results_as_they_come(scans):
    paths = [scans / "a.ply", scans / "broken.ply", scans / "missing.ply"]
    found = {each.path.stem: each for each in place_all(paths, COUNT, machines=Machines(workers=1))}
    expected = placed(scans / "a.ply")
    assert np.array_equal(found["a"].landmarks.points, expected.points)
    assert np.array_equal(found["a"].landmarks.uncertainty, expected.uncertainty)
    assert found["broken"].landmarks is None
    assert "damaged" in found["broken"].reason
    assert "no such file" in found["missing"].reason


def test_a_study_on_workers_has_the_same_numbers(scans, workers):
    paths = sorted(scans.rglob("*.ply"))
    here = study_scans(paths, COUNT)
    there = study_scans(paths, COUNT, workers=workers)
    assert there.table() == here.table()
    assert dict(there.failed) == dict(here.failed)
    assert list(there.failed) == ["broken.ply"]


def test_scans_are_inspected_on_workers_as_here(scans, workers):
    paths = sorted(scans.rglob("*.ply"))
    assert inspect_all(paths, None, workers) == inspect_all(paths)


def test_workers_are_started_where_that_is_worth_it(scans, monkeypatch):
    from gplandmark.cli.options import parallel

    paths = [scans / "a.ply", scans / "b.ply"]
    with parallel.workers_for(paths, None, 10**9) as nobody:
        assert nobody is None
    monkeypatch.setattr(parallel, "processors", lambda: 1)
    with parallel.workers_for(paths, None, 100) as somebody:
        assert somebody.capacity()[0] == 1
    with parallel.workers_for(paths, 0, 100) as nobody:
        assert nobody is None


def test_memory_grows_with_the_scan_and_the_landmarks(scans):
    small, large = scans / "a.ply", scans / "large.ply"
    large.write_bytes(b"x" * 10_000_000)
    assert memory_for(large, Request(40)) > memory_for(small, Request(40))
    assert memory_for(large, Request(400)) > memory_for(large, Request(40))
    assert memory_for(scans / "missing.ply", Request(40)) > 0


def test_differences_are_said_shortly():
    assert difference({"a": 1, "b.c": None}, {"a": 1, "b.c": 2}) == "c none -> 2"
    assert difference({"a": [1]}, {"a": [1]}) == ""


@pytest.mark.skipif(sys.platform == "win32", reason="folders are closed otherwise there")
def test_names_that_are_too_long_are_rows_and_the_others_go_on(scans, tmp_path):
    shutil.copy(scans / "a.ply", scans / f"{'n' * 250}.ply")
    output = tmp_path / "out"
    carry_out(scans, output)
    statuses = [row["status"] for row in summary(output).values()]
    assert statuses.count("failed") == 2
    assert statuses.count("done") == 3
