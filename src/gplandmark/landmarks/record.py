# SPDX-License-Identifier: MIT
"""The record of landmarks: what made them, enough to make them again."""

import hashlib
import platform
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from importlib.metadata import version
from pathlib import PurePath
from typing import Any

import numpy as np

from gplandmark.errors import GplandmarkWarning, SettingsError
from gplandmark.gp.kernels import Kernel
from gplandmark.gp.selection import Selection
from gplandmark.landmarks.presets import PRESETS, MethodSettings, preset_name
from gplandmark.landmarks.settings import KERNELS, WEIGHTING, Settings
from gplandmark.mesh import estimator_for, intrinsic_dimension, surface_area, vertex_areas
from gplandmark.mesh.curvature import RADIUS
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

# Entries of the outcome, where landmarks were carried.
EXPECTED = ("confidence", "expected_error", "radius_90")  # of each landmark, in its record
SHARE = "share_of_whole"  # of a fragment, in the record
SHARES = "shares_of_pieces"  # of each piece of a specimen, in the record
NOT_ON_FRAGMENT = "not_on_this_fragment"  # labels of landmarks on what is missing, likewise


@dataclass(frozen=True)
class Record:
    """How landmarks were made. It holds no date: equal runs give equal records.

    Attributes
    ----------
    input : the specimen's name, its file and SHA-256, how its vertices are numbered, its size
    settings : the preset and every parameter
    request : the count, the target, the starting landmarks, what was excluded, the seed
    outcome : how many landmarks came out, why it stopped, how far the variance fell
    warnings : what the user was warned of
    software : versions of the packages that had a hand in it
    """

    input: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    request: Mapping[str, Any] = field(default_factory=dict)
    outcome: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    software: Mapping[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the record as plain dictionaries and lists, ready for JSON."""
        return asdict(self)

    @classmethod
    def of_dict(cls, content: Mapping[str, Any]) -> "Record":
        """Make a record from what `as_dict` returned, also after JSON.

        Raises
        ------
        TypeError
            A section is something else than names and their values.
        """
        sections = {name: content.get(name, {}) for name in cls.__dataclass_fields__}
        notes = sections.pop("warnings") or ()
        if not all(isinstance(each, Mapping) for each in sections.values()):
            raise TypeError("A section of a record is a mapping.")
        if isinstance(notes, str) or not all(isinstance(each, str) for each in notes):
            raise TypeError("The warnings of a record are a list of texts.")
        return cls(**sections, warnings=tuple(notes))


COMPUTING = {"engine", "tolerance"}  # how the kernel is computed, not what it is
PACKAGES = ("gplandmark", "numpy", "scipy", "trimesh", "libigl", "robust-laplacian")


def describe_input(surface: Surface) -> dict[str, Any]:
    """Name, file, fingerprint and size of the specimen."""
    source = surface.source
    return {
        "specimen": surface.name,
        "file": None if source is None else PurePath(source.path).name,
        "sha256": None if source is None else source.sha256,
        "numbering": "vertices from 0" if source is None else source.numbering,
        "cleaning": {} if source is None else dict(source.cleaning),
        "system": surface.system,
        **({"volume": dict(source.volume)} if source is not None and source.volume else {}),
        **({"not_bone": source.not_bone} if source is not None and source.not_bone else {}),
        "vertices": surface.vertex_count,
        "triangles": 0 if surface.triangles is None else len(surface.triangles),
        "dimension": surface.points.shape[1],
        "intrinsic_dimension": intrinsic_dimension(surface),
        "area": surface_area(surface),
    }


def describe_settings(
    settings: MethodSettings, surface: Surface, weight: FloatArray | None
) -> dict[str, Any]:
    """Return the preset and every parameter; of a weight that was given, the fingerprint."""
    described = {"preset": preset_name(settings), **asdict(settings)}
    if isinstance(settings, Settings):
        estimator = estimator_for(surface, settings.curvature)
        described |= {
            "bandwidth": settings.bandwidth if settings.eps is None else None,
            "curvature_estimator": estimator,
            "curvature_radius": settings.curvature_radius or RADIUS.get(estimator),
        }
        if not settings.is_weighted:  # then curvature decides nothing but the classes
            described |= {"weight": None, "mixture": None, "exponent": None}
    if weight is not None:
        described["preset"] = "custom"
        content = np.ascontiguousarray(weight, dtype=np.float64).tobytes()
        described |= {"weight": "given", "weight_sha256": hashlib.sha256(content).hexdigest()}
    return described


def method_text(described: Mapping[str, Any]) -> str:
    """Return the `settings` of a record in one line: the kernel and what it uses."""
    if "method" in described:
        return f"{described['method']}, for comparison"
    if described["preset"].startswith("authors"):
        return f"the authors' code (preset {described['preset']})"
    used = KERNELS[described["kernel"]].options
    parts = [f"{described['kernel']} kernel"]
    if "weight" in used:
        parts.append(_weight_text(described))
    shown = [each.name for each in fields(Settings) if each.name in used - WEIGHTING - COMPUTING]
    parts += [f"{name} {described[name]}" for name in shown if described[name] is not None]
    eps = described["eps"]
    width = f"bandwidth {described['bandwidth']} of the area" if eps is None else f"eps {eps}"
    return ", ".join([*parts, width])


def _weight_text(described: Mapping[str, Any]) -> str:
    if described["weight"] == "curvature":
        return (
            f"{described['curvature_estimator']} curvature, lambda {described['mixture']:g}, "
            f"rho {described['exponent']:g}"
        )
    return "weight from a file" if described["weight"] == "given" else "uniform weight"


def describe_vertices(vertices: IndexArray) -> list[list[int]]:
    """Runs of consecutive vertices, [first, last] each: short for regions, complete for all."""
    if len(vertices) == 0:
        return []
    breaks = np.flatnonzero(np.diff(vertices) > 1)
    first, last = np.append(0, breaks + 1), np.append(breaks, len(vertices) - 1)
    runs: list[list[int]] = np.column_stack([vertices[first], vertices[last]]).tolist()
    return runs


def describe_engine(kernel: Kernel) -> str:
    """How the kernel's entries were computed."""
    return str(getattr(kernel, "engine", "direct"))


def record_of(
    surface: Surface,
    settings: MethodSettings,
    weight: FloatArray | None,
    request: Mapping[str, Any],
    found: tuple[Kernel, Selection, BoolArray],
    notes: Sequence[str],
    **outcome: Any,
) -> Record:
    """Record of landmarks placed by variance: why it stopped, how far the variance fell.

    Parameters
    ----------
    found : the kernel, what was selected by it, and the vertices (n,) that were allowed
    notes : texts of the warnings
    outcome : further entries of the outcome
    """
    kernel, selection, allowed = found
    areas = vertex_areas(surface)
    return Record(
        input=describe_input(surface),
        settings=describe_settings(settings, surface, weight),
        request=request,
        outcome={
            "engine": describe_engine(kernel),
            "landmarks": len(selection.indices),
            "stopped": str(selection.stopped),
            "noise_floor": selection.floor,
            "largest_variance_before": selection.initial,
            "largest_variance_after": float(selection.variance[allowed].max()),
            "mean_variance_after": float(selection.variance @ areas / areas.sum()),
            "skipped": surface.in_file(np.array(selection.skipped, dtype=np.int64)).tolist(),
            **outcome,
        },
        warnings=tuple(notes),
        software=software_versions(),
    )


def software_versions() -> dict[str, str]:
    """Versions of Python and of the packages that decide the result."""
    return {"python": platform.python_version(), **{name: _version(name) for name in PACKAGES}}


@cache
def _version(package: str) -> str:
    return version(package)  # reads a file each time it is asked


def recalled_settings(record: Record) -> MethodSettings | None:
    """Settings that a record states; None if it states none, like that of a person or a sampler.

    Where a weight was given as numbers, which no record holds, the curvature weight replaces
    it, with a warning. A record with unknown values gives None, with a warning.
    """
    stated = record.settings
    if stated.get("preset") in PRESETS:
        return PRESETS[stated["preset"]]
    if "kernel" not in stated:
        return None
    names = {each.name for each in fields(Settings)} & stated.keys()
    known = {name: stated[name] for name in names if stated[name] is not None}
    if known.get("weight") == "given":
        del known["weight"]
        _warn("the weight, which was given as numbers: the curvature weight is used")
    try:
        return Settings(**known)
    except (SettingsError, TypeError):
        _warn("settings that can be used: the default ones are")
        return None


def _warn(what: str) -> None:
    warnings.warn(
        f"The record of these landmarks does not state {what}.", GplandmarkWarning, stacklevel=3
    )
