# SPDX-License-Identifier: MIT
"""Pieces of self-contained HTML pages: no network, no script, light and dark.

All report pages are made of these: sections, paragraphs, notes, tables, figures and cards.
"""

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from gplandmark.io.formatting import printable

STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1a; --paper: #fbfaf7; --line: #dcd9d0;
  --soft: #6b6860; --accent: #1f5fb8; --bad: #b3261e; --mark: #c2620a; --note: #fff4d6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e6e1; --paper: #191917; --line: #3a3934;
  --soft: #a3a097; --accent: #7fb2f5; --bad: #ff8a80; --mark: #ffb35c; --note: #3a3120; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 2rem auto; max-width: 62rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0 0 .2rem; } h2 { font-size: 1.15rem; margin: 2.4rem 0 .6rem;
  padding-top: .4rem; border-top: 1px solid var(--line); }
p { margin: .5rem 0; max-width: 46rem; } a { color: var(--accent); }
.soft { color: var(--soft); } .bad { color: var(--bad); }
nav { columns: 2; margin: 1rem 0; } nav a { display: block; }
.note { background: var(--note); border-left: 4px solid var(--mark); padding: .5rem .9rem;
  margin: .6rem 0; overflow-wrap: anywhere; }
figure { margin: 1rem 0; } figure img { max-width: 100%; height: auto; background: white;
  border-radius: 4px; padding: 6px; box-sizing: border-box; }
figcaption { color: var(--soft); font-size: .9rem; max-width: 46rem; }
table { border-collapse: collapse; margin: .6rem 0; }
th, td { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; } th { font-weight: 600; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; } .name { font-weight: 600; overflow-wrap: anywhere; }
.unlike, .badge.unlike { color: var(--mark); }
details { margin: .6rem 0; } summary { cursor: pointer; color: var(--accent); }
td img { width: 110px; height: 92px; object-fit: contain; display: block; }
.cards { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(17.5rem, 1fr)); }
.card { border: 1px solid var(--line); border-radius: 6px; padding: .6rem .8rem; min-width: 0;
  content-visibility: auto; contain-intrinsic-size: auto 24rem; font-size: .9rem;
  break-inside: avoid; }
.card:target { outline: 2px solid var(--accent); }
.card h3 { font-size: 1rem; margin: .3rem 0 .1rem; overflow-wrap: anywhere; }
.card p { margin: .15rem 0; overflow-wrap: anywhere; }
.card a { text-decoration: none; }
.badge { font-size: .75rem; font-weight: 500; border: 1px solid currentColor; border-radius: 9px;
  padding: 0 .45rem; margin-left: .4rem; color: var(--accent); white-space: nowrap; }
@media print { body { margin: 0; max-width: none; } h2, figure { break-inside: avoid; } }
"""
MANY = 4  # sections from which on a page has a list of links


@dataclass(frozen=True)
class Section:
    """A part of a page under one heading, made of pieces of HTML."""

    title: str
    parts: tuple[str, ...]


def page(
    title: str, opening: Sequence[str], sections: Sequence[Section], *, style: str = ""
) -> str:
    """Return a complete page: title, opening, links to the sections if there are many, sections.

    `style` is CSS of its own. The page has neither date nor time, so that equal content gives
    equal bytes.
    """
    links = "".join(
        f'<a href="#part-{number}">{safe(each.title)}</a>' for number, each in enumerate(sections)
    )
    links = f"\n<nav>{links}</nav>" if len(sections) >= MANY else ""
    bodies = "\n".join(
        f'<h2 id="part-{number}">{safe(each.title)}</h2>\n' + "\n".join(each.parts)
        for number, each in enumerate(sections)
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{safe(title)}</title><style>{STYLE}{style}</style></head>\n<body>\n"
        f"<h1>{safe(title)}</h1>\n" + "\n".join(opening) + f"{links}\n{bodies}\n"
        "</body></html>\n"
    )


def safe(text: str) -> str:
    """Text as HTML: markup in it is escaped."""
    return escape(printable(text))


def paragraph(text: str, *, soft: bool = False) -> str:
    """Return a paragraph of plain text."""
    return f"<p{' class=soft' if soft else ''}>{safe(text)}</p>"


def note(text: str) -> str:
    """Return a sentence that must not be overlooked."""
    return f'<div class="note">{safe(text)}</div>'


def line_breaks(parts: Iterable[str]) -> str:
    """Return pieces of HTML below each other."""
    return "<br>".join(parts)


def link(text: str, anchor: str) -> str:
    """Return text that leads to an anchor of the page."""
    return f'<a href="#{anchor}">{safe(text)}</a>'


def folded(summary: str, content: str) -> str:
    """Return a piece of HTML that shows when its summary is clicked."""
    return f"<details><summary>{safe(summary)}</summary>{content}</details>"


def cell(content: str, kind: str = "", *, span: int = 1, tag: str = "td") -> str:
    """Return a cell of a table with a piece of HTML; `kind` is its class, e.g. "number"."""
    of_kind = f' class="{kind}"' if kind else ""
    across = f' colspan="{span}"' if span > 1 else ""
    return f"<{tag}{of_kind}{across}>{content}</{tag}>"


def row(*cells: str) -> str:
    """Return a row of a table."""
    return f"<tr>{''.join(cells)}</tr>"


def html_table(rows: Iterable[str]) -> str:
    """Return a table of rows, which scrolls if it is wider than the page."""
    return '<div class="wide"><table>' + "\n".join(rows) + "</table></div>"


def data_table(header: Sequence[str], rows: Iterable[Sequence[str]], *, words: int = 1) -> str:
    """Return a table of plain text; after the first columns, `words` of them, come numbers."""
    kinds = ["" if number < words else "number" for number in range(len(header))]
    head = row(
        *(cell(safe(name), kind, tag="th") for name, kind in zip(header, kinds, strict=True))
    )
    body = (row(*(cell(safe(each), kind) for each, kind in zip(texts, kinds, strict=True)))
            for texts in rows)  # fmt: skip
    return html_table([head, *body])


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """Return a table of names and descriptions."""
    return html_table(row(cell(safe(name), tag="th"), cell(safe(text))) for name, text in rows)


def badge(text: str, *, reason: str = "") -> str:
    """Return a short label in a frame; with a reason, shown on hovering, it is highlighted."""
    if not reason:
        return f'<span class="badge">{safe(text)}</span>'
    return f'<span class="badge unlike" title="{safe(reason)}">{safe(text)}</span>'


def card(anchor: str, parts: Iterable[str]) -> str:
    """Return a framed block that links can lead to."""
    return f'<article class="card" id="{anchor}">{"".join(parts)}</article>'


def card_grid(cards: Iterable[str]) -> str:
    """Return cards side by side, as many as the page is wide."""
    return '<div class="cards">' + "\n".join(cards) + "</div>"


def thumbnail_image(content: bytes) -> str:
    """Return a PNG picture for a cell of a table."""
    return f'<img loading="lazy" decoding="async" alt="" src="{embedded(content)}">'


def image(content: bytes, caption: str, *, width: float = 7.0) -> str:
    """Return a figure: a PNG picture inside the page, `width` inches wide, and its caption."""
    return (
        f'<figure><img style="width:{96 * width:.0f}px" alt="{safe(caption)}" '
        f'src="{embedded(content)}">'
        f"<figcaption>{safe(caption)}</figcaption></figure>"
    )


def embedded(content: bytes) -> str:
    """The content of a PNG file as a data URL."""
    return f"data:image/png;base64,{base64.b64encode(content).decode()}"
