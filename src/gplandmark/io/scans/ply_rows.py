# SPDX-License-Identifier: MIT
"""The rows of a binary PLY file: at once where all are alike, else one by one."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gplandmark.io.scans.content import DamagedError, check_fits
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arrays import IndexArray
from gplandmark.numerics.threads import chunks

PART = 16_384  # rows at a time, which stay in the cache

Array = npt.NDArray[Any]
# Lengths of lists, None for plain numbers, and the values of all rows in order.
Columns = dict[str, tuple[IndexArray | None, Array]]


@dataclass(frozen=True)
class Property:
    """A number of an element, or a list of numbers if it has a kind of length."""

    name: str
    kind: str
    length: str | None = None
    is_integer: bool = False  # by the header; text has all its numbers read as floats


@dataclass(frozen=True)
class Element:
    """A kind of row, how many there are, and what is in each."""

    name: str
    count: int
    properties: tuple[Property, ...] = ()


def columns_to_rows(columns: Iterable[Array], kind: type) -> Array:
    """Columns (n,) as a table (n, c) of one kind: far quicker than row by row, which are short."""
    columns = list(columns)
    table: Array = np.empty((len(columns[0]), len(columns)), dtype=kind)
    for part in chunks(len(table), PART):
        for place, column in enumerate(columns):
            table[part, place] = column[part]
    return table


def take_rows(body: bytes | memoryview, place: int, element: Element) -> tuple[Columns, int]:
    """Values of all rows of an element from a place on, and the place behind them."""
    smallest = sum(np.dtype(each.length or each.kind).itemsize for each in element.properties)
    check_fits(element.count, smallest, len(body) - place, f"rows of {element.name}")
    if element.count == 0 or not element.properties:
        return _gathered(element, []), place
    first, _ = _row(body, place, element)
    lengths = {each.name: len(first[each.name]) for each in element.properties if each.length}
    kind = _row_kind(element, lengths)
    end = place + element.count * kind.itemsize
    if end <= len(body):
        rows = np.frombuffer(body, kind, element.count, place)
        if all((rows[f"#{name}"] == length).all() for name, length in lengths.items()):
            return _columns(rows, element, lengths), end
    return _one_by_one(body, place, element)


def _row_kind(element: Element, lengths: dict[str, int]) -> np.dtype[Any]:
    fields: list[Any] = []
    for each in element.properties:
        if each.length is None:
            fields.append((each.name, each.kind))
        else:
            fields.append((f"#{each.name}", each.length))
            fields.append((each.name, each.kind, (lengths[each.name],)))
    return np.dtype(fields)


def _columns(rows: Array, element: Element, lengths: dict[str, int]) -> Columns:
    return {
        each.name: (
            None if each.length is None else np.broadcast_to(lengths[each.name], len(rows)),
            rows[each.name],
        )
        for each in element.properties
    }


def _row(body: bytes | memoryview, place: int, element: Element) -> tuple[dict[str, Array], int]:
    found = {}
    for each in element.properties:
        length = 1
        if each.length is not None:
            lengths, place = _values(body, place, each.length, 1)
            length = int(lengths[0])
        found[each.name], place = _values(body, place, each.kind, length)
    return found, place


def _values(body: bytes | memoryview, place: int, kind: str, count: int) -> tuple[Array, int]:
    end = place + count * np.dtype(kind).itemsize
    if count < 0 or end > len(body):
        raise DamagedError(
            "it is damaged or cut short: a list of vertex numbers goes beyond its end"
        )
    return np.frombuffer(body, kind, count, place), end


def _one_by_one(body: bytes | memoryview, place: int, element: Element) -> tuple[Columns, int]:
    rows = []
    for _ in range(element.count):
        row, place = _row(body, place, element)
        rows.append(row)
    return _gathered(element, rows), place


def _gathered(element: Element, rows: list[dict[str, Array]]) -> Columns:
    return {
        each.name: (
            None if each.length is None else np.array([len(row[each.name]) for row in rows], int),
            np.concatenate([np.zeros(0, each.kind), *(row[each.name] for row in rows)]),
        )
        for each in element.properties
    }
