"""Bilateral symmetry: the plane of shapes that have one, and landmarks in pairs."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import specimen
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from gplandmark import (
    GplandmarkWarning,
    LandmarkFileError,
    ScanError,
    Settings,
    SettingsError,
    Surface,
    read,
)
from gplandmark.cli.main import cli
from gplandmark.gp.kernels import ReweightedKernel
from gplandmark.io.scans import as_ply, read_cleaned
from gplandmark.landmarks import covariance
from gplandmark.landmarks.symmetry import find_plane, place_pairs, plane_through
from gplandmark.landmarks.symmetry.plane import fit_mirror, mirrored, slid_mirror
from gplandmark.mesh.regions import Region, beyond_plane
from gplandmark.mesh.synthetic import sphere

QUICK = Settings(weight="uniform")


def creature(asymmetry=0.0, subdivisions=4):
    """A bumpy ellipsoid that is its own mirror image in x = 0, on a mesh that is not.

    Its radius along the unit vector (x, y, z) is even in x, but for a bump on one side.
    """
    turn = Rotation.from_rotvec([0.3, 0.5, 0.2]).as_matrix()
    ball = sphere(subdivisions).surface
    x, y, z = turn @ ball.points.T
    radius = 1 + 0.15 * np.exp(-8 * ((np.abs(x) - 0.7) ** 2 + (y - 0.5) ** 2 + (z - 0.4) ** 2))
    radius += 0.25 * np.exp(-10 * (x**2 + (y + 0.9) ** 2)) + 0.1 * y * z + 0.08 * np.cos(3 * x) * y
    radius += asymmetry * np.exp(-2 * ((x - 0.6) ** 2 + (z - 0.8) ** 2)) + asymmetry * x * y * z
    points = radius * np.stack([x, 1.4 * y, 0.8 * z])
    return Surface(points.T, ball.triangles, "creature")


def posed(surface, seed, scale):
    """A surface turned, moved and scaled at random, and where x = 0 has gone."""
    random = np.random.default_rng(seed)
    turn = Rotation.from_rotvec(random.normal(size=3)).as_matrix()
    move = 100 * scale * random.normal(size=3)
    points = scale * surface.points @ turn.T + move
    return Surface(points, surface.triangles, surface.name), move, turn[:, 0]


@pytest.fixture(scope="module")
def animal():
    return creature()


@pytest.fixture(scope="module")
def plane(animal):
    return find_plane(animal)


# The plane


def test_the_plane_of_a_symmetric_shape_is_found(plane):
    assert plane.is_found
    assert abs(plane.normal[0]) > 1 - 1e-5
    assert abs(plane.point @ plane.normal) < 1e-3
    assert plane.residual < 5e-4  # what the triangles of a mesh without symmetry leave


@pytest.mark.parametrize(("seed", "scale"), [(1, 1.0), (2, 1e-3), (3, 1e4)])
def test_the_plane_belongs_to_the_shape(animal, plane, seed, scale):
    surface, origin, normal = posed(animal, seed, scale)
    found = find_plane(surface)
    assert abs(found.normal @ normal) > 1 - 1e-5
    assert abs((found.point - origin) @ normal) < 1e-3 * scale
    assert found.residual == pytest.approx(plane.residual, rel=0.05)


def test_the_plane_does_not_follow_the_numbering(animal, plane, random):
    order = random.permutation(animal.vertex_count)
    number = np.argsort(order)
    found = find_plane(Surface(animal.points[order], number[animal.triangles]))
    np.testing.assert_allclose(found.normal, plane.normal, atol=1e-6)


def test_the_normal_has_a_sign_of_its_own(plane):
    assert plane.normal[0] > 0


def test_a_piece_broken_off_does_not_turn_the_plane(animal):
    x, _, z = animal.points.T
    kept = ~((x > 0.3) & (z > 0.25))
    whole = kept[animal.triangles].all(axis=1)
    broken = Surface(animal.points, animal.triangles[whole], "broken")
    assert 0.02 < 1 - whole.mean() < 0.2
    assert abs(find_plane(broken).normal[0]) > 1 - 1e-4


def test_a_shape_without_symmetry_is_refused():
    surface = creature(0.5)
    with pytest.raises(SettingsError, match=r"no plane of symmetry.*off by 0\.0.*Give the plane"):
        find_plane(surface)


def test_a_cloud_has_no_plane(random):
    with pytest.raises(ScanError, match="no triangles"):
        find_plane(Surface(random.random((50, 3))))


@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("face/Rvcg_humface.ply", 0.004),
        ("skull/Morpho_skull_0144_ch_fe.ply", 0.006),
    ],
)
def test_the_plane_of_real_specimens_runs_between_left_and_right(name, side):
    surface = read_cleaned(specimen(f"data/{name}")).surface
    plane = find_plane(surface)
    assert plane.residual < side
    assert plane.normal[0] > 0.95  # scanned upright, x from side to side
    heights = plane.heights(surface.points)
    assert heights.max() == pytest.approx(-heights.min(), rel=0.1)


def test_real_teeth_are_not_symmetric():
    with pytest.raises(SettingsError, match="no plane of symmetry"):
        find_plane(read(specimen("data/teeth/H10_sas.off")))


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_a_mirror_is_recovered_from_points_and_their_images(seed):
    random = np.random.default_rng(seed)
    points, weights = random.normal(size=(20, 3)), random.random(20) + 0.1
    point, normal = random.normal(size=3), random.normal(size=3)
    normal /= np.linalg.norm(normal)
    images = mirrored(points, point, normal)
    centre, found = fit_mirror(points, images, weights)
    assert abs(found @ normal) == pytest.approx(1)
    assert (centre - point) @ normal == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(mirrored(images, point, normal), points, atol=1e-12)


def test_sliding_a_mirror_converges_quadratically(random):
    points, slopes = random.normal(size=(40, 3)), random.normal(size=(40, 3))
    slopes /= np.linalg.norm(slopes, axis=1)[:, None]
    truth = np.array([0.1, 0.2, 0.3]), np.array([1.0, 0.0, 0.0])
    images = mirrored(points, *truth)
    plane = truth[0] + 0.05, np.array([0.99, 0.1, -0.1]) / np.linalg.norm([0.99, 0.1, -0.1])
    errors = []
    for _ in range(5):
        errors.append(np.linalg.norm(plane[1] - truth[1]))
        plane = slid_mirror(points, images, slopes, np.ones(40), plane)
    assert errors[2] < 10 * errors[1] ** 2 < 1e-2
    assert errors[4] < 1e-12


def test_a_given_plane_is_taken_and_measured(animal, plane):
    good = plane_through(animal, [0, 5, 5], [-3, 0, 0])
    assert not good.is_found
    np.testing.assert_array_equal(good.normal, [-1, 0, 0])
    assert good.residual == pytest.approx(plane.residual, rel=0.2)
    assert plane_through(animal, [0, 0, 0], [0, 0, 1]).residual > 0.01
    for point, normal in (([0, 0, 0], [0, 0, 0]), ([0, 0], [1, 0, 0]), ([0, 0, np.inf], [1, 0, 0])):
        with pytest.raises(SettingsError, match="plane"):
            plane_through(animal, point, normal)


# Pairs


@pytest.fixture(scope="module")
def paired(animal, plane):
    return place_pairs(animal, 30, plane=plane, settings=QUICK)


def test_pairs_mirror_each_other_and_the_midline_lies_on_the_plane(animal, paired, plane):
    points, edge = paired.landmarks.points, 0.06
    left, right = points[paired.pairs[:, 0] - 1], points[paired.pairs[:, 1] - 1]
    assert (plane.heights(left) > 0).all()
    assert (plane.heights(right) < 0).all()
    assert np.linalg.norm(plane.mirrored(left) - right, axis=1).max() < edge
    assert np.abs(plane.heights(points[paired.midline - 1])).max() < edge
    assert len(paired.pairs) > 5
    assert len(paired.midline) > 2


def two_shells(first, second):
    """Two meshes as one surface."""
    triangles = [first.triangles, second.triangles + first.vertex_count]
    return Surface(np.vstack([first.points, second.points]), np.vstack(triangles), "shells")


def test_beside_a_gap_in_the_middle_there_are_pairs():
    """Two bodies with a narrow gap between them, as incisors, have no midline."""
    ball = sphere(4).surface
    halves = [
        Surface(ball.points + np.array([side * 1.08, 0, 0]), ball.triangles) for side in (-1, 1)
    ]
    surface = two_shells(*halves)
    given = plane_through(surface, [0, 0, 0], [1, 0, 0])
    near = np.abs(given.heights(surface.points)) < 0.02 * np.sqrt(8 * np.pi)
    assert near.any()  # as near as the midline would be
    paired = place_pairs(surface, 40, plane=given, settings=QUICK)
    assert len(paired.midline) == 0
    assert len(paired.pairs) == 20


def test_both_of_a_pair_lie_on_one_wall():
    """Walls nearer to each other than vertices are: the nearest vertex may be on the other."""
    ball = sphere(4).surface
    turned = Surface(0.99 * ball.points @ Rotation.from_rotvec([0.2, 0.1, 0.3]).as_matrix(),
                     ball.triangles[:, ::-1])  # fmt: skip
    surface = two_shells(ball, turned)
    given = plane_through(surface, [0, 0, 0], [0.9, 0.3, 0.2])
    paired = place_pairs(surface, 60, plane=given, settings=QUICK)
    outer = np.linalg.norm(paired.landmarks.points, axis=1) > 0.995
    assert len(paired.pairs) > 20
    np.testing.assert_array_equal(outer[paired.pairs[:, 0] - 1], outer[paired.pairs[:, 1] - 1])


def test_every_landmark_is_in_one_pair_or_on_the_midline(paired):
    numbers = sorted([*paired.pairs.ravel(), *paired.midline])
    assert numbers == list(range(1, len(paired.landmarks) + 1))
    assert len(set(paired.landmarks.vertices)) == len(paired.landmarks)
    labels = paired.landmarks.labels
    for left, right in paired.pairs:
        assert labels[left - 1][:-1] == labels[right - 1][:-1]
        assert (labels[left - 1][-1], labels[right - 1][-1]) == ("L", "R")
    assert all(labels[number - 1].endswith("M") for number in paired.midline)
    assert paired.table().splitlines()[0] == "left,right"
    rows = [[int(cell) for cell in row.split(",")] for row in paired.table().splitlines()[1:]]
    assert rows == paired.pairs.tolist()


def test_each_step_starts_at_the_largest_variance_there_is(animal, plane, paired):
    """Replayed with a dense matrix: the winner is the larger of a pair, or next to the midline."""
    kernel = covariance(animal, Settings(weight="uniform", engine="direct"))
    assert isinstance(kernel, ReweightedKernel)
    dense = kernel.columns(np.arange(animal.vertex_count))
    taken = []
    vertices = paired.landmarks.vertices
    groups = [*(tuple(pair) for pair in paired.pairs), *((each,) for each in paired.midline)]
    for group in sorted(groups)[:8]:
        left = np.diag(dense).copy()
        if taken:
            columns = dense[:, taken]
            solved = np.linalg.solve(dense[np.ix_(taken, taken)], columns.T)
            left -= np.einsum("ij,ji->i", columns, solved)
        picks = [vertices[number - 1] for number in group]
        if len(picks) == 2:
            assert left[picks].max() == pytest.approx(left.max(), rel=1e-5)
        else:
            winner = animal.points[np.argmax(left)]
            assert abs(plane.heights(winner[None])[0]) < 0.12
        assert paired.landmarks.variances[group[0] - 1] == pytest.approx(left[picks[0]], rel=1e-4)
        taken += picks


def test_the_first_landmarks_of_many_are_those_of_few(animal, plane, paired):
    assert paired.pairs[0, 0] == 1
    with pytest.raises(SettingsError, match=r"the first two are a pair\. Ask for 2"):
        place_pairs(animal, 1, plane=plane, settings=QUICK)
    for count in (2, 9, 10):
        few = place_pairs(animal, count, plane=plane, settings=QUICK)
        length = len(few.landmarks)
        assert count - 1 <= length <= count
        np.testing.assert_array_equal(few.landmarks.vertices, paired.landmarks.vertices[:length])
        assert few.landmarks.labels == paired.landmarks.labels[:length]


@pytest.mark.parametrize("engine", ["direct", "field"])
def test_both_searches_pick_the_same(animal, plane, paired, engine):
    same = place_pairs(animal, 30, plane=plane, settings=Settings(weight="uniform", engine=engine))
    np.testing.assert_array_equal(same.landmarks.vertices, paired.landmarks.vertices)


def test_pairs_turn_with_the_specimen(animal, plane, paired):
    surface, origin, normal = posed(animal, 4, 7.0)
    same = place_pairs(surface, 30, plane=plane_through(surface, origin, normal), settings=QUICK)
    centred = place_pairs(
        animal, 30, plane=plane_through(animal, [0, 0, 0], [1, 0, 0]), settings=QUICK
    )
    np.testing.assert_array_equal(same.landmarks.vertices, centred.landmarks.vertices)


def test_where_a_counterpart_is_excluded_nothing_is_picked(animal, plane):
    mask = beyond_plane(animal, [0.4, 0, 0], [1, 0, 0])
    region = Region(mask, "plane", {"normal": [1, 0, 0]})
    with pytest.warns(GplandmarkWarning, match="no counterpart on the other side"):
        paired = place_pairs(animal, 20, plane=plane, settings=QUICK, regions=[region])
    heights = plane.heights(paired.landmarks.points)
    assert heights.max() <= 0.4
    assert heights.min() > -0.5
    assert paired.landmarks.record.request["regions"][0]["exclude"] == "plane"
    assert "no counterpart" in paired.landmarks.record.warnings[0]


def test_the_record_tells_the_plane_and_the_pairs(paired, plane):
    record = json.loads(json.dumps(paired.landmarks.record.as_dict()))
    assert record["request"]["symmetry"]["normal"] == plane.normal.tolist()
    assert record["request"]["symmetry"]["plane"] == "found"
    assert record["outcome"]["pairs"] == paired.pairs.tolist()
    assert record["outcome"]["landmarks"] == len(paired.landmarks)


def test_what_cannot_be_placed_is_refused(animal, plane):
    with pytest.raises(SettingsError, match="from 1 to"):
        place_pairs(animal, 0, plane=plane)
    with pytest.raises(SettingsError, match="from 1 to"):
        place_pairs(animal, 10**6, plane=plane)
    far = plane_through(animal, [50, 0, 0], [1, 0, 0])
    with pytest.raises(SettingsError, match="counterpart"):
        place_pairs(animal, 10, plane=far)


# The command line


def run(*arguments):
    return CliRunner().invoke(cli, ["pairs", *map(str, arguments)], catch_exceptions=False)


def test_the_command_writes_landmarks_record_and_pairs(tmp_path, monkeypatch, animal):
    monkeypatch.chdir(tmp_path)
    scan = tmp_path / "animal.ply"
    scan.write_bytes(as_ply(animal))
    done = run(scan, "-n", 9, "-o", "out.csv", "--weight", "uniform")
    assert "plane found" in done.output
    table = np.loadtxt(tmp_path / "out.pairs.csv", delimiter=",", skiprows=1, ndmin=2, dtype=int)
    record = json.loads((tmp_path / "out.record.json").read_text())
    assert table.tolist() == record["outcome"]["pairs"]
    first = record["landmarks"]["vertices"][0]
    (tmp_path / "not.txt").write_text(str(first))
    content = json.loads(run(scan, "-o", "a.csv", "--exclude", "not.txt", "--json").output)
    assert first not in content["landmarks"]["vertices"]
    assert content["request"]["regions"] == [{"exclude": "file", "file": "not.txt", "vertices": 1}]
    again = run(
        scan, "-n", 8, "-o", "out.csv", "--weight", "uniform", "--plane", "0,0,0,-1,0,0", "--json"
    )
    assert json.loads(again.output)["request"]["symmetry"]["normal"] == [-1, 0, 0]
    (tmp_path / "mine.pairs.csv").write_text("1,2\n")
    with pytest.raises(Exception, match="no landmarks of ours"):
        run(scan, "-o", "mine.csv")


def test_a_pair_is_not_cut_in_two_and_the_reason_is_told(tmp_path, monkeypatch, animal):
    monkeypatch.chdir(tmp_path)
    scan = tmp_path / "animal.ply"
    scan.write_bytes(as_ply(animal))
    common = (scan, "--plane", "0,0,0,1,0,0", "-o", "out.csv")
    pairs = json.loads(run(*common, "-n", 12, "--json").output)["outcome"]["pairs"]
    left, right = pairs[-1]
    done = run(*common, "-n", left)
    assert f"{left - 1}: one place is left, but a pair was due" in done.output
    assert "as many as requested" not in done.output
    record = json.loads((tmp_path / "out.record.json").read_text())
    assert record["outcome"]["stopped"] == "pair"
    done = run(*common, "-n", right)
    assert f"{right}: as many as requested" in done.output


def test_a_table_of_pairs_that_a_person_changed_is_kept(tmp_path, monkeypatch, animal):
    monkeypatch.chdir(tmp_path)
    scan = tmp_path / "animal.ply"
    scan.write_bytes(as_ply(animal))
    table = tmp_path / "out.pairs.csv"
    common = (scan, "--plane", "0,0,0,1,0,0", "-o", "out.csv")
    run(*common, "-n", 8)
    run(*common, "-n", 6)  # our own
    table.write_text(table.read_text() + "5,6\n")
    before = table.read_text()
    with pytest.raises(LandmarkFileError, match=r"out\.pairs\.csv exists and was not written"):
        run(*common, "-n", 8)
    assert table.read_text() == before
    run(*common, "-n", 8, "--overwrite")
    assert table.read_text() != before


def test_formats_that_are_only_read_are_refused_before_the_work(tmp_path):
    with pytest.raises(LandmarkFileError, match="only read"):  # the scan is not even looked for
        run(tmp_path / "none.ply", "-o", tmp_path / "out.pp")


def test_the_command_refuses_what_is_not_symmetric(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scan = tmp_path / "animal.ply"
    scan.write_bytes(as_ply(creature(0.5)))
    with pytest.raises(SettingsError, match="no plane of symmetry"):
        run(scan, "-o", "out.csv")
    with pytest.raises(SettingsError, match="--plane needs six numbers"):
        run(scan, "-o", "out.csv", "--plane", "1,2")
    assert not list(tmp_path.glob("out*"))
