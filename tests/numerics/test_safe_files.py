"""Links, pipes and second names in a received folder lead nowhere; nothing is left half-written."""

import os
import signal
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from gplandmark import LandmarkFileError, SettingsError, make_molar
from gplandmark.io.files import open_to_append, write_atomically
from gplandmark.io.locks import Lock, holder_of
from gplandmark.mesh.spectrum import cached_in, spectrum
from gplandmark.numerics import safe_files
from gplandmark.numerics.safe_files import remove_abandoned, replace_files, temporary_file
from gplandmark.runs.run_folder import open_run_folder
from gplandmark.visual.editor import Autosave
from gplandmark.visual.editor.output_file import lock_path

posix = pytest.mark.skipif(sys.platform == "win32", reason="links and signals of POSIX")
PRECIOUS = "years of work\n"


@pytest.fixture
def precious(tmp_path):
    path = tmp_path / "thesis.txt"
    path.write_text(PRECIOUS)
    return path


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "received"
    path.mkdir()
    return path


@posix
@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_lock_is_not_written_through_a_link(folder, precious, link):
    output = folder / "tooth.mrk.json"
    link(precious, lock_path(output))
    refused = pytest.raises(LandmarkFileError, match="cannot be locked")
    with refused if link is os.symlink else nullcontext():
        Autosave(output, make_molar(vertex_count=300).surface).close()
    assert precious.read_text() == PRECIOUS


@posix
@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_the_lock_of_a_run_is_not_written_through_a_link(folder, precious, link):
    (folder / ".gplandmark").mkdir()
    link(precious, folder / ".gplandmark" / "lock")
    refused = pytest.raises(SettingsError, match="it is a link")
    with refused if link is os.symlink else nullcontext(), open_run_folder(folder, "batch"):
        pass
    assert precious.read_text() == PRECIOUS


@posix
def test_a_lock_that_is_a_pipe_is_refused_at_once(folder):
    os.mkfifo(folder / "lock")
    with pytest.raises(OSError, match="not a regular file"):
        Lock(folder / "lock")
    assert holder_of(folder / "lock") == "another program"


def test_a_lock_says_who_holds_it_and_no_more_than_that(folder):
    path = folder / "lock"
    lock = Lock(path)
    assert holder_of(path).startswith(f"process {os.getpid()} on ")
    with pytest.raises(BlockingIOError):
        Lock(path)
    lock.release()
    path.write_text('{"process": 7, "machine": "desk\\u001b[2J \\n"}')
    assert holder_of(path) == "process 7 on desk2J"
    for content in ("", "[]", '{"process": []}', '{"process": 1e999, "machine": 1}', "[" * 9999):
        path.write_text(content)
        assert holder_of(path) == "another program"


@posix
def test_temporary_names_cannot_be_guessed_and_links_are_replaced(folder, precious):
    target = folder / "tooth.csv"
    for name in (".tooth.csv", f".tooth.csv.{os.getpid()}.part"):
        (folder / name).symlink_to(precious)
    target.symlink_to(precious)
    write_atomically({target: "new"})
    assert precious.read_text() == PRECIOUS
    assert not target.is_symlink()
    assert target.read_text() == "new"
    with temporary_file(folder) as one, temporary_file(folder) as other:
        assert one.name != other.name


@posix
def test_a_temporary_name_that_is_a_link_is_not_followed(folder, precious, monkeypatch):
    monkeypatch.setattr(safe_files.secrets, "token_hex", lambda _: "guessed")
    (folder / ".gplandmark-guessed.part").symlink_to(precious)
    with pytest.raises(LandmarkFileError, match="cannot be written"):
        write_atomically({folder / "a.csv": "new"})
    assert precious.read_text() == PRECIOUS


@posix
def test_the_cache_is_not_written_through_a_link(folder, precious):
    molar = make_molar(vertex_count=300).surface
    with cached_in(folder):
        spectrum(molar, 4)
        (file,) = folder.iterdir()
        (folder / f".{file.name}.{os.getpid()}.part").symlink_to(precious)
        file.unlink()
        file.symlink_to(precious)
        spectrum(molar, 4)
    assert precious.read_text() == PRECIOUS
    assert not file.is_symlink()


@posix
def test_logs_and_journals_are_not_written_through_a_link(folder, precious):
    (folder / "run.log").symlink_to(precious)
    with pytest.raises(LandmarkFileError, match="it is a link"):
        open_to_append(folder / "run.log")
    os.mkfifo(folder / "pipe.log")
    with pytest.raises(LandmarkFileError, match="cannot be written"):
        open_to_append(folder / "pipe.log")
    with open_to_append(folder / "new.log") as file:
        file.write(b"a\n")
    with open_to_append(folder / "new.log") as file:
        file.write(b"b\n")
    assert (folder / "new.log").read_text() == "a\nb\n"


@pytest.mark.parametrize("there", [True, False])
def test_files_are_all_replaced_or_none(folder, there):
    first, second = folder / "a.csv", folder / "a.record.json"
    if there:
        first.write_text("old")
    second.mkdir()
    with pytest.raises(LandmarkFileError, match=r"a\.record\.json cannot be written"):
        write_atomically({first: "new", second: "new"})
    assert {path.name for path in folder.iterdir()} == ({"a.csv"} if there else set()) | {
        second.name
    }
    assert not there or first.read_text() == "old"


@pytest.mark.parametrize("there", [True, False])
def test_a_rename_that_fails_is_undone(folder, monkeypatch, there):
    first, second = folder / "a.csv", folder / "a.record.json"
    if there:
        first.write_text("old")
        second.write_text("old")
    real = os.replace

    def refusing(source, target):
        if Path(target) == second and Path(source).read_text() == "new":
            raise PermissionError(13, "held by another program")
        real(source, target)

    monkeypatch.setattr(safe_files.os, "replace", refusing)
    with pytest.raises(PermissionError) as error:
        replace_files({first: b"new", second: b"new"})
    assert error.value.filename == str(second)
    assert {path.name: path.read_text() for path in folder.iterdir()} == (
        {first.name: "old", second.name: "old"} if there else {}
    )


KILLED = """
import sys, time
from pathlib import Path
from gplandmark.numerics import safe_files
safe_files.os.fsync = lambda file: (print("writing", flush=True), time.sleep(60))
safe_files.replace_files({Path(sys.argv[1]): b"new"})
"""


@posix
def test_what_a_killed_program_was_writing_is_removed_by_the_next_one(folder):
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(folder / "a.csv")], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "writing\n"
    (part,) = folder.iterdir()
    remove_abandoned(folder)
    assert part.exists()  # its writer lives
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert part.exists()
    replace_files({folder / "b.csv": b"b"})
    assert [path.name for path in folder.iterdir()] == ["b.csv"]
