# SPDX-License-Identifier: MIT
"""Landmarks in pairs: each on the left with its counterpart on the right, and on the midline."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.errors import SettingsError, recorded_warnings, warn
from gplandmark.gp.kernels import Kernel
from gplandmark.gp.limits import check_memory
from gplandmark.gp.selection import Progress, Selection, Stop
from gplandmark.gp.selection.greedy import search_for
from gplandmark.landmarks.covariance import covariance, weight_per_vertex
from gplandmark.landmarks.landmarks import Landmarks
from gplandmark.landmarks.place import warn_short
from gplandmark.landmarks.presets import MethodSettings
from gplandmark.landmarks.record import describe_vertices, record_of
from gplandmark.landmarks.settings import Settings
from gplandmark.landmarks.symmetry.counterparts import Counterparts
from gplandmark.landmarks.symmetry.plane import Plane, find_plane
from gplandmark.mesh.regions import Region, allowed_by
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray


@dataclass(frozen=True, eq=False)
class PairedLandmarks:
    """Landmarks of a bilaterally symmetric specimen.

    Attributes
    ----------
    landmarks : labelled 1L, 1R for a pair and 2M for one on the midline, in order
    pairs : (k, 2) numbers of the left and the right landmark of every pair, from 1
    midline : (j,) numbers of the landmarks on the midline, from 1
    plane : the plane of symmetry; L is the side that its normal points to
    """

    landmarks: Landmarks
    pairs: IndexArray
    midline: IndexArray
    plane: Plane

    def table(self) -> str:
        """Return the pairs as CSV, one row each: `land.pairs` of geomorph's `bilat.symmetry`."""
        return pairs_table(self.pairs)


def pairs_table(pairs: IndexArray | Sequence[Sequence[int]]) -> str:
    """Return the numbers of left and right landmarks as CSV, one row per pair."""
    return "left,right\n" + "".join(f"{left},{right}\n" for left, right in pairs)


def place_pairs(
    surface: Surface,
    count: int = 40,
    *,
    plane: Plane | None = None,
    settings: MethodSettings | None = None,
    weight: FloatArray | None = None,
    regions: Sequence[Region] = (),
    progress: Progress | None = None,
) -> PairedLandmarks:
    """Place landmarks on a bilaterally symmetric specimen, in pairs and on the midline.

    Every step finds the vertex of largest variance, as `gplandmark.place` does. If it lies near
    the plane, the vertex nearest to its foot on the plane becomes a landmark of the midline;
    otherwise it and the vertex nearest to its mirror image become a pair. The next step knows both.
    The first landmarks of many are those of few.

    Parameters
    ----------
    surface : with triangles
    count : how many landmarks at most; where one is left and a pair is due, it is not placed
    plane : the plane of symmetry; by default it is found
    settings, weight, regions, progress : as in `gplandmark.place`. A vertex whose counterpart is
        not allowed is not picked either

    Raises
    ------
    SettingsError
        The surface has no plane of symmetry, no vertex has a counterpart, or one landmark was asked
        for and the first two are a pair.
    ScanError
        The surface has no triangles, or no area.
    """
    settings = settings or Settings()
    weight = weight_per_vertex(surface, weight)
    plane = plane or find_plane(surface)
    counterparts = Counterparts(surface, plane, surface.covered() & allowed_by(surface, regions))
    _check(count, counterparts)
    with recorded_warnings() as notes:
        kernel = covariance(surface, settings, weight)
        selection, groups, why = _select(kernel, count, counterparts, progress)
        if len(selection.indices) == 0:
            raise SettingsError(
                f"No landmark can be placed: {count} was asked for, and the first two are a pair. "
                "Ask for 2 or more."
            )
        _warn_alone(surface, counterparts)
        warn_short(selection, count)
    labels, pairs, midline = _numbered(groups)
    request = {
        "count": count,
        "excluded": describe_vertices(surface.in_file(np.flatnonzero(~counterparts.paired))),
        "regions": [region.describe() for region in regions],
        "symmetry": {
            "plane": "found" if plane.is_found else "given",
            "point": plane.point.tolist(),
            "normal": plane.normal.tolist(),
            "residual": plane.residual,
        },
    }
    outcome = {"stopped": why, "pairs": pairs.tolist(), "midline": midline.tolist()}
    found = kernel, selection, counterparts.paired
    record = record_of(surface, settings, weight, request, found, notes, **outcome)
    landmarks = Landmarks(
        surface.in_file(selection.indices),
        surface.points[selection.indices],
        selection.variances,
        selection.variance,
        record,
        surface.name,
        labels,
        surface=surface,
    )
    return PairedLandmarks(landmarks, pairs, midline, plane)


def _select(
    kernel: Kernel, count: int, counterparts: Counterparts, progress: Progress | None
) -> tuple[Selection, list[tuple[int, ...]], str]:
    """Pick by groups of one or two until there is a reason to stop, which comes last.

    It is that of the selection; or "pair", if a pair was due and one place was left; or
    "exhausted", if no counterpart was left.
    """
    search = search_for(kernel, counterparts.paired, count)
    check_memory(kernel.size, search.bytes_per_landmark(), count)
    groups: list[tuple[int, ...]] = []
    variances: list[float] = []
    stopped, why = Stop.COUNT, ""
    while len(variances) < count:
        left = search.largest() / search.initial
        if left <= search.noise:
            stopped = search.exhausted
            break
        group = counterparts.take(search.winner(None))
        if not group or len(variances) + len(group) > count:
            why = "pair" if group else "exhausted"
            break
        # Where its partner determines a vertex to the last digit, nothing is left to condition on.
        variances += [search.condition(vertex) or 0.0 for vertex in group]
        groups.append(group)
        if progress is not None:
            progress(len(variances), search.largest() / search.initial)
    picks = np.array([vertex for group in groups for vertex in group], dtype=np.int64)
    state = np.array(variances), search.variance(), search.factor(), search.initial, search.noise
    return Selection(picks, *state, stopped), groups, why or str(stopped)


def _numbered(groups: list[tuple[int, ...]]) -> tuple[tuple[str, ...], IndexArray, IndexArray]:
    """Labels of the landmarks, and the numbers of those in pairs and on the midline, from 1."""
    labels: list[str] = []
    pairs, midline = [], []
    for number, group in enumerate(groups, 1):
        first = len(labels) + 1
        if len(group) == 2:
            labels += [f"{number}L", f"{number}R"]
            pairs.append([first, first + 1])
        else:
            labels.append(f"{number}M")
            midline.append(first)
    return (
        tuple(labels),
        np.array(pairs, dtype=np.int64).reshape(-1, 2),
        np.array(midline, dtype=np.int64),
    )


def _check(count: int, counterparts: Counterparts) -> None:
    most = int(np.count_nonzero(counterparts.paired))
    if most == 0:
        raise SettingsError(
            "No vertex that may be picked has a counterpart on the other side. "
            "Check the plane and the regions."
        )
    if not 1 <= count <= most:
        raise SettingsError(
            f"The number of landmarks must be from 1 to {most:,}, the number of vertices with a "
            f"counterpart, got {count}."
        )


def _warn_alone(surface: Surface, counterparts: Counterparts) -> None:
    alone = int(np.count_nonzero(counterparts.free & ~counterparts.paired))
    if alone:
        warn(
            f"{alone:,} vertices of {surface.name} have no counterpart on the other side; no "
            "landmark is placed on them."
        )
