"""Documentation that cannot go stale: commands, functions and formulas it names exist."""

import importlib
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import specimen

import gplandmark
from gplandmark.cli.main import cli

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
CLI_PAGE = ROOT / "docs" / "cli.md"
COMMANDS = {name: cli.get_command(None, name) for name in cli.list_commands(None)}
PAPER_PAGE = (ROOT / "docs" / "paper.md").read_text()


def help_text(*command):
    result = CliRunner().invoke(
        cli, [*command, "--help"], prog_name="gplandmark", terminal_width=100
    )
    assert result.exit_code == 0, result.exception
    return result.output


def command_page():
    """Text of docs/cli.md: the help of every command, as the program prints it."""
    parts = ["# Command line\n\nWritten by `scripts/write-cli-page` from `--help`.\n"]
    for command in ((), *((name,) for name in sorted(COMMANDS))):
        title = " ".join(("gplandmark", *command))
        parts.append(f"## `{title}`\n\n```text\n{help_text(*command).rstrip()}\n```\n")
    return "\n".join(parts)


def test_the_command_line_page_is_what_help_says():
    assert CLI_PAGE.read_text() == command_page(), "run scripts/write-cli-page"


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_an_example_and_help_for_every_option(name):
    command = COMMANDS[name]
    assert "Example" in command.help
    for parameter in command.params:
        if parameter.param_type_name == "option":
            assert parameter.help, f"{name} {parameter.name}"


def test_help_shows_every_command_once_and_what_it_is_for_on_one_line():
    shown = re.findall(r"^  (\w+) +(\S.*\.)$", help_text().partition("One scan:")[2], re.MULTILINE)
    assert sorted(name for name, _ in shown) == sorted(COMMANDS)
    assert max(len(what) for _, what in shown) < 65  # a window of 80 letters shows it whole


HEADINGS = {
    "--kernel": "Method",
    "--clean": "Cleaning",
    "--only": "Where landmarks may go",
    "--send": "Workers",
}


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_shows_every_option_once_and_shared_ones_under_their_heading(name):
    text = help_text(name)[help_text(name).index("\nOptions:") :]
    shown = re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, re.MULTILINE)
    options = [each for each in COMMANDS[name].params if each.param_type_name == "option"]
    assert sorted(shown) == sorted(
        ["--help", *(next(o for o in each.opts if o.startswith("--")) for each in options)]
    )
    for option, heading in HEADINGS.items():
        if option in shown:
            above = text[: text.index(f"\n  {option} ")]
            assert re.findall(r"^(\S.*):$", above, re.MULTILINE)[-1] == heading


def test_the_readme_is_short_and_its_first_two_commands_install():
    assert README.count("\n") < 120
    commands = re.findall(r"^python -m pip install .*$", README, re.MULTILINE)
    assert len(commands) == 2
    assert commands[0].endswith("gplandmark demo")
    assert commands[1].endswith("python -m pytest")


def test_the_readmes_python_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(cli, ["demo", "--quiet"], catch_exceptions=False)
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL).group(1)
    (tmp_path / "tooth.ply").write_bytes(
        (tmp_path / "gplandmark-demo" / "molar-0.ply").read_bytes()
    )
    exec(compile(code, "README.md", "exec"), {})
    assert (tmp_path / "tooth.mrk.json").exists()


def test_own_values_are_painted_as_the_page_of_pictures_says(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/pictures.md").read_text(), re.DOTALL)
    (code,) = (block for block in blocks if "ColourScale" in block)
    exec(compile(code, "pictures.md", "exec"), {"surface": gplandmark.make_molar().surface})
    assert (tmp_path / "heights.png").stat().st_size > 10_000


def named_functions(page):
    return sorted(set(re.findall(r"`(gplandmark(?:\.\w+)+)`", (ROOT / "docs" / page).read_text())))


@pytest.mark.parametrize("page", ["math.md", "architecture.md", "editing.md", "paper.md"])
def test_what_a_page_names_exists(page):
    names = named_functions(page)
    assert names
    for name in names:
        module, _, attribute = name.rpartition(".")
        try:
            importlib.import_module(name)
        except ModuleNotFoundError:
            assert hasattr(importlib.import_module(module), attribute), name


def test_every_test_that_the_paper_page_names_exists():
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAPER_PAGE)
    assert len(named) > 15
    for path, test in named:
        assert f"def {test}(" in (ROOT / path).read_text(), test
    for script in re.findall(
        r"`(?:python )?((?:figures|benchmarks|tests)/[\w/]+\.py)`", PAPER_PAGE
    ):
        assert (ROOT / script).exists(), script


def test_the_paper_page_has_every_statement_of_the_paper():
    (source,) = specimen("paper").glob("*.tex")
    text = re.sub(r"(?<!\\)%.*", "", source.read_text())
    labels = re.findall(r"\\label\{(?:eq|alg|fig|lem|thm|rem)[:;]([\w-]+)\}", text)
    assert len(labels) > 40
    for label in labels:
        assert f"({label})" in PAPER_PAGE, label


def test_the_math_page_has_every_formula_that_a_docstring_cites():
    page = (ROOT / "docs" / "math.md").read_text()
    for path in (ROOT / "src").rglob("*.py"):
        for label in re.findall(r"equation \(([\w-]+)\)", path.read_text()):
            assert f"({label})" in page, f"{path.name} cites ({label})"


REFERENCE = (ROOT / "docs" / "reference.md").read_text()
PACKAGES = re.findall(r"^## gplandmark\.([\w.]+)$", REFERENCE, re.MULTILINE)


def listed(package):
    """Names that the reference lists of a package."""
    blocks = REFERENCE.split(".. currentmodule:: ")[1:]
    found = [each.partition("```")[0] for each in blocks if each.split()[0] == package]
    return set(re.findall(r"^   (\w+)$", "\n".join(found), re.MULTILINE))


def test_the_reference_lists_every_public_name():
    assert listed("gplandmark") == set(gplandmark.__all__)
    assert {"gp.kernels", "gp.regression", "gp.theory", "mesh", "landmarks"} <= set(PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_the_reference_lists_what_a_package_exports(package):
    module = importlib.import_module(f"gplandmark.{package}")
    names = {name for name in getattr(module, "__all__", ()) if not name.isupper()}
    assert names <= listed(module.__name__) | set(gplandmark.__all__)
    assert all(hasattr(module, name) for name in listed(module.__name__))


def test_every_guide_page_has_an_entry_in_the_contents():
    contents = (ROOT / "docs" / "index.md").read_text().split()
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index"}
    assert pages <= set(contents)
