# SPDX-License-Identifier: MIT
"""Files of a specimen, written completely or not at all, and then its entry in the journal.

Batches and matched samples write their specimens here, and nowhere else.
"""

import errno
import hashlib
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gplandmark.errors import LandmarkFileError
from gplandmark.io.files import content_digest, write_atomically
from gplandmark.io.landmark_files import read_landmarks
from gplandmark.io.overwrite import check_own_landmarks, is_unchanged
from gplandmark.io.volumes.options import VolumeOptions
from gplandmark.runs.discover import ScanFile
from gplandmark.runs.engine import Outcome
from gplandmark.runs.journal import Journal, JournalEntry, as_edited, digests_now, is_edited
from gplandmark.runs.place_job import SpecimenResult
from gplandmark.runs.reports.thumbnails import redrawn
from gplandmark.runs.run_folder import make_folder, output_paths

FATAL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)  # no other result fits either
ONLY_HERE = " It is here, but not where the worker is: use a shared folder, or --send."


def remove_ours(outputs: Mapping[str, str], output: Path, but: Collection[str] = ()) -> None:
    """Remove files that we wrote, but for some, and for those that somebody changed since."""
    for name, ours in outputs.items():
        if name not in but and is_unchanged(output / name, ours):
            (output / name).unlink(missing_ok=True)


@dataclass(frozen=True, eq=False)
class SpecimenWriter:
    """Writes into one folder of results.

    Attributes
    ----------
    output : the folder
    journal : its open journal
    force : whether files of others are replaced
    is_remote : whether the workers may not see the files that we see
    """

    output: Path
    journal: Journal
    force: bool = False
    is_remote: bool = False

    def write(
        self, outcome: Outcome, specimen: ScanFile, identity: Mapping[str, Any]
    ) -> JournalEntry:
        """Write what came of one specimen, but never over what a person changed, unless forced.

        A file that cannot be written is a failure of the specimen. In the identity of matched
        specimens `landmarks` has a key for each landmark that is carried, in their order. Edited
        landmarks of another set, which are no longer carried, are set aside.

        Raises
        ------
        LandmarkFileError, OSError
            The disk is full or gone, so that nothing else can be written either.
        """
        before = self.journal.entries.get(specimen.key)
        if outcome.is_done and outcome.value.failure:
            self._write_picture(specimen, outcome.value)
            outcome = replace(outcome, kind="refused", reason=outcome.value.failure)
        if outcome.is_done and before is not None and not self.force:
            now = digests_now(before, self.output)
            if is_edited(before, now) and not _is_written(outcome.value, now):
                facts = outcome.value.facts
                if _has_set_of(before.identity, identity):
                    kept = replace(before, kind="", reason="", facts=facts)
                    return as_found(self.journal.add(kept), self.output)
                note = self._set_aside(before)
                facts = {**facts, "notes": [*facts.get("notes", ()), note], "aside": note}
                outcome = replace(outcome, value=replace(outcome.value, facts=facts))
        return self._replace(outcome, specimen, identity)

    def _replace(
        self, outcome: Outcome, specimen: ScanFile, identity: Mapping[str, Any]
    ) -> JournalEntry:
        path, before = specimen.path, self.journal.entries.get(specimen.key)
        entry = JournalEntry(
            specimen.key, str(path), seconds=outcome.seconds, attempts=outcome.attempts
        )
        if not outcome.is_done:
            reason = outcome.reason.replace(str(path.absolute()), str(path))
            if "no such file" in reason and self.is_remote and path.exists():
                reason += ONLY_HERE
            return self._failed(entry, outcome.kind, reason, specimen.volume)
        result = outcome.value
        assert isinstance(result, SpecimenResult)
        try:
            files = output_paths(specimen.key, result.files)
            self._write(specimen, files)
        except (LandmarkFileError, OSError) as error:
            cause = error if isinstance(error, OSError) else error.__context__
            if getattr(cause, "errno", None) in FATAL:
                raise
            return self._failed(entry, "refused", str(error), specimen.volume)
        if before is not None:  # what an earlier run wrote under other names
            remove_ours(before.outputs, self.output, files)
        outputs = {name: hashlib.sha256(each).hexdigest() for name, each in files.items()}
        return self.journal.add(
            replace(entry, identity=identity, outputs=outputs, facts=result.facts)
        )

    def _write(self, specimen: ScanFile, files: Mapping[str, bytes]) -> None:
        before = self.journal.entries.get(specimen.key)
        if not self.force and (before is None or not before.is_done):
            check_own_landmarks(self.output / next(iter(files)), specimen.name)
        for name in files:
            make_folder((self.output / name).parent)
        write_atomically({self.output / name: content for name, content in files.items()})

    def _write_picture(self, specimen: ScanFile, result: SpecimenResult) -> None:
        """Write what shows why a specimen failed; without it, the reason is still said."""
        with suppress(LandmarkFileError, OSError):
            for name, content in output_paths(specimen.key, result.files).items():
                make_folder((self.output / name).parent)
                write_atomically({self.output / name: content})

    def _failed(
        self, entry: JournalEntry, kind: str, reason: str, volume: VolumeOptions | None
    ) -> JournalEntry:
        """Keep a failure; it still knows what was written before, which a person may edit."""
        before = self.journal.entries.get(entry.key)
        content = content_digest(Path(entry.file))
        return self.journal.add(
            replace(
                entry,
                kind=kind,
                reason=reason,
                identity={} if before is None else before.identity,
                outputs={} if before is None else before.outputs,
                facts={
                    **({"sha256": content} if content else {}),
                    **({} if volume is None else {"volume": volume.as_dict()}),
                },
            )
        )

    def _set_aside(self, before: JournalEntry) -> str:
        """Move a file that a person changed out of the way; return what is to be said of it."""
        path = self.output / before.landmark_file
        name = path.relative_to(self.output / "landmarks")
        aside = self.output / "edited" / name
        make_folder(aside.parent)
        number = 1
        while aside.exists():
            number += 1
            aside = aside.with_name(f"{number}-{name.name}")
        path.rename(aside)
        return (
            "A person had edited another set of its landmarks; "
            f"they are set aside in edited/{aside.relative_to(self.output / 'edited')}."
        )

    def clear_others(self, carried: Collection[str], scans: Collection[str]) -> None:
        """Remove landmarks of an earlier match from specimens that have none now, if they are ours.

        Their numbers may mean other places than those of this match.
        """
        for key, entry in list(self.journal.entries.items()):
            if key in carried:
                continue
            remove_ours(entry.outputs, self.output)
            if key not in scans and entry.is_done:
                gone = replace(entry, kind="gone", reason="It is no longer among the scans.")
                self.journal.add(gone)

    def keep_unreadable(self, folders: Mapping[str, str]) -> list[JournalEntry]:
        """Add entries of folders that cannot be read, with the reasons, and return them."""
        entries = [
            JournalEntry(key, reason.split(" cannot")[0], reason, "refused")
            for key, reason in folders.items()
        ]
        for entry in entries:
            if self.journal.entries.get(entry.key) != entry:
                self.journal.add(entry)
        return entries


def as_found(entry: JournalEntry, output: Path) -> JournalEntry:
    """The entry, or one with the person's numbers where a person changed the landmarks since."""
    if not entry.is_done or not is_edited(entry, digests_now(entry, output)):
        return entry
    edited = as_edited(entry, output)
    if edited.kind or "picture" not in entry.facts:
        return edited
    # the picture itself has no landmarks: the report draws the person's into it
    picture = redrawn(entry.facts["picture"], read_landmarks(output / entry.landmark_file).points)
    return replace(edited, outputs=entry.outputs, facts={**edited.facts, "picture": picture})


def _has_set_of(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether the landmarks of before are the first of those that are written now."""
    others = list(before.get("landmarks", ()))
    return list(now.get("landmarks", ()))[: len(others)] == others


def _is_written(result: SpecimenResult, now: Mapping[str, str | None]) -> bool:
    """Whether the file is what is to be written: a run ended before its entry was added."""
    written = hashlib.sha256(next(iter(result.files.values()))).hexdigest()
    return next(iter(now.values()), None) == written
