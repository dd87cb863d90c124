# SPDX-License-Identifier: MIT
"""Keys of stored results: the function, everything that decides its result, and our version."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, fields, is_dataclass
from importlib.metadata import version
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gplandmark.runs.values_on_demand import ValueOnDemand, opened

# Names of classes in keys stay what they are when a class is renamed.
STORED_NAMES = {"ScanSource": "Scan"}
# Points and surfaces take part in many jobs and never change.
_KNOWN: WeakKeyDictionary[Any, bytes] = WeakKeyDictionary()


def job_key(function: Callable[[Any], Any], job: Any) -> str:
    """Return a SHA-256 that is the same for equal jobs, in every process and on every machine.

    Fields of dataclasses that do not take part in comparisons do not count, e.g. the path of a
    file whose content does.
    """
    name = f"{version('gplandmark')} {function.__qualname__}"  # wherever the function lives
    return hashlib.sha256(name.encode() + _digest(job)).hexdigest()


def content_key(value: Any) -> str:
    """Return a SHA-256 of a value alone, which does not change with the version."""
    return _digest(value).hex()


def _digest(value: Any) -> bytes:
    lasts = type(value) is ValueOnDemand or _is_large(value)
    if lasts and value in _KNOWN:
        return _KNOWN[value]
    content = hashlib.sha256()
    for part in _parts(opened(value)):
        content.update(len(part).to_bytes(8, "little"))
        content.update(part)
    if lasts:
        _KNOWN[value] = content.digest()
    return content.digest()


def _is_large(value: Any) -> bool:
    return is_dataclass(value) and type(value).__hash__ is object.__hash__


def _parts(value: Any) -> Iterator[bytes]:
    """Type and content of a value, in pieces; of those that hold others, the digests of these."""
    yield STORED_NAMES.get(type(value).__name__, type(value).__name__).encode()
    if isinstance(value, np.ndarray):
        yield f"{value.dtype.str} {value.shape}".encode()
        yield value.tobytes()
    elif isinstance(value, (tuple, list)):
        yield from map(_digest, value)
    elif is_dataclass(value) or isinstance(value, Mapping):
        for name, each in _named(value):
            yield name.encode()
            yield _digest(each)
    elif value is None or isinstance(value, (bool, int, float, str, np.generic)):
        yield repr(value).encode()
    else:
        raise TypeError(f"A job cannot hold a {type(value).__name__}: {value!r}")


def _named(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return sorted((str(name), each) for name, each in value.items())
    parts = [(each, getattr(value, each.name)) for each in fields(value) if each.compare]
    # what came later and is not used leaves the keys of earlier folders as they are
    return [(each.name, part) for each, part in parts if not _is_unused(each, part)]


def _is_unused(each: "Field[Any]", part: Any) -> bool:
    return "later" in each.metadata and not isinstance(part, np.ndarray) and not part
