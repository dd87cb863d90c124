# SPDX-License-Identifier: MIT
"""Options that several commands share, added to a command as one."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

__all__ = ["adding"]

Command = TypeVar("Command", bound=Callable[..., Any])


def adding(options: Sequence[Callable[[Any], Any]]) -> Callable[[Command], Command]:
    """Return what adds options to a command, so that its help shows them in their order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add
