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

With `--sample`, the fragment is matched as in a folder of `gplandmark match`: with all other
specimens of the collection, which are whole. The template's landmarks are carried over chains of
maps. Overlap is then the share of a whole specimen.
"""

import argparse
import hashlib
import pickle
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from broken_specimens import Fragment, broken
from landmarked_collections import Collection, collection
from tables_of_errors import distances, say_heads, say_row
from ways_to_carry import Workers

from gplandmark import GplandmarkWarning, Surface, match_pair
from gplandmark.morphometrics.matching import Carried
from gplandmark.morphometrics.matching.build_sample import extend_prepared, match_prepared
from gplandmark.morphometrics.matching.points import SampledSurface
from gplandmark.morphometrics.matching.sampling import sample_surface

NAMES = ("teeth", "mandibles", "skulls")
SHARES = (0.8, 0.65, 0.5)


@dataclass(frozen=True, eq=False)
class Trial:
    """One fragment, and the template whose landmarks are carried to it; their numbers, too."""

    template: Surface
    landmarks: np.ndarray
    target: Surface
    experts: np.ndarray
    numbers: tuple[int, int]
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
    overlap = np.nan if found.overlap is None else found.overlap
    return result_of(trial, part, (entire, carried), overlap, whole.overlap is None)


def result_of(
    trial: Trial, part: Fragment, carried: tuple[Carried, Carried], overlap: float, same: bool
) -> Result:
    """What was carried to the whole specimen and to the fragment, beside the experts' landmarks."""
    entire, left = carried
    return Result(
        distances(entire.points, trial.experts),
        distances(left.points, part.points),
        part.absent,
        left.missing(),
        entire.missing(),
        overlap,
        same,
    )


class Remembered:
    """Runs jobs, and remembers the results: samples that differ by one specimen share most."""

    def __init__(self, workers: Workers) -> None:
        self.workers, self.known = workers, {}

    def __call__(self, function: Callable[[Any], Any], jobs: Sequence[Any]) -> list[Any]:
        """Results of all jobs."""
        jobs = list(jobs)
        name = function.__qualname__
        keys = [(name, hashlib.sha256(pickle.dumps(job)).digest()) for job in jobs]
        new = {key: job for key, job in zip(keys, jobs, strict=True) if key not in self.known}
        self.known |= zip(new, self.workers(function, list(new.values())), strict=True)
        return [self.known[key] for key in keys]


def tried_in_sample(
    trial: Trial, specimens: Sequence[SampledSurface], reflections: bool, run: Remembered
) -> Result:
    """Match all others, add the specimen while it is whole, and as a fragment."""
    source, target = trial.numbers
    part = broken(trial.target, trial.experts, trial.share, trial.planes, trial.seed)
    others = [number for number in range(len(specimens)) if number != target]
    wholes = match_prepared([specimens[k] for k in others], reflections=reflections, run=run)
    (fragment,) = run(sample_surface, [part.surface])
    last, first = len(others), others.index(source)
    whole, found = (
        extend_prepared(wholes, added, run=run) for added in (specimens[target], fragment)
    )
    entire, carried = (each.carry(trial.landmarks, first, last) for each in (whole, found))
    fragment, same = found.specimens[last], not whole.specimens[last].is_fragment
    overlap = fragment.share if fragment.is_fragment else np.nan
    return result_of(trial, part, (entire, carried), overlap, same)


def results_of(
    each: Collection, asked: argparse.Namespace, share: float, workers: Workers, run: Remembered
) -> list[Result]:
    """Results of all trials of a collection and a share."""
    given = trials(each, asked.pairs, share, asked.seed)
    if not asked.sample:
        return workers(tried, given)
    specimens = run(sample_surface, each.surfaces)
    return [tried_in_sample(trial, specimens, each.reflections, run) for trial in given]


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
        found.append(Trial(*given, *asked, (source, target), share, 1 + number % 2, key))
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
    parser.add_argument("--sample", action="store_true", help="with all other specimens")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    asked = parser.parse_args()
    workers = Workers(asked.workers)
    run = Remembered(workers)
    heads = ["whole", "ratio", "all", "absent", "present", "before", "found", "overlap", "same"]
    say_heads("", heads)
    for name in asked.names or NAMES:
        each = collection(name)
        if each is None:
            continue
        for share in SHARES:
            results = results_of(each, asked, share, workers, run)
            say(f"{name}, {100 * share:.0f} %", results)


if __name__ == "__main__":
    main()
