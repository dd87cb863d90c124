# SPDX-License-Identifier: MIT
"""Which files and folders are volumes, and which files belong to one; by names and first bytes.

Nothing here needs a library: folders are searched in installations that cannot read volumes, too.
"""

import os
import re
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

from gplandmark.errors import ScanError

NAMED = (".nrrd", ".nhdr", ".nii", ".nii.gz", ".mha", ".mhd")
TIFF = (".tif", ".tiff")
DICOM = (".dcm", ".dicom", ".ima")
EXTENSIONS = (*NAMED, *TIFF, *DICOM)
FEWEST_SLICES = 3  # TIFF files of one name that are a stack
NUMBER = re.compile(r"(.*?)(\d+)$")
DETACHED = re.compile(rb"^(?:ElementDataFile\s*=|data ?file:)\s*([^\r\n]+?)\s*$", re.M | re.I)
HEADER = 65_536  # bytes that hold the header of a volume with detached data
LOOKED_AT = 10  # files without an extension that show whether a folder is a DICOM series
PREAMBLE = 128  # bytes before the mark of a DICOM file


def has_volume_extension(path: Path) -> bool:
    """Tell by its name whether a file is a volume, or a slice of one."""
    return path.name.lower().endswith(EXTENSIONS)


def is_volume_file(path: Path) -> bool:
    """Whether a file in a folder is a volume by itself: of TIFF files those with several pages.

    Others may be photographs, or slices, and slices of DICOM belong to their folder.
    """
    name = path.name.lower()
    return name.endswith(NAMED) or (name.endswith(TIFF) and has_pages(path))


def is_volume_folder(folder: Path, files: Iterable[str] | None = None) -> bool:
    """Whether a folder is one volume: a DICOM series, or a stack of TIFF files.

    Parameters
    ----------
    files : names of the files in it, if they are known
    """
    names = sorted(_files_in(folder) if files is None else files)
    if any(name.lower().endswith(DICOM) for name in names) or tiff_stacks(names):
        return True
    return any(_has_mark(folder / name) for name in _bare(names)[:LOOKED_AT])


def is_volume(path: Path) -> bool:
    """Whether a path that was named is a volume: a file by its extension, or a folder."""
    return is_volume_folder(path) if path.is_dir() else has_volume_extension(path)


def scan_files(path: Path) -> list[Path]:
    """Return all files that reading a scan takes: slices, or a header and its data."""
    if path.is_dir():
        names = sorted(_files_in(path))
        slices = dicom_names(path, names) or [name for each in tiff_stacks(names) for name in each]
        return [path / name for name in slices]
    if path.name.lower().endswith((".mhd", ".nhdr")):
        return [path, *_detached(path)]
    return [path]


def dicom_names(folder: Path, names: Sequence[str]) -> list[str]:
    """Names of the DICOM files: by extension, and without one by their first bytes."""
    found = [name for name in names if name.lower().endswith(DICOM)]
    return sorted([*found, *(name for name in _bare(names) if _has_mark(folder / name))])


def _bare(names: Iterable[str]) -> list[str]:
    """Names without an extension, or with a number as one, as DICOM files often have them."""
    return [name for name in names if "." not in name or name.rpartition(".")[2].isdigit()]


def tiff_stacks(names: Iterable[str]) -> list[list[str]]:
    """TIFF files that are numbered slices of stacks, each in the order of the numbers."""
    stacks: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        stem, extension = os.path.splitext(name)
        if extension.lower() in TIFF and (found := NUMBER.fullmatch(stem)):
            stacks.setdefault(found[1], []).append((int(found[2]), name))
    return [
        [name for _, name in sorted(slices)]
        for _, slices in sorted(stacks.items())
        if len(slices) >= FEWEST_SLICES
    ]


def slice_number(name: str) -> int:
    """The number at the end of the name of a slice."""
    found = NUMBER.fullmatch(os.path.splitext(name)[0])
    assert found is not None
    return int(found[2])


def has_pages(path: Path) -> bool:
    """Whether a TIFF file has more than one page; one that cannot be read has none."""
    try:
        return tiff_pages(path, most=2) > 1
    except (OSError, ScanError):
        return False


def tiff_pages(path: Path, most: int | None = None) -> int:
    """Count the pages of a TIFF file, to at most so many.

    Raises
    ------
    ScanError
        It is not a TIFF file, or the list of its pages leads out of it.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        start = file.read(16)
        order = {b"II": "<", b"MM": ">"}.get(start[:2], "")
        kind = struct.unpack(order + "H", start[2:4])[0] if order and len(start) == 16 else 0
        if kind not in (42, 43):
            raise ScanError.of(path, "is not a TIFF file. Export the scan again.")
        is_big = kind == 43  # 8-byte offsets
        place = struct.unpack(order + ("8xQ" if is_big else "4xI8x"), start)[0]
        seen: set[int] = set()
        while place and len(seen) != most:
            if place in seen or place >= size:
                raise ScanError.of(path, "is damaged or cut short. Export the scan again.")
            seen.add(place)
            place = _next_page(file, place, order, is_big, path)
    return len(seen)


def _next_page(file: BinaryIO, place: int, order: str, is_big: bool, path: Path) -> int:
    count, entry, offset = ("Q", 20, "Q") if is_big else ("H", 12, "I")
    try:
        file.seek(place)
        (entries,) = struct.unpack(order + count, file.read(struct.calcsize(count)))
        file.seek(entries * entry, os.SEEK_CUR)
        return int(struct.unpack(order + offset, file.read(struct.calcsize(order + offset)))[0])
    except (struct.error, OverflowError, OSError):
        raise ScanError.of(path, "is damaged or cut short. Export the scan again.") from None


def _detached(path: Path) -> list[Path]:
    """Files of the data that a header names; a list of them or a pattern is left to the reader."""
    try:
        with path.open("rb") as file:
            found = DETACHED.search(file.read(HEADER))
    except OSError:
        return []
    name = "" if found is None else os.fsdecode(found[1])
    data = path.parent / name
    return [data] if name and data.is_file() else []


def _files_in(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [each.name for each in entries if each.is_file() and each.name[0] != "."]
    except OSError:
        return []


def _has_mark(path: Path) -> bool:
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            return file.read(PREAMBLE + 4)[PREAMBLE:] == b"DICM"
    except OSError:
        return False


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # for a writer to a pipe
