# SPDX-License-Identifier: MIT
"""The design of a linear model: which columns each term of a formula has."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from gplandmark.errors import AnalysisError
from gplandmark.io.formatting import listed
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arrays import BoolArray, FloatArray

DEPENDENT = 1e-10  # relative: a column that others determine to this accuracy
FUNCTIONS: Mapping[str, Any] = {
    "log": np.log, "sqrt": np.sqrt, "exp": np.exp, "abs": np.abs,
    "I": lambda values: values, "C": lambda values: np.asarray(values).astype(str),
}  # fmt: skip
"""What a formula may call; C makes groups of numbers."""


@dataclass(frozen=True, eq=False)
class Design:
    """Design matrix of a linear model, term by term.

    Attributes
    ----------
    formula : as given
    names : of the terms after the intercept, in the order in which they are tested: main effects
        first, as in R
    factors : names of the factors of each term
    columns : (n, c) design matrix with the intercept; treatment contrasts
    labels : of the columns
    terms : (c,) number of the term that a column belongs to; 0 is the intercept
    values : of each factor at every specimen, numbers or strings
    matrix : makes the design matrix of other values
    """

    formula: str
    names: tuple[str, ...]
    factors: tuple[frozenset[str], ...]
    columns: FloatArray
    labels: tuple[str, ...]
    terms: npt.NDArray[np.int64]
    values: Mapping[str, npt.NDArray[Any]]
    matrix: Callable[[Mapping[str, npt.NDArray[Any]]], FloatArray]

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def covariates(self) -> tuple[str, ...]:
        """Names of the numeric factors."""
        return tuple(name for name, values in self.values.items() if values.dtype.kind == "f")

    def of_terms(self, numbers: Sequence[int]) -> BoolArray:
        """Mask (c,) of the columns of terms, counted from 1, and of the intercept."""
        return np.isin(self.terms, [0, *numbers])

    def reduced_and_full(self, kind: str) -> list[tuple[BoolArray, BoolArray]]:
        """Columns of the models without and with each term, for sums of squares of a type.

        Type I: after the terms before it. II: after all terms that do not contain it. III: after
        all other terms.
        """
        every = range(1, len(self.names) + 1)
        pairs = []
        for number in every:
            own = self.factors[number - 1]
            others = {
                "I": [each for each in every if each < number],
                "II": [each for each in every if not own <= self.factors[each - 1]],
                "III": [each for each in every if each != number],
            }[kind]
            pairs.append((self.of_terms(others), self.of_terms([*others, number])))
        return pairs

    def at(self, changed: Mapping[str, npt.NDArray[Any]]) -> FloatArray:
        """Rows (n, c) of the design with other values of some factors."""
        return self.matrix({**self.values, **changed})


def design_of(formula: str, variables: Mapping[str, npt.ArrayLike], names: Sequence[str]) -> Design:
    """Read a formula, e.g. ``shape ~ size * group``.

    It has the operators of R: + and : and * and -, and calls log, sqrt, exp, abs, and C for groups
    that are written as numbers. Variables are numbers or strings; strings are groups.

    Parameters
    ----------
    variables : values (n,) by name
    names : of the n specimens, for messages

    Raises
    ------
    AnalysisError
        The formula cannot be read, names an unknown variable, or a variable has missing values.
    """
    from patsy import (
        LookupFactor,
        ModelDesc,
        PatsyError,
        Term,
        build_design_matrices,
        design_matrix_builders,
    )

    try:
        read = ModelDesc.from_formula(formula)
    except PatsyError as error:
        said = str(error).splitlines()[0]
        raise AnalysisError(
            f"The formula '{formula}' cannot be read ({said}). Write, e.g., shape ~ size + group."
        ) from None
    left = "".join(each.name() for term in read.lhs_termlist for each in term.factors)
    if left not in ("", "shape"):
        raise AnalysisError(f"A model of shape begins with 'shape ~', got '{left} ~'.")
    if not any(not term.factors for term in read.rhs_termlist):
        raise AnalysisError("A model without an intercept is not supported. Remove '0' or '-1'.")
    wanted = sorted((term for term in read.rhs_termlist if term.factors),
                    key=lambda term: len(term.factors))  # fmt: skip
    codes = {each.name() for term in wanted for each in term.factors}
    values = {code: _evaluated(code, variables, names) for code in sorted(codes)}
    terms = [Term([]), *(Term([LookupFactor(each.name()) for each in term.factors])
                         for term in wanted)]  # fmt: skip
    builder = design_matrix_builders([terms], lambda: iter([values]), 0)[0]
    slices = [builder.term_slices[term] for term in terms]  # patsy has groups before numbers
    order = np.concatenate([np.arange(each.start, each.stop) for each in slices])

    def matrix(values: Mapping[str, npt.NDArray[Any]]) -> FloatArray:
        if not wanted:
            return np.ones((len(names), 1))
        return np.asarray(build_design_matrices([builder], values)[0], dtype=np.float64)[:, order]

    return Design(
        formula,
        tuple(term.name() for term in terms[1:]),
        tuple(frozenset(each.name() for each in term.factors) for term in terms[1:]),
        matrix(values),
        tuple(builder.column_names[at] for at in order),
        np.repeat(np.arange(len(terms)), [each.stop - each.start for each in slices]),
        values,
        matrix,
    )


def basis(columns: FloatArray) -> FloatArray:
    """Orthonormal basis (n, r) of the space that columns (n, c) span."""
    left, right, _ = scipy.linalg.qr(columns, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(right))
    return np.asarray(left[:, : int(np.sum(sizes > DEPENDENT * sizes.max(initial=0.0)))])


def least_squares_map(design: Design, rows: FloatArray) -> FloatArray:
    """Matrix (m, n) that takes shapes to what the full model predicts at design rows (m, c)."""
    return np.asarray(rows @ np.linalg.pinv(design.columns))


def _evaluated(
    code: str, variables: Mapping[str, npt.ArrayLike], names: Sequence[str]
) -> npt.NDArray[Any]:
    """Values of one factor, as numbers or strings."""
    known = {name: np.asarray(each) for name, each in variables.items()}
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(eval(code, {"__builtins__": {}, **FUNCTIONS}, known))
    except NameError as error:
        raise AnalysisError(
            f"The model names {error.name!r}, which is not known. There are: {', '.join(known)}."
        ) from None
    except Exception as error:  # whatever a formula of the user does
        raise AnalysisError(f"'{code}' in the model cannot be computed ({error}).") from None
    if found.shape != (len(names),):
        raise AnalysisError(f"'{code}' in the model has no value for each specimen.")
    is_number = found.dtype.kind in "fiub"
    found = found.astype(np.float64) if is_number else found.astype(str)
    gone = ~np.isfinite(found) if is_number else found == ""
    if gone.any():
        without = [name for name, lacks in zip(names, gone, strict=True) if lacks]
        raise AnalysisError(
            f"{code} has no value for {listed('specimen', without)}. Complete the table, or leave "
            "such specimens out."
        )
    if len(np.unique(found)) < 2:
        raise AnalysisError(f"{code} is the same for all specimens, so that it explains nothing.")
    return found
