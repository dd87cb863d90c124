# SPDX-License-Identifier: MIT
"""Arrays that took long to compute, kept on disk by what they were computed from.

Nothing is kept unless a folder is named: by `cached_in`, or by the environment variable
GPLANDMARK_CACHE. A file is named for the SHA-256 of all that went in, so that it can never be
out of date; one that is damaged is computed again.
"""

import hashlib
import os
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from gplandmark.errors import GplandmarkWarning, SettingsError
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray

__all__ = ["VARIABLE", "cached_in", "fingerprint", "recall", "remembered", "store"]

VARIABLE = "GPLANDMARK_CACHE"
_chosen: ContextVar[Path | None] = ContextVar("cache folder", default=None)


@contextmanager
def cached_in(folder: Path | str) -> Iterator[None]:
    """Keep eigenpairs in that folder, which is made if need be, while the block runs.

    Raises
    ------
    SettingsError
        The folder cannot be made or written to.
    """
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"The cache {path} cannot be made ({error.strerror}).") from None
    if not os.access(path, os.W_OK):
        raise SettingsError(f"The cache {path} is not writable. Choose another folder.")
    token = _chosen.set(path)
    try:
        yield
    finally:
        _chosen.reset(token)


def fingerprint(surface: Surface, *options: str) -> str:
    """SHA-256 of the points, the triangles and the options."""
    digest = hashlib.sha256(repr(options).encode())
    for array in (surface.points, surface.faces()):
        digest.update(repr(array.shape).encode() + array.tobytes())
    return digest.hexdigest()


def recall(key: str) -> dict[str, npt.NDArray[Any]] | None:
    """Return the arrays kept under that key, or None if there are none that can be read."""
    path = _path(key)
    if path is None:
        return None
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return dict(arrays)
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile):
        return None


def store(key: str, arrays: Mapping[str, Any]) -> None:
    """Keep arrays under that key, whole or not at all; a full disk is worth a warning only."""
    path = _path(key)
    if path is None:
        return
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with part.open("wb") as file:
                np.savez(file, allow_pickle=False, **arrays)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        warnings.warn(
            f"The eigenpairs could not be kept in {path.parent} ({error.strerror}).",
            GplandmarkWarning,
            stacklevel=2,
        )


def _path(key: str) -> Path | None:
    named = os.environ.get(VARIABLE)
    folder = _chosen.get() or (Path(named) if named else None)
    return None if folder is None else folder / f"{key}.npz"


def remembered(quantity: Callable[[Surface], FloatArray]) -> Callable[[Surface], FloatArray]:
    """Remember the array for as long as the surface lives; a surface never changes."""
    known: WeakKeyDictionary[Surface, FloatArray] = WeakKeyDictionary()

    @wraps(quantity)
    def recall(surface: Surface) -> FloatArray:
        if surface not in known:
            array = quantity(surface)
            array.setflags(write=False)
            known[surface] = array
        return known[surface]

    return recall
