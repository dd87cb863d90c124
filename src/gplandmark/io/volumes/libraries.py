# SPDX-License-Identifier: MIT
"""The libraries of the extra ``volumes``, imported when a volume is read."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from gplandmark.errors import ScanError


def load(name: str) -> Any:
    """Import SimpleITK, or a part of scikit-image.

    Raises
    ------
    ScanError
        It is not installed.
    """
    try:
        return import_module(name)
    except ImportError:
        raise ScanError(
            "Volumes need SimpleITK and scikit-image, which are not installed. "
            "Run: python -m pip install 'gplandmark[volumes]'"
        ) from None


@contextmanager
def without_messages() -> Iterator[None]:
    """Keep what compiled readers print about a damaged file off the terminal.

    They write to the file descriptor itself, past `sys.stderr`.
    """
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
