# SPDX-License-Identifier: MIT
"""Stored values that no run of ours makes are not taken, whatever their digest says."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from mutated_files import FACTS

from gplandmark import LandmarkFileError, make_molar
from gplandmark.morphometrics.matching.deformation import Deformation
from gplandmark.morphometrics.matching.pose_search import Alignment
from gplandmark.morphometrics.matching.registration import Pose
from gplandmark.morphometrics.matching.sampling import sample_surface
from gplandmark.runs.job_keys import job_key
from gplandmark.runs.job_runner import kept
from gplandmark.runs.matched.carried_landmarks import CarriedLandmarks
from gplandmark.runs.store import Store
from gplandmark.runs.stored_checks import has_type
from gplandmark.runs.stored_values import decoded, encoded

POSE = Pose(np.eye(3), np.zeros(3))
MAP = Deformation(POSE, np.ones((5, 3)), np.ones((5, 3)))
CARRIED = CarriedLandmarks({}, FACTS, np.ones((4, 3)), np.ones(4))


@cache
def specimen():
    return sample_surface(make_molar(1, vertex_count=900).surface)


def level(**changes):
    first, *others = specimen().levels
    return replace(specimen(), levels=(replace(first, **changes), *others))


def test_our_own_are_taken():
    for value in (POSE, MAP, specimen(), CARRIED, Alignment(POSE, np.inf, np.inf, np.inf)):
        assert type(decoded(encoded(value))) is type(value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: replace(POSE, rotation=np.eye(2)),
        lambda: replace(POSE, rotation=np.eye(3, dtype=np.int64)),
        lambda: replace(POSE, shift=np.full(3, np.nan)),
        lambda: replace(POSE, scale=0.0),
        lambda: replace(POSE, scale=float("nan")),
        lambda: replace(POSE, scale=10**400),
        lambda: replace(MAP, coefficients=np.ones((4, 3))),
        lambda: replace(MAP, coefficients=np.full((5, 3), 1e300)),
        lambda: replace(MAP, centres=np.ones((5, 2))),
        lambda: Alignment(POSE, float("nan"), 1.0, 1.0),
        lambda: replace(specimen(), levels=specimen().levels[:-1]),
        lambda: replace(specimen(), levels=(1.0, *specimen().levels[1:])),
        lambda: replace(specimen(), centre=np.zeros(2)),
        lambda: replace(specimen(), size=0.0),
        lambda: replace(specimen(), size=1e-300),
        lambda: replace(specimen(), root_area=np.inf),
        lambda: specimen().with_share(0.0),
        lambda: replace(specimen(), surface=replace(specimen().surface, triangles=None)),
        lambda: level(positions=np.empty((0, 3))),
        lambda: level(normals=np.ones((3, 3))),
        lambda: level(form=np.ones(len(specimen().levels[0].positions))),
        lambda: level(weights=np.ones(3)),
        lambda: replace(CARRIED, facts={**FACTS, "landmarks": "<b>"}),
        lambda: replace(CARRIED, files={"landmarks.csv": "text"}),
    ],
)
def test_what_no_run_makes_is_refused(make):
    with pytest.raises((ValueError, TypeError)):
        decoded(encoded(make()))


@pytest.mark.parametrize(
    ("value", "hint", "fits"),
    [
        ((1.0, 2), tuple[float, float], True),
        ((1.0,), tuple[float, float], False),
        ((1.0, "x"), tuple[float, ...], False),
        ((), tuple[float, ...], True),
        ([1.0, None], list[float], False),
        ({"a": b""}, dict[str, bytes], True),
        ({"a": ""}, dict[str, bytes], False),
        (None, float | None, True),
        (float("nan"), float, False),
        (float("inf"), float, True),
    ],
)
def test_what_a_container_holds_has_its_type(value, hint, fits):
    assert has_type(value, hint) == fits


def test_a_damaged_store_that_is_only_read_says_what_to_do(tmp_path):
    path = tmp_path / "store"
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(LandmarkFileError, match="Run the command that wrote it again"):
        Store(path, readonly=True)


def two_maps(_) -> tuple[Deformation, Deformation]:
    return MAP, MAP


def test_a_stored_value_is_what_its_function_returns(tmp_path):
    store = Store(tmp_path / "store")
    name = job_key(two_maps, "job")
    for value in ((MAP, np.ones(3)), (MAP,), MAP, None):
        store.put(name, {"value": value, "seconds": 1.0})
        assert kept(store, name, two_maps) is None
    store.put(name, {"value": (MAP, MAP), "seconds": "long"})
    assert kept(store, name, two_maps) is None
    store.put(name, {"value": (MAP, MAP), "seconds": 1.0})
    assert len(kept(store, name, two_maps)["value"]) == 2
    store.close()
