"""Pictures: what the renderer shows is what is there, and files hold text as text."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import SMALL
from hypothesis import given, settings
from hypothesis import strategies as st

from gplandmark import LandmarkFileError, PictureError, Surface, make_molar, place
from gplandmark.landmarks import covariance
from gplandmark.landmarks.compare import compare
from gplandmark.landmarks.variance_curve import Study, suggested_counts, variance_curve
from gplandmark.mesh.synthetic import sphere
from gplandmark.visual.charts.variance_charts import comparison_chart, curve_chart, study_chart
from gplandmark.visual.pictures import (
    CLASS_COLOURS,
    Camera,
    ColourScale,
    Marks,
    Panel,
    default_camera,
    draw_panels,
    picture_bytes,
    render,
    write_picture,
)
from gplandmark.visual.pictures.annotations import label_offsets
from gplandmark.visual.pictures.raster import NOTHING, rasterise

BALL = sphere(4).surface
FRONT = Camera((0, 0, 1), (0, 1, 0))
ENDINGS = pytest.mark.parametrize("ending", [".png", ".pdf", ".svg"])


def two_balls():
    """A small ball in front of a large one, as seen from +z."""
    count = BALL.vertex_count
    points = np.vstack([BALL.points, 0.4 * BALL.points + np.array([0, 0, 3.0])])
    return Surface(points, np.vstack([BALL.triangles, BALL.triangles + count])), count


def rotation(seed):
    turn = np.linalg.qr(np.random.default_rng(seed).standard_normal((3, 3)))[0]
    return turn * np.linalg.det(turn)


# --- the raster


def test_a_square_of_two_triangles_covers_every_pixel_once():
    corners = np.array([[2, 3, 0], [10, 3, 0], [10, 9, 0], [2, 9, 0.0]])
    found = rasterise(corners, np.array([[0, 1, 2], [0, 2, 3]]), 16, 12)
    expected = np.zeros((12, 16), bool)
    expected[3:9, 2:10] = True
    assert ((found.triangle != NOTHING) == expected).all()


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), scale=st.sampled_from([2.0, 10.0, 80.0]))
def test_the_raster_is_that_of_a_test_of_every_pixel(seed, scale):
    random = np.random.default_rng(seed)
    points = random.uniform(-0.2, 1.2, (12, 3)) * np.array([scale, scale, 1])
    triangles = random.integers(0, 12, (8, 3))
    width = height = int(scale)
    found = rasterise(points, triangles, width, height)
    depth = np.full((height, width), -np.inf)
    for triangle in triangles:
        first, second, third = points[triangle]
        sides = np.column_stack([second[:2] - first[:2], third[:2] - first[:2]])
        if abs(np.linalg.det(sides)) < 1e-12:
            continue
        for row in range(height):
            for column in range(min(width, 20)):
                one, two = np.linalg.solve(sides, [column + 0.5, row + 0.5] - first[:2])
                if min(one, two, 1 - one - two) >= 0:
                    near = first[2] + one * (second[2] - first[2]) + two * (third[2] - first[2])
                    depth[row, column] = max(depth[row, column], near)
    shown = slice(0, 20)
    agreed = np.isclose(found.depth[:, shown], depth[:, shown]) | (
        found.depth[:, shown] == depth[:, shown]
    )
    assert agreed.mean() > 0.999  # a centre exactly on an edge may round either way


# --- the renderer


def test_the_silhouette_of_a_sphere_is_a_disc_of_the_right_area():
    view = render(BALL, FRONT, width=300)
    pixel = (view.frame[1] - view.frame[0]) / 300
    assert view.image[..., 3].sum() * pixel**2 == pytest.approx(np.pi, rel=0.01)


def test_the_depth_is_that_of_the_sphere():
    view = render(BALL, FRONT, width=301)
    assert view.depth.max() == pytest.approx(1, abs=1e-3)
    assert np.isneginf(view.depth[0, 0])


def test_shading_is_symmetrical_about_the_plane_of_the_lights():
    view = render(BALL, FRONT, width=121)
    assert view.shade.shape == (121, 121)
    mirrored = view.shade.T  # what is above changes places with what is to the left
    shown = np.isfinite(view.shade) & np.isfinite(mirrored)
    assert shown.sum() > 9000
    assert np.median(np.abs(view.shade - mirrored)[shown]) < 0.005
    row, column = np.unravel_index(np.nanargmax(view.shade), view.shade.shape)
    assert max(row, column) < 60  # the light comes from above and from the left


def test_what_is_nearer_hides_what_is_farther():
    both, count = two_balls()
    number = np.repeat([0.0, 1.0], count)
    view = render(both, FRONT, values=number, paint=lambda v: np.tile(v[:, None], 3), width=200)
    middle = tuple(np.array(view.values.shape) // 2)
    assert view.values[middle] == 1
    behind = render(
        both, Camera((0, 0, -1), (0, 1, 0)), values=number,
        paint=lambda v: np.tile(v[:, None], 3), width=200,
    )  # fmt: skip
    assert np.nanmax(behind.values) == 0


def test_the_colour_under_a_landmark_is_that_of_the_map():
    scale = ColourScale(-1, 1, "height")
    values = BALL.points[:, 0].copy()
    view = render(BALL, FRONT, values=values, paint=scale.paint(), width=400, samples=1)
    front = np.flatnonzero(BALL.points[:, 2] > 0.5)[::40]
    rows, columns = view.pixels(BALL.points[front]).T
    expected = scale.paint()(values[front]) * view.shade[rows, columns][:, None]
    assert np.abs(view.image[rows, columns, :3] - expected).max() < 0.02
    assert np.abs(view.values[rows, columns] - values[front]).max() < 0.01


def test_hidden_points_are_told_from_those_that_show():
    view = render(BALL, FRONT, width=300)
    depth = BALL.points[:, 2]
    assert view.shows(BALL.points[depth > 0.05]).all()
    assert not view.shows(BALL.points[depth < -0.2]).any()


def test_a_picture_does_not_depend_on_units_and_is_never_mirrored():
    molar = make_molar(1, vertex_count=700).surface
    moved = Surface(1000 * molar.points @ rotation(3).T + 5000, molar.triangles)
    one, two = render(molar, width=150), render(moved, width=150)
    assert one.image.shape == two.image.shape
    assert np.abs(one.image - two.image).mean() < 0.01


def test_a_tooth_is_seen_from_above_lying_lengthwise():
    camera = default_camera(make_molar().surface)
    towards, right = camera.axes[2], camera.axes[0]
    assert towards @ [0, 0, 1] > 0.99
    assert abs(right @ [1, 0, 0]) > 0.99
    assert np.linalg.det(camera.axes) == pytest.approx(1)


def test_a_tooth_with_its_triangles_turned_is_seen_from_above_too():
    molar = make_molar().surface
    turned = Surface(molar.points, molar.triangles[:, ::-1])
    assert default_camera(turned).axes[2] @ [0, 0, 1] > 0.99
    assert np.nanmin(render(turned, width=60).shade) > 0.2


def test_a_closed_surface_is_seen_along_its_shortest_axis():
    lens = Surface(BALL.points * np.array([3, 2, 1]), BALL.triangles)
    axes = default_camera(lens).axes
    assert abs(axes[2] @ [0, 0, 1]) > 0.99
    assert abs(axes[0] @ [1, 0, 0]) > 0.99


@pytest.mark.parametrize(
    "bad", [((0, 0, 0), (0, 1, 0)), ((0, 1, 0), (0, 2, 0)), ((np.nan, 0, 0), (0, 1, 0))]
)
def test_a_camera_that_looks_nowhere_is_refused(bad):
    with pytest.raises(PictureError, match="is not a view"):
        Camera(*bad)


def test_impossible_pictures_are_refused():
    with pytest.raises(PictureError, match="at least 1"):
        render(BALL, width=0)
    with pytest.raises(PictureError, match="one value for each"):
        render(BALL, values=np.zeros(3), paint=lambda v: np.zeros((len(v), 3)))


# --- numbers beside landmarks


def test_numbers_keep_off_marks_and_other_numbers():
    places = np.array([[0, 0], [14.0, 0], [0, 14.0], [14, 14.0]])
    offsets = label_offsets(places, ("1", "2", "3", "4"), 5.0)
    centres = places + offsets
    for number, centre in enumerate(centres):
        others = np.delete(np.vstack([places, centres]), [number + 4], axis=0)
        gaps = np.abs(others - centre)
        assert ((gaps[:, 0] > 2.3 + 2.3) | (gaps[:, 1] > 3.5 + 2.5)).all()


def test_labels_stay_in_the_picture():
    places = np.array([[50.0, 10], [97, 30]])
    free = label_offsets(places, ("ab", "long name"), 5.0)
    kept = label_offsets(places, ("ab", "long name"), 5.0, 120)
    assert np.array_equal(free[0], kept[0])
    assert free[1, 0] > 0
    assert (places + kept)[1, 0] + 9 * 5.1 / 2 <= 120


# --- panels and charts


def panel(title="a tooth"):
    molar = make_molar(1, vertex_count=700).surface
    landmarks = place(molar, 6, settings=SMALL)
    colours = tuple(CLASS_COLOURS[kind] for kind in landmarks.classes)
    return Panel(
        molar, Marks(landmarks.points, landmarks.labels, colours), landmarks.uncertainty, title
    )


def test_vector_pictures_hold_text_as_text_and_the_surface_as_an_image(tmp_path):
    one = panel("a tooth & more")
    scale = ColourScale(0, float(one.values.max()), "variance (no unit)")
    figure = draw_panels([one], columns=1, width=3, scale=scale, unit="mm")
    svg = write_picture(figure, tmp_path / "p.svg").read_text()
    for words in ("a tooth &amp; more", "variance (no unit)", ">6<", "mm<"):
        assert words in svg
    assert "<image" in svg
    pdf = write_picture(figure, tmp_path / "p.pdf").read_bytes()
    assert b"/Subtype /Image" in pdf
    assert b"/Type /Font" in pdf
    assert write_picture(figure, tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def marks_of(figure):
    return [line for line in figure.axes[0].lines if line.get_marker() == "o"]


def test_hidden_landmarks_are_drawn_faintly_and_others_where_they_are():
    points = BALL.points[[int(np.argmax(BALL.points[:, 2])), int(np.argmin(BALL.points[:, 2]))]]
    marks = Marks(points, ("front", "back"), ("red", "red"))
    figure = draw_panels([Panel(BALL, marks, camera=FRONT)], columns=1, width=2)
    front, back = marks_of(figure)
    assert front.get_alpha() == 1
    assert back.get_alpha() < 0.5
    assert (front.get_xdata()[0], front.get_ydata()[0]) == pytest.approx(tuple(points[0, :2]))


@ENDINGS
def test_equal_pictures_are_equal_bytes(ending):
    curve = suggested_counts(0.7 ** np.arange(30.0) + 0.01, 1.01)
    one, two = (picture_bytes(curve_chart(curve, "m"), ending) for _ in range(2))
    assert one == two


def test_the_chart_of_a_curve_names_counts_and_knee():
    molar = make_molar(1, vertex_count=700).surface
    curve = variance_curve(place(molar, 60, settings=SMALL))
    svg = picture_bytes(curve_chart(curve, molar.name), ".svg").decode()
    assert f"50 %: {curve.reached[0.5]}" in svg
    assert f"knee: {curve.knee}" in svg
    assert "number of landmarks" in svg


def test_the_chart_of_a_comparison_names_every_set():
    molar = make_molar(1, vertex_count=700).surface
    sets = {"expert": place(molar, 5, settings=SMALL), "ours": place(molar, 8, settings=SMALL)}
    qualities = compare(molar, covariance(molar, SMALL), sets, "expert")
    svg = picture_bytes(comparison_chart(qualities, molar.name), ".svg").decode()
    assert all(words in svg for words in ("expert", "ours", "largest remaining", "mean remaining"))


def test_the_chart_of_a_study_shows_the_mean_and_two_deviations():
    curves = np.exp(-np.outer([1.0, 1.1, 0.9], np.arange(1, 30) / 8))
    study = Study(("a", "b", "c"), {"reweighted": curves, "Euclidean": curves}, {}, {})
    figure = study_chart(study)
    for axes in figure.axes:
        assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
        line = next(line for line in axes.lines if len(line.get_xdata()) == 29)
        assert line.get_ydata() == pytest.approx(curves.mean(axis=0))
        band = axes.collections[0].get_paths()[0].vertices
        top = curves.mean(axis=0)[0] + 2 * curves.std(axis=0, ddof=1)[0]
        assert band[:, 1].max() == pytest.approx(top)
    svg = picture_bytes(figure, ".svg").decode()
    assert "3 specimens" in svg
    assert "Euclidean kernel" in svg


# --- files


def test_an_unknown_ending_is_refused(tmp_path):
    figure = curve_chart(suggested_counts(np.ones(2), 1.0), "m")
    with pytest.raises(PictureError, match=r"'\.jpeg'.*\.png, \.pdf, \.svg"):
        write_picture(figure, tmp_path / "p.jpeg")
    with pytest.raises(LandmarkFileError, match="no folder"):
        write_picture(figure, tmp_path / "nowhere" / "p.png")
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_a_sentence_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(PictureError, match=r"gplandmark\[pictures\]"):
        curve_chart(suggested_counts(np.ones(2), 1.0), "m")
    with pytest.raises(PictureError, match=r"gplandmark\[pictures\]"):
        write_picture(SimpleNamespace(), tmp_path / "p.png")


def test_pictures_need_no_display(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    assert picture_bytes(draw_panels([panel()], columns=1, width=2), ".png")
    assert "matplotlib.pyplot" not in sys.modules
