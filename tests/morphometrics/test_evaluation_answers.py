"""Other programs' landmarks beside ours: known errors, the same places, and what is refused."""

import csv
import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from commands import refused, run
from test_evaluation import (
    LABELS,
    folder,
    matched,
    observers,
    on_copies,
    quiet,
    shifted,
    told,
)

from gplandmark import GplandmarkError, Landmarks, evaluate, to_system, write_collection
from gplandmark.cli.evaluation_output import print_comparisons, print_landmark_errors
from gplandmark.cli.tables import fixed
from gplandmark.landmarks.coordinate_system import scaled
from gplandmark.morphometrics.evaluation.evaluation_summary import evaluation_summary
from gplandmark.morphometrics.evaluation.evaluation_tables import evaluation_files
from gplandmark.morphometrics.evaluation.transfer_errors import (
    Comparison,
    Transfer,
    compare_landmarks,
    median_errors,
)

__all__ = ["folder", "matched"]  # fixtures

OFFSET = np.array([[0, 0.02, -0.1], [0.06, 0, 0.04], [0.02, -0.1, 0]])


def moved(distance, names=("1", "2", "5")):
    """Answers that lie a known way along y from the observers', in units of the smallest copy."""
    up = np.array([0, distance, 0])
    return {
        name: told(each.points + float(name) * up, name) for name, each in on_copies(names).items()
    }


def without(landmarks, *numbers):
    points = landmarks.points.copy()
    points[list(numbers)] = np.nan
    return told(points, landmarks.specimen)


def compared(answers, offset=OFFSET, **others):
    return quiet(evaluate, shifted(offset), on_copies(), answers={"other.csv": answers, **others})


# --- errors


def test_known_displacements_are_the_errors_of_both():
    found, said = compared(moved(0.01))
    (each,) = found.comparisons
    assert said == []
    assert (each.name, each.specimens, each.landmarks) == ("other.csv", 3, 7)
    np.testing.assert_allclose(each.errors, 0.01 / found.sizes[0])
    by_method = found.compared_accuracies(each)
    answers, one, median = by_method.values()
    assert answers["file_units"].mean == pytest.approx(0.01 * (1 + 2 + 5) / 3)
    assert answers["percent_of_centroid_size"].mean == pytest.approx(1 / found.centroid_sizes[0])
    assert one["sqrt_area"].mean == pytest.approx(np.abs(OFFSET).sum() / 6)
    assert one["sqrt_area"].landmarks == 6 * 7
    # Of two sources, the median is half way: 0.04, -0.04, -0.03 along x.
    np.testing.assert_allclose(found.median_errors, np.repeat([[0.04], [0.04], [0.03]], 7, axis=1))
    assert median["sqrt_area"].mean == pytest.approx(0.11 / 3)
    assert median["sqrt_area"].worst == pytest.approx(0.04)


def test_the_median_is_taken_of_each_coordinate(random):
    points = random.normal(size=(5, 5, 3, 3))
    points[np.eye(5, dtype=bool)] = np.nan
    points[1, 2, 0] = points[:, 4, 1] = np.nan
    truth, sizes = random.normal(size=(5, 3, 3)), np.arange(1.0, 6)
    given = type("Given", (), {"points": truth})
    found = type("Found", (), {"given": given, "sizes": sizes})
    errors = np.linalg.norm(points - truth, axis=3)
    measured = median_errors(found, Transfer(points, errors, errors, errors, errors))
    for j in range(5):
        for at in range(3):
            rows = [each for each in points[:, j, at] if not np.isnan(each).any()]
            if not rows:
                assert np.isnan(measured[j, at])
                continue
            middle = [sorted(row[axis] for row in rows) for axis in range(3)]
            low, high = (len(rows) - 1) // 2, len(rows) // 2
            median = np.array([(each[low] + each[high]) / 2 for each in middle])
            assert measured[j, at] == pytest.approx(np.linalg.norm(median - truth[j, at]) / (j + 1))


def test_ours_is_measured_in_the_places_of_the_answers_only():
    answers = moved(0.01, ("2", "5"))
    answers["5"] = without(answers["5"], 0, 1, 2, 3)
    found, said = compared(answers)
    (each,) = found.comparisons
    assert (each.specimens, each.landmarks) == (2, 7)
    assert each.compared.sum() == 7 + 3
    by_method = found.compared_accuracies(each)
    counts = [by_unit["sqrt_area"].landmarks for by_unit in by_method.values()]
    assert counts == [10, 20, 10]
    one, median = (by_method[name]["sqrt_area"].mean for name in list(by_method)[1:])
    assert one == pytest.approx((7 * (0.02 + 0.1) + 3 * (0.1 + 0.04)) / 20)
    assert median == pytest.approx((7 * 0.04 + 3 * 0.03) / 10)
    assert said == [
        "other.csv: not compared, without landmarks: specimen 1.",
        "other.csv lacks 4 of the observers' landmarks, on specimen 5; they are not compared.",
    ]
    assert found.notes == tuple(said)


def test_each_landmark_is_compared_where_all_have_it(random):
    errors, medians = random.random((4, 4, 3)), random.random((4, 3))
    errors[np.eye(4, dtype=bool)] = np.nan
    sizes = np.array([1.0, 2, 3, 4])
    one, two = random.random((2, 4, 3))
    one[0, 0] = two[1, 0] = one[:, 1] = np.nan
    one[:2, 2] = two[2:, 2] = np.nan
    found = compare_landmarks([Comparison("1", one), Comparison("2", two)], errors, medians, sizes)
    assert found.specimens.tolist() == [2, 4, 0]
    assert found.answers[0, 0] == pytest.approx((one[2:, 0] * sizes[2:]).mean())
    assert found.answers[1, 0] == pytest.approx((two[2:, 0] * sizes[2:]).mean())
    assert np.isnan(found.answers[0, 1])
    assert found.answers[1, 1] == pytest.approx((two[:, 1] * sizes).mean())
    assert found.median[0] == pytest.approx((medians[2:, 0] * sizes[2:]).mean())
    assert found.carried[0] == pytest.approx(np.nanmean((errors[:, :, 0] * sizes)[:, 2:]))
    assert found.difference[0] == pytest.approx(found.median[0] - found.answers[:, 0].min())
    assert found.difference[1] == pytest.approx(found.median[1] - found.answers[1, 1])
    assert np.isnan([found.median[2], found.carried[2], found.difference[2]]).all()


# --- names, units and axes


def test_names_tell_landmarks_in_any_order_and_system():
    given = moved(0.01)
    order = np.arange(7)[::-1]
    labels = (*(LABELS[at] for at in order[:-1]), "else")
    turned = Landmarks.at(given["2"].points[order], "2", labels=labels)
    found, said = compared(
        {**given, "2": turned, "5": to_system(replace(given["5"], system="LPS"), "RAS")}
    )
    errors = found.comparisons[0].errors
    assert np.isnan(errors[1, 0])
    np.testing.assert_allclose(errors[1, 1:], errors[0, 1:])
    np.testing.assert_allclose(errors[2], errors[0])
    assert said == [
        "other.csv: omitted, without observers' landmarks: landmark else.",
        "other.csv lacks 1 of the observers' landmarks, on specimen 2; they are not compared.",
    ]


def test_bad_answers_count_as_they_are_and_are_named():
    given = moved(0.01)
    points = given["2"].points.copy()
    points[3:5] += 40.0
    found, said = compared({**given, "2": told(points, "2")})
    errors = found.comparisons[0].errors[1, 3:5] * found.sizes[1]
    assert (errors > 60).all()
    (sentence,) = said
    assert "other.csv: 2 landmarks lie more than 5 % of sqrt(area) off the surface" in sentence
    assert "on specimen 2. They count as they are." in sentence


def test_strangers_and_templates_are_named():
    observed = {name: each for name, each in on_copies().items() if name != "5"}
    answers = {**moved(0.01), "1": on_copies()["1"], "nobody": replace(moved(0)["1"])}
    found, said = quiet(evaluate, shifted(), observed, answers={"a.csv": answers})
    assert found.comparisons[0].specimens == 2
    assert said[1:] == [
        "a.csv: omitted, not in the sample: specimen nobody.",
        "a.csv: omitted, without observers' landmarks: specimen 5.",
        "a.csv: identical to the observers' landmarks (a template?), but compared: specimen 1.",
    ]


def renamed(labels):
    return {name: Landmarks.at(each.points[: len(labels)], name, labels=labels)
            for name, each in moved(0).items()}  # fmt: skip


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({}, "other.csv has no specimen with observers' landmarks. observers have specimens"),
        ({"x": moved(0)["1"]}, "other.csv has no specimen .* It has specimen x; observers have"),
        (renamed(tuple("abcdefg")), "other.csv: 1 calls its landmarks 'a', 'b', 'c' and so on, .*"
                                    "'place 0', 'place 1', 'place 2'"),
        (renamed((*LABELS[:6], LABELS[0])), "Each needs a name of its own"),
        ({"1": Landmarks.at(np.zeros((7, 2)), "1", labels=LABELS)}, "2D landmarks"),
        ({"1": without(moved(0)["1"], *range(7))}, "other.csv cannot be compared: it has no landm"),
        (
            {**moved(0), "5": scaled(moved(0)["5"], 0.1)},
            "other.csv: the landmarks of 5 lie off the surface. They would fit with all "
            "coordinates times 10",
        ),
        (
            {**moved(0), "2": told(moved(0)["2"].points * [1, 1, -1], "2")},
            "other.csv: the landmarks of 2 lie off the surface. They would fit with the sign of z",
        ),
    ],
)  # fmt: skip
def test_answers_that_cannot_be_compared_are_refused(answers, words):
    with pytest.raises(GplandmarkError, match=words):
        compared(answers)


def test_numbers_do_not_tell_which_landmark_is_not_there():
    observed = {name: Landmarks.at(each.points, name) for name, each in on_copies().items()}
    answers = {name: Landmarks.at(each.points[:6], name) for name, each in observed.items()}
    with pytest.raises(GplandmarkError, match="1 has 6 landmarks, and observers have 7"):
        evaluate(shifted(), observed, answers={"other.csv": answers})


def test_two_names_of_one_specimen_are_refused():
    first = replace(shifted().specimens[0])
    named = replace(first, surface=replace(first.surface, name="site/1"))
    sample = replace(shifted(), specimens=(named, *shifted().specimens[1:]))
    one = moved(0)["1"]
    with pytest.raises(GplandmarkError, match=r"other.csv: '1' and 'site/1' both refer"):
        evaluate(sample, on_copies(), answers={"other.csv": {"1": one, "site/1": one}})


# --- tables and the terminal


def test_tables_have_the_comparison():
    lacking = {name: without(each, 2) for name, each in moved(0.03).items()}
    found, _ = compared(moved(0.01), **{"b.tps": lacking})
    files = {path.name: text for path, text in evaluation_files(found, Path("x"), {}).items()}
    rows = list(csv.DictReader(StringIO(files["comparison.csv"])))
    assert [row["landmark"] for row in rows] == list(LABELS)
    first, third = rows[0], rows[2]
    mean = 0.01 * (1 + 2 + 5) / 3
    assert float(first["other.csv_mean_error_file_units"]) == pytest.approx(mean)
    assert float(first["b.tps_mean_error_file_units"]) == pytest.approx(3 * mean)
    ours = float(first["median_of_sources_mean_error_file_units"])
    assert ours == pytest.approx(np.mean(found.sizes * [0.04, 0.04, 0.03]))
    difference = float(first["difference_to_best_answers_file_units"])
    assert difference == pytest.approx(ours - mean)
    assert third["b.tps_mean_error_file_units"] == ""
    summary = json.loads(files["evaluation.json"])
    assert "NaN" not in files["evaluation.json"]
    told = summary["comparisons"][0]
    assert (told["answers_of"], told["specimens"], told["landmarks"]) == ("other.csv", 3, 7)
    assert (told["fewest_sources"], told["most_sources"]) == (2, 2)
    assert told["errors"]["answers"]["file_units"]["mean"] == pytest.approx(mean)
    each = summary["comparison_of_each_landmark"][2]
    assert each["mean_error_file_units"]["answers"]["b.tps"] is None
    assert each["difference_to_best_answers_file_units"] == pytest.approx(difference)
    assert evaluation_summary(evaluate(shifted(), on_copies()))["comparison_of_each_landmark"] == []


def test_numbers_in_a_column_have_the_same_decimals():
    assert fixed([0.0425, 0.1, np.nan], 0.0425) == ["0.0425", "0.1000", ""]
    assert fixed([12.34, 1234.5], 12.34) == ["12.3", "1234.5"]
    assert fixed([123456.7], 123456.7) == ["123457"]
    assert fixed([0.0], 0.0) == ["0.000"]


def with_landmarks(found, count):
    """The same evaluation with so many landmarks, of which each is worse than the one before."""
    growth = 1 + np.arange(count) / 100
    many = {name: getattr(found, name)[..., :1] * growth
            for name in ("errors", "expected", "radii", "confidence", "median_errors")}  # fmt: skip
    others = tuple(replace(each, errors=each.errors[:, :1] / growth) for each in found.comparisons)
    return replace(found, **many, labels=tuple(f"p{at}" for at in range(count)), comparisons=others)


@pytest.mark.parametrize(("count", "shown"), [(60, 60), (61, 20)])
def test_of_many_landmarks_the_worst_are_shown(capsys, count, shown):
    found = with_landmarks(compared(moved(0.01))[0], count)
    print_landmark_errors(found)
    print_comparisons(found)
    lines = capsys.readouterr().out.splitlines()
    names = [line.split()[0] for line in lines if line.startswith("p")]
    order = range(count) if count == shown else range(count - 1, count - 1 - shown, -1)
    assert names == 2 * [f"p{at}" for at in order]
    told = [line for line in lines if "lists all" in line]
    assert told == ([] if count == shown else [
        "the 20 of 61 with the largest mean errors; landmarks.csv (-o) lists all",
        "the 20 of 61 with the largest differences; comparison.csv (-o) lists all",
    ])  # fmt: skip
    assert max(len(line.rstrip()) for line in lines) <= 100


def test_the_command_compares_and_writes_it(folder, matched):
    ours = [replace(each, specimen=name.rpartition("/")[2], points=each.points + 0.01)
            for name, each in observers().items()]  # fmt: skip
    for place in ("a", "b"):
        (folder / place).mkdir()
        write_collection(ours, folder / place / "answers.csv")
    options = ("--answers", "a/answers.csv", "--answers", "b/answers.csv", "-o", "results")
    said = run("evaluate", matched, "expert.csv", *options)
    for words in (
        "a/answers.csv and ours on the same 3 specimens, 7 landmarks", "  b/answers.csv  ",
        "carried from one specimen", "median of 2 sources", "our median minus the best",
    ):  # fmt: skip
        assert words in said
    assert max(map(len, map(str.rstrip, said.splitlines()[:-1]))) <= 100
    results = folder / "results"
    summary = json.loads((results / "evaluation.json").read_text())
    assert summary["settings"]["answers"] == ["a/answers.csv", "b/answers.csv"]
    mean = summary["comparisons"][1]["errors"]["answers"]["file_units"]["mean"]
    assert mean == pytest.approx(0.01 * np.sqrt(3))
    assert (results / "comparison.csv").exists()
    run("evaluate", matched, "expert.csv", "-o", "results")
    assert not (results / "comparison.csv").exists()  # it would tell of another evaluation


def test_the_command_refuses_answers_that_it_should(folder, matched):
    def with_answers(path, words):
        refused("evaluate", matched, "expert.csv", "--answers", path, "-o", "new", words=words)
        assert not (folder / "new").exists()

    refused("evaluate", matched, matched, words="the match itself")
    with_answers("none.csv", "there is no such file")
    twice = "LM3=3\n0 0 1\n0 1 0\n1 0 0\nID=m1\n" * 2
    (folder / "twice.tps").write_text(twice)
    with_answers("twice.tps", "twice.tps: There are several sets of landmarks for specimen m1")
    (folder / "alone").mkdir()
    write_collection(list(observers().values()), folder / "alone" / "answers.csv")
    (folder / "alone" / "not-matched.txt").write_text("placed on each for itself")
    with_answers("alone/answers.csv", "answers.csv: .*not matched; number 7")
    write_collection(list(observers().values()), folder / "landmarks.csv")
    refused("evaluate", matched, "expert.csv", "--answers", "landmarks.csv", "-o", ".",
            "--overwrite", words="contains one of the inputs")  # fmt: skip
    (folder / "landmarks.csv").unlink()
    (folder / "comparison.csv").write_text("mine")
    refused("evaluate", matched, "expert.csv", "-o", ".", words="not written by this command")
