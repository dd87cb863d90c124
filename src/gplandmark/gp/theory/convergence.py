# SPDX-License-Identifier: MIT
"""How fast the variance falls, and the inequalities of section 4 about the greedy error.

The inequalities are in variances: v_n is the squared sigma_n of the greedy algorithm, d_n^2 the
squared Kolmogorov width. With an upper bound in place of d_n^2 they become weaker, so that a
violation remains a violation. Use the bound of the eigenspaces,
`gplandmark.gp.theory.oracle_bounds`. The greedy error is an upper bound too, but with it the
inequalities follow from monotonicity alone and test nothing.
"""

from dataclasses import dataclass

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.numerics.arrays import FloatArray


@dataclass(frozen=True)
class Fit:
    """A straight line through log v.

    Attributes
    ----------
    rate : how fast it falls, positive where it does
    constant : factor in front
    deviation : root mean square of what is left, in natural logarithms
    determination : R^2, the fraction of the variation that the line explains
    """

    rate: float
    constant: float
    deviation: float
    determination: float


@dataclass(frozen=True)
class Decay:
    """Laws of decay, fitted to the same numbers by least squares of logarithms.

    Attributes
    ----------
    power : v_n = constant n^-rate, a line in a plot with both axes logarithmic
    exponential : v_n = constant exp(-rate n), a line where only v is logarithmic
    convex : v_n = constant beta^(log h / h) with beta = exp(rate), the law of convex sets; None
        without fill distances
    """

    power: Fit
    exponential: Fit
    convex: Fit | None = None

    @property
    def better(self) -> str:
        """The law that leaves least: "power", "exponential" or "convex"."""
        laws = {"power": self.power, "exponential": self.exponential, "convex": self.convex}
        deviations = {name: law.deviation for name, law in laws.items() if law is not None}
        return min(deviations, key=lambda name: deviations[name])


def fit_decay(variances: FloatArray, first: int = 1, fill: FloatArray | None = None) -> Decay:
    """Fit a power law and an exponential to v_n, n = first, first + 1, ...

    With fill distances also the law of theorem (greedy-conditional-covariance-decay-convex),
    equation (convergence-rate-in-fill-distance): v_n = O(beta^(log h / h)), h = h_{floor(n/2)}.

    Parameters
    ----------
    variances : (c,) v_first, v_{first+1}, ..., positive, at least 3
    first : number of landmarks of the first of them, at least 1
    fill : (c,) the fill distance h that belongs to each, between 0 and 1: in units of the
        diameter of the set, for example
    """
    values = np.asarray(variances, dtype=np.float64)
    if values.ndim != 1 or len(values) < 3 or first < 1:
        raise SettingsError("A rate of decay needs 3 variances or more, from 1 landmark on.")
    if not (np.isfinite(values) & (values > 0)).all():
        raise SettingsError("A rate of decay needs positive variances. Leave out those at zero.")
    counts = np.arange(first, first + len(values), dtype=np.float64)
    logs = np.log(values)
    convex = None if fill is None else _line(_convex_scale(fill, len(values)), logs)
    return Decay(_line(np.log(counts), logs), _line(counts, logs), convex)


def _convex_scale(fill: FloatArray, count: int) -> FloatArray:
    """-log h / h of every fill distance: it grows as they fall."""
    distances = np.asarray(fill, dtype=np.float64)
    if distances.shape != (count,) or not ((distances > 0) & (distances < 1)).all():
        raise SettingsError(
            "Give one fill distance between 0 and 1 for every variance: divide them by the "
            "diameter of the set."
        )
    return np.asarray(-np.log(distances) / distances)


def _line(along: FloatArray, logs: FloatArray) -> Fit:
    slope, offset = np.polyfit(along, logs, 1)
    left = logs - offset - slope * along
    spread = float(np.sum((logs - logs.mean()) ** 2))
    explained = 1.0 - float(left @ left) / spread if spread > 0 else 1.0
    return Fit(-float(slope), float(np.exp(offset)), float(np.sqrt(np.mean(left**2))), explained)


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
        fraction = np.arange(1, n) / n
        right.append(2 * np.min(greedy[0] ** fraction * width[1:n] ** (1 - fraction)))
    return Inequality(greedy[2:], np.array(right))


def halving(greedy: FloatArray, width: FloatArray) -> Inequality:
    """The same with m = n/2, equation (reduced-basis-greedy-rate-double-index), as it holds.

    v_n <= 2 |K|^(1/2) (d^2_{floor(n/2)})^(1/2), n = 2, ..., c; in distances
    sigma_n <= sqrt(2) |K|^(1/4) d_{floor(n/2)}^(1/2).
    """
    greedy, width = _checked(greedy, width)
    n = np.arange(2, len(greedy))
    return Inequality(greedy[2:], 2 * np.sqrt(greedy[0] * width[n // 2]))


def fill_power_bound(
    variances: FloatArray, fill: FloatArray, order: float, known: int
) -> Inequality:
    """Both sides of lemma (bounding-power-function-reweighted): v <= C h^(2k).

    The constant C of the lemma is not known. It is taken from the first sets of landmarks, as the
    largest v / h^(2k) there, and both sides are compared for all the others. A kernel with
    fewer derivatives than 2k violates it as the landmarks become dense.

    Parameters
    ----------
    variances : (c,) the largest variance that each set of landmarks leaves
    fill : (c,) fill distance of the same sets, falling
    order : k
    known : how many of the sets determine C, at least 1 and below c
    """
    left, distances = _checked(variances, fill)
    if not 1 <= known < len(left) or not order > 0:
        raise SettingsError(
            "Give a positive order, and determine C from some sets but not from all."
        )
    powers = distances ** (2 * order)
    return Inequality(left[known:], (left[:known] / powers[:known]).max() * powers[known:])


def _checked(greedy: FloatArray, width: FloatArray) -> tuple[FloatArray, FloatArray]:
    greedy, width = np.asarray(greedy, dtype=np.float64), np.asarray(width, dtype=np.float64)
    if greedy.ndim != 1 or greedy.shape != width.shape:
        raise SettingsError(
            f"Expected as many greedy errors as widths, got {greedy.shape} and {width.shape}."
        )
    if not (greedy > 0).all() or not (width > 0).all():
        raise SettingsError("Errors and widths must be positive. Leave out those that are zero.")
    return greedy, width
