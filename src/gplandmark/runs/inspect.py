# SPDX-License-Identifier: MIT
"""Scans looked at before the work: size, shape, defects, and a verdict for each."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from gplandmark.errors import ScanError
from gplandmark.io.scans.defects import double_areas
from gplandmark.io.scans.read import read_cleaned
from gplandmark.io.scans.rules import Report, Rules
from gplandmark.io.scans.sizes import memory_of_job
from gplandmark.io.scans.topology import Topology, topology
from gplandmark.mesh.surface import Surface
from gplandmark.mesh.suspicious_regions import RegionKind, suspicious_regions
from gplandmark.runs.engine import Job, Workers, run
from gplandmark.runs.reports.unusual_specimens import times_from_median

Verdict: TypeAlias = Literal["clean", "suspicious", "mended", "flawed", "refused"]

UNLIKE_SIZE = 5.0  # times larger or smaller than the others: another unit, or another animal
VERTEX_BYTES = 1_000  # that looking at a scan may take


@dataclass(frozen=True)
class Suspicion:
    """A region of a scan that a person should look at: see `suspicious_regions`.

    The share is of the area; centre and vertex, the nearest to it, are those of the file.
    """

    kind: RegionKind
    share: float
    centre: tuple[float, ...]
    vertex: int


@dataclass(frozen=True)
class Inspection:
    """What one scan is like, as far as it can be read.

    Attributes
    ----------
    path : the file
    verdict : "clean"; "suspicious" if it has no defects, but regions that may not be bone;
        "mended" if cleaning changed anything; "flawed" if it only found what it keeps; or "refused"
    reason : why it is refused
    report : what cleaning found and did
    area : of the cleaned surface, in squared units of the file; None for a cloud
    size : (3,) its extent along the axes, in units of the file
    topology : of the cleaned surface
    system : coordinate system that the file names, if any
    suspicions : regions that may not be bone, the largest first
    """

    path: str
    verdict: Verdict
    reason: str | None = None
    report: Report | None = None
    area: float | None = None
    size: tuple[float, ...] = ()
    topology: Topology | None = None
    system: str | None = None
    suspicions: tuple[Suspicion, ...] = ()

    @property
    def diagonal(self) -> float:
        """Diagonal of the box around the surface, in units of the file."""
        return float(np.linalg.norm(self.size))

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain dictionaries and lists, ready for JSON."""
        content = asdict(self)
        content["size"] = list(self.size)
        content["suspicions"] = [asdict(each) for each in self.suspicions]
        content["report"] = None if self.report is None else self.report.as_dict()
        return content


def inspect_scan(path: str | Path, rules: Rules | None = None) -> Inspection:
    """Look at one scan; what cannot be read is said in the result, not raised."""
    try:
        cleaned = read_cleaned(path, rules)
    except ScanError as error:
        return Inspection(str(path), "refused", str(error))
    surface, report = cleaned.surface, cleaned.report
    has_faces = surface.triangles is not None
    is_volume = surface.source is not None and bool(surface.source.volume)
    suspicions = _suspicions(surface)
    verdict: Verdict = "suspicious" if suspicions else "clean"
    # how a volume was cut is told, and no flaw
    if report.findings if is_volume else report.line():
        verdict = "flawed"
    return Inspection(
        str(path),
        "mended" if any(each.action != "kept" for each in report.findings) else verdict,
        report=report,
        area=float(double_areas(surface.points, surface.faces()).sum() / 2) if has_faces else None,
        size=tuple(np.ptp(surface.points, axis=0).tolist()),
        topology=topology(surface) if has_faces else None,
        system=surface.system,
        suspicions=suspicions,
    )


def _suspicions(surface: Surface) -> tuple[Suspicion, ...]:
    return tuple(
        Suspicion(
            each.kind,
            each.share,
            tuple(each.centre.tolist()),
            int(surface.in_file(np.array([each.nearest]))[0]),
        )
        for each in suspicious_regions(surface)
    )


def inspect_all(
    paths: Sequence[Path], rules: Rules | None = None, workers: Workers | None = None
) -> list[Inspection]:
    """Look at scans, side by side if there are workers; one that ends its process is refused."""
    look = partial(inspect_scan, rules=rules)
    if workers is None:
        return [look(path) for path in paths]
    jobs = [Job(number, path, _memory(path)) for number, path in enumerate(paths)]
    found = {
        outcome.key: outcome.value
        if outcome.is_done
        else Inspection(str(paths[int(str(outcome.key))]), "refused", outcome.reason)
        for outcome in run(jobs, look, workers)
    }
    return [found[number] for number in range(len(paths))]


def _memory(path: Path) -> int:
    return memory_of_job(path, VERTEX_BYTES)


def of_unlike_size(inspections: Sequence[Inspection]) -> list[str]:
    """Say which scans are of quite another size than the rest: perhaps of another unit."""
    read = [each for each in inspections if each.verdict != "refused" and each.diagonal > 0]
    sentences = []
    for each, times in zip(read, times_from_median([each.diagonal for each in read]), strict=True):
        factor, which = max(times, 1 / times), "larger" if times > 1 else "smaller"
        if factor > UNLIKE_SIZE:
            sentences.append(
                f"{each.path} is {factor:,.3g} times {which} than the middle of these scans. "
                "It may be in other units."
            )
    return sentences
