# SPDX-License-Identifier: MIT
"""What a volume is before its voxels are read, be it one file or a folder of slices."""

from dataclasses import replace
from pathlib import Path

from gplandmark.io.volumes.header import NO_SPACING, Header, file_header
from gplandmark.io.volumes.libraries import load
from gplandmark.io.volumes.series import dicom_header, stack_header
from gplandmark.io.volumes.volume_files import dicom_names
from gplandmark.io.volumes.voxel_grid import Triple


def read_header(path: Path, spacing: Triple | None = None) -> Header:
    """Read what a volume is, of a file or of a folder of slices.

    Parameters
    ----------
    spacing : size of a voxel, in place of what the file says

    Raises
    ------
    ScanError
        It cannot be read, or is not one volume of numbers in space.
    """
    load("SimpleITK")
    if path.is_dir():
        names = sorted(each.name for each in path.iterdir() if each.is_file())
        slices = dicom_names(path, names)
        header = dicom_header(path, slices) if slices else stack_header(path, names)
    else:
        header = file_header(path)
    if spacing is None:
        return header
    notes = tuple(each for each in header.notes if not each.startswith(NO_SPACING))
    return replace(header, grid=replace(header.grid, spacing=spacing), notes=notes)
