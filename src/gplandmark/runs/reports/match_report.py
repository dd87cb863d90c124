# SPDX-License-Identifier: MIT
"""The report of a matched sample: every specimen in the common pose, the least certain first."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gplandmark.io.formatting import counted
from gplandmark.landmarks.record import NOT_ON_FRAGMENT, SHARE
from gplandmark.numerics.arrays import BoolArray, FloatArray
from gplandmark.runs.journal import JournalEntry
from gplandmark.runs.reports import distance_drawings as drawings
from gplandmark.runs.reports import specimen_cards as cards
from gplandmark.runs.reports.thresholds import threshold_sections
from gplandmark.runs.reports.unusual_specimens import Outlier, sample_outliers
from gplandmark.visual.html_page import (
    Section,
    card_grid,
    cell,
    folded,
    html_table,
    line_breaks,
    note,
    page,
    paragraph,
    row,
    safe,
)

CARDS = 1000  # specimens with pictures on the page, which then has some 20 MB
REMARKS = 8  # shown before the others, which are folded
STYLE = f"""
body {{ max-width: 84rem; }}
nav {{ columns: auto; display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; }}
{cards.STYLE}{drawings.MATRIX_STYLE}{drawings.TREE_STYLE}"""
MIRRORED = (
    "Mirror images are drawn reflected, in the orientation of the reference, so that all can be "
    "compared. Coordinates in the files are never mirrored: they are those of each scan."
)
POSE = (
    "All specimens have the orientation of the reference and the same size. The least certain come "
    "first: by the fraction of missing landmarks, then by mean confidence. The confidence is the "
    "probability that a landmark is within a tenth of the specimen's size of its true position. "
    "Point at a landmark to read its name, its expected error and the radius that contains it with "
    "a probability of 90 %, in file units."
)
DISTANCES = (
    "Root mean square distance of two surfaces in the best pose, by position, normal and form, in "
    "units of size. Similar specimens are next to each other."
)
TREE = (
    "Each specimen is joined to one of the most similar; the horizontal axis is the sum of the "
    "distances from the reference. Poses are propagated along these branches. Hollow circles are "
    "mirror images of the reference. The tree shows similarity of form, not descent."
)


@dataclass(frozen=True, eq=False)
class Overview:
    """What is known of the sample as a whole.

    Attributes
    ----------
    reference : key of the specimen whose landmarks were carried
    names : keys of the specimens, in the order of what follows
    distances : (n, n) in units of size
    tree : pairs of numbers, from 0
    mirrored : (n,) which are mirror images of the reference, as far as it is known
    remarks : sentences on single specimens
    labels : of the landmarks
    experts : keys of the annotated specimens, of a prediction
    """

    reference: str
    names: tuple[str, ...]
    distances: FloatArray
    tree: Sequence[tuple[int, int]]
    mirrored: BoolArray
    remarks: tuple[str, ...]
    labels: tuple[str, ...]
    experts: tuple[str, ...] = ()


def match_page(
    entries: Sequence[JournalEntry],
    output: Path,
    overview: Overview,
    more: Sequence[Section] = (),
) -> str:
    """Return the page, with `more` sections first; equal runs give equal pages.

    Of more than `CARDS` specimens it shows the least certain.
    """
    done = sorted((each for each in entries if each.is_done), key=_certainty)
    failed = sorted((each for each in entries if not each.is_done), key=lambda each: each.key)
    shown = done[:CARDS]
    layout = cards.CardLayout.of(shown, overview.labels, overview.reference)
    outliers = sample_outliers(done)
    sections = [Section("Outliers", _outliers(outliers, layout, len(done)))]
    if failed:
        rows = [
            row(cell(safe(each.key), "name"), cell(safe(each.reason), "bad")) for each in failed
        ]
        sections.insert(0, Section("Failed", (html_table(rows),)))
    sections = [*more, *sections]
    sections.append(Section("Specimens", _gallery(done, shown, output, layout, outliers)))
    sections += [*threshold_sections(done, output), *_relations(overview)]
    title = f"The same landmarks on {counted(len(done), 'specimen')}"
    if overview.experts:
        others = len(done) - len(set(overview.experts) & {each.key for each in done})
        title = f"Landmarks predicted on {counted(others, 'specimen')}"
    return page(title, _opening(done, failed, overview), sections, style=STYLE)


def _certainty(entry: JournalEntry) -> tuple[float, float, float, str]:
    """What cards are ordered by; a person's landmarks are certain."""
    facts = entry.facts
    missing, present = facts.get("missing", 0), facts.get("landmarks", 0)
    sure = facts.get("mean_confidence")
    if entry.reason:
        return 0.0, 1.0, 0.0, entry.key
    error = facts.get("mean_expected_error") or 0.0
    certain = 0.0 if sure is None else sure
    return -missing / max(missing + present, 1), certain, -error, entry.key


def _opening(
    done: Sequence[JournalEntry], failed: Sequence[JournalEntry], overview: Overview
) -> list[str]:
    count = len(overview.labels)
    mine = [entry.facts for entry in done if not entry.reason]
    lacking = [len(facts.get(NOT_ON_FRAGMENT, ())) for facts in mine]
    gone = [facts.get("missing", 0) - less for facts, less in zip(mine, lacking, strict=True)]
    mirrored = sum(map(cards.is_mirrored, done))
    edited = sum(bool(entry.reason) for entry in done)
    origin = f"{overview.reference}, the reference"
    if overview.experts:
        origin = f"{counted(len(overview.experts), 'annotated specimen')}"
    words = (
        f"{counted(count, 'landmark')} of {origin}, on "
        f"{counted(len(done), 'specimen')}; {len(failed):,} failed"
    )
    words += f"; {edited:,} edited by a person." if edited else "."
    if any(gone) or not any(lacking):
        words += _missing(gone, count)
    if any(lacking):
        are_broken = all(SHARE in facts for facts, less in zip(mine, lacking, strict=True) if less)
        which = counted(int(np.count_nonzero(lacking)), "fragment" if are_broken else "specimen")
        what = "missing" if are_broken else "missing or not bone"
        words += f" On {which}, {sum(lacking):,} of them lie on what is {what}."
    parts = [paragraph(words)]
    if mirrored:
        have = "specimen is a mirror image" if mirrored == 1 else "specimens are mirror images"
        parts.append(paragraph(f"{mirrored:,} {have} of the reference. {MIRRORED}"))
    return [*parts, *_remarks(overview.remarks)]


def _missing(gone: Sequence[int], count: int) -> str:
    """How many landmarks are missing, from how many on each specimen."""
    if not sum(gone):
        return " No landmark is missing."
    return (
        f" Missing because they are too uncertain: {sum(gone):,} of {count * len(gone):,} "
        f"landmarks ({100 * sum(gone) / (count * len(gone)):.1f} %), on "
        f"{counted(int(np.count_nonzero(gone)), 'specimen')}."
    )


def _remarks(remarks: Sequence[str]) -> list[str]:
    notes = [note(each) for each in remarks]
    if more := notes[REMARKS:]:
        return [*notes[:REMARKS], folded(counted(len(more), "more remark"), "".join(more))]
    return notes


def _outliers(outliers: Sequence[Outlier], layout: cards.CardLayout, count: int) -> tuple[str, ...]:
    if not outliers:
        return (paragraph(f"No outliers among {counted(count, 'specimen')}."),)
    rows = [
        row(cell(layout.link(each.key), "name"), cell(line_breaks(map(safe, each.reasons))))
        for each in outliers
    ]
    return (html_table(rows),)


def _gallery(
    done: Sequence[JournalEntry],
    shown: Sequence[JournalEntry],
    output: Path,
    layout: cards.CardLayout,
    outliers: Sequence[Outlier],
) -> tuple[str, ...]:
    parts = [paragraph(POSE, soft=True)]
    if len(done) > len(shown):
        words = (
            f"The {len(shown):,} least certain are shown; {len(done) - len(shown):,} more are "
            "in summary.csv, and their pictures in the folder thumbnails."
        )
        parts.insert(0, note(words))
    if layout.numbers != layout.labels:
        named = ", ".join(f"{a} {b}" for a, b in zip(layout.numbers, layout.labels, strict=True))
        parts.append(folded("Names of the landmarks", paragraph(named)))
    reasons = {each.key: each.reasons for each in outliers}
    drawn = (cards.specimen_card(each, output, layout, reasons.get(each.key, ())) for each in shown)
    return (*parts, cards.legend(), card_grid(drawn))


def _relations(overview: Overview) -> list[Section]:
    """Distances and tree, as far as they can be read."""
    count, sections = len(overview.names), []
    if count < 3:
        return []
    if count <= drawings.MOST_IN_MATRIX:
        drawn = drawings.distance_heat_map(overview.names, overview.distances)
    else:
        drawn = paragraph(f"{count:,} specimens are too many to draw; distances.csv has them all.")
    title = "Distances between specimens"
    sections.append(Section(title, (paragraph(DISTANCES, soft=True), drawn)))
    if count <= drawings.MOST_IN_TREE and overview.reference in overview.names:
        root = overview.names.index(overview.reference)
        tree = drawings.draw_tree(
            overview.names, overview.distances, overview.tree, overview.mirrored.tolist(), root
        )
        sections.append(Section("Tree of similarity", (paragraph(TREE, soft=True), tree)))
    return sections
