# SPDX-License-Identifier: MIT
"""The list of landmarks in the panel, and what can be done with those selected."""

import html

from gplandmark.errors import SettingsError
from gplandmark.visual.editor import Editor, Mark
from gplandmark.visual.viewer.editing.session import Session
from gplandmark.visual.viewer.editing.worker import Worker
from gplandmark.visual.viewer.panel import set_new

KINDS = {"fixed": "fixed", "semi": "semi", "unspecified": ""}
MORE = 5


class Selected:
    """List, name, kind and order of landmarks, and more of them."""

    def __init__(self, session: Session, worker: Worker) -> None:
        self._session = session
        self._named: tuple[int, str] | None = None
        gui, later = session.view.served.viser.gui, worker.later
        self._list = gui.add_html("")
        self._chosen = gui.add_dropdown("Selected", (NO_SELECTION,))
        self._chosen.on_update(later(self.choose, with_value=True))
        with gui.add_form(None) as form:
            self.name = gui.add_text("Name", "", hint="Press Enter to rename.")
        form.on_submit(later(self.rename, with_text=True))
        kinds = gui.add_button_group("Kind", tuple(KINDS))
        kinds.on_click(later(self.call, with_value=True))
        order = gui.add_button_group("Landmark", ("Earlier", "Later", "Delete"))
        order.on_click(later(self.arrange, with_value=True))
        more = gui.add_number("How many", MORE, min=1, step=1)
        place = gui.add_button(
            "Place more", hint="The algorithm continues from the present landmarks."
        )
        place.on_click(later(lambda: session.place_more(int(more.value))))

    def refresh(self) -> None:
        """Show what is selected."""
        editor = self._session.editor
        set_new(self._list, "content", landmark_table(editor))
        options, value = list_choices(editor), current_choice(editor)
        if tuple(self._chosen.options) != options or self._chosen.value != value:
            self._chosen.options = options
            self._chosen.value = value
        marks = [editor.state.marks[at] for at in editor.selected]
        named = (marks[0].identity, marks[0].label) if len(marks) == 1 else None
        if named != self._named:  # keep what a person is typing
            self._named = named
            self.name.value = named[1] if named else ""

    def choose(self, choice: str) -> None:
        """Select one landmark of the list, or none."""
        at, colon, _ = choice.partition(":")
        if colon or choice == NO_SELECTION:
            self._session.select(*([int(at) - 1] if colon else []))

    def rename(self) -> None:
        """Give the one that is selected the name in the field."""
        name = self.name.value
        self._session.edit(lambda editor: editor.rename(_one(editor), name))

    def call(self, kind: str) -> None:
        """Mark those selected as fixed or semi."""
        self._session.edit(lambda editor: editor.set_kind(_some(editor), KINDS[kind]))

    def delete(self) -> None:
        """Delete those selected."""
        self._session.edit(lambda editor: editor.delete(_some(editor)))

    def arrange(self, what: str) -> None:
        """Move the one that is selected earlier or later, or delete those selected."""
        if what == "Delete":
            self.delete()
            return
        by = -1 if what == "Earlier" else 1

        def swap(editor: Editor) -> None:
            at = _one(editor)
            if not 0 <= at + by < len(editor.state.marks):
                raise SettingsError(f"It is already the {'first' if by < 0 else 'last'} landmark.")
            editor.reorder(at, at + by)

        self._session.edit(swap)


def _one(editor: Editor) -> int:
    if len(editor.selected) != 1:
        raise SettingsError("Select exactly one landmark first.")
    return editor.selected[0]


def _some(editor: Editor) -> tuple[int, ...]:
    if not editor.selected:
        raise SettingsError("No landmark is selected. Select one or more first.")
    return editor.selected


NO_SELECTION = "none"
CHOSEN = "background:#ffd3fb;color:#000;position:sticky;top:0;bottom:0"  # never out of sight


def landmark_table(editor: Editor) -> str:
    """A table of position, name, kind and author; the selected ones are highlighted."""
    marks, selected = editor.state.marks, set(editor.selected)
    if not marks:
        return _box("No landmarks yet. Choose Add and click the specimen.")
    rows = "".join(_row(at, mark, at in selected) for at, mark in enumerate(marks))
    heads = "".join(f"<th style='text-align:left'>{each}</th>" for each in ("name", "kind", "by"))
    return _box(
        "<table class='landmarks' style='width:100%;border-spacing:0.6em 0;font-size:0.95em'>"
        f"<tr style='opacity:0.6'><th></th>{heads}</tr>{rows}</table>"
    )


def list_choices(editor: Editor) -> tuple[str, ...]:
    """No selection, several landmarks if they are selected, and every landmark by name."""
    several = len(editor.selected)
    extra = (f"{several} landmarks",) if several > 1 else ()
    every = (_choice(at, mark) for at, mark in enumerate(editor.state.marks))
    return (NO_SELECTION, *extra, *every)


def current_choice(editor: Editor) -> str:
    """The choice that is selected."""
    selected = editor.selected
    if len(selected) > 1:
        return f"{len(selected)} landmarks"
    return _choice(selected[0], editor.state.marks[selected[0]]) if selected else NO_SELECTION


def _choice(at: int, mark: Mark) -> str:
    return f"{at + 1}: {mark.label}"


def _row(at: int, mark: Mark, is_chosen: bool) -> str:
    kind = mark.kind if mark.place is not None else "missing"
    return (
        f"<tr style='{CHOSEN if is_chosen else ''}'><td style='text-align:right'>{at + 1}</td>"
        f"<td>{html.escape(mark.label)}</td><td>{kind}</td><td>{mark.author}</td></tr>"
    )


def _box(content: str) -> str:
    style = "font-size:0.8em;max-height:11em;overflow-y:auto;padding:0 0.9em;margin:0.3em 0"
    return f"<div class='landmark-list' style='{style}'>{content}</div>"
