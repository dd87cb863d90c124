"""Prediction on whole folders: files of each specimen, the loop of checking, and bad input."""

import csv
import json
import shutil
from functools import cache

import numpy as np
import pytest
from click.testing import CliRunner
from matched_molars import KEYS, homologues

from gplandmark import (
    Landmarks,
    MolarShape,
    make_molar,
    read_collection,
    read_landmarks,
    write,
    write_collection,
)
from gplandmark.cli.main import cli
from gplandmark.errors import GplandmarkError, GplandmarkWarning, LandmarkFileError
from gplandmark.io.scans import read
from gplandmark.runs.checked import set_checked
from gplandmark.runs.matched import predict as folder_prediction
from gplandmark.runs.matched.membership import store_path
from gplandmark.runs.run_folder import open_run_folder
from gplandmark.runs.viewing.collection import open_collection
from gplandmark.runs.viewing.collection_view import CollectionView
from gplandmark.runs.viewing.specimen_content import page_content

pytestmark = pytest.mark.usefixtures("empty_figures")

PLACES = np.array([[0.36, 0.36], [0.3, -0.38], [-0.3, 0.0], [0.0, 0.7], [0.1, -0.8]])
NAMES = ("a", "b", "c", "d")


def run(command, *arguments):
    """A command in this process, without workers; its output has both streams."""
    words = [command, *map(str, arguments)]
    workers = [] if command == "analyze" else ["--workers", "0"]
    return CliRunner().invoke(cli, words + workers)


@cache
def molar(number):
    return make_molar(number, vertex_count=1200, shape=MolarShape(variation=0.05))


def truth(number):
    return molar(number).homologues(PLACES)


def write_molar(path, number):
    surface = molar(number).surface
    rows = "\n".join(" ".join(map(repr, row)) for row in surface.points.tolist())
    faces = "\n".join("3 " + " ".join(map(str, row)) for row in surface.faces().tolist())
    path.write_text(f"OFF\n{len(surface.points)} {len(surface.faces())} 0\n{rows}\n{faces}\n")


def expert(number, name=None):
    return Landmarks.at(truth(number), name or NAMES[number])


@pytest.fixture(scope="module")
def four(tmp_path_factory):
    """Four molars, and landmarks of two of them."""
    where = tmp_path_factory.mktemp("four")
    (where / "scans").mkdir()
    for number, name in enumerate(NAMES):
        write_molar(where / "scans" / f"{name}.off", number)
    write_collection([expert(number) for number in range(2)], where / "expert.csv")
    return where


def annotated(number, key=None, places=PLACES):
    """What an expert put on one of the matched molars."""
    return Landmarks.at(homologues(number, places), key or KEYS[number])


def begin(output, matched_molars):
    """Start a folder of results with all that is known of the matched molars."""
    store_path(output).parent.mkdir(parents=True)
    shutil.copy(store_path(matched_molars / "out"), store_path(output))
    return output


@pytest.fixture(scope="module")
def folder(tmp_path_factory, matched_molars):
    """The matched molars, two of them annotated, and the prediction on the third."""
    where = tmp_path_factory.mktemp("predict")
    shutil.copytree(matched_molars / "scans" / "teeth", where / "scans")
    (where / "scans" / "broken.ply").unlink()
    write_collection([annotated(number) for number in range(2)], where / "expert.csv")
    begin(where / "out", matched_molars)
    done = run("predict", where / "scans", where / "expert.csv", "-o", where / "out")
    assert done.exit_code == 0, done.output
    (where / "printed.txt").write_text(done.output)
    return where


def table(path):
    return list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))


def test_every_specimen_has_its_files_and_the_experts_own_are_as_given(folder):
    out = folder / "out"
    for number, key in enumerate(KEYS):
        found = read_landmarks(out / "landmarks" / f"{key}.mrk.json")
        wanted = homologues(number, PLACES)
        if number < 2:
            np.testing.assert_allclose(found.points, wanted, atol=1e-6)
        else:
            size = np.ptp(wanted, axis=0).max()
            assert np.linalg.norm(found.points - wanted, axis=1).mean() < 0.05 * size
    statuses = {row["specimen"]: row["status"] for row in table(out / "summary.csv")}
    assert statuses == {"m0": "expert", "m1": "expert", "site/m2": "done"}
    joint = read_collection(out / "collection" / "landmarks.csv")
    assert [each.specimen for each in joint] == list(KEYS)


def test_errors_are_stated_for_each_landmark_and_overall(folder):
    out = folder / "out"
    expected = [row for row in table(out / "expected_errors.csv") if row["specimen"] == "site/m2"]
    assert len(expected) == len(PLACES)
    assert all(float(row["radius_90"]) > float(row["expected_error"]) > 0 for row in expected)
    assert {row["specimen"] for row in table(out / "expected_errors.csv")} == {"site/m2"}
    for row in table(out / "summary.csv"):
        assert (row["mean_expected_error"] == "") == (row["status"] == "expert")
    left_out = table(out / "leave_one_out.csv")
    assert {row["specimen"] for row in left_out} == {"m0", "m1"}
    mean = np.mean([float(row["error"]) for row in left_out])
    stated = json.loads((out / "run.json").read_text())["leave_one_out"]["mean"]
    assert stated == pytest.approx(mean)
    printed = (folder / "printed.txt").read_text()
    assert "1 specimen predicted from 2 annotated specimens" in printed
    assert "left out" in printed
    page = (out / "report.html").read_text()
    assert "What you may expect" in page
    assert "Annotate next" in page


def test_an_expert_whose_landmarks_are_of_another_specimen_is_named(
    folder, matched_molars, tmp_path
):
    out = begin(tmp_path / "out", matched_molars)
    given = [annotated(0), annotated(1), annotated(2, places=PLACES + 0.1)]
    write_collection(given, tmp_path / "expert.csv")
    done = run("predict", folder / "scans", tmp_path / "expert.csv", "-o", out)
    note = "Check that the file belongs to this specimen."
    assert done.output.count(note) == 1
    assert "site/m2: its landmarks are" in done.output
    means = {row["specimen"]: row["mean_of_specimen"] for row in table(out / "leave_one_out.csv")}
    far = float(means["site/m2"])
    assert f"site/m2: its landmarks are {far:.3g} file units" in done.output
    page = (out / "report.html").read_text()
    assert note in page
    rows = page[page.index("annotated specimen</") :]
    assert rows.index(f"{far:.3g}") < rows.index(f"{float(means['m0']):.3g}")


def test_the_viewer_shows_the_experts_own_landmarks_as_theirs(folder):
    view = CollectionView(open_collection(folder / "out"))
    try:
        states = {row["key"]: row["state"] for row in view.listing()["specimens"]}
        assert states == {"m0": "annotated", "m1": "annotated", "site/m2": "untouched"}
        marks = {key: page_content(view.opened(key))["marks"] for key in ("m0", "site/m2")}
    finally:
        view.close()
    assert {each["author"] for each in marks["m0"]} == {"human"}
    assert {each["author"] for each in marks["site/m2"]} == {"algorithm"}


def test_suggestions_name_specimens_that_are_not_annotated(folder):
    rows = table(folder / "out" / "suggestions.csv")
    assert {row["specimen"] for row in rows} == {"site/m2"}
    alone = run("predict", folder / "scans", "--suggest", "2", "--quiet")
    assert alone.exit_code == 0, alone.output
    assert len(alone.output.split()) == 2
    assert set(alone.output.split()) < set(KEYS)


def test_without_experts_nothing_is_predicted_and_it_is_said(folder, matched_molars, tmp_path):
    out = begin(tmp_path / "out", matched_molars)
    with pytest.warns(GplandmarkWarning, match="Nothing is predicted without annotated specimens"):
        done = run("predict", folder / "scans", "-o", out)
    assert done.exit_code == 0, done.output
    assert "Annotate 3 specimens of 3" in done.output


def test_the_same_command_again_computes_nothing_and_changes_nothing(folder):
    out = folder / "out"
    names = ("landmarks/site/m2.mrk.json", "collection/landmarks.csv", "report.html", "summary.csv")
    before = {name: (out / name).read_bytes() for name in names}
    done = run("predict", folder / "scans", folder / "expert.csv", "-o", out)
    assert done.exit_code == 0, done.output
    assert {name: (out / name).read_bytes() for name in names} == before


@pytest.mark.slow
def test_corrected_and_checked_predictions_count_as_experts(four, tmp_path):
    out = tmp_path / "out"
    given = four / "expert.csv"
    assert run("predict", four / "scans", given, "-o", out).exit_code == 0
    path = out / "landmarks" / "d.mrk.json"
    surface = read(four / "scans" / "d.off")
    corrected = Landmarks.at(truth(3), "d")
    write(corrected, path, overwrite=True)
    done = run("predict", four / "scans", given, "-o", out)
    assert "d: kept; to learn from it" in done.output
    set_checked(out, "d", True)
    content = path.read_bytes()
    done = run("predict", four / "scans", given, "-o", out)
    assert done.exit_code == 0, done.output
    assert "1 specimen predicted from 3 annotated specimens" in done.output
    assert path.read_bytes() == content
    assert surface.name == "d"
    statuses = {row["specimen"]: row["status"] for row in table(out / "summary.csv")}
    assert statuses["d"] == "expert"
    assert {row["specimen"] for row in table(out / "expected_errors.csv")} == {"c"}
    joint = {each.specimen: each for each in read_collection(out / "collection" / "landmarks.csv")}
    np.testing.assert_allclose(joint["d"].points, truth(3), atol=1e-6)
    from_c = read_landmarks(out / "landmarks" / "c.mrk.json").record.request["matching"]["from"]
    assert from_c == ["a", "b", "d"]
    set_checked(out, "c", True)  # as it was predicted: it tells nothing about errors
    done = run("predict", four / "scans", given, "-o", out)
    assert "0 specimens predicted from 4 annotated specimens" in done.output
    assert {row["specimen"] for row in table(out / "leave_one_out.csv")} == {"a", "b", "d"}


@pytest.mark.slow
def test_a_folder_of_match_gives_its_scans_and_maps(four, tmp_path):
    matched = tmp_path / "matched"
    done = run("match", four / "scans", "-n", "5", "--never-mirrored", "-o", matched)
    assert done.exit_code == 0, done.output
    done = run("predict", matched, four / "expert.csv", "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "comparing pairs: 0 of" not in done.output  # all are known, mirror images excluded
    assert "matched again" not in done.output
    statuses = [row["status"] for row in table(tmp_path / "out" / "summary.csv")]
    assert statuses.count("done") == 2


def test_predicted_landmarks_can_be_analysed(folder, tmp_path):
    done = run("analyze", folder / "out", "--reflect", "-o", tmp_path / "shapes")
    assert done.exit_code == 0, done.output
    assert "not matched" not in done.output


def refused(*arguments):
    done = run(*arguments)
    assert isinstance(done.exception, GplandmarkError), done.output
    return str(done.exception)


def test_what_was_predicted_is_no_experts_unless_it_is_checked(folder, matched_molars, tmp_path):
    scans, out = folder / "scans", begin(tmp_path / "out", matched_molars)
    place = folder / "out" / "landmarks" / "site"
    own = "specimen site/m2 were carried or predicted by gplandmark, and nobody edited them."
    told = refused("predict", scans, place, "-o", out)
    assert told == f"The landmarks of {own} Name the folder or file with the landmarks that a " + (
        "person placed."
    )
    words = ("predict", scans, folder / "out", "-o", out)
    done = run(*words)
    assert f"{own} They are not used" in done.output
    assert "1 specimen predicted from 2 annotated specimens" in done.output
    set_checked(out, "site/m2", True)
    done = run(*words)
    assert "nobody edited" not in done.output
    assert "0 specimens predicted from 3 annotated specimens" in done.output


def test_bad_experts_get_a_sentence_and_write_nothing(folder, matched_molars, tmp_path):
    scans, out = folder / "scans", begin(tmp_path / "out", matched_molars)
    write_collection([annotated(0, "x"), annotated(1, "y")], tmp_path / "strangers.csv")
    assert "names must be the same" in refused(
        "predict", scans, tmp_path / "strangers.csv", "-o", out
    )
    large = Landmarks.at(10 * homologues(1, PLACES), "m1")
    write_collection([annotated(0), large], tmp_path / "units.csv")
    assert "m1: the observers' landmark" in refused(
        "predict", scans, tmp_path / "units.csv", "-o", out
    )
    fewer = annotated(1, places=PLACES[:3])
    (tmp_path / "counts").mkdir()
    write(annotated(0), tmp_path / "counts" / "m0.mrk.json")
    write(fewer, tmp_path / "counts" / "m1.mrk.json")
    assert "Every specimen needs the same" in refused(
        "predict", scans, tmp_path / "counts", "-o", out
    )
    rows = (folder / "expert.csv").read_text().replace("\nm1,3,", "\nm1,tip,").splitlines()
    named = [row.replace("m0,3,", "m0,tip,") for row in rows if not row.startswith("m1,4,")]
    (tmp_path / "rows.csv").write_text("\n".join(named))
    told = refused("predict", scans, tmp_path / "rows.csv", "-o", out)
    assert "m0 has 5 landmarks and m1 has 4 (m1 has no 4)." in told
    assert "a row with its name, and NA for its coordinates" in told
    assert not (out / "landmarks").exists()
    assert "with -o" in refused("predict", scans, folder / "expert.csv")
    assert "--suggest" in refused("predict", scans)
    assert "'gplandmark predict' wrote" in refused(
        "predict", folder / "out", folder / "expert.csv", "-o", out
    )
    assert "Choose another folder" in refused("match", scans, "-o", folder / "out")


def end_with_a_result(out):
    """A run of `batch` that ends with an error after a result."""
    with open_run_folder(out, "batch"):
        (out / "landmarks").mkdir()
        raise LandmarkFileError("The disk is full.")


def test_a_run_that_failed_before_its_first_result_blocks_no_other_command(folder, tmp_path):
    scans, out = folder / "scans", tmp_path / "out"
    write_collection([annotated(0, "x"), annotated(1, "y")], tmp_path / "strangers.csv")
    assert "names must be" in refused("predict", scans, tmp_path / "strangers.csv", "-o", out)
    (tmp_path / "empty").mkdir()
    assert "There is no scan" in refused("match", tmp_path / "empty", "-o", out)
    assert "no specimen called x" in refused("match", scans, "--reference", "x", "-o", out)
    with open_run_folder(out, "batch"):
        pass
    assert "'gplandmark batch' wrote" in refused("match", scans, "-o", out)
    scan, given = scans / "m0.ply", folder / "expert.csv"
    for words in (
        ("match", tmp_path / "empty", "-o", out),
        ("predict", tmp_path / "empty", given, "-o", out),
        ("transfer", scan, given, tmp_path / "empty", "-o", out),
    ):  # what is wrong with the scans is said first
        assert "There is no scan" in refused(*words)
    with pytest.raises(LandmarkFileError, match="full"):
        end_with_a_result(out)
    assert "'gplandmark batch' wrote" in refused("match", scans, "-o", out)


def test_wrong_units_are_found_before_specimens_are_compared(
    folder, matched_molars, tmp_path, monkeypatch
):
    large = Landmarks.at(10 * homologues(1, PLACES), "m1")
    write_collection([annotated(0), large], tmp_path / "units.csv")
    out = begin(tmp_path / "out", matched_molars)
    monkeypatch.setattr(folder_prediction, "join_sample", None)  # a call would be a TypeError
    done = run("predict", folder / "scans", tmp_path / "units.csv", "-o", out)
    assert isinstance(done.exception, GplandmarkError)
    assert "m1: the observers' landmark" in str(done.exception)


@pytest.mark.slow
def test_one_expert_and_experts_for_all_are_said(four, tmp_path):
    write_collection([expert(0)], tmp_path / "one.csv")
    done = run("predict", four / "scans", tmp_path / "one.csv", "-o", tmp_path / "one")
    assert done.exit_code == 0, done.output
    assert "Only a is annotated" in done.output
    write_collection([expert(number) for number in range(4)], tmp_path / "all.csv")
    done = run("predict", four / "scans", tmp_path / "all.csv", "-o", tmp_path / "all")
    assert done.exit_code == 0, done.output
    assert "All specimens are annotated" in done.output
    assert len(table(tmp_path / "all" / "leave_one_out.csv")) == 20


@pytest.mark.slow
def test_match_takes_the_landmarks_of_several_specimens(four, tmp_path):
    paths = []
    for number in range(2):
        paths += ["--landmarks", tmp_path / f"{NAMES[number]}.mrk.json"]
        write(expert(number), paths[-1])
    matched = tmp_path / "matched"
    done = run("match", four / "scans", *paths, "-n", "8", "-o", matched)
    assert done.exit_code == 0, done.output
    found = read_landmarks(matched / "landmarks" / "d.mrk.json")
    assert len(found) == 8
    size = np.ptp(truth(3), axis=0).max()
    assert np.linalg.norm(found.points[:5] - truth(3), axis=1).mean() < 0.05 * size
    record = json.loads((matched / "landmarks" / "d.record.json").read_text())
    assert record["request"]["matching"]["experts"] == ["a", "b"]
    own = read_landmarks(matched / "landmarks" / "b.mrk.json")
    np.testing.assert_allclose(own.points[:5], truth(1), atol=1e-6)
