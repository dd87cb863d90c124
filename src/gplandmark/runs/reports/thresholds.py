# SPDX-License-Identifier: MIT
"""Volumes in results: the picture of the threshold, and the options, to read the volume again."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from gplandmark.errors import PictureError
from gplandmark.io.files import read_regular
from gplandmark.io.scans.clean import Cleaned
from gplandmark.io.scans.rules import Rules
from gplandmark.runs.journal import JournalEntry
from gplandmark.visual.charts.threshold_chart import threshold_chart
from gplandmark.visual.html_page import Section, image, note, paragraph
from gplandmark.visual.pictures import picture_bytes

FOLDER = "thresholds"  # of the results, with a picture for each volume
RESOLUTION = 110  # pixels per inch: enough to judge an outline
MOST = 40  # pictures on a page, about 60 kB each
WORDS = (
    "Left: how often each value occurs, with the cut; what is inside is blue. Right: slices across "
    "the axes of the file, with the outline of the surface. If the outline is not that of the "
    "specimen, give another --threshold."
)


def threshold_file(cleaned: Cleaned) -> bytes | None:
    """The picture of the threshold of a volume, as PNG; None of a mesh, or without matplotlib."""
    if cleaned.preview is None:
        return None
    try:
        chart = threshold_chart(cleaned.preview, cleaned.surface.name, resolution=RESOLUTION)
    except PictureError:
        return None
    return picture_bytes(chart, ".png")


def volume_facts(rules: Rules, cleaned: Cleaned) -> dict[str, Any]:
    """Options of a volume, for the journal; nothing of a mesh, or where none were given."""
    if cleaned.preview is None or rules.volume is None:
        return {}
    return {"volume": rules.volume.as_dict()}


def threshold_sections(entries: Iterable[JournalEntry], output: Path) -> list[Section]:
    """A section with the pictures of the thresholds; none if no specimen was a volume."""
    cut = sorted((key, name) for key, name in map(_picture_name, entries) if name)
    if not cut:
        return []
    parts = [paragraph(WORDS, soft=True)]
    if len(cut) > MOST:
        parts.append(note(f"The first {MOST} of {len(cut):,} are shown; {FOLDER}/ has all."))
    for key, name in cut[:MOST]:
        with suppress(OSError):  # somebody removed it
            parts.append(image(read_regular(output / name), key, width=9.0))
    return [Section("Thresholds of volumes", tuple(parts))]


def _picture_name(entry: JournalEntry) -> tuple[str, str]:
    names = (name for name in entry.outputs if name.startswith(f"{FOLDER}/"))
    return entry.key, next(names, "")
