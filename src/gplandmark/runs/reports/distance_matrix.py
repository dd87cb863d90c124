# SPDX-License-Identifier: MIT
"""How unlike the specimens are: all distances as a heat map, those alike side by side."""

from collections.abc import Sequence

import numpy as np

from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.visual.html_page import embedded, safe
from gplandmark.visual.pictures.image_files import palette_png, rgb

__all__ = ["MOST", "STYLE", "clustered", "heat_map"]

MOST = 400  # specimens in a heat map
NAMED = 60  # specimens whose names have room beside it
LETTERS, LETTER = 22, 6.2  # of a name that are shown, and pixels for each
COLOURS = ("#440154", "#3b528b", "#21918c", "#5ec962", "#fde725")  # alike to unlike
STEPS = 64
STYLE = """
.distances { display: block; max-width: none; } .distances image { image-rendering: pixelated; }
.distances text { font: 11px system-ui, sans-serif; fill: var(--ink); }
.distances rect { fill: transparent; } .distances rect:hover { stroke: var(--ink); }
"""


def clustered(distances: FloatArray) -> IndexArray:
    """Numbers of the specimens, ordered so that those alike stand side by side.

    Leaves of the tree of average linkage, turned so that neighbours are as near as they can be.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    if len(distances) < 3:
        return np.arange(len(distances))
    condensed = squareform((distances + distances.T) / 2, checks=False)
    return np.asarray(leaves_list(optimal_leaf_ordering(linkage(condensed, "average"), condensed)))


def heat_map(names: Sequence[str], distances: FloatArray) -> str:
    """Distances (n, n) as SVG; with names at the sides if they have room, and a scale below."""
    order = clustered(distances)
    table, count = distances[np.ix_(order, order)], len(order)
    ordered = [names[k] for k in order]
    cell = max(2.0, min(22.0, 13 + 120 / count)) if count <= NAMED else max(1.6, 640 / count)
    side, named = cell * count, count <= NAMED
    room = LETTER * min(LETTERS, max(map(len, ordered))) + 8 if named else 2.0
    low, high = _range(table)
    image = palette_png(_steps(table, low, high), _palette())
    parts = [
        f'<image x="{room:.0f}" y="{room:.0f}" width="{side:.1f}" height="{side:.1f}" '
        f'href="{embedded(image)}"/>'
    ]
    if named:
        parts += [_sides(ordered, room, cell), _titles(ordered, table, room, cell)]
    parts.append(_scale(low, high, room, room + side + 14))
    width, height = room + side + 4, room + side + 50
    return (
        f'<div class="wide"><svg class="distances" width="{max(width, room + 260):.0f}" '
        f'height="{height:.0f}" role="img" aria-label="Distances of all specimens">'
        f"{''.join(parts)}</svg></div>"
    )


def _range(table: FloatArray) -> tuple[float, float]:
    others = table[~np.eye(len(table), dtype=bool)]
    return float(others.min()), float(others.max())


def _steps(table: FloatArray, low: float, high: float) -> IndexArray:
    """Indices of the palette; the diagonal has the last one, which is transparent."""
    share = np.clip((table - low) / max(high - low, 1e-12), 0, 1)
    steps = np.round(share * (STEPS - 1)).astype(np.int64)
    np.fill_diagonal(steps, STEPS)
    return steps


def _palette() -> FloatArray:
    stops = np.array([rgb(colour) for colour in COLOURS])
    along = np.linspace(0, len(stops) - 1, STEPS)
    shades = [np.interp(along, np.arange(len(stops)), channel) for channel in stops.T]
    return np.vstack([np.column_stack([*shades, np.ones(STEPS)]), np.zeros(4)])


def _sides(names: Sequence[str], room: float, cell: float) -> str:
    parts = []
    for k, name in enumerate(names):
        text = safe(name if len(name) <= LETTERS else f"{name[: LETTERS - 1]}…")
        middle = room + (k + 0.5) * cell + 4
        parts.append(f'<text x="{room - 4:.0f}" y="{middle:.1f}" text-anchor="end">{text}</text>')
        parts.append(
            f'<text transform="translate({middle:.1f},{room - 4:.0f}) rotate(-90)">{text}</text>'
        )
    return "".join(parts)


def _titles(names: Sequence[str], table: FloatArray, room: float, cell: float) -> str:
    """Invisible squares that tell names and distance under the pointer."""
    return "".join(
        f'<rect x="{room + j * cell:.1f}" y="{room + i * cell:.1f}" width="{cell:.1f}" '
        f'height="{cell:.1f}"><title>{safe(one)}, {safe(two)}: {table[i, j]:.3f}</title></rect>'
        for i, one in enumerate(names)
        for j, two in enumerate(names)
        if i != j
    )


def _scale(low: float, high: float, x: float, y: float) -> str:
    image = palette_png(np.arange(STEPS)[None], _palette())
    return (
        f'<image x="{x:.0f}" y="{y:.0f}" width="180" height="10" preserveAspectRatio="none" '
        f'href="{embedded(image)}"/>'
        f'<text x="{x:.0f}" y="{y + 24:.0f}">{low:.3f} alike</text>'
        f'<text x="{x + 180:.0f}" y="{y + 24:.0f}" text-anchor="end">{high:.3f} unlike</text>'
    )
