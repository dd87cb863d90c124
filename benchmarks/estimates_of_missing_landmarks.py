"""Claim: missing landmarks are estimated closer by the shapes of a sample than by a spline.

Experts' landmarks only, no surfaces. Each specimen in turn loses those beyond a random plane that
leaves a share of them; all others are complete. Ours (the conditional Gaussian distribution of
shapes) stands beside the thin-plate spline from the mean shape, and the mean shape itself, moved,
turned and scaled to what is left. Errors are in percent of centroid size. within: percent of
estimates within the radius that ours expects to hold 90 %.
"""

import argparse
import warnings

import numpy as np
from landmarked_collections import Collection, collection
from tables_of_errors import say_heads, say_row

from gplandmark import GplandmarkWarning, Landmarks
from gplandmark.morphometrics.analysis.missing_landmarks import estimate_missing
from gplandmark.morphometrics.analysis.procrustes import (
    generalised_procrustes,
    thin_plate_spline,
)
from gplandmark.numerics.rotations import apply_similarity

NAMES = ("teeth", "mandibles", "skulls")
SHARES = (0.8, 0.65, 0.5)


def known_beyond(points: np.ndarray, share: float, random: np.random.Generator) -> np.ndarray:
    """Which landmarks are left beyond a random plane, at least four."""
    heights = points @ random.normal(size=3)
    count = max(4, round(share * len(points)))
    return np.asarray(np.argsort(np.argsort(-heights)) < count)


def errors_of(each: Collection, share: float, seed: int) -> tuple[np.ndarray, ...]:
    """Errors of ours, the spline and the mean shape, and whether ours lie within their radius."""
    random = np.random.default_rng((seed, round(100 * share)))
    found: list[list[np.ndarray]] = [[], [], [], []]
    reflect = each.reflections
    for row, truth in enumerate(each.points):
        known = known_beyond(truth, share, random)
        left = np.where(known[:, None], truth, np.nan)
        shapes = [left if k == row else points for k, points in enumerate(each.points)]
        names = [surface.name for surface in each.surfaces]
        sets = [Landmarks.at(points, name) for points, name in zip(shapes, names, strict=True)]
        ours = estimate_missing(sets, reflect=reflect)
        others = [one for k, one in enumerate(sets) if k != row]
        mean = generalised_procrustes(others, reflect=reflect).consensus
        spline = thin_plate_spline(mean[~known], mean[known], truth[known], reflect=reflect)
        average = apply_similarity(mean[~known], mean[known], truth[known], reflect=reflect)
        size = np.linalg.norm(truth - truth.mean(axis=0)) / 100
        estimates = (ours.points[row, ~known], spline, average)
        for kept, estimate in zip(found, estimates, strict=False):
            kept.append(np.linalg.norm(estimate - truth[~known], axis=1) / size)
        radius = np.sqrt(np.log(10) * ours.variance[row, ~known]) / size
        found[3].append(found[0][-1] <= radius)
    return tuple(np.concatenate(values) for values in found)


def main() -> None:
    warnings.simplefilter("ignore", GplandmarkWarning)
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("names", nargs="*", metavar="collection", help=", ".join(NAMES))
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    say_heads("", ["ours", "spline", "mean shape", "within"])
    for name in asked.names or NAMES:
        each = collection(name)
        if each is None:
            continue
        for share in SHARES:
            ours, spline, average, within = errors_of(each, share, asked.seed)
            row = [ours.mean(), spline.mean(), average.mean(), 100 * within.mean()]
            say_row(f"{name}, {100 * share:.0f} % left", row, 2)


if __name__ == "__main__":
    main()
