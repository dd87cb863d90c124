"""The packages and their one direction, as docs/architecture.md draws them."""

import ast
import re
import subprocess
import sys
from functools import cache
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
    "pytest", "SimpleITK", "skimage", "tifffile",
}  # fmt: skip
MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
ROOTS = ("__init__", "__main__")


def module_named(dotted):
    """The module, or the `__init__` of the package, with a name below `gplandmark`."""
    return next((each for each in (dotted, f"{dotted}.__init__") if each in MODULES), None)


def imports(tree):
    """Modules of our own that a module imports, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gplandmark."):
            package = node.module.removeprefix("gplandmark.")
            for alias in node.names:
                yield module_named(f"{package}.{alias.name}") or module_named(package)


@cache
def trees():
    """Every module, parsed."""
    return {name: ast.parse(path.read_text()) for name, path in MODULES.items()}


@cache
def import_graph():
    return {name: set(imports(tree)) for name, tree in trees().items()}


def package_number(name):
    """Where the package of a module stands in the order."""
    return ORDER.index(name.split(".")[0])


def test_imports_point_one_way():
    assert [
        f"{name} imports {each}"
        for name, used in import_graph().items()
        if name not in ROOTS
        for each in used
        if package_number(each) > package_number(name)
    ] == []


def subpackage(name):
    """`gp.kernels` of gp.kernels.graph; a module of a package itself stands for itself."""
    parts = name.split(".")
    return ".".join(parts[:2]) if len(parts) > 2 else name


@pytest.mark.parametrize("unit", [str, subpackage], ids=["modules", "subpackages"])
def test_no_import_goes_in_a_circle(unit):
    graph = {}
    for name, used in import_graph().items():
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


def test_modules_are_small_and_introduce_themselves():
    for name, tree in trees().items():
        text = MODULES[name].read_text()
        assert text.startswith("# SPDX-License-Identifier: MIT\n"), name
        assert ast.get_docstring(tree), name
        assert text.count("\n") <= 250, name


def test_nothing_else_is_exported():
    names = {name for name in (*vars(gplandmark), *dir(gplandmark)) if not name.startswith("_")}
    assert names - set(ORDER) == set(gplandmark.__all__)
    assert all(
        getattr(gplandmark, name).__module__.startswith("gplandmark.")
        for name in names - set(ORDER)
    )
    assert gplandmark.mesh.surface.Surface is gplandmark.Surface


def test_type_checkers_see_what_is_imported_when_it_is_used():
    (block,) = (
        each for each in ast.parse(MODULES["__init__"].read_text()).body if isinstance(each, ast.If)
    )
    seen = {alias.asname: node.module for node in block.body for alias in node.names}
    assert seen == {name: f"gplandmark.{module}" for name, module in gplandmark._HOME.items()}


def loaded_by(code):
    """Modules in memory after some code; it prints nothing."""
    code = f"{code}\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return set(done.stdout.split())


def test_the_library_prints_nothing_and_loads_nothing_until_it_is_used():
    loaded = loaded_by("import gplandmark")
    assert not loaded & {*HEAVY, "numpy", "scipy"}
    assert {each for each in loaded if each.startswith("gplandmark")} == {"gplandmark"}


def test_the_command_line_loads_no_command_until_it_is_used():
    loaded = loaded_by("from gplandmark.cli.main import cli; cli.list_commands(None)")
    assert not loaded & ({*HEAVY, "numpy", "scipy"} - {"click"})


def test_no_module_loads_a_part_of_scipy_before_it_is_used():
    everything = "\n".join(
        f"import gplandmark.{name.removesuffix('.__init__')}"
        for name in MODULES
        if name not in ROOTS
    )
    loaded = loaded_by(everything)
    assert not {"scipy.linalg", "scipy.sparse", "scipy.spatial", "scipy.optimize"} & loaded
    assert not loaded & (HEAVY - {"click", "rich"})
    slow = {"numpy.typing", "numpy.ma", "numpy.random"}  # slower than all of ours
    assert not slow & (loaded - loaded_by("import numpy"))  # NumPy 1 loads them itself


def test_the_example_of_the_package_runs():
    import doctest

    assert doctest.testmod(gplandmark).failed == 0


def test_the_version_stands_in_the_changelog_and_the_citation():
    from importlib.metadata import version

    text = (ROOT / "CHANGELOG.md").read_text()
    newest = re.search(r"^## \[?(\d+\.\d+\.\d+)", text, re.MULTILINE).group(1)
    assert newest == version("gplandmark")
    assert f"version: {newest}" in (ROOT / "CITATION.cff").read_text()
