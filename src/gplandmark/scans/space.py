# SPDX-License-Identifier: MIT
"""The coordinate system that a mesh file tells.

3D Slicer writes ``SPACE=LPS`` or ``SPACE=RAS`` into the meshes that it saves, and heeds it in those
that it reads: in the title of VTK, the header of STL, comments of PLY and OBJ, a field of VTP.
"""

import re

__all__ = ["space_told"]

TAG = re.compile(rb"SPACE=(LPS|RAS)")


def space_told(header: bytes) -> str | None:
    """Return LPS or RAS if a header has that tag; None without one, or with both."""
    found = set(TAG.findall(header))
    return found.pop().decode() if len(found) == 1 else None
