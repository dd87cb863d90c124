# SPDX-License-Identifier: MIT
"""``gplandmark analyze``: statistics of shape from the same landmarks on every specimen."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from gplandmark.cli.options.common import (
    PATH,
    file_option,
    headed_command,
    output_option,
    overwrite_option,
)
from gplandmark.cli.options.further_analyses import further_options
from gplandmark.cli.options.paths import (
    groups_option,
    make_for_results,
    missing_option,
    read_specimens,
)
from gplandmark.cli.summaries import print_analysis
from gplandmark.cli.tables import print_rows
from gplandmark.errors import AnalysisError, SettingsError, recorded_warnings, warn
from gplandmark.io.files import check_writable, real_path, write_atomically
from gplandmark.io.homology import HOMOLOGY_UNKNOWN, is_homology_unknown, why_not_homologous
from gplandmark.io.missing_codes import Codes
from gplandmark.io.overwrite import check_own_folder
from gplandmark.io.scans import read, specimen_name
from gplandmark.landmarks import Landmarks, to_system
from gplandmark.landmarks.coordinate_system import OF_MESHES
from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.analysis import analyse, read_groups
from gplandmark.morphometrics.analysis.specimen_groups import PERMUTATIONS
from gplandmark.morphometrics.matching.dense_points import CORRESPONDENCE, read_correspondence
from gplandmark.runs.joint_files import results_of
from gplandmark.runs.matched.estimated_landmarks import unused_estimates
from gplandmark.runs.reports.analysis_folder import (
    REPORT,
    SETTINGS,
    WRITTEN,
    earlier_files,
    result_files,
    typical_surface,
)
from gplandmark.runs.reports.further_analyses import (
    FurtherAnalyses,
    completed_by_symmetry,
    further_analyses,
    with_slid_semilandmarks,
)
from gplandmark.runs.result_scans import reference_of_results, scans_of_results
from gplandmark.runs.run_folder import has_homologous_landmarks

MEANINGLESS = (
    "number 7 of one specimen is not number 7 of another, so that shapes cannot be compared by "
    "these landmarks."
)
SEVERAL = (
    "The specimens of each folder were matched independently. Number 7 is the same place in all "
    "folders only if they have a common reference. There are no continuous distances."
)


@headed_command
@click.argument("landmarks", nargs=-1, required=True, metavar="LANDMARKS...", type=PATH)
@output_option(
    "Folder for the report, tables and pictures; created if needed.", "RESULTS", required=True
)
@groups_option
@file_option(
    "--surface",
    metavar="SCAN",
    help="Scan of one of the specimens, to show deformed along each component.  [default: the "
    "reference of a matched folder]",
)
@click.option(
    "--reflect", is_flag=True, help="Allow mirror images, e.g. left and right sides in one sample."
)
@click.option("--keep-size", is_flag=True, help="Keep sizes: analyse size and shape.")
@click.option(
    "--permutations",
    default=PERMUTATIONS,
    help="Number of random permutations in tests.",
)
@click.option("--seed", default=0, help="Seed for the random permutations.")
@click.option(
    "--allow-unmatched",
    is_flag=True,
    help="Continue although the landmarks were placed on each specimen independently.",
)
@missing_option
@overwrite_option("Also replace files that are not from an earlier analysis.")
@further_options
def analyze(
    landmarks: tuple[Path, ...],
    output: Path,
    groups: Path | None,
    surface: Path | None,
    reflect: bool,
    keep_size: bool,
    permutations: int,
    seed: int,
    allow_unmatched: bool,
    missing: Codes,
    overwrite: bool,
    wanted: FurtherAnalyses,
) -> None:
    """Compare the shapes of specimens that all have the same LANDMARKS.

    LANDMARKS is a folder with a landmark file per specimen, or one file with all of them (.tps,
    .nts, .csv, or .txt of Morphologika), or several of these. Specimens are superimposed by
    generalised Procrustes analysis. The results are principal components, Procrustes distances
    and centroid sizes. With groups, specimens are also classified by nearest neighbours, and a
    permutation test (MRPP) compares the groups. Missing landmarks are estimated by thin-plate
    splines. --model explains shape by size, groups and covariates, and tests it by permutations.
    --pairs separates symmetric from asymmetric shape; --repeats estimates measurement error.
    A folder written by 'gplandmark match' also gives continuous Procrustes distances between entire
    surfaces, and its reference is shown deformed along each component.

    Number 7 must be the same place on every specimen. Landmarks that were placed on each specimen
    independently ('gplandmark place') are refused: match them first. If neither a record nor
    the file nor the names of landmarks say whether they correspond, a note says so.

    \b
    Examples:
      gplandmark analyze matched -o results
      gplandmark analyze left/*.mrk.json right/*.mrk.json --reflect -o results
      gplandmark analyze teeth.tps --groups genera.csv --reflect --surface tooth.ply -o results
      gplandmark analyze skulls.csv --groups sex.csv --model 'shape ~ size * group' -o results
      gplandmark analyze skulls.csv --pairs auto --repeats twice.csv -o results
    """
    others = (*wanted.tables, *(() if groups is None else (groups,)))
    reason = _batched(landmarks) or why_not_homologous((), landmarks)
    if reason and not allow_unmatched:
        raise _unmatched(reason)
    with recorded_warnings() as said:
        collection = read_specimens(landmarks, others, missing=missing)
    dense = [path for each in landmarks if (path := _dense_of(each)).is_file()]
    points = read_correspondence(dense[0]) if len(dense) == 1 else None
    known = None if groups is None else read_groups(groups)
    if not overwrite:
        check_own_folder(output, SETTINGS, (REPORT, *WRITTEN))
    _prepare(output, (*landmarks, *others))
    reason = reason or why_not_homologous(collection, ())
    note = () if _all_matched(landmarks) else _check_matched(collection, reason, allow_unmatched)
    if len(dense) > 1:
        note += _noted(SEVERAL)
    scan = None if surface is None else read(surface)
    results = results_of(landmarks[0]) if len(landmarks) == 1 else None
    scans = {} if results is None else scans_of_results(results)
    said += unused_estimates(map(results_of, landmarks), collection)
    shapes = completed_by_symmetry(_together(collection, scan), wanted)
    shapes, slid = with_slid_semilandmarks(shapes, wanted, scans)
    found = analyse(
        shapes,
        known,
        reflect=reflect,
        keep_size=keep_size,
        permutations=permutations,
        seed=seed,
        notes=(*said, *note, *slid),
        correspondence=points,
    )
    if scan is None and results is not None:
        scan = typical_surface(found.aligned, scans, reference_of_results(results))
    with recorded_warnings() as further:
        supplements = further_analyses(wanted, found, shapes, permutations, seed)
    found = replace(found, notes=(*found.notes, *further))
    files = result_files(
        found,
        output,
        title=f"Shapes of {len(found.aligned.names)} specimens: {specimen_name(landmarks[0])}",
        settings={
            "landmarks": [path.name for path in landmarks], "groups": groups and groups.name,
            "surface": surface and surface.name, "reflect": reflect, "keep_size": keep_size,
            "permutations": permutations, "seed": seed, **wanted.settings(),
        },
        surface=scan,
        supplements=supplements,
    )  # fmt: skip
    _write(files, output)
    print_analysis(found, [row for each in supplements for row in each.rows])
    print_rows([("written", f"{output / REPORT} and {len(files) - 1} other files")])


def _write(files: Mapping[Path, str | bytes], output: Path) -> None:
    """Write the results; files of an earlier analysis that this one does not have are removed."""
    earlier = earlier_files(output)
    write_atomically(files)
    for path in earlier:
        if path not in files:
            path.unlink()


def _together(collection: Sequence[Landmarks], scan: Surface | None) -> list[Landmarks]:
    """Landmarks in one coordinate system: that of the scan, or LPS if there is none."""
    system = OF_MESHES if scan is None or scan.system is None else scan.system
    return [
        each if each.system in (None, system) else to_system(each, system) for each in collection
    ]


def _prepare(output: Path, inputs: tuple[Path, ...]) -> None:
    """Create the folder of the results, which must not be an input."""
    if any(real_path(each) == real_path(output) for each in inputs):
        raise SettingsError(f"{output} is one of the inputs. Choose another folder.")
    make_for_results(output)
    check_writable(output / REPORT)


def _dense_of(path: Path) -> Path:
    """Path of the corresponding points of matched landmarks."""
    return (results_of(path) or path) / CORRESPONDENCE


def _batched(paths: tuple[Path, ...]) -> str:
    """Return a sentence if a path is the folder of a batch and not of a match; else empty."""
    for path in paths:
        results = results_of(path)
        if results is not None and not has_homologous_landmarks(results):
            return f"{path} was written by 'gplandmark batch', independently for each specimen"
    return ""


def _all_matched(paths: tuple[Path, ...]) -> bool:
    """Whether 'match' or 'predict' wrote all of it, even if somebody corrected landmarks since."""
    return all((found := results_of(path)) and has_homologous_landmarks(found) for path in paths)


def _check_matched(collection: list[Landmarks], reason: str, allowed: bool) -> tuple[str, ...]:
    if not reason:
        return _noted(HOMOLOGY_UNKNOWN) if is_homology_unknown(collection) else ()
    if not allowed:
        raise _unmatched(reason)
    return _noted(f"NOT HOMOLOGOUS: {reason}; {MEANINGLESS}")


def _unmatched(reason: str) -> AnalysisError:
    return AnalysisError(
        f"{reason}; {MEANINGLESS} Match the landmarks first, or use --allow-unmatched if they do "
        "correspond."
    )


def _noted(sentence: str) -> tuple[str]:
    warn(sentence)
    return (sentence,)
