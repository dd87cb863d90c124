# SPDX-License-Identifier: MIT
"""A sample as its books tell of it: matched together once, and grown since."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from gplandmark.errors import SettingsError
from gplandmark.matching import SampleMatch
from gplandmark.matching.building import extend_prepared, match_prepared
from gplandmark.matching.points import Sampled
from gplandmark.samples.books import Books, read_books, store_path
from gplandmark.samples.running import Workshop
from gplandmark.samples.store import Store

__all__ = ["grown", "open_sample"]


def grown(
    specimens: Mapping[str, Sampled],
    books: Books | None,
    shop: Workshop,
    *,
    reference: str | None = None,
    reflections: bool = True,
) -> SampleMatch:
    """Match specimens together, or add those that the books do not have to those that they have.

    Whatever was computed before comes out of the workshop's store, so that a sample is as it was.
    """
    if books is None:
        root = None if reference is None else list(specimens).index(reference)
        return match_prepared(
            list(specimens.values()), reference=root, reflections=reflections, run=shop.values
        )
    order = [*books.members, *(key for key in specimens if key not in books.members)]
    first = order[: books.together]
    sample = match_prepared(
        [specimens[key] for key in first],
        reference=first.index(books.reference),
        reflections=books.reflections,
        run=shop.values,
    )
    for key in order[books.together :]:
        sample = extend_prepared(sample, specimens[key], run=shop.values)
    return sample


def open_sample(output: Path) -> SampleMatch:
    """Return the maps between all specimens of a folder that `gplandmark match` wrote.

    Raises
    ------
    SettingsError
        It is no such folder, or what is kept in it is gone.
    """
    books = read_books(output)
    if books is None:
        raise SettingsError(
            f"{output} is not what 'gplandmark match' wrote. Run that first, and name its folder."
        )
    store = Store(store_path(output))
    try:
        return grown(_kept(output, books, store), books, Workshop(store))
    finally:
        store.close()


def _kept(output: Path, books: Books, store: Store) -> dict[str, Sampled]:
    found = {key: store.get(mark) for key, mark in books.members.items()}
    lost: Sequence[str] = [key for key, each in found.items() if each is None]
    if lost:
        raise SettingsError(
            f"{output} no longer holds the maps of {lost[0]}, or they are of another version. "
            "Run the same 'gplandmark match' again."
        )
    return {key: each["value"].specimen for key, each in found.items()}
