# SPDX-License-Identifier: MIT
"""The window that spreads a Gaussian field to a regular grid and interpolates it there.

In grid steps a Gaussian is ``exp(-2 a^2 u^2)`` with ``a = step / sqrt(eps)``.  It is written as

    exp(-2 a^2 (u - v)^2)  ~  sum_jl  phi(u - j) taps[j - l] phi(l - v),

phi a Kaiser-Bessel window of `width` steps and ``taps`` the Gaussian with the window divided out
twice in the frequency domain.  The error of that formula is computed, not assumed, and the width
is the smallest one that meets the tolerance.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.native.in_numpy.gaussian_loops import horner

WIDEST = 16
SHAPES = (0.9, 0.95, 0.85, 0.8)  # fractions of pi * width, the most likely to suffice first
SAFETY = 3.0  # three axes each add the error of one


@dataclass(frozen=True)
class Window:
    """Kaiser-Bessel taps as polynomials, and the Gaussian they are convolved with."""

    width: int
    coefficients: FloatArray  # (degree + 1, padded): power by tap, in 2 t - 1, t the first offset
    taps: FloatArray  # (2 reach + 1,)
    error: float

    @property
    def reach(self) -> int:
        """How many grid steps the convolution looks to either side."""
        return len(self.taps) // 2

    def weights(self, u: FloatArray) -> tuple[IndexArray, FloatArray]:
        """First tap (...,) and the weights of all padded taps (..., padded) for coordinates u."""
        return horner(u, self.coefficients, self.width)


@lru_cache(maxsize=64)
def choose_window(ratio: float, tolerance: float) -> Window:
    """The narrowest window for a Gaussian of ``step / sqrt(eps) = ratio`` to that tolerance."""
    narrowest = max(4, int(-np.log10(tolerance)))  # no narrower one was ever seen to suffice
    for width in range(narrowest, WIDEST + 1):
        for fraction in SHAPES:
            window = design(width, fraction, ratio, tolerance)
            if window.error <= tolerance:
                return window
    raise SettingsError(
        f"No window of at most {WIDEST} taps reaches a tolerance of {tolerance:.1e}. "
        "Ask for 1e-12 or more."
    )


def design(width: int, fraction: float, ratio: float, tolerance: float) -> Window:
    """A window of the given width and shape ``fraction * pi * width``, with its error."""
    shape = fraction * np.pi * width
    coefficients = polynomials(width, shape)
    taps = deconvolved(width, shape, ratio, tolerance)
    draft = Window(width, coefficients, taps, np.inf)
    return Window(width, coefficients, taps, SAFETY * error(draft, ratio))


def kaiser_bessel(z: FloatArray, shape: float) -> FloatArray:
    """``I0(shape sqrt(1 - z^2)) / I0(shape)`` on [-1, 1]."""
    return np.asarray(np.i0(shape * np.sqrt(np.clip(1.0 - z * z, 0.0, None))) / np.i0(shape))


def polynomials(width: int, shape: float) -> FloatArray:
    """Each tap's weight as a polynomial of the offset, fitted at Chebyshev points."""
    count = width  # a higher degree was never seen to reduce the error of the formula
    angles = np.pi * (np.arange(count) + 0.5) / count
    positions = 0.5 * (np.cos(angles)[:, None] + 1.0) + np.arange(width) - 0.5 * width
    values = kaiser_bessel(2.0 * positions / width, shape)
    series = 2.0 / count * np.cos(np.arange(count)[:, None] * angles) @ values
    series[0] /= 2.0
    padded = np.zeros((count, -(-width // 4) * 4))
    padded[:, :width] = chebyshev_powers(count).T @ series
    return padded


def chebyshev_powers(count: int) -> FloatArray:
    """Coefficients of the powers (second axis) in the first Chebyshev polynomials (first axis)."""
    powers = np.eye(count)
    for k in range(2, count):
        powers[k] = 2.0 * np.roll(powers[k - 1], 1) - powers[k - 2]
    return powers


def deconvolved(width: int, shape: float, ratio: float, tolerance: float) -> FloatArray:
    """Taps whose transform is that of the Gaussian over the square of the window's."""
    count = 512
    frequency = np.linspace(0.0, np.pi, count + 1)
    gaussian = np.sqrt(0.5 * np.pi) / ratio * np.exp(-((frequency / ratio) ** 2) / 8.0)
    root = np.sqrt((shape**2 - (0.5 * width * frequency) ** 2).astype(complex))
    transform = (width * np.sinc(1j * root / np.pi)).real / np.i0(shape)
    spectrum = np.where(gaussian > 0.0, gaussian / transform**2, 0.0)
    taps = np.fft.irfft(spectrum, 2 * count)[:count]
    reach = int(np.sqrt(0.5 * np.log(1e3 / tolerance)) / ratio)
    half = taps[: reach + 1]
    return np.concatenate([half[:0:-1], half])


def error(window: Window, ratio: float) -> float:
    """Largest error of the one-dimensional formula over source offsets and distances."""
    reach, width = window.reach, window.width
    size = 2 * (reach + width)
    sources = size / 2 + np.array([0.0, 0.13, 0.37, 0.5, 0.81])
    first, weights = window.weights(sources)
    spread = np.zeros((len(sources), size + 1))
    columns = first[:, None] + np.arange(width)
    np.put_along_axis(spread, columns, weights[:, :width], axis=1)
    table = np.array([np.convolve(row, window.taps)[reach:-reach] for row in spread])
    targets = np.arange(width, size - width, 0.19)
    first, weights = window.weights(targets)
    columns = first[:, None] + np.arange(width)
    values = np.einsum("stw,tw->st", table[:, columns], weights[:, :width])
    exact = np.exp(-2.0 * (ratio * (targets - sources[:, None])) ** 2)
    return float(np.abs(values - exact).max())


@dataclass(frozen=True)
class ShortenedAxis:
    """Long empty intervals of one axis, each shortened to the same length."""

    begins: FloatArray  # (intervals + 1,), the last one at infinity
    ends: FloatArray
    removed: FloatArray  # length removed before each interval
    length: float

    def __call__(self, x: FloatArray) -> FloatArray:
        """Shortened coordinates; in an empty interval the distance to its nearer end is kept."""
        k = np.searchsorted(self.ends, x, side="right")
        into, left = x - self.begins[k], self.ends[k] - x
        kept = np.maximum(np.minimum(into, 0.5 * self.length), self.length - left)
        inside = (into > 0.0) & np.isfinite(self.begins[k])
        with np.errstate(invalid="ignore"):
            shortened = self.begins[k] + kept
        return np.where(inside, shortened, x) - self.removed[k]


@dataclass(frozen=True)
class ShortenedAxes:
    """Points with the long empty intervals of all three axes shortened."""

    axes: tuple[ShortenedAxis, ...]

    def __call__(self, points: FloatArray) -> FloatArray:
        """Shortened coordinates of points (n, 3)."""
        return np.stack([axis(points[:, k]) for k, axis in enumerate(self.axes)], axis=1)


def shorten_axes(points: FloatArray, length: float) -> ShortenedAxes:
    """Shorten to `length` every longer interval that contains no coordinate of points (n, 3)."""
    return ShortenedAxes(tuple(_empty_intervals(np.sort(column), length) for column in points.T))


def _empty_intervals(sorted_values: FloatArray, length: float) -> ShortenedAxis:
    steps = np.diff(sorted_values)
    wide = np.flatnonzero(steps > length)
    removed = np.concatenate([[0.0], np.cumsum(steps[wide] - length)])
    begins, ends = sorted_values[wide], sorted_values[wide + 1]
    return ShortenedAxis(np.append(begins, np.inf), np.append(ends, np.inf), removed, length)


def extent_of(points: FloatArray) -> FloatArray:
    """Sides of the bounding box, column by column: ten times faster than along axis 0."""
    return np.array([np.ptp(column) for column in points.T])


def grid_shape(
    extent: FloatArray, eps: float, ratio: float, width: int = WIDEST
) -> tuple[int, int, int]:
    """Shape of the grid over a box: its memory is known before it is built."""
    x, y, z = (int(length / (ratio * np.sqrt(eps))) + 2 * width + 4 for length in extent)
    return x, y, z + 4


def grid_size(extent: FloatArray, eps: float, ratio: float) -> float:
    """Grid points over a box of the given extent, at most."""
    return float(np.prod(extent / (ratio * np.sqrt(eps)) + 2.0 * WIDEST + 8.0))
