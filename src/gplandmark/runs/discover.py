# SPDX-License-Identifier: MIT
"""Which scans lie in folders, and what each is called: its path, without what repeats."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from gplandmark.errors import ScanError, warn
from gplandmark.io.files import real_path
from gplandmark.io.formatting import listed
from gplandmark.io.scans import EXTENSIONS, MESH_EXTENSIONS, is_mesh, is_scan, read, specimen_name
from gplandmark.io.scans.rules import Components, Rules
from gplandmark.io.vertex_lists import NOT_BONE
from gplandmark.io.volumes.options import VolumeOptions
from gplandmark.io.volumes.volume_files import TIFF, is_volume_folder, scan_files
from gplandmark.mesh.surface import Surface

NO_SCAN = (
    "{} lists what is not bone, but there is no scan of this name beside it, so that nothing is "
    "left out."
)
OF_LABEL = re.compile(rf"(-label\d+)?{re.escape(NOT_BONE)}$")
HIDDEN = ".gplandmark"  # where a folder of results keeps its journal


@dataclass(frozen=True, order=True)
class ScanFile:
    """A scan and its key: unique in the collection, with / between folders.

    `volume` says how a volume becomes a surface, if this one has options of its own.
    """

    key: str
    path: Path
    volume: VolumeOptions | None = field(default=None, compare=False)

    @property
    def name(self) -> str:
        """Name of the surface."""
        return specimen_name(self.path, self.volume)

    def read(self, components: Components = "largest") -> Surface:
        """Read the scan, by the default rules but for the pieces that are kept."""
        return read(self.path, self.rules(Rules(components=components)))

    def rules(self, common: Rules) -> Rules:
        """Return the rules for this scan: the common ones, with its own for a volume."""
        return common if self.volume is None else replace(common, volume=self.volume)


@dataclass
class Findings:
    """What the folders hold.

    Attributes
    ----------
    specimens : the scans, by key
    closed : for each folder that could not be read, why
    ignored : files that are no scans
    """

    specimens: list[ScanFile] = field(default_factory=list)
    closed: dict[str, str] = field(default_factory=dict)
    ignored: list[Path] = field(default_factory=list)


def find_scans(places: Sequence[Path], output: Path | None = None) -> Findings:
    """Find the scans in folders and all folders inside them, but for hidden ones and results.

    Tables and arrays are scans only where they are named themselves: they may be anything else.
    Scans of one name get their extension, and then a number, to tell them apart.

    Raises
    ------
    ScanError
        A place does not exist, a file is no scan, or there is no scan at all.
    """
    if output is not None and any(real_path(each) == real_path(output) for each in places):
        raise ScanError(f"{output} is where the scans are. Choose another folder for the results.")
    found = Findings()
    wanted: dict[Path, PurePosixPath] = {}
    for place, prefix in zip(places, _prefixes(places), strict=True):
        if place.is_dir():
            for path, inside in _walk(place, prefix, output, found, set()):
                wanted.setdefault(path, inside)
        else:
            _check_scan(place)
            wanted.setdefault(place, PurePosixPath(place.name))
    if not wanted and not found.closed:
        known = ", ".join(extension.removeprefix(".").upper() for extension in MESH_EXTENSIONS)
        raise ScanError(
            f"There is no scan in {', '.join(map(str, places))}. Put {known} files into it."
        )
    found.specimens = sorted(_named(wanted))
    for path in _lists_without_scan(wanted, found.ignored):
        warn(NO_SCAN.format(path))
    return found


def scans_of(places: Sequence[Path], names: Sequence[str]) -> dict[str, Path]:
    """Paths of the scans of specimens: files in these places that have their names.

    Raises
    ------
    ScanError
        A specimen has no scan there.
    """
    scans = {each.key: each.path for each in find_scans(places).specimens}
    short = {Path(key).name: path for key, path in scans.items()}
    paths = {name: scans.get(name) or short.get(Path(name).name) for name in names}
    if lacking := [name for name, path in paths.items() if path is None]:
        raise ScanError(
            f"There is no scan of {listed('specimen', lacking)} in "
            f"{', '.join(map(str, places))}. Scans need the names of the specimens."
        )
    return {name: path for name, path in paths.items() if path is not None}


def _lists_without_scan(scans: Iterable[Path], others: Iterable[Path]) -> list[Path]:
    """Lists of what is not bone that lie beside no scan of their name."""
    names = {(path.absolute().parent, specimen_name(path)) for path in scans}
    return [
        path
        for path in others
        if path.name.endswith(NOT_BONE)
        and (path.absolute().parent, OF_LABEL.sub("", path.name)) not in names
    ]


def _check_scan(path: Path) -> None:
    if not path.exists():
        raise ScanError(f"{path}: there is no such file or folder. Check the name.")
    if not path.name.lower().removesuffix(".gz").endswith(EXTENSIONS):
        raise ScanError(f"{path} is neither a folder nor a scan.")


def _prefixes(places: Sequence[Path]) -> list[PurePosixPath]:
    """Nothing for a single folder; of several the ends of their paths, as long as they must be."""
    if len(places) == 1:
        return [PurePosixPath()]
    parts = [real_path(place).parts for place in places]
    for length in range(1, max(map(len, parts)) + 1):
        ends = [each[-length:] for each in parts]
        if len(set(ends)) == len(set(parts)):
            break
    return [PurePosixPath(*(part.strip("/\\:") or "root" for part in each)) for each in ends]


def _walk(
    folder: Path,
    inside: PurePosixPath,
    output: Path | None,
    found: Findings,
    seen: set[tuple[int, int]],
) -> Iterator[tuple[Path, PurePosixPath]]:
    """Yield scans and their paths from the top; each folder once, however it is linked."""
    try:
        here = folder.stat()
        entries = sorted(os.scandir(folder), key=lambda each: each.name)
        is_output = output is not None and output.exists() and folder.samefile(output)
        is_results = is_output or (folder / HIDDEN).is_dir()
    except OSError as error:
        found.closed[f"{inside}/"] = f"{folder} cannot be read ({error.strerror})."
        return
    if (here.st_dev, here.st_ino) in seen or is_results:
        return
    seen.add((here.st_dev, here.st_ino))
    slices = _slices(folder, entries)
    if slices:
        yield folder, inside if inside.name else PurePosixPath(folder.absolute().name)
    for entry in entries:
        path = folder / entry.name
        if entry.name.startswith(".") or entry.name in slices:
            continue
        if _is_folder(entry):
            yield from _walk(path, inside / entry.name, output, found, seen)
        elif is_scan(path):
            yield path, inside / entry.name
        else:
            found.ignored.append(path)


def _slices(folder: Path, entries: Iterable[os.DirEntry[str]]) -> set[str]:
    """Names of the slices of a folder that is one volume; none if it is not.

    TIFF files beside meshes are taken for photographs.
    """
    files = [each.name for each in entries if not each.name.startswith(".") and _is_file(each)]
    if not is_volume_folder(folder, files):
        return set()
    slices = scan_files(folder)
    has_meshes = any(is_mesh(folder / name) for name in files)
    if has_meshes and all(each.suffix.lower() in TIFF for each in slices):
        return set()
    return {each.name for each in slices}


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        return False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False  # a link that leads to itself; what it is called may still be a scan


def _named(wanted: dict[Path, PurePosixPath]) -> Iterable[ScanFile]:
    """Keys for scans: without the extension where that is unique, whatever the case of letters."""
    short = {path: str(inside.parent / specimen_name(path)) for path, inside in wanted.items()}
    often = Counter(key.casefold() for key in short.values())
    taken: set[str] = set()
    for path, inside in wanted.items():
        key = short[path] if often[short[path].casefold()] == 1 else str(inside)
        yield ScanFile(unused_key(key, taken), path)


def unused_key(key: str, taken: set[str]) -> str:
    """Return the key, with a number if it is taken, and add it to those that are."""
    stem, number = key, 1
    while key.casefold() in taken:
        number += 1
        key = f"{stem}-{number}"
    taken.add(key.casefold())
    return key
