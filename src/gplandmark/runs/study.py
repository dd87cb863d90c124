# SPDX-License-Identifier: MIT
"""A whole folder of scans: how fast the variance falls with the number of landmarks."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

import numpy as np

from gplandmark.errors import GplandmarkWarning, ScanError, SettingsError
from gplandmark.gp.kernels import DEFAULT_FRACTION
from gplandmark.io.scans import MESH_EXTENSIONS, is_scan, read, specimen_name
from gplandmark.io.scans.rules import Rules
from gplandmark.io.scans.sizes import memory_of_job
from gplandmark.landmarks import Settings, covariance
from gplandmark.landmarks.variance_curve import Study, condition_greedily
from gplandmark.numerics.arrays import FloatArray
from gplandmark.runs.engine import Job, Workers, run

KERNELS: Mapping[str, Settings] = {
    "reweighted": Settings(),
    "Euclidean": Settings(kernel="squared-exponential", bandwidth=2 * DEFAULT_FRACTION),
}
"""The two kernels of figure 3 of the paper, with one t: eps is t / 2 in the first, t in the second.

Away from its weight the first is exp(-|x - y|^2 / (2 eps)): both reach equally far.
"""

VERTEX_BYTES = 1_500  # that a scan may take beside its columns

StudyProgress: TypeAlias = Callable[[int, int, str], None]
"""Called after every scan with how many are done, how many there are, and its name."""


def scans_in(folder: Path) -> tuple[Path, ...]:
    """Return the scans of a folder, by name; tables and arrays beside them may be anything else.

    Raises
    ------
    ScanError
        It is not a folder, or no file in it has the extension of a scan.
    """
    if not folder.is_dir():
        raise ScanError(f"{folder} is not a folder. Name the folder with the scans.")
    found = tuple(sorted(path for path in folder.iterdir() if is_scan(path)))
    if not found:
        known = ", ".join(extension.removeprefix(".").upper() for extension in MESH_EXTENSIONS)
        raise ScanError(f"{folder} holds no scan. Put {known} files into it.")
    return found


def study_scans(
    paths: Sequence[Path],
    count: int,
    *,
    kernels: Mapping[str, Settings] = KERNELS,
    rules: Rules | None = None,
    progress: StudyProgress | None = None,
    workers: Workers | None = None,
) -> Study:
    """Place landmarks on every scan with every kernel, and keep the variances.

    Scans are cleaned by `rules`. One that cannot be used is left out, and `Study.failed` has
    the reason. With workers the scans are worked on side by side; the numbers are the same.

    Raises
    ------
    ScanError
        None of the scans can be used.
    SettingsError
        The count is below 1.
    """
    if count < 1:
        raise SettingsError(f"The number of landmarks must be at least 1, got {count}.")
    curves: dict[int, list[tuple[FloatArray, FloatArray]]] = {}
    failed: dict[int, str] = {}
    needed = VERTEX_BYTES + 8 * count
    jobs = [Job(number, path, memory_of_job(path, needed)) for number, path in enumerate(paths)]
    of_scan = partial(_scan_curves, count=count, kernels=tuple(kernels.values()), rules=rules)
    for outcome in run(jobs, of_scan, workers):
        number = int(str(outcome.key))
        for note in outcome.notes:
            warnings.warn(note, GplandmarkWarning, stacklevel=2)
        if outcome.is_done:
            curves[number] = outcome.value
        else:
            failed[number] = outcome.reason
        if progress is not None:
            progress(len(curves) + len(failed), len(paths), paths[number].name)
    if not curves:
        raise ScanError(
            f"None of the {len(paths)} scans can be used; the first: "
            f"{failed.get(0, 'there is none.')}"
        )
    used = sorted(curves)
    largest, mean = (
        {
            kernel: np.array([curves[number][place][kind] for number in used])
            for place, kernel in enumerate(kernels)
        }
        for kind in (0, 1)
    )
    reasons = {paths[number].name: failed[number] for number in sorted(failed)}
    return Study(tuple(specimen_name(paths[each]) for each in used), largest, mean, reasons)


def _scan_curves(
    path: Path, count: int, kernels: Sequence[Settings], rules: Rules | None
) -> list[tuple[FloatArray, FloatArray]]:
    """Largest and mean variance after 1 to `count` landmarks, as fractions of the initial ones."""
    surface = read(path, rules)
    if count > surface.vertex_count:
        raise SettingsError(
            f"{surface.name} has only {surface.vertex_count:,} vertices for {count} landmarks."
        )
    left = [condition_greedily(surface, covariance(surface, each), count) for each in kernels]
    return [(each.largest[1:], each.mean[1:]) for each in left]
