# SPDX-License-Identifier: MIT
"""Procrustes analysis of variance by residual randomisation (RRPP)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from gplandmark.errors import AnalysisError, SettingsError
from gplandmark.morphometrics.models.design_matrix import Design, basis
from gplandmark.morphometrics.models.permutation import (
    checked_orders,
    effect_size,
    p_value,
    permutations,
)
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

SumsOfSquares: TypeAlias = Literal["I", "II", "III"]
TYPES: tuple[SumsOfSquares, ...] = ("I", "II", "III")
PERMUTATIONS = 999
BATCH = 100  # permutations in one matrix product


@dataclass(frozen=True)
class Effect:
    """One row of the table.

    Attributes
    ----------
    name, df : of the term; degrees of freedom count specimens only, not shape dimensions
    sum_of_squares : summed over all coordinates
    r_squared : fraction of the total sum of squares
    f : ratio of mean squares
    z : effect size: standard deviations of F (after Box and Cox) above its random values
    p : fraction of permutations with an F that is not smaller, the given order included
    """

    name: str
    df: int
    sum_of_squares: float
    r_squared: float
    f: float
    z: float
    p: float

    @property
    def mean_square(self) -> float:
        """Sum of squares per degree of freedom."""
        return self.sum_of_squares / self.df


@dataclass(frozen=True, eq=False)
class Anova:
    """Analysis of variance of shape.

    Attributes
    ----------
    design, effects : the model, and one effect for each term
    residual_df, residual_sum_of_squares, total_sum_of_squares : of the full model
    coefficients : (c, p) of the full model, a row for each column of the design
    fitted, residuals : (n, p) of the full model
    kind : type of the sums of squares
    randomised : "residuals" of each reduced model, or "shapes"
    permutations, seed : number of random ones, and their seed; None if they were given
    random_sums, random_f : (terms, 1 + permutations) the observed values come first
    """

    design: Design
    effects: tuple[Effect, ...]
    residual_df: int
    residual_sum_of_squares: float
    total_sum_of_squares: float
    coefficients: FloatArray
    fitted: FloatArray
    residuals: FloatArray
    kind: SumsOfSquares
    randomised: str
    permutations: int
    seed: int | None
    random_sums: FloatArray
    random_f: FloatArray

    @property
    def residual_mean_square(self) -> float:
        """Residual sum of squares per degree of freedom."""
        return self.residual_sum_of_squares / self.residual_df


def shape_anova(
    shapes: FloatArray,
    design: Design,
    kind: SumsOfSquares = "I",
    *,
    permutations_of: int = PERMUTATIONS,
    seed: int = 0,
    orders: IndexArray | None = None,
    full_randomisation: bool = False,
    error_terms: Mapping[str, str] | None = None,
) -> Anova:
    """Fit a linear model of shape and test its terms, as procD.lm of geomorph does.

    The sum of squares of a term is that which the model with it explains and the model without it
    (the reduced model) does not, summed over coordinates. In every permutation the residuals of
    the reduced model are shuffled between specimens and added to its fitted values (Collyer,
    Sekora and Adams 2015). F has the residual mean square of the full model below.

    Parameters
    ----------
    shapes : (n, p) or (n, k, d) tangent coordinates
    kind : I, each term after those before it; II, after those that do not contain it; III, after
        all others
    permutations_of, seed : how many random permutations
    orders : (1 + m, n) permutations to use instead, the given order first
    full_randomisation : shuffle shapes, not residuals
    error_terms : for the names of terms, the term whose mean square is below their F instead of
        that of the residuals, e.g. an interaction with a random factor (type I only)

    Raises
    ------
    AnalysisError
        There is no term, one is determined by others, or there are too few specimens.
    SettingsError
        The type is unknown.
    """
    if kind not in TYPES:
        raise SettingsError(f"The type of sums of squares must be I, II or III, got {kind!r}.")
    table = checked_shapes(shapes, len(design))
    full = basis(design.columns)
    check_rank(design, full, kind, has_error_terms=bool(error_terms))
    given = orders is not None
    shuffled = (checked_orders(orders, len(table)) if orders is not None
                else permutations(len(table), permutations_of, seed))  # fmt: skip
    compact = _compact(table)
    sums, ratios = [], []
    residual_df = len(table) - full.shape[1]
    for name, (reduced, larger) in zip(design.names, design.reduced_and_full(kind), strict=True):
        added = _added(design, reduced, larger)
        low = basis(design.columns[:, reduced])
        rest = compact if full_randomisation else compact - low @ (low.T @ compact)
        error = (error_terms or {}).get(name)
        below = full if error is None else _of_term(design, error, kind)
        explained, inside = _randomised(rest, added, below, shuffled)
        left, df = ((np.sum(rest**2) - inside, residual_df) if error is None
                    else (inside, below.shape[1]))  # fmt: skip
        sums.append(explained)
        ratios.append(explained / added.shape[1] / (left / df) if df else explained * np.nan)
    coefficients = np.asarray(np.linalg.pinv(design.columns) @ table)
    fitted = full @ (full.T @ table)
    total = float(np.sum((table - table.mean(axis=0)) ** 2))
    effects = tuple(
        Effect(name, _added(design, low, high).shape[1], float(own[0]), float(own[0] / total),
               float(ratio[0]), effect_size(ratio), p_value(ratio))
        for name, (low, high), own, ratio in zip(
            design.names, design.reduced_and_full(kind), sums, ratios, strict=True)
    )  # fmt: skip
    return Anova(
        design, effects, residual_df, float(np.sum((table - fitted) ** 2)), total, coefficients,
        fitted, table - fitted, kind, "shapes" if full_randomisation else "residuals",
        len(shuffled) - 1, None if given else seed, np.array(sums), np.array(ratios),
    )  # fmt: skip


def checked_shapes(shapes: FloatArray, count: int) -> FloatArray:
    """Shapes as a table (n, p), a row for each of the specimens of the design.

    Raises
    ------
    AnalysisError
        There are not as many, or they are all the same.
    """
    table = np.asarray(shapes, dtype=np.float64).reshape(len(shapes), -1)
    if len(table) != count:
        raise AnalysisError(
            f"The model is for {count} specimens, but there are {len(table)} shapes."
        )
    if not np.isfinite(table).all():
        raise AnalysisError("A shape has missing coordinates. Estimate missing landmarks first.")
    if np.ptp(table, axis=0).max() <= 1e-12 * np.abs(table).max():
        raise AnalysisError("All specimens have the same shape: there is nothing to explain.")
    return table


def check_rank(
    design: Design, full: FloatArray, kind: SumsOfSquares, *, has_error_terms: bool = False
) -> None:
    """Refuse a model whose terms or residuals have no degree of freedom."""
    if not design.names:
        raise AnalysisError("The model has no term. Write, e.g., shape ~ size + group.")
    if len(design) <= full.shape[1] and not has_error_terms:
        raise AnalysisError(
            f"The model has {full.shape[1]} coefficients for {len(design)} specimens, so that "
            "nothing is left to compare it with. Use fewer terms or groups, or more specimens."
        )
    for name, (low, high) in zip(design.names, design.reduced_and_full(kind), strict=True):
        if _added(design, low, high).shape[1] == 0:
            raise AnalysisError(
                f"{name} is determined by the other terms of the model (collinear): it explains "
                "nothing by itself. Leave one of them out."
            )


def _of_term(design: Design, name: str, kind: SumsOfSquares) -> FloatArray:
    """Orthonormal basis of what a term adds to the model without it."""
    return _added(design, *design.reduced_and_full(kind)[design.names.index(name)])


def _added(design: Design, low: BoolArray, high: BoolArray) -> FloatArray:
    """Orthonormal basis of what columns add to a smaller model, (n, df)."""
    small, large = basis(design.columns[:, low]), basis(design.columns[:, high])
    rest = large - small @ (small.T @ large)
    left, sizes, _ = np.linalg.svd(rest, full_matrices=False)
    return np.asarray(left[:, : large.shape[1] - small.shape[1]] if len(sizes) else rest)


def _compact(table: FloatArray) -> FloatArray:
    """Shapes in coordinates that keep all inner products, at most n of them.

    Sums of squares depend on these only.
    """
    centred: FloatArray = table - table.mean(axis=0)
    if table.shape[1] <= len(table):
        return centred
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    return np.asarray(left * sizes, dtype=np.float64)


def _randomised(
    rest: FloatArray, added: FloatArray, below: FloatArray, orders: IndexArray
) -> tuple[FloatArray, FloatArray]:
    """Sums of squares |A^T E|^2 of a term and |Q^T E|^2 of others, for every permutation.

    With E the residuals of the reduced model, permuted, and F its fitted values, the model of
    F + E explains |A^T E|^2 more with the term, because its directions A are perpendicular to F;
    and |E|^2 - |Q^T E|^2 is left by the full model with the directions Q. Permuting the rows of E
    is permuting those of A and Q back.
    """
    both = np.column_stack([added, below])
    explained, inside = np.empty(len(orders)), np.empty(len(orders))
    width = added.shape[1]
    for start in range(0, len(orders), BATCH):
        chosen = np.argsort(orders[start : start + BATCH], axis=1)
        rows = both[chosen].swapaxes(1, 2)  # (batch, columns, n)
        products = np.sum((rows.reshape(-1, len(rest)) @ rest) ** 2, axis=1)
        squares = products.reshape(len(chosen), -1)
        explained[start : start + len(chosen)] = squares[:, :width].sum(axis=1)
        inside[start : start + len(chosen)] = squares[:, width:].sum(axis=1)
    return explained, inside
