"""Measurement error: equal to geomorph where it is right, and lawful elsewhere."""

import numpy as np
import pytest
from geomorph_answers import about, answer, array

from gplandmark import AnalysisError
from gplandmark.morphometrics.models.measurement_error import measurement_error


def replicates():
    data = about("mandible_replicates")
    owners, sets = ([str(each) for each in data[name]] for name in ("ind", "rep"))
    return array("gpagen.mandible_replicates.default", "coords"), owners, sets


def test_repeatability_is_that_of_geomorph():
    shapes, owners, sets = replicates()
    alone = measurement_error(shapes, owners, permutations_of=9)
    expected = answer("measerr.repeatability")
    np.testing.assert_allclose(alone.repeatability, expected["repeatability"], rtol=1e-6)
    np.testing.assert_allclose(alone.percent_error, expected["percent_ME"], rtol=1e-6)
    np.testing.assert_allclose(alone.variance_among, expected["s2_among"], rtol=1e-6)
    sums = [alone.anova.effects[0].sum_of_squares, alone.anova.residual_sum_of_squares]
    np.testing.assert_allclose(sums, answer("measerr.procD.lm.ind")["anova"]["SS"][:2], rtol=1e-6)
    both = measurement_error(shapes, owners, sets, permutations_of=9)
    expected = answer("measerr.gm.measurement.error")["icc"]
    np.testing.assert_allclose(both.repeatability, expected["ICC_disp.ICC"], rtol=1e-6)
    np.testing.assert_allclose(both.agreement, expected["ICC_disp.ICC_a"], rtol=1e-6)
    np.testing.assert_allclose(both.consistency, expected["ICC_disp.ICC_c"], rtol=1e-6)
    table = answer("measerr.procD.lm.ind+rep")["anova"]
    found = [each.f for each in both.anova.effects]
    np.testing.assert_allclose(found, table["F"][:2], rtol=1e-6)


def test_small_errors_are_repeatable_and_large_ones_are_not(random):
    true = random.normal(size=(8, 30))
    owners = [f"i{number}" for number in range(8)] * 3
    good, bad = (
        measurement_error(np.tile(true, (3, 1)) + size * random.normal(size=(24, 30)), owners)
        for size in (0.01, 10.0)
    )
    assert good.repeatability > 0.999
    assert abs(bad.repeatability) < 0.2
    assert good.agreement is None


def test_a_shift_of_one_set_lowers_agreement_but_not_consistency(random):
    true = random.normal(size=(8, 30))
    owners = [f"i{number}" for number in range(8)] * 2
    measured = np.tile(true, (2, 1)) + 0.01 * random.normal(size=(16, 30))
    measured[8:] += random.normal(size=30)
    found = measurement_error(measured, owners, ["a"] * 8 + ["b"] * 8)
    assert found.consistency > 0.99
    assert found.agreement < 0.9
    assert found.anova.effects[1].p <= 0.01


def test_bad_repeats_are_refused(random):
    shapes = random.normal(size=(8, 6))
    owners = list("aabbccdd")
    with pytest.raises(AnalysisError, match="identical"):
        measurement_error(np.repeat(shapes[:4], 2, axis=0), owners)
    with pytest.raises(AnalysisError, match="Measured once only: individuals d, e"):
        measurement_error(shapes, list("aabbccde"))
    with pytest.raises(AnalysisError, match="2 to 3 times"):
        measurement_error(shapes, list("aaabbbcc"))
    with pytest.raises(AnalysisError, match="two individuals"):
        measurement_error(shapes, list("aaaaaaaa"))
    with pytest.raises(AnalysisError, match="one measurement in each set"):
        measurement_error(shapes, owners, list("xxxyxyxy"))
