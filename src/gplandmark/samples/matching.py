# SPDX-License-Identifier: MIT
"""A folder as a matched sample: every stage on the engine, every result written as it comes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from gplandmark.collections import Entry, Findings, Journal, Request, Specimen
from gplandmark.collections.edited import as_edited, digests_now, is_edited
from gplandmark.collections.request import content_digest
from gplandmark.collections.sizes import memory_for
from gplandmark.collections.writing import Writer
from gplandmark.engine import Outcome
from gplandmark.errors import SettingsError
from gplandmark.landmarks import Landmarks
from gplandmark.matching import SampleMatch
from gplandmark.matching.carrying import LEAST
from gplandmark.matching.dense import Correspondence
from gplandmark.pictures import default_camera
from gplandmark.samples.books import Books, read_books, write_books
from gplandmark.samples.fingerprints import fingerprint
from gplandmark.samples.landing import Landed, Landing, land, with_scan
from gplandmark.samples.opening import grown
from gplandmark.samples.reference import key_called, landmarks_of_reference
from gplandmark.samples.running import Workshop
from gplandmark.samples.scans import Ready, Scan, sample_scan, with_content

__all__ = ["Asked", "Matching"]


@dataclass(frozen=True)
class Asked:
    """What is asked of a sample.

    Attributes
    ----------
    request : how scans are cleaned, and landmarks placed on the reference
    reference : key of the specimen they are placed on; None for the most central one
    expert : file with landmarks on the reference that come first
    least : confidence below which a landmark is missing
    """

    request: Request
    reference: str | None = None
    expert: Path | None = None
    least: float = LEAST


@dataclass(eq=False)
class Matching:
    """One run into one folder of results; its stages are called in the order they stand here.

    Attributes
    ----------
    output : the folder
    journal : what is written
    found : what the folders hold
    asked : what is asked
    shop : where the work is done
    force : whether everything is matched anew, and files of others are replaced
    send : whether scans are sent to the workers
    """

    output: Path
    journal: Journal
    found: Findings
    asked: Asked
    shop: Workshop
    force: bool = False
    send: bool = False
    ready: dict[str, Ready] = field(default_factory=dict, init=False)
    sample: SampleMatch = field(init=False)
    landmarks: Landmarks = field(init=False)
    notes: list[str] = field(default_factory=list, init=False)
    _scans: dict[str, Scan] = field(default_factory=dict, init=False)
    _landed: dict[str, Landed] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        if self.asked.reference is not None:
            keys = [each.key for each in self.found.specimens]
            self.asked = replace(self.asked, reference=key_called(self.asked.reference, keys))

    def read(self) -> Iterator[Entry]:
        """Read and sample every scan; yield those that failed, once their entries are written.

        Raises
        ------
        SettingsError
            No scan could be read, or not that of the reference.
        """
        specimens = self.found.specimens
        scans = [self._scan(each) for each in specimens]
        memory = [memory_for(each.path, Request(count=1)) for each in specimens]
        read: dict[str, Ready] = {}
        for number, outcome in self.shop.outcomes(
            sample_scan, scans, memory=memory, prepare=with_content if self.send else None
        ):
            if outcome.failure is None:
                read[scans[number].key] = outcome.value
                self._scans[scans[number].key] = scans[number]
            else:
                yield self._writer().write(outcome, specimens[number], {})
        self.ready = dict(sorted(read.items()))
        reference = self.asked.reference
        if not read or (reference is not None and reference not in read):
            which = "No scan" if not read else f"The reference {reference}"
            raise SettingsError(f"{which} could be read, so that there is nothing to match.")

    def _scan(self, specimen: Specimen) -> Scan:
        path = specimen.path.absolute()  # workers may be elsewhere
        content = content_digest(path) or ""
        return Scan(specimen.key, content, self.asked.request.rules, path)

    def match(self) -> None:
        """Find the maps between all specimens; those of an earlier run stay where they are."""
        marks = {key: fingerprint(sample_scan, scan) for key, scan in self._scans.items()}
        books = self._earlier(marks)
        specimens = {key: each.specimen for key, each in self.ready.items()}
        self.sample = grown(specimens, books, self.asked.reference, self.shop)
        names = [each.name for each in self.sample.specimens]
        members = {name: marks[name] for name in names}
        if books is not None and len(names) > len(books.members):
            self.notes.append(
                f"{len(names) - len(books.members)} added to the {len(books.members)} matched "
                "before, which stay where they are; --overwrite matches all anew."
            )
        write_books(self.output, Books(names[self.sample.reference], members, self.sample.together))

    def _earlier(self, marks: Mapping[str, str]) -> Books | None:
        """The members of an earlier run, if they are all here and the same is asked."""
        books = read_books(self.output)
        if books is None or self.force:
            return None
        if gone := books.gone(marks):
            self.notes.append(
                f"All are matched anew: {gone[0]} is no longer there, or not what it was"
                + (f", and {len(gone) - 1} more." if len(gone) > 1 else ".")
            )
            return None
        if self.asked.reference not in (None, books.reference):
            self.notes.append(
                f"All are matched anew: the reference was {books.reference}, "
                f"and is {self.asked.reference} now."
            )
            return None
        return books

    def place(self) -> None:
        """Place landmarks on the reference."""
        key = self.sample.specimens[self.sample.reference].name
        self.landmarks = landmarks_of_reference(
            self._scans[key], self.asked.request, self.asked.expert
        )

    def carry(self) -> Iterator[Entry]:
        """Carry the landmarks to every specimen; yield each once it is written."""
        tasks = self._landings()
        memory = [memory_for(task.scan.path, Request(count=1)) for task in tasks]
        by_key = {each.key: each for each in self.found.specimens}
        writer = self._writer()
        for number, outcome in self.shop.outcomes(
            land, tasks, memory=memory, prepare=with_scan if self.send else None
        ):
            key = tasks[number].scan.key
            if outcome.failure is None:
                self._landed[key] = outcome.value
                outcome = replace(outcome, value=outcome.value.result)
            yield self._written(writer, by_key[key], outcome, number)

    def _landings(self) -> list[Landing]:
        sample = self.sample
        camera = default_camera(sample.specimens[sample.reference].surface)
        return [
            Landing(
                self._scans[each.name],
                sample.route(sample.reference, number),
                self.landmarks,
                max(sample.together, number + 1),
                sample.poses[number],
                camera,
                self.asked.least,
                self.asked.request.ending,
            )
            for number, each in enumerate(sample.specimens)
        ]

    def _written(
        self, writer: Writer, specimen: Specimen, outcome: Outcome, number: int
    ) -> Entry:
        """Write a specimen; what a person changed since is left alone."""
        before = self.journal.entries.get(specimen.key)
        if before is not None and before.is_done and not self.force:
            if is_edited(before, digests_now(before, self.output)):
                return as_edited(before, self.output)
        if outcome.failure is None:
            facts = {**self.ready[specimen.key].facts, **outcome.value.facts}
            facts |= self._standing(number)
            outcome = replace(outcome, value=replace(outcome.value, facts=facts))
        return writer.write(outcome, specimen, {"matching": True})

    def _standing(self, number: int) -> dict[str, Any]:
        """Where a specimen stands in the sample."""
        sample = self.sample
        facts: dict[str, Any] = {
            "agreement": float(sample.agreement[number]),
            "reference_distance": float(sample.distances[number, sample.reference]),
        }
        if len(sample) > 1:
            others = sample.distances[number] + np.where(np.arange(len(sample)) == number, np.inf, 0)
            nearest = int(others.argmin())
            facts |= {
                "nearest": sample.specimens[nearest].name,
                "nearest_distance": float(others[nearest]),
            }
        return facts

    def correspondence(self) -> Correspondence:
        """Where many points of the reference lie on every specimen."""
        landed = [(each, self._landed[each.name]) for each in self.sample.specimens
                  if each.name in self._landed]  # fmt: skip
        return Correspondence(
            tuple(each.name for each, _ in landed),
            np.stack([found.points for _, found in landed]),
            np.stack([found.weights for _, found in landed]),
            np.array([each.size for each, _ in landed]),
        )

    def _writer(self) -> Writer:
        crew = self.shop.crew
        return Writer(self.output, self.journal, self.force, crew is not None and not crew.is_local)

    def entries(self) -> list[Entry]:
        """Entries of all specimens that ended."""
        keys: Sequence[str] = [each.key for each in self.found.specimens]
        told = self.journal.entries
        return [self._told(told[key]) for key in sorted(keys) if key in told]

    def _told(self, entry: Entry) -> Entry:
        if not entry.is_done or not is_edited(entry, digests_now(entry, self.output)):
            return entry
        return as_edited(entry, self.output)
