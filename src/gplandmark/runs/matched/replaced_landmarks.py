# SPDX-License-Identifier: MIT
"""A match into a folder that has other landmarks, of an earlier match with other settings."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from gplandmark.runs.checked import set_aside_checked
from gplandmark.runs.journal import JournalEntry

REPLACED = (
    "This folder had {} landmarks of an earlier match, with other settings or another reference. "
    "They are replaced by {}. What a person edited is kept, or set aside in edited/."
)


def note_replaced(
    entries: Iterable[JournalEntry], keys: Sequence[str], output: Path
) -> tuple[str, ...]:
    """What is said if most specimens have landmarks of other keys; what was checked is set aside.

    Raises
    ------
    LandmarkFileError
        The list of what was checked cannot be moved.
    """
    sets = Counter(tuple(each.identity.get("landmarks", ())) for each in entries)
    del sets[()]
    if not sets or tuple(keys) in sets:
        return ()
    ((before, _),) = sets.most_common(1)
    said = REPLACED.format(len(before), len(keys))
    return tuple(filter(None, (said, set_aside_checked(output))))
