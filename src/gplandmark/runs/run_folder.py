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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gplandmark.errors import GplandmarkError, LandmarkFileError, SettingsError
from gplandmark.io.files import read_regular, write_atomically
from gplandmark.io.locks import Lock, holder_of
from gplandmark.landmarks.record import software_versions
from gplandmark.numerics.safe_files import remove_abandoned
from gplandmark.runs.discover import HIDDEN
from gplandmark.runs.entry_checks import FOLDERS, check_result_name
from gplandmark.runs.journal import Journal

COMMAND = "command"  # file that names it
LOG = "run.log"  # what each run did


def output_paths(key: str, names: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of a specimen by their path: ``landmarks/teeth/a.mrk.json``.

    Folders and extensions lead nowhere else, whoever named them.
    """
    parted = {name.partition("."): content for name, content in names.items()}
    for folder, _, extension in parted:
        if not f"{folder}{extension}".replace(".", "").isalnum() or ".." in extension:
            raise LandmarkFileError(f"{folder}.{extension} is not a name for a result.")
    paths = {
        f"{folder}/{key}.{extension}": content for (folder, _, extension), content in parted.items()
    }
    for path in paths:
        check_result_name(path)
    return paths


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
        return read_regular(output / HIDDEN / COMMAND).decode().strip()
    except (OSError, ValueError):
        return ""


def has_homologous_landmarks(output: Path) -> bool:
    """Whether a command wrote the folder that puts the same landmarks on every specimen."""
    return command_of(output) in ("match", "predict")


@contextmanager
def open_run_folder(output: Path, command: str) -> Iterator[Journal]:
    """Make the folder of results if need be, lock it for a command, and yield its journal.

    After an error before the first result the folder is of no command, so that any may use it.

    Raises
    ------
    SettingsError
        The folder cannot be made, another run is writing into it, or it is of another command.
    """
    check_no_links(output)
    check_command(output, command)
    lock = _locked(output)
    try:
        remove_abandoned(output, inside=True)
        write_atomically({output / HIDDEN / COMMAND: command + "\n"})
        with closing(Journal(output)) as journal, _freed_without_results(output, journal):
            yield journal
    finally:
        lock.release()


@contextmanager
def _freed_without_results(output: Path, journal: Journal) -> Iterator[None]:
    """Forget which command an error ended, if the folder has nothing but traces of its run."""
    try:
        yield
    except GplandmarkError:
        if not journal.entries and {each.name for each in output.iterdir()} <= {HIDDEN, LOG}:
            (output / HIDDEN / COMMAND).unlink(missing_ok=True)
        raise


def check_no_links(output: Path) -> None:
    """Refuse a folder of results in which a folder is a link: it may lead anywhere.

    Raises
    ------
    SettingsError
        There is one.
    """
    tops = [output / name for name in (HIDDEN, *FOLDERS, "collection", "edited")]
    inside = (
        Path(place, name)
        for top in tops
        if not top.is_symlink()
        for place, names, _ in os.walk(top)
        for name in names
    )
    if found := next((path for path in (*tops, *inside) if path.is_symlink()), None):
        raise SettingsError(
            f"{found} is a link, and results lie in real folders. Replace it by the folder that "
            "it leads to, if you trust it."
        )


def _locked(output: Path) -> Lock:
    hidden = output / HIDDEN
    try:
        hidden.mkdir(parents=True, exist_ok=True)
        return Lock(hidden / "lock")
    except BlockingIOError:
        raise SettingsError(
            f"Another run is writing into {output} ({holder_of(hidden / 'lock')}). Wait for it, or "
            "choose another folder."
        ) from None
    except OSError as error:
        raise SettingsError(
            f"{output} cannot be used for results ({error.strerror or error}). Choose another "
            "folder."
        ) from None


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
