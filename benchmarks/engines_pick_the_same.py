"""Claim: the field engine picks the landmarks of exact sums, at every bandwidth.

150 landmarks on every tooth and heel bone at hand, default weights. "agree" counts picks up to the
first that differs; the gap there is the difference of the two exact variances, as a share of the
initial one, and should be below the stated noise floor.
"""

import warnings

import numpy as np
from specimens import FOLDER, specimens

from gplandmark import GplandmarkWarning, Surface, read, select
from gplandmark.gp.kernels import FieldKernel, ReweightedKernel
from gplandmark.landmarks import masses as masses_of
from gplandmark.mesh import surface_area

COUNT = 150
FRACTIONS = (0.0031, 0.008, 0.03)


def compare(surface: Surface, fraction: float) -> tuple[int, float]:
    """Number of picks before the first difference, and the gap of exact variances there."""
    masses, eps = masses_of(surface), fraction * surface_area(surface)
    field = select(FieldKernel.of(surface.points, masses, eps), COUNT).indices
    exact = ReweightedKernel(surface.points, masses, eps)
    direct = select(exact, COUNT)
    same = min(len(field), len(direct.indices))
    differs = np.flatnonzero(field[:same] != direct.indices[:same])
    if len(differs) == 0:
        return same, 0.0
    first = int(differs[0])
    variance = select(exact, first).variance
    gap = variance[direct.indices[first]] - variance[field[first]]
    return first, float(gap / direct.initial)


def main() -> None:
    warnings.simplefilter("ignore", GplandmarkWarning)
    surfaces = [each.surface for each in specimens()]
    surfaces += [read(path) for path in sorted((FOLDER / "data" / "calcaneus").glob("*.ply"))]
    print(f"{'':<20}" + "".join(f"{f'eps = {fraction} area':>24}" for fraction in FRACTIONS))
    totals = np.zeros(len(FRACTIONS), dtype=int)
    for surface in surfaces:
        results = [compare(surface, fraction) for fraction in FRACTIONS]
        totals += [agree == COUNT for agree, _ in results]
        cells = [f"{agree} agree" + (f", gap {gap:.0e}" if gap else "") for agree, gap in results]
        print(f"{surface.name:<20}" + "".join(f"{cell:>24}" for cell in cells), flush=True)
    print(f"{'all 150 agree':<20}" + "".join(f"{f'{n} of {len(surfaces)}':>24}" for n in totals))


if __name__ == "__main__":
    main()
