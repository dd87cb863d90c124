"""The command slide, as a user meets it."""

import warnings

import numpy as np
import pytest
from commands import refused, run
from shape_samples import landmarks

from gplandmark import GplandmarkWarning, Landmarks, Surface
from gplandmark.io.landmark_files import read_collection, read_landmarks
from gplandmark.io.scans import as_ply
from gplandmark.io.write_landmarks import write_collection
from gplandmark.landmarks.curves import Curve
from gplandmark.mesh.synthetic import sphere

pytestmark = pytest.mark.usefixtures("empty_figures")

LABELS = tuple(f"p{number}" for number in range(15))
RING = tuple(range(12))


def rings(random, specimens=5):
    """Points on unit spheres: a ring, and three landmarks elsewhere."""
    angles = 2 * np.pi * np.arange(12) / 12
    found = []
    for _ in range(specimens):
        shifted = angles + 0.12 * random.normal(size=12)
        ring = np.column_stack([0.8 * np.cos(shifted), 0.8 * np.sin(shifted), 0 * angles + 0.6])
        rest = [[0, 0, 1.0], [0.6, 0, -0.8], [0, -0.8, -0.6]]
        found.append(np.vstack([ring, rest]))
    return np.array(found)


@pytest.fixture
def folder(tmp_path, monkeypatch, random):
    monkeypatch.chdir(tmp_path)
    points = rings(random)
    points[1, 13] = np.nan
    write_collection(landmarks(points, labels=LABELS), "rings.csv")
    rows = ["curve,landmark,closed", *(f"ring,{LABELS[at]},yes" for at in RING)]
    (tmp_path / "curves.csv").write_text("\n".join(rows) + "\n")
    return tmp_path


def test_points_of_a_curve_slide_and_the_others_stay_to_the_last_digit(folder):
    said = run("slide", "rings.csv", "--curves", "curves.csv", "-o", "slid.csv")
    assert "12 along curves, 0 over surfaces" in said
    before, after = read_collection("rings.csv"), read_collection("slid.csv")
    for old, new in zip(before, after, strict=True):
        np.testing.assert_array_equal(new.points[12:], old.points[12:])
        assert (np.linalg.norm(new.points - old.points, axis=1)[:12] > 0).any()
        assert new.curves == (Curve("ring", RING, is_closed=True),)
        assert new.kinds == ("semi",) * 12 + ("fixed",) * 3
        assert new.record.request["slide"]["by"] == "bending-energy"
    assert after[1].missing.tolist() == [at == 13 for at in range(15)]


def test_files_that_state_their_curves_need_no_table(folder):
    run("slide", "rings.csv", "--curves", "curves.csv", "-o", "slid", "--rounds", 1)
    given = run("slide", "slid", "-o", "twice.csv", "--by", "procrustes")
    assert "12 along curves" in given
    assert read_landmarks(folder / "slid" / "s0.mrk.json").curves


def test_points_on_a_smaller_piece_of_a_scan_stay_on_it(folder, random):
    (folder / "scans").mkdir()
    ball = sphere(4).surface
    triangles = ball.faces()
    upper = ball.points[triangles, 2].min(axis=1) > 0.3  # a cap, and a larger one below it
    lower = ball.points[triangles, 2].max(axis=1) < 0.1
    scan = Surface(ball.points, triangles[upper | lower])
    for number in range(5):
        (folder / "scans" / f"s{number}.ply").write_bytes(as_ply(scan))
    options = ("--curves", "curves.csv", "--surface-points", "13", "--scans", "scans")
    with pytest.warns(GplandmarkWarning, match="1 piece beside the largest kept"):
        run("slide", "rings.csv", *options, "-o", "slid.csv")
    for each in read_collection("slid.csv"):
        assert each.points[:13, 2].min() > 0.3


def test_landmarks_return_to_the_scans(folder, random):
    (folder / "scans").mkdir()
    for number in range(5):
        ball = sphere(4).surface
        scan = Surface(ball.points, ball.triangles)
        (folder / "scans" / f"s{number}.ply").write_bytes(as_ply(scan))
    options = ("--curves", "curves.csv", "--surface-points", "13-15", "--scans", "scans")
    said = run("slide", "rings.csv", *options, "-o", "slid.csv")
    assert "3 over surfaces" in said
    for each in read_collection("slid.csv"):
        radii = np.linalg.norm(each.points[~each.missing], axis=1)
        np.testing.assert_allclose(radii, 1, atol=0.01)
        assert np.abs(each.points[:12, 2] - 0.6).max() < 0.06  # still on the ring
    (folder / "scans" / "s3.ply").unlink()
    refused("slide", "rings.csv", *options, "-o", "again.csv", words="no scan of specimen s3")
    refused("slide", "rings.csv", *options, "-o", "x.csv", "--like-geomorph", words="no scans")


def test_a_patch_that_nothing_holds_is_said(folder):
    with pytest.warns(GplandmarkWarning, match="Only 3 of the landmarks are fixed or on a curve"):
        run("slide", "rings.csv", "--surface-points", "1-12", "-o", "held.csv", "--rounds", 1)
    run("slide", "rings.csv", "--surface-points", "1-11", "-o", "enough.csv", "--rounds", 1)


def test_geomorphs_table_of_sliders_is_read(folder):
    rows = [f"{(at - 1) % 12 + 1},{at + 1},{(at + 1) % 12 + 1}" for at in RING]
    (folder / "sliders.csv").write_text("before,slide,after\n" + "\n".join(rows) + "\n")
    run("slide", "rings.csv", "--curves", "sliders.csv", "-o", "a.csv", "-q")
    run("slide", "rings.csv", "--curves", "curves.csv", "-o", "b.csv", "-q")
    for one, other in zip(read_collection("a.csv"), read_collection("b.csv"), strict=True):
        np.testing.assert_allclose(one.points, other.points)
    run("slide", "rings.csv", "--curves", "curves.csv", "--like-geomorph", "-o", "c.csv", "-q")
    assert (read_collection("c.csv")[0].points != read_collection("b.csv")[0].points).any()


def test_what_cannot_slide_is_refused(folder):
    refused("slide", "rings.csv", "-o", "x.csv", words="do not say which landmarks slide")
    bad = folder / "bad.csv"
    bad.write_text("curve,landmark\nring,p1\nring,p77\n")
    refused("slide", "rings.csv", "--curves", bad, "-o", "x.csv", words="no landmark 'p77'")
    bad.write_text("curve,landmark\nring,p1\nring,p2\n")
    refused("slide", "rings.csv", "--curves", bad, "-o", "x.csv", words="ring has 2 points")
    bad.write_text("a,b\n1,2\n")
    refused("slide", "rings.csv", "--curves", bad, "-o", "x.csv", words="expected a table whose")
    refused(
        "slide", "rings.csv", "--surface-points", "3-99", "-o", "x.csv", words="no landmark '99'"
    )
    refused("slide", "rings.csv", "--surface-points", "3", "-o", "rings.csv", words="is one of the")
    assert not (folder / "x.csv").exists()


def test_specimens_with_different_curves_are_refused(folder, random):
    points = rings(random)
    given = [Landmarks.at(each, f"s{at}", curves=(Curve("r", RING[: 4 + at]),))
             for at, each in enumerate(points)]  # fmt: skip
    write_collection(given, "mixed.csv")
    refused("slide", "mixed.csv", "-o", "x.csv", words="do not have the same curves")


def test_convert_resamples_curves(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)
        run("slide", "rings.csv", "--curves", "curves.csv", "-o", "slid.csv", "-q")
        run("convert", "slid.csv", "fine.csv", "--resample-curves", 30)
    assert {len(each) for each in read_collection("fine.csv")} == {33}


@pytest.mark.filterwarnings("ignore::gplandmark.GplandmarkWarning")
@pytest.mark.parametrize("by", ["bending-energy", "procrustes"])
def test_analyze_slides_as_the_command_does(folder, by, random):
    points = rings(random)
    curves, kinds = (Curve("ring", RING, is_closed=True),), ("semi",) * 12 + ("fixed",) * 3
    given = landmarks(points, labels=LABELS, curves=curves, kinds=kinds)
    write_collection(given, "stated.csv")
    run("slide", "stated.csv", "--by", by, "-o", "slid.csv")
    run("analyze", "slid.csv", "-o", "one")
    run("analyze", "stated.csv", "--slide", by, "-o", "other")
    one, other = ((folder / name / "scores.csv").read_text() for name in ("one", "other"))
    assert one == other
    run("analyze", "stated.csv", "-o", "unslid")
    assert (folder / "unslid" / "scores.csv").read_text() != one
    assert (
        "If they have not slid yet, add --slide" in (folder / "unslid" / "report.html").read_text()
    )
    report = (folder / "other" / "report.html").read_text()
    assert "12 semilandmarks slid along curves and 0 over surfaces, without scans" in report
    refused("analyze", "rings.csv", "--slide", by, "-o", "none", words="do not say which landmarks")
