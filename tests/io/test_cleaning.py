"""Every defect of a scan: found, treated by its rule, said, and never a vertex number lost."""

import numpy as np
import pytest
from conftest import SMALL
from hypothesis import given, settings
from hypothesis import strategies as st

from gplandmark import GplandmarkWarning, ScanError, SettingsError, nearest_vertices, place, read
from gplandmark.io.scans import as_ply
from gplandmark.io.scans.clean import clean
from gplandmark.io.scans.content import Scan
from gplandmark.io.scans.rules import RULES, Rules, rules_called
from gplandmark.io.scans.topology import topology
from gplandmark.mesh.surface import Source, Surface
from gplandmark.mesh.synthetic import plane, sphere, torus
from gplandmark.runs.inspect import inspect_scan, of_unlike_size

BALL = sphere(2).surface
P, T = BALL.points, BALL.triangles
SHEET = plane(5).surface


def cleaned(points, triangles, **rules):
    return clean(Scan(points, triangles, "bone"), Rules(**rules))


def findings(result):
    return {each.defect: (each.count, each.action) for each in result.report.findings}


def test_a_clean_mesh_stays_as_it_is_and_there_is_nothing_to_say(any_surface):
    result = clean(Scan(any_surface.points, any_surface.triangles, "bone"))
    assert result.report.line() == ""
    assert result.surface.numbers is None
    assert (result.surface.points == any_surface.points).all()
    assert (result.surface.triangles == any_surface.triangles).all()


# One mesh for each defect: points, triangles, and what is found and done by default.
HOLE = np.where(np.arange(len(P))[:, None] == 7, np.nan, P)
FAR = np.where(np.arange(len(P))[:, None] == 7, 1e200, P)
TWO = np.vstack([P, 0.1 * P + 5])
INSIDE = np.vstack([P, 0.5 * P])
PAIR = np.vstack([T, T + len(P)])
TURNED = np.vstack([T[:100, ::-1], T[100:]])
MOEBIUS = np.array([[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4], [4, 5, 1], [5, 0, 1]])
RING = np.array([[np.cos(a), np.sin(a), z] for a in (0, 2, 4) for z in (0.0, 0.5)])
BOOK = np.array([[0, 0, 0], [0, 0, 1], [1, 0, 0], [-1, 1, 0], [-1, -1, 0]], dtype=float)
CROSSED = np.vstack([np.zeros(3), np.eye(3)[:2], -np.eye(3)[:2]])


@pytest.mark.parametrize(
    ("points", "triangles", "expected"),
    [
        (HOLE, T, {"non_finite": (1, "dropped")}),
        (FAR, T, {"non_finite": (1, "dropped")}),
        (np.vstack([P, [[9, 9, 9]]]), T, {"unreferenced": (1, "dropped")}),
        (np.vstack([P, P[3]]), T, {"unreferenced": (1, "dropped")}),
        (P[T].reshape(-1, 3), np.arange(T.size).reshape(-1, 3),
         {"duplicates": (T.size - len(P), "joined")}),
        (P, np.vstack([T, T[5]]), {"repeated": (1, "dropped")}),
        (P, np.vstack([T, T[5, ::-1]]), {"repeated": (1, "dropped")}),
        (P, np.vstack([T, [[3, 3, 4]]]), {"zero_area": (1, "dropped")}),
        (np.vstack([P, (P[T[0, 0]] + P[T[0, 1]]) / 2]),
         np.vstack([T, [[T[0, 0], T[0, 1], len(P)]]]), {"zero_area": (1, "dropped")}),
        (P, TURNED, {"winding": (100, "turned")}),
        (P, T[:, ::-1], {"winding": (len(T), "turned")}),
        (RING, MOEBIUS, {"one_sided": (1, "kept")}),
        (BOOK, [[0, 1, 2], [0, 1, 3], [1, 0, 4]], {"non_manifold": (1, "kept")}),
        (CROSSED, [[0, 1, 2], [0, 3, 4]], {"bow_ties": (1, "kept")}),
        (TWO, PAIR, {"components": (1, "left out")}),
        (INSIDE, PAIR, {"components": (1, "left out")}),
    ],
)  # fmt: skip
def test_each_defect_has_its_rule_and_its_line(points, triangles, expected):
    result = cleaned(points, triangles)
    assert findings(result) == expected
    assert str(next(iter(expected.values()))[0]) in result.report.line().replace(",", "")
    # Cleaning again finds nothing more to change.
    again = clean(Scan(result.surface.points, result.surface.triangles, "bone"))
    assert all(each.action == "kept" for each in again.report.findings)
    with pytest.raises(ScanError, match=r"bone has .*, and the rules refuse"):
        clean(Scan(points, triangles, "bone"), RULES["strict"])
    if "non_finite" not in expected:
        kept = clean(Scan(points, triangles, "bone"), RULES["none"])
        assert kept.surface.numbers is None
        assert (kept.surface.points == points).all()
        assert (kept.surface.triangles == triangles).all()


def test_what_is_kept_has_the_coordinates_of_its_number():
    points = np.vstack([HOLE, P + 9, [[0, 0, 99]]])
    result = cleaned(points, np.vstack([T, T[:50] + len(P)]))
    surface = result.surface
    np.testing.assert_array_equal(surface.points, points[surface.numbers.in_file])
    there = surface.vertices_of(surface.numbers.in_file)
    np.testing.assert_array_equal(there, np.arange(surface.vertex_count))
    assert surface.vertices_of([7])[0] == -1
    assert surface.vertices_of([len(points) - 1])[0] == -1
    with pytest.raises(SettingsError, match=f"There is no vertex {len(points)}"):
        surface.vertices_of([len(points)])


def test_joined_vertices_answer_to_all_their_numbers():
    soup = cleaned(P[T].reshape(-1, 3), np.arange(T.size).reshape(-1, 3)).surface
    assert soup.vertex_count == len(P)
    assert topology(soup).genus == 0
    everywhere = soup.vertices_of(np.arange(T.size))
    np.testing.assert_array_equal(soup.points[everywhere], P[T].reshape(-1, 3))
    lowest = [np.flatnonzero(everywhere == vertex)[0] for vertex in range(soup.vertex_count)]
    np.testing.assert_array_equal(soup.numbers.in_file, lowest)


@pytest.mark.parametrize(
    ("components", "vertices"),
    [("largest", len(P)), ("all", 2 * len(P)), (0.005, 2 * len(P)), (0.02, len(P))],
)
def test_components_are_kept_by_area(components, vertices):
    assert cleaned(TWO, PAIR, components=components).surface.vertex_count == vertices


THREE = np.vstack([TWO, 0.02 * P + [0, 5, 0]])
TRIPLE = np.vstack([PAIR, T + len(TWO)])


@pytest.mark.parametrize(
    ("components", "count", "action", "words"),
    [
        ("all", 2, "kept", "2 pieces beside the largest kept (0 inside it)"),
        (0.0001, 2, "kept", "2 pieces beside the largest kept (0 inside it)"),
        (0.005, 1, "left out", "1 piece beside the largest left out (0.04 % of the area; 1 more "
         "kept; 0 inside the largest)"),
        (0.5, 2, "left out", "2 pieces beside the largest left out (1 % of the area; 0 inside"),
        ("largest", 2, "left out", "2 pieces beside the largest left out (1 % of the area; 0 in"),
    ],
)  # fmt: skip
def test_only_pieces_that_are_left_out_are_said_to_be(components, count, action, words):
    result = cleaned(THREE, TRIPLE, components=components)
    report = result.report
    assert findings(result) == {"components": (count, action)}
    assert report.line().startswith(words)
    assert report.count("components") == 2  # found, whatever was done
    left_out = count if action == "left out" else 0
    assert topology(result.surface).components == 3 - left_out
    assert report.vertices - report.vertices_kept == left_out * len(P)
    assert result.surface.vertex_count == (3 - left_out) * len(P)


def test_inner_shells_are_told_from_pieces_outside():
    detail = [cleaned(points, PAIR).report.findings[0].detail for points in (TWO, INSIDE)]
    assert "0 inside the largest" in detail[0]
    assert "1 inside the largest" in detail[1]


@pytest.mark.parametrize("scale", [1e-60, 1e45])
def test_inner_shells_of_any_size(scale):
    # A fuzzer found that libigl ends the program at coordinates beyond single precision.
    assert "1 inside" in cleaned(scale * INSIDE, PAIR).report.findings[0].detail


def test_a_heap_of_crumbs_is_no_specimen():
    points = np.vstack([P + 3 * shift for shift in range(12)])
    triangles = np.vstack([T + len(P) * shift for shift in range(12)])
    with pytest.raises(ScanError, match=r"bone falls into 12 pieces.*8.3 % of the area"):
        cleaned(points, triangles)
    assert topology(cleaned(points, triangles, components="all").surface).components == 12


def test_closed_pieces_look_outward_and_open_ones_stay():
    both = cleaned(TWO, np.vstack([T[:, ::-1], T + len(P)]), components="all")
    np.testing.assert_array_equal(both.surface.triangles, PAIR)
    flipped = SHEET.triangles[:, ::-1]
    np.testing.assert_array_equal(cleaned(SHEET.points, flipped).surface.triangles, flipped)


@settings(max_examples=40)
@given(st.lists(st.booleans(), min_size=len(T), max_size=len(T)))
def test_any_winding_of_a_closed_surface_comes_out_outward(turn):
    mixed = np.where(np.array(turn)[:, None], T[:, ::-1], T)
    result = cleaned(P, mixed).surface
    corners = result.points[result.triangles]
    assert (np.linalg.det(corners) > 0).all()


@settings(max_examples=60)
@given(
    st.lists(st.tuples(*[st.integers(0, 7)] * 3), min_size=1, max_size=30),
    st.lists(st.integers(0, 3), min_size=24, max_size=24),
    st.sampled_from(["default", "none", "strict"]),
)
def test_any_triangles_are_cleaned_or_refused(triangles, coordinates, name):
    points = np.array(coordinates, dtype=float).reshape(8, 3)
    points[0, 0] = np.nan if coordinates[0] == 3 else points[0, 0]
    try:
        result = clean(Scan(points, np.array(triangles), "heap"), RULES[name])
    except ScanError:
        return
    surface = result.surface
    assert np.isfinite(surface.points).all()
    numbers = surface.in_file(np.arange(surface.vertex_count))
    np.testing.assert_array_equal(points[numbers], surface.points)
    assert name != "strict" or not result.report.findings


@pytest.mark.parametrize(
    ("surface", "expected"),
    [
        (BALL, (1, 0, 2, 0)),
        (torus(24, 12).surface, (1, 0, 0, 1)),
        (SHEET, (1, 1, 1, 0)),
        (Surface(TWO, PAIR), (2, 0, 4, 0)),
        (Surface(BOOK, [[0, 1, 2], [0, 1, 3], [1, 0, 4]]), (1, 1, 1, None)),
    ],
)
def test_topology_counts_pieces_loops_and_handles(surface, expected):
    found = topology(surface)
    assert (
        found.components, found.boundary_loops, found.euler_characteristic, found.genus
    ) == expected  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"non_finite": "keep"}, "no rule 'keep' for non finite"),
        ({"bow_ties": "fix"}, "no rule 'fix' for bow ties"),
        ({"winding": "mend"}, "no rule 'mend'"),
        ({"components": 0.0}, "above 0 and below 1"),
        ({"components": "some"}, "'largest', 'all'"),
    ],
)
def test_rules_out_of_range_are_refused(change, message):
    with pytest.raises(SettingsError, match=message):
        Rules(**change)


def test_rules_by_name():
    assert rules_called("default", "5%").components == 0.05
    assert rules_called("strict", "all").components == "all"
    with pytest.raises(SettingsError, match="no rules 'rough'"):
        rules_called("rough")


# Landmarks


@pytest.fixture
def torn(molar, tmp_path):
    """A molar with a hole in front, a crumb, and numbers that all are shifted."""
    points = np.vstack([np.full((3, 3), np.nan), molar.points, molar.points[:40] + 99])
    crumb = molar.triangles[(molar.triangles < 40).all(axis=1)]
    triangles = np.vstack([molar.triangles + 3, crumb + 3 + molar.vertex_count, [[0, 1, 5]]])
    surface = Surface(np.nan_to_num(points), triangles, "torn")
    content = as_ply(surface)
    header = content.index(b"end_header\n") + 11
    body = bytearray(content)
    body[header : header + 72] = np.full(9, np.nan).astype("<f8").tobytes()
    path = tmp_path / "torn.ply"
    path.write_bytes(bytes(body))
    return path, points


def read_torn(path):
    with pytest.warns(GplandmarkWarning, match="3 vertices with NaN.*left out"):
        return read(path)


def test_landmarks_bear_the_numbers_of_the_file(torn, molar):
    path, points = torn
    surface = read_torn(path)
    found = place(surface, 8, settings=SMALL)
    expected = place(molar, 8, settings=SMALL)
    np.testing.assert_array_equal(found.vertices, expected.vertices + 3)
    np.testing.assert_array_equal(found.points, points[found.vertices])
    assert found.record.input["cleaning"]["findings"]["non_finite"]["count"] == 3
    nearest, distances = nearest_vertices(surface, found.points)
    np.testing.assert_array_equal(nearest, found.vertices)
    assert (distances == 0).all()


def test_numbers_that_go_in_are_those_of_the_file(torn, molar):
    path, points = torn
    surface = read_torn(path)
    first = place(molar, 8, settings=SMALL).vertices
    start = place(surface, 6, settings=SMALL, start=[first[4] + 3])
    assert start.vertices[0] == first[4] + 3
    assert start.record.request["start"] == [first[4] + 3]
    gone = place(surface, 6, settings=SMALL, exclude=first[:1] + 3)
    np.testing.assert_array_equal(
        gone.vertices, place(molar, 6, settings=SMALL, exclude=first[:1]).vertices + 3
    )
    assert gone.record.request["excluded"] == [[first[0] + 3, first[0] + 3]]
    mask = np.zeros(len(points), dtype=bool)
    mask[first[:1] + 3] = True
    np.testing.assert_array_equal(
        place(surface, 6, settings=SMALL, exclude=mask).vertices, gone.vertices
    )
    assert (place(surface, 6, settings=SMALL, exclude=[0, 1]).vertices == first[:6] + 3).all()
    weight = np.linspace(1, 2, len(points))
    weighted = place(surface, 6, weight=weight)
    np.testing.assert_array_equal(
        weighted.vertices, place(molar, 6, weight=weight[3 : 3 + molar.vertex_count]).vertices + 3
    )
    twice = place(surface, 4, settings=SMALL, start=[first[1] + 3], after=None)
    assert place(surface, 4, settings=SMALL, start=twice.vertices).vertices.tolist() == list(
        twice.vertices
    )
    with pytest.raises(SettingsError, match="vertex 1 lies on a part of torn that was removed"):
        place(surface, 6, settings=SMALL, start=[1])
    with pytest.raises(SettingsError, match="There is no vertex 9999"):
        place(surface, 6, settings=SMALL, start=[9999])
    with pytest.raises(
        SettingsError, match=r"One of the excluded vertices does not exist.* 0 to 742"
    ):
        place(surface, 6, settings=SMALL, exclude=[-2])


def test_more_landmarks_follow_on_a_cleaned_surface(torn):
    surface = read_torn(torn[0])
    whole = place(surface, 9, settings=SMALL)
    more = place(surface, 9, settings=SMALL, after=place(surface, 4, settings=SMALL))
    np.testing.assert_array_equal(more.vertices, whole.vertices)


# Inspection


def test_inspection_tells_sizes_and_other_units(tmp_path):
    paths = []
    for number, scale in enumerate([1.0, 1.2, 0.9, 1000.0]):
        paths.append(tmp_path / f"{number}.ply")
        paths[-1].write_bytes(as_ply(Surface(scale * P, T, "ball")))
    found = [inspect_scan(path) for path in (*paths, tmp_path / "none.ply")]
    assert [each.verdict for each in found] == ["clean"] * 4 + ["refused"]
    assert found[0].area == pytest.approx(np.sum(sphere_areas()))
    assert found[0].size == pytest.approx(tuple(np.ptp(P, axis=0)))
    (sentence,) = of_unlike_size(found)
    assert str(paths[3]) in sentence
    assert "times larger" in sentence
    assert of_unlike_size(found[:2]) == []


def sphere_areas():
    a, b, c = (P[T[:, corner]] for corner in range(3))
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2


def test_verdicts(tmp_path):
    for name, triangles, verdict in (("a", np.vstack([T, T[:1]]), "mended"), ("b", T, "clean")):
        (tmp_path / f"{name}.ply").write_bytes(as_ply(Surface(P, triangles)))
        assert inspect_scan(tmp_path / f"{name}.ply").verdict == verdict
    (tmp_path / "c.ply").write_bytes(as_ply(Surface(BOOK, [[0, 1, 2], [0, 1, 3], [1, 0, 4]])))
    assert inspect_scan(tmp_path / "c.ply").verdict == "flawed"
    assert inspect_scan(tmp_path / "c.ply", RULES["strict"]).verdict == "refused"
    assert (
        inspect_scan(tmp_path / "a.ply").as_dict()["report"]["findings"]["repeated"]["count"] == 1
    )


def test_a_source_remembers_the_report():
    scan = Scan(HOLE, T, "bone", Source("bone.ply", "0"))
    assert clean(scan).surface.source.cleaning["vertices_kept"] == len(P) - 1
