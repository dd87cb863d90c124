# SPDX-License-Identifier: MIT
"""What an evaluation says on the terminal."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

import click
import numpy as np

from gplandmark.cli.error_tables import say_comparisons, say_errors, say_landmarks
from gplandmark.cli.tables import print_table
from gplandmark.cli.terminal import fixed, number, percent
from gplandmark.io.formatting import counted, listed
from gplandmark.morphometrics.evaluation import Evaluation
from gplandmark.morphometrics.evaluation.accuracy import (
    FILE_UNITS,
    PairAccuracy,
    accuracies,
    mean_known,
)
from gplandmark.morphometrics.evaluation.evaluation_summary import SHOWN
from gplandmark.morphometrics.evaluation.sides_and_groups import Grouping
from gplandmark.numerics.arrays import FloatArray

__all__ = ["tell"]

PAIRS = (
    "error of pairs, in sqrt(area)",
    "pairs",
    "mean",
    "median",
    "90 % below",
    "worst",
    "below 0.15",
)
WIDTH, INDENT = 100, 17  # columns of a line, and where its sentence begins
NOTABLE = 0.01  # of sqrt(area): observers' landmarks that lie farther off count for an error
GROUPS = ("nearest neighbour by", "right group", "share", "MRPP A", "p")


def tell(found: Evaluation) -> None:
    """Print the figures of an evaluation for people."""
    _say_heading(found)
    say_errors(found)
    click.echo()
    print_table(PAIRS, _spreads(found))
    click.echo()
    for name, value in (*_worst(found), _left_right(found), *_expected(found), *_confidence(found)):
        _say_row(name, value)
    if found.groupings:
        click.echo()
        print_table(GROUPS, map(_grouping, found.groupings))
        chance = found.groupings[0].classification.chance
        click.echo(f"by chance {percent(chance)} would be right")
    click.echo()
    say_landmarks(found)
    say_comparisons(found)


def _say_heading(found: Evaluation) -> None:
    count = len(found.names)
    possible = count * (count - 1)
    drawn = f"{found.pairs:,} of " if found.pairs < possible else ""
    click.echo(
        click.style(
            f"{counted(count, 'specimen')}, {counted(len(found.labels), 'landmark')}, "
            f"{drawn}{counted(possible, 'ordered pair')}",
            bold=True,
        )
    )
    click.echo(
        "errors are distances to the observers' landmarks of the specimen on which ours arrive\n"
        f"in file units, its sqrt(area) is {_range(found.sizes)} and its centroid size "
        f"{_range(found.centroid_sizes)}\n"
    )


def _say_row(name: str, value: str) -> None:
    """Print a name and a sentence, which goes on below itself where it is long."""
    lines = wrap(value, WIDTH - INDENT, break_long_words=False, break_on_hyphens=False)
    click.echo(f"{name:<{INDENT}}" + ("\n" + " " * INDENT).join(lines))


def _range(values: FloatArray) -> str:
    return f"{number(values.min())} to {number(values.max())}"


def _spreads(found: Evaluation) -> Iterator[tuple[str, ...]]:
    rows = {
        "all": found.all_pairs,
        "within groups": found.within_groups,
        "between groups": found.between_groups,
    }
    return (_spread(name, each) for name, each in rows.items() if each is not None)


def _spread(name: str, each: PairAccuracy) -> tuple[str, ...]:
    values = (each.mean, each.median, each.ninetieth, each.worst)
    return (name, f"{each.pairs:,}", *(f"{value:.4f}" for value in values), percent(each.near))


def _worst(found: Evaluation) -> list[tuple[str, str]]:
    """Share of landmarks that came close, and the worst pairs and landmarks by name."""
    errors, means = found.pair_errors, mean_known(found.errors, axis=(0, 1))
    pairs = [
        f"{found.names[i]} to {found.names[j]} ({errors[i, j]:.3f})"
        for i, j in found.worst_pairs(SHOWN)
    ]
    landmarks = [f"{found.labels[at]} ({means[at]:.3f})" for at in found.worst_landmarks(SHOWN)]
    off = float(np.nanmax(found.off))
    aside = f", which lie up to {off:.3f} off the surfaces" if off > NOTABLE else ""
    return [
        ("landmarks", f"{percent(found.near)} come within 0.1 sqrt(area) of the observers'{aside}"),
        ("worst pairs", f"{', '.join(pairs)} in sqrt(area)"),
        ("worst landmarks", f"{', '.join(landmarks)} in sqrt(area)"),
    ]


def _left_right(found: Evaluation) -> tuple[str, str]:
    judged = found.sides.certain
    if not judged.any():
        return "left and right", "cannot be told from the observers' landmarks"
    wrong = np.flatnonzero(judged & ~found.sides.agree)
    text = f"{len(np.flatnonzero(judged)) - len(wrong)} of {judged.sum()} as observed"
    if len(wrong):
        text += f", not {_names(found, wrong)}"
    if not judged.all():
        text += f"; not certain for {_names(found, np.flatnonzero(~judged))}"
    return "left and right", text


def _names(found: Evaluation, numbers: Sequence[int] | np.ndarray) -> str:
    return listed("specimen", [found.names[at] for at in numbers])


def _expected(found: Evaluation) -> list[tuple[str, str]]:
    each, measured = found.calibration, found.accuracies[FILE_UNITS].mean
    expected = accuracies(found.expected, found.scales)[FILE_UNITS].mean
    told, true = fixed((expected, measured), measured)
    return [
        ("expected error", f"{told} file units on average, and {true} is measured"),
        ("", f"{percent(each.within_radius)} lie within their 90 % radius; 85 to 95 % is right"),
        ("", f"the tenth with the largest has {each.largest:.2f} times the average error; "
             "2 or more is right"),
    ]  # fmt: skip


def _confidence(found: Evaluation) -> list[tuple[str, str]]:
    each = found.calibration
    told = (
        f"on average {each.confidence:.2f}, the chance to be within 0.1 of the size; "
        f"{each.near:.2f} are within 0.1 sqrt(area)"
    )
    missing = "none has a confidence below 0.5"
    if each.missing:
        missing = (
            f"{percent(each.missing)} have a confidence below 0.5 and are {each.dropped:.4f} off"
        )
    if each.missing and each.kept is not None and each.kept_near is not None:
        missing += f"; the others {each.kept:.4f}, {percent(each.kept_near)} of them within 0.1"
    return [("confidence", told), ("missing", missing)]


def _grouping(each: Grouping) -> tuple[str, ...]:
    found, test = each.classification, each.test
    return (
        each.by,
        f"{found.correct.sum()} of {found.counted.sum()}",
        percent(found.rate),
        "" if test is None else f"{test.agreement:.3f}",
        "" if test is None else f"{test.p_value:.4g}",
    )
