"""The method as a whole: what may not change the landmarks, and what must."""

import json
from functools import cache

import numpy as np
import pytest
from conftest import SMALL
from reference import assert_same_picks, pivoted_cholesky

from gplandmark import (
    AuthorsSettings,
    GplandmarkWarning,
    LandmarkFileError,
    Landmarks,
    Record,
    ScanError,
    Settings,
    SettingsError,
    Surface,
    covariance,
    make_molar,
    nearest_vertices,
    place,
    preset,
)
from gplandmark.landmarks.record import describe_settings, method_text, recalled_settings
from gplandmark.mesh.synthetic import plane

PRESETS = {
    "paper": SMALL,
    "squared-exponential": Settings(kernel="squared-exponential", bandwidth=0.02),
    "uniform": Settings(weight="uniform"),
    "normal-cycle": Settings(curvature="normal-cycle", curvature_radius=0.06),
    "angle-defect": Settings(curvature="angle-defect"),
    "variation": Settings(curvature="variation"),
    "authors": AuthorsSettings(),
    "neumann": Settings(kernel="heat", bandwidth=0.03, boundary="neumann"),
    "heat": Settings(kernel="heat", bandwidth=0.03),
    "reweighted-heat": Settings(kernel="reweighted-heat", bandwidth=0.03, curvature_radius=0.15),
    "cotangent": Settings(
        kernel="reweighted-heat", bandwidth=0.03, laplacian="cotangent", weight="uniform"
    ),
    "spectral-matern": Settings(kernel="spectral-matern", bandwidth=0.05),
    "matern": Settings(kernel="matern"),
    "diffusion": Settings(kernel="diffusion"),
}
every_preset = pytest.mark.parametrize("name", PRESETS)


def rotation(random):
    turn, _ = np.linalg.qr(random.standard_normal((3, 3)))
    return turn * np.sign(np.linalg.det(turn))


@cache
def reference_picks(surface, settings, count):
    """Picks of the reference, and the variances before each of them."""
    kernel = covariance(surface, settings)
    return pivoted_cholesky(
        kernel.diagonal(), lambda pick: kernel.columns(np.array([pick]))[:, 0], count
    )


def same_landmarks(surface, moved, settings, count=25, relabel=None):
    """Same vertices, up to the first tie."""
    expected, before = reference_picks(surface, settings, count)
    found = place(moved, count, settings=settings).vertices
    if relabel is not None:
        found = relabel[found]
    assert_same_picks(found, expected, before, tie=1e-7)


@every_preset
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_rotation_translation_and_units_change_nothing(molar, random, name, scale):
    points = scale * molar.points @ rotation(random).T + scale * random.standard_normal(3) * 100
    same_landmarks(molar, Surface(points, molar.triangles), PRESETS[name])


@every_preset
def test_the_numbering_of_vertices_changes_nothing(molar, random, name):
    order = random.permutation(molar.vertex_count)
    number = np.argsort(order)
    shuffled = Surface(molar.points[order], random.permutation(number[molar.triangles]))
    same_landmarks(molar, shuffled, PRESETS[name], relabel=order)


def test_an_absolute_eps_is_the_fraction_of_the_area(molar):
    by_fraction = place(molar, 12, settings=SMALL)
    area = by_fraction.record.input["area"]
    by_value = place(molar, 12, settings=Settings(eps=0.008 * area, curvature_radius=0.15))
    assert (by_fraction.vertices == by_value.vertices).all()


def test_coordinates_are_those_of_the_surface(molar):
    landmarks = place(molar, 12, settings=SMALL)
    assert (landmarks.points == molar.points[landmarks.vertices]).all()
    assert landmarks.uncertainty.shape == (molar.vertex_count,)
    assert landmarks.labels == tuple(str(number) for number in range(1, 13))
    assert len(landmarks) == len(landmarks.variances) == 12


def test_two_runs_are_identical(molar):
    one, two = (place(molar, 15, settings=SMALL) for _ in range(2))
    assert (one.vertices == two.vertices).all()
    assert (one.uncertainty == two.uncertainty).all()
    assert one.record == two.record


def test_landmarks_find_the_cusps_of_the_molar():
    molar = make_molar()
    landmarks = place(molar.surface, 40)
    gaps = np.linalg.norm(molar.cusps[:, None] - landmarks.points, axis=2).min(axis=1)
    assert gaps.max() < 0.05 * np.sqrt(landmarks.record.input["area"])


def test_a_weight_from_the_user_draws_landmarks(molar):
    weight = np.where(molar.points[:, 0] > 0, 1.0, 1e-6)
    landmarks = place(molar, 8, weight=weight)
    assert (landmarks.points[:, 0] > -0.3).all()
    assert landmarks.record.settings["weight"] == "given"
    assert len(landmarks.record.settings["weight_sha256"]) == 64
    assert (landmarks.vertices == place(molar, 8, weight=7 * weight).vertices).all()


def test_excluded_vertices_keep_their_weight_but_get_no_landmark(molar):
    mask = molar.points[:, 2] < 2
    free = place(molar, 20, settings=SMALL)
    masked = place(molar, 20, settings=SMALL, exclude=mask)
    numbered = place(molar, 20, settings=SMALL, exclude=np.flatnonzero(mask))
    assert not mask[masked.vertices].any()
    assert (masked.vertices == numbered.vertices).all()
    runs = masked.record.request["excluded"]
    assert sum(last - first + 1 for first, last in runs) == np.count_nonzero(mask)
    assert all(mask[first] and mask[last] for first, last in runs)
    kernels = [covariance(molar, SMALL).diagonal()[free.vertices[0]], free.variances[0]]
    assert kernels[0] == pytest.approx(kernels[1], rel=1e-6)


def test_starting_landmarks_come_first(molar):
    landmarks = place(molar, 10, settings=SMALL, start=[5, 77])
    assert landmarks.vertices[:2].tolist() == [5, 77]
    assert landmarks.record.request["start"] == [5, 77]


def test_a_dependent_starting_landmark_is_skipped_with_a_warning(molar):
    twin = Surface(
        np.vstack([molar.points, molar.points[5]]),
        np.vstack([molar.triangles, [[5, 700, 0]], [[0, 1, 700]]]),
    )
    with pytest.warns(GplandmarkWarning, match="vertex 700 is determined"):
        landmarks = place(twin, 10, settings=Settings(weight="uniform"), start=[5, 700])
    assert landmarks.vertices[0] == 5
    assert 700 not in landmarks.vertices
    assert landmarks.record.outcome["skipped"] == [700]
    assert len(landmarks) == 10


def test_a_run_can_be_continued(molar):
    begun = place(molar, 6, settings=SMALL)
    continued = place(molar, 14, settings=SMALL, after=begun)
    whole = place(molar, 14, settings=SMALL)
    assert (continued.vertices == whole.vertices).all()
    assert (continued.uncertainty == whole.uncertainty).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"settings": Settings(weight="uniform", bandwidth=0.05)}, "settings that made them"),
        ({"start": [1]}, "without starting"),
        ({"count": 3}, "there already"),
        ({"surface": make_molar(5, vertex_count=700).surface}, "cannot be continued"),
    ],
)
def test_only_the_same_run_can_be_continued(molar, change, message):
    begun = place(molar, 6, settings=Settings(weight="uniform"))
    options = {"surface": molar, "count": 9, "settings": Settings(weight="uniform"), **change}
    with pytest.raises(SettingsError, match=message):
        place(**options, after=begun)


def test_fewer_landmarks_than_asked_for_come_with_a_warning(molar):
    with pytest.warns(GplandmarkWarning, match=r"Only \d+ of 40 landmarks"):
        landmarks = place(molar, 40, settings=Settings(weight="uniform", bandwidth=1e6))
    assert landmarks.record.outcome["stopped"] == "noise"
    assert landmarks.record.warnings


def test_repeated_triangles_change_little(molar):
    repeated = Surface(molar.points, np.vstack([molar.triangles, molar.triangles[:40, [1, 2, 0]]]))
    assert len(place(repeated, 10, settings=SMALL)) == 10


def test_what_was_read_from_a_file_cannot_be_continued(molar):
    points = Landmarks.at(molar.points[:2], "m")
    with pytest.raises(SettingsError, match="cannot be continued"):
        place(molar, 5, settings=SMALL, after=points)


def test_it_stops_at_the_target_and_says_so(molar):
    landmarks = place(molar, target=0.2, settings=SMALL)
    outcome = landmarks.record.outcome
    assert outcome["stopped"] == "target"
    assert outcome["largest_variance_after"] <= 0.2 * outcome["largest_variance_before"]


def test_the_default_is_40_landmarks(molar):
    assert len(place(molar, settings=SMALL)) == 40


def test_loose_vertices_get_no_landmark(molar):
    loose = Surface(np.vstack([molar.points, molar.points[:3] + 20]), molar.triangles, "bone")
    with pytest.warns(GplandmarkWarning, match="3 vertices that belong to no triangle"):
        landmarks = place(loose, 30, settings=SMALL)
    assert landmarks.vertices.max() < molar.vertex_count
    assert "no triangle" in landmarks.record.warnings[0]


def test_a_plane_is_landmarked_evenly_with_a_warning():
    with pytest.warns(GplandmarkWarning, match="flat"):
        landmarks = place(plane(41).surface, 30)
    assert np.isfinite(landmarks.variances).all()


def test_the_record_tells_what_made_them(molar):
    record = place(molar, 5, settings=SMALL).record
    again = Record.of_dict(json.loads(json.dumps(record.as_dict())))
    assert again == record
    assert record.settings["preset"] == "custom"
    assert record.software["gplandmark"]
    assert record.outcome["stopped"] == "count"
    assert place(molar, 5, settings=preset("authors")).record.settings["preset"] == "authors"


def test_nearest_vertices(molar):
    vertices, distances = nearest_vertices(molar, molar.points[[4, 9]] + [[0, 0, 1e-3]])
    assert vertices.tolist() == [4, 9]
    np.testing.assert_allclose(distances, 1e-3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"count": 0}, "from 1 to 700"),
        ({"count": 701}, "from 1 to 700"),
        ({"exclude": [700]}, "excluded vertices does not exist"),
        ({"exclude": [-1]}, "excluded vertices does not exist"),
        ({"exclude": np.zeros(3, bool)}, "must have 700 entries"),
        ({"exclude": np.arange(700) % 2}, "look like a mask"),
        ({"exclude": np.array([1.0])}, "list of vertex numbers"),
        ({"seed": -1}, "seed must be 0"),
        ({"settings": "authors"}, "Expected Settings, got 'authors'"),
        ({"exclude": np.ones(700, bool)}, "Every vertex is excluded"),
        ({"weight": np.ones(3)}, "one weight for each of the 700"),
        ({"weight": -np.ones(700)}, "not negative"),
        ({"weight": np.zeros(700)}, "zero on the whole surface"),
        ({"weight": np.ones(700), "settings": AuthorsSettings()}, "own weight"),
        (
            {"weight": np.ones(700), "settings": Settings(kernel="squared-exponential")},
            "has no weight",
        ),
    ],
)
def test_bad_requests(molar, options, message):
    with pytest.raises(SettingsError, match=message):
        place(
            **{
                "surface": molar,
                "count": 5,
                "settings": Settings(weight="uniform"),
                **options,
            }
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mixture": 2}, "from 0 to 1"),
        ({"exponent": -1}, "must be positive"),
        ({"bandwidth": 0}, "must be positive"),
        ({"eps": -3}, "must be positive"),
        ({"kernel": "cubic"}, "no kernel 'cubic'"),
        ({"weight": "heavy"}, "no weight 'heavy'"),
        ({"curvature": "guess"}, "no curvature estimator 'guess'"),
    ],
)
def test_bad_settings(options, message):
    with pytest.raises(SettingsError, match=message):
        Settings(**options)


def test_an_unknown_preset():
    with pytest.raises(SettingsError, match="no preset 'theirs'"):
        preset("theirs")


def test_a_point_cloud_is_refused_where_the_method_needs_triangles():
    cloud = Surface(np.random.default_rng(0).random((20, 3)), None, "cloud")
    for settings in (PRESETS["authors"], Settings(curvature="normal-cycle")):
        with pytest.raises(ScanError, match="no triangles"):
            place(cloud, 5, settings=settings)


def test_landmarks_must_be_told_once_each():
    with pytest.raises(LandmarkFileError, match="one per landmark"):
        Landmarks.at(np.zeros((3, 3)), "x", labels=("a", "b"))


@pytest.mark.parametrize("kernel", ["squared-exponential", "matern", "heat"])
def test_the_record_of_a_kernel_without_a_weight_states_none(molar, kernel):
    record = place(molar, 3, settings=Settings(kernel=kernel)).record
    assert {record.settings[name] for name in ("weight", "mixture", "exponent")} == {None}
    assert "curvature" not in method_text(record.settings)
    assert describe_settings(recalled_settings(record), molar, None) == record.settings


@pytest.mark.parametrize("kernel", ["squared-exponential", "matern"])
def test_kernels_that_tie_everywhere_ignore_the_order_of_the_vertices(molar, kernel, random):
    order = random.permutation(molar.vertex_count)
    number = np.argsort(order)
    shuffled = Surface(molar.points[order], number[molar.triangles])
    settings = Settings(kernel=kernel)
    found = place(shuffled, 20, settings=settings).points
    np.testing.assert_array_equal(found, place(molar, 20, settings=settings).points)
