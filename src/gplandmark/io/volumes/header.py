# SPDX-License-Identifier: MIT
"""What a volume is before its voxels are read: size, type and place, from the header of a file."""

import gzip
import re
import stat
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gplandmark.errors import ScanError
from gplandmark.io.volumes.libraries import load, without_messages
from gplandmark.io.volumes.volume_files import DICOM, HEADER, TIFF, tiff_pages
from gplandmark.io.volumes.voxel_grid import Grid, Triple
from gplandmark.numerics import array_types as npt

PART = 2**24  # bytes decompressed at once
AGAIN = "Export the scan again."
UNREADABLE = f"cannot be read as a volume: it is damaged or another kind of file. {AGAIN}"
DIMENSION = re.compile(rb"^NDims\s*=\s*(-?\d{1,9})\s*$", re.MULTILINE)  # in the header of MetaImage
KINDS = (
    "UInt8", "Int8", "UInt16", "Int16", "UInt32", "Int32", "UInt64", "Int64", "Float32", "Float64",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Header:
    """A volume that can be read.

    Attributes
    ----------
    path : the file or folder
    slices : files of its slices, from the first along z; empty if it is one file
    dtype : of its values
    grid : where its voxels lie
    notes : what had to be decided, one sentence each
    """

    path: Path
    slices: tuple[Path, ...]
    dtype: npt.DTypeLike
    grid: Grid
    notes: tuple[str, ...] = ()

    @property
    def bytes(self) -> int:
        """Memory that its voxels take."""
        return self.grid.voxels * np.dtype(self.dtype).itemsize


NO_SPACING = "the file states no voxel size"


def file_header(path: Path) -> Header:
    """The header of a volume in one file."""
    _check_regular(path)
    name = path.name.lower()
    reader = information(path)
    size = _size_in_space(reader, path)
    dtype = pixel_type(reader, path)
    direction = np.array(reader.GetDirection()).reshape(reader.GetDimension(), -1)[:3, :3]
    grid = Grid(size, reader.GetSpacing()[:3], np.array(reader.GetOrigin()[:3]), direction)
    if name.endswith(TIFF):
        return _tiff(path, grid, dtype)
    if name.endswith((".nii", ".nii.gz")):
        _check_complete_nifti(reader, path)
    return Header(path, (), dtype, grid)


def information(path: Path) -> Any:
    """A reader of SimpleITK that knows the header of a file.

    Raises
    ------
    ScanError
        The file cannot be read.
    """
    sitk = load("SimpleITK")
    pages = _checked_pages(path)
    reader = sitk.ImageFileReader()
    reader.SetFileName(str(path))
    if path.name.lower().endswith(DICOM):
        reader.SetImageIO("GDCMImageIO")
    try:
        with without_messages():
            reader.ReadImageInformation()
    except RuntimeError:
        raise ScanError.of(path, UNREADABLE) from None
    if pages > 1 and (*reader.GetSize(), 1)[2] != pages:
        raise ScanError.of(path, f"has pages of several kinds, e.g. small pictures. {AGAIN}")
    return reader


def _checked_pages(path: Path) -> int:
    """Number of pages of a TIFF file, 0 of others; refuses what ITK hangs or crashes on.

    Pages that follow each other in a circle, and MetaImage of an impossible dimension.
    """
    name = path.name.lower()
    if name.endswith(TIFF):
        return tiff_pages(path)
    if name.endswith((".mha", ".mhd")):
        with path.open("rb") as file:
            found = DIMENSION.search(file.read(HEADER))
        if found is None or int(found[1]) not in (1, 2, 3, 4):
            raise ScanError.of(path, UNREADABLE)
    return 0


def pixel_type(reader: Any, path: Path) -> npt.DTypeLike:
    """The type of the values.

    Raises
    ------
    ScanError
        A voxel has several values, or one that is not a real number.
    """
    sitk = load("SimpleITK")
    kinds = {getattr(sitk, f"sitk{name}"): np.dtype(name.lower()) for name in KINDS}
    found = kinds.get(reader.GetPixelID())
    if found is None or reader.GetNumberOfComponents() > 1:
        what = sitk.GetPixelIDValueAsString(reader.GetPixelID())
        raise ScanError.of(
            path,
            f"has voxels of the type '{what}', and one real number in each is needed. Save grey "
            "values, or one channel of a colour image.",
        )
    return found


def _size_in_space(reader: Any, path: Path) -> tuple[int, int, int]:
    size = [*reader.GetSize()]
    if len(size) < 3 or min(size[:3]) < 2:
        words = " x ".join(map(str, size))
        raise ScanError.of(
            path,
            f"is one slice ({words} voxels), not a volume. Name the folder of all slices, or save "
            "them in one file.",
        )
    if any(each > 1 for each in size[3:]):
        raise ScanError.of(
            path,
            f"has {size[3]} volumes, e.g. of a series in time. Save the one that you want alone.",
        )
    return size[0], size[1], size[2]


def _tiff(path: Path, grid: Grid, dtype: npt.DTypeLike) -> Header:
    spacing = imagej_spacing(path)
    note = () if spacing else (f"{NO_SPACING}, and coordinates count voxels; see --spacing",)
    origin, direction = np.zeros(3), np.eye(3)
    return Header(path, (), dtype, Grid(grid.size, spacing or (1, 1, 1), origin, direction), note)


def imagej_spacing(path: Path) -> Triple | None:
    """Voxel size that ImageJ wrote into a TIFF file; None if it is not complete.

    Dots per inch, which nearly every TIFF file has, are those of a printer, not of a scanner.
    """
    tifffile = load("tifffile")
    try:
        with without_messages(), tifffile.TiffFile(path) as file:
            about = file.imagej_metadata or {}
            tags = file.pages[0].tags
            (across, one), (down, two) = tags["XResolution"].value, tags["YResolution"].value
    except Exception:  # whatever is in the tags of a damaged file
        return None
    if not {"spacing", "unit"} <= about.keys() or not (across and down):
        return None
    return (one / across, two / down, float(about["spacing"]))


def _check_regular(path: Path) -> None:
    try:
        found = path.stat()
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            raise ScanError("there is no such file. Check the name.", path) from None
        raise ScanError.of(path, f"cannot be read ({error.strerror}).") from None
    if not stat.S_ISREG(found.st_mode):
        raise ScanError.of(path, "is not a regular file. Copy the volume into one.")
    if found.st_size == 0:
        raise ScanError.of(path, f"is empty. {AGAIN}")


def _check_complete_nifti(reader: Any, path: Path) -> None:
    """Refuse a file that is cut short, of which ITK reads the rest as zeros.

    Raises
    ------
    ScanError
        It has fewer bytes than its header declares.
    """
    count = int(np.prod([int(each) for each in reader.GetSize()]))
    needed = float(reader.GetMetaData("vox_offset"))
    needed += count * int(reader.GetMetaData("bitpix")) // 8
    try:
        found = path.stat().st_size if path.suffix != ".gz" else _decompressed_size(path)
    except (OSError, EOFError, zlib.error):
        found = 0
    if found < needed:
        raise ScanError.of(path, f"is damaged or cut short. {AGAIN}")


def _decompressed_size(path: Path) -> int:
    size = 0
    with gzip.open(path) as file:
        while part := file.read(PART):
            size += len(part)
    return size
