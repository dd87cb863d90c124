# SPDX-License-Identifier: MIT
"""``gplandmark check``: whether landmarks belong to a scan, and which mistake was made if not."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from gplandmark.cli.options.common import PATH, headed_command, json_option
from gplandmark.cli.options.paths import check_order, missing_option
from gplandmark.cli.options.scans import cleaning_options
from gplandmark.cli.tables import percent, rounded
from gplandmark.cli.terminal import echo, echo_json, visible
from gplandmark.io.formatting import abbreviated
from gplandmark.io.landmark_files import read_collection, read_landmarks
from gplandmark.io.missing_codes import Codes
from gplandmark.io.scans import read, specimen_name
from gplandmark.io.scans.rules import Rules
from gplandmark.landmarks import Landmarks
from gplandmark.landmarks.check import Check
from gplandmark.landmarks.check import check as check_landmarks
from gplandmark.landmarks.coordinate_system import OF_MESHES

MISFIT = 1


@headed_command
@click.argument("mesh", type=PATH)
@click.argument("landmarks", type=PATH)
@missing_option
@cleaning_options
@click.option("-q", "--quiet", is_flag=True, help="Print the verdict only.")
@json_option
def check(
    mesh: Path, landmarks: Path, missing: Codes, rules: Rules, quiet: bool, as_json: bool
) -> int:
    """Report how far each of LANDMARKS lies from the surface MESH, and whether they fit.

    Landmarks fit if their median distance from the surface is at most 0.5 % of the diagonal of
    its bounding box, and no single mistake explains those that lie off. If they do not fit,
    mirrored axes (LPS and RAS confused) and other units (mm, um, m, cm, inches) are tried, and
    the change that makes them fit is reported. The exit code is 0 if they fit and 1 if not.

    If a file has several specimens, the one with the name of MESH is used.

    \b
    Example:
      gplandmark check skull.ply skull.mrk.json
    """
    check_order(mesh, landmarks)
    scan = read(mesh, rules)
    result = check_landmarks(scan, _of_specimen(specimen_name(mesh), landmarks, missing))
    if as_json:
        echo_json(_content(result))
    else:
        if not quiet:
            _table(result)
        echo(*_verdict(result).splitlines())
    return 0 if result.fits else MISFIT


def _of_specimen(name: str, path: Path, missing: Codes) -> Landmarks:
    """Landmarks of the only specimen in a file, or of the one with the name of the scan."""
    named = [each for each in read_collection(path, missing=missing) if each.specimen == name]
    return named[0] if len(named) == 1 else read_landmarks(path, missing=missing)


def _table(result: Check) -> None:
    """Print a line per landmark, and mark those that lie off the surface."""
    width = max(len("landmark"), *(len(visible(label)) for label in result.labels))
    echo(f"{'landmark':<{width}}  distance")
    for label, distance, off in zip(result.labels, result.distances, result.off, strict=True):
        mark = "   off the surface" if off else ""
        value = "missing" if np.isnan(distance) else rounded(distance) if distance else "0"
        echo(f"{visible(label):<{width}}  {value}{mark}")
    median = result.stated.median
    echo(
        "",
        f"median {rounded(median) if median else '0'}, largest "
        f"{rounded(float(np.nanmax(result.distances)))} (file units); the surface measures "
        f"{rounded(result.size)} across",
    )
    system = f"in {result.system}" if result.system else "in an unknown coordinate system"
    mesh = f"is marked {result.mesh}" if result.mesh else "is assumed to be in LPS"
    echo(f"the landmark file is {system}; the mesh {mesh}")


def _verdict(result: Check) -> str:
    fraction = percent(result.stated.median / result.size)
    distance = f"the median distance is {fraction} of the size of the surface."
    if result.fits:
        also = _farther(result)
        better = [each for each in result.others if each.median < result.stated.median / 2]
        also += "".join(f"\nThey would fit better with {each}." for each in better[:3])
        converted = (
            f", converted from {result.system} to {result.mesh or OF_MESHES}"
            if result.stated.flipped
            else ""
        )
        return f"They fit{converted}: {distance}{also}"
    opening = f"They do not fit: {distance}"
    if result.stated.fits:
        opening = f"They do not all fit, and a single mistake would explain it.{_farther(result)}"
    mistake = result.mistake
    if mistake is None:
        return (
            f"{opening}\nNeither mirroring nor another unit helps: "
            "they belong to another specimen or to another pose."
        )
    then = f"the median distance is then {percent(mistake.median / result.size)}."
    scale = f"gplandmark convert --scale {mistake.scale:.6g}" if mistake.scale != 1 else ""
    if not mistake.is_mark_wrong:
        advice = f"\nTry: {scale}" if scale else ""
        return f"{opening}\nThey fit with {mistake}: {then}{advice}"
    if not scale:
        return (
            f"{opening}\nThey fit if the coordinates are read as {result.mesh or OF_MESHES}: "
            f"the file is wrongly marked {result.system}."
        )
    unit = replace(mistake, flipped=mistake.marked)
    return (
        f"{opening}\nThey fit with {unit}, and the file is wrongly marked {result.system}: {then}\n"
        f"Try: correct the mark in the file, then {scale}"
    )


def _farther(result: Check) -> str:
    """List the landmarks that lie off the surface although most fit."""
    off = [
        visible(label) for label, is_off in zip(result.labels, result.off, strict=True) if is_off
    ]
    if not off:
        return ""
    return f"\n{len(off)} of {len(result.labels)} lie off the surface: {abbreviated(off, 5)}."


def _content(result: Check) -> dict[str, Any]:
    mistake = result.mistake
    return {
        "fits": result.fits,
        "system": result.system,
        "mesh_system": result.mesh,
        "size": result.size,
        "tolerance": result.tolerance,
        "median": result.stated.median,
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
