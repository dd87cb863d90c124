# SPDX-License-Identifier: MIT
"""The one who writes: the files of a specimen, whole or not at all, and then its entry."""

import errno
import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gplandmark.errors import LandmarkFileError
from gplandmark.io.files import content_digest, write_atomically
from gplandmark.io.overwrite import check_own_landmarks, is_unchanged
from gplandmark.io.scans import specimen_name
from gplandmark.runs.discover import Specimen
from gplandmark.runs.engine import Outcome
from gplandmark.runs.journal import Entry, Journal
from gplandmark.runs.place_job import Result
from gplandmark.runs.run_folder import make_folder, output_paths

__all__ = ["Writer", "remove_ours"]

FATAL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)  # no other result fits either


def remove_ours(outputs: Mapping[str, str], output: Path, but: Collection[str] = ()) -> None:
    """Remove files that we wrote, but for some, and for those that somebody changed since."""
    for name, ours in outputs.items():
        if name not in but and is_unchanged(output / name, ours):
            (output / name).unlink(missing_ok=True)


@dataclass(frozen=True, eq=False)
class Writer:
    """Writes into one folder of results.

    Attributes
    ----------
    output : the folder
    journal : its open journal
    force : whether files of others are replaced
    is_elsewhere : whether the workers may not see the files that we see
    """

    output: Path
    journal: Journal
    force: bool = False
    is_elsewhere: bool = False

    def write(self, outcome: Outcome, specimen: Specimen, identity: Mapping[str, Any]) -> Entry:
        """Write what came of one specimen; a file that cannot be written is a failure of it.

        Raises
        ------
        LandmarkFileError, OSError
            The disk is full or gone, so that nothing else can be written either.
        """
        path = specimen.path
        entry = Entry(specimen.key, str(path), seconds=outcome.seconds, attempts=outcome.attempts)
        if outcome.failure is not None:
            reason = outcome.failure.reason.replace(str(path.absolute()), str(path))
            return self._failed(entry, outcome.failure.kind, self._hinted(reason, path))
        result = outcome.value
        assert isinstance(result, Result)
        files = output_paths(specimen.key, result.files)
        try:
            self._write(specimen, files)
        except (LandmarkFileError, OSError) as error:
            cause = error if isinstance(error, OSError) else error.__context__
            if getattr(cause, "errno", None) in FATAL:
                raise
            return self._failed(entry, "refused", str(error))
        self._clear(specimen.key, files)
        outputs = {name: hashlib.sha256(each).hexdigest() for name, each in files.items()}
        return self.keep(replace(entry, identity=identity, outputs=outputs, facts=result.facts))

    def _write(self, specimen: Specimen, files: Mapping[str, bytes]) -> None:
        before = self.journal.entries.get(specimen.key)
        if not self.force and (before is None or not before.is_done):
            name = specimen_name(specimen.path)
            check_own_landmarks(self.output / next(iter(files)), name)
        for name in files:
            make_folder((self.output / name).parent)
        write_atomically({self.output / name: content for name, content in files.items()})

    def _clear(self, key: str, files: Mapping[str, bytes]) -> None:
        """Remove what an earlier run wrote under other names, as far as it is still ours."""
        before = self.journal.entries.get(key)
        remove_ours({} if before is None else before.outputs, self.output, files)

    def _failed(self, entry: Entry, kind: str, reason: str) -> Entry:
        """Keep a failure; it still knows what was written before, which a person may edit."""
        before = self.journal.entries.get(entry.key)
        content = content_digest(Path(entry.file))
        return self.keep(
            replace(
                entry,
                kind=kind,
                reason=reason,
                identity={} if before is None else before.identity,
                outputs={} if before is None else before.outputs,
                facts={"sha256": content} if content else {},
            )
        )

    def _hinted(self, reason: str, path: Path) -> str:
        """Add what to do where only the worker cannot see a file."""
        if "no such file" in reason and self.is_elsewhere and path.exists():
            return (
                f"{reason} It is here, but not where the worker is: use a shared folder, or --send."
            )
        return reason

    def keep(self, entry: Entry) -> Entry:
        """Add an entry to the journal, and return it."""
        self.journal.add(entry)
        return entry
