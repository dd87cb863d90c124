"""Stills: landmarks at their pixels, colours by their scale, and what notebooks show."""

import base64
import re
import sys
from dataclasses import replace
from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import pytest
from conftest import SMALL, specimen

import gplandmark
from gplandmark import (
    AuthorsSettings,
    GplandmarkWarning,
    LandmarkFileError,
    Landmarks,
    PictureError,
    Settings,
    Surface,
    make_molar,
    place,
    scaled,
    to_system,
)
from gplandmark.landmarks import PRESETS, Record, covariance, recalled_settings
from gplandmark.landmarks.baselines import SAMPLERS
from gplandmark.landmarks.curves import Curve
from gplandmark.landmarks.record import describe_settings
from gplandmark.landmarks.variance_curve import condition_on
from gplandmark.mesh.closest_point import ClosestPoints
from gplandmark.mesh.synthetic import sphere
from gplandmark.visual.pictures import (
    Marks,
    Panel,
    cameras,
    default_camera,
    draw_panels,
    notebook_png,
    picture,
    picture_bytes,
    picture_of_steps,
    render,
)
from gplandmark.visual.pictures.colour_maps import (
    EARLIER,
    NEW,
    SET_COLOURS,
    Method,
    surface_heat_map,
)
from gplandmark.visual.pictures.landmark_sets import checked_sets
from gplandmark.visual.pictures.picture import step_panels
from gplandmark.visual.pictures.renderer import points_as_quads

MOLAR = make_molar(1, vertex_count=700).surface
CLOUD = Surface(MOLAR.points, None, "cloud")
BALL = sphere(3).surface
LENS = Surface(BALL.points * np.array([3, 2, 1]), BALL.triangles, "lens")
NARROW = Settings(curvature_radius=0.05)
PLACED = place(MOLAR, 9, settings=NARROW)
COARSE = {"width": 3, "resolution": 60}


def pixels_of(figure):
    """The figure as a person sees it: (height, width, 3), 0 to 255."""
    from matplotlib.image import imread

    image = imread(BytesIO(picture_bytes(figure, ".png")))
    return np.round(255 * image[..., :3]).astype(int)


def marks_of(axes):
    return [line for line in axes.lines if line.get_marker() == "o"]


def texts_of(axes):
    """Texts beside the marks, each once: the halo is written first."""
    return [text.get_text() for text in axes.texts if text.get_color() != "white"]


# --- landmarks where they are


@pytest.mark.parametrize("view", ["top", "front", "30,20", "obverse"])
def test_a_mark_has_its_colour_at_the_pixel_where_the_camera_sees_the_landmark(view):
    figure = picture(MOLAR, PLACED, views=[view], labels="none")
    drawn = pixels_of(figure)
    (camera,) = cameras(MOLAR, [view]).values()
    rendered = render(MOLAR, camera, width=700)
    shown = rendered.shows(PLACED.points)
    assert shown.sum() >= 4
    axes = figure.axes[0]
    seen = camera.project(PLACED.points)[:, :2]
    columns, rows = axes.transData.transform(seen).T
    red = np.array([0xD6, 0x28, 0x28])
    found = drawn[len(drawn) - 1 - rows.astype(int), columns.astype(int)]
    places = np.column_stack([columns, rows])
    gaps = np.linalg.norm(places[:, None] - places[shown], axis=2)
    alone = (np.where(gaps > 0, gaps, np.inf) > 12).all(axis=1)  # pixels: no mark covers it
    assert np.count_nonzero(alone & shown) >= 3
    assert (np.abs(found[shown & alone] - red).max(axis=1) <= 2).all()
    assert (np.abs(found[~shown & alone] - red).max(axis=1) > 10).all()


def test_hidden_landmarks_are_faint_and_have_no_number():
    ends = LENS.points[[np.argmax(LENS.points[:, 2]), np.argmin(LENS.points[:, 2])]]
    figure = picture(LENS, Landmarks.at(ends, "lens"), **COARSE)
    obverse, reverse = figure.axes[:2]
    assert [obverse.get_title(), reverse.get_title()] == ["obverse", "reverse"]
    assert sorted(texts_of(obverse) + texts_of(reverse)) == ["1", "2"]
    for axes in (obverse, reverse):
        assert sorted(mark.get_alpha() for mark in marks_of(axes)) == [0.25, 1]


def test_labels_are_numbers_names_or_none():
    names = tuple("abcdefghi")
    named = replace(PLACED, labels=names)
    missing = named.points.copy()
    missing[1] = np.nan
    for labels, expected in (("numbers", set("123456789")), ("names", set(names)), ("none", set())):
        shown = texts_of(picture(MOLAR, named, labels=labels, **COARSE).axes[0])
        assert set(shown) <= expected
        assert len(shown) == len(set(shown)) >= (0 if labels == "none" else 6)
    with pytest.warns(GplandmarkWarning, match=r"1 missing landmarks"):
        figure = picture(MOLAR, replace(named, points=missing), **COARSE)
    assert "2" not in texts_of(figure.axes[0])  # numbers are those of the file
    assert len(marks_of(figure.axes[0])) == 8
    with pytest.raises(PictureError, match=r"Unknown labels 'x'.*numbers, names, none"):
        picture(MOLAR, named, labels="x")


def test_a_label_is_written_as_it_is():
    names = ("$x^2$ <&>", *PLACED.labels[1:])
    figure = picture(MOLAR, replace(PLACED, labels=names), labels="names", **COARSE)
    svg = picture_bytes(figure, ".svg").decode()
    assert "$x^2$ &lt;&amp;&gt;" in svg


def test_several_sets_have_a_colour_each_and_a_legend():
    sets = {"observer": Landmarks.at(MOLAR.points[::200], "m"), "ours": PLACED}
    figure = picture(MOLAR, sets, **COARSE)
    counts = {colour: 0 for colour in SET_COLOURS[:2]}
    for mark in marks_of(figure.axes[0]):
        counts[mark.get_color()] += 1
    assert list(counts.values()) == [len(sets["observer"]), 9]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["observer", "ours"]
    assert picture(MOLAR, PLACED, **COARSE).legends == []
    with pytest.raises(PictureError, match="7 sets"):
        picture(MOLAR, {str(number): PLACED for number in range(7)})


def test_landmarks_of_another_specimen_are_refused_and_those_a_little_off_are_noted():
    size = np.sqrt(gplandmark.mesh.surface_area(MOLAR))
    for surface in (MOLAR, CLOUD):
        with pytest.raises(LandmarkFileError, match="belongs to another specimen"):
            picture(surface, Landmarks.at(PLACED.points + size, "other"))
    up = PLACED.points + np.array([0, 0, 0.03 * size])
    with pytest.warns(GplandmarkWarning, match=r"off the surface.*drawn where it is"):
        picture(MOLAR, Landmarks.at(up, "m"), **COARSE)
    with pytest.raises(LandmarkFileError, match="holds no landmarks"):
        picture(MOLAR, Landmarks.at(np.zeros((0, 3)), "m"))


# --- views


def test_views_along_the_axes_of_the_file():
    seen = cameras(MOLAR, ["top", "bottom", "front", "back", "left", "right", "90,0", "10,20"])
    axes = {name: camera.axes for name, camera in seen.items()}
    x, y, z = np.eye(3)
    for name, right, up, towards in (
        ("top", x, y, z),
        ("bottom", x, -y, -z),
        ("front", x, z, -y),
        ("back", -x, z, y),
        ("left", -y, z, -x),
        ("right", y, z, x),
        ("azimuth 90°, elevation 0°", -x, z, y),
    ):
        assert axes[name] == pytest.approx(np.array([right, up, towards]), abs=1e-12), name
    a, e = np.radians([10, 20])
    expected = [np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)]
    assert axes["azimuth 10°, elevation 20°"][2] == pytest.approx(expected)
    assert axes["azimuth 10°, elevation 20°"][1][2] > 0


def test_automatic_views_are_one_of_a_tooth_and_both_sides_of_a_bone():
    assert list(cameras(MOLAR, ["auto"])) == ["obverse"]
    assert list(cameras(LENS, ["AUTO "])) == ["obverse", "reverse"]
    assert list(cameras(CLOUD, ["auto"])) == ["obverse", "reverse"]
    one, two = (camera.axes for camera in cameras(LENS, ["auto"]).values())
    assert one[2] == pytest.approx(-two[2])
    assert one[1] == pytest.approx(two[1])
    assert cameras(MOLAR, ["obverse"])["obverse"] == default_camera(MOLAR)


@pytest.mark.parametrize("bad", ["side", "10", "10,20,30", "nan,0", "0,91", "a,b", ""])
def test_a_view_that_does_not_exist_is_refused(bad):
    with pytest.raises(PictureError, match=r"Unknown view.*auto.*azimuth"):
        picture(MOLAR, views=[bad])
    with pytest.raises(PictureError, match="No view"):
        picture(MOLAR, views=[])


def test_views_of_one_surface_are_of_one_scale_and_not_too_tall():
    figure = picture(LENS, views=["top", "right", "0,90"], **COARSE)
    widths = [np.ptp(axes.get_xlim()) for axes in figure.axes[:3]]
    assert widths == pytest.approx([widths[0]] * 3)
    upright = Surface(LENS.points[:, [1, 2, 0]] * np.array([1, 1, 9]), LENS.triangles)
    width, height = picture(upright, views=["front"], **COARSE).get_size_inches()
    assert height < 2 * width
    narrow, wide = LENS, BALL
    figure = draw_panels(
        [Panel(narrow), Panel(wide)], columns=2, **COARSE
    )  # two surfaces, two scales
    assert np.ptp(figure.axes[0].get_xlim()) > 2 * np.ptp(figure.axes[1].get_xlim())


# --- colours


def test_the_variance_is_what_the_landmarks_leave_by_the_method_that_made_them():
    expected = condition_on(MOLAR, covariance(MOLAR, NARROW), PLACED.vertices).variance
    method = Method.of(PLACED, None, None)
    heat = surface_heat_map(MOLAR, "variance", PLACED.vertices, method, "mm")
    assert heat.values == pytest.approx(100 * np.clip(expected, 0, 1), abs=1e-9)
    assert heat.scale.low == 0
    assert heat.scale.high == pytest.approx(heat.values.max())
    shares = PLACED.uncertainty / PLACED.record.outcome["largest_variance_before"]
    assert heat.values == pytest.approx(100 * shares, abs=1e-5)


def test_curvature_is_positive_where_a_surface_bulges_whichever_way_its_triangles_face():
    method, narrow = Method(SMALL), Method(NARROW)
    none = np.zeros(0, dtype=np.int64)
    for faces in (BALL.triangles, BALL.triangles[:, ::-1]):
        heat = surface_heat_map(Surface(2 * BALL.points, faces), "curvature", none, narrow, "mm")
        assert heat.values == pytest.approx(0.5, rel=0.1)
        assert "1 / mm" in heat.scale.label
        assert heat.scale.low == -heat.scale.high
    cloud = surface_heat_map(CLOUD, "curvature", none, method, "mm")
    assert (cloud.values >= 0).all()
    assert cloud.scale.low == 0


def test_the_weight_is_one_on_average_over_the_area():
    areas = gplandmark.mesh.vertex_areas(MOLAR)
    none = np.zeros(0, dtype=np.int64)
    heat = surface_heat_map(MOLAR, "weight", none, Method(Settings()), "mm")
    assert areas @ heat.values / areas.sum() == pytest.approx(1)
    assert heat.values[np.argmax(MOLAR.points[:, 2])] > 1.5  # a cusp
    flat = surface_heat_map(MOLAR, "weight", none, Method(Settings(weight="uniform")), "mm")
    assert flat.values == pytest.approx(1)
    for settings in (Settings(kernel="squared-exponential"), AuthorsSettings()):
        with pytest.raises(PictureError, match="no weight"):
            surface_heat_map(MOLAR, "weight", none, Method(settings), "mm")


@pytest.mark.parametrize("colour", ["variance", "curvature", "weight"])
@pytest.mark.parametrize("surface", [MOLAR, CLOUD], ids=["mesh", "cloud"])
def test_every_heat_map_has_a_numbered_bar(surface, colour):
    figure = picture(
        surface, Landmarks.at(PLACED.points, "m"), colour=colour, settings=SMALL, **COARSE
    )
    bar = figure.axes[-1]
    numbers = [text.get_text() for text in bar.get_xticklabels()]
    assert len(set(numbers)) >= 3
    assert any(colour in text.get_text() for text in figure.texts)
    with pytest.raises(PictureError, match=r"Unknown colour 'x'.*plain, variance"):
        picture(surface, colour="x")


def test_a_record_tells_the_settings_that_made_the_landmarks():
    for settings in (
        *PRESETS.values(),
        SMALL,
        Settings(eps=0.3, mixture=0.2, exponent=2.0),
        Settings(kernel="heat", eigenpairs=40, boundary="neumann"),
        Settings(weight="uniform", engine="direct"),
    ):
        told = describe_settings(settings, MOLAR, None)
        again = recalled_settings(Record(settings=told))
        assert describe_settings(again, MOLAR, None) == told
    assert recalled_settings(Record()) is None
    assert recalled_settings(SAMPLERS["random"](MOLAR, 3).record) is None
    given = place(MOLAR, 3, settings=SMALL, weight=np.ones(MOLAR.vertex_count)).record
    with pytest.warns(GplandmarkWarning, match="weight, which was given"):
        assert recalled_settings(given).weight == "curvature"
    with pytest.warns(GplandmarkWarning, match="settings that can be used"):
        assert recalled_settings(Record(settings={"kernel": "none of ours"})) is None


# --- steps


def test_the_steps_show_the_newest_red_and_the_variance_after_each():
    (placed,) = checked_sets(MOLAR, {"m": PLACED}).values()
    panels = step_panels(MOLAR, placed, 3, Method(SMALL), "top", "names")
    kernel = covariance(MOLAR, SMALL)
    for step, panel in enumerate(panels, 1):
        left = condition_on(MOLAR, kernel, PLACED.vertices[:step])
        assert panel.values.max() == pytest.approx(100 * left.largest[-1])
        assert panel.marks.labels == PLACED.labels[:step]
    figure = picture_of_steps(MOLAR, count=5, settings=SMALL, labels="none", **COARSE)
    assert [axes.get_title() for axes in figure.axes[:5]] == [
        f"after landmark {step}" for step in range(1, 6)
    ]
    for step, axes in enumerate(figure.axes[:5], 1):
        colours = [mark.get_color() for mark in marks_of(axes)]
        assert colours == [EARLIER] * (step - 1) + [NEW]


def test_steps_of_given_landmarks_follow_their_order():
    backwards = Landmarks.at(PLACED.points[::-1], "m")
    figure = picture_of_steps(MOLAR, backwards, count=2, view="top", settings=SMALL, **COARSE)
    first = marks_of(figure.axes[0])[0]
    (camera,) = cameras(MOLAR, ["top"]).values()
    expected = camera.project(PLACED.points[-1:])[0, :2]
    assert (first.get_xdata()[0], first.get_ydata()[0]) == pytest.approx(tuple(expected))
    with pytest.raises(PictureError, match="9 landmarks, too few for 12"):
        picture_of_steps(MOLAR, backwards, count=12)
    for count in (0, 41):
        with pytest.raises(PictureError, match="from 1 to 40"):
            picture_of_steps(MOLAR, count=count)


# --- clouds


def test_the_quads_of_a_cloud_lie_along_its_surface():
    cloud = Surface(BALL.points)
    quads = points_as_quads(cloud)
    corners = quads.points.reshape(-1, 4, 3)
    assert corners.mean(axis=1) == pytest.approx(cloud.points)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 3] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    assert np.abs(np.einsum("ij,ij->i", normals, cloud.points)).min() > 0.98


def test_a_cloud_looks_like_its_mesh():
    dense = sphere(5).surface
    camera = default_camera(MOLAR)
    mesh, cloud = (
        render(each, camera, width=200, frame=(-1.1, 1.1, -1.1, 1.1))
        for each in (dense, Surface(dense.points))
    )
    assert np.abs(mesh.image[..., 3] - cloud.image[..., 3]).mean() < 0.01
    both = np.isfinite(mesh.shade) & np.isfinite(cloud.shade)
    assert np.abs(mesh.shade - cloud.shade)[both].mean() < 0.02


def test_points_beyond_space_are_refused():
    with pytest.raises(PictureError, match="dimension 4"):
        picture(Surface(np.random.default_rng(0).random((30, 4))), views=["top"])


# --- files and notebooks


@pytest.mark.parametrize(
    ("ending", "magic"), [(".png", b"\x89PNG\r\n\x1a\n"), (".pdf", b"%PDF-"), (".svg", b"<?xml")]
)
def test_equal_input_is_equal_bytes_with_the_right_beginning(ending, magic):
    one, two = (
        picture_bytes(picture(MOLAR, PLACED, colour="variance", **COARSE), ending) for _ in range(2)
    )
    assert one == two
    assert one.startswith(magic)


def test_width_and_resolution_are_those_asked_for():
    drawn = pixels_of(picture(MOLAR, PLACED, width=3, resolution=80))
    assert drawn.shape[1] == 240
    assert pixels_of(picture(MOLAR)).shape[1] == 900
    for width, resolution in ((0.1, 100), (100, 200)):
        with pytest.raises(PictureError, match="cannot be drawn"):
            picture(MOLAR, width=width, resolution=resolution)


def test_the_rows_of_a_picture_do_not_depend_on_how_many_are_drawn_at_a_time(monkeypatch):
    from gplandmark.visual.pictures import renderer

    whole = render(MOLAR, width=150)
    monkeypatch.setattr(renderer, "ROWS", 7)
    parts = render(MOLAR, width=150)
    assert np.abs(whole.image - parts.image).max() < 1e-6


def test_a_picture_of_real_landmarks_shows_most_of_them():
    scan = gplandmark.read(specimen("data/calcaneus/Canis_latrans.ply"))
    figure = picture(scan, place(scan, 12), **COARSE)
    numbers = {text for axes in figure.axes[:2] for text in texts_of(axes)}
    assert len(numbers) >= 10


def shown_by(thing):
    formatter = pytest.importorskip("IPython.core.formatters").DisplayFormatter()
    return formatter.format(thing)[0]


def test_a_notebook_shows_placed_landmarks_on_their_surface():
    html = shown_by(PLACED)["text/html"]
    assert html.count("<tr>") == 10
    assert html.count('src="data:image/png;base64,iVBOR') == 1
    assert "9 landmarks" in html
    assert notebook_png(PLACED).startswith(b"\x89PNG")


def test_landmarks_without_a_known_surface_show_a_table():
    points = np.vstack([PLACED.points, [[np.nan] * 3], PLACED.points[:4]])
    html = shown_by(Landmarks.at(points, "<tooth>"))["text/html"]
    assert "<img" not in html
    assert "&lt;tooth&gt;: 14 landmarks" in html
    assert "<td>missing</td>" in html
    assert "and 4 more" in html
    high = Landmarks.at(np.zeros((2, 5)), "m")
    assert "<th>x5</th>" in shown_by(high)["text/html"]


def test_other_coordinates_are_no_longer_on_the_surface():
    assert PLACED.surface is MOLAR
    assert scaled(PLACED, 1000).surface is None
    assert to_system(replace(PLACED, system="RAS"), "LPS").surface is None
    assert SAMPLERS["farthest-point"](MOLAR, 3).surface is MOLAR


def test_a_notebook_without_matplotlib_shows_the_table_alone(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "<img" not in PLACED._repr_html_()
    assert "<table>" in PLACED._repr_html_()


def test_a_notebook_shows_a_picture_as_png():
    pytest.importorskip("IPython")
    data = shown_by(picture(MOLAR, PLACED, **COARSE))
    assert data["image/png"].startswith((b"\x89PNG", b"iVBOR"))


def test_curves_follow_the_surface_through_their_landmarks():
    ring = Curve("ring", (0, 1, 2), is_closed=True)
    gap = PLACED.points.copy()
    gap[4] = np.nan
    given = Landmarks.at(gap, "m", curves=(ring, Curve("open", (3, 4, 5))))
    with pytest.warns(GplandmarkWarning, match="1 missing"):
        placed = checked_sets(MOLAR, {"m": given})["m"]
    for line, members in zip(placed.lines, ((0, 1, 2, 0), (3, 5)), strict=True):
        through = [at for at, point in enumerate(line)
                   if (point == given.points[list(members)]).all(axis=1).any()]  # fmt: skip
        np.testing.assert_array_equal(line[through], given.points[list(members)])
        assert ClosestPoints(MOLAR).to(line)[0].max() < 1e-20
    with pytest.warns(GplandmarkWarning, match="1 missing"):
        figure = picture(MOLAR, given, **COARSE)
    drawn = [len(each.get_segments()) for each in figure.axes[0].collections]
    assert drawn == [len(line) - 1 for line in placed.lines]


def test_marks_may_have_no_text():
    marks = Marks(PLACED.points, ("",) * 9, ("red",) * 9)
    figure = draw_panels([Panel(MOLAR, marks)], columns=1, width=2)
    assert texts_of(figure.axes[0]) == []


def test_vector_files_bring_their_fonts():
    from fontTools.ttLib import TTFont
    from matplotlib.figure import Figure

    from gplandmark.visual.pictures.image_files import styled

    with styled():
        figure = Figure(figsize=(2, 1))
        figure.text(0.1, 0.5, "Ångström & <b>")
        figure.text(0.1, 0.1, "qz", weight="bold")
        svg, pdf = (picture_bytes(figure, each) for each in (".svg", ".pdf"))
    ElementTree.fromstring(svg)  # still well-formed
    found = re.findall(rb"font-weight:(\w+);src:url\(data:font/ttf;base64,([^)]+)\)", svg)
    letters = {weight: set(TTFont(BytesIO(base64.b64decode(font))).getBestCmap())
               for weight, font in found}  # fmt: skip
    assert set(map(ord, "Ångström & <b>")) <= letters[b"normal"]
    assert set(map(ord, "qz")) <= letters[b"bold"]
    assert len(letters[b"normal"]) < 20
    assert b"/FontFile2" in pdf
    assert picture_bytes(figure, ".svg") == svg
