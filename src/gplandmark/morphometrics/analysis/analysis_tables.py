# SPDX-License-Identifier: MIT
"""Tables of an analysis, each the text of a .csv file."""

import warnings
from collections.abc import Sequence

import numpy as np

from gplandmark.errors import GplandmarkWarning
from gplandmark.io.csv_tables import table_text
from gplandmark.io.formatting import one_line
from gplandmark.io.landmark_formats.csv_wide import text as wide_text
from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.analysis.analyse import Analysis
from gplandmark.morphometrics.analysis.shape_distances import ContinuousAnalysis
from gplandmark.morphometrics.analysis.specimen_groups import Classification, Mrpp
from gplandmark.numerics.arrays import FloatArray

TABLES = {
    "aligned.wide.csv": "landmarks of all specimens after superimposition, a row per specimen",
    "consensus.csv": "the mean shape",
    "specimens.csv": "group, centroid size, mirror images, estimated landmarks, distance to the "
    "consensus",
    "estimated.csv": "estimates of missing landmarks, in the coordinates of the specimen's file",
    "scores.csv": "scores of each specimen on the principal components",
    "components.csv": "variance of each component and its fraction of the total",
    "loadings.csv": "loadings of every landmark on each component",
    "distances.csv": "partial Procrustes distance between every two specimens",
    "continuous-distances.csv": "continuous Procrustes distance between every two specimens",
    "classification.csv": "nearest neighbour of each specimen, and its group",
    "continuous-classification.csv": "the same, by continuous distances",
    "mrpp.csv": "multi-response permutation procedure",
    "mrpp-groups.csv": "mean distance within each group",
    "continuous-mrpp.csv": "multi-response permutation procedure on continuous distances",
    "continuous-mrpp-groups.csv": "mean continuous distance within each group",
}
"""Contents of each table; empty tables are not written."""


def table_texts(analysis: Analysis) -> dict[str, str]:
    """Texts of all tables that are not empty, by name, in the order of `TABLES`."""
    texts = {
        "aligned.wide.csv": _aligned(analysis),
        "consensus.csv": _consensus(analysis),
        "specimens.csv": _specimens(analysis),
        "scores.csv": _scores(analysis),
        "components.csv": _components(analysis),
        "loadings.csv": _loadings(analysis),
        **_distance_tables(analysis.aligned.names, analysis),
    }
    if analysis.aligned.missing.any():
        texts["estimated.csv"] = _estimated(analysis)
    if analysis.continuous is not None:
        found = _distance_tables(analysis.continuous.names, analysis.continuous)
        texts |= {f"continuous-{name}": text for name, text in found.items()}
    return {name: texts[name] for name in TABLES if name in texts}


def _aligned(analysis: Analysis) -> str:
    aligned = analysis.aligned
    collection = [
        Landmarks.at(shape, name, labels=aligned.labels)
        for name, shape in zip(aligned.names, aligned.shapes, strict=True)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)  # on names that the table changes
        return wide_text(collection)


def _consensus(analysis: Analysis) -> str:
    aligned = analysis.aligned
    rows = zip(aligned.labels, aligned.consensus, strict=True)
    return table_text(("landmark", "x", "y", "z"), ([label, *point] for label, point in rows))


def _specimens(analysis: Analysis) -> str:
    aligned = analysis.aligned
    offsets = np.linalg.norm(aligned.shapes - aligned.consensus, axis=(1, 2))
    groups = analysis.groups or (None,) * len(aligned.names)
    return table_text(
        ("specimen", "group", "centroid_size", "mirrored", "estimated", "distance_to_consensus"),
        zip(
            aligned.names, groups, aligned.centroid_sizes, aligned.mirrored,
            aligned.missing.sum(axis=1), offsets, strict=True,
        ),
    )  # fmt: skip


def _estimated(analysis: Analysis) -> str:
    aligned = analysis.aligned
    return table_text(
        ("specimen", "landmark", "x", "y", "z"),
        (
            [aligned.names[row], aligned.labels[column], *aligned.points[row, column]]
            for row, column in np.argwhere(aligned.missing)
        ),
    )


def _scores(analysis: Analysis) -> str:
    parts = analysis.components
    groups = analysis.groups or (None,) * len(parts.names)
    return table_text(
        ("specimen", "group", *_headings(parts.scores.shape[1])),
        (
            [name, group, *row]
            for name, group, row in zip(parts.names, groups, parts.scores, strict=True)
        ),
    )


def _components(analysis: Analysis) -> str:
    parts = analysis.components
    return table_text(
        ("component", "variance", "share", "cumulative"),
        zip(
            _headings(len(parts.variance_fractions)), parts.variances, parts.variance_fractions,
            np.cumsum(parts.variance_fractions), strict=True,
        ),
    )  # fmt: skip


def _loadings(analysis: Analysis) -> str:
    axes = analysis.components.axes
    return table_text(
        ("landmark", "coordinate", *_headings(len(axes))),
        (
            [label, coordinate, *axes[:, number, at]]
            for number, label in enumerate(analysis.aligned.labels)
            for at, coordinate in enumerate("xyz")
        ),
    )


def _distance_tables(names: Sequence[str], by: Analysis | ContinuousAnalysis) -> dict[str, str]:
    """Distances of one kind, and their group statistics."""
    texts = {"distances.csv": distance_table(names, by.distances)}
    if by.classification is not None:
        texts["classification.csv"] = _classification(names, by.classification)
    return texts if by.test is None else texts | _mrpp(by.test)


def distance_table(names: Sequence[str], distances: FloatArray) -> str:
    """Distances (s, s) between all specimens, with their names as rows and columns."""
    rows = zip(names, distances, strict=True)
    return table_text(("specimen", *map(one_line, names)), ([name, *row] for name, row in rows))


def _classification(names: Sequence[str], found: Classification) -> str:
    return table_text(
        ("specimen", "group", "nearest", "group_of_nearest", "distance", "counted", "right"),
        zip(
            names, found.groups, (names[number] for number in found.nearest), found.predicted,
            found.distances, found.counted, found.correct, strict=True,
        ),
    )  # fmt: skip


def _mrpp(test: Mrpp) -> dict[str, str]:
    return {
        "mrpp.csv": table_text(
            ("delta", "expected_delta", "agreement", "p_value", "permutations", "seed"),
            [(test.delta, test.expected, test.agreement, test.p_value, test.permutations,
              test.seed)],
        ),
        "mrpp-groups.csv": table_text(
            ("group", "members", "mean_distance"),
            ([name, size, mean] for name, (size, mean) in test.within.items()),
        ),
    }  # fmt: skip


def _headings(count: int) -> list[str]:
    return [f"PC{number + 1}" for number in range(count)]
