"""Whole folders as matched samples: nothing done twice, nobody moved, nothing trusted blindly."""

import csv
import hashlib
import json
import os
import pickle
import re
import shutil
import sqlite3
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from commands import in_process
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from matched_molars import COUNT, KEYS, LABELS, homologues

from gplandmark import Landmarks, MolarShape, Surface, make_molar, read, write
from gplandmark.cli.main import cli
from gplandmark.errors import ClusterError, GplandmarkWarning, LandmarkFileError, SettingsError
from gplandmark.io.landmark_files import read_collection, read_landmarks
from gplandmark.io.scans import read_cleaned
from gplandmark.io.scans.ply import as_ply
from gplandmark.io.scans.rules import Rules
from gplandmark.mesh import surface_area
from gplandmark.mesh.synthetic import sphere, torus
from gplandmark.runs.discover import find_scans
from gplandmark.runs.engine import Machines, StopRequest, start_workers
from gplandmark.runs.job_keys import content_key, job_key
from gplandmark.runs.job_runner import JobRunner, StoppedError
from gplandmark.runs.joint_files import read_results
from gplandmark.runs.journal import Journal
from gplandmark.runs.matched.match import MatchRequest, match_folder
from gplandmark.runs.matched.membership import open_sample, store_path
from gplandmark.runs.matched.reference_landmarks import key_called
from gplandmark.runs.matched.sample_scans import ScanSource, prepare_scan
from gplandmark.runs.place_request import Request
from gplandmark.runs.run_folder import open_run_folder, output_paths
from gplandmark.runs.store import Store
from gplandmark.runs.stored_values import decoded, encoded


def save(surface, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(as_ply(surface))


def crown(seed):
    return make_molar(seed, vertex_count=1500, shape=MolarShape(variation=0.04)).surface


@pytest.fixture(scope="module")
def scans(matched_molars):
    """Three molars in three poses and units, one of them mirrored, and a file that is none."""
    return matched_molars / "scans"


def run(folder, output, *, stop=None, see=None, workers=None, send=False, **asked):
    """Match a folder in this process; return what came of it, and what was told."""
    told = []
    with open_run_folder(output, "match") as journal:
        store = Store(store_path(output))
        jobs = JobRunner(
            workers,
            StopRequest() if stop is None else stop,
            send=send,
            store=store,
            progress=see or (lambda *_: None),
        )
        request = Request(count=COUNT)
        try:
            wanted = MatchRequest(**{"request": request, **asked})
            scans = find_scans([folder], output)
            found = match_folder(scans, wanted, output, journal, jobs, told.append)
        finally:
            store.close()
    return found, told


@pytest.fixture(scope="module")
def matched(matched_molars):
    """What the whole command said, and its folder."""
    return json.loads((matched_molars / "said.json").read_text()), matched_molars / "out"


def begin_with_maps(output, matched):
    """Start a folder of results with the maps of another, so that they are not computed again."""
    store_path(output).parent.mkdir(parents=True)
    shutil.copy(store_path(matched[1]), store_path(output))


def landmark_files(output):
    names = sorted(path for path in (output / "landmarks").rglob("*") if path.is_file())
    return {path.name: path.read_bytes() for path in names}


def edit_by_hand(path):
    """Take a landmark away, as a person might; returns what the file is then."""
    edited = path.read_text().replace('"defined"', '"missing"', 1)
    path.write_text(edited)
    return edited


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_command_carries_an_experts_landmarks_to_their_homologues(scans, matched):
    said, output = matched
    assert said["exit_code"] == 3, said  # one scan is none
    for number, key in enumerate(KEYS):
        found = read_landmarks(output / "landmarks" / f"{key}.mrk.json")
        scan = read(scans / "teeth" / f"{key}.ply")
        assert found.labels[:6] == LABELS
        assert len(found) == COUNT
        there = ~found.missing[:6]
        errors = np.linalg.norm(found.points[:6] - homologues(number), axis=1)[there]
        assert there.sum() >= 5
        assert errors.mean() < 0.02 * np.sqrt(surface_area(scan))
    exact = read_landmarks(output / "landmarks" / "m0.mrk.json")
    assert np.array_equal(exact.points[:6], homologues(0))


def test_the_command_tells_what_failed_what_is_mirrored_and_what_is_next(matched):
    said, output = matched
    assert "3 specimens matched, 1 failed" in said["output"]
    assert "1: m1" in said["output"]
    assert "--reflect" in said["output"]
    table = {row["specimen"]: row for row in rows(output / "summary.csv")}
    assert table["broken"]["status"] == "failed"
    assert "PLY" in table["broken"]["reason"]
    assert {key: row["mirrored"] for key, row in table.items() if row["status"] == "done"} == {
        "m0": "no", "m1": "yes", "site/m2": "no"
    }  # fmt: skip
    page = (output / "report.html").read_text()
    assert all(key in page for key in KEYS)
    assert "http" not in page.split("</style>")[1]


@pytest.mark.slow
def test_the_command_names_who_is_in_another_unit(tmp_path):
    for seed in range(5):
        surface = crown(seed)
        scale = 25.4 if seed == 3 else 1.0
        save(Surface(surface.points * scale, surface.faces()), tmp_path / "teeth" / f"m{seed}.ply")
    result = CliRunner().invoke(cli, ["match", str(tmp_path / "teeth"), "-n", "4", "--workers", "0",
                                      "-o", str(tmp_path / "out")])  # fmt: skip
    assert result.exit_code == 0, result.output
    assert re.search(r"outlier +m3: .*Large: sqrt\(area\) is", result.output)


def test_pairs_and_distances_are_those_of_the_sample(matched):
    output = matched[1]
    sample = open_sample(output)
    names = [each.name for each in sample.specimens]
    pairs = rows(output / "pairs.csv")
    assert len(pairs) == 3
    assert {row["mirrored"] for row in pairs} == {"yes", "no"}
    for row in pairs:
        i, j = names.index(row["specimen"]), names.index(row["other"])
        assert float(row["distance"]) == sample.distances[i, j]
        assert (row["mirrored_in_sample"] == "yes") == (names.index("m1") in (i, j))
        assert 0 <= float(row["confidence"]) <= 1
    table = rows(output / "distances.csv")
    found = [[float(row[name]) for name in names] for row in table]
    assert np.array_equal(found, sample.distances)


@pytest.mark.parametrize("name", ["tps", "txt", "nts", "dta", "csv", "wide.csv"])
def test_joint_files_hold_the_same_landmarks_and_no_warning(matched, name):
    output = matched[1]
    path = output / "collection" / f"landmarks.{name}"
    content = path.read_text()
    assert "not matched" not in content
    assert not list(path.parent.glob("not-*"))
    found = {each.specimen: each for each in read_collection(path)}
    assert sorted(found) == list(KEYS)
    for key, each in found.items():
        alone = read_landmarks(output / "landmarks" / f"{key}.mrk.json")
        assert np.allclose(each.points, alone.points, rtol=1e-12, equal_nan=True)


def test_the_same_command_again_does_nothing_again(scans, matched, tmp_path):
    output = tmp_path / "out"
    shutil.copytree(matched[1], output)
    before = landmark_files(output)
    seen = []
    run(scans / "teeth", output, see=lambda *told: seen.append(told),
        reference="m0", expert=scans / "expert.mrk.json")  # fmt: skip
    # A scan that failed is tried again; of everything else nothing was left to do.
    assert [stage for stage, _, _ in seen] == ["prepare_scan"] * 2 + [
        "asymmetry",
        "align_surfaces",
        "lacking_share",
        "fit_both_ways",
        "carry_to_scan",
    ]
    assert all(done == total for _, done, total in seen[1:])
    assert landmark_files(output) == before


@pytest.mark.slow
def test_a_run_that_was_stopped_goes_on_and_ends_the_same(scans, matched, tmp_path):
    stop, seen = StopRequest(), []

    def ask(stage, done, total):
        seen.append(stage)
        if stage == "fit_both_ways" and done == 2:
            stop.ask()

    asked = {"reference": "m0", "expert": scans / "expert.mrk.json"}
    with pytest.raises(StoppedError):
        run(scans / "teeth", tmp_path / "out", stop=stop, see=ask, **asked)
    assert "carry_to_scan" not in seen
    assert not (tmp_path / "out" / "landmarks").exists()
    known = {}
    run(scans / "teeth", tmp_path / "out",
        see=lambda stage, done, _: known.setdefault(stage, done), **asked)  # fmt: skip
    assert known["align_surfaces"] == 3
    assert known["fit_both_ways"] >= 2
    assert landmark_files(tmp_path / "out") == landmark_files(matched[1])


@pytest.mark.slow
def test_workers_give_what_this_process_gives(scans, matched, tmp_path):
    with start_workers(Machines(1)) as workers:
        run(scans / "teeth", tmp_path / "out", workers=workers, send=True, reference="m0",
            expert=scans / "expert.mrk.json")  # fmt: skip
    assert landmark_files(tmp_path / "out") == landmark_files(matched[1])


@pytest.mark.slow
def test_who_is_added_moves_nobody(scans, tmp_path):
    folder = tmp_path / "teeth"
    shutil.copytree(scans / "teeth", folder)
    (folder / "broken.ply").unlink()
    (folder / "m1.ply").rename(tmp_path / "m1.ply")
    first, _ = run(folder, tmp_path / "out")
    before = landmark_files(tmp_path / "out")
    (tmp_path / "m1.ply").rename(folder / "m1.ply")
    second, _ = run(folder, tmp_path / "out")
    after = landmark_files(tmp_path / "out")
    assert first.reference == second.reference
    assert "1 specimen added" in second.notes[0]
    assert {name: after[name] for name in before} == before
    assert "m1.mrk.json" in after
    reopened = open_sample(tmp_path / "out")
    assert [each.name for each in reopened.specimens] == ["m0", "site/m2", "m1"]
    (folder / "site/m2.ply").unlink()
    third, _ = run(folder, tmp_path / "out")
    assert "matched again: site/m2" in third.notes[0]
    assert len(third.sample) == 2
    assert third.sample.together == 2


def test_what_a_person_changed_is_left_alone(scans, matched, tmp_path):
    output = tmp_path / "out"
    shutil.copytree(matched[1], output)
    path = output / "landmarks" / "m1.mrk.json"
    edited = edit_by_hand(path)
    asked = {"reference": "m0", "expert": scans / "expert.mrk.json"}
    found, _ = run(scans / "teeth", output, **asked)
    assert path.read_text() == edited
    told = {each.key: each for each in found.entries}["m1"]
    assert told.is_done
    assert told.reason.startswith("edited by a person")
    mine = [np.isfinite(point).all() for point in read_landmarks(path).points]
    assert [place is not None for place in told.facts["picture"]["places"]] == mine
    run(scans / "teeth", output, force=True, **asked)
    assert path.read_text() != edited


def test_another_commands_folder_is_refused(scans, matched, tmp_path):
    batch = CliRunner().invoke(cli, ["batch", str(scans / "teeth"), "-o", str(matched[1])])
    assert isinstance(batch.exception, SettingsError)
    assert "'gplandmark match' wrote" in str(batch.exception)
    with open_run_folder(tmp_path / "out", "batch"):
        pass
    match = CliRunner().invoke(cli, ["match", str(scans), "-o", str(tmp_path / "out")])
    assert "'gplandmark batch' wrote" in str(match.exception)


def test_names_are_found_and_near_ones_offered():
    keys = ["site/a", "site/b", "other/b", "molar"]
    assert key_called("molar", keys) == "molar"
    assert key_called("a", keys) == "site/a"
    with pytest.raises(SettingsError, match="Several specimens are called b: site/b, other/b"):
        key_called("b", keys)
    with pytest.raises(SettingsError, match=r"no specimen called molars. Did you mean molar"):
        key_called("molars", keys)


def test_one_specimen_has_landmarks_and_a_remark(scans, tmp_path):
    found, _ = run(scans / "teeth" / "m0.ply", tmp_path / "out")
    assert "only one specimen" in found.sample.remarks[0]
    assert read_landmarks(tmp_path / "out/landmarks/m0.mrk.json").missing.sum() == 0


@pytest.mark.slow
def test_identical_specimens_have_identical_landmarks(scans, tmp_path):
    for name in ("a", "b"):
        (tmp_path / "in").mkdir(exist_ok=True)
        shutil.copy(scans / "teeth" / "m0.ply", tmp_path / "in" / f"{name}.ply")
    run(tmp_path / "in", tmp_path / "out")
    one, two = (read_landmarks(tmp_path / f"out/landmarks/{name}.mrk.json") for name in "ab")
    scale = np.sqrt(surface_area(read(tmp_path / "in/a.ply")))
    assert not one.missing.any()
    assert not two.missing.any()
    assert np.abs(one.points - two.points).max() < 1e-3 * scale


@pytest.mark.slow
def test_unlike_and_symmetric_specimens_are_not_matched_by_force(tmp_path):
    save(torus(40, 20).surface, tmp_path / "in/torus.ply")
    save(sphere(3).surface, tmp_path / "in/sphere.ply")
    found, _ = run(tmp_path / "in", tmp_path / "out")
    missing = {each.key: each.facts["missing"] for each in found.entries}
    assert missing[found.reference] == 0
    assert sum(missing.values()) == COUNT  # all of the other one
    said = " ".join(found.sample.remarks)
    assert "ambiguous" in said
    assert "dissimilar" in said


def test_nothing_to_match_is_one_sentence(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.ply").write_text("no scan")
    with pytest.raises(SettingsError, match=r"No scan could be read.*header of a PLY"):
        run(tmp_path / "in", tmp_path / "out")
    save(sphere(2).surface, tmp_path / "in/b.ply")
    with pytest.raises(SettingsError, match="reference a could not be read"):
        run(tmp_path / "in", tmp_path / "out", reference="a")


@pytest.mark.slow
def test_an_experts_landmarks_of_another_specimen_are_refused_before_the_work(scans, tmp_path):
    seen = []
    with pytest.raises(LandmarkFileError, match="belongs to another specimen"):
        run(scans / "teeth", tmp_path / "out", reference="site/m2",
            expert=scans / "expert.mrk.json", see=lambda stage, *_: seen.append(stage))  # fmt: skip
    assert "align_surfaces" not in seen


@pytest.mark.slow
def test_transfer_to_one_file_and_to_a_folder(scans, tmp_path):
    teeth, expert = scans / "teeth", str(scans / "expert.mrk.json")
    arguments = ["transfer", str(teeth / "m0.ply"), expert, str(teeth / "m1.ply")]
    one = CliRunner().invoke(cli, [*arguments, "-o", str(tmp_path / "m1.csv")])
    assert one.exit_code == 0
    none = [*arguments, "-o", str(tmp_path / "none.csv"), "--least", "1", "--quiet"]
    assert CliRunner().invoke(cli, none).exit_code == 3
    assert "mirrored   yes" in one.output
    found = read_landmarks(tmp_path / "m1.csv")
    size = np.sqrt(surface_area(read(teeth / "m1.ply")))
    there = ~found.missing
    assert found.labels == LABELS
    assert there.sum() >= 5
    assert np.linalg.norm(found.points - homologues(1), axis=1)[there].mean() < 0.02 * size
    many = CliRunner().invoke(
        cli, [*arguments, str(teeth / "site/m2.ply"), "-o", str(tmp_path / "out"), "--workers", "0"]
    )
    assert many.exit_code == 0, many.output
    names = sorted(path.name for path in (tmp_path / "out/landmarks").glob("*.mrk.json"))
    assert names == ["m0.mrk.json", "m1.mrk.json", "m2.mrk.json"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["m9.ply", "expert.mrk.json", "teeth/m1.ply", "-o", "o.csv"], "m9.ply"),
        (["m9.ply", "expert.mrk.json", "teeth", "-o", "out"], "there is no such file"),
        (["expert.mrk.json", "expert.mrk.json", "teeth", "-o", "out"], "is not a scan"),
        (["teeth/m0.ply", "expert.mrk.json", "teeth/m1.ply", "-o", "o.docx"],
         "unknown landmark file extension"),
        (["teeth/m0.ply", "expert.mrk.json", "teeth", "-o", "o.csv"], "several targets"),
        (["teeth/m0.ply", "nobody.csv", "teeth/m1.ply", "-o", "o.csv"], "nobody.csv"),
        (["teeth/site/m2.ply", "expert.mrk.json", "teeth/m1.ply", "-o", "o.csv"],
         "another specimen"),
        (["teeth/m0.ply", "expert.mrk.json", "teeth/m1.ply", "-o", "expert.mrk.json"],
         "Choose another name"),
    ],
)  # fmt: skip
def test_transfer_says_what_is_wrong(scans, tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(scans)
    arguments = [
        str(tmp_path / each) if each in ("o.csv", "o.docx", "out") else each for each in arguments
    ]
    result = CliRunner().invoke(cli, ["transfer", *arguments])
    assert result.exit_code != 0
    assert sentence in str(result.exception)
    assert not (tmp_path / "o.csv").exists()


def double(number):
    return 2 * number


def refuse(number):
    raise SettingsError(f"{number} is refused.")


def test_results_come_in_order_and_once():
    jobs = JobRunner(store=Store())
    assert jobs.values(double, [3, 1, 2]) == [6, 2, 4]
    seen = []
    again = replace(jobs, progress=lambda *told: seen.append(told))
    assert again.values(double, [1, 2, 5]) == [2, 4, 10]
    assert seen == [("double", 2, 3), ("double", 3, 3)]
    with pytest.raises(ClusterError, match=r"refuse.*7 is refused"):
        jobs.values(refuse, [7])


@dataclass(frozen=True)
class Told:
    number: float
    array: np.ndarray
    path: Path = field(default=Path(), compare=False)


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_fingerprints_tell_contents_apart_and_nothing_else(one, two):
    def name(number, path="a"):
        return job_key(double, (Told(number, np.arange(3.0), Path(path)), {"a": 1}))

    assert name(one) == name(one, "b")
    assert (name(one) == name(two)) == (repr(one) == repr(two))
    assert job_key(double, 1) != job_key(refuse, 1)
    assert job_key(double, np.zeros(2)) != job_key(double, np.zeros((2, 1)))


def planted(path, content):
    """A store with one result, of a stranger's making, under the name "name"."""
    Store(path).close()
    database = sqlite3.connect(path)
    row = ("name", hashlib.sha256(content).digest(), content)
    database.execute("INSERT INTO results VALUES (?, ?, ?)", row)
    database.commit()
    database.close()
    return Store(path)


def outlined(outline, content=b""):
    header = json.dumps(outline).encode()
    return len(header).to_bytes(8, "little") + header + content


@pytest.mark.parametrize(
    "content",
    [
        pickle.dumps(Path("x")),
        outlined(["array", "|O", [2]], bytes(16)),
        outlined(["array", "<f8", [10**12]], bytes(16)),
        outlined(["array", "<f8", [-1]]),
        outlined(["Path", {"path": "x"}]),
        outlined(["Pose", {"nobody": 1}]),
        outlined(["tuple", [["bytes", 100]]]),
        b"",
        b"\xff" * 40,
    ],
)
def test_what_a_stranger_put_into_a_store_is_nothing(tmp_path, content):
    store = planted(tmp_path / "store", content)
    assert store.get("name") is None
    store.close()


def test_a_result_leads_nowhere_else():
    for name in ("x./../../evil", "../x.json", "landmarks./x", "a/b.c", "landmarks.m..n"):
        with pytest.raises(LandmarkFileError, match="is not a name for a result"):
            output_paths("key", {name: b""})
    assert list(output_paths("site/a", {"landmarks.mrk.json": b""})) == [
        "landmarks/site/a.mrk.json"
    ]


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.binary()
    | st.floats(allow_nan=False),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(values)
def test_values_survive_their_bytes(value):
    assert decoded(encoded(value)) == value


@given(arrays(st.sampled_from(["<f8", "<f4", "<i8", "<i4", "?"]), array_shapes(min_side=0)))
def test_arrays_survive_their_bytes(array):
    again = decoded(encoded({"a": [array]}))["a"][0]
    assert again.dtype == array.dtype
    assert np.array_equal(again, array, equal_nan=True)


@given(st.binary(max_size=60), st.integers(0, 200))
def test_damaged_bytes_are_an_error_and_nothing_worse(noise, place):
    content = bytearray(encoded({"a": (np.arange(4.0), "text"), "b": [1, None]}))
    place %= len(content)
    content[place : place + len(noise)] = noise
    with suppress(ValueError, TypeError, KeyError, AttributeError):
        decoded(bytes(content))


def test_what_cannot_be_kept_is_said_at_once():
    with pytest.raises(TypeError, match="cannot hold a"):
        encoded(Path("x"))
    with pytest.raises(TypeError, match="cannot hold a ndarray"):
        encoded(np.array([Path("x")]))


def test_a_store_that_is_in_use_is_never_started_again(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, timeout=0.1))
    path = tmp_path / "store"
    store = Store(path)
    store.put("old", 1.0)
    reader = Store(path, readonly=True)
    assert reader.get("old") == 1.0
    store.put("new", 2.0)
    assert reader.get("new") == 2.0
    reader.close()
    holder = sqlite3.connect(path)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(LandmarkFileError, match="another run has it"):
        Store(path, readonly=True)
    holder.rollback()
    holder.close()
    assert store.get("old") == 1.0
    store.close()


def test_a_damaged_row_is_unknown_and_a_damaged_file_started_again(tmp_path):
    path = tmp_path / "store"
    store = Store(path)
    for number in range(50):
        store.put(str(number), {"value": np.arange(500.0)})
    store.close()
    content = bytearray(path.read_bytes())
    content[len(content) // 2 :] = bytes(len(content) - len(content) // 2)
    path.write_bytes(bytes(content))
    store = Store(path)
    known = [number for number in range(50) if store.get(str(number)) is not None]
    assert len(known) < 50
    for number in range(50):
        store.put(str(number), {"value": 1.0})
    assert store.get("49") == {"value": 1.0}
    store.close()


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + bytes(100)])
def test_a_damaged_store_is_started_again(tmp_path, content):
    path = tmp_path / "store"
    path.write_bytes(content)
    store = Store(path)
    store.put("name", {"value": 1.0, "seconds": 0.0})
    store.close()
    store = Store(path)
    assert store.get("name") == {"value": 1.0, "seconds": 0.0}
    store.close()


def test_a_store_forgets_what_nobody_asked_for(tmp_path):
    store = Store(tmp_path / "store")
    store.put("old", 1)
    store.put("used", 2)
    store.close()
    store = Store(tmp_path / "store")
    assert store.get("used") == 2
    store.forget_others()
    assert store.get("old") is None
    assert store.get("used") == 2
    store.close()


def test_a_folder_without_maps_cannot_be_opened(matched, tmp_path):
    with pytest.raises(SettingsError, match="is not what 'gplandmark match' wrote"):
        open_sample(tmp_path)
    shutil.copytree(matched[1], tmp_path / "out")
    store_path(tmp_path / "out").unlink()
    with pytest.raises(SettingsError, match="no longer holds all its maps"):
        open_sample(tmp_path / "out")


def test_the_record_tells_where_landmarks_came_from(matched):
    record = json.loads((matched[1] / "landmarks" / "site" / "m2.record.json").read_text())
    told = record.get("request") or record["specimens"][0]["request"]
    assert told["matching"]["from"] == "m0"
    assert told["matching"]["specimens"] == 3


@pytest.fixture
def pair(scans, matched, tmp_path):
    """A molar, its mirror image in a folder inside, and where they are matched."""
    begin_with_maps(tmp_path / "out", matched)
    for name, place in (("m0", "a"), ("m1", "sub/b")):
        (tmp_path / "in" / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(scans / "teeth" / f"{name}.ply", tmp_path / "in" / f"{place}.ply")
    return tmp_path / "in", tmp_path / "out"


def statuses(output, found):
    """Keys of those that have landmarks, as entries and as readers of the folder see them."""
    done = sorted(each.key for each in found.entries if each.is_done)
    assert sorted(each.specimen for each in read_results(output)) == done
    return done


@pytest.mark.slow
def test_who_fails_for_a_while_comes_back_and_leaves_no_ghost(pair):
    folder, output = pair
    run(folder, output, reference="a")
    before = landmark_files(output)
    scan = folder / "sub/b.ply"
    content = scan.read_bytes()
    scan.write_bytes(b"no scan")
    failing, _ = run(folder, output, reference="a")
    assert statuses(output, failing) == ["a"]
    assert not (output / "landmarks/sub/b.mrk.json").exists()
    scan.write_bytes(content)
    again, _ = run(folder, output, reference="a")
    assert statuses(output, again) == ["a", "sub/b"]
    assert landmark_files(output)["b.mrk.json"] == before["b.mrk.json"]
    scan.unlink()
    alone, _ = run(folder, output, reference="a")
    assert statuses(output, alone) == ["a"]
    assert not (output / "landmarks/sub/b.mrk.json").exists()


@pytest.mark.slow
def test_an_edit_survives_a_scan_that_fails_for_a_while(pair):
    folder, output = pair
    run(folder, output, reference="a")
    path = output / "landmarks/sub/b.mrk.json"
    edited = edit_by_hand(path)
    scan = folder / "sub/b.ply"
    content = scan.read_bytes()
    scan.write_bytes(b"no scan")
    run(folder, output, reference="a")
    scan.write_bytes(content)
    found, told = run(folder, output, reference="a")
    assert path.read_text() == edited
    assert {each.key: each.reason for each in told}["sub/b"].startswith("edited by a person")
    assert statuses(output, found) == ["a", "sub/b"]


@pytest.mark.slow
def test_another_format_replaces_the_one_before(pair):
    folder, output = pair
    run(folder, output, reference="a")
    (output / "thumbnails/a.png").write_bytes(b"touched")  # no landmarks: nobody's work
    found, _ = run(folder, output, reference="a", request=Request(count=5, extension=".csv"))
    assert statuses(output, found) == ["a", "sub/b"]
    assert {len(each) for each in read_results(output)} == {5}
    assert sorted(landmark_files(output)) == ["a.csv", "a.record.json", "b.csv", "b.record.json"]


@pytest.mark.slow
def test_a_run_that_died_before_it_said_so_edited_nothing(pair, monkeypatch):
    folder, output = pair
    run(folder, output, reference="a")

    class DeadError(Exception):
        pass

    def die(journal, entry):
        if entry.key == "sub/b":
            raise DeadError
        add(journal, entry)

    add = Journal.add
    monkeypatch.setattr(Journal, "add", die)
    asked = {"reference": "a", "request": Request(count=5)}
    with pytest.raises(DeadError):
        run(folder, output, **asked)
    monkeypatch.undo()
    found, _ = run(folder, output, **asked)
    assert not any(each.reason for each in found.entries)
    assert {len(each) for each in read_results(output)} == {5}


@pytest.mark.slow
@pytest.mark.parametrize(("reference", "times"), [("a", 1), (None, 2)])
def test_the_reference_is_read_once_if_it_is_named(pair, monkeypatch, reference, times):
    """Else it is known after the matching, and is read again for its landmarks; others are too."""
    folder, output = pair
    seen = []

    def read(path, rules):
        seen.append(path.name)
        return read_cleaned(path, rules)

    monkeypatch.setattr("gplandmark.runs.matched.sample_scans.read_cleaned", read)
    monkeypatch.setattr("gplandmark.runs.place_request.read_cleaned", read)
    found, _ = run(folder, output, reference=reference)
    name = f"{found.reference.rpartition('/')[2]}.ply"
    assert seen.count(name) == times
    assert len(seen) == times + 2


def test_a_scan_that_changes_on_the_way_is_not_kept_as_another(pair):
    folder, output = pair
    scan = folder / "sub/b.ply"
    content = scan.read_bytes()

    def swap(stage, done, total):
        if stage == "carry_to_scan" and done == 0:
            scan.write_bytes((folder / "a.ply").read_bytes())

    found, _ = run(folder, output, see=swap, reference="a")
    reasons = {each.key: each.reason for each in found.entries}
    assert "changed while it was matched" in reasons["sub/b"]
    scan.write_bytes(content)
    found, _ = run(folder, output, reference="a")
    assert statuses(output, found) == ["a", "sub/b"]


def test_an_edited_reference_is_told(pair):
    folder, output = pair
    run(folder, output, reference="a")
    path = output / "landmarks/a.mrk.json"
    edit_by_hand(path)
    found, _ = run(folder, output, reference="a")
    assert "edited the landmarks of the reference a" in found.notes[-1]


@pytest.mark.slow
def test_a_new_version_computes_again_and_moves_nobody(pair, monkeypatch):
    folder, output = pair
    (folder / "sub/b.ply").rename(folder / "c.ply")
    run(folder, output)
    (folder / "c.ply").rename(folder / "sub/b.ply")
    run(folder, output)
    books = json.loads((output / ".gplandmark/sample.json").read_text())
    books["version"] = "0.0.0"
    (output / ".gplandmark/sample.json").write_text(json.dumps(books))
    found, _ = run(folder, output)
    assert "computed again what version 0.0.0 had" in found.notes[0]
    assert found.sample.together == books["together"]


@pytest.mark.slow
def test_another_statement_on_units_matches_all_again(pair):
    folder, output = pair
    run(folder, output)
    other, _ = run(folder, output, same_scale=True)
    assert other.notes == ("All were matched again: before, it was without --same-scale.",)
    assert open_sample(output).same_scale
    same, _ = run(folder, output, same_scale=True)
    assert same.notes == ()


@pytest.mark.slow
def test_pieces_of_a_specimen_have_their_landmarks_and_a_note(pair):
    folder, output = pair
    surface = crown(3)
    sides = surface.points[surface.faces()][..., 0]
    cut = (sides > 0.075).all(axis=1) | (sides < -0.075).all(axis=1)
    save(Surface(surface.points, surface.faces()[cut], "c"), folder / "c.ply")
    shutil.copy(folder / "a.ply", folder / "d.ply")
    request = Request(count=COUNT, rules=Rules(components="all"))
    found, _ = run(folder, output, request=request, same_scale=True)
    facts = {each.key: each.facts for each in found.entries}["c"]
    assert "c is in 2 pieces" in facts["notes"][0]
    assert "plausible" in facts["notes"][0]
    assert facts["share_of_whole"] > 0.85
    assert facts["landmarks"] >= COUNT - 2
    assert facts["notes"][0] in found.sample.remarks
    assert open_sample(output).remarks == found.sample.remarks
    again, _ = run(folder, output, request=request, same_scale=True)
    assert {each.key: each.facts for each in again.entries}["c"] == facts


@pytest.mark.slow
def test_joint_files_keep_the_order_of_the_reference(pair):
    folder, output = pair
    arguments = ["match", str(folder), "-n", "5", "-o", str(output), "--reference", "b",
                 "--workers", "0"]  # fmt: skip
    assert CliRunner().invoke(cli, arguments).exit_code == 0
    path = output / "landmarks/a.mrk.json"
    path.write_text(path.read_text().replace('"label": "1"', '"label": "tip"'))
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0
    joint = read_collection(output / "collection/landmarks.wide.csv")
    assert joint[0].labels == ("1", "2", "3", "4", "5", "tip")
    path.write_text(path.read_text().replace('"label": "2"', '"label": "tip"'))
    with pytest.warns(GplandmarkWarning, match="a is not in the joint files: two"):
        CliRunner().invoke(cli, arguments)


@pytest.mark.slow
def test_names_that_no_text_can_spell_do_not_spoil_the_end(pair):
    folder, output = pair
    os.rename(os.fsencode(folder / "a.ply"), os.fsencode(folder) + b"/m\xff.ply")
    result = CliRunner().invoke(
        cli, ["match", str(folder), "-n", "5", "-o", str(output), "--workers", "0"]
    )
    assert result.exit_code == 0, result.exception
    assert len(rows(output / "summary.csv")) == 2


def test_a_broken_link_is_one_that_failed(scans, matched, tmp_path):
    begin_with_maps(tmp_path / "out", matched)
    shutil.copy(scans / "teeth" / "m1.ply", tmp_path / "m1.ply")
    (tmp_path / "gone.ply").symlink_to(tmp_path / "nowhere.ply")
    arguments = [str(scans / "teeth/m0.ply"), str(scans / "expert.mrk.json"), str(tmp_path)]
    result = CliRunner().invoke(
        cli, ["transfer", *arguments, "-o", str(tmp_path / "out"), "--workers", "0"]
    )
    assert result.exit_code == 3, result.exception
    assert "failed: gone" in result.output


@pytest.mark.slow
def test_corrections_of_another_set_are_set_aside_and_of_the_same_set_kept(pair):
    folder, output = pair
    run(folder, output, reference="a")
    path = output / "landmarks/sub/b.mrk.json"
    edited = edit_by_hand(path)
    more, _ = run(folder, output, reference="a", request=Request(count=COUNT + 2))
    assert path.read_text() == edited
    facts = {each.key: each.facts for each in more.entries}["sub/b"]
    assert (facts["landmarks"], facts["missing"]) == (COUNT - 1, 3)
    assert {len(each) for each in read_results(output)} == {COUNT + 2}  # filled up by name
    fewer, _ = run(folder, output, reference="a", request=Request(count=COUNT - 2))
    assert (output / "edited/sub/b.mrk.json").read_text() == edited
    assert {len(each) for each in read_results(output)} == {COUNT - 2}
    run(folder, output, reference="a")
    edited = edit_by_hand(path)
    (output / "edited/sub/b.mrk.json").unlink()
    other, _ = run(folder, output, reference="sub/b")
    assert (output / "edited/sub/b.mrk.json").read_text() == edited
    for found in (fewer, other):
        assert "set aside in edited/sub/b.mrk.json" in found.notes[-1]
    assert not any(each.reason for each in other.entries)
    assert read_landmarks(path).missing.sum() == 0


def test_an_analysis_is_not_mixed_with_a_match(pair, matched, tmp_path):
    folder, output = pair[0], tmp_path / "analysis"
    output.mkdir()
    (output / "report.html").write_text("of an analysis")
    arguments = ["match", str(folder), "-n", "5", "-o", str(output), "--workers", "0"]
    refused = CliRunner().invoke(cli, arguments)
    assert "was not written by this command" in str(refused.exception)
    assert [path.name for path in output.iterdir()] == ["report.html"]
    inside = CliRunner().invoke(cli, ["match", str(folder), "-o", str(folder)])
    assert "is where the scans are" in str(inside.exception)
    begin_with_maps(output, matched)
    assert CliRunner().invoke(cli, [*arguments, "--overwrite"]).exit_code == 0


@pytest.mark.slow
def test_two_experts_landmarks_may_share_a_vertex(scans, tmp_path):
    scan = read(scans / "teeth" / "m0.ply")
    points = scan.points[[700, 30, 30, 1200]]
    points[2] += 1e-5
    write(Landmarks.at(points, "m0", labels=tuple("abcd")), tmp_path / "expert.csv")
    found = run(scans / "teeth", tmp_path / "out", reference="m0",
                expert=tmp_path / "expert.csv")[0].landmarks  # fmt: skip
    assert np.array_equal(found.points[:4], points)
    assert found.labels[:4] == tuple("abcd")
    assert found.vertices[:4].tolist() == [700, 30, 30, 1200]
    assert len(found) == COUNT
    assert np.array_equal(found.points[4:], scan.points[found.vertices[4:]])
    assert len({*found.vertices.tolist()}) == COUNT - 1


@pytest.mark.slow
def test_an_experts_file_of_another_name_is_noted(scans, tmp_path):
    expert = Landmarks.at(homologues(0), "somebody", labels=LABELS)
    write(expert, tmp_path / "expert.csv")
    arguments = ["match", str(scans / "teeth"), "-n", "6", "-o", str(tmp_path / "out"),
                 "--workers", "0", "--landmarks", str(tmp_path / "expert.csv")]  # fmt: skip
    alone = CliRunner().invoke(cli, arguments)
    assert "no specimen called somebody" in str(alone.exception)
    with pytest.warns(GplandmarkWarning, match="landmarks of somebody, but the reference is m0"):
        assert CliRunner().invoke(cli, [*arguments, "--reference", "m0"]).exit_code == 3


def noted_in(output):
    return json.loads((output / "run.json").read_text())["notes"]


def test_landmarks_of_another_specimen_are_noted_in_the_run(scans, matched, tmp_path):
    """By `transfer` to many; and they are not said to have been moved, as they were not."""
    expert, out = tmp_path / "expert.csv", tmp_path / "out"
    write(Landmarks.at(homologues(0), "molar-3", labels=LABELS), expert)
    begin_with_maps(out, matched)
    words = ["transfer", scans / "teeth/m0.ply", expert, scans / "teeth", "-o", out]
    done = in_process(*words, "--workers", "0", cwd=tmp_path)
    note = "expert.csv has landmarks of molar-3, but the scan is m0."
    assert done.returncode == 3, done.stderr
    assert done.stderr.count(note) == 1
    assert noted_in(out) == [note]
    assert note in (out / "report.html").read_text()


@pytest.mark.slow
def test_landmarks_of_another_specimen_are_noted_in_the_record(scans, tmp_path):
    write(Landmarks.at(homologues(0), "molar-3", labels=LABELS), tmp_path / "expert.csv")
    teeth = scans / "teeth"
    words = ["transfer", teeth / "m0.ply", "expert.csv", teeth / "m1.ply", "-o", "m1.csv"]
    done = in_process(*words, cwd=tmp_path)
    note = "expert.csv has landmarks of molar-3, but the scan is m0."
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(note) == 1
    assert read_landmarks(tmp_path / "m1.csv").record.warnings == (note,)


def test_landmarks_of_another_scan_than_the_reference_are_refused(scans, tmp_path):
    write(Landmarks.at(homologues(1), "m1", labels=LABELS), tmp_path / "expert.csv")
    words = ["match", scans / "teeth", "--landmarks", "expert.csv", "--reference", "m0"]
    done = in_process(*words, "-o", "out", cwd=tmp_path)
    assert done.returncode == 1
    assert "expert.csv has landmarks of m1, but --reference is m0. Leave out" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_match_notes_an_experts_file_of_another_name_and_moves_nothing(scans, matched, tmp_path):
    write(Landmarks.at(homologues(0), "somebody", labels=LABELS), tmp_path / "expert.csv")
    begin_with_maps(tmp_path / "out", matched)
    words = ["match", scans / "teeth", "-n", COUNT, "--landmarks", "expert.csv"]
    done = in_process(*words, "--reference", "m0", "-o", "out", "--workers", "0", cwd=tmp_path)
    note = "expert.csv has landmarks of somebody, but the reference is m0."
    assert done.stderr.count(note) == 1
    assert noted_in(tmp_path / "out") == [note]
    for key in KEYS:  # those of the reference are the expert's, and lie between vertices
        found = read_landmarks(tmp_path / "out" / "landmarks" / f"{key}.mrk.json")
        assert found.record.warnings == ()


def test_members_of_earlier_folders_are_known_whatever_a_class_is_called():
    """Marks of members outlive every version: else a sample could not be extended."""
    scan = ScanSource("a", "0" * 64, Rules(), Path("x.ply"))
    assert content_key(scan) == "a9ee9d8d2196c19703e476b473ceb49590411f98c7ce2768a973383d86dd8e8a"


def test_stored_results_do_not_depend_on_where_a_function_lives(monkeypatch):
    before = job_key(prepare_scan, 1)
    monkeypatch.setattr(prepare_scan, "__module__", "elsewhere")
    assert job_key(prepare_scan, 1) == before


@pytest.mark.slow
def test_results_under_other_keys_are_computed_again_and_a_note_says_so(pair):
    folder, output = pair
    run(folder, output)
    before = {path: path.read_bytes() for path in (output / "landmarks").rglob("*.*")}
    path = output / ".gplandmark" / "sample.json"
    known = json.loads(path.read_text())
    known["kept"] = {key: f"other {name}" for key, name in known["kept"].items()}
    path.write_text(json.dumps(known))
    store_path(output).unlink()
    found, _ = run(folder, output)
    assert "computed again what an earlier one had stored" in found.notes[0]
    assert {path: path.read_bytes() for path in before} == before
    assert run(folder, output)[0].notes == ()
