"""Corresponding points on whole surfaces: how they are kept, how far apart, and what is told."""

import csv
import hashlib
import io
import json
import re
import shutil
import zipfile
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from commands import refused, run
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from shape_samples import landmarks, moved, sample

from gplandmark import (
    GplandmarkWarning,
    LandmarkFileError,
    Landmarks,
    Surface,
    make_molar,
    match_sample,
    write,
)
from gplandmark.io.landmark_files import folder_files, read_files
from gplandmark.landmarks import Record
from gplandmark.morphometrics.analysis import analyse, continuous_distance, continuous_distances
from gplandmark.morphometrics.analysis.analysis_tables import TABLES, table_texts
from gplandmark.morphometrics.matching.dense_points import (
    Correspondence,
    correspondence,
    correspondence_bytes,
    points_on,
    read_correspondence,
)
from gplandmark.morphometrics.matching.points import nearest_on_surface
from gplandmark.runs.journal import JournalEntry

pytestmark = pytest.mark.usefixtures("empty_figures")

NAMES = tuple(f"s{number}" for number in range(8))
GROUPS = dict(zip(NAMES, "aaaabbbb", strict=True))


def random_points(random, specimens=8, count=30):
    """Points with shares and sizes as they might be, each specimen in a pose of its own."""
    shares = random.random((specimens, count))
    return Correspondence(
        NAMES[:specimens],
        sample(random, specimens, noise=0.5, count=count),
        shares / shares.sum(axis=1, keepdims=True),
        np.exp(random.normal(size=specimens)),
    )


@cache
def copies():
    """A molar, the same elsewhere and larger, its mirror image, and another molar."""
    turn = Rotation.random(None, np.random.default_rng(5)).as_matrix()
    one, other = (make_molar(seed, vertex_count=1500).surface for seed in (1, 2))
    larger = Surface(30 * one.points @ turn + 500, one.triangles, "larger")
    mirrored = Surface(one.points * [1, 1, -1], one.triangles, "mirrored")
    return match_sample([one, larger, mirrored, other], reference=0)


# --- corresponding points


@pytest.mark.slow
def test_points_lie_on_every_surface_and_their_shares_are_areas():
    found = correspondence(copies())
    assert found.names == tuple(each.name for each in copies().specimens)
    assert found.points.shape == (4, 1000, 3)
    for specimen, points in zip(copies().specimens, found.points, strict=True):
        inside = specimen.in_unit(points)
        np.testing.assert_allclose(nearest_on_surface(specimen, inside), inside, atol=1e-9)
    np.testing.assert_allclose(found.weights.sum(axis=1), 1)
    np.testing.assert_allclose(found.sizes, [each.root_area for each in copies().specimens])
    # The mean over the shares is the mean over the area, up to the width of a cell.
    means = np.einsum("sm,smc->sc", found.weights, found.points)
    centres = np.array([each.centre for each in copies().specimens])
    assert (np.linalg.norm(means - centres, axis=1) < 0.01 * found.sizes).all()


@pytest.mark.slow
def test_the_reference_has_its_own_points_and_others_those_of_the_chain():
    matched = copies()
    reference = matched.specimens[0]
    points, weights = points_on(matched.route(0, 0))
    even = reference.levels[-1].positions[:1000]
    assert np.linalg.norm(reference.in_unit(points) - even, axis=1).max() < 0.02
    assert weights.min() > 0
    there, _ = points_on(matched.route(0, 1))
    last = matched.specimens[1]
    smooth = matched.route(0, 1).chains[0].there.at(reference.in_unit(points))
    np.testing.assert_allclose(
        there, last.in_file(nearest_on_surface(last, smooth)), atol=1e-9 * last.size
    )
    # Landmarks find their place more closely, by patches too.
    carried = matched.carry(points, 0, 1).points
    np.testing.assert_allclose(there, carried, atol=2e-4 * last.size, rtol=0)


@pytest.mark.slow
def test_copies_and_mirror_images_are_near_and_another_specimen_is_not():
    found = correspondence(copies())
    free, bound = (continuous_distances(found, reflect=each) for each in (True, False))
    assert free[0, 1:3].max() < 0.008  # as exact as the maps between them
    assert free[1, 2] < 0.001  # where the maps err, they err on copies alike
    assert free[:3, 3].min() > 2 * free[0, 1:3].max()
    assert bound[0, 1] < 0.008
    assert bound[:2, 2].min() > 0.1


# --- distances


@settings(max_examples=20)
@given(st.integers(0, 2**20), st.booleans())
def test_all_pairs_are_as_one_by_one(seed, reflect):
    given_points = random_points(np.random.default_rng(seed))
    found = continuous_distances(given_points, reflect=reflect)
    assert np.array_equal(found, found.T)
    assert not np.diag(found).any()
    unit = given_points.points / given_points.sizes[:, None, None]
    for i in range(8):
        for j in range(i):
            shares = given_points.weights[i] + given_points.weights[j]
            alone = continuous_distance(unit[i], unit[j], shares, reflect=reflect)
            assert found[i, j] == pytest.approx(alone, abs=1e-7)


def test_copies_of_one_shape_have_no_distance(random):
    one = random_points(random, specimens=3)
    turned = np.stack([moved(one.points[0], random, scale=False) for _ in range(2)])
    points = np.concatenate([one.points[:1], turned * [[[7]], [[0.1]]] + 1e5])
    sizes = one.sizes[0] * np.array([1, 7, 0.1])
    same = replace(one, points=points, sizes=sizes)
    assert continuous_distances(same).max() < 1e-6
    mirrored = replace(same, points=points * np.array([1, 1, -1])[:, None, None])
    assert continuous_distances(mirrored)[0, 2] > 0.01
    assert continuous_distances(mirrored, reflect=True).max() < 1e-6


def test_flat_shapes_have_distances(random):
    flat = random_points(random)
    flat = replace(flat, points=flat.points * [1, 1, 0])
    bound, free = (continuous_distances(flat, reflect=each) for each in (False, True))
    np.testing.assert_allclose(bound, free, atol=1e-7)  # a turn in space mirrors a plane


# --- the file


def test_a_file_gives_back_what_it_was_given(tmp_path, random):
    kept = replace(random_points(random, 3), names=("site/a", "b ü", "<c>"))
    path = tmp_path / "correspondence.npz"
    path.write_bytes(correspondence_bytes(kept))
    again = read_correspondence(path)
    assert again.names == kept.names
    for name in ("points", "weights", "sizes"):
        assert np.array_equal(getattr(again, name), getattr(kept, name))
    assert correspondence_bytes(again) == path.read_bytes()


def broken(**changes):
    good = random_points(np.random.default_rng(0), 2)
    arrays = {name: np.asarray(getattr(good, name)) for name in vars(good)}
    buffer = io.BytesIO()
    arrays.update({name: change(arrays[name]) for name, change in changes.items()})
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def spoilt(value):
    def change(array):
        array = array.copy()
        array.flat[0] = value
        return array

    return change


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "broken, or another kind of file"),
        (b"PK\x03\x04", "broken, or another kind of file"),
        (broken(points=lambda a: a.astype(object)), "broken, or another kind of file"),
        (broken(names=lambda a: np.arange(len(a))), "names must be text"),
        (broken(sizes=lambda a: a.astype(str)), "numbers of double precision"),
        (broken(points=lambda a: a.astype(complex)), "numbers of double precision"),
        (broken(points=lambda a: a[:, :, :2]), "shapes of its arrays"),
        (broken(points=lambda a: a[:, 1:]), "shapes of its arrays"),
        (broken(names=lambda a: a[:1]), "shapes of its arrays"),
        (broken(sizes=lambda a: a[0]), "shapes of its arrays"),
        (broken(weights=lambda a: a[0, 0]), "shapes of its arrays"),
        (broken(**dict.fromkeys(("names", "points", "weights", "sizes"), lambda a: a[:0])),
         "shapes of its arrays"),
        (broken(names=lambda a: a[[0, 0]]), "several specimens have the same name"),
        (broken(sizes=spoilt(1e308), weights=spoilt(np.inf)), "fractions of an area"),
        (broken(sizes=spoilt(0.0)), "sizes must be positive"),
        (broken(sizes=spoilt(np.inf)), "sizes must be positive"),
        (broken(points=spoilt(np.nan)), "points must be finite"),
        (broken(points=spoilt(1e200)), "points must be finite"),
        (broken(weights=spoilt(-1.0)), "fractions of an area"),
        (broken(weights=spoilt(np.nan)), "fractions of an area"),
        (broken(weights=lambda a: 2 * a), "fractions of an area"),
    ],
)  # fmt: skip
def test_other_files_are_refused(tmp_path, content, words):
    path = tmp_path / "correspondence.npz"
    path.write_bytes(content)
    with pytest.raises(LandmarkFileError, match=f"contains no corresponding points: .*{words}"):
        read_correspondence(path)


def test_arrays_and_archives_of_others_are_refused(tmp_path):
    path = tmp_path / "correspondence.npz"
    with pytest.raises(LandmarkFileError, match="cannot be read"):
        read_correspondence(path)
    with path.open("wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(LandmarkFileError, match="another kind"):
        read_correspondence(path)
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("names", "points", "weights", "sizes"):
            archive.writestr(f"{name}.npy", "no array")
    with pytest.raises(LandmarkFileError, match="contains no corresponding points"):
        read_correspondence(path)


@settings(max_examples=60)
@given(st.data())
def test_bytes_that_were_changed_or_cut_never_go_further_than_a_sentence(tmp_path_factory, data):
    content = bytearray(broken())
    at = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        content = content[:at]
    else:
        content[at] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("fuzz") / "correspondence.npz"
    path.write_bytes(content)
    try:
        found = read_correspondence(path)
    except LandmarkFileError:
        return
    assert np.isfinite(continuous_distances(found)).all()


# --- in an analysis


def test_an_analysis_says_what_surfaces_say(random):
    points = random_points(random)
    order = random.permutation(8)
    shuffled = Correspondence(
        tuple(NAMES[k] for k in order), points.points[order], points.weights[order],
        points.sizes[order],
    )  # fmt: skip
    found = analyse(landmarks(sample(random)), GROUPS, permutations=99, correspondence=shuffled)
    assert found.continuous.names == NAMES
    expected = continuous_distances(points)
    np.testing.assert_allclose(found.continuous.distances, expected, atol=1e-12)
    texts = table_texts(found)
    assert set(texts) == set(TABLES) - {"estimated.csv"}
    rows = list(csv.DictReader(io.StringIO(texts["continuous-distances.csv"])))
    assert float(rows[2]["s5"]) == found.continuous.distances[2, 5]
    test = next(csv.DictReader(io.StringIO(texts["continuous-mrpp.csv"])))
    assert float(test["delta"]) == found.continuous.test.delta != found.test.delta


def test_specimens_without_points_are_left_out_and_named(random):
    points = random_points(random, 6)
    with pytest.warns(GplandmarkWarning, match="omit specimens s6, s7"):
        found = analyse(landmarks(sample(random)), GROUPS, permutations=9, correspondence=points)
    assert found.continuous.names == NAMES[:6]
    assert found.continuous.groups == tuple("aaaabb")
    assert len(found.distances) == 8
    most = random_points(random, 7)
    with pytest.warns(GplandmarkWarning, match=r"omit specimen s7, without corresponding points\."):
        analyse(landmarks(sample(random)), GROUPS, permutations=9, correspondence=most)
    few = random_points(random, 1)
    with pytest.warns(GplandmarkWarning, match="omit specimens s1"):
        found = analyse(landmarks(sample(random)), GROUPS, permutations=9, correspondence=few)
    assert found.continuous is None


def test_a_sentence_about_groups_is_said_once(random):
    alone = {name: name for name in NAMES}
    with pytest.warns(GplandmarkWarning) as caught:
        found = analyse(landmarks(sample(random)), alone, correspondence=random_points(random))
    assert len(set(found.notes)) == len(found.notes) == len(caught) == 2
    assert found.continuous.classification is None


# --- on the command line


def matched_folder(folder, mirrored=()):
    """A folder as a matched sample is written: landmarks with their records, and the points."""
    random = np.random.default_rng(4)
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "landmarks").mkdir(parents=True)
    (folder / ".gplandmark").mkdir()
    (folder / ".gplandmark" / "command").write_text("match")
    for name, points in zip(NAMES, sample(random), strict=True):
        record = Record(
            settings={"preset": "default"},
            request={"matching": {"from": "s0"}},
            outcome={"mirrored": name in mirrored},
        )
        turned = points * [1, 1, -1 if name in mirrored else 1]
        path = folder / "landmarks" / f"{name}.mrk.json"
        write(Landmarks.at(turned, name, record=record), path)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        entry = JournalEntry(
            name, f"{name}.ply", outputs={f"landmarks/{name}.mrk.json": digest},
            facts={"vertices": 12, "repairs": "", "landmarks": len(points), "notes": []},
        )  # fmt: skip
        with (folder / ".gplandmark" / "journal.jsonl").open("a") as journal:
            journal.write(entry.line())
    (folder / "correspondence.npz").write_bytes(correspondence_bytes(random_points(random)))


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    matched_folder(tmp_path / "matched")
    lines = "".join(f"{name},{group}\n" for name, group in GROUPS.items())
    (tmp_path / "groups.csv").write_text(f"specimen,group\n{lines}")
    return tmp_path


def test_the_folder_of_a_matched_sample_is_analysed_by_whole_surfaces(here):
    with pytest.warns(GplandmarkWarning, match="no warped surface is drawn"):  # without scans
        said = run(
            "analyze", "matched", "--groups", "groups.csv", "--permutations", 9, "-o", "results"
        )
    assert "continuous mean distance" in said
    assert said.count("MRPP A = ") == 2
    assert said.count("by continuous distances") == 2
    written = {path.name for path in (here / "results").iterdir()}
    assert {name for name in TABLES if name != "estimated.csv"} < written
    assert {"continuous-distances.png", "continuous-distances.svg"} < written
    report = (here / "results" / "report.html").read_text()
    assert ">Continuous distances</h2>" in report
    assert "Al-Aifari, Daubechies and Lipman 2013" in report
    assert json.loads((here / "results" / "analysis.json").read_text())["notes"] == []


def test_landmarks_alone_have_no_continuous_distances(here):
    plain = run("analyze", "matched/landmarks", "-o", "plain")
    assert "continuous" not in plain
    assert "Continuous" not in (here / "plain" / "report.html").read_text()


def test_mirror_images_of_the_matching_are_named_unless_they_are_allowed(here):
    matched_folder(here / "matched", mirrored=("s2", "s5"))
    mixed = read_files(folder_files(here / "matched" / "landmarks"))
    words = "Matched as mirror images of the reference: specimens s2, s5. .* allow mirror images"
    with pytest.warns(GplandmarkWarning, match=words) as caught:
        found = analyse(mixed)
    assert found.notes == tuple(str(each.message) for each in caught)
    assert len(found.notes) == 1
    assert analyse(mixed, reflect=True).notes == ()
    # One side only needs no word, whichever side the reference has.
    assert analyse([mixed[2], mixed[5]]).notes == ()


def test_two_matched_samples_have_no_distances_between_them(here):
    shutil.copytree("matched", "again")
    journal = Path("again/.gplandmark/journal.jsonl")
    entries = [json.loads(line) for line in journal.read_text().splitlines()]
    for key in {each["key"] for each in entries if "key" in each}:
        for path in Path("again").rglob(f"{key}.*"):
            path.rename(path.with_name(f"t{path.name}"))
    text = journal.read_text().replace('{"key": "', '{"key": "t')
    journal.write_text(re.sub(r'"(landmarks|thumbnails)/', r'"\1/t', text))
    with pytest.warns(GplandmarkWarning) as caught:
        said = run("analyze", "matched", "again", "-o", "results")
    assert any("no continuous distances" in str(each.message) for each in caught)
    assert "continuous" not in said


def test_a_broken_file_of_points_is_refused_and_nothing_is_written(here):
    (here / "matched" / "correspondence.npz").write_bytes(b"PK none")
    refused("analyze", "matched", "-o", "results", words="contains no corresponding points")
    assert not (here / "results").exists()
    (here / "matched" / ".gplandmark" / "command").write_text("batch")
    refused("analyze", "matched", "-o", "results", words="was written by 'gplandmark batch'")
