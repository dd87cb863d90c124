# SPDX-License-Identifier: MIT
"""Reading scans: find the format, read it, clean it, and report what was done."""

import hashlib
import logging
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from gplandmark.errors import ScanError, warn
from gplandmark.io.scans.clean import Cleaned, clean
from gplandmark.io.scans.content import MARK, Content, DamagedError, Scan
from gplandmark.io.scans.file_bytes import (
    IS_FOLDER,
    STANDARD_INPUT,
    decompress,
    file_bytes,
    file_view,
    guess_extension,
    standard_input,
)
from gplandmark.io.scans.gltf import read_gltf
from gplandmark.io.scans.names import NAMELESS, is_compressed, specimen_name
from gplandmark.io.scans.not_bone import with_not_bone
from gplandmark.io.scans.obj import read_obj
from gplandmark.io.scans.off import read_off
from gplandmark.io.scans.ply import ply_vertex_properties, read_ply
from gplandmark.io.scans.point_tables import POINT_READERS
from gplandmark.io.scans.rules import Rules
from gplandmark.io.scans.stl import read_stl
from gplandmark.io.scans.volume_scans import read_volume_scan
from gplandmark.io.scans.vtk import read_vtk
from gplandmark.io.scans.vtp import read_vtp
from gplandmark.io.volumes.options import VolumeOptions
from gplandmark.io.volumes.volume_files import EXTENSIONS as VOLUME_EXTENSIONS
from gplandmark.io.volumes.volume_files import (
    is_volume,
    is_volume_file,
    is_volume_folder,
)
from gplandmark.mesh.surface import Source, Surface, frozen
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arguments import path_of
from gplandmark.numerics.threads import in_background

MESH_READERS: Mapping[str, Callable[[bytes], Content]] = {
    ".ply": read_ply,
    ".obj": read_obj,
    ".stl": read_stl,
    ".off": read_off,
    ".vtk": read_vtk,
    ".vtp": read_vtp,
}
LOG = logging.getLogger(__name__)
SCENES = (".glb", ".gltf")
MESH_EXTENSIONS = (*MESH_READERS, *SCENES)
EXTENSIONS = (*MESH_EXTENSIONS, *POINT_READERS, *VOLUME_EXTENSIONS)


def read(path: str | Path, rules: Rules | None = None) -> Surface:
    """Read one specimen: a surface, or a bare cloud of points, cleaned by rules.

    Surfaces come from PLY, OBJ, STL, OFF, VTK, VTP, GLB and GLTF files, points from XYZ, CSV and
    NPY files, and from meshes without faces; the result then has no triangles. Each of them may be
    compressed (``tooth.ply.gz``). The path ``-`` is the standard input, whose format is guessed.
    Volumes (NRRD, NIfTI, MetaImage, TIFF, or a folder of DICOM or TIFF slices) need the extra
    ``volumes``. Their surface is at Otsu's threshold unless `Rules.volume` says otherwise.

    Coordinates are those of the file. Vertices that cleaning leaves out are missing from the
    surface; `Surface.numbers` then has the file's numbers of the others, and everything that
    names vertices outside, like `Landmarks.vertices`, uses those. A warning says what was done.

    STL files hold loose triangles and no vertex numbers: corners with exactly equal coordinates
    are welded into one vertex, and `Surface.source.numbering` says so.

    Raises
    ------
    ScanError
        The file is missing or unreadable, its extension is unknown, its content is not what the
        extension says, a rule refuses it, or it holds neither a surface nor a cloud of points.
    """
    cleaned = read_cleaned(path, rules)
    if rules is not None and rules.volume is not None and cleaned.preview is None:
        warn(f"{path} is not a volume, so that a threshold, a label or smoothing change nothing.")
    LOG.info("%s: %d vertices", path, cleaned.surface.vertex_count)
    if line := cleaned.report.line():
        left = cleaned.report.vertices - cleaned.report.vertices_kept
        rest = (
            f" {left:,} of its {cleaned.report.vertices:,} vertices are left out." if left else ""
        )
        warn(f"{path}: {line}.{rest}")
    return cleaned.surface


def read_cleaned(path: str | Path, rules: Rules | None = None) -> Cleaned:
    """Read and clean one specimen without a warning; the report says what was done."""
    scan = read_scan(path, None if rules is None else rules.volume)
    if rules is None or rules.not_bone is None:
        scan = with_not_bone(scan, path)
    with ScanError.about(path, instead_of=scan.name):
        return clean(scan, rules)


def read_scan(path: str | Path, volume: VolumeOptions | None = None) -> Scan:
    """Read what a file holds, unchanged; `volume` says how one becomes a surface."""
    if str(path) == STANDARD_INPUT:
        content = standard_input()
        if content.startswith(b"\x1f\x8b"):
            content = decompress(content, "The standard input")
        return scan_of(content, guess_extension(content), Path(NAMELESS))
    path = path_of(path, ScanError)
    if is_volume(path):
        return read_volume_scan(path, specimen_name(path, volume), volume)
    extension = _extension(path)
    if is_compressed(path):
        return scan_of(decompress(file_bytes(path), str(path)), extension, path)
    return scan_of(file_view(path) if extension == ".ply" else file_bytes(path), extension, path)


def is_mesh(path: Path) -> bool:
    """Tell by its name whether a file holds a mesh, compressed or not."""
    return _has_extension(path, MESH_EXTENSIONS)


def is_scan(path: Path) -> bool:
    """Whether a file or folder inside a folder is a scan: a mesh or a volume.

    Tables and arrays may be anything else, and count only where they are named themselves.
    """
    return is_mesh(path) or (is_volume_folder(path) if path.is_dir() else is_volume_file(path))


def _has_extension(path: Path, extensions: str | tuple[str, ...]) -> bool:
    """Whether a name, without the extension of a compressed file, ends in one of these."""
    return path.name.lower().removesuffix(".gz").endswith(extensions)


def scan_of(content: bytes | memoryview, extension: str, path: Path) -> Scan:
    """Read the bytes of a file with a known extension."""
    name = specimen_name(path)
    if re.fullmatch(rb"(?:%s)?\s*" % MARK, content):
        raise ScanError.of(path, "is empty. Export the scan again.")
    digest = in_background(lambda: hashlib.sha256(content).hexdigest())
    if extension in POINT_READERS:
        points = POINT_READERS[extension](bytes(content), str(path))
        return Scan(points, None, name, Source(str(path), digest()))
    found = _mesh(content, extension, path)
    if len(found.points) == 0:
        raise ScanError.of(path, "has no vertices; a surface needs at least 4. Export it again.")
    notes = found.notes
    triangles = frozen(found.triangles) if len(found.triangles) else None
    if triangles is None and extension != ".ply":  # PLY is a common format of point clouds
        count = len(found.points)
        notes += (f"{count:,} vertices but no faces; it is read as a cloud of points",)
    source = Source(str(path), digest(), found.numbering, system=found.system)
    return Scan(frozen(found.points), triangles, name, source, notes)


def _mesh(content: bytes | memoryview, extension: str, path: Path) -> Content:
    try:
        if extension == ".ply":
            return read_ply(content)
        content = bytes(content)  # no copy of what is bytes already
        if extension != ".stl":  # a binary one may begin with any bytes
            content = content.removeprefix(MARK)
        return read_gltf(content, path) if extension in SCENES else MESH_READERS[extension](content)
    except DamagedError as error:
        raise ScanError.of(
            path, f"cannot be read as {extension[1:].upper()}: {error}. Export the scan again."
        ) from None
    except Exception as error:  # a reader meets anything in a damaged file
        raise ScanError.of(
            path,
            f"cannot be read as {extension[1:].upper()}. It may be damaged, cut short or "
            "another kind of file; export the scan again.",
        ) from error


def _extension(path: Path) -> str:
    inner = path.with_suffix("") if is_compressed(path) else path
    extension = inner.suffix.lower()
    if path.is_dir():
        raise ScanError.of(path, IS_FOLDER)
    if is_compressed(path) and extension in VOLUME_EXTENSIONS:
        raise ScanError.of(path, "is a compressed volume. Decompress it first.")
    if not extension and not path.exists():
        raise ScanError("there is no such file or folder. Check the name.", path)
    if extension not in EXTENSIONS:
        known = ", ".join(known.removeprefix(".").upper() for known in EXTENSIONS)
        raise ScanError(
            f"scans with the extension '{inner.suffix}' cannot be read. Export one of {known}.",
            path,
        )
    return extension


def vertex_properties(path: str | Path) -> Mapping[str, npt.NDArray[Any]]:
    """Properties of the vertices of a PLY file by name, each of shape (n,); integers stay such.

    Ascii and binary files, of both byte orders, also compressed. Lists are left out. Here n counts
    all vertices of the file; `Surface.from_file` gives those that cleaning kept.

    Raises
    ------
    ScanError
        The file is missing, no PLY, or damaged; or it is the standard input.
    """
    path = Path(path)
    if str(path) == STANDARD_INPUT:
        raise ScanError(
            "Colours and properties of vertices are read from a file, and this scan comes through "
            "the standard input. Save it as a PLY file, and name that."
        )
    if not _has_extension(path, ".ply"):
        raise ScanError(
            "colours and properties of vertices are read from PLY files only. "
            "Export the scan as PLY.",
            path,
        )
    content = file_bytes(path)
    content = decompress(content, str(path)) if is_compressed(path) else content
    try:
        return ply_vertex_properties(content)
    except DamagedError as error:
        raise ScanError.of(
            path, f"cannot be read as PLY: {error}. Export the scan again."
        ) from None
