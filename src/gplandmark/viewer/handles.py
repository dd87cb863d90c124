# SPDX-License-Identifier: MIT
"""Small things in viser's panel and scene."""

from typing import Any

__all__ = ["line", "set_new"]


def set_new(handle: Any, name: str, value: object) -> None:
    """Send a property only if it is new."""
    if getattr(handle, name) != value:
        setattr(handle, name, value)


def line(content: str) -> str:
    """HTML in the manner of the panel."""
    return f"<div style='font-size:0.85em;padding:0.2em 0.9em'>{content}</div>"
