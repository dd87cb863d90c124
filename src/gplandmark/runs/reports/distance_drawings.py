# SPDX-License-Identifier: MIT
"""Drawings of a sample: all distances as a heat map, and the tree of similarity."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.visual.html_page import embedded, safe
from gplandmark.visual.pictures.image_files import palette_png, rgb

MOST_IN_MATRIX = 400  # specimens in a heat map
NAMED = 60  # specimens whose names have room beside it
LETTERS, LETTER = 22, 6.2  # of a name that are shown, and pixels for each
COLOURS = ("#440154", "#3b528b", "#21918c", "#5ec962", "#fde725")  # alike to unlike
STEPS = 64
MATRIX_STYLE = """
.distances { display: block; max-width: none; } .distances image { image-rendering: pixelated; }
.distances text { font: 11px system-ui, sans-serif; fill: var(--ink); }
.distances rect { fill: transparent; } .distances rect:hover { stroke: var(--ink); }
"""


def clustered(distances: FloatArray) -> IndexArray:
    """Numbers of the specimens, ordered so that similar ones are side by side.

    Leaves of the tree of average linkage, turned so that neighbours are as near as they can be.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    if len(distances) < 3:
        return np.arange(len(distances))
    condensed = squareform((distances + distances.T) / 2, checks=False)
    return np.asarray(leaves_list(optimal_leaf_ordering(linkage(condensed, "average"), condensed)))


def distance_heat_map(names: Sequence[str], distances: FloatArray) -> str:
    """Distances (n, n) as SVG; with names at the sides if they have room, and a scale below."""
    order = clustered(distances)
    table, count = distances[np.ix_(order, order)], len(order)
    ordered = [names[k] for k in order]
    cell = max(2.0, min(22.0, 13 + 120 / count)) if count <= NAMED else max(1.6, 640 / count)
    side, named = cell * count, count <= NAMED
    room = LETTER * min(LETTERS, max(map(len, ordered))) + 8 if named else 2.0
    others = table[~np.eye(count, dtype=bool)]
    low, high = float(others.min()), float(others.max())
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


def _steps(table: FloatArray, low: float, high: float) -> IndexArray:
    """Indices of the palette; the diagonal has the last one, which is transparent."""
    fraction = np.clip((table - low) / max(high - low, 1e-12), 0, 1)
    steps = np.round(fraction * (STEPS - 1)).astype(np.int64)
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
    """Invisible cells that show names and distance under the pointer."""
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


MOST_IN_TREE = 120  # specimens in one drawing
ROW, WIDTH, NAME_LETTER = 17.0, 420.0, 6.6  # pixels: of a row, of the longest branch, of a letter
TREE_STYLE = """
.tree text { font: 11.5px system-ui, sans-serif; fill: var(--ink); }
.tree path { fill: none; stroke: var(--soft); stroke-width: 1.2; }
.tree circle { fill: var(--accent); stroke: var(--accent); stroke-width: 1.4; }
.tree .mirrored { fill: var(--paper); }
"""


@dataclass(frozen=True)
class TreeNode:
    """A specimen in the drawing: its number, row, way from the reference and where it hangs."""

    number: int
    row: int
    way: float
    parent: "TreeNode | None" = None


def draw_tree(
    names: Sequence[str],
    distances: FloatArray,
    tree: Sequence[tuple[int, int]],
    mirrored: Sequence[bool],
    reference: int,
) -> str:
    """One row for each specimen; to the right the way from the reference, along the tree."""
    places = list(_nodes(distances, tree, reference))
    longest = max((place.way for place in places), default=0.0) or 1.0
    widest = NAME_LETTER * max(map(len, names)) + 20
    scale = WIDTH / longest
    parts = [_branch(place, scale) for place in places]
    parts += [_node_mark(place, names, distances, mirrored, scale) for place in places]
    return (
        f'<div class="wide"><svg class="tree" width="{WIDTH + widest:.0f}" '
        f'height="{ROW * len(places) + 6:.0f}" role="img" aria-label="Spanning tree">'
        f"{''.join(parts)}</svg></div>"
    )


def _nodes(
    distances: FloatArray, tree: Sequence[tuple[int, int]], reference: int
) -> Iterator[TreeNode]:
    """Specimens from the top: each before those that hang on it, the nearest of them first."""
    beside: dict[int, list[int]] = {}
    for i, j in tree:
        beside.setdefault(i, []).append(j)
        beside.setdefault(j, []).append(i)
    waiting, row = [TreeNode(reference, 0, 0.0)], 0
    while waiting:
        asked = waiting.pop()
        place = TreeNode(asked.number, row, asked.way, asked.parent)
        row += 1
        yield place
        above = -1 if place.parent is None else place.parent.number
        others = [k for k in beside.get(place.number, ()) if k != above]
        for k in sorted(others, key=lambda k: -distances[place.number, k]):
            waiting.append(TreeNode(k, 0, place.way + float(distances[place.number, k]), place))


def _branch(place: TreeNode, scale: float) -> str:
    if place.parent is None:
        return ""
    x, y = _point(place.parent, scale)
    across, down = _point(place, scale)
    return f'<path d="M{x:.1f} {y:.1f}V{down:.1f}H{across:.1f}"/>'


def _node_mark(
    place: TreeNode,
    names: Sequence[str],
    distances: FloatArray,
    mirrored: Sequence[bool],
    scale: float,
) -> str:
    x, y = _point(place, scale)
    hovered = names[place.number]
    if place.parent is not None:
        away = distances[place.parent.number, place.number]
        hovered += f": {away:.3f} from {names[place.parent.number]}"
    kind = ' class="mirrored"' if mirrored[place.number] else ""
    return (
        f'<circle{kind} cx="{x:.1f}" cy="{y:.1f}" r="3.2"><title>{safe(hovered)}</title></circle>'
        f'<text x="{x + 7:.1f}" y="{y + 4:.1f}">{safe(names[place.number])}</text>'
    )


def _point(place: TreeNode, scale: float) -> tuple[float, float]:
    return 6 + place.way * scale, ROW * (place.row + 0.5) + 3
