"""Claim: kernel and selection are ten times faster than Algorithm 1 as written, in less memory.

150 landmarks on one tooth. Each contestant runs in its own process, so that its peak memory is
its own; the memory of the interpreter with its libraries and the mesh is subtracted.
"""

import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from gplandmark import Settings, select
from gplandmark.geometry import surface_area
from gplandmark.kernel import ReweightedKernel

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

COUNT = 150


def as_written(surface, masses, eps):
    """Algorithm 1 with the product under `diag` formed as written."""
    from reference import algorithm_1

    return algorithm_1(formed(surface.points, masses, eps), COUNT)[0]


def diagonal_only(surface, masses, eps):
    """Algorithm 1 with only the diagonal of that product computed."""
    kernel = formed(surface.points, masses, eps)
    trace, picks = np.diag(kernel), []
    score = trace
    while len(picks) < COUNT:
        picks.append(int(np.argmax(score)))
        psi = kernel[:, picks]
        score = trace - np.einsum("ij,ji->i", psi, np.linalg.solve(psi[picks], psi.T))
    return picks


def formed(points, masses, eps):
    """W^T Lambda W, formed as fast as NumPy can."""
    from scipy.spatial.distance import cdist

    heat = np.exp(-cdist(points, points, "sqeuclidean") / eps)
    return heat.T @ (masses[:, None] * heat)


def ours(surface, masses, eps):
    return select(ReweightedKernel(surface.points, masses, eps), COUNT).indices.tolist()


CONTESTANTS = {"as written": as_written, "diagonal only": diagonal_only, "gplandmark": ours}


def contest(name):
    """Time, memory in bytes above the start, and picks of one contestant."""
    from specimens import specimens

    surface = specimens(1)[0].surface
    eps = 0.008 * surface_area(surface)
    masses = Settings().masses(surface)
    start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    picks = CONTESTANTS[name](surface, masses, eps)
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(surface.vertex_count, seconds, (peak - start) * 1024, *picks)


def main() -> None:
    results = {}
    for name in CONTESTANTS:
        done = subprocess.run(
            [sys.executable, __file__, name], capture_output=True, text=True, check=True
        )
        count, seconds, memory, *picks = done.stdout.splitlines()[-1].split()
        results[name] = (int(count), float(seconds), float(memory), picks)
    count, _, _, expected = results["as written"]
    own_time = results["gplandmark"][1]
    print(f"{count} vertices, {COUNT} landmarks; one n x n matrix is {8 * count**2 / 1e6:.0f} MB\n")
    print(f"{'':<16}{'seconds':>9}{'ratio':>8}{'MB':>8}{'same picks':>12}")
    for name, (_, seconds, memory, picks) in results.items():
        same = sum(one == two for one, two in zip(picks, expected, strict=True))
        print(f"{name:<16}{seconds:>9.2f}{seconds / own_time:>8.1f}{memory / 1e6:>8.0f}{same:>12}")


if __name__ == "__main__":
    contest(sys.argv[1]) if len(sys.argv) > 1 else main()
