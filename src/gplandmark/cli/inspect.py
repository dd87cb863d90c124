# SPDX-License-Identifier: MIT
"""``gplandmark inspect``: what scans are like, before any work is done on them."""

import json
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import click

from gplandmark.cli.options.groups import HeadedCommand
from gplandmark.cli.options.scans import cleaning_options
from gplandmark.cli.options.workers import workers_for, workers_option
from gplandmark.cli.terminal import number
from gplandmark.errors import GplandmarkWarning, ScanError
from gplandmark.io.scans.rules import rules_called
from gplandmark.runs.discover import find
from gplandmark.runs.inspect import Inspection, inspect_all, out_of_line

__all__ = ["inspect"]

COLUMNS = (
    "file", "vertices", "faces", "area", "size", "loops", "genus", "pieces", "defects", "verdict",
)  # fmt: skip
WORTHWHILE = 50_000_000  # bytes of scans: reading is quick, and workers take a second to start
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
}


@click.command(
    cls=HeadedCommand, short_help="What scans are like: size, holes, pieces, defects, verdict."
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@cleaning_options
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@workers_option("0 for a few scans, else one for each processor")
def inspect(
    files: tuple[Path, ...],
    clean: str,
    components: str | None,
    as_json: bool,
    workers: int | None,
) -> None:
    """Say what the scans FILES are like: size, holes, handles, pieces, defects, verdict.

    A folder stands for all scans in it and in the folders inside it. One scan gets a report,
    several a table with one line each. Nothing is written. Sizes are in units of the file;
    boundary loops and genus are those of the cleaned surface. The exit code is 1 if a scan is
    refused.

    \b
    Examples:
      gplandmark inspect tooth.ply
      gplandmark inspect scans
      gplandmark inspect scans/*.ply --json
    """
    rules = rules_called(clean, components)
    paths = [path for place in files for path in _scans(place)]
    with workers_for(paths, workers, WORTHWHILE) as running:
        found = inspect_all(paths, rules, running)
    for sentence in out_of_line(found):
        warnings.warn(sentence, GplandmarkWarning, stacklevel=1)
    if as_json:
        click.echo(json.dumps([each.as_dict() for each in found], indent=1))
    elif len(found) == 1:
        _report(found[0])
    else:
        _table(found)
    if any(each.verdict == "refused" for each in found):
        sys.exit(1)


def _scans(place: Path) -> list[Path]:
    """Return the scans of a folder by their keys, or the one that is named itself."""
    if not place.is_dir():
        return [place]
    found = find([place])
    for reason in found.closed.values():
        warnings.warn(reason, GplandmarkWarning, stacklevel=1)
    return [each.path for each in found.specimens]


def _report(found: Inspection) -> None:
    if found.report is None:
        raise ScanError(found.reason or "")
    click.echo(click.style(found.path, bold=True))
    cells = dict(zip(COLUMNS, _cells(found), strict=True))
    report = found.report
    kept = f"{report.vertices_kept:,} vertices, {report.faces_kept:,} faces"
    size = " x ".join(number(each) for each in found.size)
    rows = [
        ("in file", f"{cells['vertices']} vertices, {cells['faces']} faces"),
        ("kept", kept),
        ("area", f"{cells['area']} (file units squared)"),
        ("size", f"{size} (file units)"),
        ("shape", f"boundary loops {cells['loops']}, genus {cells['genus']}"),
        ("pieces", f"{cells['pieces']} in the file"),
        *((("system", f"{found.system}, as the file tells"),) if found.system else ()),
        *(("note", note) for note in report.notes),
        *(("found", str(each)) for each in report.findings),
        ("verdict", found.verdict),
    ]
    for name, value in rows:
        click.echo(f"  {name:<8} {value}")


def _table(inspections: Sequence[Inspection]) -> None:
    rows = [COLUMNS, *(_cells(each) for each in inspections)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    for row in rows:
        cells = [
            cell.ljust(width) if name in ("file", "defects", "verdict") else cell.rjust(width)
            for name, cell, width in zip(COLUMNS, row, widths, strict=True)
        ]
        click.echo("  ".join(cells).rstrip())
    for each in inspections:
        if each.reason:
            click.echo(f"refused: {each.reason}")


def _cells(found: Inspection) -> tuple[str, ...]:
    """Cells of a row; a dash where there is nothing to say."""
    report, shape = found.report, found.topology
    if report is None:
        return (found.path, *"-" * (len(COLUMNS) - 2), found.verdict)
    defects = [f"{each.count:,} {SHORT[each.defect]}" for each in report.findings]
    return (
        found.path,
        f"{report.vertices:,}",
        f"{report.faces:,}",
        "-" if found.area is None else number(found.area),
        number(found.diagonal),
        "-" if shape is None else str(shape.boundary_loops),
        "-" if shape is None or shape.genus is None else str(shape.genus),
        "-" if shape is None else f"{_pieces(found):,}",
        ", ".join(defects) or "-",
        found.verdict,
    )


def _pieces(found: Inspection) -> int:
    return 1 + (0 if found.report is None else found.report.count("components"))
