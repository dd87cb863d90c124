"""Control characters in names do nothing to a terminal."""

import ast
import sys
from pathlib import Path

import pytest
from commands import in_process
from hypothesis import given
from hypothesis import strategies as st

import gplandmark
from gplandmark import make_molar
from gplandmark.cli.progress import run_log
from gplandmark.cli.tables import print_rows, print_table, print_title, print_wrapped_rows
from gplandmark.cli.terminal import echo, visible
from gplandmark.io.scans import as_ply
from gplandmark.runs.journal import JournalEntry

NASTY = "a\x1b[2J\x1b]0;title\x07\r\n\x9b31mfake\u202etxt.\x7f"
HARMFUL = set("\x1b\x07\r\x9b\u202e\x7f")


@given(st.text())
def test_visible_text_is_one_line_without_control_characters(text):
    shown = visible(text)
    assert len(shown.splitlines()) <= 1
    assert not any(letter < " " or "\x7f" <= letter <= "\x9f" for letter in shown)
    shown.encode()
    if text.isascii() and text.isprintable():
        assert shown == text


def test_whatever_is_printed_is_visible(capsys, tmp_path):
    echo(NASTY)
    echo("first", NASTY, err=True)
    print_title(NASTY, NASTY)
    print_rows([(NASTY, NASTY)])
    print_wrapped_rows([(NASTY, NASTY), ("empty", "")], 10)
    print_table(["name"], [[NASTY]])
    with run_log(tmp_path / "run.log") as write:
        write(JournalEntry(NASTY, "a.ply", NASTY, "refused"))
    printed = "".join(capsys.readouterr())
    log = (tmp_path / "run.log").read_text()
    for text in (printed, log):
        assert not HARMFUL & set(text)
        assert "\\x1b[2J" in text
    assert log.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="such names are for POSIX")
def test_files_with_nasty_names_leave_the_terminal_alone(tmp_path):
    scan = tmp_path / "a\x1b[2J\rb.ply"
    scan.write_bytes(as_ply(make_molar(vertex_count=300).surface))
    broken = tmp_path / "c\x1b[31m\n.ply"
    broken.write_text("no scan")
    for arguments in (
        ["place", scan, "-n", 3, "-o", tmp_path / "x\x1b.csv"],
        ["place", broken, "-n", 3],
        ["inspect", scan, broken],
    ):
        done = in_process(*arguments, cwd=tmp_path)
        assert "Traceback" not in done.stderr
        assert not {"\x1b", "\r", "\x07"} & set(done.stdout + done.stderr)


def test_commands_print_through_these_modules_only():
    folder = Path(gplandmark.__file__).parent / "cli"
    for path in folder.rglob("*.py"):
        if path.name in ("terminal.py", "tables.py"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                assert ast.unparse(node.func) not in ("click.echo", "click.secho", "print"), path
