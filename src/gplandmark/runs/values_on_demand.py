# SPDX-License-Identifier: MIT
"""Values that stay in a store, and are read when they are needed.

A large sample does not fit in the memory: a specimen and its maps take several MB. What a job
returns is therefore in the store only, and the run goes on with a `ValueOnDemand` in its place.
"""

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import partial
from operator import getitem
from typing import Any

import numpy as np

HEAVY = 30_000  # bytes of a value that is not kept in memory


class ValueOnDemand:
    """Stands for a value of a store, or a part of one, and behaves as that does.

    Small parts are kept once they were asked for, e.g. the name of a specimen. Large ones stand
    for themselves in the same way. Pickled, it is the value itself.

    Parameters
    ----------
    read : returns the value
    """

    __slots__ = ("__weakref__", "_known", "_read")

    def __init__(self, read: Callable[[], Any]) -> None:
        self._read = read
        self._known: dict[object, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._part(name, getattr)

    def __getitem__(self, key: Any) -> Any:
        return self._part(key, getitem)

    def __len__(self) -> int:
        return int(self._part("__len__", getattr)())

    def __bool__(self) -> bool:
        return bool(self._read())

    def __iter__(self) -> Iterator[Any]:
        return (self[key] for key in range(len(self)))

    @property  # type: ignore[misc]  # isinstance asks for it
    def __class__(self) -> Any:
        return self._part("__class__", getattr)

    def __reduce_ex__(self, protocol: Any) -> tuple[Callable[[Any], Any], tuple[Any]]:
        return _itself, (self._read(),)

    def _part(self, key: Any, part_of: Callable[[Any, Any], Any]) -> Any:
        if key in self._known:
            return self._known[key]
        found = on_demand(part_of(self._read(), key), partial(_part_of, self, key, part_of))
        if type(found) is ValueOnDemand or not (_is_heavy(found) or _is_method(found)):
            self._known[key] = found
        return found


def on_demand(value: Any, read: Callable[[], Any]) -> Any:
    """Return a value, or if it is heavy what stands for it; arrays are returned as they are."""
    is_compound = is_dataclass(value) or isinstance(value, tuple)
    return ValueOnDemand(read) if is_compound and _is_heavy(value) else value


def opened(value: Any) -> Any:
    """Return the value that something stands for."""
    return value._read() if type(value) is ValueOnDemand else value


def _part_of(whole: ValueOnDemand, key: Any, part_of: Callable[[Any, Any], Any]) -> Any:
    return part_of(opened(whole), key)


def _itself(value: Any) -> Any:
    return value


def _is_method(value: Any) -> bool:
    return hasattr(value, "__self__")


def _is_heavy(value: Any) -> bool:
    return _size(value) > HEAVY


def _size(value: Any) -> int:
    """About how many bytes the arrays and texts of a value take."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, (bytes, str)):
        return len(value)
    if isinstance(value, (tuple, list)):
        return sum(map(_size, value))
    if isinstance(value, dict):
        return sum(map(_size, value.values()))
    if is_dataclass(value) and not isinstance(value, type):
        return sum(_size(getattr(value, each.name)) for each in fields(value))
    return 0
