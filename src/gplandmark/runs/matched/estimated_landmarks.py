# SPDX-License-Identifier: MIT
"""Missing landmarks of a folder of results, estimated from its other specimens, in a file apart."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from gplandmark.errors import AnalysisError, warn
from gplandmark.io.csv_tables import table_text
from gplandmark.io.files import write_atomically
from gplandmark.io.formatting import counted
from gplandmark.io.landmark_files import read_collection
from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.analysis.missing_landmarks import (
    EstimatedLandmarks,
    estimate_missing,
)
from gplandmark.morphometrics.matching.expected_error import mean_error, radius_90
from gplandmark.runs.joint_files import FOLDER, WITH_SYSTEMS
from gplandmark.runs.journal import JournalEntry

ESTIMATED = "estimated.csv"  # never mixed with landmarks that were carried or measured
NOT_USED = (
    "{} is not used. Missing landmarks are estimated by thin-plate splines, as without that file."
)
HEADER = ("specimen", "landmark", "x", "y", "z", "expected_error", "radius_90", "status")
MIRROR = np.array([-1.0, 1.0, 1.0])


def update_estimates(entries: Iterable[JournalEntry], output: Path, *, wanted: bool) -> list[str]:
    """Write the estimates and say what came; if they are not wanted, remove those of before."""
    if wanted:
        return [write_estimates(entries, output)]
    (output / ESTIMATED).unlink(missing_ok=True)
    return []


def write_estimates(entries: Iterable[JournalEntry], output: Path) -> str:
    """Write the estimates of all landmarks that are missing in the joint files; say what came.

    Mirror images are reflected for it, and their estimates are reflected back.
    """
    (output / ESTIMATED).unlink(missing_ok=True)  # of an earlier run
    collection = read_collection(output / FOLDER / WITH_SYSTEMS)
    if not any(each.missing.any() for each in collection):
        return "No landmark is missing, so that none was estimated."
    sides = {each.key: bool(each.facts.get("mirrored")) for each in entries}
    turned = [_reflected(each, sides.get(each.specimen, False)) for each in collection]
    try:
        found = estimate_missing(turned)
    except AnalysisError as error:
        return f"No landmark was estimated. {error}"
    signs = np.array([MIRROR if sides.get(name, False) else MIRROR**2 for name in found.names])
    found = replace(found, points=found.points * signs[:, None])
    write_atomically({output / ESTIMATED: estimates_text(found)})
    count = int(np.isfinite(found.variance).sum())
    return (
        f"{counted(count, 'missing landmark')} estimated from {found.complete} complete "
        f"specimens, in {ESTIMATED} only."
    )


def unused_estimates(folders: Iterable[Path | None], collection: Iterable[Landmarks]) -> list[str]:
    """Warn of files of estimates that an analysis of landmarks with gaps does not use."""
    if not any(each.missing.any() for each in collection):
        return []
    files = [folder / ESTIMATED for folder in folders if folder is not None]
    notes = [NOT_USED.format(path) for path in files if path.is_file()]
    for note in notes:
        warn(note)
    return notes


def estimates_text(found: EstimatedLandmarks) -> str:
    """Return a row for each estimate, in file units."""
    errors, radii = mean_error(found.variance), radius_90(found.variance)
    rows = [
        (
            found.names[row], found.labels[column], *found.points[row, column].tolist(),
            *(float(f"{each[row, column]:.4g}") for each in (errors, radii)),
            "estimated",
        )
        for row, column in np.argwhere(np.isfinite(found.variance))
    ]  # fmt: skip
    return table_text(HEADER, rows)


def _reflected(landmarks: Landmarks, is_mirrored: bool) -> Landmarks:
    return replace(landmarks, points=landmarks.points * MIRROR) if is_mirrored else landmarks
