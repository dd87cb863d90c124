"""Claim: landmarks come closer to those that observers place than other samplers' do.

Mean distance from each observer landmark to the nearest of the first L automatic ones, in units
of sqrt(area), over all specimens.
"""

import warnings

import numpy as np
from scipy.spatial import cKDTree
from specimens import specimens

from gplandmark import GplandmarkWarning, Settings, Surface, place, preset
from gplandmark.landmarks.baselines import SAMPLERS
from gplandmark.mesh import surface_area

COUNTS = (16, 22, 40)


def by_settings(settings):
    return lambda surface: surface.vertices_of(
        place(surface, max(COUNTS), settings=settings).vertices
    )


def by_sampler(sampler):
    return lambda surface: surface.vertices_of(sampler(surface, max(COUNTS)).vertices)


METHODS = {
    "gplandmark, defaults": by_settings(Settings()),
    "the same, quadric curvature": by_settings(Settings(curvature="quadric")),
    "the same, angle-defect curvature": by_settings(Settings(curvature="angle-defect")),
    **{
        f"the same, bandwidth {fraction}": by_settings(Settings(bandwidth=fraction))
        for fraction in (0.004, 0.006, 0.011, 0.016, 0.03)
    },
    "the same, uniform weight": by_settings(Settings(weight="uniform")),
    "squared exponential kernel": by_settings(Settings(kernel="squared-exponential")),
    "authors' code": by_settings(preset("authors")),
    "authors' code, no curvature": by_settings(preset("authors-uniform")),
    **{name: by_sampler(sampler) for name, sampler in SAMPLERS.items()},
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
    for name, sampler in METHODS.items():
        rows = [coverage(each.surface, sampler(each.surface), each.observed) for each in found]
        print(f"{name:<34}" + "".join(f"{value:>10.4f}" for value in np.mean(rows, axis=0)))


if __name__ == "__main__":
    main()
