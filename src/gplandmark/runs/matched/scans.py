# SPDX-License-Identifier: MIT
"""Scans of a sample, wherever they are read: sampled once, and read again for their landmarks."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gplandmark.errors import GplandmarkError, ScanError, SettingsError
from gplandmark.io.files import content_digest
from gplandmark.io.scans import read_cleaned
from gplandmark.io.scans.rules import Rules
from gplandmark.mesh import surface_area
from gplandmark.mesh.decimation import coarse_mesh
from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.matching.points import SampledSurface
from gplandmark.morphometrics.matching.sampling import sample_surface
from gplandmark.runs.discover import ScanFile
from gplandmark.runs.engine import Outcome
from gplandmark.runs.matched.store import storable
from gplandmark.runs.matched.stored_jobs import StoredJobs
from gplandmark.runs.place_request import Request, memory_for

LIGHT = 30_000  # vertices of the mesh that represents a specimen between its maps


@dataclass(frozen=True)
class ScanSource:
    """A scan to be read; what it is known by is its key, its content and the rules of cleaning.

    Attributes
    ----------
    key : of the specimen, which becomes the name of the surface
    sha256 : of the file
    rules : how it is cleaned
    path : where it lies
    content : of the file, for a worker that cannot see it
    """

    key: str
    sha256: str
    rules: Rules
    path: Path = field(compare=False)
    content: bytes | None = field(default=None, compare=False, repr=False)


@storable("Ready")
@dataclass(frozen=True, eq=False)
class PreparedScan:
    """A specimen as it takes part in a sample, and facts of its scan for the journal."""

    specimen: SampledSurface
    facts: Mapping[str, Any]


def prepare_scan(scan: ScanSource) -> PreparedScan:
    """Read, clean and sample a scan; of a large one a coarser mesh is kept.

    Raises
    ------
    ScanError
        It cannot be read, or has no triangles or no area.
    """
    with _at_hand(scan) as path:
        cleaned = read_cleaned(path, scan.rules)
    surface = named_after(scan, cleaned.surface)
    facts = {
        "sha256": scan.sha256,
        "vertices": cleaned.report.vertices,
        "repairs": cleaned.report.line(),
        "area": surface_area(surface),
    }
    vertices, triangles = coarse_mesh(surface, LIGHT)
    light = Surface(surface.points[vertices], triangles, surface.name, source=surface.source)
    return PreparedScan(replace(sample_surface(surface), surface=light), facts)


def read_full_scan(scan: ScanSource) -> Surface:
    """Read and clean a scan once more, whole."""
    with _at_hand(scan) as path:
        return named_after(scan, read_cleaned(path, scan.rules).surface)


def named_after(scan: ScanSource, surface: Surface) -> Surface:
    """The surface of a scan under its key; its file must be the one that was asked for.

    Raises
    ------
    ScanError
        The file is not what it was: what comes of it would be kept as something else.
    """
    assert surface.source is not None
    if surface.source.sha256 != scan.sha256:
        raise ScanError(f"{scan.path} changed while it was matched. Run the same command again.")
    source = replace(surface.source, path=scan.path.name)
    return replace(surface, name=scan.key, source=source)


def with_content(scan: ScanSource) -> ScanSource:
    """Return the scan with the content of its file; one that cannot be read is not sent."""
    with suppress(OSError):
        return replace(scan, content=scan.path.read_bytes())
    return scan


@contextmanager
def _at_hand(scan: ScanSource) -> Iterator[Path]:
    """Yield a path of the file here; messages name the one where it really lies."""
    if scan.content is None:
        yield scan.path
        return
    with tempfile.TemporaryDirectory() as folder:
        local = Path(folder) / scan.path.name
        local.write_bytes(scan.content)
        with GplandmarkError.about(scan.path, instead_of=local):
            yield local


@dataclass(frozen=True, eq=False)
class PreparedScans:
    """What came of the scans, by the keys of their specimens.

    Attributes
    ----------
    scans, ready : those that could be read
    failed : how the others ended
    """

    scans: Mapping[str, ScanSource]
    ready: Mapping[str, PreparedScan]
    failed: Mapping[str, Outcome]

    def check(self, reference: str | None) -> None:
        """Refuse to go on without any specimen, or without the one that is the reference.

        Raises
        ------
        SettingsError
            There is nothing to match.
        """
        if not self.ready:
            first = next(iter(self.failed.values()), None)
            why = f" The first: {first.reason}" if first else ""
            raise SettingsError(f"No scan could be read, so that there is nothing to match.{why}")
        if reference is not None and (failed := self.failed.get(reference)):
            raise SettingsError(f"The reference {reference} could not be read: {failed.reason}")


def prepare_scans(
    specimens: Sequence[ScanFile],
    rules: Rules,
    jobs: StoredJobs,
    *,
    send: bool = False,
    timeout: float | None = None,
) -> PreparedScans:
    """Read, clean and sample every scan; `send` their contents to workers that cannot see them.

    One that takes longer than `timeout` seconds is given up.
    """
    scans = [
        # workers may be elsewhere, so that they need the whole path
        ScanSource(each.key, content_digest(each.path) or "", rules, each.path.absolute())
        for each in specimens
    ]
    outcomes = {
        scans[number].key: outcome
        for number, outcome in jobs.outcomes(
            prepare_scan,
            scans,
            memory=[memory_to_read(scan) for scan in scans],
            prepare=with_content if send else None,
            timeout=timeout,
        )
    }
    good = [scan for scan in scans if outcomes[scan.key].is_done]
    return PreparedScans(
        {scan.key: scan for scan in good},
        {scan.key: outcomes[scan.key].value for scan in good},
        {scan.key: outcomes[scan.key] for scan in scans if not outcomes[scan.key].is_done},
    )


def memory_to_read(scan: ScanSource) -> int:
    """Bytes that a scan may take, with few landmarks on it."""
    return memory_for(scan.path, Request(count=1))
