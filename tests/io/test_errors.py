"""Errors carry the file that they are about, and print it in one place."""

import copy
import pickle

import pytest

from gplandmark import errors

EVERY = [
    each
    for each in vars(errors).values()
    if isinstance(each, type) and issubclass(each, errors.GplandmarkError)
]


@pytest.mark.parametrize("kind", EVERY)
def test_errors_travel_between_processes(kind):
    for error, sentence in (
        (kind("there is no such file."), "there is no such file."),
        (kind("there is no such file.", "a.ply"), "a.ply: there is no such file."),
        (kind.of("a.ply", "is empty."), "a.ply is empty."),
    ):
        for again in (error, copy.copy(error), pickle.loads(pickle.dumps(error))):
            assert str(again) == sentence
            assert type(again) is kind
            assert (again.reason, again.path) == (error.reason, error.path)


def test_a_path_is_added_once_and_replaced_by_its_other_name(tmp_path):
    about = errors.GplandmarkError.about
    with pytest.raises(errors.ScanError) as found, about("b.ply"), about(tmp_path / "a.ply"):
        raise errors.ScanError("line 3 has no number.")
    assert str(found.value) == f"{tmp_path / 'a.ply'}: line 3 has no number."
    renamed = about("b.ply", instead_of=tmp_path / "a.ply")
    with pytest.raises(errors.ScanError) as found, renamed:
        raise errors.ScanError.of(str(tmp_path / "a.ply"), "is empty.")
    assert str(found.value) == "b.ply is empty."
    renamed = about("b.ply", instead_of="a.ply")
    with pytest.raises(errors.SettingsError, match=r"^none$"), renamed:
        raise errors.SettingsError("none")
