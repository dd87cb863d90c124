# SPDX-License-Identifier: MIT
"""Where the results of a match are written, and what a person changed is left alone."""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gplandmark.io.landmark_files import read_landmarks
from gplandmark.runs.discover import Specimen
from gplandmark.runs.engine import Outcome
from gplandmark.runs.journal import Entry
from gplandmark.runs.manual_edits import as_edited, digests_now, is_edited
from gplandmark.runs.matched.posed_pictures import redrawn
from gplandmark.runs.place_job import Result
from gplandmark.runs.run_folder import make_folder
from gplandmark.runs.write_results import Writer, remove_ours

__all__ = ["Desk", "told"]


@dataclass(frozen=True, eq=False)
class Desk:
    """Where the results of a run go.

    Attributes
    ----------
    specimens : all of them, by key
    landmarks : a mark for each of those that are carried, in their order
    writer : writes their files and entries
    tell : is told every entry as it is written
    """

    specimens: Mapping[str, Specimen]
    landmarks: Sequence[str]
    writer: Writer
    tell: Callable[[Entry], None]

    def write(self, outcome: Outcome, key: str) -> None:
        """Write what came of a specimen, but never over what a person changed.

        Changed landmarks that are carried no longer, all or some of them, are set aside.
        """
        identity = {"landmarks": list(self.landmarks)}
        before = self.writer.journal.entries.get(key)
        if outcome.failure is None and before is not None and not self.writer.force:
            now = digests_now(before, self.writer.output)
            is_theirs = is_edited(before, now) and not _is_written(outcome.value, now)
            if is_theirs and not self._is_same_set(before):
                outcome = _with_note(outcome, self._set_aside(before))
            elif is_theirs:
                kept = replace(before, kind="", reason="", facts=outcome.value.facts)
                self.tell(told(self.writer.keep(kept), self.writer.output))
                return
        self.tell(self.writer.write(outcome, self.specimens[key], identity))

    def _is_same_set(self, before: Entry) -> bool:
        """Tell whether the landmarks begin with those of before."""
        others = list(before.identity.get("landmarks", []))
        return list(self.landmarks[: len(others)]) == others

    def _set_aside(self, before: Entry) -> str:
        """Move a file that a person changed out of the way; return what is to be said of it."""
        path = self.writer.output / next(iter(before.outputs))
        name = Path(next(iter(before.outputs))).relative_to("landmarks")
        aside = self.writer.output / "edited" / name
        make_folder(aside.parent)
        number = 1
        while aside.exists():
            number += 1
            aside = aside.with_name(f"{number}-{name.name}")
        path.rename(aside)
        return (
            "A person had edited another set of its landmarks; "
            f"they are set aside in edited/{aside.relative_to(self.writer.output / 'edited')}."
        )

    def clear_others(self, landed: Collection[str]) -> None:
        """Remove landmarks of an earlier match from specimens that have none now, if they are ours.

        Their numbers may mean other places than those of this match.
        """
        journal = self.writer.journal
        for key, entry in list(journal.entries.items()):
            if key in landed:
                continue
            remove_ours(entry.outputs, self.writer.output)
            if key not in self.specimens and entry.is_done:
                reason = "It is no longer among the scans."
                self.writer.keep(replace(entry, kind="gone", reason=reason))


def told(entry: Entry, output: Path) -> Entry:
    """The entry, or what is told in its place where a person changed the landmarks since."""
    if not entry.is_done or not is_edited(entry, digests_now(entry, output)):
        return entry
    edited = as_edited(entry, output)
    return edited if edited.kind else _with_picture(edited, entry, output)


def _with_picture(edited: Entry, before: Entry, output: Path) -> Entry:
    """The person's landmarks in the picture, which has none of its own."""
    points = read_landmarks(output / next(iter(before.outputs))).points
    picture = redrawn(before.facts["picture"], points)
    return replace(edited, outputs=before.outputs, facts={**edited.facts, "picture": picture})


def _is_written(result: Result, now: Mapping[str, str | None]) -> bool:
    """Tell whether the landmark file is what is to be written: a run ended before it said so."""
    written = hashlib.sha256(next(iter(result.files.values()))).hexdigest()
    return next(iter(now.values()), None) == written


def _with_note(outcome: Outcome, note: str) -> Outcome:
    result = outcome.value
    facts = {**result.facts, "notes": [*result.facts.get("notes", ()), note], "aside": note}
    return replace(outcome, value=replace(result, facts=facts))
