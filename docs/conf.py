"""Settings of Sphinx: the guide, the reference from docstrings, and the executed gallery.

`scripts/build-docs` runs it. Warnings are errors.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from docstrings import as_restructured_text
from docutils import nodes
from sphinx import addnodes
from sphinx.util.typing import stringify_annotation
from sphinx_gallery.scrapers import figure_rst

import gplandmark
from gplandmark.numerics import array_types, arrays

# Arrays by the names that the source uses; before anything else is imported.
for name in ("FloatArray", "IndexArray", "BoolArray"):
    setattr(arrays, name, type(name, (), {"__module__": "numpy"}))
array_types.ArrayLike = type("ArrayLike", (), {"__module__": "numpy"})

from gplandmark.gp.selection import Move, Progress  # noqa: E402
from gplandmark.landmarks import MethodSettings  # noqa: E402

project = "gplandmark"
author = copyright = "The gplandmark developers"
version = release = gplandmark.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["gallery/*"]
templates_path = ["templates"]
suppress_warnings = ["config.cache"]  # the gallery's settings contain a function

# Guide pages
myst_heading_anchors = 3
myst_url_schemes = ["http", "https", "mailto"]

# Reference
default_role = "py:obj"  # a name in backticks is a link wherever it has a page
add_module_names = False
autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 80
napoleon_attr_annotations = False
napoleon_custom_sections = [("Attributes", "params_style")]
napoleon_use_rtype = False


def last_picture(block, variables, settings) -> str:  # noqa: ARG001
    """Show the value of a cell that is a picture of ours, as a notebook does."""
    value = variables["example_globals"].get("___")
    if not hasattr(value, "_repr_png_") or (picture := value._repr_png_()) is None:
        return ""
    path = Path(next(variables["image_path_iterator"]))
    path.write_bytes(picture)
    variables["example_globals"]["___"] = None
    return figure_rst([str(path)], settings["src_dir"])


# Gallery: every script is run, and a failing one is an error
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "abort_on_example_error": True,
    "capture_repr": (),
    "image_scrapers": ("matplotlib", last_picture),
}

# Pages
html_theme = "furo"
html_title = "gplandmark"
html_copy_source = False
html_show_sphinx = False
pygments_style = "friendly"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def unqualified(annotation: str) -> str:
    """Leave out the modules of names."""
    return re.sub(r"~?\b(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_])", "", annotation)


NAMES = {
    unqualified(stringify_annotation(kind, "smart")): name
    for name, kind in {
        "MethodSettings": MethodSettings,
        "Move": Move,
        "Progress": Progress,
    }.items()
}


def readable(annotation: str | None) -> str | None:
    """Write types by the names that the source uses, longest expansions first."""
    if annotation is None:
        return None
    annotation = unqualified(annotation)
    for long in sorted(NAMES, key=len, reverse=True):
        annotation = annotation.replace(long, NAMES[long])
    return annotation


def name_types(_app, document) -> None:
    """Do the same with the types of properties."""
    for node in document.findall(addnodes.desc_annotation):
        if "[" in node.astext():
            node.children = [nodes.Text(readable(node.astext()))]


def setup(app) -> None:
    """Connect what turns our docstrings and types into readable pages."""
    app.connect("autodoc-process-docstring", as_restructured_text, priority=100)
    app.connect(
        "autodoc-process-signature", lambda *event: (readable(event[-2]), readable(event[-1]))
    )
    app.connect("doctree-read", name_types)
