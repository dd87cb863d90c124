import numpy as np
import pytest

from gplandmark import ScanError, Surface
from gplandmark.mesh.synthetic import plane

TETRAHEDRON = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])


def test_a_surface_keeps_its_coordinates_and_cannot_be_changed():
    surface = Surface(TETRAHEDRON + 1e6, FACES, "t")
    assert (surface.points == TETRAHEDRON + 1e6).all()
    with pytest.raises(ValueError, match="read-only"):
        surface.points[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        surface.triangles[0, 0] = 1


def test_the_callers_array_stays_the_callers():
    points = TETRAHEDRON.copy()
    surface = Surface(points, FACES)
    points[0] = 9
    assert (surface.points[0] == 0).all()


@pytest.mark.parametrize(
    ("points", "triangles", "message"),
    [
        (np.zeros((0, 3)), FACES, "no vertices"),
        (TETRAHEDRON[:3], FACES[:1], "only 3 vertices"),
        (np.full((5, 3), np.nan), FACES, "no vertex with finite"),
        (np.vstack([TETRAHEDRON, [np.inf, 0, 0]]), FACES, r"1 vertices with NaN.*vertex 4"),
        (TETRAHEDRON, np.zeros((0, 3), int), "no triangles"),
        (TETRAHEDRON, FACES + 1, "names vertex 4"),
        (TETRAHEDRON, FACES - 1, "names vertex -1"),
        (TETRAHEDRON, FACES[:, :2], r"shape \(m, 3\)"),
        (TETRAHEDRON.ravel(), FACES, r"shape \(n, d\)"),
        (np.zeros((5, 2)), FACES, "dimension 2"),
    ],
)
def test_what_is_no_surface_is_refused(points, triangles, message):
    with pytest.raises(ScanError, match=message):
        Surface(points, triangles, "bone")


def test_a_point_cloud_has_no_faces_to_give():
    cloud = Surface(np.eye(5), None, "cloud")
    assert cloud.covered().all()
    with pytest.raises(ScanError, match="no triangles"):
        cloud.faces()


def test_covered_tells_loose_vertices():
    flat = plane(4).surface
    surface = Surface(np.vstack([flat.points, [[9, 9, 9]]]), flat.triangles)
    assert list(np.flatnonzero(~surface.covered())) == [16]
