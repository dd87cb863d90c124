# SPDX-License-Identifier: MIT
"""The list of landmarks as HTML, and their names as choices."""

import html

from gplandmark.editing import Editor, Mark

__all__ = ["NOBODY", "choices", "chosen", "listing"]

NOBODY = "none"
ROW = "<tr style='{style}'><td style='text-align:right'>{at}</td><td>{name}</td><td>{kind}</td>"
CHOSEN = "background:#ffd3fb;color:#000;position:sticky;top:0;bottom:0"  # never out of sight


def listing(editor: Editor) -> str:
    """A table of position, name, kind and author; the selected ones stand out."""
    marks, selected = editor.state.marks, set(editor.selected)
    if not marks:
        return _box("No landmarks yet. Choose Add and click the specimen.")
    rows = "".join(_row(at, mark, at in selected) for at, mark in enumerate(marks))
    heads = "".join(f"<th style='text-align:left'>{each}</th>" for each in ("name", "kind", "by"))
    return _box(
        "<table class='landmarks' style='width:100%;border-spacing:0.6em 0;font-size:0.95em'>"
        f"<tr style='opacity:0.6'><th></th>{heads}</tr>{rows}</table>"
    )


def choices(editor: Editor) -> tuple[str, ...]:
    """Every landmark by position and name, nobody, and what is selected if it is several."""
    several = len(editor.selected)
    extra = (f"{several} landmarks",) if several > 1 else ()
    return (NOBODY, *extra, *(_choice(at, mark) for at, mark in enumerate(editor.state.marks)))


def chosen(editor: Editor) -> str:
    """The choice that is selected."""
    selected = editor.selected
    if len(selected) > 1:
        return f"{len(selected)} landmarks"
    return _choice(selected[0], editor.state.marks[selected[0]]) if selected else NOBODY


def _choice(at: int, mark: Mark) -> str:
    return f"{at + 1}: {mark.label}"


def _row(at: int, mark: Mark, is_chosen: bool) -> str:
    kind = mark.kind if mark.place is not None else "missing"
    row = ROW.format(
        style=CHOSEN if is_chosen else "", at=at + 1, name=html.escape(mark.label), kind=kind
    )
    return f"{row}<td>{mark.author}</td></tr>"


def _box(content: str) -> str:
    style = "font-size:0.8em;max-height:11em;overflow-y:auto;padding:0 0.9em;margin:0.3em 0"
    return f"<div class='landmark-list' style='{style}'>{content}</div>"
