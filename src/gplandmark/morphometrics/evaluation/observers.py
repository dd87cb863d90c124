# SPDX-License-Identifier: MIT
"""Observers' landmarks on the specimens of a sample: assigned by name and checked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gplandmark.errors import AnalysisError, LandmarkFileError, warn
from gplandmark.io.formatting import counted, full_names, listed
from gplandmark.landmarks import Landmarks, in_system_of
from gplandmark.landmarks.check import check
from gplandmark.landmarks.on_surface import FARTHEST
from gplandmark.morphometrics.analysis.configurations import (
    Configurations,
    repeated,
    same_landmarks,
)
from gplandmark.morphometrics.matching.points import SampledSurface, nearest_on_surface
from gplandmark.numerics.arguments import instance
from gplandmark.numerics.arrays import FloatArray, IndexArray


@dataclass(frozen=True, eq=False)
class Observed:
    """Observers' landmarks of s specimens of a sample.

    Attributes
    ----------
    given : the landmarks, in the coordinates of each specimen's file; names are the sample's keys
    numbers : (s,) their indices in the sample
    off : (s, k) distances from the surface, in units of sqrt(area)
    sizes : (s,) sqrt(area) of the specimens, in units of their files
    """

    given: Configurations
    numbers: IndexArray
    off: FloatArray
    sizes: FloatArray


def landmarks_by_specimen(collection: Sequence[Landmarks]) -> dict[str, Landmarks]:
    """Landmarks by the name of their specimen.

    Raises
    ------
    AnalysisError
        Two sets have the same name.
    """
    if twice := repeated(each.specimen for each in collection):
        raise AnalysisError(
            f"There are several sets of landmarks for {listed('specimen', twice)}. "
            "Give those of one observer at a time."
        )
    return {each.specimen: each for each in collection}


def specimen_keys(names: Iterable[str], keys: Sequence[str]) -> dict[str, str]:
    """Key in the sample for each name that has one: itself, or site/a for a if it is unique.

    Raises
    ------
    AnalysisError
        Two names refer to the same specimen.
    """
    short = full_names(keys)
    full = {key: key for key in keys}
    found = {name: key for name in names if (key := full.get(name) or short.get(name))}
    first: dict[str, str] = {}
    for name, key in found.items():
        if first.setdefault(key, name) != name:
            raise AnalysisError(
                f"'{first[key]}' and '{name}' both refer to the specimen {key}. Keep one of them."
            )
    return found


def observed_landmarks(
    specimens: Sequence[SampledSurface], observed: Mapping[str, Landmarks], *, fewest: int = 2
) -> Observed:
    """Assign observers' landmarks to specimens by name, and check that they lie on the surfaces.

    Landmarks are transformed to the coordinate system of their scan. Sets without a specimen, and
    landmarks that no specimen has, are omitted, with a warning.

    Raises
    ------
    AnalysisError
        Fewer than `fewest` specimens have observers' landmarks, two specimens or two sets have one
        name, or the landmarks are not the same ones on all.
    LandmarkFileError
        A landmark lies more than 5 % of sqrt(area) from its surface.
    SettingsError
        These are no landmarks by the names of specimens.
    """
    by_name = "Give landmarks by the names of their specimens."
    instance(observed, Mapping, by_name)  # type: ignore[type-abstract]
    for each in observed.values():
        instance(each, Landmarks, "Use gplandmark.read_landmarks first.")
    keys = [each.name for each in specimens]
    if twice := repeated(keys):
        raise AnalysisError(
            f"Several specimens of the sample have the same name: {', '.join(twice[:3])}. "
            "Give each a name of its own."
        )
    found = specimen_keys(observed, keys)
    if len(found) < fewest:
        theirs = f"They are on {listed('specimen', list(observed))}; the" if observed else "The"
        raise AnalysisError(
            "Observers' landmarks are needed on at least "
            f"{counted(fewest, 'specimen')} of the sample, got {len(found)}. {theirs}"
            f" sample has {listed('specimen', keys)}. "
            "The names must be the same."
        )
    if strangers := [name for name in observed if name not in found]:
        warn(f"The observers' landmarks of {listed('specimen', strangers)} belong to no specimen "
              "of the sample.")  # fmt: skip
    surfaces = {each.name: each.surface for each in specimens}
    sets = [replace(in_system_of(surfaces[key], observed[name]), specimen=key)
            for name, key in found.items()]  # fmt: skip
    given = same_landmarks(sorted(sets, key=lambda each: keys.index(each.specimen)), fewest)
    numbers = np.array([keys.index(name) for name in given.names])
    off = np.full(given.missing.shape, np.nan)
    for row, number in enumerate(numbers):
        off[row] = _off(specimens[number], given, row)
    sizes = np.array([specimens[number].root_area for number in numbers])
    return Observed(given, numbers, off, sizes)


def distances_from_surface(specimen: SampledSurface, points: FloatArray) -> FloatArray:
    """Distances (k,) of landmarks (k, 3) from the surface, in units of sqrt(area)."""
    known = ~np.isnan(points).any(axis=1)
    asked = specimen.in_unit(points[known])
    distances = np.full(len(points), np.nan)
    apart = np.linalg.norm(asked - nearest_on_surface(specimen, asked), axis=1)
    distances[known] = apart * specimen.size / specimen.root_area
    return distances


def _off(specimen: SampledSurface, given: Configurations, row: int) -> FloatArray:
    """Distances (k,) of the landmarks of one specimen from its surface, at most 5 %."""
    distances = distances_from_surface(specimen, given.points[row])
    farthest = int(np.nanargmax(distances))
    if distances[farthest] > FARTHEST:
        landmarks = Landmarks.at(given.points[row], given.names[row], labels=given.labels)
        mistake = check(specimen.surface, landmarks).mistake
        hint = "It belongs to another specimen, unit or pose. Mark it as missing, or correct it."
        raise LandmarkFileError(
            f"{given.names[row]}: the observers' landmark {given.labels[farthest]} lies "
            f"{100 * distances[farthest]:.3g} % of sqrt(area) off the surface; at most "
            f"{100 * FARTHEST:g} % is allowed. "
            + (hint if mistake is None else f"They would fit with {mistake}.")
        )
    return distances
