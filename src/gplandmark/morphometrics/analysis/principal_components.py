# SPDX-License-Identifier: MIT
"""Principal components of shape."""

from dataclasses import dataclass

import numpy as np

from gplandmark.errors import AnalysisError
from gplandmark.morphometrics.analysis.procrustes import Aligned
from gplandmark.numerics.arrays import FloatArray

SAME = 1e-10  # relative to the size of the consensus: smaller differences are no differences
NEGLIGIBLE = 1e-10  # relative to the largest singular value: below it is rounding


@dataclass(frozen=True, eq=False)
class Components:
    """Principal components of s shapes, c of them.

    Attributes
    ----------
    names : of the specimens
    scores : (s, c) of the specimens
    axes : (c, k, 3) unit vectors; a shape is consensus + sum_j score_j axis_j
    variances : (c,) of the scores
    consensus : (k, 3) the shape at score 0
    """

    names: tuple[str, ...]
    scores: FloatArray
    axes: FloatArray
    variances: FloatArray
    consensus: FloatArray

    @property
    def variance_fractions(self) -> FloatArray:
        """Fraction of the total variance that each explains, (c,)."""
        return np.asarray(self.variances / self.variances.sum())

    def shape_at(self, component: int, score: float) -> FloatArray:
        """Landmarks (k, 3) of the shape with that score on one component and 0 on the others."""
        return np.asarray(self.consensus + score * self.axes[component])

    def extremes(self, component: int) -> tuple[FloatArray, FloatArray]:
        """Shapes at the lowest and the highest score of a component."""
        along = self.scores[:, component]
        low, high = float(along.min()), float(along.max())
        return self.shape_at(component, low), self.shape_at(component, high)


def principal_components(aligned: Aligned) -> Components:
    """Principal components of the tangent coordinates.

    With Z = U S V^T (s, 3k) the tangent coordinates about their mean, scores are U S, axes V^T
    and variances S^2 / (s - 1). There are at most s - 1 components and, because position, size
    and orientation are removed, at most 3k - 7. The largest entry of each axis is positive.

    Raises
    ------
    AnalysisError
        All specimens have the same shape.
    """
    coordinates = aligned.tangent_coordinates()
    table = (coordinates - coordinates.mean(axis=0)).reshape(len(coordinates), -1)
    left, values, axes = np.linalg.svd(table, full_matrices=False)
    if values[0] <= SAME * np.linalg.norm(aligned.consensus):
        raise AnalysisError(
            "All specimens have the same shape: there is nothing to compare. "
            "Are they copies of one file?"
        )
    count = int(np.sum(values > NEGLIGIBLE * values[0]))
    largest = np.abs(axes[:count]).argmax(axis=1)
    signs = np.sign(axes[np.arange(count), largest])
    return Components(
        aligned.names,
        left[:, :count] * values[:count] * signs,
        (axes[:count] * signs[:, None]).reshape(count, *aligned.consensus.shape),
        values[:count] ** 2 / (len(table) - 1),
        aligned.consensus,
    )
