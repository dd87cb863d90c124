"""Where landmarks may go: masks with known answers, and what the record says of them."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import SMALL, specimen
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import Delaunay
from scipy.spatial.transform import Rotation

from gplandmark import ScanError, SettingsError, Surface, place, read
from gplandmark.cli.main import cli
from gplandmark.io.scans import as_ply, read_cleaned, vertex_properties
from gplandmark.mesh import visibility as viewing
from gplandmark.mesh.regions import (
    Region,
    allowed_by,
    beyond_plane,
    inside_box,
    near_rim,
    painted,
    rim_distances,
    visible_from_outside,
)
from gplandmark.mesh.synthetic import cylinder, plane, sphere


def shells(inner, subdivisions=3):
    """Two concentric spheres, the outer one first, and how many vertices each has."""
    one = sphere(subdivisions).surface
    count = one.vertex_count
    points = np.vstack([one.points, inner * one.points])
    return Surface(points, np.vstack([one.triangles, one.triangles + count]), "shells"), count


def open_shell(height):
    """A double sphere whose top is cut off above a height."""
    surface, count = shells(0.9, 4)
    keep = (surface.points[surface.triangles][:, :, 2] < height).all(axis=1)
    return Surface(surface.points, surface.triangles[keep], "open"), count


# The rim


def test_the_distance_from_the_rim_of_a_cylinder_is_the_height():
    surface = cylinder(48, 17, height=2.0).surface
    height = surface.points[:, 2]
    expected = np.minimum(height, 2.0 - height)
    np.testing.assert_allclose(rim_distances(surface), expected, atol=1e-12)
    np.testing.assert_array_equal(near_rim(surface, 0.3), expected <= 0.3)


def test_distances_from_the_rim_are_right_on_an_irregular_mesh(random):
    inside = random.random((3000, 2))
    border = np.linspace(0, 1, 60)
    sides = [np.column_stack([border, np.full(60, edge)]) for edge in (0, 1)]
    flat = np.unique(np.vstack([inside, *sides, *(side[:, ::-1] for side in sides)]), axis=0)
    surface = Surface(np.column_stack([flat, np.zeros(len(flat))]), Delaunay(flat).simplices)
    exact = np.minimum(flat, 1 - flat).min(axis=1)
    found = rim_distances(surface)
    inner = exact > 0.05
    ratio = found[inner] / exact[inner]
    assert ratio.min() > 0.93
    assert ratio.max() < 1.07
    assert abs(ratio.mean() - 1) < 0.005


def test_a_closed_surface_has_no_rim():
    assert not near_rim(sphere(2).surface, 10.0).any()


@pytest.mark.parametrize("distance", [-1.0, np.nan, np.inf])
def test_a_distance_that_is_none_is_refused(distance):
    with pytest.raises(SettingsError, match="0 or more"):
        near_rim(plane(5).surface, distance)


def test_a_cloud_has_no_rim(random):
    with pytest.raises(ScanError, match="no triangles"):
        near_rim(Surface(random.random((10, 3))), 0.1)


# Plane and box


@given(seed=st.integers(0, 2**32 - 1), length=st.floats(1e-6, 1e6))
@settings(max_examples=20)
def test_the_two_sides_of_a_plane_are_everything(seed, length):
    random = np.random.default_rng(seed)
    surface = sphere(1).surface
    point, normal = random.normal(size=3), random.normal(size=3)
    one = beyond_plane(surface, point, length * normal)
    other = beyond_plane(surface, point, -normal)
    assert (one ^ other).all()
    np.testing.assert_array_equal(one, (surface.points - point) @ normal > 0)


def test_a_box_has_its_faces_and_its_corners_come_in_any_order():
    surface = plane(5).surface
    one = inside_box(surface, [0, 0.25, -1], [0.5, 1, 1])
    other = inside_box(surface, [0.5, 0.25, 1], [0, 1, -1])
    assert one.sum() == 3 * 4
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda surface: beyond_plane(surface, [0, 0, 0], [0, 0, 0]), "zero"),
        (lambda surface: beyond_plane(surface, [0, 0], [0, 0, 1]), "3 finite numbers"),
        (lambda surface: inside_box(surface, [0, 0, 0], [0, np.nan, 1]), "3 finite numbers"),
    ],
)
def test_planes_and_boxes_that_are_none_are_refused(make, match):
    with pytest.raises(SettingsError, match=match):
        make(plane(5).surface)


# Paint


HEADER = (
    "ply\nformat {} 1.0\nelement vertex 4\nproperty double x\nproperty double y\n"
    "property double z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n"
    "property float quality\nproperty short label\n"
    "element face 2\nproperty list uchar int vertex_indices\nend_header\n"
)
VERTICES = [
    (0, 0, 0, 255, 0, 0, 0.1, 3),
    (1, 0, 0, 240, 20, 5, 0.5, -1),
    (0, 1, 0, 0, 0, 0, 0.9, 3),
    (1, 1, 0, 0, 0, 255, 0.0, 0),
]
FACES = [(0, 1, 2), (1, 3, 2)]


def painted_ply(kind):
    header = HEADER.format(kind).encode()
    if kind == "ascii":
        lines = [*VERTICES, *((3, *face) for face in FACES)]
        return header + "\n".join(" ".join(map(str, line)) for line in lines).encode() + b"\n"
    order = "<" if "little" in kind else ">"
    names = "xyzrgbql"
    kinds = ["f8"] * 3 + ["u1"] * 3 + ["f4", "i2"]
    types = [(name, order + kind) for name, kind in zip(names, kinds, strict=True)]
    faces = np.array([(3, face) for face in FACES], dtype=[("n", "u1"), ("i", order + "i4", 3)])
    return header + np.array(VERTICES, dtype=types).tobytes() + faces.tobytes()


@pytest.fixture(params=["ascii", "binary_little_endian", "binary_big_endian"])
def painting(request, tmp_path):
    path = tmp_path / "painted.ply"
    path.write_bytes(painted_ply(request.param))
    return path


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("red", [1, 1, 0, 0]),
        ("#FF0000", [1, 1, 0, 0]),
        ("blue", [0, 0, 0, 1]),
        ("white", [0, 0, 0, 0]),
        ("label=3", [1, 0, 1, 0]),
        ("label<0", [0, 1, 0, 0]),
        ("quality=0.1", [1, 0, 0, 0]),
        ("quality > 0.1", [0, 1, 1, 0]),
        ("quality>=0.1", [1, 1, 1, 0]),
        ("quality<=0.1", [1, 0, 0, 1]),
    ],
)
def test_paint_of_every_kind_of_file(painting, what, expected):
    mask = painted(read(painting), vertex_properties(painting), what)
    assert mask.tolist() == [bool(each) for each in expected]


def test_colours_under_the_names_of_older_exporters(painting):
    surface, properties = read(painting), vertex_properties(painting)
    older = {
        f"diffuse_{name}" if name in ("red", "green", "blue") else name: values
        for name, values in properties.items()
    }
    expected = painted(surface, properties, "red")
    assert expected.any()
    assert (painted(surface, older, "red") == expected).all()
    del older["diffuse_blue"]
    with pytest.raises(SettingsError, match="no vertex colours"):
        painted(surface, older, "red")


def test_colours_as_floats_from_0_to_1():
    surface = plane(2).surface
    channels = np.array([[1, 0, 0], [0.95, 0.05, 0], [0.5, 0, 0], [0, 0, 1]], dtype=np.float32)
    properties = dict(zip(("red", "green", "blue"), channels.T, strict=True))
    assert painted(surface, properties, "red").tolist() == [True, True, False, False]


def test_bytes_of_colour_are_not_taken_for_floats_in_a_text_file(tmp_path):
    text = painted_ply("ascii")
    dark = text.replace(b" 255 ", b" 1 ").replace(b" 250 ", b" 1 ")
    (tmp_path / "dark.ply").write_bytes(dark)
    assert vertex_properties(tmp_path / "dark.ply")["red"].dtype == np.int64


@pytest.mark.parametrize(
    ("what", "match"),
    [
        ("mauve", "neither a colour"),
        ("#ff00", "neither a colour"),
        ("label==3", "not a number"),
        ("label=three", "not a number"),
        ("depth>1", "no property 'depth'.*quality"),
    ],
)
def test_paint_that_cannot_be_is_refused(tmp_path, what, match):
    path = tmp_path / "painted.ply"
    path.write_bytes(painted_ply("ascii"))
    with pytest.raises(SettingsError, match=match):
        painted(read(path), vertex_properties(path), what)


def test_paint_of_another_scan_is_refused(painting):
    with pytest.raises(SettingsError, match="4 vertices, but plane has 9"):
        painted(plane(3).surface, vertex_properties(painting), "red")


def test_properties_of_files_that_have_none_are_refused(tmp_path):
    with pytest.raises(ScanError, match="comes through the standard input"):
        vertex_properties("-")
    with pytest.raises(ScanError, match="PLY files only"):
        vertex_properties(tmp_path / "tooth.off")
    with pytest.raises(ScanError, match="no such file"):
        vertex_properties(tmp_path / "tooth.ply")
    path = tmp_path / "broken.ply"
    path.write_bytes(painted_ply("binary_little_endian")[:-20])
    with pytest.raises(ScanError, match="damaged"):
        vertex_properties(path)


# The outer surface


@pytest.mark.parametrize("inner", [0.5, 0.95, 0.999, 1 - 1e-6])
def test_of_two_shells_the_outer_is_seen_and_the_inner_is_not(inner):
    surface, count = shells(inner)
    seen = visible_from_outside(surface)
    assert seen[:count].all()
    assert not seen[count:].any()


def test_both_loops_see_the_same(monkeypatch, molar):
    from gplandmark.numerics.native import COMPILED, in_numpy

    if COMPILED is None:
        pytest.skip("there was no compiler")
    surfaces = shells(0.9, 2)[0], open_shell(0.5)[0], molar
    seen = [visible_from_outside(surface, 32) for surface in surfaces]
    monkeypatch.setattr(viewing, "choose_loops", lambda: in_numpy)
    for surface, expected in zip(surfaces, seen, strict=True):
        np.testing.assert_array_equal(visible_from_outside(surface, 32), expected)


def test_rays_agree_with_those_of_libigl(molar):
    import igl

    surface, _ = open_shell(0.3)
    covered = np.flatnonzero(surface.covered())
    tree = igl.AABB()
    tree.init(surface.points, surface.triangles)
    for view in viewing.viewing_directions(24)[::5]:
        # Off the grid of symmetries of the icosahedron, where rays graze edges.
        view = view + np.array([0.011, 0.017, -0.013])
        view = view / np.linalg.norm(view)
        found = viewing.blocked_along(
            view, np.ascontiguousarray(surface.points.T), surface.triangles, covered
        )
        origins = surface.points[covered] + 1e-8 * view
        towards = np.tile(view, (len(covered), 1))
        hits = tree.intersect_ray_first(surface.points, surface.triangles, origins, towards)[0]
        np.testing.assert_array_equal(found, hits >= 0)


def test_through_a_hole_the_inside_is_seen():
    surface, count = open_shell(0.6)
    np.testing.assert_array_equal(visible_from_outside(surface), surface.covered())
    surface, count = open_shell(0.85)
    inner = surface.covered() & (np.arange(surface.vertex_count) >= count)
    seen = visible_from_outside(surface)
    assert seen[surface.covered() & ~inner].all()
    assert 0 < seen[inner].mean() < 1  # through a narrow hole


def test_of_a_ball_in_an_open_shell_the_far_side_is_hidden():
    # The rim of the hole lies 53.13 degrees from the top, and a point of the ball sees 60 degrees
    # around its own direction: what lies more than 113.13 degrees from the top sees no hole.
    ball, shell = sphere(4, radius=0.5).surface, sphere(4).surface
    count = ball.vertex_count
    keep = (shell.points[shell.triangles][:, :, 2] < 0.6).all(axis=1)
    triangles = np.vstack([ball.triangles, shell.triangles[keep] + count])
    surface = Surface(np.vstack([ball.points, shell.points]), triangles)
    angle = np.degrees(np.arccos(ball.points[:, 2] / 0.5))
    seen = visible_from_outside(surface)[:count]
    assert not seen[angle > 120].any()  # the rim is jagged
    assert seen[angle < 75].all()


def test_all_of_a_thin_plate_is_seen():
    one = plane(9).surface
    both = np.vstack([one.points, one.points - [0, 0, 1e-6]])
    plates = np.vstack([one.triangles, one.triangles[:, ::-1] + one.vertex_count])
    assert visible_from_outside(one).all()
    assert visible_from_outside(Surface(both, plates)).all()


def test_doubled_triangles_and_vertices_hide_nothing():
    one = sphere(2).surface
    count = one.vertex_count
    twice = Surface(
        np.vstack([one.points, one.points]),
        np.vstack([one.triangles, one.triangles[:, ::-1], one.triangles + count]),
    )
    assert visible_from_outside(twice).all()


def test_what_is_seen_does_not_depend_on_pose_unit_or_orientation():
    surface, _ = open_shell(0.6)
    surface = Surface(surface.points * [1, 0.8, 0.6], surface.triangles)  # distinct axes
    seen = visible_from_outside(surface)
    turned = surface.points @ Rotation.from_rotvec([0.4, 1.1, -0.7]).as_matrix().T * 1e3 + 700
    flipped = Surface(turned, surface.triangles[:, ::-1])
    assert (visible_from_outside(flipped) == seen).mean() > 0.999  # but for grazing rays


def test_directions_are_spread_evenly_and_mirror_images_of_each_other():
    views = viewing.viewing_directions(128)
    assert views.shape == (128, 3)
    np.testing.assert_allclose(np.linalg.norm(views, axis=1), 1)
    probes = np.random.default_rng(0).normal(size=(2000, 3))
    probes /= np.linalg.norm(probes, axis=1)[:, None]
    widest = np.degrees(np.arccos((probes @ views.T).max(axis=1)).max())
    assert widest < 17.5
    for axis in range(3):
        mirrored = views * np.where(np.arange(3) == axis, -1, 1)
        assert {tuple(row) for row in mirrored.round(12)} == {tuple(row) for row in views.round(12)}


def test_the_inside_of_a_real_skull_is_hidden():
    surface = read_cleaned(specimen("data/skull/CAST_EIJ.ply")).surface
    seen = visible_from_outside(surface, 64)
    assert 0.5 < seen.mean() < 0.99
    # The extreme vertices of any direction are on the outside.
    for view in viewing.viewing_directions(40):
        assert seen[np.argmax(surface.points @ view)]


# Regions in placement and in the record


def test_landmarks_stay_in_the_regions_and_the_kernel_keeps_all(molar):
    rim = Region(near_rim(molar, 0.5), "rim", {"distance": 0.5})
    middle = molar.points.mean(axis=0)
    half = Region(beyond_plane(molar, middle, [1, 0, 0]), "plane", is_kept=True)
    landmarks = place(molar, 12, settings=SMALL, regions=[rim, half])
    assert not rim.mask[landmarks.vertices].any()
    assert half.mask[landmarks.vertices].all()
    described = landmarks.record.request["regions"]
    assert described == [
        {"exclude": "rim", "distance": 0.5, "vertices": int(rim.mask.sum())},
        {"only": "plane", "vertices": int(half.mask.sum())},
    ]
    json.dumps(described)
    same = place(molar, 12, settings=SMALL, exclude=rim.mask | ~half.mask)
    np.testing.assert_array_equal(same.vertices, landmarks.vertices)
    np.testing.assert_array_equal(same.uncertainty, landmarks.uncertainty)
    assert same.record.request["excluded"] == landmarks.record.request["excluded"]
    free = place(molar, 1, settings=SMALL)
    assert free.record.outcome["largest_variance_before"] >= landmarks.variances[0]


def test_regions_that_do_not_fit_or_leave_nothing_are_refused(molar):
    with pytest.raises(SettingsError, match="one per vertex"):
        allowed_by(molar, [Region(np.ones(3, dtype=bool), "three")])
    with pytest.raises(SettingsError, match="one per vertex"):
        allowed_by(molar, [Region(np.ones(molar.vertex_count), "floats")])
    everything = Region(np.ones(molar.vertex_count, dtype=bool), "all")
    with pytest.raises(SettingsError, match="Every vertex is excluded"):
        place(molar, 5, settings=SMALL, regions=[everything])


# The command line


def run(*arguments):
    return CliRunner().invoke(cli, ["place", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def scan(tmp_path, molar, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "molar.ply"
    path.write_bytes(as_ply(molar))
    return path


def test_every_option_of_a_region_reaches_the_record(scan, molar, tmp_path):
    (tmp_path / "some.txt").write_text(" ".join(map(str, range(0, molar.vertex_count, 2))))
    low, high = molar.points.min(axis=0), molar.points.max(axis=0)
    box = ",".join(map(str, [*low, *high]))
    done = run(
        scan, "-n", 8, "-o", "out.csv", "--json", "--curvature-radius", 0.15,
        "--only", "some.txt", "--exclude-rim", 0.4, "--exclude-plane", f"{high[0] - 0.1},0,0,1,0,0",
        "--exclude-box", f"{low[0]},{low[1]},{low[2]},{low[0]},{low[1]},{low[2]}",
        "--only-box", box, "--only-painted", "x>-1000", "--exclude-painted", "z>1000",
        "--outer-only",
    )  # fmt: skip
    content = json.loads(done.output)
    regions = content["request"]["regions"]
    uses = [(next(iter(each)), each[next(iter(each))]) for each in regions]
    assert uses == [
        ("only", "file"), ("exclude", "rim"), ("exclude", "plane"), ("exclude", "box"),
        ("only", "box"), ("exclude", "painted"), ("only", "painted"), ("only", "outer surface"),
    ]  # fmt: skip
    assert regions[1]["distance"] == 0.4
    assert regions[2]["normal"] == [1, 0, 0]
    assert regions[4]["vertices"] == molar.vertex_count
    vertices = np.array(content["landmarks"]["vertices"])
    assert (vertices % 2 == 0).all()
    assert not near_rim(molar, 0.4)[vertices].any()
    assert (molar.points[vertices, 0] <= high[0] - 0.1).all()


@pytest.mark.parametrize(
    ("options", "match"),
    [
        (["--exclude-plane", "1,2,3"], "six numbers"),
        (["--exclude-plane", "0,0,0,0,0,0"], "zero"),
        (["--only-box", "a,b,c,d,e,f"], "--only-box needs six numbers"),
        (["--exclude-rim", "-1"], "0 or more"),
        (["--exclude-painted", "red"], "no vertex colours"),
        (["--only", "missing.txt"], "no such file"),
        (["--only", "far.txt"], "far.txt.* does not exist"),
        (["--only", "mask.txt"], "mask.txt look like a mask of zeros and ones"),
        (["--exclude", "mask.txt"], "look like a mask of zeros and ones"),
        (["--only-box", "900,900,900,901,901,901"], "Every vertex is excluded"),
    ],
)
def test_regions_that_cannot_be_are_one_sentence(scan, tmp_path, options, match):
    (tmp_path / "far.txt").write_text("1 2 100000")
    (tmp_path / "mask.txt").write_text(
        "\n".join("01"[i % 2] for i in range(read(scan).vertex_count))
    )
    with pytest.raises((SettingsError, ScanError), match=match):
        run(scan, "-o", "out.csv", *options)
    assert not (tmp_path / "out.csv").exists()
