# SPDX-License-Identifier: MIT
"""Errors on the terminal: of all landmarks, of each, and beside those of other programs."""

from collections.abc import Iterator, Mapping, Sequence

import click
import numpy as np

from gplandmark.cli.tables import print_table
from gplandmark.cli.terminal import fixed, percent
from gplandmark.io.formatting import counted
from gplandmark.morphometrics.evaluation import Evaluation
from gplandmark.morphometrics.evaluation.accuracy import FILE_UNITS, UNITS, Accuracy
from gplandmark.morphometrics.evaluation.evaluation import LandmarkAccuracy, by_landmark
from gplandmark.morphometrics.evaluation.evaluation_tables import COMPARISON, LANDMARKS
from gplandmark.morphometrics.evaluation.transfer_errors import Comparison
from gplandmark.numerics.arrays import FloatArray, IndexArray

__all__ = ["say_comparisons", "say_errors", "say_landmarks"]

MOST, WORST = 60, 20  # landmarks that are all shown, and how many of more
FIGURES = ("mean", "median", "90 % below", "worst", "RMSE")
EACH = ("landmark, in file units", "mean", "median", "RMSE", "worst", "expected", "in 90 % radius")
ONE = "carried from one specimen"


def say_errors(found: Evaluation) -> None:
    """Print the errors of all carried landmarks, a row for each unit."""
    rows = [
        (f"in {UNITS[unit]}", *_figures(each, each.mean)) for unit, each in found.accuracies.items()
    ]
    print_table(("error of landmarks", *FIGURES), rows)


def say_landmarks(found: Evaluation) -> None:
    """Print the errors of each landmark in file units, or of the worst if there are many."""
    rows = by_landmark(found)
    typical = found.accuracies[FILE_UNITS].mean
    shown = _chosen(np.array([each.in_file_units.mean for each in rows]))
    print_table(EACH, (_landmark(rows[at], typical) for at in shown))
    _say_others(len(shown), len(rows), "largest mean errors", LANDMARKS)


def say_comparisons(found: Evaluation) -> None:
    """Print the errors of other programs' landmarks and of ours in the same places."""
    for each in found.comparisons:
        click.echo()
        _say_comparison(found, each)
    if found.comparisons:
        click.echo()
        _say_compared_landmarks(found)


def _figures(each: Accuracy, typical: float) -> list[str]:
    values = (each.mean, each.median, each.ninetieth, each.worst, each.rmse)
    return fixed(values, typical)


def _landmark(each: LandmarkAccuracy, typical: float) -> tuple[str, ...]:
    errors = each.in_file_units
    values = (errors.mean, errors.median, errors.rmse, errors.worst, each.expected)
    return (each.label, *fixed(values, typical), percent(each.within_radius))


def _chosen(values: FloatArray) -> IndexArray:
    """Numbers of all landmarks, or of those with the largest values, the largest first."""
    if len(values) <= MOST:
        return np.arange(len(values))
    return np.argsort(-np.where(np.isnan(values), -np.inf, values), kind="stable")[:WORST]


def _say_others(shown: int, count: int, which: str, table: str) -> None:
    if shown < count:
        click.echo(f"the {shown} of {count} with the {which}; {table} (-o) has all")


def _say_comparison(found: Evaluation, each: Comparison) -> None:
    by_method = found.compared_accuracies(each)
    names = (each.name, ONE, _median_of(found.sources[each.compared]))
    methods = dict(zip(names, by_method.values(), strict=True))
    click.echo(
        click.style(
            f"{each.name} and ours on the same {counted(each.specimens, 'specimen')}, "
            f"{counted(each.landmarks, 'landmark')}",
            bold=True,
        )
    )
    print_table(("error of landmarks", *FIGURES), _by_unit_and_method(methods))


def _by_unit_and_method(
    methods: Mapping[str, Mapping[str, Accuracy]],
) -> Iterator[tuple[str, ...]]:
    for unit, words in UNITS.items():
        yield (f"in {words}", *[""] * len(FIGURES))
        least = min(by_unit[unit].mean for by_unit in methods.values())
        for name, by_unit in methods.items():
            yield (f"  {name}", *_figures(by_unit[unit], least))


def _median_of(sources: IndexArray) -> str:
    fewest, most = int(sources.min()), int(sources.max())
    return (
        f"median of {counted(most, 'source') if fewest == most else f'{fewest} to {most} sources'}"
    )


def _say_compared_landmarks(found: Evaluation) -> None:
    compared = found.compared_landmarks
    if compared is None:
        return
    names = [each.name for each in found.comparisons]
    columns = (compared.carried, compared.median, *compared.answers, compared.difference)
    typical = found.accuracies[FILE_UNITS].mean
    shown = _chosen(compared.difference)
    header = ("mean error, in file units", "ours from one", "ours median", *names, "difference")
    print_table(header, (_row(found.labels[at], columns, int(at), typical) for at in shown))
    best = names[0] if len(names) == 1 else "the best of the others"
    click.echo(f"difference: our median less {best}; above 0 ours is worse")
    _say_others(len(shown), len(found.labels), "largest differences", COMPARISON)


def _row(label: str, columns: Sequence[FloatArray], at: int, typical: float) -> tuple[str, ...]:
    *errors, difference = fixed([float(column[at]) for column in columns], typical)
    sign = "+" if float(columns[-1][at]) > 0 else ""
    return (label, *errors, f"{sign}{difference}")
