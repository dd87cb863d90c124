"""Claim: on 100,000 vertices with 50 landmarks, a landmark is moved at once.

The variance at every vertex after a move, by `Design` and from scratch, kernel columns included.
"Drag" moves the landmark that was moved last, "first" the one whose row comes first, which costs
most. The largest difference between the two is relative to the largest variance before any
landmark; the drift is that after 300 moves.
"""

import time

import numpy as np
from specimens import specimens, subdivided

from gplandmark import Design, Surface, covariance, make_molar, place
from gplandmark.gp.conditioning import whiten
from gplandmark.gp.kernels import Kernel

COUNT = 50
MOVES = 20
LONG = 300


def seconds(design: Design, moves: list[tuple[int, int]]) -> float:
    """Median time of a move."""
    times = []
    for old, new in moves:
        began = time.perf_counter()
        design.move(old, new)
        times.append(time.perf_counter() - began)
    return float(np.median(times))


def from_scratch(kernel: Kernel, landmarks: np.ndarray) -> float:
    began = time.perf_counter()
    whiten(kernel, landmarks)
    return time.perf_counter() - began


def error(kernel: Kernel, design: Design) -> float:
    exact = whiten(kernel, design.landmarks).variance
    return float(np.abs(design.variance - exact).max() / kernel.diagonal().max())


def measure(surface: Surface) -> None:
    kernel = covariance(surface)
    random = np.random.default_rng(0)
    start = surface.vertices_of(place(surface, COUNT).vertices)
    free = np.setdiff1d(np.arange(surface.vertex_count), start)
    places = random.choice(free, 2 * MOVES, replace=False).tolist()
    design = Design(kernel, start)
    # The landmark whose row comes first is the one that was not moved for the longest time.
    first = seconds(design, list(zip(start[:MOVES].tolist(), places[:MOVES], strict=True)))
    drag = seconds(design, list(zip(places[MOVES - 1 : -1], places[MOVES:], strict=True)))
    scratch = min(from_scratch(kernel, design.landmarks) for _ in range(3))
    soon = error(kernel, design)
    for _ in range(LONG):
        free = np.setdiff1d(np.arange(surface.vertex_count), design.landmarks)
        design.move(int(random.choice(design.landmarks)), int(random.choice(free)))
    print(f"{surface.name}, {surface.vertex_count:,} vertices, {COUNT} landmarks")
    print(f"{'':<14}{'ms':>8}{'of scratch':>12}")
    print(f"{'from scratch':<14}{1e3 * scratch:>8.1f}{1:>12.3f}")
    print(f"{'move, first':<14}{1e3 * first:>8.1f}{first / scratch:>12.3f}")
    print(f"{'move, drag':<14}{1e3 * drag:>8.1f}{drag / scratch:>12.3f}")
    print(f"largest difference {soon:.1e}, after {LONG} moves {error(kernel, design):.1e}")


def main() -> None:
    measure(subdivided(specimens(1)[0].surface, 2))
    measure(make_molar(0, vertex_count=100_000).surface)


if __name__ == "__main__":
    main()
