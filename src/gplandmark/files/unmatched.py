# SPDX-License-Identifier: MIT
"""How files say that number 7 of one specimen is not number 7 of another.

Landmarks that were placed on each specimen for itself are numbered by what they add to the
knowledge of that specimen. Files that hold several specimens carry the mark, where their format
has room for it, and a note lies beside them.
"""

__all__ = ["MARKS", "NOTE", "NOT_HOMOLOGOUS", "SHORT"]

NOTE = "not-matched.txt"  # lies beside joint files of landmarks that were placed one by one
NOT_HOMOLOGOUS = (
    "These landmarks are not matched: number 7 of one specimen is not number 7 of another. "
    "Do not superimpose specimens by them (Procrustes) before they are matched."
)
SHORT = "not matched across specimens: no Procrustes yet"
MARKS = ("landmarks are not matched", "not matched across specimens")
"""Words of the two sentences by which a file is known."""
