"""Comparisons: variance left by any landmarks, fill distances, curves, folders."""

import csv
from io import StringIO

import numpy as np
import pytest
from conftest import SMALL, specimen
from hypothesis import given, settings
from hypothesis import strategies as st

from gplandmark import (
    LandmarkFileError,
    Landmarks,
    ScanError,
    SettingsError,
    Surface,
    covariance,
    make_molar,
    place,
    select,
)
from gplandmark.gp.theory import fill_distance
from gplandmark.io.scans import as_ply
from gplandmark.landmarks.baselines import random_vertices
from gplandmark.landmarks.compare import compare, comparison_table
from gplandmark.landmarks.on_surface import vertices_on
from gplandmark.landmarks.variance_curve import (
    condition_greedily,
    condition_on,
    suggested_counts,
    variance_curve,
)
from gplandmark.mesh import surface_area, voronoi_areas
from gplandmark.mesh.synthetic import sphere
from gplandmark.runs.study import KERNELS, scans_in, study_scans

MOLAR = make_molar(1, vertex_count=700).surface
KERNEL = covariance(MOLAR, SMALL)
ENTRIES = KERNEL.columns(np.arange(MOLAR.vertex_count))


def dense_variance(vertices):
    """v(x) = K(x, x) - K(x, X)^T K(X, X)^+ K(x, X), as it stands in the paper."""
    rows = ENTRIES[vertices]
    return np.diag(ENTRIES) - np.einsum(
        "ij,ij->j", rows, np.linalg.pinv(rows[:, vertices], hermitian=True) @ rows
    )


# --- the variance that landmarks leave


@settings(max_examples=15)
@given(seed=st.integers(0, 1000), count=st.integers(1, 12))
def test_the_variance_left_is_that_of_the_formula(seed, count):
    vertices = random_vertices(MOLAR, count, seed=seed).vertices
    found = condition_on(MOLAR, KERNEL, vertices)
    expected = dense_variance(vertices)
    areas = voronoi_areas(MOLAR)
    start = np.diag(ENTRIES)
    assert found.variance * start.max() == pytest.approx(expected, abs=1e-6 * start.max())
    assert found.largest[-1] == pytest.approx(expected.max() / start.max(), abs=1e-6)
    assert found.mean[-1] == pytest.approx(expected @ areas / (start @ areas), abs=1e-6)


def test_variance_starts_at_one_and_only_falls():
    found = condition_on(MOLAR, KERNEL, random_vertices(MOLAR, 30).vertices)
    for shares in (found.largest, found.mean):
        assert shares[0] == 1
        assert len(shares) == 31
        assert (np.diff(shares) <= 1e-12).all()


def test_duplicates_change_nothing_and_are_told():
    once = condition_on(MOLAR, KERNEL, [5, 400])
    twice = condition_on(MOLAR, KERNEL, [5, 400, 5, 400])
    assert twice.skipped == (5, 400)
    assert (twice.variance == once.variance).all()


def test_greedy_conditioning_is_that_of_select():
    selection = select(KERNEL, 25)
    found = condition_greedily(MOLAR, KERNEL, 25)
    assert found.largest[:-1] == pytest.approx(selection.variances / selection.initial, rel=1e-5)


# --- fill distances


def test_one_landmark_on_a_sphere_leaves_its_antipode():
    ball = sphere(4).surface
    antipode = int(np.argmin(ball.points @ ball.points[0]))
    assert fill_distance(ball, [0]) == pytest.approx(2, rel=1e-3)
    assert fill_distance(ball, [0], geodesic=True) == pytest.approx(np.pi, rel=0.02)
    assert fill_distance(ball, [0, antipode]) == pytest.approx(np.sqrt(2), rel=0.02)
    assert fill_distance(ball, np.arange(ball.vertex_count)) == 0


def test_the_way_along_the_surface_is_longer():
    vertices = random_vertices(MOLAR, 8).vertices
    assert fill_distance(MOLAR, vertices, geodesic=True) > fill_distance(MOLAR, vertices)


def test_a_part_without_landmarks_is_infinitely_far_along_the_surface():
    ball = sphere(2).surface
    count = ball.vertex_count
    two = Surface(
        np.vstack([ball.points, ball.points + 5]),
        np.vstack([ball.triangles, ball.triangles + count]),
    )
    assert fill_distance(two, [0], geodesic=True) == np.inf
    assert np.isfinite(fill_distance(two, [0]))


# --- sets side by side


def sets():
    ours = place(MOLAR, 10, settings=SMALL)
    return {"expert": random_vertices(MOLAR, 10, seed=3), "ours": ours}


def test_a_comparison_says_what_its_parts_say():
    found = compare(MOLAR, KERNEL, sets(), "expert")
    expert, ours = found
    assert [each.name for each in found] == ["expert", "ours"]
    assert (expert.reference_mean, expert.reference_largest, expert.off_surface) == (0, 0, 0)
    gaps = np.linalg.norm(sets()["expert"].points[:, None] - sets()["ours"].points, axis=2).min(
        axis=1
    )
    assert ours.reference_mean == pytest.approx(gaps.mean())
    assert ours.reference_largest == pytest.approx(gaps.max())
    assert ours.fill_distance == fill_distance(MOLAR, sets()["ours"].vertices)
    assert ours.largest_variance < expert.largest_variance


def test_the_table_holds_every_number():
    found = compare(MOLAR, KERNEL, sets(), "ours")
    rows = list(csv.DictReader(StringIO(comparison_table(found))))
    for row, quality in zip(rows, found, strict=True):
        assert row["name"] == quality.name
        assert float(row["mean_variance"]) == quality.mean_variance
        assert float(row["geodesic_fill_distance"]) == quality.geodesic_fill_distance
        assert float(row["reference_largest"]) == quality.reference_largest


def test_an_unknown_reference_is_refused():
    with pytest.raises(SettingsError, match="'nobody'"):
        compare(MOLAR, KERNEL, sets(), "nobody")


def test_landmarks_inside_triangles_count_as_on_the_surface():
    middles = MOLAR.points[MOLAR.triangles[:20]].mean(axis=1)
    vertices, off = vertices_on(MOLAR, Landmarks.at(middles, "m"), "m")
    assert off < 1e-9
    gaps = np.linalg.norm(middles[:, None] - MOLAR.points, axis=2)
    assert (vertices == gaps.argmin(axis=1)).all()


def test_landmarks_off_the_surface_are_refused_with_the_distance_and_its_share():
    size = np.sqrt(surface_area(MOLAR))
    tip = MOLAR.points[[np.argmax(MOLAR.points[:, 2])]]
    lifted = Landmarks.at(tip + np.array([0, 0, 0.2 * size]), "m")
    with pytest.raises(LandmarkFileError, match=rf"{0.2 * size:.4g} \(file units\).* 20 % of its"):
        vertices_on(MOLAR, lifted, "expert.csv")
    _, off = vertices_on(MOLAR, Landmarks.at(tip + np.array([0, 0, 0.02 * size]), "m"), "m")
    assert off == pytest.approx(0.02 * size)


def test_an_empty_set_is_refused():
    with pytest.raises(LandmarkFileError, match="holds no landmarks"):
        vertices_on(MOLAR, Landmarks.at(np.zeros((0, 3)), "m"), "expert.csv")


# --- how many landmarks


def test_an_exponential_has_its_counts_where_it_should_and_no_knee():
    curve = suggested_counts(2 * 0.5 ** np.arange(8.0), 2.0)
    assert dict(curve.reached) == {0.5: 1, 0.2: 3, 0.1: 4, 0.05: 5}
    assert curve.knee is None
    assert curve.fractions[0] == 1


def test_the_knee_is_where_two_exponentials_meet():
    steep, flat = 0.5 ** np.arange(11.0), 0.5**10 * 0.95 ** np.arange(1, 60.0)
    assert suggested_counts(np.append(steep, flat), 1.0).knee == 10


def test_the_knee_does_not_depend_on_units():
    variances = place(MOLAR, 60, settings=SMALL).variances
    one, two = (suggested_counts(scale * variances, scale * variances[0]) for scale in (1, 1e6))
    assert one.knee == two.knee
    assert one.reached == two.reached


def test_what_is_not_reached_is_not_claimed():
    curve = suggested_counts(np.array([1.0, 0.6, 0.3]), 1.0)
    assert dict(curve.reached) == {0.5: 2, 0.2: None, 0.1: None, 0.05: None}
    assert curve.knee is None


def test_the_counts_are_those_that_until_takes():
    curve = variance_curve(place(MOLAR, 60, settings=SMALL))
    for share, count in curve.reached.items():
        if count is not None:
            assert len(place(MOLAR, settings=SMALL, target=share)) == count


def test_the_table_of_a_curve():
    curve = suggested_counts(np.array([1.0, 0.25]), 1.0)
    assert curve.table() == "landmarks,largest_variance\n0,1.0\n1,0.25\n"


@pytest.mark.parametrize(
    ("variances", "initial", "words"),
    [
        ([], 1.0, "one or more variances"),
        ([1.0, np.nan], 1.0, "one or more variances"),
        ([1.0, -1.0], 1.0, "one or more variances"),
        ([1.0], 0.0, "above 0"),
        ([1.0], np.nan, "above 0"),
    ],
)
def test_what_is_no_curve_is_refused(variances, initial, words):
    with pytest.raises(SettingsError, match=words):
        suggested_counts(np.array(variances), initial)


def test_a_persons_landmarks_have_no_curve():
    with pytest.raises(SettingsError, match="carry no variances"):
        variance_curve(random_vertices(MOLAR, 5))


# --- a folder


@pytest.fixture
def folder(tmp_path):
    for seed in (1, 2):
        molar = make_molar(seed, vertex_count=600).surface
        (tmp_path / f"{molar.name}.ply").write_bytes(as_ply(molar))
    (tmp_path / "notes.txt").write_text("not a scan")
    return tmp_path


KERNELS_OF_SMALL = {"reweighted": SMALL, "Euclidean": KERNELS["Euclidean"]}


def test_a_study_holds_the_curve_of_every_specimen(folder):
    seen = []
    study = study_scans(
        scans_in(folder), 12, kernels=KERNELS_OF_SMALL, progress=lambda *step: seen.append(step)
    )
    assert study.specimens == ("molar-1", "molar-2")
    assert seen == [(1, 2, "molar-1.ply"), (2, 2, "molar-2.ply")]
    assert not study.failed
    for number, seed in enumerate((1, 2)):
        landmarks = place(make_molar(seed, vertex_count=600).surface, 13, settings=SMALL)
        shares = landmarks.variances[1:] / landmarks.variances[0]
        assert study.largest["reweighted"][number] == pytest.approx(shares, rel=1e-4)
    rows = list(csv.DictReader(StringIO(study.table())))
    assert len(rows) == 2 * 2 * 12
    assert [row["landmarks"] for row in rows[:12]] == [str(count) for count in range(1, 13)]
    summary = list(csv.DictReader(StringIO(study.summary())))
    for row in summary:
        values = study.largest[row["kernel"]][:, int(row["landmarks"]) - 1]
        assert float(row["largest_variance"]) == pytest.approx(values.mean())
        assert float(row["largest_variance_sd"]) == pytest.approx(values.std(ddof=1))


def test_a_bad_scan_is_named_and_left_out(folder):
    (folder / "broken.ply").write_text("ply\nnothing")
    study = study_scans(scans_in(folder), 3, kernels=KERNELS_OF_SMALL)
    assert study.specimens == ("molar-1", "molar-2")
    assert list(study.failed) == ["broken.ply"]
    assert "broken.ply" in study.failed["broken.ply"]


def test_a_folder_of_bad_scans_is_refused(tmp_path):
    (tmp_path / "broken.ply").write_text("ply\nnothing")
    with pytest.raises(ScanError, match=r"None of the 1 scans can be used.*broken\.ply"):
        study_scans(scans_in(tmp_path), 3)


def test_more_landmarks_than_vertices_is_a_reason_to_leave_a_scan_out(folder):
    small = make_molar(3, vertex_count=100).surface
    (folder / "small.ply").write_bytes(as_ply(small))
    study = study_scans(scans_in(folder), 101, kernels=KERNELS_OF_SMALL)
    assert study.specimens == ("molar-1", "molar-2")
    assert "only" in study.failed["small.ply"]


def test_a_folder_without_scans_and_no_folder_are_refused(tmp_path):
    with pytest.raises(ScanError, match="holds no scan"):
        scans_in(tmp_path)
    with pytest.raises(ScanError, match="is not a folder"):
        scans_in(tmp_path / "nowhere")
    with pytest.raises(SettingsError, match="at least 1"):
        study_scans([], 0)


def test_one_scan_has_no_deviation(tmp_path):
    (tmp_path / "one.ply").write_bytes(as_ply(MOLAR))
    summary = study_scans(scans_in(tmp_path), 3, kernels={"reweighted": SMALL}).summary()
    rows = list(csv.DictReader(StringIO(summary)))
    assert {row["largest_variance_sd"] for row in rows} == {"0.0"}


def test_gaussian_process_landmarks_leave_less_variance_than_an_observers_on_a_tooth():
    import json

    from gplandmark import read

    path = specimen("data/teeth/Q10_sas.off")
    tooth = read(path)
    vertices = json.loads((path.parent / "landmarks.json").read_text())["Q10"]["vertex"][:16]
    observed = Landmarks.at(tooth.points[vertices], "Q10")
    found = compare(
        tooth, covariance(tooth), {"observer": observed, "ours": place(tooth, 16)}, "observer"
    )
    assert found[0].off_surface == 0
    assert found[1].largest_variance < found[0].largest_variance
