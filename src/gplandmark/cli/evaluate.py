# SPDX-License-Identifier: MIT
"""``gplandmark evaluate``: how good a match is, by landmarks that people placed."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from gplandmark.analysis import read_groups, unmatched
from gplandmark.cli.folders import (
    check_ours,
    groups_option,
    make_for_results,
    read_specimens,
)
from gplandmark.cli.headings import HeadedCommand
from gplandmark.cli.judgement import tell
from gplandmark.cli.usual import overwrite_option
from gplandmark.collections.reading import read_results
from gplandmark.errors import AnalysisError, SettingsError
from gplandmark.evaluation.evaluation import evaluate as evaluate_sample
from gplandmark.evaluation.observers import by_name
from gplandmark.evaluation.tables import (
    LANDMARKS,
    PAIRS,
    SUMMARY,
    evaluation_files,
    evaluation_summary,
)
from gplandmark.evaluation.transfer import PAIRS as MOST
from gplandmark.evaluation.transfer import TransferProgress
from gplandmark.files import write_whole
from gplandmark.landmarks import Landmarks
from gplandmark.samples.opening import open_sample

__all__ = ["evaluate"]


@click.command(
    cls=HeadedCommand, short_help="How good a match is, by landmarks that people placed."
)
@click.argument("matched", type=click.Path(path_type=Path))
@click.argument("observers", type=click.Path(path_type=Path))
@groups_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="RESULTS",
    help=f"Folder for {PAIRS}, {LANDMARKS} and {SUMMARY}, made if need be.",
)
@click.option(
    "--pairs",
    type=int,
    default=MOST,
    show_default=True,
    metavar="N",
    help="Ordered pairs of specimens that are carried at most; of more, so many are drawn.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@overwrite_option(
    "Replace files that are not of an earlier evaluation; those of one are replaced anyway."
)
def evaluate(
    matched: Path,
    observers: Path,
    groups: Path | None,
    output: Path | None,
    pairs: int,
    as_json: bool,
    overwrite: bool,
) -> None:
    """Measure how good MATCHED is, what 'gplandmark match' wrote, by landmarks of OBSERVERS.

    OBSERVERS is a folder with a landmark file per specimen, or one file with all of them. Their
    landmarks are carried from every specimen to every other over the maps; errors are distances to
    where the observers put them, in units of sqrt(area) of the specimen on which they arrive: 0.05
    is 5 % of it. Told as well: whether left and right are right, whether the confidence is honest
    and, with groups, how often the most similar specimen is of the same group.

    \b
    Examples:
      gplandmark evaluate matched expert.csv
      gplandmark evaluate matched expert --groups genera.csv -o results
    """
    others = () if groups is None else (groups,)
    observed = _observers(observers, others)
    told = None if groups is None else read_groups(groups)
    if output is not None:
        _prepare(output, (matched, observers), overwrite)
    sample = open_sample(matched)
    with _progress() as progress:
        found = evaluate_sample(
            sample, by_name(observed), told, matched=read_results(matched), pairs=pairs,
            progress=progress,
        )  # fmt: skip
    if as_json:
        click.echo(json.dumps(evaluation_summary(found), indent=1))
    else:
        tell(found)
    if output is None:
        return
    settings = {
        "matched": matched.name, "observers": observers.name,
        "groups": None if groups is None else groups.name, "pairs": pairs,
    }  # fmt: skip
    files = evaluation_files(found, output, settings)
    write_whole(files)
    if not as_json:
        click.echo(f"written  {', '.join(map(str, files))}")


def _observers(path: Path, without: Sequence[Path]) -> tuple[Landmarks, ...]:
    """Read landmarks that mean the same place on every specimen."""
    found = read_specimens(path, without)
    reason = unmatched(found, (path,))
    if reason:
        raise AnalysisError(
            f"{reason}; number 7 of one specimen is not number 7 of another, and cannot tell "
            "where it should come."
        )
    return found


def _prepare(output: Path, inputs: tuple[Path, ...], overwrite: bool) -> None:
    """Make the folder of the results, which must not be one that is read from."""
    if any(each.resolve() == output.resolve() for each in inputs):
        raise SettingsError(f"{output} is one of the inputs. Choose another folder.")
    if not overwrite:
        check_ours(output, SUMMARY, (PAIRS, LANDMARKS))
    make_for_results(output)


@contextmanager
def _progress() -> Iterator[TransferProgress | None]:
    """Yield a callback that draws a bar on the error stream if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Carrying landmarks")

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield advance
