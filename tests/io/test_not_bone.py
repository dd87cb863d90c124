# SPDX-License-Identifier: MIT
"""What is painted as not bone: the list beside a scan, and what reading leaves out."""

import numpy as np
import pytest
from conftest import SMALL
from result_folders import write_off

from gplandmark import MolarShape, Rules, Surface, make_molar, match_pair, place, read
from gplandmark.errors import GplandmarkWarning, ScanError, SettingsError
from gplandmark.io.scans.not_bone import (
    not_bone_digest,
    not_bone_file,
    read_not_bone,
    write_not_bone,
)
from gplandmark.io.scans.read import read_cleaned

KEEP = Rules(not_bone="keep")
MOLAR = make_molar(3, vertex_count=900).surface
PAINTED = MOLAR.points[:, 0] > np.quantile(MOLAR.points[:, 0], 0.8)


@pytest.fixture
def scan(tmp_path):
    path = tmp_path / "tooth.off"
    write_off(path, MOLAR)
    return path


def paint(scan, mask=PAINTED):
    return write_not_bone(read_cleaned(scan, KEEP).surface, mask, scan)


def test_the_list_has_the_vertices_of_the_scan_and_is_read_back(scan):
    path = paint(scan)
    assert path == scan.with_name("tooth.not-bone.txt")
    lines = path.read_text().splitlines()
    numbers = [int(line) for line in lines if not line.startswith("#")]
    assert numbers == np.flatnonzero(PAINTED).tolist()
    whole = read_cleaned(scan, KEEP).surface
    assert whole.vertex_count == MOLAR.vertex_count
    assert (read_not_bone(whole, scan) == PAINTED).all()


def test_reading_leaves_the_paint_out_says_so_and_keeps_the_numbers(scan):
    paint(scan)
    with pytest.warns(GplandmarkWarning, match="vertices painted as not bone left out"):
        surface = read(scan)
    kept = surface.in_file(np.arange(surface.vertex_count))
    assert not PAINTED[kept].any()
    assert (surface.points == MOLAR.points[kept]).all()
    assert surface.file_vertex_count == MOLAR.vertex_count
    assert (surface.left_out == MOLAR.points[PAINTED]).all()
    assert surface.source.not_bone == not_bone_digest(scan, "tooth")


@pytest.mark.filterwarnings("ignore::gplandmark.errors.GplandmarkWarning")
def test_landmarks_stay_off_the_paint_and_have_numbers_of_the_scan(scan):
    paint(scan)
    landmarks = place(read(scan), 15, settings=SMALL)
    assert not PAINTED[landmarks.vertices].any()
    assert (landmarks.points == MOLAR.points[landmarks.vertices]).all()
    cleaning = landmarks.record.input["cleaning"]
    assert cleaning["findings"]["not_bone"]["count"] == int(PAINTED.sum())


def test_a_band_of_paint_leaves_both_sides_of_it(scan):
    x = MOLAR.points[:, 0]
    paint(scan, np.abs(x - np.median(x)) < 0.15 * np.ptp(x))
    surface = read_cleaned(scan).surface
    assert (surface.points[:, 0] < np.median(x)).any()
    assert (surface.points[:, 0] > np.median(x)).any()


def test_points_that_coincide_with_paint_are_painted(tmp_path):
    path = tmp_path / "soup.off"
    write_off(path, Surface(MOLAR.points[MOLAR.faces()].reshape(-1, 3),
                            np.arange(3 * len(MOLAR.faces())).reshape(-1, 3)))  # fmt: skip
    whole = read_cleaned(path, KEEP).surface
    paint(path, whole.points[:, 0] > 0)
    assert read_cleaned(path).surface.points[:, 0].max() <= 0


def test_nothing_of_the_list_is_lost_that_cleaning_leaves_out(tmp_path):
    apart = MOLAR.points[:50] + 100
    points = np.vstack([MOLAR.points, apart])
    path = tmp_path / "two.off"
    extra = np.arange(48)[:, None] + np.arange(3) + MOLAR.vertex_count
    write_off(path, Surface(points, np.vstack([MOLAR.faces(), extra])))
    away = MOLAR.vertex_count + 7
    not_bone_file(path, "two").write_text(f"# mine\n5 {away}\n")
    whole = read_cleaned(path, KEEP).surface
    assert whole.vertex_count == MOLAR.vertex_count  # the small piece is left out
    mask = read_not_bone(whole, path)
    assert np.flatnonzero(mask).tolist() == [5]
    mask[6] = True
    text = write_not_bone(whole, mask, path).read_text().splitlines()
    assert [line for line in text if not line.startswith("#")] == ["5", "6", str(away)]


def test_erasing_everything_removes_the_list(scan):
    path = paint(scan)
    paint(scan, np.zeros_like(PAINTED))
    assert not path.exists()
    assert read(scan).left_out is None


def test_a_link_is_replaced_and_what_it_leads_to_stays(scan, tmp_path):
    other = tmp_path / "precious.txt"
    other.write_text("1\n")
    not_bone_file(scan, "tooth").symlink_to(other)
    paint(scan)
    assert other.read_text() == "1\n"
    assert not not_bone_file(scan, "tooth").is_symlink()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("900000\n", "has the vertex 900000"),
        ("-1\n", "has the vertex -1, but those of tooth are 0 to"),
        ("# vertices of the scan: 12\n3\n", "painted on another version of tooth"),
        (f"# sha256 of the scan: {'0' * 64}\n3\n", "painted on another version of tooth"),
        ("not numbers\n", "cannot be read as numbers"),
        ("1.5\n", "some are not integers"),
    ],
)
def test_a_list_of_another_scan_or_a_damaged_one_is_refused(scan, text, words):
    not_bone_file(scan, "tooth").write_text(text)
    with pytest.raises(ScanError, match=words):
        read(scan)
    with pytest.raises(ScanError, match=words):
        read_not_bone(read_cleaned(scan, KEEP).surface, scan)


def test_a_scan_that_is_painted_everywhere_is_refused(scan):
    paint(scan, np.ones_like(PAINTED))
    with pytest.raises(ScanError, match="painted as not bone everywhere"):
        read(scan)


def test_there_is_no_other_rule_than_to_keep_it():
    with pytest.raises(SettingsError, match="no rule 'fix' for not bone"):
        Rules(not_bone="fix")


def test_a_cloud_loses_its_painted_points(tmp_path):
    path = tmp_path / "cloud.xyz"
    np.savetxt(path, MOLAR.points)
    not_bone_file(path, "cloud").write_text("0\n1\n")
    surface = read_cleaned(path).surface
    assert surface.in_file(np.arange(3)).tolist() == [2, 3, 4]


@pytest.mark.filterwarnings("ignore::gplandmark.errors.GplandmarkWarning")
@pytest.mark.slow
def test_points_that_would_be_carried_onto_paint_are_absent(tmp_path):
    shape = MolarShape(variation=0.04)
    other = make_molar(4, vertex_count=1500, shape=shape)
    source = make_molar(3, vertex_count=1500, shape=shape)
    places = np.array([[0.36, 0.36], [0.3, -0.38], [-0.3, 0.0], [0.0, 0.7], [0.1, -0.8]])
    path = tmp_path / "other.off"
    write_off(path, other.surface)
    spot = np.linalg.norm(other.surface.points - other.at(places)[2], axis=1)
    painted = spot < 0.12 * np.ptp(other.surface.points)
    paint(path, painted)
    carried = match_pair(source.surface, read(path)).carry(source.at(places))
    assert carried.absent.tolist() == [False, False, True, False, False]
    assert carried.confidence[2] == 0
    rest = [0, 1, 3, 4]
    errors = np.linalg.norm(carried.points - other.at(places), axis=1)[rest]
    assert errors.max() < 0.1 * np.ptp(other.surface.points)
