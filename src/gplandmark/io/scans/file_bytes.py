# SPDX-License-Identifier: MIT
"""The bytes of a file, complete and decompressed, and the format that they look like."""

import gzip
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Mapping
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import TypeVar

import numpy as np

from gplandmark.errors import ScanError
from gplandmark.io.scans.content import MARK
from gplandmark.io.scans.stl import looks_binary

STANDARD_INPUT = "-"
IS_FOLDER = "is a folder. Name one scan inside it, or use 'gplandmark batch' for all."
LARGEST = 16 * 2**30  # bytes: sixteen times the largest scans that we know of
DENSEST = 200  # text is compressed to a tenth, meshes less; beyond this it is not a scan
PART = 2**24

SAMPLE = 65_536  # bytes that show a format
SIGNATURES = {
    rb"ply[ \t]*[\r\n]": ".ply",
    rb"glTF": ".glb",
    rb"# vtk": ".vtk",
    rb"\x93NUMPY": ".npy",
}
COMMENTS = rb"\s*(#[^\r\n]*[\r\n]\s*)*"
TEXTS = {  # which bytes of other formats may be like by chance
    COMMENTS + rb"(ST)?C?N?4?n?OFF(?![A-Za-z])": ".off",
    rb"\s*<(\?xml|VTKFile)": ".vtp",
    rb"\s*\{": ".gltf",
    rb"\s*solid\b": ".stl",
    rb"([^\0]*[\r\n])?[ \t]*v([ \t]+[^\s\0]+){3}": ".obj",
    COMMENTS + rb"[-+.\d]\S*[\s,;]+[-+.\d]\S*[\s,;]": ".xyz",
}


Taken = TypeVar("Taken", bytes, memoryview)


def file_bytes(path: Path) -> bytes:
    """Content of a regular file that does not change meanwhile.

    Raises
    ------
    ScanError
        It is missing, not readable, not a regular file, too large, empty, or it changed.
    """
    return _content(path, lambda file, _: file.read())


def file_view(path: Path) -> memoryview:
    """As `file_bytes`, in a third of the time, for readers that need no methods of bytes."""
    return _content(path, _in_large_pages)


def _in_large_pages(file: BufferedReader, size: int) -> memoryview:
    # NumPy asks for large pages where the system has them.
    buffer = np.empty(size, dtype=np.uint8).data
    return buffer[: file.readinto(buffer)].toreadonly()


def _content(path: Path, taken: Callable[[BufferedReader, int], Taken]) -> Taken:
    try:
        with open(path, "rb", opener=_open) as file:
            before = os.fstat(file.fileno())
            _check_kind(before, path)
            content = taken(file, before.st_size)
            after = os.fstat(file.fileno())
    except FileNotFoundError:
        raise _missing(path) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ScanError.of(path, f"cannot be read ({reason}). Check its permissions.") from None
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise ScanError.of(path, "changed while it was read. Wait until it is written, then again.")
    return content


def _open(path: str, flags: int) -> int:
    # Without this a pipe would make us wait for a writer that may never come.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _check_kind(found: os.stat_result, path: Path) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise ScanError.of(path, IS_FOLDER)
    if not stat.S_ISREG(found.st_mode):
        raise ScanError.of(path, "is not a regular file. Copy the scan into one, or use '-'.")
    if found.st_size > LARGEST:
        raise ScanError.of(path, f"has {found.st_size / 1e9:.0f} GB, too many for one specimen.")


def _missing(path: Path) -> ScanError:
    if path.is_symlink():
        target = path.readlink()
        return ScanError.of(path, f"is a link to {target}, which does not exist. Check the link.")
    return ScanError("there is no such file. Check the name and the folder.", path)


def standard_input() -> bytes:
    """Everything on the standard input."""
    content = sys.stdin.buffer.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ScanError("The standard input has too many bytes for one specimen.")
    return content


def decompress(content: bytes, name: str) -> bytes:
    """Content of a gzip file, within reasonable bounds.

    Raises
    ------
    ScanError
        It is damaged, or it would fill the memory.
    """
    most = min(DENSEST * len(content) + PART, LARGEST)
    result = bytearray()
    try:
        with gzip.GzipFile(fileobj=BytesIO(content)) as file:
            while part := file.read(PART):
                result += part
                if len(result) > most:
                    raise ScanError.of(
                        name, "is refused: decompressed it has more bytes than a scan."
                    )
    except (OSError, EOFError, zlib.error):
        raise ScanError.of(
            name, "cannot be decompressed: it is damaged or cut short. Export the scan again."
        ) from None
    return bytes(result)


def guess_extension(content: bytes) -> str:
    """The extension that a file with these bytes would have, for scans that come without a name.

    Raises
    ------
    ScanError
        The bytes are like no format that we know.
    """
    sample = content[:SAMPLE].removeprefix(MARK)
    extension = _matching(SIGNATURES, sample)
    if extension is None:
        extension = ".stl" if looks_binary(content) else _matching(TEXTS, sample)
    if extension is None:
        raise ScanError("The standard input is like no format of scans. Write it to a file first.")
    return extension


def _matching(patterns: Mapping[bytes, str], sample: bytes) -> str | None:
    return next((patterns[each] for each in patterns if re.match(each, sample)), None)
