# SPDX-License-Identifier: MIT
"""A scan of a sample, wherever it is read: sampled once, and read again to land on it."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gplandmark.errors import GplandmarkError, ScanError
from gplandmark.io.scans import read_cleaned
from gplandmark.io.scans.rules import Rules
from gplandmark.mesh import surface_area
from gplandmark.mesh.decimation import coarse_mesh
from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.matching.points import Sampled
from gplandmark.morphometrics.matching.sampling import prepare

__all__ = ["Ready", "Scan", "read_scan", "sample_scan", "with_content"]

LIGHT = 30_000  # vertices of the mesh that stands for a specimen between its maps


@dataclass(frozen=True)
class Scan:
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


@dataclass(frozen=True, eq=False)
class Ready:
    """A specimen as it takes part in a sample, and what the books keep of its scan."""

    specimen: Sampled
    facts: Mapping[str, Any]


def sample_scan(scan: Scan) -> Ready:
    """Read, clean and sample a scan; of a large one a coarser mesh is kept.

    Raises
    ------
    ScanError
        It cannot be read, or has no triangles or no area.
    """
    with _at_hand(scan) as path:
        cleaned = read_cleaned(path, scan.rules)
    surface = _named(scan, cleaned.surface)
    facts = {
        "sha256": scan.sha256,
        "vertices": cleaned.report.vertices,
        "repairs": cleaned.report.line(),
        "area": surface_area(surface),
    }
    sampled = prepare(surface)
    return Ready(replace(sampled, surface=_lightened(surface)), facts)


def read_scan(scan: Scan) -> Surface:
    """Read and clean a scan once more, whole."""
    with _at_hand(scan) as path:
        return _named(scan, read_cleaned(path, scan.rules).surface)


def _named(scan: Scan, surface: Surface) -> Surface:
    """The surface under its key, from the very file that was asked for, wherever that lies.

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


def with_content(scan: Scan) -> Scan:
    """Return the scan with the content of its file; one that cannot be read is not sent."""
    with suppress(OSError):
        return replace(scan, content=scan.path.read_bytes())
    return scan


def _lightened(surface: Surface) -> Surface:
    """Only points, triangles and name: of a large surface a coarser mesh."""
    vertices, triangles = coarse_mesh(surface, LIGHT)
    return Surface(surface.points[vertices], triangles, surface.name, source=surface.source)


@contextmanager
def _at_hand(scan: Scan) -> Iterator[Path]:
    """Yield a path of the file here; messages name the one where it really lies."""
    if scan.content is None:
        yield scan.path
        return
    with tempfile.TemporaryDirectory() as folder:
        local = Path(folder) / scan.path.name
        local.write_bytes(scan.content)
        with GplandmarkError.about(scan.path, instead_of=local):
            yield local
