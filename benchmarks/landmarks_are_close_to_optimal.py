"""Claim: no other choice could do much better, and landmarks give the surface back.

Default settings on each specimen. "greedy" is the largest distance sqrt(v_n) after n landmarks,
relative to its start; "ratio" divides it by a lower bound for any n functions whatever, "random"
by that of randomly pivoted Cholesky, mean of five. "rms" and "largest" are the errors of the
surface kriged from its own landmarks, relative to sqrt(area). The last columns are the rates of
the exponential and the power law fitted from 20 landmarks on, with their R^2.
"""

import warnings

import numpy as np
from specimens import specimens

from gplandmark import GplandmarkWarning, Surface, covariance, reconstruct, select
from gplandmark.gp.selection import randomly_pivoted
from gplandmark.gp.theory import fit_decay, oracle_bounds, variance_history
from gplandmark.mesh import voronoi_areas

COUNTS = np.array([10, 20, 40, 80, 160])
SEEDS = 5


def measure(surface: Surface) -> np.ndarray:
    """Columns of the table, one row for each count; then the decay."""
    kernel = covariance(surface)
    landmarks = select(kernel, int(COUNTS[-1])).indices
    areas = voronoi_areas(surface)
    history = variance_history(kernel, landmarks, areas)
    oracle = oracle_bounds(kernel, len(landmarks), areas, rank=3 * len(landmarks))
    chance = [
        variance_history(kernel, randomly_pivoted(kernel, int(COUNTS[-1]), seed).indices).largest
        for seed in range(SEEDS)
    ]
    rebuilt = reconstruct(surface, kernel, landmarks, COUNTS)
    greedy = np.sqrt(history.largest)
    random = np.mean(np.sqrt(chance), axis=0)
    decay = fit_decay(history.largest[20:], 20)
    fits = (decay.exponential, decay.power)
    return np.column_stack(
        [
            (greedy / greedy[0])[COUNTS],
            np.sqrt(history.largest / oracle.lower)[COUNTS],
            (random / greedy)[COUNTS],
            rebuilt.rms,
            rebuilt.largest,
            *[np.full(len(COUNTS), number) for fit in fits for number in vars(fit).values()],
        ]
    )


def main() -> None:
    warnings.simplefilter("ignore", GplandmarkWarning)
    tables = np.array([measure(each.surface) for each in specimens(6)])
    mean = tables.mean(axis=0)
    print(f"mean over {len(tables)} specimens")
    print(f"{'n':>4}{'greedy':>9}{'ratio':>8}{'random':>8}{'rms':>9}{'largest':>9}")
    for count, row in zip(COUNTS, mean, strict=True):
        print(f"{count:>4}{row[0]:>9.3f}{row[1]:>8.2f}{row[2]:>8.2f}{row[3]:>9.4f}{row[4]:>9.4f}")
    exponential, power = mean[0, 5:9], mean[0, 9:13]
    print(f"exponential: rate {exponential[0]:.4f}, R^2 {exponential[3]:.4f}")
    print(f"power law:   rate {power[0]:.4f}, R^2 {power[3]:.4f}")


if __name__ == "__main__":
    main()
