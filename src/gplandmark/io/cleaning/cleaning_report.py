# SPDX-License-Identifier: MIT
"""What cleaning found and what it did about it, in counts and in sentences."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["DEFECTS", "Finding", "Report", "number_of"]

# Each defect of `Rules`: what is counted, in the plural, and what "fix" does to it.
DEFECTS: Mapping[str, tuple[str, str]] = {
    "non_finite": ("vertices with NaN or infinite coordinates", "dropped"),
    "duplicates": ("duplicate vertices", "joined"),
    "zero_area": ("faces without area", "dropped"),
    "repeated": ("repeated faces", "dropped"),
    "winding": ("faces wound the wrong way", "turned"),
    "one_sided": ("edges across which a one-sided surface changes its winding", ""),
    "non_manifold": ("edges in more than two faces", ""),
    "bow_ties": ("vertices where fans of faces meet in a point", ""),
    "unreferenced": ("vertices that no face uses", "dropped"),
    "components": ("pieces beside the largest", "left out"),
}


def number_of(count: int, plural: str) -> str:
    """Say how many: "1 duplicate vertex", "12 repeated faces"."""
    if count != 1:
        return f"{count:,} {plural}"
    one = {"vertices": "vertex", "faces": "face", "edges": "edge", "pieces": "piece"}
    subject = next(word for word in plural.split(" ") if word in one)
    return "1 " + plural.replace(subject, one[subject], 1)


@dataclass(frozen=True)
class Finding:
    """One kind of defect: to how many of it something was done, what, and how many more stay."""

    defect: str
    count: int
    action: str
    detail: str = ""
    kept: int = 0

    def __str__(self) -> str:
        detail = f" ({self.detail})" if self.detail else ""
        return f"{number_of(self.count, DEFECTS[self.defect][0])} {self.action}{detail}"


@dataclass(frozen=True)
class Report:
    """What was found in a scan, and what came of it.

    Attributes
    ----------
    vertices, faces : in the file
    vertices_kept, faces_kept : in the surface
    findings : the defects that were found, in the order in which they were treated
    notes : what the reader of the file had to decide
    """

    vertices: int
    faces: int
    vertices_kept: int
    faces_kept: int
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    def count(self, defect: str) -> int:
        """How often a defect of `Rules` was found."""
        return sum(each.count + each.kept for each in self.findings if each.defect == defect)

    def line(self) -> str:
        """Everything found and done, in one line; empty where there is nothing to say."""
        return "; ".join((*self.notes, *map(str, self.findings)))

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain dictionaries and lists, ready for JSON."""
        content = asdict(self)
        content["findings"] = {
            each.defect: {"count": each.count, "action": each.action, "detail": each.detail}
            for each in self.findings
        }
        content["notes"] = list(self.notes)
        return content
