# SPDX-License-Identifier: MIT
"""Files that are written completely or not at all, and never through a link.

Folders are passed around, and whoever made one may have put links, pipes or devices where we write.
Temporary files are therefore new files with names that nobody can guess, locked as long as their
writer lives: one that is not locked was left by a program that was killed. Locks, journals and logs
are opened only where they are regular files.
"""

import errno
import os
import secrets
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

START, END = ".gplandmark-", ".part"  # of the name of a temporary file
DAY = 86_400.0  # seconds
NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_visited: set[Path] = set()  # folders whose abandoned files this process has removed


@contextmanager
def temporary_file(folder: Path) -> Iterator[IO[bytes]]:
    """Yield a new file in a folder, to be renamed; it is removed at the end of the block if not.

    Raises
    ------
    OSError
        It cannot be made.
    """
    here = folder.absolute()
    if here not in _visited:
        _visited.add(here)
        remove_abandoned(folder)
    file = _new_file(folder)
    try:
        with file:
            yield file
    finally:
        with suppress(OSError):
            os.unlink(file.name)


def _new_file(folder: Path) -> IO[bytes]:
    while True:
        file = _unused(folder).open("xb")
        try:
            hold(file.fileno())
        except BlockingIOError:  # another program takes it for abandoned, and removes it
            file.close()
            continue
        except OSError:
            return file  # there are no locks here, and nobody takes it for abandoned
        if is_at(file.fileno(), Path(file.name)):
            return file
        file.close()


def _unused(folder: Path) -> Path:
    return folder / f"{START}{secrets.token_hex(8)}{END}"


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Yield a temporary file that takes the place of a file if the block ends without an error."""
    with temporary_file(path.parent) as file:
        yield file
        _complete(file)
        os.replace(file.name, path)


def _complete(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())  # a full disk shows here, not after the rename
    if fcntl is None:
        file.close()  # an open file cannot be renamed there


def replace_files(contents: Mapping[Path, bytes]) -> None:
    """Write files under temporary names, and rename them when all are complete.

    A link in the place of a file is replaced, and what it leads to stays.

    Raises
    ------
    OSError
        One cannot be written, which is its `filename`; all are then as they were.
    """
    with ExitStack() as parts, ExitStack() as undo:
        ready: dict[Path, str] = {}
        for path, content in contents.items():
            with _about(path):
                if path.is_dir() and not path.is_symlink():
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
                file = parts.enter_context(temporary_file(path.parent))
                file.write(content)
                _complete(file)
                ready[path] = file.name
        for path, part in ready.items():
            with _about(path):
                if len(ready) > 1:
                    undo.callback(_restore, path, _kept(path, parts))
                os.replace(part, path)
        undo.pop_all()


@contextmanager
def _about(path: Path) -> Iterator[None]:
    """Give errors the name of the file that is to be written."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


def _kept(path: Path, parts: ExitStack) -> Path | None:
    """Another name for a file that is to be replaced; None if there is none."""
    kept = _unused(path.parent)
    try:
        os.link(path, kept, follow_symlinks=False)
    except FileNotFoundError:
        return None
    except (OSError, NotImplementedError):  # a disk without links; then it is not brought back
        return path
    parts.callback(kept.unlink, missing_ok=True)
    return kept


def _restore(path: Path, kept: Path | None) -> None:
    with suppress(OSError):
        if kept is None:
            path.unlink()
        else:
            os.replace(kept, path)


def remove_abandoned(folder: Path, *, inside: bool = False) -> None:
    """Remove temporary files of programs that were killed; also in all folders inside."""
    for place, folders, names in os.walk(folder):  # follows no link
        if not inside:
            folders.clear()
        for name in names:
            if name.startswith(START) and name.endswith(END):
                with suppress(OSError):
                    _remove_if_abandoned(Path(place, name))


def _remove_if_abandoned(path: Path) -> None:
    if fcntl is None:
        if time.time() - path.stat().st_mtime > DAY:
            path.unlink()
        return
    file = open_regular(path, os.O_RDWR)
    try:
        hold(file)
        path.unlink()
    finally:
        os.close(file)


def open_regular(path: Path, flags: int) -> int:
    """Open a file as `os.open` does, but not through a link, nor a pipe or a device.

    Raises
    ------
    OSError
        It cannot be opened, or is something else than a regular file.
    """
    if path.is_symlink():  # where the system has no flag for it
        raise OSError(errno.ELOOP, "it is a link")
    file = os.open(path, flags | NO_LINK, 0o666)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, "it is not a regular file")
    return file


def hold(file: int) -> None:
    """Lock an open file until it is closed, also by the end of this process.

    Raises
    ------
    BlockingIOError
        Another program holds it.
    OSError
        This disk has no locks.
    """
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    import msvcrt

    os.lseek(file, BEYOND, os.SEEK_SET)
    try:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    except PermissionError as error:
        raise BlockingIOError(*error.args) from None
    finally:
        os.lseek(file, 0, os.SEEK_SET)


BEYOND = 2**30  # what is locked cannot be read on Windows, so that the content comes before


def is_at(file: int, path: Path) -> bool:
    """Whether an open file is what lies at a path."""
    try:
        return os.path.samestat(os.fstat(file), path.lstat())
    except FileNotFoundError:
        return False
