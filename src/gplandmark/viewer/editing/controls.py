# SPDX-License-Identifier: MIT
"""The part of the panel that edits: tools, undo, the list, what is selected, and the file."""

import html
from collections.abc import Callable
from functools import partial
from typing import Any

from gplandmark.editing import Editor
from gplandmark.errors import LandmarkFileError, SettingsError
from gplandmark.viewer.editing.asking import ask
from gplandmark.viewer.editing.keys import add_command
from gplandmark.viewer.editing.listing import NOBODY, choices, chosen, listing
from gplandmark.viewer.editing.mouse import Mouse
from gplandmark.viewer.editing.session import Session
from gplandmark.viewer.editing.tools import HINTS, TOOLS
from gplandmark.viewer.editing.worker import Worker

__all__ = ["Controls"]

IN_HAND = "\N{BLACK CIRCLE} "  # before the name of the tool in hand
KINDS = {"fixed": "fixed", "semi": "semi", "not told": ""}
MORE = 5
FIRST = -1e6  # order of what stands above the controls of the viewer
BRUSHES = (0.01, 0.4, 0.01)
REFUSED, FINE = "#c92a2a", "inherit"


class Controls:
    """Buttons and fields, shared by all browsers.

    Parameters
    ----------
    session : what they act on
    output : the file to save to unless a person types another
    force : whether that file may be replaced without a question
    """

    def __init__(self, session: Session, output: str, *, force: bool = False) -> None:
        self._session, self._output, self._force = session, output, force
        self._gui = session.view.served.viser.gui
        self._worker = Worker(self._failed)
        self._mouse = Mouse(session, self._worker)
        self._labelled = ""
        self._named: tuple[int, str] | None = None
        self._add_tools()
        self._add_selected()
        jobs: dict[str, Callable[[], object]] = {
            "Undo": session.undo,
            "Redo": session.redo,
            "Save": self.save,
            "Delete": partial(self._arrange, "Delete"),
            **{tool: partial(session.take, tool) for tool in TOOLS},
        }
        for name, job in jobs.items():
            add_command(self._gui, name, self._later(job))
        session.changed = self.refresh
        session.view.served.closing.append(self._worker.stop)
        self.refresh()

    def wait(self) -> None:
        """Return when all that was asked for is done."""
        self._worker.wait()

    def refresh(self) -> None:
        """Show the state of the session."""
        session, editor = self._session, self._session.editor
        with session.view.lock:
            options = tuple(f"{IN_HAND if each == session.tool else ''}{each}" for each in TOOLS)
            _set(self._tools, "options", options)
            _set(self._hint, "content", _line(f"<b>{session.tool}.</b> {HINTS[session.tool]}"))
            colour = REFUSED if session.is_refused else FINE
            text = html.escape(session.status) or "&nbsp;"
            _set(self._status, "content", _line(f"<span style='color:{colour}'>{text}</span>"))
            _set(self._list, "content", listing(editor))
            for each in (self._brush, self._erase, self._clear):
                _set(each, "visible", session.tool == "Paint")
            self._refresh_selected(editor)
            self._refresh_recovered()
            name = editor.surface.name
            self._label(f"{IN_HAND}{name} (unsaved)" if session.has_unsaved else name)
            self._mouse.follow_tool()

    def save(self) -> None:
        """Save to the file in the field, after a question if it is not ours."""
        output, session = self._file.value.strip(), self._session
        try:
            why = session.must_ask(output)
        except LandmarkFileError as error:
            session.tell(str(error), is_refused=True)
            return
        if why and not (self._force and output == self._output):
            session.tell(f"Not saved yet. {why}", is_refused=True)
            ask(self._gui, "Overwrite?", why, "Overwrite", lambda: self._do(session.save, output))
        else:
            session.save(output)

    def _add_tools(self) -> None:
        gui = self._gui
        self._recovered = gui.add_html("", visible=False, order=FIRST)
        self._discard = gui.add_button(
            "Discard",
            visible=False,
            order=FIRST + 1,
            color="gray",
            hint="Begin without the recovered edits.",
        )
        self._discard.on_click(self._later(self._ask_discard))
        self._tools = gui.add_button_group("Tool", TOOLS, order=FIRST + 2, hint="Keys 1 to 5.")
        self._tools.on_click(
            self._later(lambda value: self._session.take(value.removeprefix(IN_HAND)), True)
        )
        self._hint = gui.add_html("", order=FIRST + 3)
        self._brush = gui.add_slider(
            "Radius", *BRUSHES, self._session.brush, order=FIRST + 4, visible=False,
            hint="Of the brush; 1 is half the size of the specimen.",
        )  # fmt: skip
        self._erase = gui.add_checkbox("Take off", False, order=FIRST + 5, visible=False)
        self._clear = gui.add_button(
            "Take all paint off", order=FIRST + 6, visible=False, color="gray"
        )
        self._brush.on_update(
            self._later(lambda value: setattr(self._session, "brush", value), True)
        )
        self._erase.on_update(
            self._later(lambda value: setattr(self._session, "is_erasing", value), True)
        )
        self._clear.on_click(self._later(lambda: self._session.edit(Editor.clear_paint)))
        self._acts = gui.add_button_group(
            "Edits", ("Undo", "Redo", "Save"), order=FIRST + 7, hint="Ctrl+Z, Ctrl+Shift+Z, Ctrl+S."
        )
        self._acts.on_click(self._later(self._act, True))
        self._file = gui.add_text(
            "File", self._output, order=FIRST + 8, hint="Its ending says the format."
        )
        self._status = gui.add_html("", order=FIRST + 9)

    def _add_selected(self) -> None:
        gui = self._gui
        self._list = gui.add_html("")
        self._chosen = gui.add_dropdown("Selected", (NOBODY,))
        self._chosen.on_update(self._later(self._choose, True))
        with gui.add_form(None) as form:
            self._name = gui.add_text("Name", "", hint="Enter gives the name.")
        form.on_submit(self._later(self._rename))
        self._kinds = gui.add_button_group("Kind", tuple(KINDS))
        self._kinds.on_click(
            self._later(lambda value: self._on_selected("set_kind", KINDS[value]), True)
        )
        self._order = gui.add_button_group("Landmark", ("Earlier", "Later", "Delete"))
        self._order.on_click(self._later(self._arrange, True))
        self._more = gui.add_number("How many", MORE, min=1, step=1)
        self._place = gui.add_button("Place more", hint="The algorithm goes on from all landmarks.")
        self._place.on_click(self._later(lambda: self._session.place_more(int(self._more.value))))

    def _act(self, name: str) -> None:
        {"Undo": self._session.undo, "Redo": self._session.redo, "Save": self.save}[name]()

    def _choose(self, choice: str) -> None:
        at, colon, _ = choice.partition(":")
        if colon or choice == NOBODY:
            self._session.select(*([int(at) - 1] if colon else []))

    def _rename(self) -> None:
        name = self._name.value
        self._session.edit(lambda editor: editor.rename(_one(editor), name))

    def _arrange(self, name: str) -> None:
        if name == "Delete":
            self._on_selected("delete")
            return
        by = -1 if name == "Earlier" else 1

        def swap(editor: Editor) -> None:
            at = _one(editor)
            if not 0 <= at + by < len(editor.state.marks):
                raise SettingsError(f"It is the {'first' if by < 0 else 'last'} landmark already.")
            editor.reorder(at, at + by)

        self._session.edit(swap)

    def _on_selected(self, edit: str, *more: object) -> None:
        def work(editor: Editor) -> None:
            if not editor.selected:
                raise SettingsError("No landmark is selected. Select some first.")
            getattr(editor, edit)(editor.selected, *more)

        self._session.edit(work)

    def _ask_discard(self) -> None:
        text = "The recovered edits are not saved. If you discard them, they are gone."
        ask(self._gui, "Discard?", text, "Discard", lambda: self._do(self._session.discard))

    def _refresh_selected(self, editor: Editor) -> None:
        options, value = choices(editor), chosen(editor)
        if tuple(self._chosen.options) != options or self._chosen.value != value:
            self._chosen.options = options
            self._chosen.value = value
        selected = editor.selected
        marks = [editor.state.marks[at] for at in selected]
        named = (marks[0].identity, marks[0].label) if len(marks) == 1 else None
        if named != self._named:  # what somebody is typing stays
            self._named = named
            self._name.value = named[1] if named else ""

    def _refresh_recovered(self) -> None:
        sentence = self._session.recovered
        content = _line(f"<b>{html.escape(sentence)}</b>")
        _set(self._recovered, "content", content)
        for each in (self._recovered, self._discard):
            _set(each, "visible", bool(sentence))

    def _label(self, text: str) -> None:
        if text != self._labelled:
            self._labelled = text
            self._gui.set_panel_label(text)

    def _failed(self, error: Exception) -> None:
        self._session.tell(f"This should not happen: {error!r}.", is_refused=True)

    def _do(self, job: Callable[..., object], *arguments: object) -> None:
        self._worker.submit(lambda: job(*arguments))

    def _later(self, job: Callable[..., object], is_told: bool = False) -> Callable[[Any], Any]:
        """A function for viser that does a job in its turn, told the value if it wants to be.

        Values that we set ourselves are no events.
        """

        async def called(event: Any) -> None:
            if event.client is not None:
                self._do(job, *([event.target.value] if is_told else []))

        return called


def _one(editor: Editor) -> int:
    """The one landmark that is selected."""
    if len(editor.selected) != 1:
        raise SettingsError("Select one landmark for this.")
    return editor.selected[0]


def _set(handle: Any, name: str, value: object) -> None:
    """Send a property only if it is new."""
    if getattr(handle, name) != value:
        setattr(handle, name, value)


def _line(content: str) -> str:
    return f"<div style='font-size:0.85em;padding:0.2em 0.9em'>{content}</div>"
