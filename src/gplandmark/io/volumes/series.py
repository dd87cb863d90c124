# SPDX-License-Identifier: MIT
"""Volumes in many files: DICOM series, ordered by their positions, and numbered TIFF stacks."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from gplandmark.errors import ScanError
from gplandmark.io.volumes.header import (
    NO_SPACING,
    Header,
    file_header,
    information,
    pixel_type,
)
from gplandmark.io.volumes.volume_files import slice_number, tiff_stacks
from gplandmark.io.volumes.voxel_grid import Grid
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arrays import FloatArray

SERIES, DESCRIPTION = "0020|000e", "0008|103e"  # DICOM tags
INDEX = "DICOMDIR"  # lists the files of a disk, and is no slice
UNEVEN = 0.02  # of the distance of slices, by which it may differ
TURNED = 1e-3  # by which directions of slices may differ


def dicom_header(folder: Path, names: Sequence[str]) -> Header:
    """The header of a series of DICOM slices; their positions decide, not their names.

    Raises
    ------
    ScanError
        There are several series, slices are missing, repeated, tilted, or not alike.
    """
    files = [folder / name for name in names if name.upper() != INDEX]
    if len(files) == 1:
        return file_header(files[0])
    readers = {path: information(path) for path in files}
    _check_one_series(folder, readers)
    dtype = _common_type(folder, readers)
    first = readers[files[0]]
    direction = np.array(first.GetDirection()).reshape(3, 3)
    origins = np.array([each.GetOrigin() for each in readers.values()])
    order = np.argsort(origins @ direction[:, 2], kind="stable")
    slices = tuple(files[number] for number in order)
    if any(
        np.abs(np.subtract(each.GetDirection(), first.GetDirection())).max() > TURNED
        for each in readers.values()
    ):
        raise ScanError.of(folder, "has slices in several directions. Export one series.")
    step = _step(folder, slices, origins[order], direction[:, 2])
    x, y, _ = first.GetSize()
    spacing = (*first.GetSpacing()[:2], step)
    return Header(
        folder, slices, dtype, Grid((x, y, len(slices)), spacing, origins[order[0]], direction)
    )


def _check_one_series(folder: Path, readers: dict[Path, Any]) -> None:
    series: dict[str, list[Any]] = {}
    for reader in readers.values():
        series.setdefault(_tag(reader, SERIES), []).append(reader)
    if len(series) > 1:
        found = ", ".join(
            f"'{_tag(each[0], DESCRIPTION) or uid}' with {len(each)} slices"
            for uid, each in series.items()
        )
        raise ScanError.of(
            folder, f"has {len(series)} DICOM series: {found}. Give each a folder of its own."
        )


def _tag(reader: Any, name: str) -> str:
    return str(reader.GetMetaData(name)).strip() if reader.HasMetaDataKey(name) else ""


def _common_type(folder: Path, readers: dict[Path, Any]) -> npt.DTypeLike:
    """The type that holds the values of all slices, which must be of one size."""
    sizes = {tuple(reader.GetSize()) for reader in readers.values()}
    if len(sizes) > 1:
        raise ScanError.of(folder, "has slices of several sizes. Export one series.")
    if any(each > 1 for each in next(iter(sizes))[2:]):
        raise ScanError.of(folder, "has several volumes. Name one of its files.")
    kinds = {pixel_type(reader, path) for path, reader in readers.items()}
    found: npt.DTypeLike = np.result_type(*kinds)
    return found


def _step(folder: Path, slices: Sequence[Path], origins: FloatArray, normal: FloatArray) -> float:
    """The distance of neighbouring slices, which must be the same for all."""
    steps = np.diff(origins, axis=0)
    gaps = steps @ normal
    usual = float(np.median(gaps))
    if gaps.min() <= UNEVEN * usual:
        at = int(np.argmin(gaps))
        raise ScanError.of(
            folder,
            f"has two slices at one position ({slices[at].name}, {slices[at + 1].name}), e.g. of a "
            "series in time. Export one volume.",
        )
    if np.abs(gaps - usual).max() > UNEVEN * usual:
        at = int(np.argmax(np.abs(gaps - usual)))
        raise ScanError.of(
            folder,
            f"has slices missing or not evenly spaced: {gaps[at]:.4g} from {slices[at].name} to "
            f"{slices[at + 1].name}, {usual:.4g} elsewhere. Export the whole series.",
        )
    if np.linalg.norm(steps - np.outer(gaps, normal), axis=1).max() > UNEVEN * usual:
        raise ScanError.of(
            folder, "has a tilted gantry: slices are not straight above each other. Resample it."
        )
    return float(gaps.mean())


def stack_header(folder: Path, names: Sequence[str]) -> Header:
    """The header of a stack of TIFF files, in the order of their numbers.

    Raises
    ------
    ScanError
        There is none, or several, a number is missing or twice there, or slices are not alike.
    """
    stacks = tiff_stacks(names)
    if len(stacks) != 1:
        found = f"has {len(stacks)} stacks of TIFF files" if stacks else "has no stack of slices"
        raise ScanError.of(folder, f"{found}. A folder holds one stack, numbered without gaps.")
    (stack,) = stacks
    for name, after in pairwise(stack):
        number, other = slice_number(name), slice_number(after)
        if other == number:
            raise ScanError.of(folder, f"has slice {number} twice: {name} and {after}.")
        if other != number + 1:
            gap = f"{number + 1}" if other == number + 2 else f"{number + 1} to {other - 1}"
            raise ScanError.of(
                folder, f"has no slice {gap}: {after} follows {name}. Export the whole stack."
            )
    slices = tuple(folder / name for name in stack)
    readers = {path: information(path) for path in slices}
    sizes = {tuple(reader.GetSize()) for reader in readers.values()}
    if len(sizes) > 1:
        raise ScanError.of(folder, "has slices of several sizes. Export one stack.")
    (size,) = sizes
    if len(size) > 2 and size[2] > 1:
        raise ScanError.of(folder, "has TIFF files of several pages. Name one of them.")
    kinds = {pixel_type(reader, path) for path, reader in readers.items()}
    if len(kinds) > 1:
        raise ScanError.of(folder, "has slices of several types of numbers. Export one stack.")
    note = f"{NO_SPACING}, and coordinates count voxels; see --spacing"
    grid = Grid((size[0], size[1], len(slices)), (1.0, 1.0, 1.0), np.zeros(3), np.eye(3))
    return Header(folder, slices, kinds.pop(), grid, (note,))
