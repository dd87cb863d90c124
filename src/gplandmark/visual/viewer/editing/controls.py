# SPDX-License-Identifier: MIT
"""The editing controls of the panel: tools, undo, the output file and the selection."""

import html
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from gplandmark.errors import LandmarkFileError
from gplandmark.visual.editor import Editor
from gplandmark.visual.viewer.editing.landmark_list import Selected
from gplandmark.visual.viewer.editing.mouse_tools import HINTS, TOOLS, Mouse
from gplandmark.visual.viewer.editing.session import Session
from gplandmark.visual.viewer.editing.worker import Worker
from gplandmark.visual.viewer.panel import line, set_new

if TYPE_CHECKING:
    from viser import GuiApi


ACTIVE = "\N{BLACK CIRCLE} "  # before the name of the active tool, and of unsaved work
FIRST = -1e6  # order of controls above those of the viewer
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
        self._worker = Worker(
            lambda error: session.report(f"Internal error: {error!r}.", is_refused=True)
        )
        self._mouse = Mouse(session, self._worker)
        self._labelled = ""
        self.acts = {"Undo": session.undo, "Redo": session.redo, "Save": self.save}
        self._add_tools()
        self.selected = Selected(session, self._worker)
        tools = {tool: partial(session.choose_tool, tool) for tool in TOOLS}
        jobs: dict[str, Callable[[], object]] = {"Delete": self.selected.delete, **tools}
        for name, job in {**self.acts, **jobs}.items():
            add_command(self._gui, name, self._worker.later(job, with_text=name == "Save"))
        session.changed = self.refresh
        session.view.served.closing.append(self._worker.stop)
        self.refresh()

    def wait(self) -> None:
        """Return when all requests are done."""
        self._worker.wait()

    def refresh(self) -> None:
        """Show the state of the session."""
        session = self._session
        with session.view.lock:
            options = tuple(f"{ACTIVE if each == session.tool else ''}{each}" for each in TOOLS)
            set_new(self._tools, "options", options)
            set_new(self._hint, "content", line(f"<b>{session.tool}.</b> {HINTS[session.tool]}"))
            colour = REFUSED if session.is_refused else FINE
            text = html.escape(session.status) or "&nbsp;"
            set_new(self._status, "content", line(f"<span style='color:{colour}'>{text}</span>"))
            for each in (self._brush, self._erase, self._clear):
                set_new(each, "visible", session.tool == "Paint")
            self.selected.refresh()
            set_new(self._recovered, "content", line(f"<b>{html.escape(session.recovered)}</b>"))
            for each in (self._recovered, self._discard):
                set_new(each, "visible", bool(session.recovered))
            name = session.editor.surface.name
            label = f"{ACTIVE}{name} (unsaved)" if session.has_unsaved else name
            if label != self._labelled:
                self._labelled = label
                self._gui.set_panel_label(label)
            self._mouse.follow_tool()

    def save(self) -> None:
        """Save to the file in the field; ask first if another program wrote it."""
        output, session = self._file.value.strip(), self._session
        try:
            why = session.must_ask(output)
        except LandmarkFileError as error:
            session.report(str(error), is_refused=True)
            return
        if why and not (self._force and output == self._output):
            session.report(f"Not saved yet. {why}", is_refused=True)
            self._ask("Overwrite?", why, "Overwrite", partial(session.save, output))
        else:
            session.save(output)

    def _add_tools(self) -> None:
        gui, session, later = self._gui, self._session, self._worker.later
        self._recovered = gui.add_html("", visible=False, order=FIRST)
        self._discard = gui.add_button(
            "Discard", visible=False, order=FIRST + 1, color="gray",
            hint="Start without the recovered edits.",
        )  # fmt: skip
        text = "The recovered edits are not saved. Discarding them cannot be undone."
        self._discard.on_click(
            later(lambda: self._ask("Discard?", text, "Discard", session.discard))
        )
        self._tools = gui.add_button_group("Tool", TOOLS, order=FIRST + 2, hint="Keys 1 to 5.")
        self._tools.on_click(
            later(lambda value: session.choose_tool(value.removeprefix(ACTIVE)), with_value=True)
        )
        self._hint = gui.add_html("", order=FIRST + 3)
        self._brush = gui.add_slider(
            "Radius", *BRUSHES, session.brush, order=FIRST + 4, visible=False,
            hint="Brush radius; 1 is half the size of the specimen.",
        )  # fmt: skip
        self._erase = gui.add_checkbox("Erase", False, order=FIRST + 5, visible=False)
        self._clear = gui.add_button("Clear mask", order=FIRST + 6, visible=False, color="gray")
        self._brush.on_update(later(partial(setattr, session, "brush"), with_value=True))
        self._erase.on_update(later(partial(setattr, session, "is_erasing"), with_value=True))
        self._clear.on_click(later(lambda: session.edit(Editor.clear_paint)))
        buttons = gui.add_button_group(
            "Edits", tuple(self.acts), order=FIRST + 7, hint="Ctrl+Z, Ctrl+Shift+Z, Ctrl+S."
        )
        buttons.on_click(later(lambda name: self.acts[name](), with_value=True))
        self._file = gui.add_text(
            "File", self._output, order=FIRST + 8, hint="The extension determines the format."
        )
        self._status = gui.add_html("", order=FIRST + 9)

    def _ask(self, title: str, text: str, agree: str, job: Callable[[], object]) -> None:
        """Show a question in all browsers; the job is done if a person agrees."""
        modal = self._gui.add_modal(title)
        with modal:
            self._gui.add_html(f"<div style='padding:0.5em 0.9em'>{html.escape(text)}</div>")
            yes = self._gui.add_button(agree, color="red")
            no = self._gui.add_button("Cancel")

        async def answered(event: object) -> None:
            modal.close()
            if getattr(event, "target", None) is yes:
                self._worker.submit(job)

        yes.on_click(answered)
        no.on_click(answered)


CONTROL = "cmd/ctrl"
KEYS: dict[str, tuple[tuple[Any, Any], ...]] = {
    "Undo": (("Z", CONTROL),),
    "Redo": (("Z", f"{CONTROL}+shift"), ("Y", CONTROL)),
    "Save": (("S", CONTROL),),
    "Delete": (("delete", None), ("backspace", None)),
    "Look": (("1", None),),
    "Add": (("2", None),),
    "Move": (("3", None),),
    "Select": (("4", None),),
    "Paint": (("5", None),),
}


def add_command(gui: "GuiApi", name: str, done: Callable[[Any], Any]) -> None:
    """Call a function when a key of that name is pressed."""
    for key, modifier in KEYS[name]:
        gui.add_command(name, hotkey=key, modifier=modifier).on_trigger(done)
