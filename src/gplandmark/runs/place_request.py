# SPDX-License-Identifier: MIT
"""How landmarks are placed on one specimen, and what of it decides the result."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from gplandmark.errors import GplandmarkWarning, SettingsError
from gplandmark.gp.selection import Progress
from gplandmark.io.files import digest
from gplandmark.io.region_files import RegionOptions, regions_from
from gplandmark.io.scans import read_cleaned
from gplandmark.io.scans.clean import Cleaned
from gplandmark.io.scans.rules import Rules
from gplandmark.io.scans.sizes import memory_of_job
from gplandmark.io.start_landmarks import Start, note_of_another, read_start
from gplandmark.io.vertex_lists import read_weight
from gplandmark.landmarks import Landmarks, MethodSettings, Settings, place
from gplandmark.landmarks.presets import preset_name
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray, IndexArray


@dataclass(frozen=True)
class Request:
    """What is asked of a specimen; files are named here and read where the work is done.

    Attributes
    ----------
    count, target, settings, between_vertices, seed : as of `gplandmark.place`
    rules : how the scan is cleaned
    regions : where landmarks may go
    weight, start : files with a number per vertex, and with landmarks that come first
    extension : of the landmark file
    """

    count: int | None = None
    target: float = 0.0
    settings: MethodSettings = field(default_factory=Settings)
    rules: Rules = field(default_factory=Rules)
    regions: RegionOptions = field(default_factory=RegionOptions)
    weight: Path | None = None
    start: Path | None = None
    between_vertices: bool = False
    seed: int | None = None
    extension: str = ".mrk.json"

    def files(self) -> list[Path]:
        """Return the files beside the scan that the result depends on."""
        named = (self.weight, self.start, self.regions.exclude, self.regions.only)
        return [path for path in named if path is not None]

    def moved(self, where: Mapping[Path, Path]) -> "Request":
        """Return the request with its files in other places, as far as `where` names them."""

        def there(path: Path | None) -> Path | None:
            return None if path is None else where.get(path, path)

        regions = self.regions
        regions = replace(regions, exclude=there(regions.exclude), only=there(regions.only))
        return replace(self, weight=there(self.weight), start=there(self.start), regions=regions)

    def identity(self) -> dict[str, Any]:
        """Return everything that decides the result, of files the content; ready for JSON."""
        content = asdict(self)
        content["ending"] = content.pop("extension")  # as in the journals of earlier versions
        content["settings"] = {"preset": preset_name(self.settings), **content["settings"]}
        for holder, name in (
            (content, "weight"), (content, "start"),
            (content["regions"], "exclude"), (content["regions"], "only"),
        ):  # fmt: skip
            if holder[name] is not None:
                holder[name] = digest(holder[name])
        return flat(content)


def flat(content: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Return nested mappings as one, with dots in its keys, and tuples as lists."""
    result: dict[str, Any] = {}
    for name, value in content.items():
        if isinstance(value, Mapping):
            result |= flat(value, f"{before}{name}.")
        else:
            result[before + name] = list(value) if isinstance(value, tuple) else value
    return result


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Say what changed, as "count 40 -> 60"; empty if nothing did."""
    changed = [
        f"{name.rpartition('.')[2]} {_short(before.get(name))} -> {_short(after.get(name))}"
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    ]
    return ", ".join(changed)


def _short(value: Any) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= 20 else f"{text[:8]}..."


VERTEX = 1_500  # bytes: the mesh, its copies while it is cleaned, curvature, the field
UNKNOWN_COUNT = 300  # landmarks that a target may take


def memory_for(path: Path, request: Request) -> int:
    """Return the bytes that placing landmarks on a scan may take.

    Every vertex has its row of the Cholesky factor, 8 bytes for each landmark.
    """
    each = VERTEX + request.settings.bytes_per_vertex + 8 * (request.count or UNKNOWN_COUNT)
    return memory_of_job(path, each)


def landmarks_on(
    path: Path, request: Request, cleaned: Cleaned | None = None
) -> tuple[Cleaned, Landmarks]:
    """Read a scan, unless it was, and place landmarks as a request says.

    Notes are in their record.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)
        cleaned = cleaned or read_cleaned(path, request.rules)
        return cleaned, place_requested(cleaned.surface, path, request)


def place_requested(
    surface: Surface,
    path: Path,
    request: Request,
    *,
    exclude: BoolArray | IndexArray | Sequence[int] = (),
    progress: Progress | None = None,
) -> Landmarks:
    """Place landmarks on a scan that was read, with everything that a request names.

    Start landmarks, regions and weight are read from their files, and named in the record.

    Parameters
    ----------
    surface, path : the cleaned scan, and its file
    exclude, progress : as of `gplandmark.place`
    """
    first = Start() if request.start is None else _start(request.start, surface)
    for note in first.notes:
        warnings.warn(note, GplandmarkWarning, stacklevel=2)
    weight = None if request.weight is None else read_weight(request.weight)
    regions = regions_from(request.regions, surface, path)
    with SettingsError.about(surface.name):
        landmarks = place(
            surface,
            request.count,
            settings=request.settings,
            target=request.target,
            weight=weight,
            start=first.vertices,
            exclude=exclude,
            regions=regions,
            between_vertices=request.between_vertices,
            seed=request.seed,
            progress=progress,
        )
    return first.label(landmarks)


def _start(path: Path, surface: Surface) -> Start:
    """What a file says that landmarks begin with, and whether it is of another specimen."""
    first = read_start(path, surface)
    return replace(first, notes=(*note_of_another(path, surface.name), *first.notes))
