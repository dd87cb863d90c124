# SPDX-License-Identifier: MIT
"""What a file's header promises, so that a file cut short does not pass for a whole one."""

import re

__all__ = ["promised"]

PLY_ELEMENT = rb"^element[ \t]+%s[ \t]+(\d+)"
OFF_HEADER = re.compile(rb"\s*(?:\w*OFF)?\s*(\d+)\s+(\d+)")
COMMENT = re.compile(rb"#[^\r\n]*")
HEADER = 65_536  # bytes that hold any header


def promised(content: bytes, ending: str) -> tuple[int, int] | None:
    """Numbers of vertices and faces that the header of a PLY or OFF file gives, if it does."""
    head = content[:HEADER]
    if ending == ".ply":
        counts = [re.search(PLY_ELEMENT % name, head, re.M) for name in (b"vertex", b"face")]
        vertices, faces = (None if each is None else int(each.group(1)) for each in counts)
        return None if vertices is None else (vertices, faces or 0)
    if ending == ".off":
        found = OFF_HEADER.match(COMMENT.sub(b"", head))
        return None if found is None else (int(found.group(1)), int(found.group(2)))
    return None
