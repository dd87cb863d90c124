"""Claim: where a rim is only where the scan ends, the paper's Dirichlet condition serves best.

For each kernel and boundary condition: coverage, the mean distance from each observer landmark to
the nearest of the first L automatic ones; and how far landmarks lie from the open rim, on
average, and what share of them lies within 0.03 of it. Lengths in units of sqrt(area).
"""

import sys
import tempfile
import warnings

import numpy as np
from coverage_of_observer_landmarks import COUNTS, coverage
from scipy.spatial import cKDTree
from specimens import Specimen, specimens

from gplandmark import GplandmarkWarning, Settings, place
from gplandmark.mesh import boundary_vertices, cached_in, surface_area

METHODS = {
    "reweighted, in space": Settings(),
    "reweighted-heat, Neumann": Settings(kernel="reweighted-heat", boundary="neumann"),
    "reweighted-heat, Dirichlet": Settings(kernel="reweighted-heat"),
    "heat, Neumann": Settings(kernel="heat", boundary="neumann"),
    "heat, Dirichlet": Settings(kernel="heat"),
}
NEAR = 0.03


def rim_distances(surface, points: np.ndarray) -> np.ndarray:
    """Distance of points to the nearest vertex of the open rim, in units of sqrt(area)."""
    rim = surface.points[boundary_vertices(surface)]
    return cKDTree(rim).query(points)[0] / np.sqrt(surface_area(surface))


def row(each: Specimen, settings: Settings) -> list[float]:
    placed = place(each.surface, max(COUNTS), settings=settings)
    picks = each.surface.vertices_of(placed.vertices)
    away = rim_distances(each.surface, each.surface.points[picks])
    return [*coverage(each.surface, picks, each.observed), away.mean(), (away < NEAR).mean()]


def main() -> None:
    warnings.simplefilter("ignore", GplandmarkWarning)
    found = specimens(int(sys.argv[1]) if len(sys.argv) > 1 else None)
    titles = [*(f"L = {count}" for count in COUNTS), "from rim", "at rim"]
    print(f"{len(found)} specimens\n\n{'':<28}" + "".join(f"{title:>10}" for title in titles))
    observed = [rim_distances(each.surface, each.observed) for each in found]
    near = np.mean([(away < NEAR).mean() for away in observed])
    print(f"{'observers':<28}{'':>30}{np.mean(observed):>10.4f}{near:>10.4f}")
    with tempfile.TemporaryDirectory() as folder, cached_in(folder):
        for name, settings in METHODS.items():
            rows = [row(each, settings) for each in found]
            print(f"{name:<28}" + "".join(f"{value:>10.4f}" for value in np.mean(rows, axis=0)))


if __name__ == "__main__":
    main()
