# SPDX-License-Identifier: MIT
"""Everything about an analysis in one folder: tables, pictures, the report."""

import json
import warnings
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from gplandmark.errors import GplandmarkError, GplandmarkWarning, warn
from gplandmark.landmarks.record import software_versions
from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.analysis import Aligned
from gplandmark.morphometrics.analysis.analyse import Analysis
from gplandmark.morphometrics.analysis.analysis_tables import TABLES, table_texts
from gplandmark.morphometrics.models.model_tables import MODEL_TABLES
from gplandmark.runs.discover import ScanFile
from gplandmark.runs.reports.analysis_report import ENDS, PICTURES, analysis_page
from gplandmark.runs.reports.asymmetry_report import ASYMMETRY_PICTURES, ASYMMETRY_TABLES
from gplandmark.runs.reports.blocks_report import BLOCK_PICTURES, BLOCK_TABLES
from gplandmark.runs.reports.measurement_error_report import ERROR_TABLES
from gplandmark.runs.reports.model_report import MODEL_PICTURES
from gplandmark.runs.reports.supplement import Supplement
from gplandmark.visual.charts.component_charts import (
    component_landmarks_chart,
    component_surfaces_chart,
    specimen_of,
)
from gplandmark.visual.charts.shape_charts import distance_chart, score_chart, scree_chart
from gplandmark.visual.pictures import picture_bytes

REPORT = "report.html"
SETTINGS = "analysis.json"
WRITTEN = (*TABLES, *MODEL_TABLES, *ASYMMETRY_TABLES, *ERROR_TABLES, *BLOCK_TABLES)
DRAWN = (*PICTURES, *MODEL_PICTURES, *ASYMMETRY_PICTURES, *BLOCK_PICTURES)
KINDS = ("png", "svg", "pdf")  # of every picture
NO_PICTURES = (
    "There are no pictures, because matplotlib is not installed. Run: python -m pip install "
    "'gplandmark[pictures]', and then the same command again."
)


def earlier_files(output: Path) -> list[Path]:
    """What an earlier analysis left in a folder; nothing where there was none."""
    if not (output / SETTINGS).is_file():
        return []
    pictures = [f"{name}.{kind}" for name in DRAWN for kind in KINDS]
    every = (*WRITTEN, *pictures)
    return [path for name in every if (path := output / name).is_file()]


def result_files(
    analysis: Analysis,
    folder: Path,
    *,
    title: str,
    settings: Mapping[str, Any],
    surface: Surface | None = None,
    supplements: Sequence[Supplement] = (),
) -> dict[Path, str | bytes]:
    """Contents of all files of the results, by path; nothing is written here.

    Without matplotlib there are no pictures, and a warning says what to install.

    Raises
    ------
    AnalysisError
        The landmarks of no specimen lie on the surface.
    """
    figures = {}
    if find_spec("matplotlib") is None:
        warnings.warn(NO_PICTURES, GplandmarkWarning, stacklevel=2)
    else:
        figures = _figures(analysis, surface)
        for supplement in supplements:
            figures |= supplement.figures()
    drawn: dict[str, bytes] = {}
    files: dict[str, str | bytes] = dict(table_texts(analysis))
    for supplement in supplements:
        files |= supplement.tables
    for name, figure in figures.items():
        drawn[name] = picture_bytes(figure, ".png")
        figure.set_layout_engine(None)  # it has found its layout, which takes longest
        files[f"{name}.png"] = drawn[name]
        files |= {f"{name}.{kind}": picture_bytes(figure, f".{kind}") for kind in KINDS[1:]}
    content = {"settings": settings, "notes": analysis.notes, "software": software_versions()}
    files[SETTINGS] = json.dumps(content, indent=1) + "\n"
    files[REPORT] = analysis_page(title, analysis, drawn, list(files), supplements)
    return {folder / name: content for name, content in files.items()}


def _figures(analysis: Analysis, surface: Surface | None) -> dict[str, Any]:
    count = len(analysis.components.variances)
    ends = min(count, ENDS)
    figures = {"scree": scree_chart(analysis)}
    if count > 1:
        figures["pc-1-2"] = score_chart(analysis, 0, 1)
    if count > 3:
        figures["pc-3-4"] = score_chart(analysis, 2, 3)
    figures["ends"] = component_landmarks_chart(analysis.aligned, analysis.components, ends)
    if surface is not None:
        figures["surfaces"] = component_surfaces_chart(
            surface, analysis.aligned, analysis.components, ends
        )
    unit = " (file units)" if analysis.aligned.keep_size else ""
    figures["distances"] = distance_chart(
        analysis.aligned.names, analysis, f"partial Procrustes distance{unit}"
    )
    if (surfaces := analysis.continuous) is not None:
        figures["continuous-distances"] = distance_chart(
            surfaces.names, surfaces, "continuous Procrustes distance"
        )
    return figures


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
