# SPDX-License-Identifier: MIT
"""Which specimens a person has checked: ``checked.txt`` in a folder, one key per line.

The file is plain text, so that people and other programs can read and write it, too.
"""

import time
from pathlib import Path

from gplandmark.errors import LandmarkFileError, SettingsError
from gplandmark.io.files import read_regular, write_atomically
from gplandmark.io.locks import Lock
from gplandmark.runs.run_folder import make_folder
from gplandmark.visual.editor.output_file import lock_output

CHECKED = "checked.txt"
PATIENCE = 5.0  # seconds to wait for another program that is writing the file
PAUSE = 0.02


def read_checked(folder: Path) -> frozenset[str]:
    """Keys of the specimens that a person has checked; none if there is no such file.

    Raises
    ------
    LandmarkFileError
        The file cannot be read.
    """
    path = folder / CHECKED
    try:
        lines = read_regular(path).decode("utf-8-sig").splitlines()
    except FileNotFoundError:
        return frozenset()
    except UnicodeDecodeError:
        raise LandmarkFileError.of(path, "is not text in UTF-8. Save it as UTF-8.") from None
    except OSError as error:
        raise LandmarkFileError.of(path, f"cannot be read ({error.strerror}).") from None
    return frozenset(key for line in lines if (key := line.strip()))


def set_checked(folder: Path, key: str, is_checked: bool) -> frozenset[str]:
    """Add a specimen to the file, or remove it; returns all keys that are in it now.

    The lines of all others are kept, also if several programs write at the same time.

    Raises
    ------
    SettingsError
        The key does not fit on a line.
    LandmarkFileError
        The file cannot be read or written.
    """
    if key != key.strip() or len(key.splitlines()) != 1:
        raise SettingsError(f"{key!r} cannot be marked as checked. Rename the scan.")
    lock = _lock(folder / CHECKED)
    try:
        before = read_checked(folder)
        now = before | {key} if is_checked else before - {key}
        if now != before:
            write_atomically({folder / CHECKED: "".join(f"{each}\n" for each in sorted(now))})
    finally:
        lock.release()
    return now


def set_aside_checked(folder: Path) -> str:
    """Move the file into ``edited/``, for its marks are of other landmarks; says so, if it does.

    Raises
    ------
    LandmarkFileError
        It cannot be moved.
    """
    path = folder / CHECKED
    if not path.is_file():
        return ""
    make_folder(folder / "edited")
    number, aside = 1, folder / "edited" / CHECKED
    while aside.exists():
        number += 1
        aside = aside.with_name(f"{number}-{CHECKED}")
    try:
        path.rename(aside)
    except OSError as error:
        raise LandmarkFileError.of(path, f"cannot be moved ({error.strerror}).") from None
    return f"Specimens were checked with the earlier landmarks; the list is now {aside}."


def _lock(path: Path) -> Lock:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return lock_output(path)
        except LandmarkFileError:
            if time.monotonic() > end:
                raise
            time.sleep(PAUSE)
