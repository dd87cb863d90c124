"""Landmarks in pairs on symmetric specimens: pairs on the reference are pairs on every specimen."""

from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.spatial.transform import Rotation

from gplandmark import SettingsError, Surface, read_landmarks
from gplandmark.cli.main import cli
from gplandmark.io.scans.ply import as_ply
from gplandmark.mesh.synthetic import sphere
from gplandmark.morphometrics.matching.sampling import sample_surface
from gplandmark.runs.matched.paired_reference import pair_reference

pytestmark = pytest.mark.usefixtures("empty_figures")


def run(*words):
    return CliRunner().invoke(cli, [*map(str, words), "--workers", "0"])


def creature(number):
    """A bumpy ellipsoid that is its own mirror image in x = 0, on a mesh that is not."""
    ball = sphere(3).surface
    x, y, z = Rotation.from_rotvec([0.3, 0.5, 0.2]).as_matrix() @ ball.points.T
    bump = (0.25 + 0.03 * number) * np.exp(
        -8 * ((np.abs(x) - 0.7) ** 2 + (y - 0.5) ** 2 + (z - 0.4) ** 2)
    )
    radius = 1 + bump + 0.35 * np.exp(-10 * (x**2 + (y + 0.9) ** 2)) + 0.15 * y * z
    return Surface((radius * np.stack([x, 1.5 * y, 0.8 * z])).T, ball.triangles)


@pytest.mark.slow
def test_pairs_are_pairs_on_every_specimen(tmp_path):
    (tmp_path / "scans").mkdir()
    turns = [Rotation.from_rotvec(each).as_matrix() for each in np.eye(3)]
    for number, turn in enumerate(turns):
        surface = creature(number)
        turned = Surface(surface.points @ turn, surface.triangles)
        (tmp_path / "scans" / f"s{number}.ply").write_bytes(as_ply(turned))
    done = run("match", tmp_path / "scans", "--in-pairs", "-n", 12, "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    for number, turn in enumerate(turns):
        found = read_landmarks(tmp_path / "out" / "landmarks" / f"s{number}.mrk.json")
        points = dict(zip(found.labels, found.points @ turn.T, strict=True))
        lefts = [label for label in points if label.endswith("L")]
        assert len(lefts) >= 3
        off = [np.linalg.norm(points[label] * [-1, 1, 1] - points[label[:-1] + "R"])
               for label in lefts]  # fmt: skip
        assert np.nanmedian(off) < 0.02
        middle = [points[label][0] for label in points if label.endswith("M")]
        assert np.nanmax(np.abs(middle), initial=0.0) < 0.02
        assert found.record.request["matching"]["both_sides"]
        sides = np.sign([points[label][0] for label in lefts])
        assert abs(np.nansum(sides)) == len(lefts)  # all on one side
    words = ["analyze", str(tmp_path / "out"), "--pairs", "auto", "-o", str(tmp_path / "r")]
    analysed = CliRunner().invoke(cli, [*words, "--permutations", "19"])
    assert analysed.exit_code == 0, analysed.output
    assert f"{len(lefts)} pairs of landmarks" in (tmp_path / "r" / "report.html").read_text()


def test_what_has_no_pairs_is_refused(tmp_path):
    (tmp_path / "scans").mkdir()
    for number in range(2):
        surface = creature(number)
        x, y, z = surface.points.T
        twisted = Surface(np.column_stack([x + 0.5 * y * z, y, z + 0.3 * x * y]), surface.triangles)
        (tmp_path / "scans" / f"s{number}.ply").write_bytes(as_ply(twisted))
    words = ("match", tmp_path / "scans", "--in-pairs", "--reference", "s0", "-o", tmp_path / "out")
    done = run(*words)
    assert isinstance(done.exception, SettingsError)
    assert "The reference s0: " in str(done.exception)
    assert "no plane of symmetry" in str(done.exception)
    assert "name another --reference" in str(done.exception)
    done = run(*words, "--until", "0.1")
    assert "Leave out --landmarks and --until" in str(done.exception)


def test_a_fragment_has_no_pairs():
    part = sample_surface(creature(0)).with_share(0.5)
    sample = SimpleNamespace(specimens=(part,), reference=0)
    with pytest.raises(SettingsError, match="is a fragment, and landmarks in pairs need a whole"):
        pair_reference(sample, None, None, map)
