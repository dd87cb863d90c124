"""Claim: landmarks are carried to a fragment nearly as well as to the whole specimen.

Specimens are cut by one or two random planes to 80, 65 and 50 % of their area, a third of them made
rough or bitten, and turned. Experts' landmarks of a whole template are carried to the fragment, and
to the same specimen while it was whole. Landmarks on what was removed must be missing.

whole: mean error on whole specimens, in units of the files; ratio: mean error of landmarks that are
present and were not marked missing, over that of the same ones on the whole specimen; all: with
those that were; absent, present: percent of the absent and of the present landmarks that were
marked missing; before: of the present ones on the same specimen while it was whole; found: percent
of fragments that were recognised; overlap: mean share of the template that they were found to
cover; same: percent of whole specimens not taken for a fragment.
"""

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from broken_specimens import broken
from landmarked_collections import Collection, collection
from tables_of_errors import distances, say_heads, say_row
from ways_to_carry import Workers

from gplandmark import GplandmarkWarning, Surface, match_pair

NAMES = ("teeth", "mandibles", "skulls")
SHARES = (0.8, 0.65, 0.5)


@dataclass(frozen=True, eq=False)
class Trial:
    """One fragment, and the template whose landmarks are carried to it."""

    template: Surface
    landmarks: np.ndarray
    target: Surface
    experts: np.ndarray
    share: float
    planes: int
    seed: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Result:
    """Errors (k,) on the whole and on the fragment; which are absent, and which marked missing.

    `before` are those that are marked missing on the whole specimen.

    `overlap` is the share of the template that the fragment was found to cover, NaN if it was not
    recognised, and `same` whether the whole specimen was not taken for one.
    """

    whole: np.ndarray
    fragment: np.ndarray
    absent: np.ndarray
    missing: np.ndarray
    before: np.ndarray
    overlap: float
    same: bool


def tried(trial: Trial) -> Result:
    part = broken(trial.target, trial.experts, trial.share, trial.planes, trial.seed)
    whole = match_pair(trial.template, trial.target)
    found = match_pair(trial.template, part.surface)
    carried = found.carry(trial.landmarks)
    entire = whole.carry(trial.landmarks)
    return Result(
        distances(entire.points, trial.experts),
        distances(carried.points, part.points),
        part.absent,
        carried.missing(),
        entire.missing(),
        np.nan if found.overlap is None else found.overlap,
        whole.overlap is None,
    )


def trials(each: Collection, count: int, share: float, seed: int) -> list[Trial]:
    """Random pairs of a template and a target; every second target is cut by two planes."""
    random = np.random.default_rng((seed, round(100 * share)))
    found = []
    for number in range(count):
        source = int(random.choice(each.templates or range(len(each))))
        target = int(random.choice([k for k in range(len(each)) if k != source]))
        given = each.surfaces[source], each.points[source]
        asked = each.surfaces[target], each.points[target]
        key = (seed, round(100 * share), number)
        found.append(Trial(*given, *asked, share, 1 + number % 2, key))
    return found


def joined(results: Sequence[Result], name: str) -> np.ndarray:
    return np.concatenate([getattr(each, name) for each in results])


def say(name: str, results: Sequence[Result]) -> None:
    whole, fragment = joined(results, "whole"), joined(results, "fragment")
    absent, missing = joined(results, "absent"), joined(results, "missing")
    overlaps = np.array([each.overlap for each in results])
    known = np.isfinite(overlaps)
    there, kept = ~absent, ~absent & ~missing
    row = [
        whole[there].mean(),
        fragment[kept].mean() / whole[kept].mean() if kept.any() else np.nan,
        fragment[there].mean() / whole[there].mean(),
        100 * missing[absent].mean(),
        100 * missing[there].mean(),
        100 * joined(results, "before")[there].mean(),
        100 * known.mean(),
        overlaps[known].mean() if known.any() else np.nan,
        100 * np.mean([each.same for each in results]),
    ]
    say_row(name, row, 3)


def main() -> None:
    warnings.simplefilter("ignore", GplandmarkWarning)
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("names", nargs="*", metavar="collection", help=", ".join(NAMES))
    parser.add_argument("--pairs", type=int, default=8, help="of each collection and share")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1, help="processes")
    asked = parser.parse_args()
    workers = Workers(asked.workers)
    heads = ["whole", "ratio", "all", "absent", "present", "before", "found", "overlap", "same"]
    say_heads("", heads)
    for name in asked.names or NAMES:
        each = collection(name)
        if each is None:
            continue
        for share in SHARES:
            results = workers(tried, trials(each, asked.pairs, share, asked.seed))
            say(f"{name}, {100 * share:.0f} %", results)


if __name__ == "__main__":
    main()
