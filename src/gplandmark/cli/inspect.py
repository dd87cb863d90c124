# SPDX-License-Identifier: MIT
"""``gplandmark inspect``: size, topology and defects of scans."""

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from gplandmark.cli.options.common import PATH, headed_command, json_option
from gplandmark.cli.options.parallel import workers_for, workers_option
from gplandmark.cli.options.scans import cleaning_options
from gplandmark.cli.tables import percent, print_rows, print_table, print_title, rounded
from gplandmark.cli.terminal import echo, echo_json
from gplandmark.errors import ScanError, warn
from gplandmark.io.scans.rules import Rules
from gplandmark.runs.discover import find_scans
from gplandmark.runs.inspect import Inspection, Suspicion, inspect_all, of_unlike_size

COLUMNS = (
    "file", "vertices", "faces", "area", "size", "loops", "genus", "pieces", "defects", "look at",
    "verdict",
)  # fmt: skip
WORTHWHILE = 50_000_000  # bytes of scans above which workers, which start slowly, are faster
SHORT = {
    "non_finite": "NaN",
    "duplicates": "duplicates",
    "zero_area": "flat",
    "repeated": "repeated",
    "winding": "winding",
    "one_sided": "one-sided",
    "non_manifold": "non-manifold",
    "bow_ties": "bow-ties",
    "unreferenced": "unused",
    "components": "pieces",
    "not_bone": "not bone",
}


@headed_command
@click.argument("files", nargs=-1, required=True, type=PATH)
@cleaning_options
@json_option
@workers_option("0 for a few scans, otherwise one per processor")
def inspect(files: tuple[Path, ...], rules: Rules, as_json: bool, workers: int | None) -> None:
    """Describe the scans FILES: size, holes, components, defects, suspicious regions.

    A folder stands for all scans in it and in its subfolders. One scan gives a report, several
    give a table with one line each. Nothing is written to disk. Sizes are in units of the file.
    Boundary loops and genus are those of the cleaned surface. The exit code is 1 if a scan is
    refused.

    'look at' in the report names regions that may not be bone: flat cuts (sawn, or a filled
    hole), and rough ones (noise, matrix, plaster, cracks).

    \b
    Examples:
      gplandmark inspect tooth.ply
      gplandmark inspect scans
      gplandmark inspect scans/*.ply --json
    """
    paths = [path for place in files for path in _scans(place)]
    with workers_for(paths, workers, WORTHWHILE) as running:
        found = inspect_all(paths, rules, running)
    for sentence in of_unlike_size(found):
        warn(sentence)
    if as_json:
        echo_json([each.as_dict() for each in found])
    elif len(found) == 1:
        _report(found[0])
    else:
        _table(found)
    if any(each.verdict == "refused" for each in found):
        sys.exit(1)


def _scans(place: Path) -> list[Path]:
    """Return the scans of a folder, or the one scan that is named."""
    if not place.is_dir():
        return [place]
    found = find_scans([place])
    for reason in found.closed.values():
        warn(reason)
    return [each.path for each in found.specimens]


def _report(found: Inspection) -> None:
    if found.report is None:
        raise ScanError(found.reason or "")
    print_title(found.path)
    cells = dict(zip(COLUMNS, _cells(found), strict=True))
    report = found.report
    kept = f"{report.vertices_kept:,} vertices, {report.faces_kept:,} faces"
    size = " x ".join(rounded(each) for each in found.size)
    rows = [
        ("in file", f"{cells['vertices']} vertices, {cells['faces']} faces"),
        ("kept", kept),
        ("area", f"{cells['area']} (file units squared)"),
        ("size", f"{size} (file units)"),
        ("shape", f"boundary loops {cells['loops']}, genus {cells['genus']}"),
        ("pieces", f"{cells['pieces']} in the file"),
        *((("system", f"{found.system}, as stated in the file"),) if found.system else ()),
        *(("note", note) for note in report.notes),
        *(("found", str(each)) for each in report.findings),
        *(("look at", _where(each)) for each in found.suspicions),
        ("verdict", found.verdict),
    ]
    print_rows(rows, width=8)


def _table(inspections: Sequence[Inspection]) -> None:
    print_table(COLUMNS, map(_cells, inspections), left=("defects", "look at", "verdict"))
    for each in inspections:
        if each.reason:
            echo(f"refused: {each.reason}")


def _cells(found: Inspection) -> tuple[str, ...]:
    """Cells of a row, with a dash for what is unknown."""
    report, shape = found.report, found.topology
    if report is None:
        return (found.path, *"-" * (len(COLUMNS) - 2), found.verdict)
    defects = [f"{each.count:,} {SHORT[each.defect]}" for each in report.findings]
    kinds = Counter(each.kind for each in found.suspicions)
    return (
        found.path,
        f"{report.vertices:,}",
        f"{report.faces:,}",
        "-" if found.area is None else rounded(found.area),
        rounded(found.diagonal),
        "-" if shape is None else str(shape.boundary_loops),
        "-" if shape is None or shape.genus is None else str(shape.genus),
        "-" if shape is None else f"{_pieces(found):,}",
        ", ".join(defects) or "-",
        ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "-",
        found.verdict,
    )


def _where(suspicion: Suspicion) -> str:
    """What a region is, how large, and where."""
    place = ", ".join(rounded(each) for each in suspicion.centre)
    share = percent(suspicion.share)
    return f"{suspicion.kind}, {share} of the area, at {place} (near vertex {suspicion.vertex})"


def _pieces(found: Inspection) -> int:
    return 1 + (0 if found.report is None else found.report.count("components"))
