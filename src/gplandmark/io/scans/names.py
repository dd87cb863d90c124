# SPDX-License-Identifier: MIT
"""What the specimen of a scan is called."""

from pathlib import Path

from gplandmark.io.scans.file_bytes import STANDARD_INPUT
from gplandmark.io.volumes.options import VolumeOptions
from gplandmark.io.volumes.volume_files import is_volume

NAMELESS = "standard-input"  # the name of a specimen that comes without one


def specimen_name(path: str | Path, volume: VolumeOptions | None = None) -> str:
    """Name of the file without its folder and extensions; of a folder of slices its name.

    A specimen that is one label of a volume has the label in its name.
    """
    if str(path) == STANDARD_INPUT:
        return NAMELESS
    path = Path(path)
    if volume is not None and volume.label is not None and is_volume(path):
        return f"{specimen_name(path)}-label{volume.label}"
    if path.is_dir():
        return path.absolute().name
    return path.with_suffix("").stem if is_compressed(path) else path.stem


def is_compressed(path: Path) -> bool:
    """Whether a file is compressed, by its name."""
    return path.suffix.lower() == ".gz"
