# SPDX-License-Identifier: MIT
"""``gplandmark check``: whether landmarks belong to a scan, and which mistake was made if not."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from gplandmark.cli.folders import check_order
from gplandmark.cli.options.groups import HeadedCommand
from gplandmark.cli.options.scans import cleaning_options
from gplandmark.cli.terminal import number, percent
from gplandmark.io.landmark_files import read_collection, read_landmarks
from gplandmark.io.scans import read, specimen_name
from gplandmark.io.scans.rules import rules_called
from gplandmark.landmarks import Landmarks
from gplandmark.landmarks.check import Check
from gplandmark.landmarks.check import check as check_landmarks
from gplandmark.landmarks.coordinate_system import OF_MESHES

__all__ = ["check"]

MISFIT = 1


@click.command(
    cls=HeadedCommand, short_help="Whether landmarks fit a scan, or are mirrored or rescaled."
)
@click.argument("mesh", type=click.Path(path_type=Path))
@click.argument("landmarks", type=click.Path(path_type=Path))
@cleaning_options
@click.option("-q", "--quiet", is_flag=True, help="Say the verdict only.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def check(
    mesh: Path,
    landmarks: Path,
    clean: str,
    components: str | None,
    quiet: bool,
    as_json: bool,
) -> int:
    """Tell how far each of LANDMARKS lies from the surface MESH, and whether they fit.

    If they do not, mirrored axes (LPS and RAS confused) and other units (mm, um, m, cm, inches)
    are tried, and the change that makes them fit is named. Landmarks fit if their median distance
    from the surface is at most 0.5 % of the diagonal of the box around it, and no single mistake
    explains those that lie off. The exit code is 0 if they fit and 1 if not. Of several specimens
    in one file, that with the name of MESH is taken.

    \b
    Example:
      gplandmark check skull.ply skull.mrk.json
    """
    check_order(mesh, landmarks)
    scan = read(mesh, rules_called(clean, components))
    result = check_landmarks(scan, _of_specimen(specimen_name(mesh), landmarks))
    if as_json:
        click.echo(json.dumps(_content(result), indent=1))
    else:
        if not quiet:
            _table(result)
        click.echo(_verdict(result))
    return 0 if result.fits else MISFIT


def _of_specimen(name: str, path: Path) -> Landmarks:
    """Landmarks of the one specimen in a file, or of that which is called like the scan."""
    named = [each for each in read_collection(path) if each.specimen == name]
    return named[0] if len(named) == 1 else read_landmarks(path)


def _table(result: Check) -> None:
    """One line per landmark, and those that lie off marked."""
    width = max(len("landmark"), *(len(label) for label in result.labels))
    click.echo(f"{'landmark':<{width}}  distance")
    for label, distance, off in zip(result.labels, result.distances, result.off, strict=True):
        mark = "   off the surface" if off else ""
        value = "missing" if np.isnan(distance) else number(distance) if distance else "0"
        click.echo(f"{label:<{width}}  {value}{mark}")
    median = result.told.median
    click.echo(
        f"\nmedian {number(median) if median else '0'}, largest "
        f"{number(float(np.nanmax(result.distances)))} (file units); the surface measures "
        f"{number(result.size)} across"
    )
    system = f"in {result.system}" if result.system else "in no coordinate system that it tells"
    mesh = f"is marked {result.mesh}" if result.mesh else "is taken to be in LPS"
    click.echo(f"the landmark file is {system}; the mesh {mesh}")


def _verdict(result: Check) -> str:
    share = percent(result.told.median / result.size)
    if result.fits:
        also = _farther(result)
        better = [each for each in result.others if each.median < result.told.median / 2]
        also += "".join(f"\nThey would fit better with {each}." for each in better[:3])
        turned = (
            f", read as {result.system} and brought to {result.mesh or OF_MESHES}"
            if result.told.flipped
            else ""
        )
        return f"They fit{turned}: the median distance is {share} of the size of the surface.{also}"
    opening = f"They do not fit: the median distance is {share} of the size of the surface."
    if result.told.fits:
        opening = f"They do not all fit, and one mistake would explain it.{_farther(result)}"
    mistake = result.mistake
    if mistake is None:
        return (
            f"{opening}\nNeither mirroring nor another unit helps: "
            "they belong to another specimen, or to another pose of it."
        )
    then = f"the median distance is then {percent(mistake.median / result.size)}."
    scale = f"gplandmark convert --scale {mistake.scale:.6g}" if mistake.scale != 1 else ""
    if not mistake.is_mark_wrong:
        advice = f"\nTry: {scale}" if scale else ""
        return f"{opening}\nThey fit with {mistake}: {then}{advice}"
    if not scale:
        return (
            f"{opening}\nThey fit if the file's numbers are taken as {result.mesh or OF_MESHES}: "
            f"it is wrongly marked {result.system}."
        )
    unit = replace(mistake, flipped=mistake.marked)
    return (
        f"{opening}\nThey fit with {unit}, and it is wrongly marked {result.system}: {then}\n"
        f"Try: correct the mark in the file, then {scale}"
    )


def _farther(result: Check) -> str:
    """Name the landmarks that lie off although most fit."""
    off = [label for label, is_off in zip(result.labels, result.off, strict=True) if is_off]
    named = ", ".join(off[:5]) + (f" and {len(off) - 5} more" if len(off) > 5 else "")
    return f"\n{len(off)} of {len(result.labels)} lie off the surface: {named}." if off else ""


def _content(result: Check) -> dict[str, Any]:
    mistake = result.mistake
    return {
        "fits": result.fits,
        "system": result.system,
        "mesh_system": result.mesh,
        "size": result.size,
        "tolerance": result.tolerance,
        "median": result.told.median,
        "mistake": None
        if mistake is None
        else {
            "flipped": mistake.turned,
            "mark_is_wrong": mistake.is_mark_wrong,
            "scale": mistake.scale,
            "median": mistake.median,
            "sentence": str(mistake),
        },
        "landmarks": [
            {"label": label, "distance": None if np.isnan(distance) else float(distance)}
            for label, distance in zip(result.labels, result.distances, strict=True)
        ],
    }
