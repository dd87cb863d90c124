# SPDX-License-Identifier: MIT
"""Measurement error: how well repeated sets of landmarks of the same individuals agree."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.errors import AnalysisError
from gplandmark.io.formatting import listed
from gplandmark.morphometrics.models.anova import PERMUTATIONS, Anova, checked_shapes, shape_anova
from gplandmark.morphometrics.models.design_matrix import design_of
from gplandmark.numerics.arrays import FloatArray, IndexArray

SAME = 1e-10  # error over variance of individuals, below which repeated sets are copies


@dataclass(frozen=True, eq=False)
class MeasurementError:
    """Agreement of repeated measurements of individuals.

    Attributes
    ----------
    anova : of individuals, and of sets (observers, scans, runs) if they are known: systematic error
    repeats : measurements of each individual
    repeatability : intraclass correlation: part of the variance that is between individuals, 1 if
        measurements agree exactly
    agreement, consistency : the same with systematic differences of sets counted as an error of
        their own, and left out; None without sets
    variance_among : variance between individuals
    """

    anova: Anova
    repeats: int
    repeatability: float
    agreement: float | None
    consistency: float | None
    variance_among: float

    @property
    def percent_error(self) -> float:
        """Part of the variance that is measurement error, in per cent (Yezerinac et al. 1992)."""
        return 100 * (1 - self.repeatability)


def measurement_error(
    shapes: FloatArray,
    individuals: Sequence[str],
    sets: Sequence[str] | None = None,
    *,
    permutations_of: int = PERMUTATIONS,
    seed: int = 0,
) -> MeasurementError:
    """Repeatability of shapes by Procrustes analysis of variance.

    With mean squares MS_i of individuals and MS_e of all else, each measured r times,

        repeatability = (MS_i - MS_e) / (MS_i + (r - 1) MS_e).

    With sets, MS_s and MS_r are the mean squares of sets and of the rest, n the individuals:

        consistency = (MS_i - MS_r) / (MS_i + (r - 1) MS_r),
        agreement   = (MS_i - MS_r) / (MS_i + (r - 1) MS_r + r / n (MS_s - MS_r)).

    Parameters
    ----------
    shapes : (m, p) or (m, k, d), all superimposed together
    individuals : of each
    sets : which observer, scan or run each comes from

    Raises
    ------
    AnalysisError
        Individuals are not all measured equally often, at least twice; or measurements are copies.
    """
    count = len(individuals)
    table = checked_shapes(shapes, count)
    names, owners, sizes = np.unique(
        np.asarray(individuals), return_inverse=True, return_counts=True
    )
    _check(names.tolist(), sizes.tolist())
    _check_differ(table, owners)
    repeats = int(sizes[0])
    labels = [f"{name} ({number})" for number, name in enumerate(individuals, start=1)]
    variables = {"individual": np.asarray(individuals)}
    alone = shape_anova(
        table, design_of("shape ~ individual", variables, labels), permutations_of=permutations_of,
        seed=seed,
    )  # fmt: skip
    among, error = alone.effects[0].mean_square, alone.residual_mean_square
    repeatability = (among - error) / (among + (repeats - 1) * error)
    variance = (among - error) / repeats
    if sets is None:
        return MeasurementError(alone, repeats, repeatability, None, None, variance)
    if len(set(zip(individuals, sets, strict=True))) < count or len(set(sets)) != repeats:
        raise AnalysisError(
            f"Each individual needs one measurement in each set: {len(names)} individuals, "
            f"{len(set(sets))} sets and {count} measurements."
        )
    variables["set"] = np.asarray(sets)
    design = design_of("shape ~ individual + set", variables, labels)
    both = shape_anova(table, design, permutations_of=permutations_of, seed=seed)
    systematic, rest = both.effects[1].mean_square, both.residual_mean_square
    below = among + (repeats - 1) * rest
    return MeasurementError(
        both, repeats, repeatability,
        (among - rest) / (below + repeats / len(names) * (systematic - rest)),
        (among - rest) / below, variance,
    )  # fmt: skip


def _check_differ(table: FloatArray, owners: IndexArray) -> None:
    """Refuse measurements (m, p) that are the same whenever the individual (m,) is."""
    first = np.unique(owners, return_index=True)[1]
    within = table - table[first][owners]
    if np.sum(within**2) <= SAME * np.sum((table - table.mean(axis=0)) ** 2):
        raise AnalysisError(
            "Repeated measurements are identical, so that there is no error to estimate. Are they "
            "copies of one file?"
        )


def _check(names: Sequence[str], sizes: Sequence[int]) -> None:
    if len(names) < 2:
        raise AnalysisError("Repeatability needs at least two individuals.")
    if min(sizes) < 2:
        alone = [str(name) for name, size in zip(names, sizes, strict=True) if size < 2]
        raise AnalysisError(
            f"Measured once only: {listed('individual', alone)}. Repeatability needs at least two "
            "measurements of each."
        )
    if min(sizes) != max(sizes):
        raise AnalysisError(
            f"Individuals are measured {min(sizes)} to {max(sizes)} times. Give each the same "
            "number of measurements."
        )
