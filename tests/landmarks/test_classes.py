"""Classes of landmarks: sharp features, semilandmarks and the outline near the rim."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from conftest import SMALL, specimen

from gplandmark import (
    LandmarkClass,
    Landmarks,
    MolarShape,
    Settings,
    Surface,
    make_molar,
    place,
    read,
    read_landmarks,
    write,
)
from gplandmark.io.landmark_formats import csv_long as table
from gplandmark.landmarks import classes_of, classify, nearest_vertices
from gplandmark.mesh import boundary_vertices, surface_area
from gplandmark.mesh.synthetic import sphere

MOLAR = make_molar(0, vertex_count=3000)


def kinds(surface, points, settings=None):
    return classify(surface, nearest_vertices(surface, points)[0], settings)


def test_the_tips_of_cusps_are_sharp():
    assert set(kinds(MOLAR.surface, MOLAR.cusps)) == {LandmarkClass.SHARP}


def test_the_rim_is_the_outline_and_the_basin_is_neither():
    rim = np.flatnonzero(boundary_vertices(MOLAR.surface))[::20]
    assert set(classify(MOLAR.surface, rim)) == {LandmarkClass.OUTLINE}
    assert kinds(MOLAR.surface, MOLAR.at(np.array([[0.02, 0.01]]))) == (LandmarkClass.SEMILANDMARK,)


def test_a_sphere_has_neither_sharp_features_nor_an_outline():
    ball = sphere(4).surface
    everywhere = np.arange(ball.vertex_count)
    assert set(classify(ball, everywhere)) == {LandmarkClass.SEMILANDMARK}


def test_a_plane_has_no_sharp_features():
    grid = np.array([[i, j, 0.0] for i in range(12) for j in range(12)])
    corner = np.array([12 * i + j for i in range(11) for j in range(11)])
    squares = np.vstack(
        [
            np.column_stack([corner, corner + 12, corner + 1]),
            np.column_stack([corner + 1, corner + 12, corner + 13]),
        ]
    )
    plane = Surface(grid, squares)
    found = classify(plane, np.arange(144), Settings(curvature="angle-defect"))
    assert LandmarkClass.SHARP not in found
    assert found[0] is LandmarkClass.OUTLINE
    assert found[12 * 6 + 6] is LandmarkClass.SEMILANDMARK


def test_classes_depend_neither_on_units_nor_on_pose():
    surface = MOLAR.surface
    turn = np.linalg.qr(np.random.default_rng(1).standard_normal((3, 3)))[0]
    turn *= np.linalg.det(turn)
    moved = Surface(1000 * surface.points @ turn.T + 300, surface.triangles)
    some = np.arange(0, surface.vertex_count, 7)
    assert classify(surface, some) == classify(moved, some)


def test_a_bowl_is_a_basin_however_curved_and_whichever_way_the_triangles_face():
    surface = MOLAR.surface
    turned = Surface(surface.points, surface.triangles[:, ::-1])
    landmarks = place(surface, 20).vertices
    assert classify(turned, landmarks) == classify(surface, landmarks)
    deep = make_molar(0, vertex_count=3000, shape=MolarShape(basin_depth=2.0))
    centre = deep.at(np.array([[0.02, 0.01]]))
    assert kinds(deep.surface, centre) == (LandmarkClass.SEMILANDMARK,)


def test_place_tells_the_classes_and_a_point_cloud_has_none():
    landmarks = place(MOLAR.surface, 12)
    assert landmarks.classes == classify(MOLAR.surface, landmarks.vertices)
    assert len(landmarks.classes) == 12
    assert classify(Surface(MOLAR.surface.points), landmarks.vertices) == ()


def test_the_curvature_is_that_of_the_settings(molar):
    landmarks = place(molar, 12, settings=SMALL)
    assert landmarks.classes == classify(molar, landmarks.vertices, SMALL)


def test_classes_stand_in_the_table_and_other_words_are_no_classes():
    landmarks = place(MOLAR.surface, 6)
    text = table.text([landmarks])
    assert table.parse(text, "m")[0].classes == landmarks.classes
    assert table.parse(text.replace("sharp", "my favourite"), "m")[0].classes == ()


def test_the_description_in_markups_is_for_types_and_the_record_has_the_classes(tmp_path):
    landmarks = replace(place(MOLAR.surface, 3), kinds=("fixed", "semi", ""))
    path, beside = write(landmarks, tmp_path / "m.mrk.json")
    points = json.loads(path.read_text())["markups"][0]["controlPoints"]
    assert [point["description"] for point in points] == ["Fixed", "Semi", ""]
    assert read_landmarks(path).classes == landmarks.classes
    beside.unlink()
    assert read_landmarks(path).classes == ()
    assert read_landmarks(path).kinds == landmarks.kinds


def test_a_class_that_a_person_changed_in_the_table_stands(tmp_path):
    landmarks = place(MOLAR.surface, 3)
    path, _ = write(landmarks, tmp_path / "m.csv")
    path.write_text(path.read_text().replace("sharp", "outline"))
    again = read_landmarks(path)
    assert LandmarkClass.SHARP in landmarks.classes
    assert LandmarkClass.SHARP not in again.classes
    assert again.record == landmarks.record


def test_texts_that_are_no_classes():
    assert classes_of(["sharp", "outline"]) == (LandmarkClass.SHARP, LandmarkClass.OUTLINE)
    assert classes_of([None, "outline"]) == ()
    assert classes_of([]) == ()


def test_one_class_per_landmark():
    landmarks = Landmarks.at(np.zeros((2, 3)), "m")
    with pytest.raises(Exception, match="classes"):
        replace(landmarks, classes=(LandmarkClass.SHARP,))


def test_figure_2_of_the_paper_is_matched_in_kind():
    """The caption of figure 2 calls 11 of the first 22 landmarks of Q10 sharp, 4 the outline.

    Here it is 11 and 7, with quadric curvature 11 and 5.
    """
    tooth = read(specimen("data/teeth/Q10_sas.off"))
    landmarks = place(tooth, 22)
    count = Counter(landmarks.classes)
    assert 9 <= count[LandmarkClass.SHARP] <= 13
    assert 3 <= count[LandmarkClass.OUTLINE] <= 7
    assert 4 <= count[LandmarkClass.SEMILANDMARK] <= 8
    assert set(landmarks.classes[:4]) == {LandmarkClass.SHARP}
    rim = tooth.points[boundary_vertices(tooth)]
    near = 0.2 * np.sqrt(surface_area(tooth))
    for point, kind in zip(landmarks.points, landmarks.classes, strict=True):
        distance = np.linalg.norm(rim - point, axis=1).min()
        assert kind is not LandmarkClass.OUTLINE or distance <= near
