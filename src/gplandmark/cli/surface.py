# SPDX-License-Identifier: MIT
"""``gplandmark surface``: the surface in a volume, as a mesh."""

from dataclasses import replace
from pathlib import Path

import click

from gplandmark.cli.options.common import (
    PATH,
    file_option,
    headed_command,
    output_option,
    overwrite_option,
    quiet_option,
)
from gplandmark.cli.options.scans import cleaning_options
from gplandmark.cli.tables import print_rows, print_title, rounded
from gplandmark.errors import LandmarkFileError, SettingsError
from gplandmark.io.files import check_writable, write_atomically
from gplandmark.io.overwrite import check_not_input
from gplandmark.io.scans import as_ply, read_cleaned, specimen_name
from gplandmark.io.scans.clean import Cleaned
from gplandmark.io.scans.rules import Rules
from gplandmark.io.volumes.options import ALL
from gplandmark.io.volumes.volume_files import is_volume
from gplandmark.mesh.visibility import outer_part
from gplandmark.visual.pictures import check_picture, picture_bytes

EXTENSION = ".ply"


@headed_command
@click.argument("volume", type=PATH)
@output_option("Mesh to write, .ply; with --label all a folder.  [default: VOLUME.ply]")
@file_option(
    "--picture",
    help="Also draw the histogram with the threshold, and three slices with the outline, as .png, "
    ".pdf or .svg.",
)
@click.option(
    "--outer-only",
    is_flag=True,
    help="Keep only the part that is visible from outside (by ray casting).",
)
@cleaning_options
@overwrite_option("Replace existing files.")
@quiet_option
def surface(
    volume: Path,
    output: Path | None,
    picture: Path | None,
    outer_only: bool,
    rules: Rules,
    overwrite: bool,
    quiet: bool,
) -> None:
    """Make a mesh of VOLUME, a CT scan or a label map.

    VOLUME is a NRRD, NIfTI, MetaImage or TIFF file, or a folder with a DICOM series or a stack of
    TIFF files. The surface lies where the values cross the threshold. Coordinates are physical, in
    LPS, as in 3D Slicer. At the border of the volume the surface is open.

    All commands read volumes directly. Use this one to check the threshold, or to make a mesh for
    other programs.

    \b
    Examples:
      gplandmark surface skull.nrrd -o skull.ply --picture threshold.png
      gplandmark surface dicom --threshold 300 --outer-only -o skull.ply
      gplandmark surface teeth.seg.nrrd --label 3 -o molar.ply
      gplandmark surface teeth.seg.nrrd --label all -o teeth
      gplandmark surface slices --spacing 0.02,0.02,0.02 -o tooth.ply
    """
    if not is_volume(volume):
        raise SettingsError(
            f"{volume} is not a volume. Name a file such as .nrrd, or a folder of slices."
        )
    if rules.volume is not None and rules.volume.label == ALL:
        _each_label(volume, output, picture, rules, outer_only, overwrite, quiet)
        return
    output = output or Path(f"{specimen_name(volume, rules.volume)}{EXTENSION}")
    _check(volume, output, picture, overwrite)
    _write(volume, output, picture, rules, outer_only, quiet)


def _each_label(
    volume: Path,
    output: Path | None,
    picture: Path | None,
    rules: Rules,
    outer_only: bool,
    overwrite: bool,
    quiet: bool,
) -> None:
    """Write a mesh for each label into a folder."""
    from gplandmark.io.volumes.volume_surface import labels_in

    if picture is not None:
        raise SettingsError("The picture is of one label. Leave --picture out, or name a label.")
    folder = output or Path(specimen_name(volume))
    assert rules.volume is not None
    chosen = [replace(rules.volume, label=each) for each in labels_in(volume)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LandmarkFileError(f"{folder} cannot be created ({error.strerror}).") from None
    files = [folder / f"{specimen_name(volume, each)}{EXTENSION}" for each in chosen]
    for path in files:
        _check(volume, path, None, overwrite)
    for path, each in zip(files, chosen, strict=True):
        _write(volume, path, None, replace(rules, volume=each), outer_only, quiet)


def _check(volume: Path, output: Path, picture: Path | None, overwrite: bool) -> None:
    """Refuse outputs that cannot be written, before the work starts."""
    if output.suffix.lower() != EXTENSION:
        raise SettingsError(f"{output}: meshes are written as {EXTENSION}, not '{output.suffix}'.")
    check_writable(output)
    check_not_input(output, [volume])
    if picture is not None:
        check_picture(picture)
        check_not_input(picture, [volume])
    for path in (output, picture):
        if path is not None and path.exists() and not overwrite:
            raise SettingsError(f"{path} exists. Choose another name, or use --overwrite.")


def _write(
    volume: Path, output: Path, picture: Path | None, rules: Rules, outer_only: bool, quiet: bool
) -> None:
    cleaned = read_cleaned(volume, rules)
    found = outer_part(cleaned.surface) if outer_only else cleaned.surface
    contents: dict[Path, str | bytes] = {output: as_ply(found)}
    if picture is not None:
        from gplandmark.visual.charts.threshold_chart import threshold_chart

        assert cleaned.preview is not None
        chart = threshold_chart(cleaned.preview, cleaned.surface.name)
        contents[picture] = picture_bytes(chart, picture.suffix.lower())
    write_atomically(contents)
    if not quiet:
        _print(cleaned, replace(cleaned, surface=found), list(contents))


def _print(cleaned: Cleaned, kept: Cleaned, written: list[Path]) -> None:
    found, preview = kept.surface, cleaned.preview
    assert found.source is not None
    assert preview is not None
    about = found.source.volume
    size = " x ".join(map(str, about["size"]))
    spacing = " x ".join(rounded(each) for each in about["spacing"])
    otsu = preview.cut.sentence() if preview.cut.choice == "otsu" else None
    remarks = [each for each in cleaned.report.notes if each != otsu]
    print_title(found.name)
    print_rows(
        [
            ("volume", f"{size} voxels of {spacing} (file units)"),
            ("cut", preview.cut.sentence()),
            ("surface", f"{found.vertex_count:,} vertices, {len(found.faces()):,} triangles"),
            *(("note", each) for each in remarks),
            *(("found", str(each)) for each in cleaned.report.findings),
            ("written", ", ".join(map(str, written))),
        ]
    )
