"""The conda recipe says what pyproject.toml says, and renders."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RECIPE = ROOT / "recipe" / "recipe.yaml"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_conda_recipe_has_the_version_and_the_dependencies_of_the_project():
    text = RECIPE.read_text()
    assert re.search(r'version: "([\d.]+)"', text).group(1) == PROJECT["version"]
    run = text.partition("  run:\n")[2].partition("\n\n")[0]
    found = dict(re.findall(r"- ([\w-]+) >=([\d.]+)", run))
    assert found.pop("python") == PROJECT["requires-python"].removeprefix(">=")
    found["libigl"] = found.pop("igl")
    assert found == dict(each.split(">=") for each in PROJECT["dependencies"])


def test_the_conda_recipe_renders_for_every_python():
    rattler_build = pytest.importorskip("rattler_build")
    recipe = rattler_build.Stage0Recipe.from_file(RECIPE)
    variants = rattler_build.VariantConfig({"python": ["3.11.* *_cpython", "3.13.* *_cp313"]})
    rendered = recipe.render(variants)
    assert len(rendered) == 2
    assert {each.recipe.package.version for each in rendered} == {PROJECT["version"]}
