"""Docstrings of gplandmark, which are plain text, as reStructuredText for Sphinx.

- `name : meaning` becomes an entry of its own; types are in the signature.
- Indented blocks, formulas, are shown as they are.
- Stars, bars and trailing underscores are letters, not markup.
"""

import re

ENTRY = re.compile(r"(\s*)([\w*][\w, *]*) : (.*)")
LISTS = {"Parameters", "Attributes", "Other Parameters"}


def as_restructured_text(app, what, name, thing, options, lines) -> None:  # noqa: ARG001
    """Rewrite the lines of a docstring in place; Sphinx calls it for each."""
    lines[:] = _blocks(_entries(lines))


def _entries(lines: list[str]) -> list[str]:
    """Move what a parameter means from the place of its type to a line below it."""
    found, section = [], ""
    for at, line in enumerate(lines):
        if at + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[at + 1].strip()):
            section = line.strip()
        entry = ENTRY.fullmatch(line) if section in LISTS else None
        if entry and not entry.group(1):
            found += [entry.group(2), "    " + entry.group(3)]
        else:
            found.append(line)
    return found


def _blocks(lines: list[str]) -> list[str]:
    """Mark indented blocks as literal, and escape what is not markup elsewhere."""
    found: list[str] = []
    text_indent, block_indent = 0, None
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if not line.strip():
            found.append(line)
            continue
        if block_indent is not None and indent < block_indent:
            block_indent = None
        is_after_blank = bool(found) and not found[-1].strip()
        if block_indent is None and is_after_blank and indent >= text_indent + 4:
            block_indent = indent
            found += [" " * text_indent + ".. code-block:: text", ""]
        if block_indent is None:
            text_indent = indent
            found.append(_escaped(line))
        else:
            found.append(line)
    return found


def _escaped(line: str) -> str:
    """Escape markup outside of backticks."""
    if line.lstrip().startswith((">>>", "...", ":", "..")):
        return line
    parts = re.split(r"(``?[^`]+``?)", line)
    return "".join(
        part if part.startswith("`") else re.sub(r"([*|]|(?<=\w)_(?!\w))", r"\\\1", part)
        for part in parts
    )
