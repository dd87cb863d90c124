# SPDX-License-Identifier: MIT
"""The files of one specimen: its scan, and its landmarks."""

from dataclasses import replace

from gplandmark.io.landmark_files import read_landmarks
from gplandmark.io.scans.read import read_cleaned
from gplandmark.io.scans.rules import Rules
from gplandmark.landmarks import Landmarks
from gplandmark.mesh.surface import Surface
from gplandmark.runs.viewing.collection import Specimen


def read_specimen(
    specimen: Specimen, rules: Rules | None = None
) -> tuple[Surface, Landmarks | None]:
    """Read the whole scan of a specimen, and its landmarks if there are any.

    Raises
    ------
    GplandmarkError
        One of them cannot be read, or they do not belong together.
    """
    rules = replace(rules or Rules(), not_bone="keep")  # what is painted is shown
    if specimen.volume is not None:  # what the run was told counts, not what the viewer is
        rules = replace(rules, volume=specimen.volume)
    surface = read_cleaned(specimen.scan, rules).surface
    if specimen.landmarks is None or not specimen.landmarks.exists():
        return surface, None
    return surface, read_landmarks(specimen.landmarks)
