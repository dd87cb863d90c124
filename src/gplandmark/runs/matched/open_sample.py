# SPDX-License-Identifier: MIT
"""A sample as its books tell of it: matched together once, and grown since."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from gplandmark.errors import SettingsError
from gplandmark.morphometrics.matching import SampleMatch
from gplandmark.morphometrics.matching.build_sample import Run, extend_prepared, match_prepared
from gplandmark.morphometrics.matching.points import Sampled
from gplandmark.runs.matched.fingerprints import fingerprint
from gplandmark.runs.matched.membership import Books, read_books, store_path
from gplandmark.runs.matched.store import Store

__all__ = ["grown", "open_sample"]


def grown(
    specimens: Mapping[str, Sampled],
    books: Books | None,
    run: Run,
    *,
    reference: str | None = None,
    reflections: bool = True,
) -> SampleMatch:
    """Match specimens together, or add those that the books do not have to those that they have.

    Where `run` remembers what was computed before, the sample is as it was.
    """
    if books is None:
        root = None if reference is None else list(specimens).index(reference)
        return match_prepared(
            list(specimens.values()), reference=root, reflections=reflections, run=run
        )
    order = [*books.members, *(key for key in specimens if key not in books.members)]
    first = order[: books.together]
    sample = match_prepared(
        [specimens[key] for key in first],
        reference=first.index(books.reference),
        reflections=books.reflections,
        run=run,
    )
    for key in order[books.together :]:
        sample = extend_prepared(sample, specimens[key], run=run)
    return sample


def open_sample(folder: str | Path) -> SampleMatch:
    """Return the maps between all specimens of a folder that `gplandmark match` wrote.

    Nothing is computed or written: all of it was kept.

    Raises
    ------
    SettingsError
        It is no such folder, or what is kept in it is gone or of another version.
    LandmarkFileError
        The store cannot be read.
    """
    output = Path(folder)
    books = read_books(output)
    if books is None:
        raise SettingsError(
            f"{output} is not what 'gplandmark match' wrote, or that did not end. Run it first, "
            "and name its folder."
        )
    if not store_path(output).exists():
        raise _lost(output)
    with closing(Store(store_path(output), readonly=True)) as store:

        def kept(name: str) -> Any:
            found = store.get(name)
            if found is None:
                raise _lost(output)
            return found["value"]

        def recalled(function: Callable[[Any], Any], jobs: Sequence[Any]) -> list[Any]:
            return [kept(fingerprint(function, job)) for job in jobs]

        specimens = {key: kept(name).specimen for key, name in books.kept.items()}
        return grown(specimens, books, recalled)


def _lost(output: Path) -> SettingsError:
    return SettingsError(
        f"{output} no longer holds all its maps, or they are of another version. Run the same "
        "'gplandmark match' again."
    )
