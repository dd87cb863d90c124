# SPDX-License-Identifier: MIT
"""The voxels of a volume: read whole, or reduced slab by slab where they are too many."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np

from gplandmark.errors import ScanError
from gplandmark.io.volumes.header import AGAIN, Header, information
from gplandmark.io.volumes.libraries import load, without_messages
from gplandmark.numerics import array_types as npt

Voxels: TypeAlias = npt.NDArray[Any]  # (z, y, x)
STREAMED = (".mha", ".mhd")  # formats of which ITK reads a part without the rest, uncompressed
SLAB = 2**25  # voxels that are looked at together


def read_voxels(header: Header, factor: int, select: Callable[[Voxels], Voxels]) -> Voxels:
    """Read the values (z, y, x), reduced to means of blocks if the factor is above 1.

    Parameters
    ----------
    factor : side of the blocks
    select : what is done to the values first

    Raises
    ------
    ScanError
        The file is damaged, or the memory does not suffice.
    """
    check_volume_memory(header, factor)
    try:
        if factor == 1:
            return select(_whole(header))
        size = header.grid.reduced(factor).size
        reduced = np.zeros(size[::-1], dtype=np.float32)
        for first, part in _slabs(header, factor):
            means = block_means(select(part), factor)
            reduced[first // factor : first // factor + len(means)] = means
        return reduced
    except RuntimeError:
        raise ScanError.of(header.path, f"is damaged or cut short. {AGAIN}") from None
    except MemoryError:
        raise _too_large(header) from None


def block_means(values: Voxels, factor: int) -> Voxels:
    """Means of blocks of voxels; at the end of an axis of those that are there."""
    means: Voxels = values
    for axis in range(3):
        starts = np.arange(0, values.shape[axis], factor)
        counts = np.minimum(factor, values.shape[axis] - starts)
        shape = [1, 1, 1]
        shape[axis] = len(counts)
        sums = np.add.reduceat(means, starts, axis=axis, dtype=np.float32)
        means = sums / counts.astype(np.float32).reshape(shape)
    return means


def check_volume_memory(header: Header, factor: int) -> None:
    """Refuse a volume that does not fit the memory, before it is read.

    Raises
    ------
    ScanError
        It does not.
    """
    import psutil

    # what is not read in parts is there twice for a moment: as ITK has it, and as we do
    needed = header.bytes if is_streamed(header) else 2 * header.bytes
    if factor > 1:
        needed = 4 * header.grid.voxels // factor**3 + (0 if is_streamed(header) else needed)
    if needed > psutil.virtual_memory().available:
        raise _too_large(header)


def is_streamed(header: Header) -> bool:
    """Whether parts of the volume are read without the rest."""
    if header.slices:
        return True
    if not header.path.name.lower().endswith(STREAMED):
        return False
    return header.path.suffix.lower() == ".mhd" or header.path.stat().st_size >= header.bytes


def _too_large(header: Header) -> ScanError:
    advice = (
        "Give a smaller --max-voxels."
        if is_streamed(header)
        else "Save it as uncompressed .mha, which is read in parts, and give a smaller "
        "--max-voxels; or crop it."
    )
    size = " x ".join(map(str, header.grid.size))
    return ScanError.of(
        header.path,
        f"does not fit the memory: {size} voxels take {header.bytes / 1e9:.1f} GB. {advice}",
    )


def _whole(header: Header) -> Voxels:
    x, y, z = header.grid.size
    if not is_streamed(header):
        return _slab(header, 0, z)
    values: Voxels = np.empty((z, y, x), dtype=header.dtype)
    for first, part in _slabs(header, 1):
        values[first : first + len(part)] = part
    return values


def _slabs(header: Header, factor: int) -> Iterator[tuple[int, Voxels]]:
    x, y, z = header.grid.size
    step = factor * max(1, SLAB // (x * y * factor))
    if not is_streamed(header):
        whole = _slab(header, 0, z)
        yield from ((first, whole[first : first + step]) for first in range(0, z, step))
        return
    for first in range(0, z, step):
        yield first, _slab(header, first, min(first + step, z))


def _slab(header: Header, first: int, stop: int) -> Voxels:
    """The slices from `first` to before `stop`."""
    sitk = load("SimpleITK")
    with without_messages():
        if not header.slices:
            reader = information(header.path)
            extra = reader.GetDimension() - 3
            if extra or (first, stop) != (0, header.grid.size[2]):
                x, y, _ = header.grid.size
                reader.SetExtractIndex((0, 0, first, *[0] * extra))
                reader.SetExtractSize((x, y, stop - first, *[0] * extra))
            values: Voxels = sitk.GetArrayFromImage(reader.Execute())
            return values
        x, y, _ = header.grid.size
        stack: Voxels = np.empty((stop - first, y, x), dtype=header.dtype)
        for number, path in enumerate(header.slices[first:stop]):
            image = sitk.ReadImage(str(path))
            stack[number] = sitk.GetArrayViewFromImage(image).reshape(y, x)
        return stack
