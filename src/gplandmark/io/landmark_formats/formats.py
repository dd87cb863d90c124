# SPDX-License-Identifier: MIT
"""The table of landmark formats, by the extension of a file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gplandmark.errors import LandmarkFileError
from gplandmark.io.landmark_formats import (
    amira,
    checkpoint,
    csv_long,
    csv_wide,
    dta,
    fcsv,
    meshlab,
    morphologika,
    ntsys,
    pts,
    slicer,
    tps,
)
from gplandmark.landmarks import Landmarks

EVERYTHING = ("names", "types", "missing", "system")


@dataclass(frozen=True)
class Format:
    """How one kind of landmark file is parsed and written, and what it can hold.

    Attributes
    ----------
    name : as users know it
    parse : from the text of a file, and the name for a specimen that has none
    text : of the landmarks of one or several specimens; None for a format that is only read
    holds_many : whether a file may hold several specimens
    keeps : which of names, types (fixed, semi), missing landmarks, the coordinate system,
        classes and curves survive in a file
    in_space : whether it holds points in three dimensions only
    default_system : what a file says of landmarks whose coordinate system is unknown
    negative_codes : whether three equal negative numbers are a missing landmark by custom
    """

    name: str
    parse: Callable[[str, str], tuple[Landmarks, ...]]
    text: Callable[[Sequence[Landmarks]], str] | None
    holds_many: bool = False
    keeps: tuple[str, ...] = ("missing",)
    in_space: bool = True
    default_system: str | None = None
    negative_codes: bool = False


FORMATS: Mapping[str, Format] = {
    ".mrk.json": Format(
        "3D Slicer markups",
        slicer.parse,
        slicer.text,
        keeps=(*EVERYTHING, "curves"),
        default_system="LPS",
    ),
    ".fcsv": Format(
        "3D Slicer fiducials", fcsv.parse, fcsv.text, keeps=EVERYTHING, default_system="LPS"
    ),
    ".wide.csv": Format(
        "table, a row per specimen", csv_long.parse, csv_wide.text, True, ("names", "missing")
    ),
    ".csv": Format(
        "table, a row per landmark",
        csv_long.parse,
        csv_long.text,
        True,
        (*EVERYTHING, "classes", "curves"),
        in_space=False,
    ),
    ".tps": Format("TPS", tps.parse, tps.text, True, ("missing", "curves"), negative_codes=True),
    ".txt": Format("Morphologika", morphologika.parse, morphologika.text, True),
    ".pts": Format("Landmark Editor", pts.parse, pts.text, False, ("types", "missing")),
    ".nts": Format("NTSYS", ntsys.parse, ntsys.text, True),
    ".dta": Format("Landmark Editor NTSYS", dta.parse, dta.text, True),
    ".landmarkascii": Format("Amira/Avizo landmark set", amira.parse, None, True, ()),
    ".pp": Format("MeshLab picked points", meshlab.parse, None, False, ("names", "missing")),
    ".ckpt": Format(
        "Checkpoint project", checkpoint.parse, None, False, ("names", "types", "missing")
    ),
}
"""Formats by extension; an extension that ends in another one comes before it."""

WRITABLE = tuple(extension for extension, each in FORMATS.items() if each.text is not None)
JOINT = tuple(extension for extension in WRITABLE if FORMATS[extension].holds_many)
"""Extensions of files that can be written, and of those that hold several specimens."""


def format_of(path: Path, *, written: bool = False) -> tuple[str, Format]:
    """Return the extension of a landmark file and the format that goes with it.

    If the file is to be `written`, the error offers no format that is only read.

    Raises
    ------
    LandmarkFileError
        No format has this extension.
    """
    from gplandmark.io.scans import is_mesh

    for extension, each in FORMATS.items():
        if path.name.lower().endswith(extension):
            return extension, each
    if not written and is_mesh(path):
        raise LandmarkFileError.of(path, "is a mesh, not a landmark file. Check the names.")
    known = ", ".join(
        f"{extension} ({each.name}{'' if each.text else ', only read'})"
        for extension, each in FORMATS.items()
        if each.text or not written
    )
    raise LandmarkFileError(f"unknown landmark file extension. Use one of {known}.", path)


def writer_of(path: Path) -> Callable[[Sequence[Landmarks]], str]:
    """Return the function that writes a format, by the file's extension.

    Raises
    ------
    LandmarkFileError
        The extension is unknown, or the format is only read.
    """
    _, chosen = format_of(path, written=True)
    if chosen.text is None:
        raise LandmarkFileError(
            f"files of this kind ({chosen.name}) are only read. Write one of "
            f"{', '.join(WRITABLE)}.",
            path,
        )
    return chosen.text


def check_dimension(path: Path, dimension: int) -> None:
    """Refuse points that are not three-dimensional where a format holds no others.

    Raises
    ------
    LandmarkFileError
        The format holds points in space only.
    """
    extension, chosen = format_of(path, written=True)
    if chosen.in_space and dimension != 3:
        raise LandmarkFileError(
            f"{extension} files hold points in space, and these have dimension {dimension}. "
            "Use .csv.",
            path,
        )
