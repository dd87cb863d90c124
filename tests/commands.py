"""Commands for tests: in a process of their own, or in this one, which is quicker."""

import csv
import subprocess
import sys

import pytest
from click.testing import CliRunner

from gplandmark.cli.main import cli
from gplandmark.errors import GplandmarkError


def gplandmark(*arguments, cwd, **options):
    """A command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "gplandmark", *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        **options,
    )


def run(*arguments):
    """What a command prints, run in this process."""
    words = [str(each) for each in arguments]
    return CliRunner().invoke(cli, words, catch_exceptions=False, standalone_mode=False).output


def refused(*arguments, words):
    """A command ends with an error that has these words."""
    with pytest.raises(GplandmarkError, match=words):
        run(*arguments)


def names_in(folder):
    """Names of the files in a folder, in order."""
    return sorted(path.name for path in folder.iterdir())


def compared(output):
    """Everything that two equal runs have in common: all but times."""
    files = {}
    for path in sorted(output.rglob("*")):
        name = path.relative_to(output).as_posix()
        if path.is_file() and not name.startswith((".gplandmark", "run.")):
            files[name] = path.read_bytes()
    rows = list(csv.DictReader(files.pop("summary.csv").decode().splitlines()))
    return files, [{**row, "seconds": ""} for row in rows]
