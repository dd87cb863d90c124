# SPDX-License-Identifier: MIT
"""Keys for what is done often. They do nothing while a person types into a field."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from viser import GuiApi

__all__ = ["KEYS", "add_command"]

CONTROL = "cmd/ctrl"
KEYS: dict[str, tuple[tuple[str, str | None], ...]] = {
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
        hotkey: Any = key
        held: Any = modifier
        gui.add_command(name, hotkey=hotkey, modifier=held).on_trigger(done)
