# SPDX-License-Identifier: MIT
"""The list of landmarks in the panel, and what can be done with those selected."""

from gplandmark.editing import Editor
from gplandmark.errors import SettingsError
from gplandmark.viewer.editing.listing import NOBODY, choices, chosen, listing
from gplandmark.viewer.editing.session import Session
from gplandmark.viewer.editing.worker import Worker
from gplandmark.viewer.handles import set_new

__all__ = ["Selected"]

KINDS = {"fixed": "fixed", "semi": "semi", "not told": ""}
MORE = 5


class Selected:
    """List, name, kind and order of landmarks, and more of them.

    Parameters
    ----------
    session : what they act on
    worker : that does what is asked for
    """

    def __init__(self, session: Session, worker: Worker) -> None:
        self._session = session
        self._named: tuple[int, str] | None = None
        gui, later = session.view.served.viser.gui, worker.later
        self._list = gui.add_html("")
        self._chosen = gui.add_dropdown("Selected", (NOBODY,))
        self._chosen.on_update(later(self.choose, is_told=True))
        with gui.add_form(None) as form:
            self.name = gui.add_text("Name", "", hint="Enter gives the name.")
        form.on_submit(later(self.rename))
        kinds = gui.add_button_group("Kind", tuple(KINDS))
        kinds.on_click(later(self.call, is_told=True))
        order = gui.add_button_group("Landmark", ("Earlier", "Later", "Delete"))
        order.on_click(later(self.arrange, is_told=True))
        more = gui.add_number("How many", MORE, min=1, step=1)
        place = gui.add_button("Place more", hint="The algorithm goes on from all landmarks.")
        place.on_click(later(lambda: session.place_more(int(more.value))))

    def refresh(self) -> None:
        """Show what is selected."""
        editor = self._session.editor
        set_new(self._list, "content", listing(editor))
        options, value = choices(editor), chosen(editor)
        if tuple(self._chosen.options) != options or self._chosen.value != value:
            self._chosen.options = options
            self._chosen.value = value
        marks = [editor.state.marks[at] for at in editor.selected]
        named = (marks[0].identity, marks[0].label) if len(marks) == 1 else None
        if named != self._named:  # what somebody is typing stays
            self._named = named
            self.name.value = named[1] if named else ""

    def choose(self, choice: str) -> None:
        """Select one landmark of the list, or none."""
        at, colon, _ = choice.partition(":")
        if colon or choice == NOBODY:
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
                raise SettingsError(f"It is the {'first' if by < 0 else 'last'} landmark already.")
            editor.reorder(at, at + by)

        self._session.edit(swap)


def _one(editor: Editor) -> int:
    if len(editor.selected) != 1:
        raise SettingsError("Select one landmark for this.")
    return editor.selected[0]


def _some(editor: Editor) -> tuple[int, ...]:
    if not editor.selected:
        raise SettingsError("No landmark is selected. Select some first.")
    return editor.selected
