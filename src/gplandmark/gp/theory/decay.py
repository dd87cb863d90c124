# SPDX-License-Identifier: MIT
"""How fast the variance falls with the number of landmarks: by a power or exponentially."""

from dataclasses import dataclass

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.numerics.arrays import FloatArray

__all__ = ["Decay", "Fit", "fit_decay"]


@dataclass(frozen=True)
class Fit:
    """A straight line through log v.

    Attributes
    ----------
    rate : how fast it falls, positive where it does
    constant : factor in front
    deviation : root mean square of what is left, in natural logarithms
    determination : R^2, the share of the variation that the line explains
    """

    rate: float
    constant: float
    deviation: float
    determination: float


@dataclass(frozen=True)
class Decay:
    """Both laws, fitted to the same numbers by least squares of logarithms.

    Attributes
    ----------
    power : v_n = constant n^-rate, a line in a plot with both axes logarithmic
    exponential : v_n = constant exp(-rate n), a line where only v is logarithmic
    """

    power: Fit
    exponential: Fit

    @property
    def better(self) -> str:
        """The law that leaves less: "power" or "exponential"."""
        is_power = self.power.deviation < self.exponential.deviation
        return "power" if is_power else "exponential"


def fit_decay(variances: FloatArray, first: int = 1) -> Decay:
    """Fit a power law and an exponential to v_n, n = first, first + 1, ...

    Parameters
    ----------
    variances : (c,) v_first, v_{first+1}, ..., positive, at least 3
    first : number of landmarks of the first of them, at least 1
    """
    values = np.asarray(variances, dtype=np.float64)
    if values.ndim != 1 or len(values) < 3 or first < 1:
        raise SettingsError("A rate of decay needs 3 variances or more, from 1 landmark on.")
    if not (np.isfinite(values) & (values > 0)).all():
        raise SettingsError("A rate of decay needs positive variances. Leave out those at zero.")
    counts = np.arange(first, first + len(values), dtype=np.float64)
    return Decay(_line(np.log(counts), np.log(values)), _line(counts, np.log(values)))


def _line(along: FloatArray, logs: FloatArray) -> Fit:
    slope, offset = np.polyfit(along, logs, 1)
    left = logs - offset - slope * along
    spread = float(np.sum((logs - logs.mean()) ** 2))
    explained = 1.0 - float(left @ left) / spread if spread > 0 else 1.0
    return Fit(-float(slope), float(np.exp(offset)), float(np.sqrt(np.mean(left**2))), explained)
