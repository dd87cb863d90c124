# SPDX-License-Identifier: MIT
"""A question that must be answered before something is lost."""

import html
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from viser import GuiApi

__all__ = ["ask"]


def ask(gui: "GuiApi", title: str, text: str, agree: str, agreed: Callable[[], object]) -> None:
    """Show a question in all browsers; `agreed` is called if a person agrees."""
    modal = gui.add_modal(title)
    with modal:
        gui.add_html(f"<div style='padding:0.5em 0.9em'>{html.escape(text)}</div>")
        yes = gui.add_button(agree, color="red")
        no = gui.add_button("Cancel")

    async def answered(event: object) -> None:
        modal.close()
        if getattr(event, "target", None) is yes:
            agreed()

    yes.on_click(answered)
    no.on_click(answered)
