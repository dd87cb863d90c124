# SPDX-License-Identifier: MIT
"""The report: one page that opens without a network, with every specimen and outliers first."""

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path

from gplandmark.collections.curves import chart, decades_of, sparkline
from gplandmark.collections.joint import NOT_HOMOLOGOUS
from gplandmark.collections.journal import Entry
from gplandmark.collections.outliers import FAR, unlike_the_rest
from gplandmark.files.words import printable

__all__ = ["report_page"]

STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1a; --paper: #fbfaf7; --line: #dcd9d0;
  --soft: #6b6860; --accent: #1f6fd1; --bad: #b3261e; --mark: #c2620a; --note: #fff4d6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e6e1; --paper: #191917; --line: #3a3934;
  --soft: #a3a097; --accent: #7fb2f5; --bad: #ff8a80; --mark: #ffb35c; --note: #3a3120; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 2rem auto; max-width: 76rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0 0 .2rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { margin: .3rem 0; } .soft { color: var(--soft); }
.note { background: var(--note); border-left: 4px solid var(--mark); padding: .6rem .9rem;
  margin: 1rem 0; }
.chart { width: 100%; max-width: 720px; height: auto; }
.chart text { font-size: 12px; fill: var(--soft); }
.grid { stroke: var(--line); } polyline { fill: none; }
.one { stroke: var(--soft); stroke-width: 1; opacity: .35; }
.marked { stroke: var(--mark); stroke-width: 1.4; }
.median { stroke: var(--accent); stroke-width: 2.4; }
.spark { width: 92px; height: 38px; } .spark polyline { stroke: var(--accent); stroke-width: 1.5; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--line);
  vertical-align: middle; } th { position: sticky; top: 0; background: var(--paper); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
td img { width: 110px; height: 92px; object-fit: contain; display: block; }
.failed { color: var(--bad); } .unlike { color: var(--mark); } .name { font-weight: 600;
  overflow-wrap: anywhere; min-width: 13rem; }
.wide { overflow-x: auto; }
"""
HEADER = (
    "<tr><th></th><th>specimen</th><th>what to look at</th><th class=number>vertices</th>"
    "<th class=number>landmarks</th><th class=number>variance left</th><th>curve</th></tr>"
)


def report_page(entries: Sequence[Entry], output: Path, waiting: int = 0) -> str:
    """Return the page; it has neither dates nor times, so that equal runs give equal pages."""
    unlike = unlike_the_rest(entries)
    ordered = sorted(
        entries, key=lambda each: (each.is_done, -unlike.get(each.key, (0.0, ""))[0], each.key)
    )
    done = [entry for entry in ordered if entry.is_done]
    failed = len(ordered) - len(done)
    far = sum(unlike[entry.key][0] > FAR for entry in done)
    counts = f"{len(done):,} specimens have landmarks, {failed:,} failed"
    if waiting:
        counts += f", {waiting:,} are not done yet"
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        '<meta name=viewport content="width=device-width">',
        f"<title>gplandmark: {len(ordered):,} specimens</title><style>{STYLE}</style>",
        f"<h1>Landmarks on {len(ordered):,} specimens</h1><p>{counts}. "
        f"Unlike the rest, and first: {far:,}.</p>",
        f"<div class=note>{escape(NOT_HOMOLOGOUS)}</div>",
    ]
    if done:
        curves = [list(entry.facts["curve"]) for entry in done]
        parts += [
            "<h2>Largest variance left, as a share of the start</h2>",
            chart(curves, [unlike[entry.key][0] > FAR for entry in done]),
            "<p class=soft>One line for each specimen, orange for those unlike the rest; "
            "blue is the median.</p>",
        ]
    decades = decades_of([entry.facts["curve"] for entry in done])
    rows = [_row(each, unlike.get(each.key, (0.0, "")), output, decades) for each in ordered]
    parts.append(f"<h2>Specimens</h2><div class=wide><table>{HEADER}{''.join(rows)}</table></div>")
    return "\n".join(parts) + "</html>\n"


def _row(entry: Entry, unlike: tuple[float, str], output: Path, decades: float) -> str:
    name = f"<td class=name>{escape(printable(entry.key))}"
    if not entry.is_done:
        reason = escape(printable(entry.reason))
        return f"<tr><td></td>{name}</td><td class=failed colspan=5>Failed: {reason}</td></tr>"
    facts = entry.facts
    score, why = unlike
    said = [f"<span class=unlike>Unlike the rest: {why}</span>"] if score > FAR else []
    said += [escape(printable(each)) for each in (facts["repairs"], *facts["notes"]) if each]
    return (
        f"<tr><td>{_image(entry, output)}</td>{name}</td><td>{'<br>'.join(said)}</td>"
        f"<td class=number>{facts['vertices']:,}</td><td class=number>{facts['landmarks']}</td>"
        f"<td class=number>{100 * facts['variance_left']:.3g} %</td>"
        f"<td>{sparkline(facts['curve'], decades)}</td></tr>"
    )


def _image(entry: Entry, output: Path) -> str:
    """Return the thumbnail inside the page; nothing where there is none."""
    for name in entry.outputs:
        if name.startswith("thumbnails/"):
            content = base64.b64encode((output / name).read_bytes()).decode()
            source = f"data:image/png;base64,{content}"
            return f'<img loading=lazy decoding=async alt="" src="{source}">'
    return ""
