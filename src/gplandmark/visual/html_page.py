# SPDX-License-Identifier: MIT
"""A page of HTML that needs nothing beside it: no network, no script, light and dark."""

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from gplandmark.io.formatting import printable

__all__ = ["Section", "embedded", "facts", "image", "note", "page", "paragraph", "safe", "table"]

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
.wide { overflow-x: auto; }
@media print { body { margin: 0; max-width: none; } h2, figure { break-inside: avoid; } }
"""
MANY = 4  # sections that are worth a list of links


@dataclass(frozen=True)
class Section:
    """A part of a page under one heading, made of pieces of HTML."""

    title: str
    parts: tuple[str, ...]


def page(
    title: str, opening: Sequence[str], sections: Sequence[Section], *, style: str = ""
) -> str:
    """Return a whole page: title, opening, links to the sections if there are many, sections.

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
    """Text as HTML: nothing in it is taken for markup."""
    return escape(printable(text))


def paragraph(text: str, *, soft: bool = False) -> str:
    """Return a paragraph of plain text."""
    return f"<p{' class=soft' if soft else ''}>{safe(text)}</p>"


def note(text: str) -> str:
    """Return a sentence that must not be overlooked."""
    return f'<div class="note">{safe(text)}</div>'


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, words: int = 1) -> str:
    """Return a table; after the first columns, `words` of them, come numbers."""
    kinds = ["" if number < words else ' class="number"' for number in range(len(header))]
    head = "".join(f"<th{kind}>{safe(name)}</th>" for name, kind in zip(header, kinds, strict=True))
    body = "\n".join(
        "<tr>"
        + "".join(f"<td{kind}>{safe(cell)}</td>" for cell, kind in zip(row, kinds, strict=True))
        + "</tr>"
        for row in rows
    )
    return f'<div class="wide"><table><tr>{head}</tr>\n{body}\n</table></div>'


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """Return a table of names and what is said of them."""
    body = "".join(f"<tr><th>{safe(name)}</th><td>{safe(said)}</td></tr>" for name, said in rows)
    return f'<div class="wide"><table>{body}</table></div>'


def image(content: bytes, caption: str, *, width: float = 7.0) -> str:
    """Return a PNG picture inside the page, `width` inches wide, with a sentence below it."""
    return (
        f'<figure><img style="width:{96 * width:.0f}px" alt="{safe(caption)}" '
        f'src="{embedded(content)}">'
        f"<figcaption>{safe(caption)}</figcaption></figure>"
    )


def embedded(content: bytes) -> str:
    """The content of a PNG file in place of its address."""
    return f"data:image/png;base64,{base64.b64encode(content).decode()}"
