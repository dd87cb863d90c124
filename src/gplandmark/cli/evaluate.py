# SPDX-License-Identifier: MIT
"""``gplandmark evaluate``: how good a match is, by landmarks that people placed."""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from gplandmark.cli.evaluation_output import tell
from gplandmark.cli.folders import groups_option, make_for_results, read_specimens
from gplandmark.cli.options.common import overwrite_option
from gplandmark.cli.options.groups import HeadedCommand
from gplandmark.errors import AnalysisError, SettingsError
from gplandmark.io.files import write_atomically
from gplandmark.io.homology import why_not_homologous
from gplandmark.io.overwrite import check_own_folder
from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.analysis import read_groups
from gplandmark.morphometrics.evaluation import evaluate as evaluate_sample
from gplandmark.morphometrics.evaluation.evaluation_summary import evaluation_summary
from gplandmark.morphometrics.evaluation.evaluation_tables import (
    COMPARISON,
    LANDMARKS,
    PAIRS,
    SUMMARY,
    evaluation_files,
)
from gplandmark.morphometrics.evaluation.observers import landmarks_by_specimen
from gplandmark.morphometrics.evaluation.transfer_errors import PAIRS as MOST
from gplandmark.morphometrics.evaluation.transfer_errors import TransferProgress
from gplandmark.runs.joint_files import read_results
from gplandmark.runs.matched.open_sample import open_sample

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
    "--answers",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Another program's landmarks of the same specimens, a file or a folder, to be compared "
    f"with ours ({COMPARISON}). May be given several times.",
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
    answers: tuple[Path, ...],
    pairs: int,
    as_json: bool,
    overwrite: bool,
) -> None:
    """Measure how good MATCHED is, what 'gplandmark match' wrote, by landmarks of OBSERVERS.

    OBSERVERS is a folder with a landmark file per specimen, or one file with all of them. Their
    landmarks are carried from every specimen to every other over the maps; errors are distances to
    where the observers put them, in units of the files, in per cent of centroid size, and in units
    of sqrt(area) of the specimen on which they arrive. Told as well: the error of each landmark,
    whether expected errors agree with those measured, whether left and right are right and, with
    groups, how often the most similar specimen is of the same group.

    \b
    Examples:
      gplandmark evaluate matched expert.csv
      gplandmark evaluate matched expert --groups genera.csv -o results
      gplandmark evaluate matched expert.csv --answers malpaca.csv --answers alpaca
    """
    tables = () if groups is None else (groups,)
    observed = landmarks_by_specimen(_homologous(observers, (*tables, *answers)))
    others = _answers(answers, (*tables, observers))
    told = None if groups is None else read_groups(groups)
    if output is not None:
        _prepare(output, (matched, observers, *answers), overwrite)
    sample = open_sample(matched)
    with _progress() as progress:
        found = evaluate_sample(
            sample, observed, told, answers=others, matched=read_results(matched), pairs=pairs,
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
        "groups": None if groups is None else groups.name, "answers": list(others), "pairs": pairs,
    }  # fmt: skip
    files = evaluation_files(found, output, settings)
    _write(files, output)
    if not as_json:
        click.echo(f"written  {', '.join(map(str, files))}")


def _homologous(path: Path, without: Sequence[Path]) -> tuple[Landmarks, ...]:
    """Read landmarks that mean the same place on every specimen."""
    found = read_specimens(path, without)
    reason = why_not_homologous(found, (path,))
    if reason:
        raise AnalysisError(
            f"{reason}; number 7 of one specimen is not number 7 of another, and cannot tell "
            "where it should come."
        )
    return found


def _answers(paths: Sequence[Path], without: Sequence[Path]) -> dict[str, dict[str, Landmarks]]:
    """Read other programs' landmarks, by the name of the file; by its path where two have one."""
    often = Counter(path.name for path in set(paths))
    found = {}
    for path in paths:
        name = path.name if often[path.name] == 1 else str(path)
        rest = (*without, *(other for other in paths if other != path))
        try:
            found[name] = landmarks_by_specimen(_homologous(path, rest))
        except AnalysisError as error:
            raise AnalysisError(f"{name}: {error}") from None
    return found


def _write(files: Mapping[Path, str | bytes], output: Path) -> None:
    """Write all files; a comparison of an earlier evaluation would tell of another one."""
    stale = output / COMPARISON
    is_ours = (output / SUMMARY).exists()
    write_atomically(files)
    if is_ours and stale not in files:
        stale.unlink(missing_ok=True)


def _prepare(output: Path, inputs: tuple[Path, ...], overwrite: bool) -> None:
    """Make the folder of the results; neither it nor a file in it may be one that is read."""
    written = {(output / name).resolve() for name in (".", PAIRS, LANDMARKS, COMPARISON, SUMMARY)}
    if any(each.resolve() in written for each in inputs):
        raise SettingsError(f"{output} is one of the inputs, or has one of them in it that would "
                            "be replaced. Choose another folder.")  # fmt: skip
    if not overwrite:
        check_own_folder(output, SUMMARY, (PAIRS, LANDMARKS, COMPARISON))
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
