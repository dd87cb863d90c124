# SPDX-License-Identifier: MIT
"""What an evaluation says on the terminal."""

from collections.abc import Iterator, Sequence

import click
import numpy as np

from gplandmark.analysis.configurations import listed
from gplandmark.cli.tables import print_table
from gplandmark.cli.terminal import number, percent
from gplandmark.evaluation.evaluation import Evaluation
from gplandmark.evaluation.grouping import Grouping
from gplandmark.evaluation.judging import Spread, mean_known
from gplandmark.evaluation.tables import SHOWN
from gplandmark.files.words import counted

__all__ = ["tell"]

HEADER = ("error of pairs", "pairs", "mean", "median", "90 % below", "worst", "below 0.15")
NOTABLE = 0.01  # of sqrt(area): observers' landmarks that lie farther off count for an error
GROUPS = ("nearest neighbour by", "right group", "share", "MRPP A", "p")


def tell(found: Evaluation) -> None:
    """Print the figures of an evaluation for people."""
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
        "errors in units of sqrt(area) of the specimen on which landmarks arrive, here "
        f"{number(found.sizes.min())} to {number(found.sizes.max())} in file units\n"
    )
    print_table(HEADER, _spreads(found))
    click.echo()
    for name, value in (*_worst(found), _left_right(found), *_confidence(found)):
        click.echo(f"{name:<15}  {value}")
    if found.groupings:
        click.echo()
        print_table(GROUPS, map(_grouping, found.groupings))
        chance = found.groupings[0].classification.chance
        click.echo(f"by chance {percent(chance)} would be right")


def _spreads(found: Evaluation) -> Iterator[tuple[str, ...]]:
    rows = {
        "all": found.all_pairs,
        "within groups": found.within_groups,
        "between groups": found.between_groups,
    }
    return (_spread(name, each) for name, each in rows.items() if each is not None)


def _spread(name: str, each: Spread) -> tuple[str, ...]:
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
        ("landmarks", f"{percent(found.near)} come within 0.1 of the observers'{aside}"),
        ("worst pairs", ", ".join(pairs)),
        ("worst landmarks", ", ".join(landmarks)),
    ]


def _left_right(found: Evaluation) -> tuple[str, str]:
    judged = found.sides.certain
    if not judged.any():
        return "left and right", "cannot be told from the observers' landmarks"
    wrong = np.flatnonzero(judged & ~found.sides.right)
    text = f"{len(np.flatnonzero(judged)) - len(wrong)} of {judged.sum()} as observed"
    if len(wrong):
        text += f", not {_names(found, wrong)}"
    if not judged.all():
        text += f"; not certain for {_names(found, np.flatnonzero(~judged))}"
    return "left and right", text


def _names(found: Evaluation, numbers: Sequence[int] | np.ndarray) -> str:
    return listed("specimen", [found.names[at] for at in numbers])


def _confidence(found: Evaluation) -> list[tuple[str, str]]:
    each = found.honesty
    honest = (
        f"on average {each.told:.2f} to be within 0.1, and {each.true:.2f} are; the lowest tenth "
        f"has {each.lowest:.2f} times the average error"
    )
    missing = "none has a confidence below 0.5"
    if each.missing:
        missing = (
            f"{percent(each.missing)} have a confidence below 0.5 and are {each.dropped:.4f} off"
        )
    if each.missing and each.kept is not None and each.kept_near is not None:
        missing += f"; the others {each.kept:.4f}, {percent(each.kept_near)} of them within 0.1"
    return [("confidence", honest), ("missing", missing)]


def _grouping(each: Grouping) -> tuple[str, ...]:
    found, test = each.classification, each.test
    return (
        each.by,
        f"{found.right.sum()} of {found.counted.sum()}",
        percent(found.rate),
        "" if test is None else f"{test.agreement:.3f}",
        "" if test is None else f"{test.p_value:.4g}",
    )
