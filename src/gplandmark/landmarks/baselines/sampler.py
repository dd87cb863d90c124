# SPDX-License-Identifier: MIT
"""What every sampler is, checks and returns."""

from typing import Any, Protocol

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.landmarks.classes import classify
from gplandmark.landmarks.landmarks import Landmarks
from gplandmark.landmarks.record import Record, describe_input, software_versions
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import IndexArray


class Sampler(Protocol):
    """A way to choose points of a surface."""

    def __call__(self, surface: Surface, count: int, *, seed: int | None = None) -> Landmarks:
        """Choose `count` vertices; what is left to chance follows from the seed."""
        ...


def candidates(surface: Surface, count: int, seed: int | None) -> IndexArray:
    """Vertices that belong to a triangle; more than these cannot be asked for.

    Raises
    ------
    SettingsError
        The count is below 1 or above their number, or the seed is negative.
    """
    covered = np.flatnonzero(surface.covered())
    if not 1 <= count <= len(covered):
        raise SettingsError(
            f"{surface.name}: the number of landmarks must be from 1 to {len(covered):,}, the "
            f"number of vertices on the surface, got {count}."
        )
    if seed is not None and seed < 0:
        raise SettingsError(f"The seed must be 0 or more, got {seed}.")
    return covered


def sampled(
    surface: Surface,
    vertices: IndexArray,
    method: str,
    *,
    count: int,
    seed: int | None,
    warnings: tuple[str, ...] = (),
    **details: Any,
) -> Landmarks:
    """Landmarks at these vertices of the surface, with a record of the sampler that chose them."""
    record = Record(
        input=describe_input(surface),
        settings={"preset": "baseline", "method": method, **details},
        request={"count": count, "seed": seed},
        outcome={
            "landmarks": len(vertices),
            "stopped": "count" if len(vertices) == count else "exhausted",
        },
        warnings=warnings,
        software=software_versions(),
    )
    return Landmarks.at(
        surface.points[vertices],
        surface.name,
        vertices=surface.in_file(np.asarray(vertices, dtype=np.int64)),
        classes=classify(surface, vertices),
        record=record,
        surface=surface,
    )
