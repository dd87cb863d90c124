# SPDX-License-Identifier: MIT
"""Variance curves as SVG, written by hand: no library, a few bytes for each specimen."""

from collections.abc import Iterable, Sequence

import numpy as np

from gplandmark.arrays import FloatArray

__all__ = ["chart", "decades_of", "sparkline"]

DEEPEST = 4  # powers of ten; a specimen with less left has no more to tell than that
MOST = 400  # curves in one chart; more are a blot
WIDTH, HEIGHT, LEFT, FOOT = 720, 300, 56, 34


def _height(shares: FloatArray, decades: float, height: float) -> FloatArray:
    """From a share of the variance to pixels from the top; 1 is at the top."""
    depth = np.abs(np.log10(np.clip(shares, 10.0**-decades, 1.0)))
    return np.asarray(depth / decades * height)


def decades_of(curves: Iterable[Sequence[float]]) -> float:
    """Return how many powers of ten the curves fall, at most."""
    lowest = min((value for curve in curves for value in curve if value > 0), default=0.1)
    return float(np.clip(np.ceil(-np.log10(lowest)), 1, DEEPEST))


def _points(curve: Sequence[float], most: int, decades: float, width: float, height: float) -> str:
    across = np.arange(len(curve)) / max(most - 1, 1) * width
    down = _height(np.array(curve, dtype=np.float64), decades, height)
    return " ".join(f"{x:.0f},{y:.0f}" for x, y in zip(across, down, strict=True))


def sparkline(curve: Sequence[float], decades: float) -> str:
    """A curve without axes, small enough for a cell of a table."""
    line = _points(curve, len(curve), decades, 90, 36)
    return f'<svg class="spark" viewBox="-1 -1 92 38"><polyline points="{line}"/></svg>'


def chart(curves: Sequence[Sequence[float]], marked: Sequence[bool]) -> str:
    """Curves with axes, those that are marked on top, and the median of all at each number.

    Of very many curves `MOST` are drawn, at most half of them marked ones, evenly taken.
    """
    most = max(map(len, curves))
    decades = decades_of(curves)
    width, height = WIDTH - LEFT - 10, HEIGHT - FOOT - 10
    plain = [number for number, mark in enumerate(marked) if not mark]
    on_top = _some([number for number, mark in enumerate(marked) if mark], MOST // 2)
    order = [*_some(plain, max(MOST - len(on_top), 1)), *on_top]
    lines = [
        f'<polyline class="{"marked" if marked[i] else "one"}" '
        f'points="{_points(curves[i], most, decades, width, height)}"/>'
        for i in order
    ]
    median = [
        float(np.median([curve[number] for curve in curves if number < len(curve)]))
        for number in range(most)
    ]
    lines.append(
        f'<polyline class="median" points="{_points(median, most, decades, width, height)}"/>'
    )
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'aria-label="Largest variance left against the number of landmarks">'
        f'<g transform="translate({LEFT},10)">{_axes(most, decades, width, height)}'
        f"{''.join(lines)}</g></svg>"
    )


def _some(numbers: Sequence[int], most: int) -> list[int]:
    """Return at most so many of them, from the first to the last."""
    if len(numbers) <= most:
        return list(numbers)
    return [numbers[place] for place in np.linspace(0, len(numbers) - 1, most).astype(int)]


def _axes(most: int, decades: float, width: float, height: float) -> str:
    parts = []
    for decade in range(int(decades) + 1):
        y = decade / decades * height
        parts.append(f'<line class="grid" x1="0" x2="{width}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(
            f'<text x="-6" y="{y + 4:.1f}" text-anchor="end">{100 / 10**decade:g} %</text>'
        )
    step = max(1, round((most - 1) / 8 / 5) * 5)
    for count in range(0, most, step):
        x = count / max(most - 1, 1) * width
        parts.append(f'<text x="{x:.1f}" y="{height + 16}" text-anchor="middle">{count}</text>')
    parts.append(
        f'<text x="{width / 2}" y="{height + 31}" text-anchor="middle">number of landmarks</text>'
    )
    return "".join(parts)
