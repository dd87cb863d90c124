"""Ways to carry landmarks from a template to a target, each pair a job that any process can do."""

import multiprocessing
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from alpaca_steps import carried_by_alpaca
from landmarked_collections import Collection
from nearest_vertex_after_icp import carried_by_similarity
from threadpoolctl import threadpool_limits

from gplandmark import GplandmarkWarning, Surface, match_pair
from gplandmark.morphometrics.matching import Carried

OURS, ICP, ALPACA = "gplandmark", "similarity ICP", "ALPACA"
Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Outcome:
    """Landmarks on a target.

    Attributes
    ----------
    points : (k, 3) in the units of its file
    doubtful : (k,) whether the method itself doubts them; NaN where it does not say
    error, radius : (k,) the error that it expects, and how far nine tenths lie off at most
    """

    points: np.ndarray
    doubtful: np.ndarray
    error: np.ndarray
    radius: np.ndarray


def ours(source: Surface, target: Surface, points: np.ndarray) -> Outcome:
    return outcome(match_pair(source, target).carry(points))


def outcome(carried: Carried) -> Outcome:
    """Our landmarks; with expected errors where the version at hand tells them."""
    unknown = np.full(len(carried.points), np.nan)
    doubtful = carried.missing() | np.isnan(carried.points).any(axis=1)
    error, radius = (getattr(carried, name, unknown) for name in ("error", "radius"))
    return Outcome(carried.points, doubtful, error, radius)


def bare(carry: Callable[..., np.ndarray], *given: Any) -> Outcome:
    """Landmarks of a peer, which tells nothing about them."""
    points = carry(*given)
    unknown = np.full(len(points), np.nan)
    return Outcome(points, unknown, unknown, unknown)


def ways(each: Collection, ransac: int | None = None) -> dict[str, Callable[..., Outcome]]:
    """The ways by name; ALPACA's among them if the iterations of its random search are given."""
    icp = partial(carried_by_similarity, reflections=each.reflections)
    found: dict[str, Callable[..., Outcome]] = {OURS: ours, ICP: partial(bare, icp)}
    if ransac is not None:
        found[ALPACA] = partial(bare, partial(carried_by_alpaca, iterations=ransac))
    return found


def clocked(function: Callable[[Any], Any], job: Any) -> tuple[Any, float]:
    """The result of one job, in one thread, and the seconds of a core that it took."""
    warnings.simplefilter("ignore", GplandmarkWarning)
    start = time.process_time()
    with threadpool_limits(1):
        found = function(job)
    return found, time.process_time() - start


class Workers:
    """Does jobs in so many processes, results in order, and adds up the seconds of their cores."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.seconds = 0.0

    def __call__(self, function: Callable[[Any], Any], jobs: Sequence[Any]) -> list[Any]:
        """Results of all jobs."""
        clock = partial(clocked, function)
        if self.count == 1:
            done = [clock(job) for job in jobs]
        else:
            # New processes rather than copies: the toolkit's threads do not survive a copy.
            context = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(self.count, context) as pool:
                done = list(pool.map(clock, jobs))
        self.seconds += sum(seconds for _, seconds in done)
        return [found for found, _ in done]


def carry(job: tuple[Callable[..., Outcome], Surface, Surface, np.ndarray]) -> Outcome:
    way, *given = job
    return way(*given)


def carry_all(
    workers: Workers, each: Collection, way: Callable[..., Outcome], pairs: Sequence[Pair]
) -> tuple[dict[Pair, Outcome], float]:
    """Outcomes of pairs (template, target), and seconds of a core per pair."""
    before = workers.seconds
    jobs = [(way, each.surfaces[i], each.surfaces[j], each.points[i]) for i, j in pairs]
    found = dict(zip(pairs, workers(carry, jobs), strict=True))
    return found, (workers.seconds - before) / len(pairs)
