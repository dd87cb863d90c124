"""A folder of results may come from anybody: nothing in it is trusted."""

import hashlib
import json
import os
import shutil
import sqlite3
import sys
import warnings
from dataclasses import replace

import pytest
from mutated_files import CANARY, FACTS, MARKS, USES, attempt, entry, mutations, seeds, use_record

from gplandmark import GplandmarkWarning, LandmarkFileError, SettingsError, read_landmarks
from gplandmark.landmarks.record import Record
from gplandmark.runs.discover import Findings
from gplandmark.runs.entry_checks import check_result_name, is_entry, is_result_name
from gplandmark.runs.job_runner import JobRunner
from gplandmark.runs.journal import journal_path, read_entries
from gplandmark.runs.manifest import read_manifest
from gplandmark.runs.matched.membership import read_membership
from gplandmark.runs.reports.batch_report import batch_page
from gplandmark.runs.reports.thumbnails import stored_thumbnail
from gplandmark.runs.run_folder import command_of, open_run_folder, output_paths
from gplandmark.runs.specimen_files import remove_ours
from gplandmark.runs.store import NAMES_A_FILE, Store

posix = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "received"
    (path / ".gplandmark").mkdir(parents=True)
    return path


@pytest.mark.parametrize("kind", USES)
def test_good_files_are_read_and_changed_ones_do_no_harm(tmp_path, kind):
    seed = seeds(tmp_path)[kind]
    assert attempt(kind, seed, tmp_path) or kind == "sample"
    for number, data in mutations(kind, seed, 40):
        place = tmp_path / str(number)
        place.mkdir()
        attempt(kind, data, place)
        shutil.rmtree(place)


NAMES_OUT = [
    "../x.csv", "landmarks/../../x.csv", "/etc/passwd", "landmarks", "", ".", "landmarks/",
    "landmarks//x", "landmarks/./x", "landmarks\\..\\x", "other/x.csv", "landmarks/a\x00", None, 7,
    ".gplandmark/journal.jsonl", f"thresholds/{'0' * 256}", "landmarks" + 500 * "/x",
    f"landmarks/{128 * 'ä'}",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES_OUT)
def test_names_stay_inside(name):
    assert not is_result_name(name)
    line = json.loads(entry("a").line())
    assert is_entry(line)
    assert not is_entry({**line, "outputs": {**line["outputs"], str(name): "0" * 64}})
    with pytest.raises(LandmarkFileError, match="not a name for a result"):
        check_result_name(name)


@pytest.mark.parametrize("key", ["b", "../../x", "", "a.csv"])
def test_an_entry_lists_files_of_its_own_specimen_only(key):
    line = json.loads(entry("a").line())
    assert not is_entry({**line, "key": key})


def test_what_we_write_has_such_names():
    files = output_paths("site/a b.é", {"landmarks.mrk.json": b"", "thumbnails.png": b""})
    assert all(map(is_result_name, files))
    with pytest.raises(LandmarkFileError, match="not a name for a result"):
        output_paths("../../x", {"landmarks.csv": b""})


def test_a_journal_removes_nothing_outside_the_folder(folder):
    target = folder.parent / "thesis.txt"
    target.write_bytes(CANARY)
    digest = hashlib.sha256(CANARY).hexdigest()
    evil = replace(entry("a"), outputs={"landmarks/../../thesis.txt": digest})
    journal_path(folder).write_text(evil.line())
    with pytest.warns(GplandmarkWarning, match="1 line with unknown content"):
        entries = read_entries(folder)
    for each in entries.values():
        remove_ours(each.outputs, folder)
    assert entries == {}
    assert target.read_bytes() == CANARY


@pytest.mark.parametrize("name", FACTS)
def test_facts_have_types_and_reach_the_report_as_text_only(folder, name):
    for value in ("<script>alert(1)</script>", ["<script>alert(1)</script>"]):
        evil = replace(entry("a"), facts={**FACTS, name: value})
        journal_path(folder).write_text(evil.line())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            page = batch_page(list(read_entries(folder).values()), folder)
        assert "<script>alert" not in page


@posix
def test_a_thumbnail_is_a_picture_of_the_folder_itself(folder):
    (folder / "thumbnails").mkdir()
    secret = folder.parent / "key.txt"
    secret.write_bytes(b"\x89PNG\r\n\x1a\nsecret")
    small = folder / "thumbnails" / "a.png"
    small.symlink_to(secret)
    assert stored_thumbnail(entry("a"), folder) is None
    small.unlink()
    small.write_bytes(b"secret")
    assert stored_thumbnail(entry("a"), folder) is None
    small.write_bytes(secret.read_bytes())
    assert stored_thumbnail(entry("a"), folder) == secret.read_bytes()


@posix
@pytest.mark.parametrize("name", ["landmarks", "landmarks/site", ".gplandmark", "collection"])
def test_folders_that_are_links_are_refused(folder, name):
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir()
    shutil.rmtree(folder / ".gplandmark")
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).symlink_to(elsewhere)
    with pytest.raises(SettingsError, match="is a link"), open_run_folder(folder, "batch"):
        pass
    assert list(elsewhere.iterdir()) == []


@posix
def test_pipes_and_links_in_the_place_of_our_files_hold_nothing_up(folder):
    hidden = folder / ".gplandmark"
    for name in ("journal.jsonl", "sample.json", "command", "matching.sqlite"):
        os.mkfifo(hidden / name)
    with pytest.raises(LandmarkFileError, match="cannot be read"):
        read_entries(folder)
    assert read_membership(folder) is None
    assert command_of(folder) == ""
    with pytest.raises(LandmarkFileError):
        Store(hidden / "matching.sqlite")
    precious = folder.parent / "thesis.txt"
    precious.write_bytes(CANARY)
    link = hidden / "store"
    link.symlink_to(precious)
    with pytest.raises(LandmarkFileError, match="not written by gplandmark"):
        Store(link)
    assert precious.read_bytes() == CANARY


def test_a_store_whose_journal_names_a_file_is_refused(folder):
    path = folder / "store"
    Store(path).close()
    path.with_name("store-journal").write_bytes(b"/home/me/thesis.txt" + NAMES_A_FILE)
    with pytest.raises(LandmarkFileError, match=r"store-journal was not written by gplandmark"):
        Store(path)


def test_a_store_with_more_than_a_table_is_started_again(folder):
    path = folder / "store"
    store = Store(path)
    store.put("a", 1)
    store.close()
    with sqlite3.connect(path) as database:
        database.execute(
            "CREATE TRIGGER evil AFTER INSERT ON results BEGIN DELETE FROM results; END"
        )
    database.close()
    assert Store(path).get("a") is None


def returns_a_number(_) -> float:
    return 2.0


def test_values_of_another_type_are_computed_again(folder):
    from gplandmark.runs.job_keys import job_key

    store = Store(folder / "store")
    for value in ({"value": "text", "seconds": 1.0}, {"value": 1.0}, [1.0], "x", 5):
        store.put(job_key(returns_a_number, "job"), value)
        assert JobRunner(store=store).values(returns_a_number, ["job"]) == [2.0]
    store.put("marks", MARKS)
    content = store._database.execute("SELECT content FROM results WHERE name='marks'").fetchone()[
        0
    ]
    changed = content.replace(b'"specimen": "a"', b'"specimen": 12 ')
    assert changed != content
    row = ("marks", hashlib.sha256(changed).digest(), changed)
    store._database.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", row)
    assert store.get("marks") is None
    store.close()


@pytest.mark.parametrize(
    "name", ["input", "settings", "request", "outcome", "software", "warnings"]
)
@pytest.mark.parametrize("value", [7, "text", [1], None])
def test_a_record_with_other_sections_is_no_record(tmp_path, name, value):
    content = json.loads(seeds(tmp_path)["record"])
    use_record(tmp_path, json.dumps(content).encode())
    assert read_landmarks(tmp_path / "a.csv").record.request == {"count": 3}
    if (name, value) != ("warnings", None):
        use_record(tmp_path, json.dumps({**content, name: value}).encode())
        assert read_landmarks(tmp_path / "a.csv").record == Record()


def test_manifests_name_specimens_inside_and_are_tables(tmp_path):
    path = tmp_path / "all.csv"
    path.write_text("file,specimen\na.ply,../../x\n")
    with pytest.raises(LandmarkFileError, match="not a name for a result"):
        read_manifest(path).add_to(Findings())
    path.write_text("file\n" + "x" * 200_000 + "\n")
    with pytest.raises(LandmarkFileError, match="is not a table"):
        read_manifest(path)


def test_a_fact_that_no_report_knows_is_not_taken(folder):
    assert not is_entry(json.loads(replace(entry("a"), facts={**FACTS, "new": 1}).line()))
