"""analyze --model: from landmarks and tables to a report, as a user meets it."""

import csv
import json

import numpy as np
import pytest
from commands import refused, run
from shape_samples import base_shape, landmarks, moved

from gplandmark import GplandmarkWarning
from gplandmark.io.landmark_files import read_collection
from gplandmark.io.write_landmarks import write_collection
from gplandmark.morphometrics.analysis import analyse
from gplandmark.morphometrics.models import partial_least_squares

pytestmark = [
    pytest.mark.usefixtures("empty_figures"),
    pytest.mark.filterwarnings("ignore::gplandmark.GplandmarkWarning"),
]
LABELS = tuple(f"p{number}" for number in range(12))


def rows(path):
    return list(csv.DictReader(path.read_text().splitlines()))


@pytest.fixture
def folder(tmp_path, monkeypatch, random):
    """Twelve males and twelve females; shape changes with size, and with sex."""
    monkeypatch.chdir(tmp_path)
    shape = base_shape(random)
    larger, other = random.normal(size=(2, *shape.shape))
    points = []
    for number in range(24):
        growth = random.normal()
        own = shape + 0.15 * growth * larger + 0.2 * (number % 2) * other
        own = own + 0.05 * random.normal(size=shape.shape)
        own = moved(own, random, scale=False)
        points.append(np.exp(0.2 * growth) * own)
    write_collection(landmarks(np.array(points), labels=LABELS), "sample.csv")
    table = ["specimen,group", *(f"s{n},{'fm'[n % 2]}" for n in range(24))]
    (tmp_path / "sex.csv").write_text("\n".join(table) + "\n")
    table = ["specimen,age,site", *(f"s{n},{n % 7},{'xyz'[n % 3]}" for n in range(24))]
    (tmp_path / "more.csv").write_text("\n".join(table) + "\n")
    return tmp_path


@pytest.mark.slow
@pytest.mark.rendered
def test_a_model_fills_tables_pictures_and_the_report(folder):
    said = run(
        "analyze", "sample.csv", "--groups", "sex.csv", "--model", "shape ~ size * group",
        "--permutations", 199, "-o", "results",
    )  # fmt: skip
    assert "size" in said
    results = folder / "results"
    table = rows(results / "anova.csv")
    assert [row["term"] for row in table] == ["size", "group", "size:group", "residuals", "total"]
    assert [float(row["p_value"]) for row in table[:2]] == [0.005, 0.005]
    assert float(table[2]["p_value"]) > 0.01
    names = ("allometry", "canonical-variates", "disparity")
    assert all((results / f"{name}.{kind}").is_file() for name in names for kind in ("pdf", "svg"))
    report = (results / "report.html").read_text()
    assert "Model: shape ~ size * group" in report
    assert "Shape changes with size" in report
    assert "100.0 % of 24 specimens" in report
    pairs = rows(results / "pairwise.csv")
    assert [(row["group"], row["other"]) for row in pairs] == [("f", "m")]
    assert float(pairs[0]["slope_angle_degrees"]) < 30
    settings = json.loads((results / "analysis.json").read_text())["settings"]
    assert (settings["model"], settings["type"]) == ("shape ~ size * group", "I")
    corrected = read_collection(results / "size-corrected.wide.csv")
    assert len(corrected) == 24
    assert corrected[0].labels == LABELS
    # Without a model its files are gone.
    run("analyze", "sample.csv", "-o", "results", "--permutations", 9)
    assert not (results / "anova.csv").exists()
    assert not (results / "allometry.pdf").exists()


def test_covariates_come_from_a_table(folder):
    run(
        "analyze", "sample.csv", "--covariates", "more.csv", "--type", "II",
        "--model", "shape ~ size + age + site", "--permutations", 49, "-o", "results",
    )  # fmt: skip
    table = rows(folder / "results" / "anova.csv")
    assert [(row["term"], row["df"]) for row in table[:3]] == [
        ("size", "1"),
        ("age", "1"),
        ("site", "2"),
    ]
    assert not (folder / "results" / "pairwise.csv").exists()


def test_what_cannot_be_modelled_is_refused(folder):
    def refuse(*options, words):
        refused("analyze", "sample.csv", "-o", "results", *options, words=words)
        assert not (folder / "results").exists()

    refuse("--model", "shape ~ sex", words="names 'sex', which is not known")
    refuse("--model", "shape ~ size", "--keep-size", words="shape without size")
    refuse("--covariates", "more.csv", words="are for a model")
    bad = folder / "bad.csv"
    bad.write_text("specimen,age\ns0,\n" + "".join(f"s{n},{n}\n" for n in range(1, 24)))
    refuse("--covariates", bad, "--model", "shape ~ age", words="no value for specimen s0")
    bad.write_text("specimen;age\n" + "".join(f"s{n};{n},5\n" for n in range(24)))
    refuse("--covariates", bad, "--model", "shape ~ age", words="a number with a decimal comma")
    bad.write_text("specimen,age\nt0,1\n")
    refuse("--covariates", bad, "--model", "shape ~ age", words="no line for any specimen")
    bad.write_text("specimen,age\ns0,1\ns0,2\n")
    refuse("--covariates", bad, "--model", "shape ~ age", words="two lines for s0")
    bad.write_text("specimen,age,years\n" + "".join(f"s{n},{n},{2 * n}\n" for n in range(24)))
    options = ("--covariates", bad, "--model", "shape ~ age + years")
    refuse(*options, words=r"years is determined by .* \(collinear\)")
    bad.write_text("specimen,who\n" + "".join(f"s{n},x{n}\n" for n in range(24)))
    options = ("--covariates", bad, "--model", "shape ~ who")
    refuse(*options, words="24 coefficients for 24 specimens")


def test_groups_of_one_are_fitted_but_not_compared(folder):
    table = (folder / "sex.csv").read_text().replace("s0,f", "s0,x")
    (folder / "sex.csv").write_text(table)
    with pytest.warns(GplandmarkWarning) as caught:
        run("analyze", "sample.csv", "--groups", "sex.csv", "--model", "shape ~ group",
            "--permutations", 49, "-o", "results")  # fmt: skip
    assert any("Group x has one member" in str(each.message) for each in caught)
    assert not (folder / "results" / "disparity.csv").exists()


def test_few_specimens_have_few_orders_and_a_note_says_so(folder):
    write_collection(read_collection("sample.csv")[:4], "four.csv")
    with pytest.warns(GplandmarkWarning) as caught:
        run("analyze", "four.csv", "--model", "shape ~ size", "--permutations", 99, "-o", "results")
    said = [str(each.message) for each in caught]
    assert any("4 specimens have only 24 orders, so that p cannot be below 0.042" in each
               for each in said)  # fmt: skip
    assert "only 24 orders" in (folder / "results" / "report.html").read_text()
    write_collection(read_collection("sample.csv")[:3], "three.csv")
    with pytest.warns(GplandmarkWarning, match=r"below 0.17. Such a test shows nothing"):
        run("analyze", "three.csv", "--model", "shape ~ size", "-o", "results")


def test_two_blocks_of_landmarks_covary(folder):
    table = "".join(f"p{n},{'front' if n < 6 else 'back' if n < 11 else ''}\n" for n in range(12))
    (folder / "blocks.csv").write_text("landmark,block\n" + table)
    run("analyze", "sample.csv", "--blocks", "blocks.csv", "--permutations", 99, "-o", "results")
    report = (folder / "results" / "report.html").read_text()
    found = analyse(read_collection("sample.csv"))
    shapes = found.aligned.tangent_coordinates()
    pls = partial_least_squares(shapes[:, :6], shapes[:, 6:11], permutations_of=99)
    assert f"The blocks front and back covary: r-PLS = {pls.correlation:.3f}" in report
    scores = [float(row["first_block"]) for row in rows(folder / "results" / "blocks.csv")]
    np.testing.assert_allclose(np.abs(scores), np.abs(pls.first_scores[:, 0]), rtol=1e-6)
    assert (folder / "results" / "blocks.svg").is_file()

    def refuse(content, words):
        (folder / "blocks.csv").write_text("landmark,block\n" + content)
        refused("analyze", "sample.csv", "--blocks", "blocks.csv", "-o", "none", words=words)

    refuse("p1,a\np2,a\n", "has 1 blocks of landmarks, and two")
    refuse("p1,a\np1,b\n", "a landmark twice")
    refuse("p1,a\nq,b\n", "there is no landmark 'q'")
