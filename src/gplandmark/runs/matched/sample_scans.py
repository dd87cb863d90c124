# SPDX-License-Identifier: MIT
"""Scans of a sample, wherever they are read: sampled once, and read again for their landmarks."""

import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gplandmark.errors import GplandmarkWarning, ScanError, SettingsError
from gplandmark.io.files import content_digest
from gplandmark.io.scans import read_cleaned, specimen_name
from gplandmark.io.scans.clean import Cleaned
from gplandmark.io.scans.not_bone import not_bone_digest, not_bone_file
from gplandmark.io.scans.rules import Rules
from gplandmark.io.volumes.volume_files import scan_files
from gplandmark.mesh import surface_area
from gplandmark.mesh.decimation import coarse_mesh
from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.matching.points import SampledSurface
from gplandmark.morphometrics.matching.sampling import sample_surface
from gplandmark.runs.discover import ScanFile
from gplandmark.runs.engine import Outcome
from gplandmark.runs.job_runner import JobRunner
from gplandmark.runs.place_request import Request, memory_for
from gplandmark.runs.reports.thresholds import threshold_file, volume_facts
from gplandmark.runs.stored_values import storable

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
    not_bone : SHA-256 of the list of what is not bone; None if there is none
    cleaned : what was read from it, if it was read
    """

    key: str
    sha256: str
    rules: Rules
    path: Path = field(compare=False)
    cleaned: Cleaned | None = field(default=None, compare=False, repr=False)
    not_bone: str | None = field(default=None, metadata={"later": True})

    @classmethod
    def of(cls, specimen: ScanFile, rules: Rules) -> "ScanSource":
        """The scan of a specimen; workers may be elsewhere, so that they need the whole path."""
        path, own = specimen.path.absolute(), specimen.rules(rules)
        not_bone = not_bone_digest(path, specimen_name(path, own.volume))
        return cls(specimen.key, content_digest(path) or "", own, path, not_bone=not_bone)

    def read(self) -> Cleaned:
        """Read and clean the scan, unless it was read.

        Raises
        ------
        ScanError
            It cannot be read, or the file is not what it was: what comes of it would be stored as
            something else.
        """
        if self.cleaned is not None:
            return self.cleaned
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GplandmarkWarning)  # the journal has them
            cleaned = read_cleaned(self.path, self.rules)
        source = cleaned.surface.source
        if source is None or (source.sha256, source.not_bone) != (self.sha256, self.not_bone):
            raise ScanError.of(
                self.path, "changed while it was matched. Run the same command again."
            )
        return cleaned

    def loaded(self) -> "ScanSource":
        """Return the scan with what is read from it, so that nobody reads it again."""
        return replace(self, cleaned=self.read())

    def files(self) -> list[Path]:
        """Return the files that reading it takes."""
        if self.cleaned:
            return []
        listed = not_bone_file(self.path, specimen_name(self.path, self.rules.volume))
        return [*scan_files(self.path), *([listed] if self.not_bone else [])]

    def moved(self, where: Mapping[Path, Path]) -> "ScanSource":
        """Return the scan in another place, if `where` names it."""
        return replace(self, path=where.get(self.path, self.path))


@storable("Ready")
@dataclass(frozen=True, eq=False)
class PreparedScan:
    """A specimen as it takes part in a sample, facts of its scan for the journal, and files.

    The file is the picture of the threshold of a volume, by its kind and extension.
    """

    specimen: SampledSurface
    facts: Mapping[str, Any]
    files: Mapping[str, bytes] = field(default_factory=dict)


def prepare_scan(scan: ScanSource) -> PreparedScan:
    """Read, clean and sample a scan; of a large one a coarser mesh is kept.

    Raises
    ------
    ScanError
        It cannot be read, or has no triangles or no area.
    """
    cleaned = scan.read()
    surface = named_after(scan, cleaned.surface)
    facts = {
        "sha256": scan.sha256,
        "vertices": cleaned.report.vertices,
        "repairs": cleaned.report.line(),
        "area": surface_area(surface),
        **volume_facts(scan.rules, cleaned),
        **({"not_bone": scan.not_bone} if scan.not_bone else {}),
    }
    threshold = threshold_file(cleaned.preview, surface.name)
    files = {} if threshold is None else {"thresholds.png": threshold}
    vertices, triangles = coarse_mesh(surface, LIGHT)
    light = Surface(
        surface.points[vertices], triangles, surface.name,
        source=surface.source, left_out=surface.left_out,
    )  # fmt: skip
    return PreparedScan(sample_surface(surface).with_surface(light), facts, files)


def named_after(scan: ScanSource, surface: Surface) -> Surface:
    """The surface of a scan under its key."""
    assert surface.source is not None
    source = replace(surface.source, path=scan.path.name)
    return replace(surface, name=scan.key, source=source)


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
    jobs: JobRunner,
    reference: str | None = None,
) -> PreparedScans:
    """Read, clean and sample every scan.

    The reference, if it is named, is read here and stays loaded for its landmarks.
    """
    scans = [ScanSource.of(each, rules) for each in specimens]
    for number, scan in enumerate(scans):
        if scan.key == reference:
            with suppress(ScanError):  # its job will say what is wrong
                scans[number] = scan.loaded()
    outcomes = {
        scans[number].key: outcome
        for number, outcome in jobs.outcomes(
            prepare_scan,
            scans,
            memory=[memory_to_read(scan) for scan in scans],
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
