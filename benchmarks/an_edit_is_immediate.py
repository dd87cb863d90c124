"""Claim: after an edit the variance on the whole surface is there at once.

Median time from an edit of 50 landmarks to the new variance at every vertex, and the share of it
in the time that it takes to place the same number anew on the same surface, kernel included.
"Look back" is the variance given the first 25 landmarks, "curve" the variance after each of them.
"""

import time
from collections.abc import Callable

import numpy as np
from specimens import specimens, subdivided

from gplandmark import Surface, make_molar, place
from gplandmark.visual.editor import Editor

COUNT = 50
ROUNDS = 15


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def measure(surface: Surface) -> None:
    anew = min(seconds(lambda: place(fresh(surface), COUNT)) for _ in range(3))
    editor = Editor(surface, place(surface, COUNT))
    random = np.random.default_rng(0)
    times: dict[str, list[float]] = {}

    def timed(name: str, edit: Callable[[], object]) -> None:
        times.setdefault(name, []).append(seconds(lambda: (edit(), editor.variance())))

    editor.variance()
    editor.at(surface.points[0] + 1e-3)  # the first click builds a tree
    for _ in range(ROUNDS):
        points = surface.points[random.choice(surface.vertex_count, 3)]
        some = int(random.integers(COUNT))
        timed("add", lambda point=points[0]: editor.add(point))
        timed("undo an addition", editor.undo)
        timed("move", lambda at=some, point=points[1]: editor.move(at, point))
        timed("undo a move", editor.undo)
        timed("delete", lambda at=some: editor.delete(at))
        timed("undo a deletion", editor.undo)
    for _ in range(ROUNDS):
        times.setdefault("look back", []).append(seconds(lambda: editor.variance(COUNT // 2)))
        times.setdefault("curve", []).append(seconds(editor.curve))
    print(f"{surface.name}, {surface.vertex_count:,} vertices, {COUNT} landmarks")
    print(f"{'':<18}{'ms':>8}{'of placing':>12}")
    print(f"{'place anew':<18}{1e3 * anew:>8.1f}{1:>12.3f}")
    for name, each in times.items():
        print(f"{name:<18}{1e3 * np.median(each):>8.1f}{np.median(each) / anew:>12.3f}")


def fresh(surface: Surface) -> Surface:
    """The same surface, of which nothing is remembered."""
    return Surface(surface.points, surface.triangles, surface.name)


def main() -> None:
    measure(specimens(1)[0].surface)
    measure(subdivided(specimens(1)[0].surface, 2))
    measure(make_molar(0, vertex_count=100_000).surface)


if __name__ == "__main__":
    main()
