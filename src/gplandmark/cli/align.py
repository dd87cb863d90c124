# SPDX-License-Identifier: MIT
"""``gplandmark align``: scans in a common pose."""

from pathlib import Path

import click

from gplandmark.cli.options.common import (
    PATH,
    file_option,
    headed_command,
    overwrite_option,
    quiet_option,
)
from gplandmark.cli.options.paths import make_for_results, read_homologous, results_option
from gplandmark.cli.tables import print_rows, print_title
from gplandmark.io.files import check_writable, write_atomically
from gplandmark.io.formatting import counted
from gplandmark.io.overwrite import check_new
from gplandmark.landmarks import to_system
from gplandmark.landmarks.coordinate_system import OF_MESHES
from gplandmark.morphometrics.analysis import generalised_procrustes
from gplandmark.runs.aligned_scans import (
    POSES,
    CommonPose,
    aligned_scans,
    common_poses,
    match_poses,
    poses_of_match,
)
from gplandmark.runs.discover import find_scans, scans_of


@headed_command
@click.argument("scans", nargs=-1, required=True, metavar="SCANS...", type=PATH)
@file_option(
    "--landmarks",
    metavar="LANDMARKS",
    help="The same landmarks on every specimen: a file, a folder, or the results of 'match'.  "
    "[default: by the surfaces alone, as 'match' does]",
)
@results_option
@click.option("--equal-sizes", is_flag=True, help="Give all scans the same size, their mean.")
@click.option("--reflect", is_flag=True, help="Mirror scans of the other side.")
@overwrite_option("Replace existing files.")
@quiet_option
def align(
    scans: tuple[Path, ...],
    landmarks: Path | None,
    output: Path,
    equal_sizes: bool,
    reflect: bool,
    overwrite: bool,
    quiet: bool,
) -> None:
    """Write SCANS, files or folders, moved and rotated so that they coincide.

    With landmarks, the pose is that of generalised Procrustes analysis: the centroids are at the
    origin, and the principal axes of the mean shape are along x, y and z. Without landmarks, the
    surfaces are aligned with the most central specimen, which keeps its orientation. Sizes and
    sides stay as they are unless you use --equal-sizes or --reflect. Scans are written as PLY
    files. The table poses.csv says what was done to each: x becomes scale (x - centre) R.

    \b
    Examples:
      gplandmark align skulls -o aligned
      gplandmark align skulls --landmarks matched -o aligned
    """
    make_for_results(output)
    if landmarks is None:
        paths = {each.key: each.path for each in find_scans(scans, output).specimens}
        poses = poses_of_match(match_poses(paths, reflect=reflect), equal_sizes=equal_sizes)
    else:
        poses, paths = _by_landmarks(landmarks, scans, equal_sizes, reflect)
    names = [f"{each.specimen.replace('/', '_')}.ply" for each in poses]
    for name in (*names, POSES):
        check_writable(output / name)
        if not overwrite:
            check_new(output / name)
    for content in aligned_scans(poses, paths, output):
        write_atomically(content)
    if not quiet:
        turned = sum(each.mirrors for each in poses)
        print_title(f"{counted(len(poses), 'scan')} in a common pose")
        print_rows(
            [
                ("sizes", "made equal" if equal_sizes else "as they were"),
                ("mirrored", counted(turned, "scan") if turned else "none"),
                ("written", str(output)),
            ]
        )


def _by_landmarks(
    landmarks: Path, scans: tuple[Path, ...], equal_sizes: bool, reflect: bool
) -> tuple[tuple[CommonPose, ...], dict[str, Path]]:
    """Poses of the specimens by their landmarks, and their scans."""
    collection = read_homologous([landmarks], "they define no common pose. Match them first.")
    collection = [each if each.system in (None, OF_MESHES) else to_system(each, OF_MESHES)
                  for each in collection]  # fmt: skip
    paths = scans_of(scans, [each.specimen for each in collection])
    aligned = generalised_procrustes(collection, reflect=reflect)
    return common_poses(aligned, equal_sizes=equal_sizes), paths
