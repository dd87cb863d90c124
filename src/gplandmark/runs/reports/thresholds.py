# SPDX-License-Identifier: MIT
"""Volumes in results: the picture of the threshold, and the options, to read the volume again."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gplandmark.errors import PictureError
from gplandmark.io.files import read_regular
from gplandmark.io.scans.clean import Cleaned
from gplandmark.io.scans.rules import Rules
from gplandmark.runs.entry_checks import is_result_name
from gplandmark.runs.journal import JournalEntry
from gplandmark.visual.charts.threshold_chart import threshold_chart
from gplandmark.visual.html_page import Section, image, note, paragraph
from gplandmark.visual.pictures import picture_bytes

if TYPE_CHECKING:
    from gplandmark.io.volumes.preview import Preview

FOLDER = "thresholds"  # of the results, with a picture for each volume
RESOLUTION = 110  # pixels per inch: enough to judge an outline
MOST = 40  # pictures on a page, about 60 kB each
WORDS = (
    "Left: how often each value occurs, with the cut; what is inside is blue. Right: slices across "
    "the axes of the file, with the outline of the surface. Positions are in units of the file, "
    "from the corner of the volume. If the outline is not that of the specimen, give another "
    "--threshold."
)


def threshold_file(preview: "Preview | None", name: str) -> bytes | None:
    """The picture of the threshold of a volume, as PNG; None of a mesh, or without matplotlib."""
    if preview is None:
        return None
    try:
        chart = threshold_chart(preview, name, resolution=RESOLUTION)
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
    found = sorted(entries, key=lambda each: (each.is_done, each.key))  # failed ones first
    cut = [(each.key, name) for each in found if (name := _picture_name(each, output))]
    if not cut:
        return []
    parts = [paragraph(WORDS, soft=True)]
    if len(cut) > MOST:
        parts.append(note(f"The first {MOST} of {len(cut):,} are shown; {FOLDER}/ has all."))
    for key, name in cut[:MOST]:
        with suppress(OSError):  # somebody removed it
            parts.append(image(read_regular(output / name), key, width=9.0))
    return [Section("Thresholds of volumes", tuple(parts))]


def _picture_name(entry: JournalEntry, output: Path) -> str:
    """The picture of a specimen, also if it failed; empty if there is none."""
    name = f"{FOLDER}/{entry.key}.png"
    is_of_failed = bool(entry.kind) and is_result_name(name) and (output / name).is_file()
    return name if name in entry.outputs or is_of_failed else ""
