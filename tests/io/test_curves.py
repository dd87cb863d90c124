"""Curves in landmark files: kept where a format can, and said where it cannot."""

import json

import numpy as np
import pytest

from gplandmark import GplandmarkWarning, LandmarkFileError, Landmarks
from gplandmark.io.landmark_files import read_landmarks
from gplandmark.io.write_landmarks import write
from gplandmark.landmarks.curves import Curve
from gplandmark.landmarks.resampled_curves import resample_curves

POINTS = np.random.default_rng(3).normal(size=(9, 3))
LAST = (Curve("ridge", (3, 4, 5)), Curve("rim", (6, 7, 8)))
MEETING = (Curve("ridge", (3, 4, 5, 0)), Curve("rim", (5, 8, 7, 6), is_closed=True))


def specimen_with(curves, **details):
    return Landmarks.at(POINTS, "skull", curves=curves, **details)


@pytest.mark.parametrize("extension", [".mrk.json", ".csv"])
def test_curves_survive_without_the_record(tmp_path, extension):
    path, record = write(specimen_with(MEETING), tmp_path / f"skull{extension}")
    record.unlink()
    found = read_landmarks(path)
    assert found.curves == MEETING
    np.testing.assert_array_equal(found.points, POINTS)


def test_tps_keeps_curves_that_come_last(tmp_path):
    path, record = write(specimen_with(LAST), tmp_path / "skull.tps")
    record.unlink()
    assert "CURVES=2\nPOINTS=3\n" in path.read_text()
    found = read_landmarks(path)
    assert [each.members for each in found.curves] == [each.members for each in LAST]
    assert found.kinds == ("fixed",) * 3 + ("semi",) * 6
    np.testing.assert_array_equal(found.points, POINTS)


def test_a_format_that_cannot_hold_curves_says_so(tmp_path):
    with pytest.warns(GplandmarkWarning, match="the curves are left out"):
        write(specimen_with(MEETING), tmp_path / "skull.tps")
    with pytest.warns(GplandmarkWarning, match=r"skull.nts cannot hold .*the curves"):
        path, _ = write(specimen_with(MEETING), tmp_path / "skull.nts")
    assert read_landmarks(path).curves == MEETING  # from the record


def test_a_curve_drawn_in_slicer_is_read(tmp_path):
    path = tmp_path / "arc.mrk.json"
    markup = {
        "type": "ClosedCurve",
        "name": "rim",
        "coordinateSystem": "LPS",
        "controlPoints": [{"label": f"C-{n}", "position": list(p)} for n, p in enumerate(POINTS)],
    }
    path.write_text(json.dumps({"markups": [markup]}))
    found = read_landmarks(path)
    assert found.curves == (Curve("rim", tuple(range(9)), is_closed=True),)
    assert set(found.kinds) == {"semi"}
    markup["type"] = "Curve"
    path.write_text(json.dumps({"markups": [markup, {**markup, "name": "other"}]}))
    found = read_landmarks(path)
    assert found.kinds[:3] == ("fixed", "semi", "semi")
    assert [each.name for each in found.curves] == ["rim", "other"]
    assert len(found) == 9  # the same points: one landmark each
    moved = [{**each, "position": [0.0, 1.0, 2.0 + at]} for at, each in
             enumerate(markup["controlPoints"])]  # fmt: skip
    path.write_text(json.dumps({"markups": [markup, {**markup, "controlPoints": moved}]}))
    found = read_landmarks(path)
    assert len(found) == 18
    assert found.curves[1].members == tuple(range(9, 18))


def test_other_markups_beside_the_first_are_refused(tmp_path):
    path = tmp_path / "two.mrk.json"
    path.write_text(json.dumps({"markups": [{"type": "Fiducial"}, {"type": "Plane"}]}))
    with pytest.raises(LandmarkFileError, match="it holds 2 markups"):
        read_landmarks(path)
    points = [{"label": "1", "position": [0, 0, 0]}]
    other = {"type": "Curve", "coordinateSystem": "RAS", "controlPoints": points}
    first = {"type": "Fiducial", "coordinateSystem": "LPS", "controlPoints": points}
    path.write_text(json.dumps({"markups": [first, other]}))
    with pytest.raises(LandmarkFileError, match="LPS and in RAS"):
        read_landmarks(path)


@pytest.mark.parametrize(
    ("cells", "words"), [(("a:x", "b"), "has 'a:x'"), (("a:1", "a:1"), "two landmarks in place 1")]
)
def test_a_column_that_does_not_describe_curves_is_refused(tmp_path, cells, words):
    path = tmp_path / "a.csv"
    path.write_text("x,y,z,curve\n" + "".join(f"0,0,{at},{c}\n" for at, c in enumerate(cells)))
    with pytest.raises(LandmarkFileError, match=words):
        read_landmarks(path)


def test_names_without_places_are_in_the_order_of_the_rows(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y,z,curve\n1,0,0,\n0,0,1,ridge\n0,0,2,ridge\n0,1,2,rim\n")
    assert read_landmarks(path).curves == (Curve("ridge", (1, 2)), Curve("rim", (3,)))


# --- resampling


def test_ends_and_other_landmarks_stay_and_points_between_are_equidistant():
    line = np.array([[0.0, 0, 0], [9, 9, 9], [0, 1, 0], [0, 1, 5], [0, 4, 0]])
    labels = ("start", "far", "b", "c", "end")
    given = Landmarks.at(line, "s", labels=labels, curves=(Curve("arc", (0, 2, 4)),))
    found = resample_curves(given, 5)
    assert found.labels == ("start", "far", "c", "end", "arc-2", "arc-3", "arc-4")
    np.testing.assert_allclose(found.points[list(found.curves[0].members)][:, 1], [0, 1, 2, 3, 4])
    np.testing.assert_array_equal(found.points[1:3], line[[1, 3]])
    assert found.kinds == ("fixed",) * 4 + ("semi",) * 3


def test_curves_that_cannot_be_resampled_are_refused():
    with pytest.raises(LandmarkFileError, match="no curve"):
        resample_curves(specimen_with(()), 5)
    with pytest.raises(LandmarkFileError, match="meet between their ends"):
        resample_curves(specimen_with((Curve("a", (0, 1, 2)), Curve("b", (3, 1, 4)))), 5)
    with pytest.raises(LandmarkFileError, match="curve a: A curve needs at least 2"):
        resample_curves(specimen_with((Curve("a", (0, 1, 2)),)), 1)
    gone = POINTS.copy()
    gone[1] = np.nan
    with pytest.raises(LandmarkFileError, match="missing point"):
        resample_curves(Landmarks.at(gone, "s", curves=(Curve("a", (0, 1, 2)),)), 4)
    with pytest.raises(LandmarkFileError, match="in one place"):
        resample_curves(Landmarks.at(np.ones((3, 3)), "s", curves=(Curve("a", (0, 1, 2)),)), 4)
    with pytest.raises(LandmarkFileError, match="does not exist"):
        specimen_with((Curve("a", (0, 99)),))
