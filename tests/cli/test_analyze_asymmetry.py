"""analyze --pairs and --repeats: asymmetry and measurement error, as a user meets them."""

import csv
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commands import refused, run
from shape_samples import moved

from gplandmark import GplandmarkWarning, Landmarks
from gplandmark.io.homology import MATCHING
from gplandmark.io.landmark_files import read_collection
from gplandmark.io.write_landmarks import write_collection
from gplandmark.morphometrics.analysis import analyse
from gplandmark.runs.reports.further_analyses import (
    FurtherAnalyses,
    completed_by_symmetry,
    further_analyses,
)

pytestmark = [
    pytest.mark.usefixtures("empty_figures"),
    pytest.mark.filterwarnings("ignore::gplandmark.GplandmarkWarning"),
]
NAMED = ("1L", "1R", "2L", "2R", "3L", "3R", "4L", "4R", "5M", "6M", "7M")


def rows(path):
    return list(csv.DictReader(path.read_text().splitlines()))


@pytest.fixture
def folder(tmp_path, monkeypatch, random):
    """Eight skulls measured twice, that lean to one side."""
    monkeypatch.chdir(tmp_path)

    def symmetric():
        half = random.normal(size=(4, 3)) + np.array([2.0, 0, 0])
        both = np.stack([half, half * [-1, 1, 1]], axis=1).reshape(8, 3)
        return np.vstack([both, random.normal(size=(3, 3)) * [0.0, 1, 1]])

    shape, lean = symmetric(), random.normal(size=(11, 3))
    skulls = [shape + 0.1 * (symmetric() - shape) + 0.05 * lean for _ in range(8)]
    points = [moved(skull + 0.005 * random.normal(size=(11, 3)), random, scale=False)
              for _ in range(2) for skull in skulls]  # fmt: skip
    points[0][0] = np.nan
    for name, labels in (("named.csv", NAMED), ("bare.csv", ())):
        write_collection([Landmarks.at(each, f"s{at}", labels=labels)
                          for at, each in enumerate(points)], name)  # fmt: skip
    table = ["specimen,individual,set", *(f"s{n},i{n % 8},{'ab'[n // 8]}" for n in range(16))]
    (tmp_path / "repeats.csv").write_text("\n".join(table) + "\n")
    (tmp_path / "pairs.csv").write_text("left,right\n1,2\n3,4\n5,6\n7,8\n")
    return tmp_path


def test_asymmetry_and_error_fill_tables_and_the_report(folder):
    options = ("--pairs", "auto", "--repeats", "repeats.csv", "--permutations", 99)
    with pytest.warns(GplandmarkWarning) as caught:
        run("analyze", "named.csv", *options, "-o", "results")
    notes = [str(each.message) for each in caught]
    assert any("taken from the other side of specimen s0" in each for each in notes)
    results = folder / "results"
    table = rows(results / "asymmetry-anova.csv")
    assert [row["term"] for row in table[:4]] == [
        "individual",
        "side",
        "individual:side",
        "residuals",
    ]
    assert [int(row["df"]) for row in table[:4]] == [7, 1, 7, 16]
    assert float(table[1]["p_value"]) <= 0.02
    assert len(rows(results / "asymmetry.csv")) == 8
    assert float(rows(results / "repeatability.csv")[0]["repeatability"]) > 0.9
    assert len(read_collection(results / "symmetric.wide.csv")) == 8
    assert (results / "asymmetry.pdf").is_file()
    report = (results / "report.html").read_text()
    assert "4 pairs of landmarks and 3 on the midline" in report
    opening = report.split("<nav>")[0]
    assert "There is directional asymmetry" in opening
    assert "Repeatability of shape is" in opening
    assert "asymmetry.png, .svg, .pdf</th>" in report
    assert "There is directional asymmetry" in report
    assert "Repeatability of shape is 0.9" in report
    assert "% of it is in landmarks " in report


def test_pairs_from_a_table_from_names_and_found_are_the_same(folder):
    texts = []
    for name, pairs in [("named.csv", "auto"), ("bare.csv", "pairs.csv"), ("bare.csv", "auto")]:
        wanted = FurtherAnalyses(pairs=Path(pairs))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GplandmarkWarning)
            collection = completed_by_symmetry(read_collection(name), wanted)
            supplements = further_analyses(wanted, analyse(collection), collection, 9, 0)
        texts.append(supplements[0].tables)
    assert texts[0]["asymmetry-anova.csv"] == texts[1]["asymmetry-anova.csv"]
    assert sorted(texts[1]["landmark-pairs.csv"].splitlines()) == sorted(
        texts[2]["landmark-pairs.csv"].splitlines()
    )


def test_what_was_found_is_said_first_and_on_the_terminal(folder):
    wanted = FurtherAnalyses(pairs=Path("pairs.csv"), repeats=Path("repeats.csv"))
    collection = read_collection("bare.csv")[1:8] + read_collection("bare.csv")[9:]
    analysis = analyse(collection)
    request = {MATCHING: {"reference": "s1"}}
    matched = [replace(each, record=replace(each.record, request=request)) for each in collection]
    for given in (collection, matched):
        sides, error = further_analyses(wanted, analysis, given, 99, 0)
        assert sides.summary.startswith("There is directional asymmetry")
        assert [name for name, _ in (*sides.rows, *error.rows)] == ["sides", "", "repeated"]
        assert "% of the variance is measurement error." in error.summary
        text = "".join(sides.sections({})[0].parts)
        assert ("carried to all specimens from one reference" in text) == (given is matched)
        assert ("the pairs of the reference" in sides.summary) == (given is matched)
    request = {MATCHING: {"reference": "s1", "both_sides": True}}
    paired = [replace(each, record=replace(each.record, request=request)) for each in collection]
    (sides, _) = further_analyses(wanted, analysis, paired, 9, 0)
    assert "the pairs of the reference" not in sides.summary
    text = "".join(sides.sections({})[0].parts)
    assert "from one reference and from its mirror image" in text


def test_what_cannot_be_computed_is_refused(folder):
    def refuse(*options, words):
        refused("analyze", "named.csv", "-o", "results", *options, words=words)
        assert not (folder / "results").exists()

    bad = folder / "bad.csv"
    bad.write_text("left,right\n1,2\n2,3\n")
    refuse("--pairs", bad, words="bad.csv: In several pairs")
    bad.write_text("specimen,who\ns0,1\n")
    refuse("--repeats", bad, words="no column individual")
    bad.write_text("specimen,individual\ns0,1\n")
    refuse("--repeats", bad, words="does not say which individual specimens s1")
    bad.write_text("specimen,individual\n" + "".join(f"s{n},{n}\n" for n in range(16)))
    refuse("--repeats", bad, words="Measured once only")
    # names stay what they are, also if they look like numbers
    bad.write_text("specimen,individual\n" + "".join(f"s{n},15_{n:02}\n" for n in range(16)))
    refuse("--repeats", bad, words="individuals 15_00, 15_01")
    bad.write_text("left,right\n1,nasion\n")
    refuse("--pairs", bad, words="there is no landmark 'nasion'")


def test_repeated_sets_that_are_copies_are_refused_without_other_warnings(folder):
    found = read_collection("named.csv")[:4]
    copies = [replace(each, specimen=f"{each.specimen}-{k}") for each in found for k in "xy"]
    write_collection(copies, "copies.csv")
    table = "".join(f"{each.specimen},{each.specimen[:-2]}\n" for each in copies)
    (folder / "repeats.csv").write_text("specimen,individual\n" + table)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        refused("analyze", "copies.csv", "--repeats", "repeats.csv", "-o", "results",
                words="Repeated measurements are identical")  # fmt: skip
