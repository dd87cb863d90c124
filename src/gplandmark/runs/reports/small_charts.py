# SPDX-License-Identifier: MIT
"""Variance curves as SVG, written by hand: no library, a few bytes for each specimen."""

from collections.abc import Iterable, Sequence

import numpy as np

from gplandmark.landmarks import Landmarks
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.visual.pictures import CLASS_COLOURS, render
from gplandmark.visual.pictures.image_files import SHADES, bone_palette, in_shades, palette_png, rgb

__all__ = ["THUMBNAIL_WIDTH", "chart", "decades_of", "sparkline", "thumbnail"]

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


THUMBNAIL_WIDTH = 160  # pixels, and the largest height
RADIUS = 2.3  # pixels, of a landmark
MARKS = [(*rgb(colour), 1.0) for colour in CLASS_COLOURS.values()]


def thumbnail(surface: Surface, landmarks: Landmarks) -> bytes | None:
    """Return a PNG of at most 160 x 160 pixels; None for points outside space.

    The surface has the colour of bone, landmarks those of their class; hidden ones are left out.
    """
    if surface.points.shape[1] != 3:
        return None
    pixels, places = _drawn(surface, landmarks.points)
    kinds = list(CLASS_COLOURS)
    for number, (row, column) in enumerate(places):
        kind = kinds.index(landmarks.classes[number]) if landmarks.classes else 0
        if row >= 0:
            _dot(pixels, row, column, SHADES + 1 + kind)
    return palette_png(pixels, np.vstack([bone_palette(), MARKS]))


def _drawn(surface: Surface, points: FloatArray) -> tuple[IndexArray, IndexArray]:
    """Shades of a surface as indices of the palette, and where landmarks show; -1 if hidden."""
    picture = render(surface, width=THUMBNAIL_WIDTH, samples=1)
    height, width = picture.depth.shape
    if height > THUMBNAIL_WIDTH:  # seen upright: as high as others are wide
        picture = render(
            surface, picture.camera, width=max(1, THUMBNAIL_WIDTH * width // height), samples=1
        )
    places = np.where(picture.shows(points)[:, None], picture.pixels(points), -1)
    return in_shades(picture), places


def _dot(pixels: IndexArray, row: int, column: int, index: int) -> None:
    reach = int(RADIUS)
    height, width = pixels.shape
    rows = np.arange(max(0, row - reach), min(height, row + reach + 1))
    columns = np.arange(max(0, column - reach), min(width, column + reach + 1))
    inside = (rows[:, None] - row) ** 2 + (columns - column) ** 2 <= RADIUS**2
    block = pixels[np.ix_(rows, columns)]
    pixels[np.ix_(rows, columns)] = np.where(inside, index, block)
