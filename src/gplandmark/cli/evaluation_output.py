# SPDX-License-Identifier: MIT
"""An evaluation on the terminal: errors of landmarks, of pairs, and of other programs."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from gplandmark.cli.tables import (
    fixed,
    percent,
    print_table,
    print_title,
    print_wrapped_rows,
    rounded,
)
from gplandmark.cli.terminal import echo
from gplandmark.io.formatting import counted, listed
from gplandmark.morphometrics.evaluation import Evaluation
from gplandmark.morphometrics.evaluation.accuracy import (
    FILE_UNITS,
    UNITS,
    Accuracy,
    accuracies,
    mean_known,
)
from gplandmark.morphometrics.evaluation.evaluation import LandmarkAccuracy, by_landmark
from gplandmark.morphometrics.evaluation.evaluation_summary import SHOWN
from gplandmark.morphometrics.evaluation.evaluation_tables import COMPARISON, LANDMARKS
from gplandmark.morphometrics.evaluation.sides_and_groups import Grouping
from gplandmark.morphometrics.evaluation.transfer_errors import Comparison, LandmarkComparison
from gplandmark.numerics.arrays import FloatArray, IndexArray

FIGURES = ("mean", "median", "90 % below", "worst", "RMSE")
PAIRS = ("error of pairs, in sqrt(area)", "pairs", *FIGURES[:-1], "below 0.15")
EACH = ("landmark, in file units", "mean", "median", "RMSE", "worst", "expected", "in 90 % radius")
GROUPS = ("nearest neighbour by", "right group", "fraction", "MRPP A", "p")
ONE = "carried from one specimen"
MOST, WORST = 60, 20  # landmarks that are all shown, and how many of more
NAMES = 17  # columns for the names of rows
NOTABLE = 0.01  # of sqrt(area): observers' landmarks farther off the surface are reported


def print_evaluation(found: Evaluation) -> None:
    """Print all figures of an evaluation."""
    _print_heading(found)
    errors = found.accuracies.items()
    rows = [(f"in {UNITS[unit]}", *_figures(each, each.mean)) for unit, each in errors]
    print_table(("error of landmarks", *FIGURES), rows)
    echo()
    print_table(PAIRS, _spreads(found))
    echo()
    print_wrapped_rows(
        (*_worst(found), _left_right(found), *_expected(found), *_confidence(found)), NAMES
    )
    if found.groupings:
        echo()
        print_table(GROUPS, map(_grouping, found.groupings))
        chance = found.groupings[0].classification.chance
        echo(f"by chance {percent(chance)} would be right")
    echo()
    print_landmark_errors(found)
    print_comparisons(found)


def _print_heading(found: Evaluation) -> None:
    count = len(found.names)
    possible = count * (count - 1)
    drawn = f"{found.pairs:,} of " if found.pairs < possible else ""
    print_title(
        f"{counted(count, 'specimen')}, {counted(len(found.labels), 'landmark')}, "
        f"{drawn}{counted(possible, 'ordered pair')}"
    )
    area, size = (
        f"{rounded(values.min())} to {rounded(values.max())}"
        for values in (found.sizes, found.centroid_sizes)
    )
    echo(
        "Errors are distances to the observers' landmarks on the specimen that ours are "
        "carried to.",
        f"In file units, its sqrt(area) is {area} and its centroid size {size}.",
        "",
    )


def _spreads(found: Evaluation) -> Iterator[tuple[str, ...]]:
    names = ("all", "within groups", "between groups")
    spreads = (found.all_pairs, found.within_groups, found.between_groups)
    for name, each in zip(names, spreads, strict=True):
        if each is not None:
            values = (each.mean, each.median, each.ninetieth, each.worst)
            figures = (f"{value:.4f}" for value in values)
            yield (name, f"{each.pairs:,}", *figures, percent(each.near))


def _worst(found: Evaluation) -> list[tuple[str, str]]:
    """Fraction of landmarks that came close, and the worst pairs and landmarks."""
    errors, means = found.pair_errors, mean_known(found.errors, axis=(0, 1))
    pairs = [
        f"{found.names[i]} to {found.names[j]} ({errors[i, j]:.3f})"
        for i, j in found.worst_pairs(SHOWN)
    ]
    landmarks = [f"{found.labels[at]} ({means[at]:.3f})" for at in found.worst_landmarks(SHOWN)]
    off = float(np.nanmax(found.off))
    aside = f", which lie up to {off:.3f} off the surfaces" if off > NOTABLE else ""
    return [
        ("landmarks", f"{percent(found.near)} are within 0.1 sqrt(area) of the observers'{aside}"),
        ("worst pairs", f"{', '.join(pairs)} in sqrt(area)"),
        ("worst landmarks", f"{', '.join(landmarks)} in sqrt(area)"),
    ]


def _left_right(found: Evaluation) -> tuple[str, str]:
    certain, names = found.sides.certain, np.array(found.names)
    if not certain.any():
        return "left and right", "cannot be determined from the observers' landmarks"
    wrong = np.flatnonzero(certain & ~found.sides.agree)
    text = f"{len(np.flatnonzero(certain)) - len(wrong)} of {certain.sum()} as observed"
    if len(wrong):
        text += f", not {listed('specimen', list(names[wrong]))}"
    if not certain.all():
        text += f"; uncertain for {listed('specimen', list(names[~certain]))}"
    return "left and right", text


def _expected(found: Evaluation) -> list[tuple[str, str]]:
    each, measured = found.calibration, found.accuracies[FILE_UNITS].mean
    expected = accuracies(found.expected, found.scales)[FILE_UNITS].mean
    predicted, true = fixed((expected, measured), measured)
    return [
        ("expected error", f"{predicted} file units on average; the measured error is {true}"),
        ("", f"{percent(each.within_radius)} lie within their 90 % radius; 85 to 95 % is good"),
        ("", f"the tenth with the largest expected error has {each.largest:.2f} times the average "
             "error; 2 or more is good"),
    ]  # fmt: skip


def _confidence(found: Evaluation) -> list[tuple[str, str]]:
    each = found.calibration
    mean = (
        f"{each.confidence:.2f} on average, the probability to be within 0.1 of the size; "
        f"{each.near:.2f} are within 0.1 sqrt(area)"
    )
    missing = "no landmark has a confidence below 0.5"
    if each.missing:
        below = f"{percent(each.missing)} have a confidence below 0.5"
        missing = f"{below}; their mean error is {each.dropped:.4f}"
    if each.missing and each.kept is not None and each.kept_near is not None:
        near = f"{percent(each.kept_near)} of them within 0.1"
        missing += f", that of the others {each.kept:.4f}, {near}"
    return [("confidence", mean), ("missing", missing)]


def _grouping(each: Grouping) -> tuple[str, ...]:
    found, test = each.classification, each.test
    return (
        each.by,
        f"{found.correct.sum()} of {found.counted.sum()}",
        percent(found.rate),
        "" if test is None else f"{test.agreement:.3f}",
        "" if test is None else f"{test.p_value:.4g}",
    )


def print_landmark_errors(found: Evaluation) -> None:
    """Print the errors of each landmark, or of the worst if there are many."""
    rows = by_landmark(found)
    typical = found.accuracies[FILE_UNITS].mean
    shown = _chosen(np.array([each.in_file_units.mean for each in rows]))
    print_table(EACH, (_landmark(rows[at], typical) for at in shown))
    _print_others(len(shown), len(rows), "largest mean errors", LANDMARKS)


def print_comparisons(found: Evaluation) -> None:
    """Print the errors of other programs' landmarks and of ours in the same places."""
    for each in found.comparisons:
        _print_comparison(found, each)
    if (compared := found.compared_landmarks) is not None:
        _print_compared_landmarks(found, compared)


def _figures(each: Accuracy, typical: float) -> list[str]:
    values = (each.mean, each.median, each.ninetieth, each.worst, each.rmse)
    return fixed(values, typical)


def _landmark(each: LandmarkAccuracy, typical: float) -> tuple[str, ...]:
    errors = each.in_file_units
    values = (errors.mean, errors.median, errors.rmse, errors.worst, each.expected)
    return (each.label, *fixed(values, typical), percent(each.within_radius))


def _chosen(values: FloatArray) -> IndexArray:
    """Indices of all landmarks, or of those with the largest values, the largest first."""
    if len(values) <= MOST:
        return np.arange(len(values))
    return np.argsort(-np.where(np.isnan(values), -np.inf, values), kind="stable")[:WORST]


def _print_others(shown: int, count: int, which: str, table: str) -> None:
    if shown < count:
        echo(f"the {shown} of {count} with the {which}; {table} (-o) lists all")


def _print_comparison(found: Evaluation, each: Comparison) -> None:
    by_method = found.compared_accuracies(each)
    names = (each.name, ONE, _median_of(found.sources[each.compared]))
    methods = dict(zip(names, by_method.values(), strict=True))
    echo()
    print_title(
        f"{each.name} and ours on the same {counted(each.specimens, 'specimen')}, "
        f"{counted(each.landmarks, 'landmark')}"
    )
    print_table(("error of landmarks", *FIGURES), _by_unit_and_method(methods))


def _by_unit_and_method(methods: Mapping[str, Mapping[str, Accuracy]]) -> Iterator[tuple[str, ...]]:
    for unit, text in UNITS.items():
        yield (f"in {text}", *[""] * len(FIGURES))
        least = min(by_unit[unit].mean for by_unit in methods.values())
        for name, by_unit in methods.items():
            yield (f"  {name}", *_figures(by_unit[unit], least))


def _median_of(sources: IndexArray) -> str:
    fewest, most = int(sources.min()), int(sources.max())
    count = counted(most, "source") if fewest == most else f"{fewest} to {most} sources"
    return f"median of {count}"


def _print_compared_landmarks(found: Evaluation, compared: LandmarkComparison) -> None:
    names = [each.name for each in found.comparisons]
    columns = (compared.carried, compared.median, *compared.answers, compared.difference)
    typical = found.accuracies[FILE_UNITS].mean
    shown = _chosen(compared.difference)
    header = ("mean error, in file units", "ours from one", "ours median", *names, "difference")
    echo()
    print_table(header, (_row(found.labels[at], columns, int(at), typical) for at in shown))
    best = names[0] if len(names) == 1 else "the best of the others"
    echo(f"difference: our median minus {best}; above 0 ours is worse")
    _print_others(len(shown), len(found.labels), "largest differences", COMPARISON)


def _row(label: str, columns: Sequence[FloatArray], at: int, typical: float) -> tuple[str, ...]:
    *errors, difference = fixed([float(column[at]) for column in columns], typical)
    sign = "+" if float(columns[-1][at]) > 0 else ""
    return (label, *errors, f"{sign}{difference}")
