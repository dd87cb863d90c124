"""Claim: the error of carried landmarks belongs to specimens, hardly to the maps between them.

Landmarks are carried between all specimens of a collection by direct maps. In the common pose and
in units of size, the error of a landmark from specimen i to j is taken as

    e_ij = o_j - o_i + m_ij.

o_j is where the expert put the landmark on j, relative to the place that the maps agree upon: the
expert's own scatter, and homology that form does not show. m_ij is what remains: where the maps
contradict each other. By least squares o_j = sum_i (e_ij - e_ji) / (2 n).

error: mean error of all pairs; specimens: mean of |o_j - o_i|, which would remain if no map
contradicted another; maps: root mean square of m_ij, for its degrees of freedom; endless: mean of
|o_j|, the error of a mean over endlessly many annotated specimens, if o_j cannot be told from form.
In mm; of teeth and heel bones in sqrt(area).

    python benchmarks/errors_of_maps_and_specimens.py calcanei skulls --workers 2
    python benchmarks/errors_of_maps_and_specimens.py mandibles --specimens 20
"""

import argparse
import warnings
from itertools import combinations, permutations

import numpy as np
from landmarked_collections import READERS, collection
from tables_of_errors import say_heads, say_row
from ways_to_carry import Workers

from gplandmark import GplandmarkWarning
from gplandmark.morphometrics.matching import SampleMatch
from gplandmark.morphometrics.matching.build_sample import align_prepared
from gplandmark.morphometrics.matching.sample_maps import with_maps
from gplandmark.morphometrics.matching.sampling import sample_surface

ACROSS_SPECIES = ("teeth", "calcanei")


def errors_of_pairs(sample: SampleMatch, experts: np.ndarray) -> np.ndarray:
    """Errors (n, n, m, 3) from the first to the second, in the common pose and units of size."""
    count = len(sample)
    found = np.zeros((count, count, *experts.shape[1:]))
    for i, j in permutations(range(count), 2):
        carried = sample.direct_route(i, j).carry(experts[i]).points
        found[i, j] = (carried - experts[j]) / sample.specimens[j].size @ sample.poses[j].rotation
    return found


def by_specimen(errors: np.ndarray) -> np.ndarray:
    """Displacements o_j (n, m, 3) of specimens, by least squares over all pairs."""
    return (errors.sum(axis=0) - errors.sum(axis=1)) / (2 * len(errors))


def parts(errors: np.ndarray, scales: np.ndarray) -> list[float]:
    """A row of the table. `scales` (n,) are the sizes in the unit of the table."""
    count = len(errors)
    pairs = ~np.eye(count, dtype=bool)
    own = by_specimen(errors)
    apart = own[None] - own[:, None]
    lengths, between, left = (
        (np.linalg.norm(each, axis=3) * scales[None, :, None])[pairs]
        for each in (errors, apart, errors - apart)
    )
    freedom = pairs.sum() / (pairs.sum() - count + 1)
    alone = np.linalg.norm(own, axis=2) * scales[:, None]
    return [
        lengths.mean(),
        between.mean(),
        np.sqrt((left**2).mean() * freedom),
        np.sqrt(count / (count - 1)) * alone.mean(),
    ]


def main() -> None:
    warnings.simplefilter("ignore", GplandmarkWarning)
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("names", nargs="*", metavar="collection", help=", ".join(READERS))
    parser.add_argument("--specimens", type=int, help="only so many, evenly spaced")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    asked = parser.parse_args()
    run = Workers(asked.workers)
    say_heads("", ["error", "specimens", "maps", "endless"])
    for name in asked.names or READERS:
        given = collection(name)
        if given is None:
            continue
        count = min(asked.specimens or len(given), len(given))
        chosen = np.linspace(0, len(given) - 1, count).round().astype(int)
        specimens = run(sample_surface, [given.surfaces[k] for k in chosen])
        sample = align_prepared(specimens, reflections=given.reflections, run=run)
        sample = with_maps(sample, combinations(range(count), 2), run=run)
        areas = np.array([each.root_area for each in sample.specimens])
        scales = np.array([each.size for each in sample.specimens])
        if name in ACROSS_SPECIES:
            scales = scales / areas
        errors = errors_of_pairs(sample, given.points[chosen].astype(float))
        say_row(f"{given.name}, {count}", parts(errors, scales))


if __name__ == "__main__":
    main()
