"""Which specimens a person has checked."""

import os
import threading

import pytest

from gplandmark.errors import LandmarkFileError, SettingsError
from gplandmark.runs.checked import CHECKED, read_checked, set_checked


def test_nothing_is_checked_in_a_new_folder(tmp_path):
    assert read_checked(tmp_path) == frozenset()


def test_keys_are_added_and_removed_one_per_line(tmp_path):
    set_checked(tmp_path, "site/b", True)
    assert set_checked(tmp_path, "a tooth", True) == {"a tooth", "site/b"}
    assert (tmp_path / CHECKED).read_text() == "a tooth\nsite/b\n"
    set_checked(tmp_path, "site/b", False)
    assert read_checked(tmp_path) == {"a tooth"}
    assert os.listdir(tmp_path) == [CHECKED]


def test_a_file_written_by_a_person_is_read(tmp_path):
    (tmp_path / CHECKED).write_bytes("\ufeffa \r\n\r\nfoß/b\r\n".encode())
    assert read_checked(tmp_path) == {"a", "foß/b"}


@pytest.mark.parametrize("key", ["", " a", "a\nb"])
def test_a_key_that_is_not_one_line_is_refused(tmp_path, key):
    with pytest.raises(SettingsError, match="Rename"):
        set_checked(tmp_path, key, True)


def test_a_file_that_is_not_text_is_refused_and_kept(tmp_path):
    (tmp_path / CHECKED).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(LandmarkFileError, match="UTF-8"):
        set_checked(tmp_path, "a", True)
    assert (tmp_path / CHECKED).read_bytes() == b"\xff\xfe\x00"


def test_a_folder_in_place_of_the_file_is_refused(tmp_path):
    (tmp_path / CHECKED).mkdir()
    with pytest.raises(LandmarkFileError, match="cannot be read"):
        read_checked(tmp_path)


def test_several_writers_lose_nothing(tmp_path):
    def write(writer):
        for number in range(8):
            set_checked(tmp_path, f"{writer}-{number}", True)

    writers = [threading.Thread(target=write, args=(each,)) for each in range(4)]
    for each in writers:
        each.start()
    for each in writers:
        each.join()
    assert len(read_checked(tmp_path)) == 32


def test_a_lock_held_by_another_program_is_reported(tmp_path, monkeypatch):
    from gplandmark.runs import checked
    from gplandmark.visual.editor.output_file import lock_output

    monkeypatch.setattr(checked, "PATIENCE", 0.1)
    held = lock_output(tmp_path / CHECKED)
    with pytest.raises(LandmarkFileError, match="being edited"):
        set_checked(tmp_path, "a", True)
    held.release()
