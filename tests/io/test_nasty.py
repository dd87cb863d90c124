"""Real files that break readers: what becomes of each, in one line."""

import warnings

import numpy as np
import pytest
from conftest import SPECIMENS, specimen

from gplandmark import GplandmarkWarning, ScanError, place, read
from gplandmark.io.scans import read_cleaned, read_scan

# Vertices and faces that are kept (faces None for a cloud), and what cleaning finds.
READ = {
    "S09_dup_face.off": (5140, 9998, "repeated non_manifold"),
    "WSB_nan_vertices.ply": (
        67844, 136734,
        "non_finite duplicates zero_area repeated components winding non_manifold bow_ties",
    ),
    "blobby-shuffled_winding.off": (2027, 4050, "winding"),
    "bunny_trimesh.ply": (8146, 16214, "repeated winding non_manifold unreferenced"),
    "busted.STL": (1941, 3878, ""),
    "comments.off": (8, 12, ""),
    "degenerated-sd.off": (6359, 12113, "duplicates zero_area components"),
    "elephant-with-holes.off": (2733, 4463, "duplicates bow_ties"),
    "far_offset_part-5.ply": (66, 79, "bow_ties"),
    "fused_vertices.off": (34, 38, "duplicates zero_area bow_ties"),
    "fuze.ply": (502, 1000, ""),
    "fuze_ascii.ply": (502, 1000, ""),
    "inspired_quads.off": (1963, 3676, ""),
    "invalid_cut.obj": (210, None, ""),
    "isolated_vertices.off": (5, 2, "bow_ties"),
    "malleus_205_components.ply": (
        45251, 90626, "repeated components winding non_manifold bow_ties unreferenced"
    ),
    "mesh_with_colors.off": (8, 6, ""),
    "mesh_with_normals.off": (8, 6, ""),
    "mpi_polygons.off": (90, 177, "zero_area"),
    "nancolor.obj": (8, 12, ""),
    "negative_indices.obj": (8, 12, ""),
    "nm_vertex_and_edge.off": (9, 13, "winding non_manifold bow_ties"),
    "oblong-shuffled.off": (422, 840, "duplicates winding"),
    "points_ascii.ply": (5, None, ""),
    "points_bin.ply": (5, None, ""),
    "points_emptyface.ply": (1024, None, ""),
    "repeated_index_faces.off": (4, 4, "zero_area"),
    "s17_dup_face_euler2.off": (5086, 9997, "repeated non_manifold"),
    "sphere_ascii.stl": (92, 175, "bow_ties"),
    "torso.off": (19784, 39758, "repeated components non_manifold bow_ties unreferenced"),
    "two_objects_mixed_case_names.stl": (8, 12, "components"),
    "whitespace.off": (8, 12, ""),
}  # fmt: skip

REFUSED = {
    "all_degen.off": "has no area",
    "binary_cut.ply": "cut short: a list of vertex numbers goes beyond its end",
    "bunny_triangle_soup.off": r"falls into 4,968 pieces, the largest with 0.18 % of the area",
    "empty.obj": "has no vertices",
    "empty.ply": "has no vertices",
    "empty.stl": "has no vertices",
    "invalid_cut.off": "declares 4 vertices and 4 faces, but 4 and 0 could be read",
    "invalid_cut.ply": "cut short: it declares 6 rows of edge",
    "invalid_cut.stl": "cut short: 37 facets have 108 corners",
    "invalid_header.off": "a line has 3 numbers where 6 are expected",
    "invalid_header.stl": "cut short: it declares 1,869,573,152 triangles",
    "invalid_nv.off": "declares 5 vertices and 4 faces, but 5 and 3 could be read",
    "invalid_nv.ply": "cut short: a list of vertex numbers goes beyond its end",
    "notenoughindices.obj": "only 3 vertices",
}


def test_no_file_is_forgotten():
    folder = specimen("data/nasty")
    assert sorted(path.name for path in folder.iterdir()) == sorted({**READ, **REFUSED})


@pytest.mark.parametrize("name", READ)
def test_what_can_be_read_is_read_and_mended(name):
    path = specimen(f"data/nasty/{name}")
    vertices, faces, defects = READ[name]
    result = read_cleaned(path)
    surface, scan = result.surface, read_scan(path)
    assert surface.vertex_count == vertices
    assert faces == (None if surface.triangles is None else len(surface.triangles))
    assert [each.defect for each in result.report.findings] == defects.split()
    numbers = surface.in_file(np.arange(vertices))
    np.testing.assert_array_equal(surface.points, scan.points[numbers])


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_is_refused_with_a_sentence(name):
    path = specimen(f"data/nasty/{name}")
    with pytest.raises(ScanError, match=REFUSED[name]) as error:
        read(path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("name", ["nasty/WSB_nan_vertices.ply", "skull/CAST_EIJ.ply"])
def test_skulls_from_marching_cubes_carry_landmarks(name):
    path = specimen(f"data/{name}")
    with pytest.warns(GplandmarkWarning, match="left out"):
        surface = read(path)
    landmarks = place(surface, 20)
    in_file = read_scan(path).points[landmarks.vertices]
    np.testing.assert_array_equal(landmarks.points, in_file)
    assert np.isfinite(landmarks.variances).all()
    assert len(set(landmarks.vertices.tolist())) == 20


@pytest.mark.slow
def test_every_other_specimen_can_be_read():
    paths = [
        path for path in sorted((SPECIMENS / "data").glob("*/*")) if path.parent.name != "nasty"
    ]
    scans = [path for path in paths if path.suffix in (".ply", ".stl", ".off")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)
        for path in scans:
            assert read(path).triangles is not None
