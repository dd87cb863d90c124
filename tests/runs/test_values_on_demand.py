# SPDX-License-Identifier: MIT
"""Values that stay in a store: they behave as themselves, and are not kept in memory."""

import gc
import pickle
from functools import cache, partial
from weakref import ref

import numpy as np
import pytest

from gplandmark import make_molar
from gplandmark.errors import LandmarkFileError
from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.matching.points import SampledSurface
from gplandmark.morphometrics.matching.sampling import sample_surface
from gplandmark.runs.job_keys import content_key
from gplandmark.runs.job_runner import JobRunner, stored
from gplandmark.runs.store import RECENT, Store
from gplandmark.runs.values_on_demand import ValueOnDemand, on_demand, opened


@cache
def crown():
    return sample_surface(make_molar(1, vertex_count=1500).surface)


def sampled(surface: Surface) -> SampledSurface:
    return sample_surface(surface)


class Reads:
    """A specimen that is made anew whenever it is read, and how often it was."""

    def __init__(self):
        self.count, self.last, self._content = 0, None, pickle.dumps(crown())

    def __call__(self):
        self.count += 1
        made = pickle.loads(self._content)
        self.last = ref(made)
        return made


def test_it_behaves_as_the_value_it_stands_for():
    specimen = crown()
    light = on_demand(specimen, lambda: specimen)
    assert type(light) is ValueOnDemand
    assert isinstance(light, SampledSurface)
    assert isinstance(light.surface, Surface)
    assert (light.name, light.size, light.is_fragment) == (specimen.name, specimen.size, False)
    assert len(light.levels) == len(specimen.levels)
    for one, two in zip(light.levels, specimen.levels, strict=True):
        np.testing.assert_array_equal(one.positions, two.positions)
    np.testing.assert_array_equal(light.levels[-1].weights, specimen.levels[-1].weights)
    np.testing.assert_array_equal(light.in_unit(np.ones((1, 3))), specimen.in_unit(np.ones((1, 3))))
    assert light.with_share(0.5).share == 0.5
    with pytest.raises(AttributeError):
        light.nothing  # noqa: B018
    with pytest.raises(IndexError):
        light.levels[9]


def test_it_has_the_key_of_the_value_and_is_pickled_as_that():
    specimen = crown()
    light = on_demand(specimen, lambda: specimen)
    assert content_key(light) == content_key(specimen)
    assert content_key((light.levels, 1.0)) == content_key((specimen.levels, 1.0))
    sent = pickle.loads(pickle.dumps([light, light.levels]))
    assert type(sent[0]) is SampledSurface
    assert type(sent[1]) is tuple


def test_small_parts_are_kept_and_large_ones_are_not():
    reads = Reads()
    light = ValueOnDemand(reads)
    names = {light.name for _ in range(5)}
    assert (len(names), reads.count) == (1, 1)
    light.levels[2].positions.sum()
    light.surface.points.sum()
    gc.collect()
    assert reads.last() is None  # nothing of it is held


def test_small_values_are_themselves():
    for value in (1.5, "name", None, (1, 2), np.zeros(9), {"a": 1}):
        assert on_demand(value, lambda: None) is value
    assert opened(7) == 7


def test_what_a_job_returns_stays_in_the_store(tmp_path):
    surfaces = [make_molar(seed, vertex_count=1500).surface for seed in range(2)]
    expected = [sampled(each) for each in surfaces]
    for _ in range(2):  # computed, and then known
        store = Store(tmp_path / "store.sqlite")
        found = JobRunner(store=store).values(sampled, surfaces)
        assert [type(each) for each in found] == [ValueOnDemand] * 2
        for one, two in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one.levels[-1].positions, two.levels[-1].positions)
        store.close()
    assert type(JobRunner().values(sampled, surfaces[:1])[0]) is SampledSurface


def test_only_the_last_values_are_in_memory(tmp_path):
    store = Store(tmp_path / "store.sqlite")
    for number in range(RECENT + 3):
        store.put(str(number), {"value": np.full(9, number), "seconds": 0.0})
    for number in range(RECENT + 3):
        assert stored(store, str(number))[0] == number
    assert store.recent.cache_info().currsize == RECENT
    store.close()


def test_a_value_that_is_gone_gets_a_sentence(tmp_path):
    store = Store(tmp_path / "store.sqlite")
    light = ValueOnDemand(partial(stored, store, "unknown"))
    with pytest.raises(LandmarkFileError, match="a part of it is gone"):
        light.name  # noqa: B018
    store.close()
