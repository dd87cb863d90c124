"""Files of a results folder as somebody may have changed them, and everything that reads them."""

import json
import random
import sqlite3
import warnings

import numpy as np

from gplandmark import Landmarks, Surface, read_landmarks
from gplandmark.io.overwrite import check_not_edited, why_not_own
from gplandmark.io.record_files import record_text
from gplandmark.landmarks.record import Record, recalled_settings
from gplandmark.morphometrics.matching.dense_points import (
    Correspondence,
    correspondence_bytes,
    read_correspondence,
)
from gplandmark.runs.batch import batch_summary
from gplandmark.runs.checked import read_checked
from gplandmark.runs.discover import Findings
from gplandmark.runs.job_runner import JobRunner
from gplandmark.runs.joint_files import read_results, write_joint
from gplandmark.runs.journal import JournalEntry, digests_now, journal_path, read_entries
from gplandmark.runs.manifest import read_manifest
from gplandmark.runs.matched.membership import open_sample, read_membership, store_path
from gplandmark.runs.matched.sample_files import sample_summary
from gplandmark.runs.place_request import Request, difference
from gplandmark.runs.reports.batch_report import batch_page
from gplandmark.runs.reports.unusual_specimens import sample_outliers
from gplandmark.runs.run_folder import open_run_folder
from gplandmark.runs.specimen_files import as_found, remove_ours
from gplandmark.runs.store import Store

CANARY = b"a file of the user that no folder of results may touch"
DIGEST = "0" * 64
POINTS = np.array([[0.0, 1.0, 2.0], [3.0, -4.0, 5.0], [1.0, 1.0, 6.0]])
MARKS = Landmarks.at(POINTS, "a", labels=("x", "y", "z"))
SURFACE = Surface(np.vstack([POINTS, [[2.0, 0.0, 0.0]]]), np.array([[0, 1, 2], [1, 2, 3]]), "a")
FACTS = {
    "sha256": DIGEST, "vertices": 300, "repairs": "2 points removed", "landmarks": 3,
    "stopped": "count", "variance_left": 0.25, "area": 2.5, "size": 3.0, "curve": [1.0, 0.5, 0.25],
    "notes": ["a note"], "missing": 1, "confidence": [0.9, None, 0.8], "mean_confidence": 0.85,
    "nearest": "b", "nearest_distance": 0.1, "agreement": 1.0, "mirrored": False, "over": ["b"],
    "picture": {"size": [20, 10], "places": [[1.0, 2.0], None], "shown": [True, False],
                "view": [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]},
}  # fmt: skip
IDENTITY = {"count": 3, "kernel": {"name": "se"}, "landmarks": ["1", "2"]}
ODD = [
    None, True, -1, 0, 1e999, float("nan"), 2**80, "", "x", "../../canary", "/etc/passwd", [], {},
    "landmarks/../../../canary", "thumbnails/../../canary", "C:\\canary",
    "<script>alert(1)</script>", "a\x00b", "\x1b[2J", [[]], {"a": []}, [None], ["a"],
    {"": None}, "0" * 5000, "\ud800",
]  # fmt: skip


def entry(key, **changes):
    outputs = {f"landmarks/{key}.csv": DIGEST, f"thumbnails/{key}.png": DIGEST}
    return JournalEntry(key, f"{key}.ply", "", "", IDENTITY, outputs, FACTS, 1.5, 1, **changes)


def journal():
    failed = JournalEntry("c", "c.ply", "It is empty.", "refused", facts={"sha256": DIGEST})
    return (entry("a").line() + entry("b").line() + failed.line()).encode()


def store_bytes(folder):
    path = folder / "seed.sqlite"
    store = Store(path)
    for name, value in (("marks", MARKS), ("surface", SURFACE)):
        store.put(name, {"value": value, "seconds": 1.0})
    store.close()
    return path.read_bytes()


def seeds(folder):
    """The content of one good file of each kind, by kind."""
    membership = {
        "reference": "a", "members": {"a": "1", "b": "2"}, "kept": {"a": "x", "b": "y"},
        "together": 2, "reflections": True, "version": "1",
    }  # fmt: skip
    record = Record(
        {"specimen": "a"}, {"kernel": "reweighted"}, {"count": 3}, {}, ("w",), {"a": "1"}
    )
    header = "file,specimen,count,until,seed,start,kernel,bandwidth"
    manifest = f"{header}\na.ply,a,3,,1,,matern,0.1\nb.ply,b,,,,,,\n"
    points = np.stack([POINTS, POINTS])
    dense = Correspondence(("a", "b"), points, np.full((2, 3), 1 / 3), np.array([9.0, 9.0]))
    return {
        "journal": journal(),
        "record": record_text(
            Landmarks.at(POINTS, "a", labels=MARKS.labels, record=record)
        ).encode(),
        "store": store_bytes(folder),
        "sample": json.dumps(membership).encode(),
        "manifest": manifest.encode(),
        "correspondence": correspondence_bytes(dense),
        "checked": b"a\nsite/b\n",
    }


def mutated(seed, chance):
    """The same file with something changed: a value of its JSON, or some of its bytes."""
    if chance.random() < 0.6 and (lines := changed_json(seed, chance)) is not None:
        return lines
    data = bytearray(seed)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.choice([1, 1, 4, 40]))
        match chance.randrange(5):
            case 0 if at < len(data):
                data[at] ^= 1 << chance.randrange(8)
            case 1:
                del data[at:end]
            case 2:
                data[at:at] = data[at:end] * chance.randint(1, 3)
            case 3:
                data[at:at] = bytes(chance.choices(b'\x00\xff"{}[],\n\\-9e./', k=3))
            case _:
                data[at:end] = json.dumps(chance.choice(ODD)).encode()
    return bytes(data[: chance.randrange(len(data) + 1)] if chance.random() < 0.1 else data)


def changed_json(seed, chance):
    try:
        documents = [json.loads(line) for line in seed.splitlines() if line.strip()]
    except ValueError:
        try:
            documents = [json.loads(seed)]
        except ValueError:
            return None
    for _ in range(chance.randint(1, 3)):
        number = chance.randrange(len(documents))
        documents[number] = changed(documents[number], chance)
    return "\n".join(map(json.dumps, documents)).encode() + b"\n"


def changed(value, chance):
    """A value in which another one takes the place of some part, or of a name."""
    if not value or not isinstance(value, (dict, list)) or chance.random() < 0.15:
        return chance.choice(ODD)
    if isinstance(value, list):
        place = chance.randrange(len(value))
        return [changed(each, chance) if at == place else each for at, each in enumerate(value)]
    name = chance.choice(list(value))
    if chance.random() < 0.15:
        return {key: each for key, each in value.items() if key != name}
    if chance.random() < 0.15:
        return {(str(chance.choice(ODD)) if key == name else key): value[key] for key in value}
    return {**value, name: changed(value[name], chance)}


def use_journal(folder, data):
    for name in ("a", "b"):
        (folder / "landmarks").mkdir(exist_ok=True)
        (folder / "landmarks" / f"{name}.csv").write_text("x,y,z\n0,1,2\n3,4,5\n1,1,1\n")
    journal_path(folder).write_bytes(data)
    entries = list(read_entries(folder).values())
    now = [as_found(each, folder) for each in entries]
    batch_summary(now)
    sample_summary(now)
    sample_outliers(now)
    page = batch_page(now, folder)
    assert "<script>alert" not in page
    for each in entries:
        difference(each.identity, {"count": 4})
        digests_now(each, folder)
        assert all((folder / name).resolve().is_relative_to(folder) for name in each.outputs)
    with open_run_folder(folder, "batch") as opened:
        write_joint([each for each in opened.entries.values() if each.is_done], folder)
        for each in opened.entries.values():
            remove_ours(each.outputs, folder)
    read_results(folder)


def use_record(folder, data):
    path = folder / "a.csv"
    path.write_text("landmark,x,y,z\nx,0.0,1.0,2.0\ny,3.0,-4.0,5.0\nz,1.0,1.0,6.0\n")
    (folder / "a.record.json").write_bytes(data)
    found = read_landmarks(path)
    recalled_settings(found.record)
    record_text(found)
    why_not_own(path, "a")
    why_not_own(path, "a", by_hand=True)
    check_not_edited(path)


def marks_of(_) -> Landmarks:
    return MARKS


def use_store(folder, data):
    store_path(folder).write_bytes(data)
    store = Store(store_path(folder))
    try:
        names = [row[0] for row in store._database.execute("SELECT name FROM results")]
        for name in names:
            store.get(name)
        (found,) = JobRunner(store=store).values(marks_of, ["job"])
        assert isinstance(found, Landmarks)
        store.put("other", 1)
        store.forget_others()
    except sqlite3.DatabaseError:
        pass  # of the question above, which no run asks
    finally:
        store.close()


def use_sample(folder, data):
    (folder / ".gplandmark" / "sample.json").write_bytes(data)
    read_membership(folder)
    Store(store_path(folder)).close()
    open_sample(folder)


def use_manifest(folder, data):
    (folder / "all.csv").write_bytes(data)
    manifest = read_manifest(folder / "all.csv")
    found = Findings()
    manifest.add_to(found)
    for each in found.specimens:
        manifest.request(each.path, Request(3)).identity()


def use_correspondence(folder, data):
    (folder / "correspondence.npz").write_bytes(data)
    read_correspondence(folder / "correspondence.npz")


def use_checked(folder, data):
    (folder / "checked.txt").write_bytes(data)
    read_checked(folder)


USES = {
    "journal": use_journal, "record": use_record, "store": use_store, "sample": use_sample,
    "manifest": use_manifest, "correspondence": use_correspondence, "checked": use_checked,
}  # fmt: skip


def attempt(kind, data, folder):
    """Let everything that reads files of a kind read one; True if nothing is refused.

    Anything but an answer or one of our own errors is raised, and so is harm to other files.
    """
    from gplandmark import GplandmarkError

    canary = folder / "canary"
    canary.write_bytes(CANARY)
    results = (folder / "out" / "inner").resolve()
    (results / ".gplandmark").mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            USES[kind](results, data)
            return True
        except GplandmarkError:
            return False  # refused with a sentence
        finally:
            assert canary.read_bytes() == CANARY
            assert {path.name for path in folder.iterdir()} <= {"canary", "out", "seed.sqlite"}


def mutations(kind, seed, count, start=0):
    """So many mutated files of a kind, the same for the same start."""
    for number in range(start, start + count):
        yield number, mutated(seed, random.Random(f"{kind} {number}"))
