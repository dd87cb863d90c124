"""Curves and patches of an expert, carried by transfer, match and predict."""

import shutil

import numpy as np
import pytest
from click.testing import CliRunner

from gplandmark import (
    Landmarks,
    MolarShape,
    make_molar,
    read_collection,
    read_landmarks,
    write,
    write_collection,
)
from gplandmark.cli.main import cli
from gplandmark.errors import GplandmarkError, GplandmarkWarning
from gplandmark.io.scans.ply import as_ply
from gplandmark.landmarks.curves import Curve
from gplandmark.landmarks.curves_on_surface import SurfacePaths
from gplandmark.runs.joint_files import in_order_of_labels

pytestmark = pytest.mark.usefixtures("empty_figures")

ENDS = np.array([[0.36, 0.36], [0.3, -0.38], [-0.3, 0.0]])
ALONG = np.linspace(0, 1, 7)[:, None] ** 1.5  # unevenly spaced
RIDGE = (1 - ALONG) * np.array([0.5, 0.5]) + ALONG * np.array([-0.4, -0.3])
PATCH = np.array([[0.0, 0.6], [0.1, 0.7]])
PLACES = np.vstack([ENDS, RIDGE, PATCH])
CURVE = Curve("ridge", tuple(range(3, 10)))
KINDS = ("fixed",) * 4 + ("semi",) * 5 + ("fixed",) + ("semi",) * 2
LABELS = ("a", "b", "c", *(f"ridge-{n + 1}" for n in range(7)), "p1", "p2")
NAMES = ("one", "two", "three")


def run(*words):
    return CliRunner().invoke(cli, [*map(str, words), "--workers", "0"])


def expert(folder_of, number):
    points = folder_of[number].homologues(PLACES)
    return Landmarks.at(points, NAMES[number], labels=LABELS, kinds=KINDS, curves=(CURVE,))


@pytest.fixture(scope="module")
def molars():
    shape = MolarShape(variation=0.05)
    return [make_molar(number, vertex_count=800, shape=shape) for number in range(3)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory, molars):
    where = tmp_path_factory.mktemp("curves")
    (where / "scans").mkdir()
    for name, molar in zip(NAMES, molars, strict=True):
        (where / "scans" / f"{name}.ply").write_bytes(as_ply(molar.surface))
    write(expert(molars, 0), where / "one.mrk.json")
    return where


def length(path):
    return np.linalg.norm(np.diff(path, axis=0), axis=1).sum()


def pairs_of(points):
    return [points[[k, k + 1]] for k in range(len(points) - 1)]


def check(found, surface):
    """Curves and types are kept; points of the curve are on the surface at equal distances."""
    assert found.curves == (CURVE,)
    assert found.kinds[:12] == KINDS
    assert found.labels[:12] == LABELS
    paths = SurfacePaths(surface)
    assert paths.closest.to(found.points[list(CURVE.members[1:-1])])[0].max() < 1e-12
    along = [length(paths.laid(pair)) for pair in pairs_of(found.points[list(CURVE.members)])]
    assert max(along) < 1.15 * min(along)  # the curve has corners between them


def test_the_given_curve_is_uneven(molars):
    given = expert(molars, 0).points[list(CURVE.members)]
    steps = np.linalg.norm(np.diff(given, axis=0), axis=1)
    assert steps.max() > 2 * steps.min()


def test_transfer_carries_curves_to_one_specimen(folder, molars):
    scans = folder / "scans"
    out = folder / "two.mrk.json"
    done = run("transfer", scans / "one.ply", folder / "one.mrk.json", scans / "two.ply", "-o", out)
    assert done.exit_code == 0, done.output
    check(read_landmarks(out), molars[1].surface)


@pytest.mark.rendered
@pytest.mark.slow
def test_match_carries_curves_to_all_and_slide_takes_them(folder, molars):
    words = ("--landmarks", folder / "one.mrk.json", "--reference", "one")
    done = run("match", folder / "scans", *words, "-o", folder / "matched")
    assert done.exit_code == 0, done.output
    for name, molar in zip(NAMES, molars, strict=True):
        check(read_landmarks(folder / "matched" / "landmarks" / f"{name}.mrk.json"), molar.surface)
    joint = read_collection(folder / "matched" / "collection" / "landmarks.csv")[1]
    assert (joint.curves, joint.kinds[:12]) == ((CURVE,), KINDS)
    slid = CliRunner().invoke(cli, [
        "slide", str(folder / "matched"), "--scans", str(folder / "scans"),
        "-o", str(folder / "slid.csv"),
    ])  # fmt: skip
    assert slid.exit_code == 0, slid.output
    assert "5 along curves, 2 over surfaces" in slid.output
    words = ["analyze", str(folder / "matched"), "--slide", "procrustes", "-o", str(folder / "r")]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    report = (folder / "r" / "report.html").read_text()
    assert "5 semilandmarks slid along curves and 2 over surfaces, on the scans" in report
    assert (folder / "r" / "surfaces.svg").is_file()  # the reference, without being asked
    shutil.move(folder / "scans", folder / "elsewhere")
    with pytest.warns(GplandmarkWarning, match="not where they were"):
        done = CliRunner().invoke(cli, words)
    shutil.move(folder / "elsewhere", folder / "scans")
    assert done.exit_code == 0, done.output
    assert not (folder / "r" / "surfaces.svg").exists()
    assert "without scans" in (folder / "r" / "report.html").read_text()


@pytest.mark.slow
def test_predict_learns_curves_of_several_experts(folder, molars):
    write_collection([expert(molars, number) for number in range(2)], folder / "experts.csv")
    done = run("predict", folder / "scans", folder / "experts.csv", "-o", folder / "predicted")
    assert done.exit_code == 0, done.output
    for name, molar in zip(NAMES, molars, strict=True):
        path = folder / "predicted" / "landmarks" / f"{name}.mrk.json"
        check(read_landmarks(path), molar.surface)


def test_experts_with_different_curves_are_refused(folder, molars):
    other = expert(molars, 1)
    object.__setattr__(other, "curves", (Curve("rim", CURVE.members),))
    write_collection([expert(molars, 0), other], folder / "unlike.csv")
    done = run("predict", folder / "scans", folder / "unlike.csv", "-o", folder / "none")
    assert isinstance(done.exception, GplandmarkError)
    assert "one and two do not have the same curves" in str(done.exception)
    shorter = expert(molars, 1).chosen(range(9))
    write_collection([expert(molars, 0), shorter], folder / "unlike.csv")
    done = run("predict", folder / "scans", folder / "unlike.csv", "-o", folder / "none")
    assert "--resample-curves" in str(done.exception)


def test_curves_and_types_follow_their_landmarks_into_another_order(molars):
    given = expert(molars, 0)
    fewer = expert(molars, 1).chosen([*range(1, 12)])
    one, two = in_order_of_labels([given, fewer], ["p2", "new"])
    assert one.labels == two.labels == ("p2", "new", *LABELS[:-1])
    assert one.curves == two.curves == (Curve("ridge", tuple(range(5, 12))),)
    np.testing.assert_array_equal(one.points[5:12], given.points[3:10])
    assert one.kinds == ("semi", "", *KINDS[:-1])
    assert two.missing.tolist() == [False, True, True, *[False] * 10]
