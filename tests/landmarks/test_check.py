"""Do landmarks lie on a surface; if not, which mistake explains it."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import specimen
from hypothesis import given, settings
from hypothesis import strategies as st

from gplandmark import (
    GplandmarkWarning,
    LandmarkFileError,
    Landmarks,
    ScanError,
    Surface,
    check,
    place,
    read,
    read_landmarks,
    to_system,
    write,
    write_collection,
)
from gplandmark.cli.main import cli
from gplandmark.io.scans import as_ply
from gplandmark.landmarks.check import AXES, FLIPS, SCALES
from gplandmark.mesh.synthetic import make_molar

AWAY = np.array([11.0, 17.0, 23.0])  # from the origin, about which mistakes turn and scale


@pytest.fixture(scope="module")
def surface():
    molar = make_molar(1, vertex_count=700).surface
    return Surface(molar.points + AWAY, molar.triangles, "molar")


@pytest.fixture(scope="module")
def landmarks(surface):
    """Inside triangles, not at their corners."""
    corners = surface.points[surface.faces()[::60]]
    return Landmarks.at(corners.mean(axis=1), "molar")


def changed(landmarks, flip=(), scale=1.0):
    factors = np.full(3, scale)
    factors[list(flip)] *= -1
    return replace(landmarks, points=landmarks.points * factors)


def test_landmarks_inside_triangles_fit(surface, landmarks):
    result = check(surface, landmarks)
    assert result.fits
    assert result.mistake is None
    assert result.distances.max() < 1e-12 * result.size


def test_distances_are_from_the_triangles():
    square = Surface([[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]], [[0, 1, 2], [0, 2, 3]])
    points = np.array([[1.0, 3, 2], [2, 2, 0], [7, 8, 0], [np.nan] * 3])
    result = check(square, Landmarks.at(points, "a"))
    np.testing.assert_allclose(result.distances, [2, 0, 5, np.nan], atol=1e-12)
    assert result.size == pytest.approx(np.sqrt(32))
    assert not result.fits


@pytest.mark.parametrize("flip", FLIPS[1:])
def test_turned_signs_are_named(surface, landmarks, flip):
    result = check(surface, changed(landmarks, flip))
    assert not result.fits
    assert (result.mistake.flipped, result.mistake.scale) == ("".join(AXES[i] for i in flip), 1)
    assert ("LPS" in str(result.mistake)) == (flip == (0, 1))


@pytest.mark.parametrize("scale", list(SCALES)[1:])
@pytest.mark.parametrize("flip", [(), (0, 1)])
def test_other_units_are_named(surface, landmarks, scale, flip):
    result = check(surface, changed(landmarks, flip, 1 / scale))
    assert not result.fits
    assert result.mistake.scale == scale
    assert result.mistake.flipped == "".join(AXES[i] for i in flip)


@settings(max_examples=20)
@given(unit=st.floats(1e-3, 1e3))
def test_the_verdict_does_not_depend_on_the_unit(unit):
    molar = make_molar(1, vertex_count=300).surface
    surface = Surface((molar.points + AWAY) * unit, molar.triangles)
    points = surface.points[::10]
    assert check(surface, Landmarks.at(points, "a")).fits
    mistake = check(surface, changed(Landmarks.at(points, "a"), (0,), 0.001)).mistake
    assert (mistake.flipped, mistake.scale) == ("x", 1e3)


def test_the_old_name_of_the_stated_change_still_works():
    surface = make_molar(0, vertex_count=300).surface
    found = check(surface, Landmarks.at(surface.points[:9], "a"))
    with pytest.warns(DeprecationWarning, match="use stated"):
        assert found.told is found.stated


def test_a_nearly_symmetric_specimen_hides_no_mistake(tmp_path):
    molar = make_molar(0).surface
    points = place(molar, 40).points
    for flip in ([-1, -1, 1], [-1, 1, 1]):
        found = check(molar, Landmarks.at(points * flip, "molar"))
        assert found.stated.fits  # by the median alone
        assert found.better is not None
        assert not found.fits
        assert found.mistake.turned == "".join(np.array(list("xyz"))[np.array(flip) < 0])
    (tmp_path / "molar.ply").write_bytes(as_ply(molar))
    write(Landmarks.at(points * [-1, -1, 1], "molar"), tmp_path / "molar.csv")
    said = CliRunner().invoke(cli, ["check", str(tmp_path / "molar.ply"),
                                    str(tmp_path / "molar.csv"), "-q"],
                              standalone_mode=False)  # fmt: skip
    assert said.return_value == 1
    assert "They do not all fit" in said.output
    assert "They fit with the signs of x and y turned" in said.output
    few = points.copy()
    few[:2] += 1  # two of forty are no reason to doubt the others
    assert check(molar, Landmarks.at(few, "molar")).fits


def test_another_specimen_fits_with_no_change(surface, landmarks):
    elsewhere = replace(landmarks, points=landmarks.points[:, ::-1] + 30)
    result = check(surface, elsewhere)
    assert (result.fits, result.mistake) == (False, None)


def test_a_dot_does_not_fit_although_it_lies_on_the_surface(landmarks):
    molar = make_molar(1, vertex_count=700).surface
    through = Surface(molar.points - molar.points[5], molar.triangles)  # the origin lies on it
    points = (through.points[::20] + 40) * 10
    result = check(through, Landmarks.at(points, "a"))
    assert (result.fits, result.mistake) == (False, None)


def test_the_system_that_the_file_tells_is_heeded(surface, landmarks):
    lps = replace(landmarks, system="LPS")
    ras = to_system(lps, "RAS")
    assert check(surface, lps).fits
    assert check(surface, ras).fits
    assert check(surface, ras).stated.flipped == "xy"
    wrong = check(surface, replace(lps, system="RAS"))
    assert not wrong.fits
    assert wrong.mistake.is_mark_wrong
    assert wrong.mistake.scale == 1


@pytest.mark.parametrize("scale", [1.0, 1e3])
@pytest.mark.parametrize("flip", [(), (0,), (1,), (2,), (0, 2), (1, 2), (0, 1, 2)])
def test_in_a_file_marked_ras_mistakes_are_told_besides_the_mark(surface, landmarks, flip, scale):
    ras = to_system(replace(landmarks, system="LPS"), "RAS")
    result = check(surface, changed(ras, flip, 1 / scale))
    assert result.fits == (flip == () and scale == 1)
    found = result.mistake or result.stated
    assert (found.turned, found.scale) == ("".join(AXES[i] for i in flip), scale)
    assert found.steps == (flip != ()) + (scale != 1)
    assert not found.is_mark_wrong
    assert "LPS" not in str(found)


def test_the_advice_for_files_marked_ras_can_be_followed(tmp_path, surface, landmarks):
    scan = tmp_path / "molar.ply"
    scan.write_bytes(as_ply(surface))
    lps = replace(landmarks, system="LPS")
    metres, _ = write(changed(to_system(lps, "RAS"), (), 1e-3), tmp_path / "metres.fcsv")
    output, status = run(scan, metres, "-q")
    assert status == 1
    assert "They fit with all coordinates times 1000 (m taken for mm, or mm for um): " in output
    assert output.endswith("Try: gplandmark convert --scale 1000\n")
    arguments = ["convert", str(metres), str(tmp_path / "new.fcsv"), "--scale", "1000"]
    CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert run(scan, tmp_path / "new.fcsv", "-q")[1] == 0
    wrong, _ = write(replace(changed(lps, (), 1e-3), system="RAS"), tmp_path / "wrong.fcsv")
    output, status = run(scan, wrong, "-q")
    assert status == 1
    assert (
        "times 1000 (m taken for mm, or mm for um), and the file is wrongly marked RAS: " in output
    )
    assert output.endswith(
        "Try: correct the mark in the file, then gplandmark convert --scale 1000\n"
    )
    content = json.loads(run(scan, wrong, "--json")[0])
    assert content["mistake"]["mark_is_wrong"]
    wrong.write_text(wrong.read_text().replace("= RAS", "= LPS"))
    arguments[1:3] = [str(wrong), str(tmp_path / "right.fcsv")]
    CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert run(scan, tmp_path / "right.fcsv", "-q")[1] == 0


def test_what_cannot_be_checked(surface):
    with pytest.raises(LandmarkFileError, match="no landmark that is not missing"):
        check(surface, Landmarks.at(np.full((2, 3), np.nan), "a"))
    with pytest.raises(ScanError, match="no triangles"):
        check(Surface(surface.points), Landmarks.at(surface.points[:2], "a"))


def run(*arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)
        done = CliRunner().invoke(
            cli, ["check", *map(str, arguments)], catch_exceptions=False, standalone_mode=False
        )
    return done.output, done.return_value


def test_the_command_says_how_far_and_whether(tmp_path, surface, landmarks):
    scan = tmp_path / "molar.ply"
    scan.write_bytes(as_ply(surface))
    points = landmarks.points.copy()
    points[1] += [0, 0, 1]
    points[2] = np.nan
    good, _ = write(replace(landmarks, points=points), tmp_path / "good.csv")
    output, status = run(scan, good)
    assert status == 0
    lines = [line.split() for line in output.splitlines()]
    assert lines[2][2:] == ["off", "the", "surface"]
    assert lines[3] == ["3", "missing"]
    assert "They fit: the median distance is" in output
    assert f"1 of {len(landmarks)} lie off the surface: 2." in output
    several = [replace(landmarks, points=points + 50, specimen="other"), landmarks]
    assert run(scan, write_collection(several, tmp_path / "all.tps")[0], "-q")[1] == 0
    flipped, _ = write(changed(landmarks, (0,), 0.1), tmp_path / "flipped.csv")
    output, status = run(scan, flipped, "-q")
    assert status == 1
    assert "the sign of x turned (mirrored) and all coordinates times 10" in output
    assert "convert --scale 10" in output
    output, status = run(scan, flipped, "--json")
    content = json.loads(output)
    assert (content["fits"], content["mistake"]["flipped"], status) == (False, "x", 1)
    assert len(content["landmarks"]) == len(landmarks)
    wrong, _ = write(replace(landmarks, system="RAS"), tmp_path / "wrong.mrk.json")
    assert "wrongly marked RAS" in run(scan, wrong, "-q")[0]
    far, _ = write(replace(landmarks, points=landmarks.points + 30), tmp_path / "far.csv")
    assert "belong to another specimen" in run(scan, far, "-q")[0]


@pytest.mark.filterwarnings("ignore:.*are left out:gplandmark.GplandmarkWarning")
def test_a_real_skull_fits_and_its_mirror_images_are_named(tmp_path):
    scan = specimen("data/skull/CAST_EIJ.ply")
    skull, known = read(scan), read_landmarks(specimen("data/skull/CAST_EIJ.mrk.json"))
    result = check(skull, known)
    assert result.fits
    assert len(result.distances) == 51
    assert not result.off.any()
    assert result.stated.median < 0.002 * result.size
    for flip in ((0, 1), (0,), (1,), (2,)):
        mistake = check(skull, changed(known, flip)).mistake
        assert mistake.flipped == "".join(AXES[axis] for axis in flip)
        assert mistake.scale == 1
    path, _ = write(changed(known, (0, 1)), tmp_path / "flipped.mrk.json")
    output, status = run(scan, path, "-q")
    assert status == 1
    assert "the signs of x and y turned (LPS and RAS confused)" in output


@pytest.mark.parametrize("command", ["check", "picture", "share", "view"])
def test_swapped_arguments_are_named(command):
    more = ["-o", "a.png"] if command == "picture" else []
    run = CliRunner().invoke(cli, [command, "a.mrk.json", "a.ply", *more])
    expected = f"The scan comes first: gplandmark {command} a.ply a.mrk.json"
    assert str(run.exception) == expected
