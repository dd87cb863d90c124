# SPDX-License-Identifier: MIT
"""What an analysis found, in a few lines on the terminal."""

from collections.abc import Iterable

import click

from gplandmark.cli.terminal import number, percent
from gplandmark.io.formatting import counted
from gplandmark.morphometrics.analysis import Analysis, ContinuousAnalysis

__all__ = ["say_findings", "say_rows"]


def say_findings(found: Analysis) -> None:
    """Say how specimens were aligned, what varies, and what groups tell."""
    aligned, shares = found.aligned, found.components.variance_fractions
    specimens, landmarks = aligned.missing.shape
    click.echo(
        click.style(
            f"{counted(specimens, 'specimen')}, {counted(landmarks, 'landmark')}", bold=True
        )
    )
    rows = [("aligned", f"sum of squares {number(aligned.sum_of_squares)}, "
             f"{aligned.rounds} rounds")]  # fmt: skip
    if aligned.missing.any():
        rows.append(("estimated", counted(int(aligned.missing.sum()), "missing landmark")))
    if aligned.reflect:
        rows.append(("mirrored", counted(int(aligned.mirrored.sum()), "specimen")))
    named = [f"PC{i + 1} {percent(share)}" for i, share in enumerate(shares[:4])]
    rows.append(("variance", ", ".join(named)))
    rows += _by_groups(found)
    if (surfaces := found.continuous) is not None:
        mean = surfaces.distances.sum() / (surfaces.distances.size - len(surfaces.names))
        rows.append(("continuous", f"mean distance {number(mean)} of "
                     f"{counted(len(surfaces.names), 'whole surface')}"))  # fmt: skip
        rows += [(name, f"{text}, by continuous distances") for name, text in _by_groups(surfaces)]
    say_rows(rows)


def say_rows(rows: Iterable[tuple[str, str]]) -> None:
    """Write names and what is said of them, one below the other."""
    for name, value in rows:
        click.echo(f"  {name:<10} {value}")


def _by_groups(found: Analysis | ContinuousAnalysis) -> list[tuple[str, str]]:
    rows = []
    if (each := found.classification) is not None:
        right = f"{int(each.correct.sum())} of {int(each.counted.sum())} of the right group"
        rows.append(
            ("neighbours", f"{right}, {percent(each.rate)} (chance {percent(each.chance)})")
        )
    if (test := found.test) is not None:
        rows.append(("groups", f"MRPP A = {test.agreement:.3f}, p = {test.p_value:.4g}"))
    return rows
