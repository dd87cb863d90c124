# SPDX-License-Identifier: MIT
"""``gplandmark evaluate``: errors of a match, by landmarks that people placed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from gplandmark.cli.evaluation_output import print_evaluation
from gplandmark.cli.options.common import (
    PATH,
    file_option,
    headed_command,
    json_option,
    output_option,
    overwrite_option,
)
from gplandmark.cli.options.paths import (
    groups_option,
    make_for_results,
    missing_option,
    read_homologous,
)
from gplandmark.cli.progress import item_progress
from gplandmark.cli.terminal import echo, echo_json
from gplandmark.errors import AnalysisError, SettingsError
from gplandmark.io.files import real_path, write_atomically
from gplandmark.io.missing_codes import Codes
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
from gplandmark.runs.joint_files import read_results
from gplandmark.runs.matched.membership import open_sample
from gplandmark.runs.run_folder import command_of

UNMEASURED = "number 7 of one specimen is not number 7 of another, so errors cannot be measured."

OF_PREDICT = (
    "{} is what 'gplandmark predict' wrote, and only folders of 'gplandmark match' can be "
    "evaluated. Its report.html has the errors of leaving each annotated specimen out."
)


@headed_command
@click.argument("matched", type=PATH)
@click.argument("observers", type=PATH)
@groups_option
@output_option(f"Folder for {PAIRS}, {LANDMARKS} and {SUMMARY}; created if needed.", "RESULTS")
@file_option(
    "--answers",
    multiple=True,
    help="Another program's landmarks of the same specimens, in a file or a folder, to compare "
    f"with ours ({COMPARISON}). May be repeated.",
)
@click.option(
    "--pairs",
    default=MOST,
    metavar="N",
    help="Maximum number of ordered pairs of specimens. If there are more, this many are drawn "
    "at random.",
)
@missing_option
@json_option
@overwrite_option("Also replace files that are not from an earlier evaluation.")
def evaluate(
    matched: Path,
    observers: Path,
    groups: Path | None,
    output: Path | None,
    answers: tuple[Path, ...],
    pairs: int,
    missing: Codes,
    as_json: bool,
    overwrite: bool,
) -> None:
    """Measure the quality of MATCHED, a folder of 'gplandmark match', by landmarks of OBSERVERS.

    OBSERVERS is a folder with a landmark file per specimen, or one file with all of them. Their
    landmarks are carried from every specimen to every other one. Errors are distances to where
    the observers put them: in units of the files, in per cent of centroid size, and in units of
    sqrt(area) of the target specimen. The report also says

    \b
    - the error of each landmark,
    - whether expected errors agree with measured ones,
    - whether left and right are recognised,
    - with groups, how often the most similar specimen is in the same group.

    \b
    Examples:
      gplandmark evaluate matched expert.csv
      gplandmark evaluate matched expert --groups genera.csv -o results
      gplandmark evaluate matched expert.csv --answers malpaca.csv --answers alpaca
    """
    if command_of(matched) == "predict":
        raise SettingsError(OF_PREDICT.format(matched))
    if real_path(observers) == real_path(matched):
        raise AnalysisError(
            "OBSERVERS is the match itself, which cannot measure its own errors. "
            "Give landmarks that people placed."
        )
    tables = () if groups is None else (groups,)
    observed = landmarks_by_specimen(
        read_homologous([observers], UNMEASURED, (*tables, *answers), missing=missing)
    )
    others = _answers(answers, (*tables, observers), missing)
    known = None if groups is None else read_groups(groups)
    if output is not None:
        _prepare(output, (matched, observers, *answers), overwrite)
    sample = open_sample(matched)
    with item_progress("Carrying landmarks") as progress:
        found = evaluate_sample(
            sample, observed, known, answers=others, matched=read_results(matched), pairs=pairs,
            progress=progress,
        )  # fmt: skip
    if as_json:
        echo_json(evaluation_summary(found))
    else:
        print_evaluation(found)
    if output is None:
        return
    settings = {
        "matched": matched.name, "observers": observers.name,
        "groups": None if groups is None else groups.name, "answers": list(others), "pairs": pairs,
    }  # fmt: skip
    files = evaluation_files(found, output, settings)
    _write(files, output)
    if not as_json:
        echo(f"written  {', '.join(map(str, files))}")


def _answers(
    paths: Sequence[Path], without: Sequence[Path], missing: Codes
) -> dict[str, dict[str, Landmarks]]:
    """Read other programs' landmarks by file name, or by path if a name occurs twice."""
    often = Counter(path.name for path in set(paths))
    found = {}
    for path in paths:
        name = path.name if often[path.name] == 1 else str(path)
        rest = (*without, *(other for other in paths if other != path))
        with AnalysisError.about(name):
            found[name] = landmarks_by_specimen(
                read_homologous([path], UNMEASURED, rest, missing=missing)
            )
    return found


def _write(files: Mapping[Path, str | bytes], output: Path) -> None:
    """Write all files, and remove the comparison of an earlier evaluation."""
    stale = output / COMPARISON
    is_ours = (output / SUMMARY).exists()
    write_atomically(files)
    if is_ours and stale not in files:
        stale.unlink(missing_ok=True)


def _prepare(output: Path, inputs: tuple[Path, ...], overwrite: bool) -> None:
    """Create the folder of the results; neither it nor a file in it may be an input."""
    written = {real_path(output / name) for name in (".", PAIRS, LANDMARKS, COMPARISON, SUMMARY)}
    if any(real_path(each) in written for each in inputs):
        raise SettingsError(f"{output} is or contains one of the inputs, which would be "
                            "replaced. Choose another folder.")  # fmt: skip
    if not overwrite:
        check_own_folder(output, SUMMARY, (PAIRS, LANDMARKS, COMPARISON))
    make_for_results(output)
