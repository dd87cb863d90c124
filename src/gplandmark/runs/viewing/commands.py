# SPDX-License-Identifier: MIT
"""Commands that the start page runs, as a person would in a terminal, and what they print."""

import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gplandmark.errors import SettingsError

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
LONGEST = 2_000  # lines that are kept of what a command prints


@dataclass(frozen=True)
class CommandForm:
    """A command on the start page.

    Attributes
    ----------
    title, text : what it does
    folders : names of its arguments, folders that are there already
    output : the name that is offered for its results
    has_count : whether the number of landmarks can be chosen
    """

    title: str
    text: str
    folders: Sequence[str]
    output: str
    has_count: bool = True


FORMS: Mapping[str, CommandForm] = {
    "demo": CommandForm("Try it", "Landmarks on a generated molar.", (), "gplandmark-demo", False),
    "batch": CommandForm(
        "Place landmarks", "On each scan independently, where they tell most.", ("scans",), "placed"
    ),
    "match": CommandForm(
        "Match specimens", "The same landmarks on every scan.", ("scans",), "matched"
    ),
    "predict": CommandForm(
        "Predict an expert's landmarks",
        "From some specimens with an expert's landmarks to all others.",
        ("scans", "experts"),
        "predicted",
        False,
    ),
}


def arguments_of(asked: Mapping[str, Any]) -> list[str]:
    """The words of a command that a form describes.

    Raises
    ------
    SettingsError
        The form is not complete, or names a folder that is not there.
    """
    name = str(asked.get("command"))
    form = FORMS.get(name)
    if form is None:
        raise SettingsError(f"The start page does not run {name}.")
    words = [name]
    for field in form.folders:
        path = str(asked.get(field) or "").strip()
        if not path or not Path(path).exists():
            raise SettingsError(
                f"Choose the folder for '{field}': there is no {path or 'such'} yet."
            )
        words.append(path)
    output = str(asked.get("output") or "").strip()
    if not output:
        raise SettingsError("Choose a folder for the results.")
    if form.has_count and asked.get("count"):
        words += ["-n", str(int(asked["count"]))]
    return [*words, "-o", output]


class RunningCommand:
    """A command in a process of its own; its lines are read as they come."""

    def __init__(self, words: Sequence[str], folder: Path) -> None:
        self.words, self.folder = list(words), folder
        self.lines: list[str] = []
        self._process = subprocess.Popen(
            [sys.executable, "-m", "gplandmark", *words],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, encoding="utf-8", errors="replace",
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read, name="command", daemon=True)
        self._reader.start()

    @property
    def output(self) -> Path:
        """Where its results go."""
        return self.folder / self.words[-1]

    def content(self) -> dict[str, Any]:
        """Its state, ready for JSON."""
        code = self._process.poll() if not self._reader.is_alive() else None
        return {
            "command": shlex.join(["gplandmark", *self.words]),
            "lines": self.lines[-LONGEST:],
            "code": code,
            "output": str(self.output),
            "report": (self.output / "report.html").exists(),
        }

    def stop(self) -> None:
        """End it, as Ctrl-C does; what is done is kept, and the same command goes on later."""
        if self._process.poll() is None:
            self._process.terminate()

    def _read(self) -> None:
        with self._process as process:
            assert process.stdout is not None
            for line in process.stdout:
                self.lines.append(CONTROL.sub("", line.rstrip().rpartition("\r")[2]))
