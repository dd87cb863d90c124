# SPDX-License-Identifier: MIT
"""The tables of a matched sample: a row per specimen, a row per pair, and all distances."""

from collections.abc import Iterable

from gplandmark.collections.journal import Entry
from gplandmark.files.rows import table_text
from gplandmark.matching import SampleMatch

__all__ = ["distances_text", "pairs_text", "summary_text"]

FACTS = (
    "vertices", "repairs", "landmarks", "missing", "mean_confidence", "agreement", "mirrored",
    "nearest", "nearest_distance", "reference_distance", "area", "sha256",
)  # fmt: skip


def summary_text(entries: Iterable[Entry]) -> str:
    """Return a row for each specimen, by key."""
    rows: list[tuple[object, ...]] = []
    for entry in entries:
        status = ("edited" if entry.reason else "done") if entry.is_done else "failed"
        told = (entry.facts.get(name) for name in FACTS)
        over = " ".join(entry.facts.get("over", ()))
        rows.append((entry.key, status, entry.reason, *told, over, entry.seconds, entry.file))
    header = ("specimen", "status", "reason", *FACTS, "over", "seconds", "file")
    return table_text(header, sorted(rows, key=lambda row: str(row[0])))


def pairs_text(sample: SampleMatch) -> str:
    """Return a row for each pair that was compared.

    The confidence is how clearly the pose is the best of all; whether two are mirror images is
    told as the pair sees it for itself, and as the whole sample agreed on.
    """
    names = [each.name for each in sample.specimens]
    tree, mirrored = set(sample.tree), sample.mirrored
    return table_text(
        ("specimen", "other", "distance", "mirrored", "confidence", "mirrored_in_sample",
         "in_tree", "mapped"),
        (
            (names[i], names[j], each.distance, each.pose.reflects, each.certainty,
             bool(mirrored[i] != mirrored[j]), (i, j) in tree, (i, j) in sample.steps)
            for (i, j), each in sorted(sample.alignments.items())
        ),
    )  # fmt: skip


def distances_text(sample: SampleMatch) -> str:
    """Return the distances of all pairs, in units of sqrt(area)."""
    names = [each.name for each in sample.specimens]
    rows = zip(names, sample.distances, strict=True)
    return table_text(("specimen", *names), ([name, *map(float, row)] for name, row in rows))
