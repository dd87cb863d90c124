# SPDX-License-Identifier: MIT
"""What cleaning does about each defect of a scan, and the report of what it found and did."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal, TypeAlias, get_args

from gplandmark.errors import ScanError, SettingsError
from gplandmark.io.volumes.options import VolumeOptions

Rule: TypeAlias = Literal["fix", "keep", "refuse"]
ComponentsName: TypeAlias = Literal["largest", "all", "refuse"]
Components: TypeAlias = ComponentsName | float

# What cannot be mended without inventing surface, and what no surface can hold.
IMPOSSIBLE = {("non_finite", "keep"), ("non_manifold", "fix"), ("bow_ties", "fix")}


@dataclass(frozen=True)
class Rules:
    """One rule for each defect: "fix" it, "keep" it as it is, or "refuse" the scan.

    Attributes
    ----------
    non_finite : vertices with NaN or infinite coordinates: dropped, with the faces that use them
    duplicates : vertices of a mesh at exactly the same place: joined, under the lowest number
    zero_area : faces without area: dropped
    repeated : faces with the corners of an earlier one: dropped
    winding : faces that wind against their neighbours are turned, and closed pieces to the outside
    non_manifold : edges in more than two faces
    bow_ties : vertices where fans of faces meet in a point only
    unreferenced : vertices of a mesh that no face uses: dropped
    components : of several pieces keep the "largest" by area, "all", or those with at least this
        fraction of the area, above 0 and below 1; or "refuse"
    volume : how a volume becomes a surface; None for Otsu's threshold
    not_bone : "keep" what is painted as not bone; None to leave it out

    Raises
    ------
    SettingsError
        There is no such rule, or not for this defect.
    """

    non_finite: Rule = "fix"
    duplicates: Rule = "fix"
    zero_area: Rule = "fix"
    repeated: Rule = "fix"
    winding: Rule = "fix"
    non_manifold: Rule = "keep"
    bow_ties: Rule = "keep"
    unreferenced: Rule = "fix"
    components: Components = "largest"
    volume: VolumeOptions | None = field(default=None, metadata={"later": True})
    not_bone: Literal["keep"] | None = field(default=None, metadata={"later": True})

    def __post_init__(self) -> None:
        """Check every rule once."""
        for name in (each.name for each in fields(self) if each.type is Rule):
            rule = getattr(self, name)
            if rule not in ("fix", "keep", "refuse") or (name, rule) in IMPOSSIBLE:
                raise SettingsError(f"There is no rule '{rule}' for {name.replace('_', ' ')}.")
        if self.not_bone not in (None, "keep"):
            raise SettingsError(f"There is no rule '{self.not_bone}' for not bone.")
        fraction = self.components
        if fraction in get_args(ComponentsName):
            return
        if isinstance(fraction, str) or not 0 < fraction < 1:
            raise SettingsError(
                "The components to keep must be 'largest', 'all' or a fraction of the area above 0 "
                f"and below 1, got {fraction}."
            )


RULES: Mapping[str, Rules] = {
    "default": Rules(),
    "none": Rules("refuse", "keep", "keep", "keep", "keep", unreferenced="keep", components="all"),
    "strict": Rules(
        "refuse", "refuse", "refuse", "refuse", "refuse", "refuse", "refuse", "refuse", "refuse"
    ),
}


def rules_called(name: str, components: str | None = None) -> Rules:
    """Return the rules called "default", "none" or "strict", with other components if given.

    Raises
    ------
    SettingsError
        There are no such rules, or the components are neither a name nor a fraction.
    """
    if name not in RULES:
        raise SettingsError(f"There are no rules '{name}'. Choose one of {', '.join(RULES)}.")
    if components is None:
        return RULES[name]
    for word in get_args(ComponentsName):
        if components == word:
            return replace(RULES[name], components=word)
    try:
        fraction = float(components.removesuffix("%")) / (100 if components.endswith("%") else 1)
    except ValueError:
        raise SettingsError(
            "The components to keep must be 'largest', 'all' or a fraction of the area, e.g. 0.05, "
            f"got '{components}'."
        ) from None
    return replace(RULES[name], components=fraction)


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
    "not_bone": ("vertices painted as not bone", "left out"),
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


@dataclass
class CleaningLog:
    """Findings so far, and the rules that say what to do about them."""

    name: str
    rules: Rules
    findings: list[Finding] = field(default_factory=list)

    def fixes(self, defect: str, count: int, detail: str = "", kept: int = 0) -> bool:
        """Add a finding; tell whether it is to be fixed. The rule leaves `kept` more of it.

        Raises
        ------
        ScanError
            The rule refuses such a scan.
        """
        if count + kept == 0:
            return False
        what, action = DEFECTS[defect]
        rule = getattr(self.rules, {"one_sided": "winding"}.get(defect, defect))
        if rule == "refuse":
            raise ScanError.of(
                self.name,
                f"has {number_of(count, what)}, and the rules refuse such a scan. "
                "Repair it in a mesh editor, or choose other rules for cleaning.",
            )
        if count == 0 or rule in ("keep", "all") or not action:
            self.findings.append(Finding(defect, count + kept, "kept", detail))
            return False
        self.findings.append(Finding(defect, count, action, detail, kept))
        return True
