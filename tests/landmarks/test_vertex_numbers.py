"""Vertex numbers are those of the file, wherever cleaning left vertices out."""

import gzip
import json

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import SMALL

from gplandmark import SettingsError, Surface, covariance, place, read
from gplandmark.cli.main import cli
from gplandmark.io.scans import vertex_properties
from gplandmark.landmarks.baselines import SAMPLERS
from gplandmark.landmarks.compare import compare
from gplandmark.landmarks.symmetry import place_pairs, plane_through
from gplandmark.mesh.regions import Region, painted
from gplandmark.mesh.synthetic import sphere
from gplandmark.runs.study import scans_in, study_scans

SHIFT = 3  # vertices with NaN come first, so that every other number is shifted

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*(left out|kept|is coarse):gplandmark.GplandmarkWarning"
)


def torn_ply(surface, red):
    """A file with vertices that cleaning drops before and behind those of a surface.

    The vertices `red` of the surface are painted, and so is everything that is dropped. The last
    vertex stands where the first of the surface stands, and its paint is red as well.
    """
    crumb = surface.points[:3] + 99
    points = np.vstack([np.full((SHIFT, 3), np.nan), surface.points, crumb, surface.points[:1]])
    paint = np.ones(len(points), dtype=bool)
    paint[SHIFT : SHIFT + surface.vertex_count] = red
    loose = SHIFT + surface.vertex_count
    # One triangle uses the copy of the first vertex in its place.
    triangles = surface.triangles + SHIFT
    row = int(np.argmax((surface.triangles == 0).any(axis=1)))
    triangles[row] = np.where(surface.triangles[row] == 0, len(points) - 1, triangles[row])
    triangles = np.vstack([[[0, 1, SHIFT]], triangles, [[loose, loose + 1, loose + 2]]])
    lines = [
        "ply", "format ascii 1.0", f"element vertex {len(points)}",
        *(f"property double {axis}" for axis in "xyz"),
        *(f"property uchar {channel}" for channel in ("red", "green", "blue")),
        "property float quality", f"element face {len(triangles)}",
        "property list uchar int vertex_indices", "end_header",
    ]  # fmt: skip
    for number, (point, is_red) in enumerate(zip(points.tolist(), paint, strict=True)):
        x, y, z = point
        lines.append(f"{x!r} {y!r} {z!r} {'255 0 0' if is_red else '90 90 90'} {number}")
    lines += [f"3 {a} {b} {c}" for a, b, c in triangles]
    return "\n".join(lines) + "\n", points


@pytest.fixture
def half(molar):
    """The vertices of the molar on one side; the first of all is not among them."""
    red = molar.points[:, 0] > np.median(molar.points[:, 0])
    return red if not red[0] else ~red


@pytest.fixture
def torn(molar, half, tmp_path):
    text, points = torn_ply(molar, half)
    path = tmp_path / "torn.ply"
    path.write_text(text)
    return path, read(path), points


def run(*arguments):
    return CliRunner().invoke(cli, [str(each) for each in arguments], catch_exceptions=False)


def test_the_torn_scan_is_what_these_tests_take_it_for(torn, molar):
    _, surface, points = torn
    np.testing.assert_array_equal(surface.points, molar.points)
    assert surface.file_vertex_count == len(points) == molar.vertex_count + SHIFT + 4
    assert surface.vertices_of(len(points) - 1) == 0


# Paint


def test_paint_is_that_of_the_vertices_that_are_left(torn, half):
    path, surface, _ = torn
    mask = painted(surface, vertex_properties(path), "red")
    expected = half.copy()
    expected[0] = True  # its copy is red
    np.testing.assert_array_equal(mask, expected)
    numbers = painted(surface, vertex_properties(path), "quality<10")
    assert np.flatnonzero(numbers).tolist() == list(range(10 - SHIFT))


def test_paint_of_the_surface_alone_is_not_that_of_its_file(torn, half):
    _, surface, _ = torn
    with pytest.raises(SettingsError, match="Paint the scan"):
        painted(surface, {"label": half.astype(int)}, "label=1")


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("option", ["--exclude-painted", "--only-painted"])
def test_landmarks_heed_paint_on_a_torn_scan(torn, half, tmp_path, packed, option):
    path, _, points = torn
    if packed:
        path = tmp_path / "torn.ply.gz"
        path.write_bytes(gzip.compress((tmp_path / "torn.ply").read_bytes()))
    out = tmp_path / "out.csv"
    done = run("place", path, "-n", 6, "--curvature-radius", 0.15, "-o", out, option, "red", "-q")
    assert done.exit_code == 0, done.output
    record = json.loads((tmp_path / "out.record.json").read_text())
    vertices = np.array(record["landmarks"]["vertices"])
    np.testing.assert_array_equal(points[vertices], record["landmarks"]["points"])
    red = half.copy()
    red[0] = True
    assert (red[vertices - SHIFT] == (option == "--only-painted")).all()
    assert record["request"]["regions"][0]["vertices"] == np.count_nonzero(red)
    # The record lists what was excluded by numbers of the file.
    runs = record["request"]["excluded"]
    excluded = np.concatenate([np.arange(first, last + 1) for first, last in runs])
    free = red if option == "--only-painted" else ~red
    np.testing.assert_array_equal(excluded, np.flatnonzero(~free) + SHIFT)


# Lists, masks and weights


def test_lists_of_the_only_vertices_are_numbers_of_the_file(torn, half, tmp_path):
    path, _, points = torn
    numbers = np.append(np.flatnonzero(half) + SHIFT, [0, len(points) - 2])  # two were dropped
    (tmp_path / "only.txt").write_text(" ".join(map(str, numbers)))
    mask = np.zeros(len(points), dtype=bool)
    mask[numbers] = True
    np.save(tmp_path / "only.npy", mask)
    found = []
    for name in ("only.txt", "only.npy"):
        done = run("place", path, "-n", 5, "--only", tmp_path / name, "-o", tmp_path / "o.csv",
                   "--overwrite", "--json")  # fmt: skip
        assert done.exit_code == 0, done.output
        found.append(json.loads((tmp_path / "o.record.json").read_text())["landmarks"]["vertices"])
    assert found[0] == found[1]
    assert half[np.array(found[0]) - SHIFT].all()


def test_a_mask_excludes_what_its_numbers_exclude(torn, molar):
    _, surface, points = torn
    numbers = [5, 7, len(points) - 1]  # the last is a copy of number SHIFT
    mask = np.zeros(len(points), dtype=bool)
    mask[numbers] = True
    expected = [[SHIFT, SHIFT], [5, 5], [7, 7]]
    for exclude in (numbers, mask, surface.from_file(mask)):
        request = place(surface, 4, settings=SMALL, exclude=exclude).record.request
        assert request["excluded"] == expected
    for wrong in (mask[:-1], [len(points)]):
        with pytest.raises(SettingsError, match=r"mask of excluded|does not exist"):
            place(surface, 4, settings=SMALL, exclude=wrong)


def test_a_weight_may_be_that_of_the_file(torn, molar, random):
    _, surface, points = torn
    weight = random.uniform(0.5, 2.0, len(points))
    kept = weight[SHIFT : SHIFT + molar.vertex_count]
    np.testing.assert_array_equal(
        covariance(surface, SMALL, weight).diagonal(), covariance(molar, SMALL, kept).diagonal()
    )


# Everything else that names vertices


@pytest.mark.parametrize("name", SAMPLERS)
def test_other_samplers_bear_numbers_of_the_file(torn, molar, name):
    _, surface, points = torn
    found, expected = SAMPLERS[name](surface, 6, seed=1), SAMPLERS[name](molar, 6, seed=1)
    np.testing.assert_array_equal(found.vertices, expected.vertices + SHIFT)
    np.testing.assert_array_equal(found.points, points[found.vertices])
    if "first" in expected.record.settings:
        assert found.record.settings["first"] == found.vertices[0]


def test_a_comparison_is_that_of_the_whole_surface(torn, molar):
    _, surface, _ = torn
    on_molar = place(molar, 6, settings=SMALL)
    on_torn = place(surface, 6, settings=SMALL)
    expected = compare(molar, covariance(molar, SMALL), {"a": on_molar}, "a")
    assert compare(surface, covariance(surface, SMALL), {"a": on_torn}, "a") == expected


def test_landmarks_between_vertices_know_their_vertex_in_the_file(torn, molar):
    _, surface, _ = torn
    first = place(molar, 5, settings=SMALL).vertices[:1]
    found = place(surface, 5, settings=SMALL, between_vertices=True, start=first + SHIFT)
    expected = place(molar, 5, settings=SMALL, between_vertices=True, start=first)
    np.testing.assert_array_equal(found.vertices, expected.vertices + SHIFT)
    np.testing.assert_allclose(found.points, expected.points, rtol=0, atol=1e-12)
    for place_found, vertex, point in zip(found.places, found.vertices, found.points, strict=True):
        corners = surface.triangles[place_found.triangle]
        assert vertex in place_found.corners
        np.testing.assert_array_equal(place_found.corners, surface.in_file(corners))
        np.testing.assert_allclose(
            place_found.barycentric @ surface.points[corners], point, atol=1e-12
        )
    more = place(surface, 7, settings=SMALL, between_vertices=True, after=found)
    np.testing.assert_array_equal(more.vertices[:5], found.vertices)


def test_pairs_bear_numbers_of_the_file(tmp_path):
    ball = sphere(3).surface
    text, points = torn_ply(ball, np.zeros(ball.vertex_count, dtype=bool))
    (tmp_path / "ball.ply").write_text(text)
    surface = read(tmp_path / "ball.ply")
    weight = np.full(len(points), 1.0)
    paired, expected = (
        place_pairs(
            each, 7, plane=plane_through(each, [0, 0, 0], [1, 0, 0]), weight=values, regions=[
                Region(np.arange(ball.vertex_count) < 9, "first"),
            ],
        ).landmarks
        for each, values in ((surface, weight), (ball, weight[: ball.vertex_count]))
    )  # fmt: skip
    np.testing.assert_array_equal(paired.vertices, expected.vertices + SHIFT)
    np.testing.assert_array_equal(paired.points, points[paired.vertices])
    runs = np.array(expected.record.request["excluded"]) + SHIFT
    assert paired.record.request["excluded"] == runs.tolist()


def test_landmarks_are_checked_and_compared_on_the_pieces_they_were_placed_on(tmp_path):
    ball = sphere(3).surface
    count = ball.vertex_count
    both = np.vstack([ball.points, 0.9 * ball.points + [5, 0, 0]])
    triangles = np.vstack([ball.triangles, ball.triangles + count])
    path, out = tmp_path / "two.off", tmp_path / "two.csv"
    lines = [" ".join(map(repr, point)) for point in both.tolist()]
    lines += [f"3 {a} {b} {c}" for a, b, c in triangles]
    path.write_text(f"OFF\n{len(both)} {len(triangles)} 0\n" + "\n".join(lines) + "\n")
    assert run("place", path, "-n", 8, "--components", "all", "-o", out).exit_code == 0
    whole = run("check", path, out, "--components", "all")
    assert whole.exit_code == 0
    assert "off the surface" not in whole.stdout
    assert "off the surface" in run("check", path, out).stdout
    assert run("compare", path, out, "--components", "all").exit_code == 0
    with pytest.raises(Exception, match="off two"):
        run("compare", path, out)


# Folders


def test_a_folder_of_scans_may_hold_packed_ones(tmp_path, molar):
    text, _ = torn_ply(molar, np.zeros(molar.vertex_count, dtype=bool))
    (tmp_path / "a.ply.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "b.PLY").write_text(text)
    (tmp_path / "notes.txt.gz").write_bytes(b"")
    scans = scans_in(tmp_path)
    assert [path.name for path in scans] == ["a.ply.gz", "b.PLY"]
    found = study_scans(scans, 3, kernels={"reweighted": SMALL})
    assert found.specimens == ("a", "b")
    np.testing.assert_array_equal(*found.largest["reweighted"])


def test_values_of_the_file_become_values_of_the_surface(torn):
    _, surface, points = torn
    np.testing.assert_array_equal(
        surface.from_file(np.arange(len(points))), surface.in_file(np.arange(surface.vertex_count))
    )
    alike = Surface(surface.points, surface.triangles)
    values = np.arange(alike.vertex_count)
    assert alike.from_file(values) is values
