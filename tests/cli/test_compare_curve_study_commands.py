"""The commands compare, curve and study as a user meets them."""

import csv
import shutil
import sys
from io import StringIO

import numpy as np
import pytest
from commands import in_process, names_in, refused, run

from gplandmark import Landmarks, Surface, make_molar, place, read, read_landmarks, write
from gplandmark.errors import GplandmarkWarning
from gplandmark.io.scans import as_ply
from gplandmark.landmarks.baselines import SAMPLERS
from gplandmark.landmarks.variance_curve import variance_curve
from gplandmark.mesh import surface_area

MOLAR = make_molar(2, vertex_count=3500)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A scan, landmarks of an expert and landmarks of ours."""
    made = tmp_path_factory.mktemp("files")
    (made / "tooth.ply").write_bytes(as_ply(MOLAR.surface))
    write(Landmarks.at(MOLAR.surface.points[::400], "tooth"), made / "expert.csv")
    write(place(read(made / "tooth.ply"), 9), made / "ours.mrk.json")
    return made


@pytest.fixture
def folder(files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return shutil.copytree(files, tmp_path, dirs_exist_ok=True)


def rows(path):
    return list(csv.DictReader(StringIO(path.read_text())))


# --- compare


def test_compare_brings_ras_to_lps_and_leaves_missing_landmarks_out(folder):
    points = MOLAR.surface.points[::400] * [-1.0, -1.0, 1.0]
    points = np.vstack([points, [[np.nan] * 3]])
    write(Landmarks.at(points, "tooth", system="RAS"), folder / "ras.mrk.json")
    with pytest.warns(GplandmarkWarning) as caught:
        run("compare", "tooth.ply", "expert.csv", "ras.mrk.json", "--csv", "t.csv")
    told = " ".join(str(each.message) for each in caught)
    assert "ras.mrk.json is in RAS" in told
    assert "1 missing landmarks of ras.mrk.json were left out" in told
    one, other = rows(folder / "t.csv")
    assert {**one, "name": ""} == {**other, "name": ""}


def test_compare_prints_a_table_and_writes_csv_and_plot(folder):
    done = in_process(
        "compare", "tooth.ply", "expert.csv", "ours.mrk.json", "--csv", "t.csv", "--plot", "p.svg",
        cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == "tooth, distances from expert"
    assert lines[2].split()[:2] == ["expert", "9"]
    assert lines[3].split()[:2] == ["ours", "9"]
    table = rows(folder / "t.csv")
    assert [row["name"] for row in table] == ["expert", "ours"]
    assert float(table[0]["reference_mean"]) == 0
    assert "expert" in (folder / "p.svg").read_text()


def test_baselines_and_another_reference(folder):
    run("compare", "tooth.ply", "expert.csv", "--reference", "ours.mrk.json", "--baselines",
        "--csv", "t.csv")  # fmt: skip
    table = {row["name"]: row for row in rows(folder / "t.csv")}
    assert list(table) == ["ours", "expert", "gaussian-process", *SAMPLERS]
    assert {row["landmarks"] for row in table.values()} == {"9"}
    assert table["ours"]["largest_variance"] == table["gaussian-process"]["largest_variance"]
    assert float(table["gaussian-process"]["reference_largest"]) == 0


def test_sets_of_one_name_go_by_their_path(folder):
    (folder / "more").mkdir()
    write(read_landmarks(folder / "ours.mrk.json"), folder / "more" / "ours.mrk.json")
    run("compare", "tooth.ply", "ours.mrk.json", "more/ours.mrk.json", "--csv", "t.csv")
    assert [row["name"] for row in rows(folder / "t.csv")] == [
        "ours.mrk.json",
        "more/ours.mrk.json",
    ]


def test_landmarks_a_little_off_are_told_and_far_off_refused(folder):
    size = np.sqrt(surface_area(MOLAR.surface))
    tip = MOLAR.cusps[:1]
    write(Landmarks.at(tip + np.array([0, 0, 0.02 * size]), "tooth"), folder / "near.csv")
    write(Landmarks.at(tip + np.array([0, 0, 0.3 * size]), "tooth"), folder / "far.csv")
    with pytest.warns(GplandmarkWarning, match=r"near lie up to .* \(file units\) off .* % of its"):
        run("compare", "tooth.ply", "near.csv")
    refused("compare", "tooth.ply", "far.csv", words=r"far: .* \(file units\) off .* % of its size")


def test_outputs_that_cannot_be_are_refused_before_the_work(folder):
    before = names_in(folder)
    refused("compare", "tooth.ply", "expert.csv", "--plot", "p.gif", words=r"'\.gif'")
    refused(
        "compare", "tooth.ply", "expert.csv", "--csv", "t.txt", words=r"needs the extension \.csv"
    )
    refused("compare", "tooth.ply", "expert.csv", "--csv", "expert.csv", words="one of the inputs")
    refused("curve", "tooth.ply", "--plot", "away/p.png", words="no folder")
    assert names_in(folder) == before


def test_only_earlier_tables_and_pictures_are_replaced(folder):
    mine = folder / "mine.csv"
    mine.write_bytes((folder / "expert.csv").read_bytes())
    (folder / "mine.png").write_text("my notes")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    refused("compare", "tooth.ply", "ours.mrk.json", "--csv", mine, words="not an earlier table")
    refused("curve", "tooth.ply", "--csv", mine, words="not an earlier table")
    refused("compare", "tooth.ply", "ours.mrk.json", "--plot", "mine.png", words="is not a picture")
    refused("curve", "tooth.ply", "--plot", "mine.png", words="is not a picture")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    (folder / "empty.csv").touch()
    run("compare", "tooth.ply", "ours.mrk.json", "--csv", "empty.csv")
    run("compare", "tooth.ply", "expert.csv", "--csv", "empty.csv")  # its own table
    assert [row["name"] for row in rows(folder / "empty.csv")] == ["expert"]
    refused("curve", "tooth.ply", "--csv", "empty.csv", words="not an earlier table")
    for ending in (".png", ".pdf", ".svg"):
        for count in (8, 12):
            plot = folder / f"curve{ending}"
            old = plot.read_bytes() if plot.exists() else b""
            run("curve", "tooth.ply", "-n", count, "--plot", plot, "--csv", "curve.csv")
            assert plot.read_bytes() != old
    assert len(rows(folder / "curve.csv")) == 13


def test_without_matplotlib_plots_are_refused_and_tables_are_not(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    refused("curve", "tooth.ply", "--plot", "p.png", words=r"gplandmark\[pictures\]")
    refused("study", ".", "-o", "out", words=r"gplandmark\[pictures\]")
    assert "knee" in run("curve", "tooth.ply", "-n", 40)


# --- curve


def test_curve_suggests_the_counts_of_the_library(folder):
    printed = run("curve", "tooth.ply", "-n", 40, "--csv", "c.csv", "--plot", "c.pdf")
    curve = variance_curve(place(read(folder / "tooth.ply"), 40))
    assert f"50 % of initial {curve.reached[0.5]:>18}".split() == printed.splitlines()[2].split()
    assert "more than 40" in printed
    assert [
        float(row["largest_variance"]) for row in rows(folder / "c.csv")
    ] == curve.fractions.tolist()
    assert (folder / "c.pdf").read_bytes().startswith(b"%PDF")


# --- study


def test_a_study_writes_pictures_and_numbers_and_says_which_scan_is_bad(folder):
    (folder / "broken.off").write_text("OFF\nnothing")
    done = in_process("study", ".", "-n", 12, "-o", "out/figure", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "note: Left out: broken.off" in done.stderr
    assert "1 of 2 scans, 12 landmarks" in done.stdout
    assert "time" in done.stdout
    assert names_in(folder / "out" / "figure") == [
        "study.csv", "study.pdf", "study.png", "summary.csv",
    ]  # fmt: skip
    assert len(rows(folder / "out" / "figure" / "study.csv")) == 24
    assert {row["kernel"] for row in rows(folder / "out" / "figure" / "summary.csv")} == {
        "reweighted",
        "Euclidean",
    }


def test_a_study_cleans_as_it_is_told(folder):
    scan = read(folder / "tooth.ply")
    twice = Surface(scan.points, np.vstack([scan.triangles, scan.triangles[:1]]), "twice")
    (folder / "twice.ply").write_bytes(as_ply(twice))
    strict = in_process("study", ".", "-n", 3, "-o", "out", "--clean", "strict", cwd=folder)
    assert strict.returncode == 0, strict.stderr
    assert "1 of 2 scans" in strict.stdout
    assert "Left out: twice.ply" in strict.stderr


def test_a_folder_without_scans_leaves_nothing_behind(folder):
    (folder / "empty").mkdir()
    refused("study", "empty", "-o", "out", words="holds no scan")
    refused("study", "tooth.ply", "-o", "out", words="is not a folder")
    assert not (folder / "out").exists()


# --- other samplers behind place


@pytest.mark.parametrize("method", SAMPLERS)
def test_place_by_another_method(folder, method):
    printed = run("place", "tooth.ply", "--method", method, "-n", 7, "-o", "m.csv")
    assert method in printed
    found = read_landmarks(folder / "m.csv")
    assert (found.vertices == SAMPLERS[method](read(folder / "tooth.ply"), 7).vertices).all()
    assert found.record.settings["method"] == method


def test_options_of_the_process_are_refused_beside_another_method(folder):
    for options in (
        ("--until", 0.1),
        ("--kernel", "squared-exponential"),
        ("--start", "expert.csv"),
        ("--exclude", "some.txt"),
        ("--only", "some.txt"),
        ("--exclude-rim", 0.0),
        ("--only-box", "0,0,0,1,1,1"),
        ("--outer-only",),
        ("--between-vertices",),
    ):
        refused(
            "place", "tooth.ply", "--method", "random", *options, words="only a count and a seed"
        )
