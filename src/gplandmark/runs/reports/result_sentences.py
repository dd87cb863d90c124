# SPDX-License-Identifier: MIT
"""What an analysis found, in the sentences of a results section."""

import numpy as np

from gplandmark.io.formatting import counted, joined
from gplandmark.morphometrics.analysis.analyse import Analysis
from gplandmark.morphometrics.analysis.shape_distances import ContinuousAnalysis

ENOUGH = 0.95  # fraction of the variance that the fewest components are counted for
MOVED = 3  # landmarks that are named for each component


def opening(analysis: Analysis) -> str:
    """Say what was compared, and how well groups are recognised."""
    aligned = analysis.aligned
    specimens, landmarks = aligned.missing.shape
    said = [f"{counted(specimens, 'specimen')} with {counted(landmarks, 'landmark')} each were "
            "superimposed."]  # fmt: skip
    if absent := int(aligned.missing.sum()):
        said.append(f"Missing and estimated: {counted(absent, 'landmark')}.")
    if aligned.reflect:
        said.append(f"Mirrored: {counted(int(aligned.mirrored.sum()), 'specimen')}.")
    said.append("Sizes were kept." if aligned.keep_size else "Size is taken out.")
    said += _groups(analysis, "")
    if analysis.continuous is not None:
        said += _groups(analysis.continuous, "By continuous distances, ")
    return " ".join(said)


def _groups(by: Analysis | ContinuousAnalysis, start: str) -> list[str]:
    said = []
    if (found := by.classification) is not None:
        said.append(
            f"{start or 'By Procrustes distances, '}{100 * found.rate:.1f} % of "
            f"{int(found.counted.sum())} specimens are nearest to one of their own group; "
            f"{100 * found.chance:.1f} % would be by chance."
        )
    if (test := by.test) is not None:
        differ = "differ" if test.p_value <= 0.05 else "are not shown to differ"
        said.append(
            f"{start}groups {differ} (MRPP: A = {test.agreement:.3f}, p = {test.p_value:.4g})."
        )
    return [each[0].upper() + each[1:] for each in said]


def about_components(analysis: Analysis) -> str:
    """Say how much of the variance the first components explain."""
    fractions = analysis.components.variance_fractions
    summed = np.cumsum(fractions)
    said = f"The first component explains {100 * fractions[0]:.1f} % of the variance of shape"
    if len(fractions) > 1:
        said += f", the first two {100 * summed[1]:.1f} %"
    enough = int(np.searchsorted(summed, ENOUGH)) + 1
    if enough > 2:
        said += f", and {enough} components are needed for {100 * ENOUGH:.0f} %"
    return said + "."


def about_extremes(analysis: Analysis, count: int) -> str:
    """Name the landmarks that move most along each of the first components."""
    labels, said = analysis.aligned.labels, []
    for number in range(min(count, len(analysis.components.axes))):
        moves = np.linalg.norm(analysis.components.axes[number], axis=1)
        most = [labels[at] for at in np.argsort(-moves, kind="stable")[:MOVED]]
        said.append(f"Along PC{number + 1}, landmarks {joined(most)} move most.")
    return " ".join(said)


def about_distances(analysis: Analysis) -> str:
    """Say how far specimens are apart, and which are most and least similar."""
    names, distances = analysis.aligned.names, analysis.distances
    rows, columns = np.triu_indices(len(names), 1)
    every = distances[rows, columns]
    near, far = int(every.argmin()), int(every.argmax())
    unit = ", in file units" if analysis.aligned.keep_size else ""
    return (
        f"The partial Procrustes distance between two specimens is {every.mean():.3g} on average"
        f"{unit}. Most similar are {names[rows[near]]} and {names[columns[near]]} "
        f"({every[near]:.3g}), least similar {names[rows[far]]} and {names[columns[far]]} "
        f"({every[far]:.3g})."
    )
