# SPDX-License-Identifier: MIT
"""Files that travel with a job to a worker that cannot see them."""

import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from gplandmark.errors import GplandmarkError


class FileTask(Protocol):
    """The argument of a job that reads files."""

    def files(self) -> list[Path]:
        """Return the files that it reads."""

    def moved(self, where: Mapping[Path, Path]) -> Self:
        """Return the task with its files in other places, as far as `where` names them."""


@dataclass(frozen=True)
class SentTask:
    """A task and the contents of its files."""

    task: FileTask
    contents: Mapping[Path, bytes]


def with_contents(task: FileTask) -> SentTask:
    """Read the files of a task.

    One that cannot be read is not sent: the worker will say that it is not there.
    """
    contents: dict[Path, bytes] = {}
    for path in task.files():
        with suppress(OSError):
            contents[path] = path.read_bytes()
    return SentTask(task, contents)


def call_with_files(function: Callable[[Any], Any], sent: SentTask) -> Any:
    """Call a function of a task whose files were sent; errors name them where they really lie."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        where: dict[Path, Path] = {}
        for path, content in sent.contents.items():
            # files of one folder stay together: a volume may be a folder of slices
            there = where.setdefault(path.parent, Path(folder) / f"{len(where)}" / path.parent.name)
            where[path] = there / path.name
            there.mkdir(parents=True, exist_ok=True)
            where[path].write_bytes(content)
        for path, there in where.items():
            stack.enter_context(GplandmarkError.about(path, instead_of=there))
        return function(sent.task.moved(where))
