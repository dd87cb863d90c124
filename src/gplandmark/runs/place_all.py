# SPDX-License-Identifier: MIT
"""Landmarks on many scans from Python: results as they come, files left to the caller."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from gplandmark.io.scans.rules import Rules
from gplandmark.landmarks import Landmarks, MethodSettings, Settings
from gplandmark.runs.engine import Job, Machines, run, start_workers
from gplandmark.runs.place_job import landmarks_on
from gplandmark.runs.place_request import Request, memory_for

__all__ = ["Placed", "place_all"]


@dataclass(frozen=True, eq=False)
class Placed:
    """What came of one scan.

    Attributes
    ----------
    path : of the scan
    landmarks : None if it failed
    reason : why it failed; empty if it did not
    seconds : that it took
    """

    path: Path
    landmarks: Landmarks | None
    reason: str = ""
    seconds: float = 0.0


def place_all(
    paths: Iterable[str | Path],
    count: int | None = None,
    *,
    settings: MethodSettings | None = None,
    target: float = 0.0,
    rules: Rules | None = None,
    between_vertices: bool = False,
    seed: int | None = None,
    machines: Machines | None = None,
    timeout: float | None = None,
) -> Iterator[Placed]:
    """Place landmarks on many scans side by side; yield each result as it comes, in any order.

    Parameters
    ----------
    paths : of scans, as for `gplandmark.read`
    count, settings, target, between_vertices, seed : as for `gplandmark.place`
    rules : how scans are cleaned
    machines : where the work is done; by default on every processor of this machine
    timeout : seconds after which a scan is given up

    A scan that fails, hangs or brings its process down is a result with a reason, and the others
    go on. Landmarks come back without their surface and cannot be continued: these are large.

    Raises
    ------
    ClusterError
        A scheduler or a cluster is asked for, and cannot be used.
    """
    request = Request(
        count,
        target,
        settings or Settings(),
        rules or Rules(),
        between_vertices=between_vertices,
        seed=seed,
    )
    wanted = [Path(path) for path in paths]
    jobs = [
        Job(number, (path.absolute(), request), memory_for(path, request))
        for number, path in enumerate(wanted)
    ]
    with start_workers(machines) as workers:
        for outcome in run(jobs, _landmarks, workers, timeout=timeout):
            assert isinstance(outcome.key, int)
            reason = "" if outcome.failure is None else outcome.failure.reason
            yield Placed(wanted[outcome.key], outcome.value, reason, outcome.seconds)


def _landmarks(asked: tuple[Path, Request]) -> Landmarks:
    return replace(landmarks_on(*asked)[1], state=None, surface=None)
