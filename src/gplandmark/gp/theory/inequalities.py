# SPDX-License-Identifier: MIT
"""The inequalities of section 4 between the greedy error and the oracle's, both sides of each.

All are in variances: v_n is the squared sigma_n of the greedy algorithm, d_n^2 the squared
Kolmogorov width. An upper bound for d_n^2 in place of d_n^2 weakens them, so that a violation
found with one is a violation indeed. The greedy error itself is such a bound, but with it they
follow from monotonicity alone and test nothing; use that of the eigenspaces,
`gplandmark.gp.theory.oracle_bounds`.
"""

from dataclasses import dataclass

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.numerics.arrays import FloatArray

__all__ = ["Inequality", "comparison", "halving", "product_theorem"]


@dataclass(frozen=True, eq=False)
class Inequality:
    """left <= right, entry by entry."""

    left: FloatArray
    right: FloatArray

    def violations(self, rounding: float = 1e-9) -> int:
        """Count the entries where the left side is larger by more than rounding."""
        return int(np.count_nonzero(self.left > self.right + rounding * np.abs(self.right)))


def product_theorem(greedy: FloatArray, width: FloatArray, skipped: int = 0) -> Inequality:
    """Theorem (greedy-reduced-basis-theorem), for every 1 <= m < n, in logarithms.

        prod_{l=1..n} v_{N+l} <= (n/m)^m (n/(n-m))^(n-m) v_{N+1}^m (d_m^2)^(n-m)

    Parameters
    ----------
    greedy : (c + 1,) v_0, v_1, ..., v_c, positive
    width : (c + 1,) d_0^2, ..., d_c^2 or upper bounds, positive
    skipped : N

    Returns
    -------
    Inequality
        One entry for every pair (n, m) with N + n <= c, n by n.
    """
    greedy, width = _checked(greedy, width)
    logs = np.log(greedy[skipped + 1 :])
    products = np.cumsum(logs)
    left, right = [], []
    for n in range(2, len(logs) + 1):
        m = np.arange(1, n)
        binomial = m * np.log(n / m) + (n - m) * np.log(n / (n - m))
        left.append(np.full(n - 1, products[n - 1]))
        right.append(binomial + m * logs[0] + (n - m) * np.log(width[m]))
    if not left:
        raise SettingsError("The product theorem compares at least two greedy errors after N.")
    return Inequality(np.concatenate(left), np.concatenate(right))


def comparison(greedy: FloatArray, width: FloatArray) -> Inequality:
    """What follows for one error, n = 2, ..., c: v_n <= 2 min_m |K|^(m/n) (d_m^2)^((n-m)/n).

    |K| = v_0 is the largest entry of the kernel. In distances sigma and d:
    sigma_n <= sqrt(2) min_m |K|^(m/2n) d_m^((n-m)/n). The paper prints |K|^(m/n), which is not
    homogeneous in the kernel and false for small ones.
    """
    greedy, width = _checked(greedy, width)
    right = []
    for n in range(2, len(greedy)):
        share = np.arange(1, n) / n
        right.append(2 * np.min(greedy[0] ** share * width[1:n] ** (1 - share)))
    return Inequality(greedy[2:], np.array(right))


def halving(greedy: FloatArray, width: FloatArray) -> Inequality:
    """The same with m = n/2, equation (reduced-basis-greedy-rate-double-index), as it holds.

    v_n <= 2 |K|^(1/2) (d^2_{floor(n/2)})^(1/2), n = 2, ..., c; in distances
    sigma_n <= sqrt(2) |K|^(1/4) d_{floor(n/2)}^(1/2).
    """
    greedy, width = _checked(greedy, width)
    n = np.arange(2, len(greedy))
    return Inequality(greedy[2:], 2 * np.sqrt(greedy[0] * width[n // 2]))


def _checked(greedy: FloatArray, width: FloatArray) -> tuple[FloatArray, FloatArray]:
    greedy, width = np.asarray(greedy, dtype=np.float64), np.asarray(width, dtype=np.float64)
    if greedy.ndim != 1 or greedy.shape != width.shape:
        raise SettingsError(
            f"Expected as many greedy errors as widths, got {greedy.shape} and {width.shape}."
        )
    if not (greedy > 0).all() or not (width > 0).all():
        raise SettingsError("Errors and widths must be positive. Leave out those that are zero.")
    return greedy, width
