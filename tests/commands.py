"""Commands for tests: in a process of their own, or in this one, which is quicker."""

import csv
import subprocess
import sys
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from unittest.mock import patch

import pytest
from click.testing import CliRunner

from gplandmark.cli.main import cli, main
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


def in_process(*arguments, cwd):
    """As `gplandmark`, in this process: the same function, exit code and streams."""
    words = ["gplandmark", *map(str, arguments)]
    output, errors = StringIO(), StringIO()
    with (
        chdir(cwd),
        patch.object(sys, "argv", words),
        patch.object(warnings, "formatwarning"),
        patch.object(warnings, "showwarning", lambda *told: errors.write(warning_text(*told))),
        warnings.catch_warnings(),
        redirect_stdout(output),
        redirect_stderr(errors),
    ):
        warnings.resetwarnings()
        with pytest.raises(SystemExit) as ended:
            main()
    return subprocess.CompletedProcess(
        words, ended.value.code, output.getvalue(), errors.getvalue()
    )


def warning_text(message, category, filename, lineno, _file=None, line=None):
    """A warning as the command writes it."""
    return warnings.formatwarning(message, category, filename, lineno, line)


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
