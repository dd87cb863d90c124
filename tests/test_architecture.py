"""The packages and their one direction, as docs/architecture.md draws them."""

import ast
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import gplandmark

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "gplandmark"
DRAWING = re.search(r"^    (errors < .*)$", gplandmark.__doc__, re.MULTILINE).group(1)
ORDER = DRAWING.split(" < ")
HEAVY = {
    "dask", "distributed", "matplotlib", "rich", "click", "trimesh", "igl", "potpourri3d", "psutil",
    "pytest", "viser",
}  # fmt: skip
MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
ROOTS = ("__init__", "__main__")


def module_named(dotted):
    """The module, or the `__init__` of the package, with a name below `gplandmark`."""
    return next((each for each in (dotted, f"{dotted}.__init__") if each in MODULES), None)


def imports(path):
    """Modules of our own that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gplandmark."):
            package = node.module.removeprefix("gplandmark.")
            for alias in node.names:
                yield module_named(f"{package}.{alias.name}") or module_named(package)


GRAPH = {name: set(imports(path)) for name, path in MODULES.items()}


@pytest.mark.parametrize("name", [each for each in GRAPH if each not in ROOTS])
def test_imports_point_one_way(name):
    packages = {each.split(".")[0] for each in GRAPH[name]}
    assert all(ORDER.index(each) <= ORDER.index(name.split(".")[0]) for each in packages)


def subpackage(name):
    """`gp.kernels` of gp.kernels.graph; a module of a package itself stands for itself."""
    parts = name.split(".")
    return ".".join(parts[:2]) if len(parts) > 2 else name


@pytest.mark.parametrize("unit", [str, subpackage], ids=["modules", "subpackages"])
def test_no_import_goes_in_a_circle(unit):
    graph = {}
    for name, used in GRAPH.items():
        graph.setdefault(unit(name), set()).update(unit(each) for each in used)
    graph = {name: used - {name} for name, used in graph.items()}
    assert list(
        TopologicalSorter(graph).static_order()
    )  # raises CycleError, which names the circle


def test_the_order_is_drawn_once_and_complete():
    assert DRAWING in (ROOT / "docs" / "architecture.md").read_text()
    entries = {
        path.stem for path in PACKAGE.iterdir() if path.name not in ("__pycache__", "py.typed")
    }
    assert entries - set(ROOTS) == set(ORDER)
    assert len(ORDER) <= 10


@pytest.mark.parametrize("name", MODULES)
def test_modules_are_small_and_introduce_themselves(name):
    text = MODULES[name].read_text()
    assert text.startswith("# SPDX-License-Identifier: MIT\n")
    assert ast.get_docstring(ast.parse(text))
    assert text.count("\n") <= 250


def test_nothing_else_is_exported():
    names = {name for name in vars(gplandmark) if not name.startswith("_")}
    assert names - set(ORDER) == set(gplandmark.__all__)
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
