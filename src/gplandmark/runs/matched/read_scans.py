# SPDX-License-Identifier: MIT
"""All scans of a sample, read side by side; one that fails stops nobody else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gplandmark.errors import SettingsError
from gplandmark.io.files import content_digest
from gplandmark.io.scans.rules import Rules
from gplandmark.morphometrics.matching.points import Sampled
from gplandmark.runs.discover import Specimen
from gplandmark.runs.engine import Outcome
from gplandmark.runs.matched.fingerprints import fingerprint, mark
from gplandmark.runs.matched.run_jobs import Workshop
from gplandmark.runs.matched.scan import Ready, Scan, sample_scan, with_content
from gplandmark.runs.place_request import Request, memory_for

__all__ = ["Readings", "memory_to_read", "read_scans"]


@dataclass(frozen=True, eq=False)
class Readings:
    """What came of the scans, by the keys of their specimens.

    Attributes
    ----------
    scans, ready : those that could be read
    failed : how the others ended
    """

    scans: Mapping[str, Scan]
    ready: Mapping[str, Ready]
    failed: Mapping[str, Outcome]

    def specimens(self) -> dict[str, Sampled]:
        """The specimens as they take part in a sample."""
        return {key: each.specimen for key, each in self.ready.items()}

    def marks(self) -> dict[str, str]:
        """What the scans hold and how they are cleaned, as marks that can be compared."""
        return {key: mark(scan) for key, scan in self.scans.items()}

    def kept(self) -> dict[str, str]:
        """Names under which a store has them."""
        return {key: fingerprint(sample_scan, scan) for key, scan in self.scans.items()}

    def check(self, reference: str | None) -> None:
        """Refuse to go on without any specimen, or without the one that is the reference.

        Raises
        ------
        SettingsError
            There is nothing to match.
        """
        if not self.ready:
            reason = next((each.failure for each in self.failed.values()), None)
            why = f" The first: {reason.reason}" if reason else ""
            raise SettingsError(f"No scan could be read, so that there is nothing to match.{why}")
        if reference is not None and (failed := self.failed.get(reference)):
            why = failed.failure.reason if failed.failure else ""
            raise SettingsError(f"The reference {reference} could not be read: {why}")


def read_scans(
    specimens: Sequence[Specimen],
    rules: Rules,
    shop: Workshop,
    *,
    send: bool = False,
    timeout: float | None = None,
) -> Readings:
    """Read, clean and sample every scan; `send` their contents to workers that cannot see them.

    One that takes longer than `timeout` seconds is given up.
    """
    scans = [
        # workers may be elsewhere, so that they need the whole path
        Scan(each.key, content_digest(each.path) or "", rules, each.path.absolute())
        for each in specimens
    ]
    outcomes = {
        scans[number].key: outcome
        for number, outcome in shop.outcomes(
            sample_scan,
            scans,
            memory=[memory_to_read(scan) for scan in scans],
            prepare=with_content if send else None,
            timeout=timeout,
        )
    }
    good = [scan for scan in scans if outcomes[scan.key].failure is None]
    return Readings(
        {scan.key: scan for scan in good},
        {scan.key: outcomes[scan.key].value for scan in good},
        {scan.key: outcomes[scan.key] for scan in scans if outcomes[scan.key].failure is not None},
    )


def memory_to_read(scan: Scan) -> int:
    """Bytes that a scan may take, with few landmarks on it."""
    return memory_for(scan.path, Request(count=1))
