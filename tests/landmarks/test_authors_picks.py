"""The real specimens: the authors' own picks, and the dense reference on every tooth."""

import json

import numpy as np
import pytest
from conftest import specimen, teeth
from reference import assert_same_picks, pivoted_cholesky
from scipy.spatial.distance import cdist

from gplandmark import AuthorsSettings, place, preset, read, select
from gplandmark.io.scans import read_cleaned
from gplandmark.landmarks import Settings, covariance
from gplandmark.landmarks import masses as masses_of
from gplandmark.mesh import surface_area


@pytest.mark.parametrize(
    ("name", "key"), [("authors", "curvature_weighted"), ("authors-uniform", "area_weighted")]
)
def test_the_authors_preset_picks_the_authors_landmarks(name, key):
    tooth = read(specimen("reference/a16_sas_aligned.off"))
    expected = json.loads(specimen("reference/authors_a16.json").read_text())[key]
    assert place(tooth, 150, settings=preset(name)).vertices.tolist() == expected


def test_the_authors_preset_does_not_care_about_units_and_pose():
    tooth = read(specimen("reference/a16_sas_aligned.off"))
    moved = type(tooth)(tooth.points * 1e3 + 5, tooth.triangles)
    settings = AuthorsSettings()
    expected = place(tooth, 40, settings=settings).vertices
    assert (place(moved, 40, settings=settings).vertices == expected).all()


@pytest.mark.slow
@pytest.mark.skipif(not teeth(), reason="the real teeth are not at hand")
@pytest.mark.parametrize("path", teeth(), ids=lambda path: getattr(path, "stem", ""))
def test_the_papers_kernel_picks_what_the_dense_matrix_picks(path):
    tooth = read_cleaned(path).surface
    settings = Settings()
    masses = masses_of(tooth, settings)
    heat = np.exp(-cdist(tooth.points, tooth.points, "sqeuclidean") / (0.008 * surface_area(tooth)))
    expected, before = pivoted_cholesky(
        np.einsum("ij,ij,j->i", heat, heat, masses),
        lambda pick: heat @ (masses * heat[pick]),
        150,
    )
    found = select(covariance(tooth, settings), 150)
    assert_same_picks(found.indices, expected, before)
