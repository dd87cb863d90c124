"""Triangles between voxels: closed, facing outwards, and the same whatever the blocks."""

import numpy as np
import pytest

pytest.importorskip("skimage")

from gplandmark.io.volumes.isosurface import isosurface, smoothed
from gplandmark.io.volumes.voxels import block_means

RNG = np.random.default_rng(0)
NOISE = np.pad(RNG.normal(size=(19, 23, 17)), 1, constant_values=-5)
WHOLE = np.pad(RNG.integers(0, 4, (12, 11, 13)), 1)  # many voxels have the value of the threshold
WIDTHS = np.array([1.0, 1.5, 0.7])


def edges_of(triangles):
    return np.vstack([triangles[:, [k, (k + 1) % 3]] for k in range(3)])


def is_closed(triangles):
    """Whether every edge is passed as often in one direction as in the other."""
    edges, numbers = edges_of(triangles), len(triangles) * 3
    codes = edges[:, 0] * numbers + edges[:, 1]
    back = edges[:, 1] * numbers + edges[:, 0]
    return np.array_equal(np.sort(codes), np.sort(back))


def volume(points, triangles):
    a, b, c = np.moveaxis(points[triangles], 1, 0)
    return np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6


def as_set(triangles):
    """Triangles in an order of their own, each from its lowest corner."""
    first = triangles.argmin(axis=1)
    turned = np.take_along_axis(triangles, (first[:, None] + np.arange(3)) % 3, axis=1)
    return turned[np.lexsort(turned.T)]


@pytest.mark.parametrize(("values", "level"), [(NOISE, 0.3), (WHOLE, 2), (WHOLE, 1.5)])
@pytest.mark.parametrize("sigma", [None, WIDTHS], ids=["plain", "smoothed"])
def test_the_surface_does_not_depend_on_the_blocks(values, level, sigma):
    points, triangles = isosurface(values, level, sigma, 100)
    for block in (5, 13):
        others, faces = isosurface(values, level, sigma, block)
        np.testing.assert_allclose(points, others, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(as_set(triangles), as_set(faces))


@pytest.mark.parametrize(("values", "level"), [(NOISE, 0.3), (WHOLE, 2), (WHOLE, 1.5)])
def test_even_noise_has_a_closed_surface_without_empty_faces(values, level):
    points, triangles = isosurface(values, level, block=8)
    assert is_closed(triangles)
    assert volume(points, triangles) > 0
    assert len(np.unique(points, axis=0)) == len(points)
    a, b, c = np.moveaxis(points[triangles], 1, 0)
    assert np.linalg.norm(np.cross(b - a, c - a), axis=1).min() > 0


def test_vertices_on_edges_lie_where_linear_interpolation_has_the_level():
    points, _ = isosurface(NOISE, 0.3)
    low = np.floor(points).astype(int)
    part = points - low
    on_edge = (part > 0).sum(axis=1) == 1
    assert on_edge.mean() > 0.9
    axis = part[on_edge].argmax(axis=1)
    before = low[on_edge]
    after = before + np.eye(3, dtype=int)[axis]
    ends = [NOISE[each[:, 2], each[:, 1], each[:, 0]] for each in (before, after)]
    found = ends[0] + part[on_edge].max(axis=1) * (ends[1] - ends[0])
    close = np.isclose(found, 0.3, atol=1e-9)
    nearly = np.minimum(part[on_edge].max(axis=1), 1 - part[on_edge].max(axis=1)) < 1.1e-4
    assert (close | nearly).all()


def test_a_part_is_smoothed_as_the_whole_is():
    import scipy

    whole = scipy.ndimage.gaussian_filter(NOISE, WIDTHS[::-1], mode="nearest", truncate=4.0)
    where = (slice(5, 9), slice(0, 6), slice(10, 19))
    np.testing.assert_allclose(smoothed(NOISE, where, WIDTHS), whole[where], atol=1e-12)


@pytest.mark.parametrize("factor", [2, 3, 5])
def test_means_of_blocks_are_those_of_what_is_there(factor):
    found = block_means(NOISE, factor)
    for place in np.ndindex(found.shape):
        block = NOISE[tuple(slice(each * factor, (each + 1) * factor) for each in place)]
        assert found[place] == pytest.approx(block.mean(), abs=1e-5)


def test_nothing_is_inside_or_all_of_it():
    for level in (-100, 100):
        points, triangles = isosurface(NOISE, level)
        assert len(points) == len(triangles) == 0
