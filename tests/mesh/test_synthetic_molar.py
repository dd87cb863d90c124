import numpy as np
import pytest
from scipy.spatial import cKDTree

from gplandmark import MolarShape, SettingsError, make_molar
from gplandmark.mesh import boundary_vertices, edges, mean_edge_length


def test_a_molar_is_a_disc_with_one_rim_facing_outwards():
    surface = make_molar(3, vertex_count=1500).surface
    ends, counts = edges(surface)
    euler = surface.vertex_count - len(ends) + len(surface.triangles)
    assert (counts <= 2).all()
    assert surface.covered().all()
    assert euler == 1
    rim = np.flatnonzero(boundary_vertices(surface))
    assert surface.points[rim, 2].max() < 1e-9
    top = surface.points[surface.triangles].mean(axis=1)
    normals = np.cross(*(np.diff(surface.points[surface.triangles], axis=1).swapaxes(0, 1)))
    outwards = top - surface.points.mean(axis=0) * [1, 1, 0]
    assert (np.einsum("ij,ij->i", normals, outwards) > 0).mean() > 0.9


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_cusps_are_peaks_of_the_surface(seed):
    molar = make_molar(seed, vertex_count=8000)
    points = molar.surface.points
    tree = cKDTree(points)
    for cusp in molar.cusps:
        assert tree.query(cusp)[0] < mean_edge_length(molar.surface)
        ring = points[tree.query_ball_point(cusp, 0.5)]
        rim_of_ring = ring[np.linalg.norm(ring[:, :2] - cusp[:2], axis=1) > 0.25]
        assert rim_of_ring[:, 2].max() < cusp[2]


def test_a_seed_is_an_individual_and_zero_is_the_type():
    shape = MolarShape(length=6.0, variation=0.1)
    assert make_molar(0, shape=shape).plan.shape == shape
    one, same, other = (make_molar(seed, shape=shape) for seed in (4, 4, 5))
    assert (one.surface.points == same.surface.points).all()
    assert not np.allclose(one.cusps, other.cusps)
    still = MolarShape(variation=0.0)
    np.testing.assert_allclose(make_molar(4, shape=still).cusps, make_molar(9, shape=still).cusps)


def test_homologous_points_lie_on_every_molar(random):
    places = 0.9 * np.sqrt(random.random((30, 1))) * np.array([[0.6, 0.8]])
    for seed in (0, 7):
        molar = make_molar(seed, vertex_count=4000)
        np.testing.assert_allclose(molar.at(molar.places), molar.surface.points, atol=1e-12)
        gaps = cKDTree(molar.surface.points).query(molar.at(places))[0]
        assert gaps.max() < 2 * mean_edge_length(molar.surface)
    assert len(molar.cusp_names) == len(molar.cusps) == 5


def test_about_as_many_vertices_as_asked_for():
    for count in (100, 1000, 20_000):
        assert make_molar(vertex_count=count).surface.vertex_count == count


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: make_molar(vertex_count=50), "at least 100"),
        (lambda: make_molar(-1), "seed must be 0"),
        (lambda: MolarShape(length=-1), "length must be 0 or more"),
        (lambda: MolarShape(width=0), "above 0"),
        (lambda: MolarShape(cusp_height=np.nan), "cusp_height"),
    ],
)
def test_impossible_molars(make, message):
    with pytest.raises(SettingsError, match=message):
        make()


def test_the_centre_of_the_disc_is_a_point_like_others():
    molar = make_molar(vertex_count=300)
    centre, near = molar.at(np.array([[0.0, 0.0], [1e-9, 0.0]]))
    np.testing.assert_allclose(centre, near, atol=1e-7)
