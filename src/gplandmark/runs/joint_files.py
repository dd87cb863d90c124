# SPDX-License-Identifier: MIT
"""All specimens in one file, for each format that the programs for analysis read.

Landmarks that were placed on each specimen independently are numbered by what they add to the
knowledge of that specimen: number 7 of one is not number 7 of another. Every file of such landmarks
says so where its format has room for it.
"""

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from gplandmark.errors import GplandmarkWarning, LandmarkFileError, warn
from gplandmark.io.files import write_atomically
from gplandmark.io.formatting import ONE_NAME, listed
from gplandmark.io.homology import NOT_HOMOLOGOUS, NOTE, as_unmatched
from gplandmark.io.landmark_files import read_collection, read_landmarks
from gplandmark.io.landmark_formats.formats import JOINT, writer_of
from gplandmark.landmarks import Landmarks, Record
from gplandmark.landmarks.coordinate_system import OF_MESHES
from gplandmark.landmarks.curves import renumbered
from gplandmark.runs.journal import JournalEntry, journal_path, read_entries
from gplandmark.runs.run_folder import (
    check_no_links,
    command_of,
    has_homologous_landmarks,
    make_folder,
)

NAMES = tuple(f"landmarks{extension}" for extension in JOINT)
WITH_SYSTEMS = "landmarks.csv"  # the one that distinguishes LPS and RAS
MIXED = (
    f"Some scans are marked RAS and others are in LPS. Of the joint files only {WITH_SYSTEMS} "
    "distinguishes them and is written; 'gplandmark convert --to-lps' makes the others of it."
)
FOLDER = "collection"


def write_joint(
    entries: Sequence[JournalEntry], output: Path, *, labels: Sequence[str] | None = None
) -> list[str]:
    """Write the joint files; return what they leave out, in sentences.

    With `labels` the landmarks are matched: these names come first, in their order. Without, a mark
    in the files and a note beside them say that they are not.

    A specimen that failed, and landmarks that one lacks and others have, are missing in them: NA,
    or the number that the format has for it. Of matched specimens, those that failed are left out.
    """
    texts, notes = joint_texts(entries, output, labels=labels)
    if texts:
        make_folder(output / FOLDER)
        write_atomically(texts)
    return notes


def is_joined(entries: Sequence[JournalEntry], output: Path) -> bool:
    """Whether the joint files on disk are of the landmarks as they are now, placed one by one."""
    texts, _ = joint_texts(entries, output)
    return all(path.is_file() and path.read_text("utf-8") == text for path, text in texts.items())


def joint_texts(
    entries: Sequence[JournalEntry], output: Path, *, labels: Sequence[str] | None = None
) -> tuple[dict[Path, str], list[str]]:
    """Texts of the joint files by path, and what they leave out; see `write_joint`."""
    notes: list[str] = []
    if labels is None:
        collection = list(as_unmatched(_with_systems(_collection(entries, output))))
    else:
        collection = _with_systems(_homologous(entries, output, labels, notes))
    names = NAMES
    if len({each.system for each in collection if not each.missing.all()}) > 1:
        names = (WITH_SYSTEMS,)
        notes.append(MIXED)
    if not any(len(each) for each in collection):
        return {}, ["There are no joint files: no specimen in space has landmarks."]
    texts: dict[Path, str] = {}
    if labels is None:
        texts[output / FOLDER / NOTE] = NOT_HOMOLOGOUS + "\n"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", GplandmarkWarning)
        for name in names:
            path = output / FOLDER / name
            try:
                with LandmarkFileError.about(path):
                    texts[path] = writer_of(path)(collection)
            except LandmarkFileError as error:
                notes.append(str(error))
    said = dict.fromkeys(str(each.message) for each in caught)
    return texts, [*notes, *(note for note in said if ONE_NAME in note)]


def _collection(entries: Iterable[JournalEntry], output: Path) -> Iterable[Landmarks]:
    """Landmarks of every specimen in space, filled up with missing ones to the same number."""
    found: dict[str, Landmarks | None] = {}
    for entry in sorted(entries, key=lambda each: each.key):
        found[entry.key] = None
        if entry.is_done:
            landmarks = read_landmarks(output / entry.landmark_file)
            if landmarks.points.shape[1] != 3:
                del found[entry.key]
                continue
            found[entry.key] = landmarks
    most = max((len(each) for each in found.values() if each is not None), default=0)
    for key, each in found.items():
        points = np.full((most, 3), np.nan)
        if each is not None:
            points[: len(each)] = each.points
        yield Landmarks.at(points, key, system=None if each is None else each.system)


def _homologous(
    entries: Iterable[JournalEntry], output: Path, labels: Sequence[str], notes: list[str]
) -> Iterable[Landmarks]:
    """Landmarks of the specimens that have some, each in the place of its name."""
    done = sorted((entry for entry in entries if entry.is_done), key=lambda each: each.key)
    found = {each.key: read_landmarks(output / each.landmark_file) for each in done}
    for key in [key for key, each in found.items() if len(set(each.labels)) < len(each)]:
        notes.append(f"{key} is not in the joint files: two of its landmarks have one name.")
        del found[key]
    for key, each in zip(found, in_order_of_labels(list(found.values()), labels), strict=True):
        yield replace(each, specimen=key, record=Record())


def _with_systems(collection: Iterable[Landmarks]) -> list[Landmarks]:
    """Each with its system where one is in RAS; LPS alone goes without saying, as in meshes."""
    found = list(collection)
    if any(each.system == "RAS" for each in found):
        return [replace(each, system=each.system or OF_MESHES) for each in found]
    return [replace(each, system=None) for each in found]


def in_order_of_labels(
    collection: Sequence[Landmarks], labels: Sequence[str] = ()
) -> list[Landmarks]:
    """The same landmarks on all, in one order: these names first; what one lacks is missing."""
    names = dict.fromkeys([*labels, *(label for each in collection for label in each.labels)])
    place = {label: number for number, label in enumerate(names)}
    result = []
    for each in collection:
        points = np.full((len(names), each.points.shape[1]), np.nan)
        points[[place[label] for label in each.labels]] = each.points
        kinds = dict(zip(each.labels, each.kinds, strict=False))
        numbers = {at: place[label] for at, label in enumerate(each.labels)}
        result.append(
            Landmarks.at(
                points, each.specimen, labels=tuple(names), record=each.record, system=each.system,
                kinds=tuple(kinds.get(label, "") for label in names),
                curves=renumbered(each.curves, numbers),
            )
        )  # fmt: skip
    return result


def results_of(path: Path) -> Path | None:
    """Return the folder of results that a path names, itself or by its joint files; else None."""
    folder = path.absolute().parent if path.name == FOLDER else path
    is_ours = journal_path(folder).exists() and (folder / "landmarks").is_dir()
    return folder if path.is_dir() and is_ours else None


def read_results(results: Path) -> tuple[Landmarks, ...]:
    """Read the landmarks of each specimen that has some, called after its key, as ``site/a``.

    The journal lists these files: others may be left from earlier runs.

    Raises
    ------
    LandmarkFileError
        There are none, or they cannot be read.
    """
    check_no_links(results)
    done = {key: entry for key, entry in read_entries(results).items() if entry.is_done}
    files = {key: results / entry.landmark_file for key, entry in sorted(done.items())}
    found = [
        replace(read_landmarks(path), specimen=key) for key, path in files.items() if path.exists()
    ]
    if has_homologous_landmarks(results) and len({each.labels for each in found}) > 1:
        common, _ = Counter(each.labels for each in found).most_common(1)[0]
        found = in_order_of_labels(found, common)  # a person removed some, or added some
    if not found:
        raise LandmarkFileError(f"{results / 'landmarks'} has no landmark file in it.")
    warn_if_outdated(results, found)
    return tuple(found)


def warn_if_outdated(results: Path, found: Sequence[Landmarks]) -> None:
    """Name specimens whose landmarks were changed after the joint files were written."""
    path = results / FOLDER / WITH_SYSTEMS
    if not path.is_file():
        return
    command, by_name = command_of(results), has_homologous_landmarks(results)
    joint = {each.specimen: each for each in read_collection(path, missing=())}
    outdated = [
        each.specimen
        for each in found
        if each.specimen in joint
        and _present(each, by_name) != _present(joint[each.specimen], by_name)
    ]
    if outdated:
        warn(
            f"Changed after {results / FOLDER} was written: {listed('specimen', outdated)}. The "
            f"files there and {results / 'summary.csv'} still have the old landmarks. Run "
            f"'gplandmark {command}' again to update them.",
            stacklevel=3,
        )


def _present(landmarks: Landmarks, by_name: bool) -> list[tuple[object, ...]]:
    """Landmarks that are not missing, by name if they are matched, to be compared."""
    labels = landmarks.labels if by_name else ("",) * len(landmarks)
    rows = zip(labels, landmarks.points.tolist(), landmarks.missing, strict=True)
    return sorted((label, *point) for label, point, is_missing in rows if not is_missing)
