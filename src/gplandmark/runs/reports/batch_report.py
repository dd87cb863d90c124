# SPDX-License-Identifier: MIT
"""The report page of a batch: failures and outliers first, with variance curves as SVG."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from gplandmark.io.formatting import counted
from gplandmark.io.homology import NOT_HOMOLOGOUS
from gplandmark.numerics.robust import FAR
from gplandmark.runs.duplicates import same_scans
from gplandmark.runs.journal import JournalEntry
from gplandmark.runs.reports.thresholds import threshold_sections
from gplandmark.runs.reports.thumbnails import stored_thumbnail
from gplandmark.runs.reports.unusual_specimens import batch_outliers
from gplandmark.runs.reports.viewer_links import open_command
from gplandmark.visual.html_page import (
    Section,
    cell,
    html_table,
    line_breaks,
    note,
    page,
    paragraph,
    row,
    safe,
    thumbnail_image,
)

DEEPEST = 4  # powers of ten; less remaining variance is drawn as that
MOST = 400  # curves in one chart; more cannot be distinguished
WIDTH, HEIGHT, LEFT, FOOT = 720, 300, 56, 34


def decades_of(curves: Iterable[Sequence[float]]) -> float:
    """Return how many powers of ten the curves fall, at most."""
    lowest = min((value for curve in curves for value in curve if value > 0), default=0.1)
    return float(np.clip(np.ceil(-np.log10(lowest)), 1, DEEPEST))


def _points(curve: Sequence[float], most: int, decades: float, width: float, height: float) -> str:
    """Pixels of the points of a curve; a fraction of 1 of the variance is at the top."""
    across = np.arange(len(curve)) / max(most - 1, 1) * width
    down = np.abs(np.log10(np.clip(curve, 10.0**-decades, 1.0))) / decades * height
    return " ".join(f"{x:.0f},{y:.0f}" for x, y in zip(across, down, strict=True))


def sparkline(curve: Sequence[float], decades: float) -> str:
    """A curve without axes, small enough for a cell of a table."""
    line = _points(curve, len(curve), decades, 90, 36)
    return f'<svg class="spark" viewBox="-1 -1 92 38"><polyline points="{line}"/></svg>'


def chart(curves: Sequence[Sequence[float]], marked: Sequence[bool]) -> str:
    """Curves with axes, those that are marked on top, and the median of all at each number.

    Of very many curves `MOST` are drawn, at most half of them marked ones, evenly taken.
    """
    most = max(map(len, curves))
    decades = decades_of(curves)
    width, height = WIDTH - LEFT - 10, HEIGHT - FOOT - 10
    plain = [number for number, mark in enumerate(marked) if not mark]
    on_top = _some([number for number, mark in enumerate(marked) if mark], MOST // 2)
    order = [*_some(plain, max(MOST - len(on_top), 1)), *on_top]
    lines = [
        f'<polyline class="{"marked" if marked[i] else "one"}" '
        f'points="{_points(curves[i], most, decades, width, height)}"/>'
        for i in order
    ]
    median = [
        float(np.median([curve[number] for curve in curves if number < len(curve)]))
        for number in range(most)
    ]
    lines.append(
        f'<polyline class="median" points="{_points(median, most, decades, width, height)}"/>'
    )
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'aria-label="Largest remaining variance against the number of landmarks">'
        f'<g transform="translate({LEFT},10)">{_axes(most, decades, width, height)}'
        f"{''.join(lines)}</g></svg>"
    )


def _some(numbers: Sequence[int], most: int) -> list[int]:
    """Return at most so many of them, from the first to the last."""
    if len(numbers) <= most:
        return list(numbers)
    return [numbers[place] for place in np.linspace(0, len(numbers) - 1, most).astype(int)]


def _axes(most: int, decades: float, width: float, height: float) -> str:
    parts = []
    for decade in range(int(decades) + 1):
        y = decade / decades * height
        parts.append(f'<line class="grid" x1="0" x2="{width}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(
            f'<text x="-6" y="{y + 4:.1f}" text-anchor="end">{100 / 10**decade:g} %</text>'
        )
    step = max(1, round((most - 1) / 8 / 5) * 5)
    for count in range(0, most, step):
        x = count / max(most - 1, 1) * width
        parts.append(f'<text x="{x:.1f}" y="{height + 16}" text-anchor="middle">{count}</text>')
    parts.append(
        f'<text x="{width / 2}" y="{height + 31}" text-anchor="middle">number of landmarks</text>'
    )
    return "".join(parts)


ROWS = 1000  # specimens on the page, with their pictures some 5 MB; the summary has all
STYLE = """
body { max-width: 76rem; } table { width: 100%; }
th, td { padding: .35rem .6rem; vertical-align: middle; }
th { position: sticky; top: 0; background: var(--paper); }
.chart { width: 100%; max-width: 720px; height: auto; }
.chart text { font-size: 12px; fill: var(--soft); }
.grid { stroke: var(--line); } polyline { fill: none; }
.one { stroke: var(--soft); stroke-width: 1; opacity: .35; }
.marked { stroke: var(--mark); stroke-width: 1.4; }
.median { stroke: var(--accent); stroke-width: 2.4; }
.spark { width: 92px; height: 38px; } .spark polyline { stroke: var(--accent); stroke-width: 1.5; }
@media (min-width: 60rem) { .wide { overflow: visible; } }  /* else the header does not stay */
.name { min-width: 13rem; } .name p { margin: 0; } .name code { font: .85em monospace; }
"""
COLOURS = (
    "Landmarks in the pictures: red at cusps, tips and saddles; blue along ridges and grooves and "
    "in basins; green near the rim. Hidden landmarks are not shown."
)
HEADER = row(
    *(cell(name, tag="th") for name in ("", "specimen", "what to look at")),
    *(cell(name, "number", tag="th") for name in ("vertices", "landmarks", "remaining variance")),
    cell("curve", tag="th"),
)


def batch_page(entries: Sequence[JournalEntry], output: Path, waiting: int = 0) -> str:
    """Return the page; equal runs give equal pages.

    Of more than `ROWS` specimens it shows the failed ones, to half of its rows, and then those
    that are least like the rest.
    """
    unlike = batch_outliers(entries)
    failed = sorted((each for each in entries if not each.is_done), key=lambda each: each.key)
    done = sorted(
        (each for each in entries if each.is_done),
        key=lambda each: (not each.reason, -unlike[each.key][0], each.key),
    )
    far = sum(unlike[each.key][0] > FAR for each in done)
    have = "has" if len(done) == 1 else "have"
    counts = f"{counted(len(done), 'specimen')} {have} landmarks, {len(failed):,} failed"
    if waiting:
        counts += f", {waiting:,} {'is' if waiting == 1 else 'are'} not done yet"
    if edited := sum(bool(each.reason) for each in done):
        counts += f"; {edited:,} edited by a person"
    words = (
        f"{counts}; {counted(far, 'outlier')}. Failed specimens come first, then edited ones, then "
        "outliers."
    )
    opening = [paragraph(words), *map(note, (NOT_HOMOLOGOUS, *same_scans(entries)))]
    sections = [Section("Specimens", _table(failed, done, unlike, output))]
    if drawn := [each for each in done if "curve" in each.facts]:
        sections.insert(0, _curves(drawn, unlike))
    sections += threshold_sections([*failed, *done], output)
    return page(f"Landmarks on {counted(len(entries), 'specimen')}", opening, sections, style=STYLE)


def _curves(done: Sequence[JournalEntry], unlike: Mapping[str, tuple[float, str]]) -> Section:
    drawn = chart(
        [entry.facts["curve"] for entry in done], [unlike[each.key][0] > FAR for each in done]
    )
    shown = "One line for each specimen" if len(done) <= MOST else f"Lines for {MOST} specimens"
    words = f"{shown}, orange for outliers; blue is the median of all."
    return Section(
        "Largest remaining variance, as a fraction of the initial",
        (drawn, paragraph(words, soft=True)),
    )


def _table(
    failed: Sequence[JournalEntry],
    done: Sequence[JournalEntry],
    unlike: Mapping[str, tuple[float, str]],
    output: Path,
) -> tuple[str, ...]:
    """Rows for as many as one page can hold, and what it leaves out."""
    shown = [*failed[: max(ROWS // 2, ROWS - len(done))]]
    shown += done[: ROWS - len(shown)]
    decades = decades_of(entry.facts["curve"] for entry in done if "curve" in entry.facts)
    rows = [_row(each, unlike.get(each.key, (0.0, "")), output, decades) for each in shown]
    table = html_table([HEADER, *rows])
    left_out = len(failed) + len(done) - len(shown)
    parts = (paragraph(COLOURS, soft=True), table)
    if not left_out:
        return parts
    words = (
        f"{len(shown):,} specimens are shown: failed ones, then the most extreme. "
        f"{left_out:,} more are in summary.csv, and their pictures in the folder thumbnails."
    )
    return (note(words), *parts)


def _row(entry: JournalEntry, unlike: tuple[float, str], output: Path, decades: float) -> str:
    if not entry.is_done:
        name = cell(safe(entry.key), "name")
        return row(cell(""), name, cell(f"Failed: {safe(entry.reason)}", "bad", span=5))
    facts = entry.facts
    score, why = unlike
    remarks = [safe(f"{entry.reason.capitalize()}.")] if entry.reason else []
    remarks += [f'<span class="unlike">Outlier: {why}</span>'] if score > FAR else []
    remarks += [safe(each) for each in (facts["repairs"], *facts["notes"]) if each]
    has_curve = "curve" in facts  # not if a person edited the landmarks
    small = stored_thumbnail(entry, output)
    return row(
        cell(thumbnail_image(small) if small else ""),
        cell(safe(entry.key) + open_command(entry.key), "name"),
        cell(line_breaks(remarks)),
        cell(f"{facts['vertices']:,}", "number"),
        cell(safe(str(facts["landmarks"])), "number"),
        cell(f"{100 * facts['variance_left']:.3g} %" if has_curve else "", "number"),
        cell(sparkline(facts["curve"], decades) if has_curve else ""),
    )
