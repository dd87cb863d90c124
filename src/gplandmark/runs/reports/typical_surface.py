# SPDX-License-Identifier: MIT
"""The scan of a matched folder that is shown deformed."""

import warnings
from collections.abc import Mapping

import numpy as np

from gplandmark.errors import GplandmarkError, GplandmarkWarning, warn
from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.analysis import Aligned
from gplandmark.runs.discover import ScanFile
from gplandmark.visual.charts.component_charts import specimen_of


def typical_surface(
    aligned: Aligned, scans: Mapping[str, ScanFile], reference: str = ""
) -> Surface | None:
    """Scan of the reference, or else of the specimen that is most like the consensus.

    None, with a warning, if there is no scan on which the landmarks lie.
    """
    names = [name for name in aligned.names if name in scans]
    if not names:
        warn("The scans are not where they were, so that no warped surface is drawn.")
        return None
    offsets = np.linalg.norm(aligned.shapes - aligned.consensus, axis=(1, 2))
    chosen = reference
    if chosen not in names:
        chosen = min(names, key=lambda name: offsets[aligned.names.index(name)])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GplandmarkWarning)  # said when it was matched
            surface = scans[chosen].read()
        specimen_of(surface, aligned)
    except GplandmarkError as error:
        warn(f"No warped surface is drawn: {error}")
        return None
    return surface
