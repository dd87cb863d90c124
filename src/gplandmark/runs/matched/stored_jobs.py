# SPDX-License-Identifier: MIT
"""Keys of stored results: the function, everything that decides its result, and our version."""

import hashlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from importlib.metadata import version
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gplandmark.errors import ClusterError
from gplandmark.runs.engine import Job, Outcome, StopRequest, Workers, run
from gplandmark.runs.matched.store import Store

# Names of classes in keys stay what they are when a class is renamed.
STORED_NAMES = {"ScanSource": "Scan"}
# Points and surfaces take part in many jobs and never change.
_KNOWN: WeakKeyDictionary[Any, bytes] = WeakKeyDictionary()


def job_key(function: Callable[[Any], Any], job: Any) -> str:
    """Return a SHA-256 that is the same for equal jobs, in every process and on every machine.

    Fields of dataclasses that do not take part in comparisons do not count, e.g. the path of a
    file whose content does.
    """
    name = f"{version('gplandmark')} {function.__qualname__}"  # wherever the function lives
    return hashlib.sha256(name.encode() + _digest(job)).hexdigest()


def content_key(value: Any) -> str:
    """Return a SHA-256 of a value alone, which does not change with the version."""
    return _digest(value).hex()


def _digest(value: Any) -> bytes:
    lasts = is_dataclass(value) and type(value).__hash__ is object.__hash__
    if lasts and value in _KNOWN:
        return _KNOWN[value]
    content = hashlib.sha256()
    for part in _parts(value):
        content.update(len(part).to_bytes(8, "little"))
        content.update(part)
    if lasts:
        _KNOWN[value] = content.digest()
    return content.digest()


def _parts(value: Any) -> Iterator[bytes]:
    """Type and content of a value, in pieces; of those that hold others, the digests of these."""
    yield STORED_NAMES.get(type(value).__name__, type(value).__name__).encode()
    if isinstance(value, np.ndarray):
        yield f"{value.dtype.str} {value.shape}".encode()
        yield value.tobytes()
    elif isinstance(value, (tuple, list)):
        yield from map(_digest, value)
    elif is_dataclass(value) or isinstance(value, Mapping):
        for name, each in _named(value):
            yield name.encode()
            yield _digest(each)
    elif value is None or isinstance(value, (bool, int, float, str, np.generic)):
        yield repr(value).encode()
    else:
        raise TypeError(f"A job cannot hold a {type(value).__name__}: {value!r}")


def _named(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return sorted((str(name), each) for name, each in value.items())
    return [(each.name, getattr(value, each.name)) for each in fields(value) if each.compare]


class StoppedError(Exception):
    """Somebody asked to stop; what is finished is in the store."""


def ignore_progress(stage: str, done: int, total: int) -> None:
    """Do nothing with how far a stage is."""


@dataclass(frozen=True, eq=False)
class StoredJobs:
    """Where the jobs of a sample are done, and what is kept of them.

    Attributes
    ----------
    store : results by job_key
    workers : workers; None for this process
    stop : whether somebody asked to stop
    progress : called with the name of the function, how many jobs of it are done, and of how many
    """

    store: Store
    workers: Workers | None = None
    stop: StopRequest = field(default_factory=StopRequest)
    progress: Callable[[str, int, int], None] = ignore_progress

    def values(self, function: Callable[[Any], Any], jobs: Sequence[Any]) -> list[Any]:
        """Call a function on every job, and return the results in order.

        Raises
        ------
        ClusterError
            A job failed, which none of these does by itself.
        StoppedError
            Somebody asked to stop.
        """
        found: dict[int, Any] = {}
        for number, outcome in self.outcomes(function, jobs):
            if not outcome.is_done:
                raise ClusterError(
                    f"A part of the work failed ({function.__name__}): {outcome.reason}"
                )
            found[number] = outcome.value
        return [found[number] for number in range(len(jobs))]

    def outcomes(
        self,
        function: Callable[[Any], Any],
        jobs: Sequence[Any],
        *,
        memory: Sequence[int] = (),
        prepare: Callable[[Any], Any] | None = None,
        timeout: float | None = None,
    ) -> Generator[tuple[int, Outcome], None, None]:
        """Yield the number and the outcome of every job, in any order; those known come first.

        `memory`, `prepare` and `timeout` are as of `gplandmark.runs.engine`.

        Raises
        ------
        StoppedError
            Somebody asked to stop, and jobs are left.
        """
        names = [job_key(function, job) for job in jobs]
        left: list[Job] = []
        done = 0
        for number, name in enumerate(names):
            known = self.store.get(name)
            if known is None:
                left.append(Job(number, jobs[number], memory[number] if memory else 0))
                continue
            done += 1
            yield number, Outcome(number, known["value"], seconds=known["seconds"])
        self.progress(function.__name__, done, len(jobs))
        for outcome in run(
            left, function, self.workers, timeout=timeout, stop=self.stop, prepare=prepare
        ):
            number = int(str(outcome.key))
            if outcome.is_done:
                kept = {"value": outcome.value, "seconds": outcome.seconds}
                self.store.put(names[number], kept)
            done += 1
            self.progress(function.__name__, done, len(jobs))
            yield number, outcome
        if done < len(jobs):
            raise StoppedError
