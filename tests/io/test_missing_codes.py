"""Numbers that stand for missing landmarks, in every format and by every command."""

import warnings

import numpy as np
import pytest
from commands import refused, run
from shape_samples import base_shape, landmarks, moved

from gplandmark import GplandmarkWarning, LandmarkFileError, Landmarks, make_molar
from gplandmark.io.landmark_files import folder_files, read_collection, read_files, read_landmarks
from gplandmark.io.landmark_formats.formats import FORMATS, WRITABLE
from gplandmark.io.scans import as_ply
from gplandmark.io.start_landmarks import read_start
from gplandmark.io.write_landmarks import write, write_collection
from gplandmark.morphometrics.analysis import analyse
from gplandmark.runs.matched.reference_landmarks import expert_landmarks

pytestmark = pytest.mark.usefixtures("empty_figures")

COUNT = 8
NONE = ("--missing", "none")


def shape(middle=(40.0, 55.0, 70.0), size=3.0):
    """Landmarks of a small specimen, away from the origin."""
    return np.random.default_rng(5).uniform(-size, size, (COUNT, 3)) + middle


def coded(number, at=(2,), **place):
    points = shape(**place)
    points[list(at)] = number
    return points


def bare(points, path):
    """A file of landmarks as another program writes it: without a record."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)  # of the digits 9999 in .dta
        written, record = write(Landmarks.at(points, "a"), path)
    record.unlink()
    return written


def gone(found):
    return np.flatnonzero(found.missing).tolist()


@pytest.mark.parametrize("extension", WRITABLE)
@pytest.mark.parametrize("number", [-999, -9999, 0, -1, 12345])
def test_codes_far_from_the_specimen_are_missing_and_said(tmp_path, extension, number):
    path = bare(coded(number, at=(2, 5)), tmp_path / f"a{extension}")
    with pytest.warns(GplandmarkWarning, match=f"at {number} .* missing, on 1 specimen: a .3, 6."):
        found = read_landmarks(path)
    assert gone(found) == [2, 5]
    np.testing.assert_array_equal(np.delete(found.points, [2, 5], 0), np.delete(shape(), [2, 5], 0))


@pytest.mark.parametrize("extension", [each for each in WRITABLE if each != ".tps"])
@pytest.mark.parametrize("number", [-1.0, 0.25])
def test_a_landmark_among_the_others_is_a_place(tmp_path, extension, number):
    points = coded(number, middle=(0, 0, 0))
    assert not gone(read_landmarks(bare(points, tmp_path / f"a{extension}")))


@pytest.mark.parametrize("extension", WRITABLE)
def test_the_origin_among_the_others_is_kept_and_said(tmp_path, extension):
    path = bare(coded(0, middle=(0, 0, 0)), tmp_path / f"a{extension}")
    with pytest.warns(GplandmarkWarning, match=r"at 0 0 0 are kept, .*If they are .*--missing 0\."):
        assert not gone(read_landmarks(path))
    assert gone(read_landmarks(path, missing=(0,))) == [2]


@pytest.mark.parametrize("plane", [0, 1, 2])
@pytest.mark.parametrize("number", [-1, -99, -999, 0])
def test_codes_of_landmarks_in_a_plane(tmp_path, plane, number):
    points = coded(number)
    points[:, plane] = 7.5
    path = bare(points, tmp_path / "a.tps")
    with pytest.warns(GplandmarkWarning, match="are taken as missing, on 1 specimen: a .3."):
        assert gone(read_landmarks(path)) == [2]
    assert gone(read_landmarks(path, missing=(number,))) == [2]
    assert not gone(read_landmarks(path, missing=()))


def test_the_option_for_a_doubtful_code_in_a_plane(tmp_path):
    points = coded(9999, middle=(0, 0, 0), size=20000)
    points[:, 0] = 3
    with pytest.warns(GplandmarkWarning, match=r"at 3 9999 9999 are kept.*--missing 9999\."):
        assert not gone(read_landmarks(bare(points, tmp_path / "a.csv")))


def test_corners_of_a_cube_are_places(tmp_path):
    corners = np.array(np.meshgrid([-1.0, 1.0], [-1.0, 1.0], [-1.0, 1.0])).reshape(3, -1).T
    assert not gone(read_landmarks(bare(corners, tmp_path / "cube.csv")))
    with pytest.warns(GplandmarkWarning, match="at 0 0 0 are kept"):
        assert not gone(read_landmarks(bare((corners + 1) / 2, tmp_path / "unit.tps")))


def test_two_landmarks_at_the_origin_are_no_places(tmp_path):
    path = bare(coded(0, at=(1, 2), middle=(0, 0, 0)), tmp_path / "a.csv")
    with pytest.warns(GplandmarkWarning, match="at 0 0 0 are taken as missing"):
        assert gone(read_landmarks(path)) == [1, 2]


def test_negative_numbers_are_codes_in_tps_only_if_all_others_are_positive(tmp_path):
    near = (3.2, 3.2, 3.2)  # a specimen that begins just above 0, as tpsDig has it
    path = bare(coded(-1, middle=near), tmp_path / "a.tps")
    with pytest.warns(GplandmarkWarning, match="at -1 -1 -1 are taken as missing"):
        assert gone(read_landmarks(path)) == [2]
    path.write_text(path.read_text().replace("ID=", "SCALE=0.5\nID="))
    with (
        pytest.warns(GplandmarkWarning, match="multiplied by SCALE=0.5"),
        pytest.warns(GplandmarkWarning, match=r"at -0.5 -0.5 -0.5 are taken as missing"),
    ):
        assert gone(read_landmarks(path)) == [2]
    assert not gone(read_landmarks(bare(coded(-1, middle=(0, 0, 0)), tmp_path / "b.tps")))
    with pytest.warns(GplandmarkWarning, match="at -1 -1 -1 are kept, .*: a .3.. If they are miss"):
        assert not gone(read_landmarks(bare(coded(-1, middle=near), tmp_path / "c.csv")))


@pytest.mark.parametrize("number", [-999, 9999])
def test_a_customary_code_inside_a_large_specimen_is_kept_and_said(tmp_path, number):
    path = bare(coded(number, middle=(0, 0, 0), size=20000), tmp_path / "a.csv")
    with pytest.warns(GplandmarkWarning, match=f"at {number} .* are kept"):
        assert not gone(read_landmarks(path))


def test_a_specimen_of_nothing_but_codes_has_no_landmarks(tmp_path):
    path = bare(np.full((4, 3), -999.0), tmp_path / "a.csv")
    with pytest.warns(GplandmarkWarning, match="are taken as missing"):
        assert gone(read_landmarks(path)) == [0, 1, 2, 3]


def test_a_code_in_some_coordinates_is_refused(tmp_path):
    points = shape()
    points[3, :2] = -99
    with pytest.raises(LandmarkFileError, match=r"landmark 4 of a has -99, a code"):
        read_landmarks(bare(points, tmp_path / "twice.csv"))
    points[3, :2] = -999
    path = bare(points, tmp_path / "a.csv")
    with pytest.raises(LandmarkFileError, match=r"a\.csv: landmark 4 of a has -999, a code"):
        read_landmarks(path)
    np.testing.assert_array_equal(read_landmarks(path, missing=()).points, points)
    with pytest.raises(LandmarkFileError, match="landmark 4 of a has -999, a code"):
        read_landmarks(path, missing=(-999,))


def test_the_user_decides(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = bare(coded(0), tmp_path / "a.csv")
    assert gone(read_landmarks(path, missing=(0,))) == [2]
    assert not gone(read_landmarks(path, missing=()))
    assert not gone(read_landmarks(path, missing=(-5,)))
    run("convert", path, "b.tps", *NONE)
    assert not gone(read_landmarks("b.tps"))  # its record says that these are places
    run("convert", bare(coded(3, middle=(0, 0, 0)), tmp_path / "c.csv"), "d.tps", "--missing", "3")
    assert gone(read_landmarks("d.tps")) == [2]
    refused("convert", path, "e.tps", "--missing", "nine", words="give a number")


def test_codes_of_the_format_are_missing_whatever_the_user_says(tmp_path):
    points = shape()
    points[2] = np.nan
    for extension in (".pts", ".txt", ".dta", ".nts"):
        assert gone(read_landmarks(bare(points, tmp_path / f"a{extension}"), missing=())) == [2]


def test_a_folder_gets_one_note(tmp_path):
    for name in "abcde":
        bare(coded(-999), tmp_path / f"{name}.mrk.json")
    with pytest.warns(GplandmarkWarning) as caught:
        found = read_files(folder_files(tmp_path))
    assert [gone(each) for each in found] == [[2]] * 5
    assert [str(each.message) for each in caught] == [
        "Landmarks at -999 -999 -999 are taken as missing, on 5 specimens: a (3), b (3), c (3) and "
        "2 more. If they are places: gplandmark convert --missing none."
    ]


def test_landmarks_in_the_plane_and_on_a_line(tmp_path):
    (tmp_path / "a.csv").write_text("x1,x2\n-999,-999\n50,60\n51,62\n53,61\n")
    with pytest.warns(GplandmarkWarning, match="at -999 -999 are taken as missing"):
        assert gone(read_landmarks(tmp_path / "a.csv")) == [0]
    (tmp_path / "b.csv").write_text("x1\n-999\n50\n51\n53\n")
    assert not gone(read_landmarks(tmp_path / "b.csv"))


def test_every_readable_format_is_searched(tmp_path):
    contents = {
        ".landmarkascii": "# AmiraMesh 3D ASCII 2.0\ndefine Markers 4\n"
        "Markers { float[3] Coordinates } @1\n@1\n{}\n",
        ".pp": "<PickedPoints>{}</PickedPoints>",
        ".ckpt": "[Landmarks]\nNumberOfPoints: 4\n{}\n",
    }
    rows = [(-999, -999, -999), (50, 60, 70), (51, 62, 71), (52, 60, 73)]
    lines = {
        ".landmarkascii": "\n".join("{} {} {}".format(*row) for row in rows),
        ".pp": "".join('<point x="{}" y="{}" z="{}"/>'.format(*row) for row in rows),
        ".ckpt": "\n".join(
            '{0} 0 N 0 {1} {2} {3} 0 0 0 "n{0}"'.format(i, *row) for i, row in enumerate(rows)
        ),
    }
    assert {*contents, *WRITABLE} == set(FORMATS)
    for extension, content in contents.items():
        path = tmp_path / f"a{extension}"
        path.write_text(content.replace("{}", lines[extension]))
        with pytest.warns(GplandmarkWarning, match="are taken as missing"):
            assert gone(read_landmarks(path)) == [0]


# --- commands


def sample_of(count=10):
    random = np.random.default_rng(8)
    base = base_shape(random)
    points = [
        moved(base + 0.1 * random.normal(size=base.shape), random, scale=False) + 400
        for _ in range(count)
    ]
    return np.stack(points)


def written(points, path):
    """A table of the sample, without a record."""
    labels = tuple(f"p{place}" for place in range(points.shape[1]))
    path, record = write_collection(landmarks(points, labels=labels), path)
    record.unlink()
    return path


@pytest.mark.parametrize("number", [-999, -9999, 9999, 0])
def test_what_is_coded_is_estimated(tmp_path, number):
    points = sample_of()
    points[4, 7] = np.nan
    expected = analyse(read_collection(written(points, tmp_path / "absent.csv")))
    points[4, 7] = number
    path = written(points, tmp_path / "coded.csv")
    with pytest.warns(GplandmarkWarning, match=f"at {number} .* taken as missing.*s4 .p7."):
        found = analyse(read_collection(path))
    np.testing.assert_array_equal(found.distances, expected.distances)
    with pytest.warns(GplandmarkWarning, match="Unlike the rest; check them: s4 "):
        wrong = analyse(read_collection(path, missing=()))
    assert any("Unlike the rest" in note for note in wrong.notes)
    assert wrong.components.variance_fractions[0] > 0.9  # what it would be if nobody looked


@pytest.mark.parametrize("count", [3, 10])
def test_one_specimen_in_other_units_is_named(count):
    points = sample_of(count)
    points[2] *= 1000
    with pytest.warns(GplandmarkWarning, match=r"Unlike the rest; check them: s2 .centroid size"):
        found = analyse(landmarks(points), keep_size=True)
    assert any("times the median; is it in another unit?" in note for note in found.notes)


def test_a_landmark_elsewhere_is_named():
    points = sample_of()
    points[4, 7] += 4
    with pytest.warns(GplandmarkWarning, match="s4 .*landmark 8 lies elsewhere"):
        analyse(landmarks(points))


@pytest.mark.slow
def test_the_report_of_an_analysis_names_codes_and_outliers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    points = sample_of()
    points[4, 7] = -999
    points[6] *= 1000
    written(points, tmp_path / "sample.csv")
    with (
        pytest.warns(GplandmarkWarning, match="Unlike the rest; check them: s6"),
        pytest.warns(GplandmarkWarning, match="are taken as missing"),
    ):
        run("analyze", "sample.csv", "--keep-size", "-o", "results")
    report = (tmp_path / "results" / "report.html").read_text()
    assert "Landmarks at -999 -999 -999 are taken as missing, on 1 specimen: s4 (p7)." in report
    assert "Unlike the rest; check them: s6 (centroid size" in report


def test_check_and_start_leave_codes_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    surface = make_molar(3, vertex_count=900).surface
    (tmp_path / "a.ply").write_bytes(as_ply(surface))
    points = surface.points[[5, 100, 300, 500, 700]].copy()
    points[2] = -999
    path = bare(points, tmp_path / "a.csv")
    with pytest.warns(GplandmarkWarning, match="are taken as missing"):
        assert "They fit" in run("check", "a.ply", "a.csv")
    assert "off the surface" in run("check", "a.ply", "a.csv", *NONE)
    with pytest.warns(GplandmarkWarning, match="are taken as missing"):
        assert read_start(path, surface).vertices.tolist() == [5, 100, 500, 700]
    with pytest.warns(GplandmarkWarning, match="are taken as missing"):
        assert expert_landmarks(surface, path).labels == ("1", "2", "4", "5")
