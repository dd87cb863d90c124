# SPDX-License-Identifier: MIT
"""Options that several commands share, added to a command as one."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from gplandmark.cli.headings import put_under

__all__ = ["adding"]

Command = TypeVar("Command", bound=Callable[..., Any])


def adding(
    options: Sequence[Callable[[Any], Any]], heading: str = ""
) -> Callable[[Command], Command]:
    """Return what adds options to a command, so that its help shows them in their order.

    With a heading they stand below it in the help of a `HeadedCommand`.
    """

    def add(command: Command) -> Command:
        before = len(_parameters(command))
        for option in reversed(options):
            command = option(command)
        if heading:
            put_under(heading, command, _parameters(command)[before:])
        return command

    return add


def _parameters(command: Callable[..., Any]) -> Sequence[Any]:
    """Those that click has collected on a function so far."""
    collected: Sequence[Any] = vars(command).get("__click_params__", ())
    return collected
