# SPDX-License-Identifier: MIT
"""Volumes as scans: the surface in a CT scan or a label map, with the file that it came from."""

from pathlib import Path

from gplandmark.errors import ScanError
from gplandmark.io.files import content_digest
from gplandmark.io.scans.content import Scan
from gplandmark.io.volumes.options import VolumeOptions
from gplandmark.io.volumes.volume_files import scan_files
from gplandmark.mesh.surface import Source, frozen
from gplandmark.numerics.threads import in_background

NUMBERING = "vertices of the isosurface, in the order of the voxels, from 0"


def read_volume_scan(path: Path, name: str, options: VolumeOptions | None) -> Scan:
    """Read a volume, a file or a folder of slices, and make its surface.

    Raises
    ------
    ScanError
        It cannot be read, or has no surface.
    """
    from gplandmark.io.volumes.volume_surface import volume_surface

    before = _states(path)
    digest = in_background(lambda: content_digest(path))
    found = volume_surface(path, options)
    sha256 = digest()
    if sha256 is None or _states(path) != before:
        raise ScanError.of(path, "changed while it was read. Wait until it is written, then again.")
    source = Source(str(path), sha256, NUMBERING, system="LPS", volume=found.about)
    points, triangles = frozen(found.points), frozen(found.triangles)
    return Scan(points, triangles, name, source, found.notes, found.preview)


def _states(path: Path) -> list[tuple[Path, int, int]]:
    """Sizes and times of the files of a volume."""
    try:
        found = [(each, each.stat()) for each in scan_files(path)]
    except OSError:
        return []  # reading it says what is wrong
    return [(each, state.st_size, state.st_mtime_ns) for each, state in found]
