"""The rooms and their one direction, as docs/architecture.md draws them."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gplandmark

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "gplandmark"
ROOMS = [
    "errors arrays",
    "engine surface loops",
    "cleaning gaussians",
    "scans geometry",
    "kernel regions specimens",
    "selection",
    "landmarks",
    "regression theory",
    "baselines",
    "comparison",
    "files",
    "checking editing matching pictures symmetry",
    "analysis viewer",
    "collections evaluation",
    "samples",
    "cli",
    "__init__ __main__",
]
HEAVY = {
    "dask", "distributed", "matplotlib", "rich", "click", "trimesh", "igl", "potpourri3d", "psutil",
    "pytest", "viser",
}  # fmt: skip
DEPTH = {room: depth for depth, layer in enumerate(ROOMS) for room in layer.split()}
MODULES = sorted(PACKAGE.rglob("*.py"))


def room(path):
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gplandmark."):
            used = node.module.split(".")[1]
            assert used == room(path) or DEPTH[used] < DEPTH[room(path)], f"imports {used}"


def test_the_architecture_page_shows_every_room():
    page = (ROOT / "docs" / "architecture.md").read_text()
    for name in DEPTH:
        if not name.startswith("__"):
            assert f"`{name}`" in page, name


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_modules_are_small_and_introduce_themselves(path):
    text = path.read_text()
    assert text.startswith("# SPDX-License-Identifier: MIT\n")
    assert ast.get_docstring(ast.parse(text))
    assert text.count("\n") <= 250


def test_nothing_else_is_exported():
    names = {name for name in vars(gplandmark) if not name.startswith("_")}
    rooms = {name for name in DEPTH if not name.startswith("__")}
    assert names - rooms == set(gplandmark.__all__)
    assert sorted(gplandmark.__all__) == gplandmark.__all__


def test_the_library_prints_nothing_and_loads_no_heavy_module():
    code = "import gplandmark, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & HEAVY
    assert done.stderr == ""


def test_the_example_of_the_package_runs():
    import doctest

    assert doctest.testmod(gplandmark).failed == 0


def test_the_version_stands_in_the_changelog_and_the_citation():
    from importlib.metadata import version

    text = (ROOT / "CHANGELOG.md").read_text()
    newest = re.search(r"^## \[?(\d+\.\d+\.\d+)", text, re.MULTILINE).group(1)
    assert newest == version("gplandmark")
    assert f"version: {newest}" in (ROOT / "CITATION.cff").read_text()
