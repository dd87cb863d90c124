# SPDX-License-Identifier: MIT
"""How landmarks are placed on one specimen, and what of it decides the result."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from gplandmark.io.files import digest
from gplandmark.io.region_files import RegionOptions
from gplandmark.io.scans.read import most_vertices
from gplandmark.io.scans.rules import Rules
from gplandmark.landmarks import MethodSettings, Settings
from gplandmark.landmarks.presets import preset_name

__all__ = ["Request", "difference", "flat", "memory_for"]


@dataclass(frozen=True)
class Request:
    """What is asked of a specimen; files are named here and read where the work is done.

    Attributes
    ----------
    count, target, settings, between_vertices, seed : as of `gplandmark.place`
    rules : how the scan is cleaned
    regions : where landmarks may go
    weight, start : files with a number per vertex, and with landmarks that come first
    ending : of the landmark file
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
    ending: str = ".mrk.json"

    def files(self) -> list[Path]:
        """Return the files beside the scan that the result depends on."""
        named = (self.weight, self.start, self.regions.exclude, self.regions.only)
        return [path for path in named if path is not None]

    def identity(self) -> dict[str, Any]:
        """Return everything that decides the result, of files the content; ready for JSON."""
        content = asdict(self)
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


PROCESS = 150_000_000  # bytes of a process with all libraries and nothing else
VERTEX = 1_500  # bytes: the mesh, its copies while it is cleaned, curvature, the field
UNKNOWN_COUNT = 300  # landmarks that a target may take


def memory_for(path: Path, request: Request) -> int:
    """Return the bytes that placing landmarks on a scan may take.

    Every vertex has its share of the Cholesky factor, 8 bytes for each landmark.
    """
    each = VERTEX + request.settings.bytes_per_vertex + 8 * (request.count or UNKNOWN_COUNT)
    return PROCESS + most_vertices(path) * each
