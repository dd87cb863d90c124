# SPDX-License-Identifier: MIT
"""Experts' landmarks of some specimens of a folder: those given, and those checked since."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gplandmark.errors import AnalysisError, LandmarkFileError
from gplandmark.io.formatting import listed
from gplandmark.io.homology import is_untouched
from gplandmark.io.landmark_files import read_landmarks
from gplandmark.io.overwrite import is_unchanged
from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.evaluation.observers import landmarks_by_specimen, specimen_keys
from gplandmark.runs.checked import CHECKED, read_checked
from gplandmark.runs.journal import JournalEntry

OURS = "The landmarks of {} were carried or predicted by gplandmark, and nobody edited them."
PLACED = "Name the folder or file with the landmarks that a person placed."
CHECK = f"They are not used; list those that are right in {CHECKED} in the folder of results."


@dataclass(frozen=True, eq=False)
class Experts:
    """Landmarks of annotated specimens.

    Attributes
    ----------
    landmarks : by the key of the specimen
    checked : keys of those that were predicted before and that a person has checked since
    accepted : keys of those among them that are exactly as they were predicted
    notes : what was decided, as sentences
    """

    landmarks: Mapping[str, Landmarks]
    checked: frozenset[str]
    accepted: frozenset[str]
    notes: tuple[str, ...]


def gather_experts(
    given: Sequence[Landmarks],
    keys: Sequence[str],
    entries: Mapping[str, JournalEntry] | None = None,
    output: Path | None = None,
) -> Experts:
    """Experts' landmarks of the specimens `keys`.

    Predictions that a person has checked, which `checked.txt` in the folder of results lists, count
    as experts' landmarks, with the person's corrections. They replace what was `given` for the
    same specimen. Without a folder of results there are none. With one, what gplandmark itself
    carried or predicted is not used before a person has edited or checked it.

    Raises
    ------
    AnalysisError
        Two sets have one name, no set belongs to a specimen, or no person placed or checked any.
    LandmarkFileError
        Landmarks that were checked cannot be read.
    """
    landmarks, notes = _of_specimens(given, keys)
    if output is None or entries is None:
        return Experts(landmarks, frozenset(), frozenset(), tuple(notes))
    ours = {key for key, each in landmarks.items() if is_untouched(each)}
    landmarks = {key: each for key, each in landmarks.items() if key not in ours}
    checked = read_checked(output)
    usable = {key for key in checked if key in keys and _has_landmarks(entries.get(key), output)}
    unchanged = {key for key in usable if _is_unchanged(entries[key], output)}
    usable -= unchanged & set(landmarks)  # they are what was given
    for key in sorted(usable):
        path = output / entries[key].landmark_file
        if key in landmarks:
            notes.append(f"{key}: {path} is used, which was corrected, instead of what was given.")
        landmarks[key] = replace(read_landmarks(path), specimen=key)
    if ours and not landmarks:
        raise AnalysisError(f"{OURS.format(listed('specimen', sorted(ours)))} {PLACED}")
    if unused := sorted(ours - usable):
        notes.append(f"{OURS.format(listed('specimen', unused))} {CHECK}")
    if others := sorted(checked.difference(usable, landmarks, ours)):
        notes.append(
            f"{CHECKED}: there are no landmarks of {listed('specimen', others)}. Write the name "
            "of the scan, without its extension."
        )
    return Experts(landmarks, frozenset(usable), frozenset(unchanged & usable), tuple(notes))


def _of_specimens(
    given: Sequence[Landmarks], keys: Sequence[str]
) -> tuple[dict[str, Landmarks], list[str]]:
    """Landmarks by the key of their specimen, and what is said of those without one."""
    by_name = landmarks_by_specimen(given)
    found = specimen_keys(by_name, keys)
    if by_name and not found:
        raise AnalysisError(
            f"The experts' landmarks are of {listed('specimen', list(by_name))}, but the scans are "
            f"{listed('specimen', keys)}. The names must be the same."
        )
    strangers = [name for name in by_name if name not in found]
    note = f"There is no scan for the landmarks of {listed('specimen', strangers)}."
    landmarks = {key: replace(by_name[name], specimen=key) for name, key in found.items()}
    return landmarks, [note] if strangers else []


def _is_unchanged(entry: JournalEntry, output: Path) -> bool:
    return is_unchanged(output / entry.landmark_file, entry.outputs[entry.landmark_file])


def _has_landmarks(entry: JournalEntry | None, output: Path) -> bool:
    if entry is None or not entry.is_done or not entry.outputs:
        return False
    try:
        return (output / entry.landmark_file).is_file()
    except (LandmarkFileError, OSError):
        return False
