"""What people pass by mistake gets a sentence: no raw IndexError, AttributeError or TypeError."""

import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest
from conftest import SMALL

import gplandmark
from gplandmark import GplandmarkError, SettingsError
from gplandmark.gp.selection import randomly_pivoted
from gplandmark.numerics.arguments import finite_numbers, numbers, real_number, whole_numbers

BAD = {
    "none": None,
    "text": "x",
    "bytes": b"x",
    "fraction": 2.5,
    "nan": float("nan"),
    "infinite": float("inf"),
    "complex": 1j,
    "list of complex": [1j, 2j],
    "huge": 10**30,
    "true": True,
    "object": object(),
    "dictionary": {"a": 1},
    "function": lambda: None,
    "texts": ["a"],
    "ragged": [[1], [1, 2]],
    "square": np.ones((2, 2)),
    "masked": np.ma.masked_array([1.0, 2.0], [False, True]),
    "short mask": np.zeros(3, dtype=bool),
    "array of objects": np.array([None, 1]),
    "dates": np.array(["2020-01-01"], dtype="M8[D]"),
}


@pytest.fixture(scope="module")
def given(molar):
    kernel = gplandmark.covariance(molar, SMALL)
    return molar, kernel, gplandmark.place(molar, 5, settings=SMALL)


CALLS = {
    "select kernel": lambda s, k, m, bad: gplandmark.select(bad, 3),
    "select count": lambda s, k, m, bad: gplandmark.select(k, bad),
    "select target": lambda s, k, m, bad: gplandmark.select(k, 3, target=bad),
    "select start": lambda s, k, m, bad: gplandmark.select(k, 3, start=bad),
    "select one start": lambda s, k, m, bad: gplandmark.select(k, 3, start=[bad]),
    "select candidates": lambda s, k, m, bad: gplandmark.select(k, 3, candidates=bad),
    "select seed": lambda s, k, m, bad: gplandmark.select(k, 3, seed=bad),
    "select after": lambda s, k, m, bad: gplandmark.select(k, 3, after=bad),
    "random count": lambda s, k, m, bad: randomly_pivoted(k, bad, 1),
    "random seed": lambda s, k, m, bad: randomly_pivoted(k, 3, bad),
    "design kernel": lambda s, k, m, bad: gplandmark.Design(bad),
    "design": lambda s, k, m, bad: gplandmark.Design(k, bad),
    "design add": lambda s, k, m, bad: gplandmark.Design(k, [5]).add(bad),
    "design remove": lambda s, k, m, bad: gplandmark.Design(k, [5]).remove(bad),
    "design move": lambda s, k, m, bad: gplandmark.Design(k, [5]).move(5, bad),
    "krige kernel": lambda s, k, m, bad: gplandmark.krige(bad, [1, 2], [0.0, 1.0]),
    "krige landmarks": lambda s, k, m, bad: gplandmark.krige(k, bad, [0.0, 1.0]),
    "krige values": lambda s, k, m, bad: gplandmark.krige(k, [1, 2], bad),
    "krige noise": lambda s, k, m, bad: gplandmark.krige(k, [1, 2], [0.0, 1.0], noise=bad),
    "krige mean": lambda s, k, m, bad: gplandmark.krige(k, [1, 2], [0.0, 1.0], mean=bad),
    "learn oracle": lambda s, k, m, bad: gplandmark.learn(k, bad, tolerance=1.0, count=2),
    "learn tolerance": lambda s, k, m, bad: gplandmark.learn(k, float, tolerance=bad, count=2),
    "learn count": lambda s, k, m, bad: gplandmark.learn(k, float, tolerance=1.0, count=bad),
    "reconstruct": lambda s, k, m, bad: gplandmark.reconstruct(bad, k, [1, 2]),
    "reconstruct counts": lambda s, k, m, bad: gplandmark.reconstruct(s, k, [1, 2], bad),
    "matrix": lambda s, k, m, bad: gplandmark.as_kernel(bad),
    "surface": lambda s, k, m, bad: gplandmark.Surface(bad),
    "surface triangles": lambda s, k, m, bad: gplandmark.Surface(s.points, bad),
    "surface name": lambda s, k, m, bad: gplandmark.Surface(s.points, s.triangles, bad),
    "vertices of": lambda s, k, m, bad: s.vertices_of(bad),
    "read": lambda s, k, m, bad: gplandmark.read(bad),
    "read landmarks": lambda s, k, m, bad: gplandmark.read_landmarks(bad),
    "write": lambda s, k, m, bad: gplandmark.write(bad, "landmarks.csv"),
    "place": lambda s, k, m, bad: gplandmark.place(bad, 3),
    "place count": lambda s, k, m, bad: gplandmark.place(s, bad, settings=SMALL),
    "place settings": lambda s, k, m, bad: gplandmark.place(s, 3, settings=bad),
    "place weight": lambda s, k, m, bad: gplandmark.place(s, 3, settings=SMALL, weight=bad),
    "place start": lambda s, k, m, bad: gplandmark.place(s, 3, settings=SMALL, start=bad),
    "place exclude": lambda s, k, m, bad: gplandmark.place(s, 3, settings=SMALL, exclude=bad),
    "place regions": lambda s, k, m, bad: gplandmark.place(s, 3, settings=SMALL, regions=bad),
    "place after": lambda s, k, m, bad: gplandmark.place(s, 3, settings=SMALL, after=bad),
    "covariance": lambda s, k, m, bad: gplandmark.covariance(bad),
    "nearest": lambda s, k, m, bad: gplandmark.nearest_vertices(s, bad),
    "picture": lambda s, k, m, bad: gplandmark.picture(bad),
    "picture landmarks": lambda s, k, m, bad: gplandmark.picture(s, bad),
    "picture views": lambda s, k, m, bad: gplandmark.picture(s, m, views=bad),
    "picture colour": lambda s, k, m, bad: gplandmark.picture(s, m, colour=bad),
    "picture labels": lambda s, k, m, bad: gplandmark.picture(s, m, labels=bad),
    "picture width": lambda s, k, m, bad: gplandmark.picture(s, m, width=bad),
    "picture resolution": lambda s, k, m, bad: gplandmark.picture(s, m, resolution=bad),
    "bandwidth": lambda s, k, m, bad: gplandmark.Settings(bandwidth=bad),
    "kernel name": lambda s, k, m, bad: gplandmark.Settings(kernel=bad),
    "neighbours": lambda s, k, m, bad: gplandmark.Settings(kernel="graph", neighbours=bad),
    "preset": lambda s, k, m, bad: gplandmark.preset(bad),
    "molar": lambda s, k, m, bad: gplandmark.make_molar(bad),
    "molar vertices": lambda s, k, m, bad: gplandmark.make_molar(1, vertex_count=bad),
    "scaled": lambda s, k, m, bad: gplandmark.scaled(m, bad),
    "to system": lambda s, k, m, bad: gplandmark.to_system(m, bad),
    "check": lambda s, k, m, bad: gplandmark.check(s, bad),
    "chosen": lambda s, k, m, bad: m.chosen(bad),
    "match": lambda s, k, m, bad: gplandmark.match_sample(bad),
    "carry": lambda s, k, m, bad: gplandmark.carry_landmarks(bad, m),
    "predict": lambda s, k, m, bad: gplandmark.predict(bad, {}),
    "suggest": lambda s, k, m, bad: gplandmark.suggest(bad, 1),
    "evaluate": lambda s, k, m, bad: gplandmark.evaluate(bad, {}),
    "place all": lambda s, k, m, bad: list(gplandmark.place_all(bad)),
}
FINE = {
    "select count": {"none"},
    "select candidates": {"none"},
    "select seed": {"none", "huge"},
    "select after": {"none"},
    "random seed": {"none"},
    "design kernel": {"square"},
    "krige values": {"square"},
    "krige noise": {"fraction", "true"},
    "krige mean": {"fraction", "true", "huge"},
    "learn oracle": {"function"},
    "learn tolerance": {"fraction", "huge"},
    "learn count": {"none"},
    "reconstruct counts": {"none", "square"},
    "matrix": {"square"},
    "surface triangles": {"none"},
    "surface name": {"text"},
    "vertices of": {"square"},
    "place count": {"none"},
    "place settings": {"none"},
    "place weight": {"none"},
    "place after": {"none"},
    "picture landmarks": {"none"},
    "picture width": {"none", "fraction"},
    "bandwidth": {"fraction", "huge"},
    "neighbours": {"none"},
    "scaled": {"fraction", "huge"},
    "place all": {"texts", "dictionary"},  # these are paths; their scans fail one by one
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS)
def test_a_wrong_argument_is_refused_in_a_sentence(call, given):
    for kind, bad in BAD.items():
        if kind in FINE.get(call, ()):
            continue
        with pytest.raises(GplandmarkError) as refused:
            CALLS[call](*given, bad)
        assert str(refused.value).endswith("."), kind


def test_numbers_are_real_and_a_mask_is_not_ignored():
    assert whole_numbers(np.array([1.0, 3.0]), "These").tolist() == [1, 3]
    assert finite_numbers(np.float32([0.5]), "These").dtype == np.float64
    assert numbers([Fraction(1, 2), 1], "These").tolist() == [0.5, 1.0]
    assert real_number(np.float32(0.5), "This") == 0.5
    with pytest.raises(SettingsError, match="must be finite"):
        finite_numbers(np.ma.masked_array([1.0, 2.0], [False, True]), "These")
    with pytest.raises(SettingsError, match="must be numbers, got complex128"):
        numbers(np.array([1j]), "These")
    with pytest.raises(SettingsError, match="must be whole numbers"):
        whole_numbers([0.5], "These")


def test_coordinates_and_triangles_are_never_truncated(molar):
    with pytest.raises(gplandmark.ScanError, match="whole numbers"):
        gplandmark.Surface(molar.points, molar.triangles + 0.5)
    assert (
        gplandmark.Surface(molar.points, molar.triangles * 1.0).triangles == molar.triangles
    ).all()
    with pytest.raises(SettingsError, match="whole numbers"):
        molar.vertices_of([2.5])


def test_a_selection_is_continued_on_its_own_kernel_only(given):
    _, kernel, _ = given
    found = gplandmark.select(np.eye(5), 2)
    with pytest.raises(SettingsError, match="one of 5 points, but the kernel has 700"):
        gplandmark.select(kernel, 3, after=found)


def test_landmarks_are_an_array_of_their_points(given):
    _, _, landmarks = given
    assert (np.asarray(landmarks) == landmarks.points).all()
    assert np.asarray(landmarks, dtype=np.float32).dtype == np.float32
    np.asarray(landmarks)[:] = 0
    assert landmarks.points.any()


def test_the_version_is_that_of_the_installation():
    from importlib.metadata import version

    assert gplandmark.__version__ == version("gplandmark")
    with pytest.raises(AttributeError, match="no attribute 'versions'"):
        _ = gplandmark.versions


def copies(thing):
    return pickle.loads(pickle.dumps(thing)), copy.copy(thing), copy.deepcopy(thing)


@pytest.mark.parametrize("engine", ["field", "direct"])
@pytest.mark.parametrize("eps", [None, 1e-7])  # so small that no grid would fit
def test_a_kernel_and_a_design_can_be_pickled_and_copied(molar, engine, eps):
    settings = gplandmark.Settings(curvature_radius=0.15, engine=engine, eps=eps)
    kernel = gplandmark.covariance(molar, settings)
    picks = gplandmark.select(kernel, 10).indices
    for again in copies(kernel):
        assert (gplandmark.select(again, 10).indices == picks).all()
    design = gplandmark.Design(kernel, picks)
    for again in copies(design):
        assert (again.variance == design.variance).all()


def test_what_was_pickled_without_its_tiles_is_small(molar):
    kernel = gplandmark.covariance(
        molar, gplandmark.Settings(engine="direct", curvature_radius=0.2)
    )
    kernel.diagonal()
    assert len(pickle.dumps(kernel)) < 50 * kernel.size


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, gplandmark.Design.copy])
def test_a_copied_design_is_changed_alone(given, how):
    _, kernel, _ = given
    design = gplandmark.Design(kernel, [3, 400])
    before = design.variance
    other = how(design)
    other.add(100)
    design.add(200)
    other.remove(3)
    assert design.landmarks.tolist() == [3, 400, 200]
    assert other.landmarks.tolist() == [400, 100]
    expected = gplandmark.Design(kernel, [400, 100]).variance
    np.testing.assert_allclose(other.variance, expected, atol=1e-12 * before.max())


def test_landmarks_can_be_pickled_and_continued(given):
    surface, _, landmarks = given
    again = gplandmark.place(
        surface, 8, settings=SMALL, after=pickle.loads(pickle.dumps(landmarks))
    )
    assert (again.points == gplandmark.place(surface, 8, settings=SMALL).points).all()
