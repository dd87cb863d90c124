# SPDX-License-Identifier: MIT
"""Permutations of specimens, and what random values say of an observed one."""

import numpy as np

from gplandmark.errors import AnalysisError, SettingsError
from gplandmark.numerics.arrays import FloatArray, IndexArray

EQUAL = 1e-12  # relative: values that differ by rounding are the same
WIDEST = 5.0  # exponents of Box and Cox that are considered, on both sides of 0


def permutations(count: int, number: int, seed: int = 0) -> IndexArray:
    """Orders (1 + number, count) of `count` specimens, the given one first, the others at random.

    Raises
    ------
    SettingsError
        There is no permutation to draw, or the seed is negative.
    """
    if number < 1 or seed < 0:
        raise SettingsError("The number of permutations must be at least 1 and the seed at least "
                            f"0, got {number} and {seed}.")  # fmt: skip
    random = np.random.default_rng(seed)
    given = np.arange(count)
    return np.vstack([given, random.permuted(np.tile(given, (number, 1)), axis=1)])


def checked_orders(orders: IndexArray, count: int) -> IndexArray:
    """Orders (m, count) once they are known to be permutations, the first of them the given one.

    Raises
    ------
    AnalysisError
        They are not.
    """
    orders = np.asarray(orders)
    given = np.arange(count)
    if orders.ndim != 2 or orders.shape[1] != count or not (np.sort(orders) == given).all():
        raise AnalysisError(f"Every permutation must have each of the {count} specimens once.")
    if not (orders[0] == given).all():
        raise AnalysisError(
            "The first permutation must be the given order: it is the observed one."
        )
    return orders


def p_value(values: FloatArray) -> float:
    """Fraction of values, the observed one (the first) included, that are not smaller than it.

    NaN where the observed value is.
    """
    if np.isnan(values[0]):
        return float("nan")
    return float(np.mean(values >= values[0] - EQUAL * abs(values[0])))


def effect_size(values: FloatArray) -> float:
    """Z of the observed value (the first) among random ones, as RRPP has it.

    Values are transformed by the power of Box and Cox that makes the random ones most normal
    (maximum likelihood), then Z = (observed - mean) / sd over all values. NaN where they are all
    the same or one is not positive.
    """
    from scipy.optimize import minimize_scalar
    from scipy.stats import boxcox, boxcox_llf

    random = values[1:]
    if len(random) < 2 or not (values > 0).all() or np.ptp(random) <= EQUAL * abs(random).max():
        return float("nan")
    # Sums of many powers need numbers near 1; a scale shifts all transformed values equally.
    scaled = values / np.exp(np.mean(np.log(random)))
    best = minimize_scalar(
        lambda power: -boxcox_llf(power, scaled[1:]), bounds=(-WIDEST, WIDEST), method="bounded",
        options={"xatol": 1e-9},
    ).x  # fmt: skip
    transformed = boxcox(scaled, best)
    return float((transformed[0] - transformed.mean()) / transformed.std())
