# SPDX-License-Identifier: MIT
"""NTSYS matrices of Landmark Editor, ``.dta``.

The header always declares ``1 9999``, whether any landmark is missing or not, so that a single
9999 may be a coordinate.
"""

from collections.abc import Sequence

from gplandmark.errors import warn
from gplandmark.io.formatting import MISSING, coordinate_rows
from gplandmark.io.homology import mark_for
from gplandmark.io.landmark_formats.ntsys import is_unused, parse_matrix, row_names
from gplandmark.landmarks import Landmarks


def text(collection: Sequence[Landmarks]) -> str:
    """Content of a .dta file, as Landmark Editor writes it."""
    names = row_names(collection, "Landmark Editor's .dta")
    if not is_unused(collection, "9999"):
        warn(
            "Some coordinates have the digits 9999; geomorph will take them for missing ones in "
            "a .dta file. Use .tps for it.",
            stacklevel=4,
        )
    mark = mark_for(collection)
    rows = [f"'{mark}"] if mark else []
    rows += ["'Landmarks of gplandmark", f"1 {len(names)}L {3 * len(collection[0])} 1 9999 Dim=3"]
    rows += ["", *names]
    for each in collection:
        rows += ["", *coordinate_rows(each, MISSING)]
    return "\n".join(rows) + "\n"


def parse(content: str, specimen: str) -> tuple[Landmarks, ...]:
    """Every specimen of a .dta file."""
    return parse_matrix(content, specimen, from_editor=True)
