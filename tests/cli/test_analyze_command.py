"""The command analyze and its report, as a user meets them."""

import csv
import json
import re
import sys
import warnings
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from commands import refused, run
from conftest import SMALL
from readers_in_r import geomorph_tps
from shape_samples import base_shape, landmarks, moved, sample

from gplandmark import GplandmarkError, GplandmarkWarning, Landmarks, make_molar, place, write
from gplandmark.io.homology import is_homology_unknown, why_not_homologous
from gplandmark.io.landmark_files import folder_files, read_collection, read_files
from gplandmark.io.scans import as_ply
from gplandmark.io.write_landmarks import write_collection
from gplandmark.morphometrics.analysis import analyse, groups_of, read_groups
from gplandmark.morphometrics.analysis.analysis_tables import TABLES, table_texts
from gplandmark.visual.html_page import Section, data_table, image, note, page

pytestmark = pytest.mark.usefixtures("empty_figures")

PLACES = np.array([[0.05, 0], [0.5, 0.1], [-0.4, 0.3], [0.2, -0.6], [-0.3, -0.4], [0.1, 0.7]])
LABELS = tuple(f"p{number}" for number in range(12))
NAMES = ("<b>bold</b>", "$x^2", "_hidden", "d", "e", "f")


def rows(text):
    return list(csv.DictReader(StringIO(text)))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    named = landmarks(sample(np.random.default_rng(3)), labels=LABELS)
    write_collection(named, "sample.csv")
    return tmp_path


# --- the whole


@pytest.mark.slow
@pytest.mark.rendered
def test_everything_is_written_and_nothing_is_nan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    molars = [make_molar(seed, vertex_count=900) for seed in range(len(NAMES))]
    points = np.stack([molar.at(PLACES) for molar in molars])
    points[1, 2] = np.nan
    collection = [Landmarks.at(each, name) for each, name in zip(points, NAMES, strict=True)]
    write_collection(collection, "molars.csv")
    (tmp_path / "tooth.ply").write_bytes(as_ply(molars[3].surface))
    table = [("specimen", "group"), *zip(NAMES, ["one", "one", "_two", "_two", "$", ""],
                                         strict=True)]  # fmt: skip
    (tmp_path / "groups.csv").write_text("\n".join(";".join(row) for row in table) + "\n")
    with pytest.warns(GplandmarkWarning) as caught:
        said = run(
            "analyze", "molars.csv", "--groups", "groups.csv", "--surface", "tooth.ply",
            "--permutations", "99", "-o", "deep/results",
        )  # fmt: skip
    notes = [str(each.message) for each in caught]
    assert any("No group is given for specimen f" in each for each in notes)
    assert any("One member only: group $." in each for each in notes)
    assert any("Nothing shows whether landmark number k is the same" in each for each in notes)
    assert "1 missing landmark\n" in said
    results = tmp_path / "deep" / "results"
    pictures = ("pc-1-2", "pc-3-4", "scree", "ends", "surfaces", "distances")
    expected = {name for name in TABLES if not name.startswith("continuous-")}
    expected |= {"analysis.json", "report.html"}
    expected |= {f"{name}.{kind}" for name in pictures for kind in ("png", "svg", "pdf")}
    assert {path.name for path in results.iterdir()} == expected
    for path in results.glob("*.csv"):
        assert not re.search(r"\b(nan|inf)\b", path.read_text(), re.I), path.name
    report = (results / "report.html").read_text()
    check_page(report)
    assert "&lt;b&gt;bold&lt;/b&gt;" in report
    assert "<b>bold" not in report
    assert "<th>without a group</th><th>taken for</th>" in report
    assert report.count("data:image/png;base64,") == len(pictures)
    for each in notes:
        assert each.replace("<", "&lt;").replace(">", "&gt;") in report
    assert json.loads((results / "analysis.json").read_text())["settings"]["permutations"] == 99


def check_page(text):
    """The page asks for nothing from elsewhere."""
    assert text.startswith("<!doctype html>")
    for source in re.findall(r'(?:src|href)="([^"]*)"', text):
        assert source.startswith(("data:image/png;base64,", "#part-"))
    assert not re.search(r"<script|<link|@import|url\(", text)
    for target in re.findall(r'href="#([^"]*)"', text):
        assert f'id="{target}"' in text


def test_tables_tell_what_the_library_computes(random):
    names = {f"s{number}": "even" if number % 2 == 0 else "odd" for number in range(8)}
    found = analyse(landmarks(sample(random)), names, permutations=99)
    texts = table_texts(found)
    assert "estimated.csv" not in texts
    distances = rows(texts["distances.csv"])
    assert float(distances[2]["s5"]) == found.distances[2, 5]
    scores = rows(texts["scores.csv"])
    assert float(scores[3]["PC2"]) == found.components.scores[3, 1]
    loadings = rows(texts["loadings.csv"])
    assert (loadings[4]["landmark"], loadings[4]["coordinate"]) == ("2", "y")
    assert float(loadings[4]["PC1"]) == found.components.axes[0, 1, 1]
    assert float(rows(texts["components.csv"])[-1]["cumulative"]) == pytest.approx(1)
    sizes = rows(texts["specimens.csv"])
    assert float(sizes[1]["centroid_size"]) == found.aligned.centroid_sizes[1]
    near = rows(texts["classification.csv"])
    right = [row["right"] == "yes" for row in near]
    assert right == found.classification.correct.tolist()
    assert float(rows(texts["mrpp.csv"])[0]["p_value"]) == found.test.p_value


def test_the_aligned_table_is_a_landmark_file(folder, random):
    found = analyse(landmarks(sample(random)))
    path = folder / "aligned.wide.csv"
    path.write_text(table_texts(found)["aligned.wide.csv"])
    again = np.stack([each.points for each in read_collection(path)])
    np.testing.assert_array_equal(again, found.aligned.shapes)


def test_a_folder_and_a_file_say_the_same(folder):
    (folder / "many").mkdir()
    for each in read_collection("sample.csv"):
        write(each, folder / "many" / f"{each.specimen}.mrk.json")
    one, two = (analyse(each) for each in (read_files(folder_files(folder / "many")),
                                           read_collection("sample.csv")))  # fmt: skip
    assert table_texts(one) == table_texts(two)


def test_groups_may_lie_among_the_landmarks_and_files_be_named_one_by_one(folder):
    (folder / "many").mkdir()
    paths = [folder / "many" / f"s{number}.csv" for number in range(8)]
    for each, path in zip(read_collection("sample.csv"), paths, strict=True):
        write(each, path)
    groups = folder / "many" / "groups.csv"
    groups.write_text("specimen,group\n" + "".join(f"s{n},{n % 2}\n" for n in range(8)))
    read = read_files(folder_files(folder / "many", [Path("many/groups.csv")]))
    assert [each.specimen for each in read] == [f"s{number}" for number in range(8)]
    said = run("analyze", *paths, "--groups", groups, "--permutations", 9, "-o", "results")
    assert "8 specimens, 12 landmarks" in said
    assert "of 8 in the right group" in said


# --- landmarks that are not homologous


def test_landmarks_placed_one_by_one_are_refused(folder):
    (folder / "placed").mkdir()
    for seed in range(2):
        surface = make_molar(seed, vertex_count=900).surface
        named = type(surface)(surface.points, surface.triangles, f"molar-{seed}")
        write(place(named, 6, settings=SMALL), folder / "placed" / f"molar-{seed}.mrk.json")
    words = "molar-0, molar-1: landmarks were placed on each independently; number 7"
    refused("analyze", "placed", "-o", "results", words=words)
    with pytest.warns(GplandmarkWarning, match="cannot be compared"):
        said = run("analyze", "placed", "--allow-unmatched", "--keep-size", "-o", "results")
    assert "PC1 100 %" in said  # two specimens differ in one way
    assert not (folder / "results" / "pc-1-2.png").exists()
    report = (folder / "results" / "report.html").read_text()
    check_page(report)
    assert "NOT HOMOLOGOUS" in report


def test_marks_of_unmatched_collections_are_heeded(folder):
    collection = read_collection("sample.csv")
    assert why_not_homologous(collection, [folder / "sample.csv"]) == ""
    (folder / "not-matched.txt").write_text("These landmarks are not matched.")
    refused("analyze", "sample.csv", "-o", "results", words=r"not-matched.txt says")
    (folder / "not-matched.txt").unlink()
    bare = [Landmarks.at(each.points, each.specimen) for each in collection]
    write_collection(bare, "joint.tps")
    text = (folder / "joint.tps").read_text()
    marked = text.replace("ID=", "COMMENT=These landmarks are not matched: beware.\nID=", 1)
    (folder / "joint.tps").write_text(marked)
    refused(
        "analyze",
        "joint.tps",
        "-o",
        "results",
        words="joint.tps says that its landmarks are not matched",
    )


def test_matched_landmarks_are_taken():
    surface = make_molar(1, vertex_count=900).surface
    placed = place(surface, 6, settings=SMALL)
    record = type(placed.record)(settings=placed.record.settings, request={"matching": "by map"})
    assert (
        why_not_homologous([Landmarks.at(placed.points, "one", record=record)], [Path("none")])
        == ""
    )
    assert why_not_homologous([placed], [Path("none")]) != ""


def test_the_mark_outlives_the_record_and_goes_from_file_to_file(folder):
    placed = []
    for seed in range(2):
        surface = make_molar(seed, vertex_count=900).surface
        named = type(surface)(surface.points, surface.triangles, f"molar-{seed}")
        placed.append(place(named, 6, settings=SMALL))
    before = "placed.tps"
    write_collection(placed, before)
    for ending in (".nts", ".dta", ".txt", ".tps"):
        Path(before).with_suffix(".record.json").unlink()
        refused("analyze", before, "-o", "results", words="says that its landmarks are not matched")
        after = f"after{ending}"
        run("convert", before, after, "-q", "--overwrite")
        again = read_collection(after)
        assert [each.specimen for each in again] == ["molar-0", "molar-1"]
        assert np.array_equal([each.points for each in again], [each.points for each in placed])
        before = after
    points, names = geomorph_tps(Path("after.tps").read_text())
    assert np.array_equal(points, [each.points for each in placed])
    assert names == ["molar-0", "molar-1"]


def test_where_nothing_tells_a_note_says_so(folder, random):
    assert not is_homology_unknown(read_collection("sample.csv"))
    write_collection(landmarks(sample(random)), "bare.wide.csv")
    with pytest.warns(GplandmarkWarning, match="Nothing shows whether landmark number k"):
        run("analyze", "bare.wide.csv", "-o", "results")
    assert "Nothing shows whether" in (folder / "results" / "report.html").read_text()


@pytest.fixture
def batched(folder):
    (folder / "scans" / "site").mkdir(parents=True)
    for seed, name in enumerate(("a", "b", "site/a")):
        surface = make_molar(seed, vertex_count=250).surface
        (folder / "scans" / f"{name}.ply").write_bytes(as_ply(surface))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)  # such small molars are coarse
        run("batch", "scans", "-n", 5, "-o", "results", "--workers", 0, "-q")
    return folder / "results"


def test_the_folder_of_a_batch_is_known(batched):
    for name in ("results", "results/collection"):
        words = f"{name} was written by 'gplandmark batch'.* number 7 .* Match the landmarks first"
        refused("analyze", name, "-o", "an", words=words)
        assert not Path("an").exists()
        run("convert", name, "all.tps", "-q", "--overwrite")
        found = {each.specimen: each.points for each in read_collection("all.tps")}
        assert list(found) == ["a", "b", "site/a"]
        expected = read_collection(batched / "landmarks" / "site" / "a.mrk.json")[0]
        assert np.array_equal(found["site/a"], expected.points)
    (batched / "collection").rename("mailed")
    refused("analyze", "mailed", "-o", "an", words="not-matched.txt says")
    with pytest.warns(GplandmarkWarning, match="NOT HOMOLOGOUS: results was written by"):
        run("analyze", "results", "--allow-unmatched", "-o", "an")
    refused(
        "analyze",
        "sample.csv",
        "-o",
        "results",
        words="report.html exists and was not",
    )
    refused("study", "scans", "-o", "results", words="summary.csv exists and was not")


# --- groups


def test_what_an_earlier_analysis_left_does_not_stay(folder):
    names = [each.specimen for each in read_collection("sample.csv")]
    table = "".join(f"{name},{'ab'[k % 2]}\n" for k, name in enumerate(names))
    (folder / "groups.csv").write_text("specimen,group\n" + table)
    run("analyze", "sample.csv", "--groups", "groups.csv", "-o", "results")
    assert (folder / "results" / "mrpp.csv").is_file()
    (folder / "results" / "mine.csv").write_text("a")
    run("analyze", "sample.csv", "-o", "results")
    left = {path.name for path in (folder / "results").iterdir()}
    assert not {name for name in left if "mrpp" in name or "classification" in name}
    assert {"mine.csv", "scores.csv", "report.html"} <= left


def test_groups_are_read_with_any_delimiter(folder):
    for text in ("specimen,group\na,x\nb,\n", "\ufeffSpecimen;Group\na;x\nb;\n",
                 "group\tspecimen\nx\ta\n\tb\n"):  # fmt: skip
        (folder / "groups.csv").write_text(text, encoding="utf-8")
        assert read_groups(folder / "groups.csv") == {"a": "x", "b": None}


def test_bad_tables_of_groups_are_refused(folder):
    for text, words in (
        ("name,kind\na,x\n", "first line is 'specimen,group'"),
        ("specimen,group\n", "first line is 'specimen,group'"),
        ("specimen,group\na,x\na,y\n", "two groups for a"),
        ("", "is empty"),
        ('specimen,group\n"a,x\n', "is not a table"),
    ):
        (folder / "groups.csv").write_text(text)
        refused("analyze", "sample.csv", "--groups", "groups.csv", "-o", "results", words=words)
    refused("analyze", "sample.csv", "--groups", "none.csv", "-o", "results", words="no such file")


def test_names_that_do_not_match_are_named():
    with pytest.warns(GplandmarkWarning) as caught:
        assert groups_of(["a", "b"], {"a": "x", "c": "y"}) == ("x", None)
    said = " ".join(str(each.message) for each in caught)
    assert "No group is given for specimen b" in said
    assert "names specimen c, for which there are no landmarks" in said
    with pytest.raises(GplandmarkError, match="has specimen A; the landmarks are of specimens a"):
        groups_of(["a", "b"], {"A": "x"})


def test_groups_of_one_are_said_and_nothing_is_tested(random):
    names = {f"s{number}": f"g{number}" for number in range(8)}
    with pytest.warns(GplandmarkWarning) as caught:
        found = analyse(landmarks(sample(random)), names)
    assert found.classification is None
    assert found.test is None
    assert "One member only: groups g0, g1" in found.notes[0]
    assert "No group has two members" in found.notes[1]
    assert tuple(str(each.message) for each in caught) == found.notes


def test_one_group_is_classified_and_not_tested(random):
    with pytest.warns(GplandmarkWarning, match="two groups of at least two members, got 1"):
        found = analyse(landmarks(sample(random)), {f"s{number}": "g" for number in range(8)})
    assert found.classification.rate == 1
    assert found.test is None


# --- what else can go wrong


def test_bad_input_gets_one_sentence(folder, random):
    refused("analyze", "nothing.csv", "-o", "results", words="no such file")
    shape = base_shape(random)
    write_collection(landmarks([moved(shape, random) for _ in range(3)], labels=LABELS), "same.csv")
    refused("analyze", "same.csv", "-o", "results", words="All specimens have the same shape")
    write_collection(landmarks(sample(random, specimens=1), labels=LABELS), "one.csv")
    refused("analyze", "one.csv", "-o", "results", words="At least two specimens")
    (folder / "tooth.ply").write_bytes(as_ply(make_molar(1, vertex_count=900).surface))
    refused(
        "analyze",
        "sample.csv",
        "--surface",
        "tooth.ply",
        "-o",
        "results",
        words="No specimen has its landmarks on",
    )
    refused("analyze", "sample.csv", "-o", "sample.csv", words="one of the inputs")
    (folder / "file").write_text("here")
    refused("analyze", "sample.csv", "-o", "file/results", words="cannot be created")
    groups = folder / "groups.csv"
    groups.write_text("specimen,group\ns0,a\ns1,a\ns2,b\ns3,b\n")
    refused("analyze", "sample.csv", "--groups", groups, "--permutations", 0, "-o", "results",
            words="permutations must be at least 1")  # fmt: skip
    assert not (folder / "results").exists()
    refused("analyze", "nope", "-o", "deep/results", words="nope: there is no such file or folder")
    assert not (folder / "deep").exists()


# --- the page


def test_a_page_holds_what_it_is_given_and_no_markup_of_others():
    picture = image(b"\x89PNG", 'a "caption" <i>')
    parts = (note("a < b"), data_table(("name", "value"), [("<x>", "1")]), picture)
    text = page("Title & more", ["<p>opening</p>"], [Section("One", parts), Section("Two", ())])
    check_page(text)
    for piece in ("Title &amp; more", "a &lt; b", "&lt;x&gt;", "&quot;caption&quot; &lt;i&gt;"):
        assert piece in text
    assert text == page("Title & more", ["<p>opening</p>"],
                        [Section("One", parts), Section("Two", ())])  # fmt: skip


def test_an_analysis_replaces_its_own_files_and_others_only_if_told(folder):
    run("analyze", "sample.csv", "-o", "results")
    run("analyze", "sample.csv", "-o", "results")
    (folder / "results" / "analysis.json").unlink()
    refused("analyze", "sample.csv", "-o", "results", words="or use --overwrite")
    run("analyze", "sample.csv", "-o", "results", "--force")


def test_without_matplotlib_all_but_the_pictures_is_written(folder, monkeypatch):
    run("analyze", "sample.csv", "-o", "whole")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.warns(GplandmarkWarning, match=r"gplandmark\[pictures\]"):
        run("analyze", "sample.csv", "-o", "results")
    found = {path.name: path.read_bytes() for path in (folder / "results").iterdir()}
    whole = {path.name: path.read_bytes() for path in (folder / "whole").iterdir()}
    assert {name for name in whole if not name.endswith((".png", ".svg", ".pdf"))} == set(found)
    assert all(whole[name] == found[name] for name in found if name.endswith(".csv"))
    check_page(found["report.html"].decode())
