# SPDX-License-Identifier: MIT
"""The spanning tree of a sample as a drawing: who is like whom, from the reference outwards."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.html_page import safe

__all__ = ["MOST", "STYLE", "drawn_tree"]

MOST = 120  # specimens in one drawing
ROW, WIDTH, LETTER = 17.0, 420.0, 6.6  # pixels: of a row, of the longest branch, of a letter
STYLE = """
.tree text { font: 11.5px system-ui, sans-serif; fill: var(--ink); }
.tree path { fill: none; stroke: var(--soft); stroke-width: 1.2; }
.tree circle { fill: var(--accent); stroke: var(--accent); stroke-width: 1.4; }
.tree .mirrored { fill: var(--paper); }
"""


@dataclass(frozen=True)
class Place:
    """A specimen in the drawing: its number, row, way from the reference and where it hangs."""

    number: int
    row: int
    way: float
    parent: "Place | None" = None


def drawn_tree(
    names: Sequence[str],
    distances: FloatArray,
    tree: Sequence[tuple[int, int]],
    mirrored: Sequence[bool],
    reference: int,
) -> str:
    """One row for each specimen; to the right the way from the reference, along the tree."""
    places = list(_places(distances, tree, reference))
    longest = max((place.way for place in places), default=0.0) or 1.0
    widest = LETTER * max(map(len, names)) + 20
    scale = WIDTH / longest
    parts = [_branch(place, scale) for place in places]
    parts += [_leaf(place, names, distances, mirrored, scale) for place in places]
    return (
        f'<div class="wide"><svg class="tree" width="{WIDTH + widest:.0f}" '
        f'height="{ROW * len(places) + 6:.0f}" role="img" aria-label="Spanning tree">'
        f"{''.join(parts)}</svg></div>"
    )


def _places(
    distances: FloatArray, tree: Sequence[tuple[int, int]], reference: int
) -> Iterator[Place]:
    """Specimens from the top: each before those that hang on it, the nearest of them first."""
    beside: dict[int, list[int]] = {}
    for i, j in tree:
        beside.setdefault(i, []).append(j)
        beside.setdefault(j, []).append(i)
    waiting, row = [Place(reference, 0, 0.0)], 0
    while waiting:
        asked = waiting.pop()
        place = Place(asked.number, row, asked.way, asked.parent)
        row += 1
        yield place
        above = -1 if place.parent is None else place.parent.number
        others = [k for k in beside.get(place.number, ()) if k != above]
        for k in sorted(others, key=lambda k: -distances[place.number, k]):
            waiting.append(Place(k, 0, place.way + float(distances[place.number, k]), place))


def _branch(place: Place, scale: float) -> str:
    if place.parent is None:
        return ""
    x, y = _point(place.parent, scale)
    across, down = _point(place, scale)
    return f'<path d="M{x:.1f} {y:.1f}V{down:.1f}H{across:.1f}"/>'


def _leaf(
    place: Place,
    names: Sequence[str],
    distances: FloatArray,
    mirrored: Sequence[bool],
    scale: float,
) -> str:
    x, y = _point(place, scale)
    told = names[place.number]
    if place.parent is not None:
        away = distances[place.parent.number, place.number]
        told += f": {away:.3f} from {names[place.parent.number]}"
    kind = ' class="mirrored"' if mirrored[place.number] else ""
    return (
        f'<circle{kind} cx="{x:.1f}" cy="{y:.1f}" r="3.2"><title>{safe(told)}</title></circle>'
        f'<text x="{x + 7:.1f}" y="{y + 4:.1f}">{safe(names[place.number])}</text>'
    )


def _point(place: Place, scale: float) -> tuple[float, float]:
    return 6 + place.way * scale, ROW * (place.row + 0.5) + 3
