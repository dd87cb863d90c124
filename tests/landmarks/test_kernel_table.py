"""Laws of the table of kernels, for every kernel in it."""

from dataclasses import fields, replace
from functools import cache
from typing import get_args

import numpy as np
import pytest

from gplandmark import Settings, covariance, make_molar, place
from gplandmark.landmarks.record import COMPUTING, method_text
from gplandmark.landmarks.settings import KERNELS, KernelName

MOLAR = make_molar(3, vertex_count=400).surface
OTHER = {
    "weight": "uniform", "curvature": "variation", "curvature_neighbours": 20, "mixture": 0.9,
    "exponent": 2.0, "engine": "direct", "tolerance": 1e-3, "neighbours": 30,
    "laplacian": "cotangent", "boundary": "neumann", "eigenpairs": 40, "curvature_radius": 0.2,
}  # fmt: skip
OTHER |= {each.name: 0.6 * each.default for each in fields(Settings) if "help" in each.metadata}
ONLY_SOME_ESTIMATORS = {"curvature_neighbours": {"curvature": "variation"}}

every_kernel = pytest.mark.parametrize("name", KERNELS)
every_option = pytest.mark.parametrize("option", OTHER)
pytestmark = pytest.mark.filterwarnings("ignore")


def settings_of(name, **options):
    return replace(Settings(kernel=name, bandwidth=0.05), **options)


@cache
def first_columns(settings):
    return covariance(MOLAR, settings).columns(np.arange(9))


@cache
def summary(settings):
    return method_text(place(MOLAR, 1, settings=settings).record.settings)


def test_every_name_has_an_entry_and_every_option_is_a_setting():
    assert get_args(KernelName) == tuple(KERNELS)
    options = set().union(*(each.options for each in KERNELS.values()))
    assert options == {each.name for each in fields(Settings)} - {"kernel", "bandwidth", "eps"}
    assert options == set(OTHER)


@every_kernel
@every_option
def test_the_covariance_changes_with_the_options_of_its_kernel_and_no_others(name, option):
    given = ONLY_SOME_ESTIMATORS.get(option, {})
    before = first_columns(settings_of(name, **given))
    after = first_columns(settings_of(name, **given | {option: OTHER[option]}))
    is_same = np.array_equal(before, after)
    assert is_same == (option not in KERNELS[name].options)


@every_kernel
@every_option
def test_the_summary_tells_the_options_of_its_kernel_and_no_others(name, option):
    if option in (*COMPUTING, "curvature_radius", "curvature_neighbours"):
        return
    before = summary(settings_of(name))
    after = summary(settings_of(name, **{option: OTHER[option]}))
    assert before.startswith(f"{name} kernel, ")
    assert "bandwidth 0.05 of the area" in before
    assert (before == after) == (option not in KERNELS[name].options)


@every_kernel
def test_only_a_weighted_kernel_has_a_curvature(name):
    text = method_text(place(MOLAR, 1, settings=settings_of(name)).record.settings)
    assert ("curvature" in text) == settings_of(name).is_weighted
