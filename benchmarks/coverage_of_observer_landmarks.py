"""Claim: landmarks come closer to those that observers place than other samplers' do.

Mean distance from each observer landmark to the nearest of the first L automatic ones, in units
of sqrt(area), over all specimens.
"""

import warnings

import numpy as np
from scipy.spatial import cKDTree
from specimens import specimens

from gplandmark import GplandmarkWarning, Settings, Surface, place, preset
from gplandmark.geometry import surface_area, voronoi_areas

COUNTS = (16, 22, 40)


def by_settings(settings):
    return lambda surface: place(surface, max(COUNTS), settings=settings).vertices


def farthest_point(surface: Surface) -> np.ndarray:
    """Each pick farthest from all before it, beginning with the point farthest from the centre."""
    distance = np.linalg.norm(surface.points - surface.points.mean(axis=0), axis=1)
    picks = [int(np.argmax(distance))]
    distance[:] = np.inf
    while len(picks) < max(COUNTS):
        gap = np.linalg.norm(surface.points - surface.points[picks[-1]], axis=1)
        distance = np.minimum(distance, gap)
        picks.append(int(np.argmax(distance)))
    return np.array(picks)


def by_area(surface: Surface) -> np.ndarray:
    areas = voronoi_areas(surface)
    random = np.random.default_rng(0)
    return random.choice(len(areas), max(COUNTS), replace=False, p=areas / areas.sum())


SAMPLERS = {
    "gplandmark, defaults": by_settings(Settings()),
    "the same, normal-cycle curvature": by_settings(Settings(curvature="normal-cycle")),
    "the same, angle-defect curvature": by_settings(Settings(curvature="angle-defect")),
    "the same, uniform weight": by_settings(Settings(weight="uniform")),
    "squared exponential kernel": by_settings(Settings(kernel="squared-exponential")),
    "authors' code": by_settings(preset("authors")),
    "authors' code, no curvature": by_settings(preset("authors-uniform")),
    "farthest-point sampling": farthest_point,
    "random, by area": by_area,
}


def coverage(surface: Surface, picks: np.ndarray, observed: np.ndarray) -> list[float]:
    size = np.sqrt(surface_area(surface))
    return [
        cKDTree(surface.points[picks[:count]]).query(observed)[0].mean() / size for count in COUNTS
    ]


def main() -> None:
    warnings.simplefilter("ignore", GplandmarkWarning)
    found = specimens()
    print(f"{len(found)} specimens, {len(found[0].observed)} observed landmarks each\n")
    print(f"{'':<34}" + "".join(f"{f'L = {count}':>10}" for count in COUNTS))
    for name, sampler in SAMPLERS.items():
        rows = [coverage(each.surface, sampler(each.surface), each.observed) for each in found]
        print(f"{name:<34}" + "".join(f"{value:>10.4f}" for value in np.mean(rows, axis=0)))


if __name__ == "__main__":
    main()
