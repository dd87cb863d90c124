# SPDX-License-Identifier: MIT
"""The folder of results: where each thing lies, and one run at a time.

::

    landmarks/     a landmark file and its record for each specimen, in folders like the scans
    thumbnails/    a small picture of each; pictures/ has large ones, if they were asked for
    collection/    all specimens in one file, for each format that holds many
    summary.csv  report.html  run.json  run.log
    .gplandmark/   the journal, a lock, and which command writes here
"""

import json
import os
import platform
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from gplandmark.errors import LandmarkFileError, SettingsError
from gplandmark.io.files import write_atomically
from gplandmark.landmarks.record import software_versions
from gplandmark.runs.discover import HIDDEN
from gplandmark.runs.journal import Journal

COMMAND = "command"  # file that names it


def output_paths(key: str, names: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of a specimen by their path: ``landmarks/teeth/a.mrk.json``.

    Folders and extensions lead nowhere else, whoever named them.
    """
    parted = {name.partition("."): content for name, content in names.items()}
    for folder, _, extension in parted:
        if not f"{folder}{extension}".replace(".", "").isalnum() or ".." in extension:
            raise LandmarkFileError(f"{folder}.{extension} is not a name for a result.")
    return {
        f"{folder}/{key}.{extension}": content for (folder, _, extension), content in parted.items()
    }


def make_folder(folder: Path) -> None:
    """Make a folder for results, with those around it.

    Raises
    ------
    LandmarkFileError
        It cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LandmarkFileError(f"{folder} cannot be made ({error.strerror}).") from error


def check_command(output: Path, command: str) -> None:
    """Refuse a folder of results that another command wrote.

    Raises
    ------
    SettingsError
        It was another command.
    """
    before = command_of(output)
    if before not in ("", command):
        raise SettingsError(
            f"{output} is what 'gplandmark {before}' wrote. Choose another folder for "
            f"'gplandmark {command}'."
        )


def command_of(output: Path) -> str:
    """Return which command wrote a folder of results; empty if it is none."""
    try:
        return (output / HIDDEN / COMMAND).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return ""


@contextmanager
def open_run_folder(output: Path, command: str) -> Iterator[Journal]:
    """Make the folder of results if need be, lock it for a command, and yield its journal.

    Raises
    ------
    SettingsError
        The folder cannot be made, another run is writing into it, or it is of another command.
    """
    check_command(output, command)
    with _lock_file(output) as lock:
        _take(lock, output)
        write_atomically({output / HIDDEN / COMMAND: command + "\n"})
        with closing(Journal(output)) as journal:
            yield journal
        lock.truncate(0)  # it ended as it should, and leaves nothing to clear away


def _lock_file(output: Path) -> IO[str]:
    hidden = output / HIDDEN
    try:
        hidden.mkdir(parents=True, exist_ok=True)
        return (hidden / "lock").open("a+")
    except OSError as error:
        raise SettingsError(
            f"{output} cannot be used for results ({error.strerror}). Choose another folder."
        ) from None


def _take(lock: IO[str], output: Path) -> None:
    """Lock the file until it is closed, also by the death of this process; say who has it."""
    try:
        _lock(lock)
    except OSError:
        process, machine = _holder(lock)
        who = f" (process {process} on {machine})" if process else ""
        raise SettingsError(
            f"Another run is writing into {output}{who}. Wait for it, or choose another folder."
        ) from None
    dead, _ = _holder(lock)
    for part in output.rglob(f".*.{dead}.part") if dead else ():  # that it was writing; no others
        with suppress(OSError):
            part.unlink()
    lock.truncate(0)
    json.dump({"process": os.getpid(), "machine": socket.gethostname()}, lock)
    lock.flush()


def _holder(lock: IO[str]) -> tuple[int, str]:
    """Return process and machine of the run that has the lock, or that died with it; else 0."""
    lock.seek(0)
    try:
        holder = json.load(lock)
        return int(holder["process"]), str(holder["machine"])
    except (ValueError, KeyError, TypeError):
        return 0, ""


def _lock(file: IO[str]) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


def run_record(command: Sequence[str], began: datetime, facts: Mapping[str, Any]) -> str:
    """Return ``run.json``: the command, its times, what came of it, and the computer."""
    content = {
        "command": list(command),
        "began": began.isoformat(timespec="seconds"),
        "ended": datetime.now(UTC).isoformat(timespec="seconds"),
        **facts,
        "machine": {
            "name": platform.node(),
            "system": platform.platform(),
            "processor": platform.machine(),
            "processors": os.cpu_count(),
            "software": software_versions(),
        },
    }
    return json.dumps(content, indent=1) + "\n"
