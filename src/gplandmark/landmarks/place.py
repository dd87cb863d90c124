# SPDX-License-Identifier: MIT
"""The whole method on one page: from a surface to its landmarks."""

import warnings
from collections.abc import Sequence

import numpy as np
from scipy.spatial import cKDTree

from gplandmark.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.errors import GplandmarkWarning, SettingsError
from gplandmark.landmarks.authors import AuthorsSettings
from gplandmark.landmarks.classes import classify
from gplandmark.landmarks.covariances import covariance
from gplandmark.landmarks.describing import (
    describe_engine,
    describe_input,
    describe_outcome,
    describe_settings,
    describe_vertices,
    software_versions,
)
from gplandmark.landmarks.landmarks import Landmarks
from gplandmark.landmarks.record import Record
from gplandmark.landmarks.settings import Settings
from gplandmark.regions import Region, allowed_by
from gplandmark.selection import Progress, Selection, Stop, select
from gplandmark.surface import Surface

__all__ = ["nearest_vertices", "place"]

DEFAULT_COUNT = 40


def place(
    surface: Surface,
    count: int | None = None,
    *,
    settings: Settings | AuthorsSettings | None = None,
    target: float = 0.0,
    weight: FloatArray | None = None,
    start: Sequence[int] | IndexArray = (),
    exclude: BoolArray | IndexArray | Sequence[int] = (),
    regions: Sequence[Region] = (),
    seed: int | None = None,
    after: Landmarks | None = None,
    progress: Progress | None = None,
) -> Landmarks:
    """Place landmarks on a surface by Gaussian process landmarking, Algorithm 1 of the paper.

    Parameters
    ----------
    surface : with triangles, or a bare cloud of points in any dimension
    count : how many, starting landmarks included; by default 40, or as many as the target
        takes if there is one
    settings : how the covariance is made; by default the paper's method
    target : stop when the largest variance is at most this share of its start, 0 to 1
    weight : (n,) a weight per vertex in place of the one in `settings`
    start : vertices that come first, in this order, whatever their variance
    exclude : vertices that are never picked, as a mask (n,) or as numbers; they keep their
        weight and area in the kernel
    regions : further vertices that are never picked, with the question that chose them, which
        the record keeps; all regions must allow a landmark
    seed : break ties at random from this seed, as the paper does; by default the lowest
        vertex number wins
    after : place more landmarks after these, without starting over; surface, settings, weight
        and exclusions must be those that made them
    progress : called after every landmark with their number and the largest variance left, as
        a share of its start

    Returns
    -------
    Landmarks
        In the coordinates and units of the surface.

    Raises
    ------
    ScanError
        The surface has no area, or the settings need triangles that it does not have.
    SettingsError
        The count, the target, the weight, a starting or an excluded vertex is out of range.
    """
    settings = settings or Settings()
    _check_types(surface, settings)
    if count is None and target == 0:
        count = DEFAULT_COUNT
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", GplandmarkWarning)
        kernel = covariance(surface, settings, weight)
        candidates = _candidates(surface, exclude) & allowed_by(surface, regions)
        selection = select(
            kernel,
            count,
            target=target,
            start=start,
            candidates=candidates,
            seed=seed,
            after=_state(after, surface, settings, weight, start),
            progress=progress,
        )
        _warn_skipped(selection)
        _warn_short(selection, count)
    for each in caught:
        warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    used = settings if isinstance(settings, Settings) else None
    record = Record(
        input=describe_input(surface),
        settings=describe_settings(settings, surface, weight),
        request={
            "count": count,
            "target": target,
            "start": [int(index) for index in start],
            "after": 0 if after is None else len(after),
            "excluded": describe_vertices(np.flatnonzero(~candidates)),
            "regions": [region.describe() for region in regions],
            "seed": seed,
        },
        outcome={
            "engine": describe_engine(kernel),
            **describe_outcome(selection, surface, candidates),
        },
        warnings=tuple(str(each.message) for each in caught),
        software=software_versions(),
    )
    return Landmarks(
        selection.indices,
        surface.points[selection.indices],
        selection.variances,
        selection.variance,
        record,
        surface.name,
        classes=classify(surface, selection.indices, used),
        state=selection,
    )


def nearest_vertices(surface: Surface, points: FloatArray) -> tuple[IndexArray, FloatArray]:
    """Find the vertex of the surface that is nearest to each point (m, d), and how far it is."""
    if points.shape[1] != surface.points.shape[1]:
        raise SettingsError(
            f"The points have dimension {points.shape[1]}, but {surface.name} has dimension "
            f"{surface.points.shape[1]}. They belong to another specimen."
        )
    covered = np.flatnonzero(surface.covered())
    distances, nearest = cKDTree(surface.points[covered]).query(points)
    return covered[nearest], np.asarray(distances)


def _candidates(surface: Surface, exclude: BoolArray | IndexArray | Sequence[int]) -> BoolArray:
    """Mask of the vertices that may be picked: on the surface, and not excluded."""
    candidates = surface.covered()
    loose = int(np.count_nonzero(~candidates))
    if loose:
        warnings.warn(
            f"{surface.name} has {loose:,} vertices that belong to no triangle; "
            "no landmark is placed on them.",
            GplandmarkWarning,
            stacklevel=3,
        )
    excluded = np.asarray(exclude)
    if excluded.size:
        _check_excluded(excluded, surface)
        candidates[excluded] = False
    return candidates


def _check_excluded(excluded: BoolArray | IndexArray, surface: Surface) -> None:
    count = surface.vertex_count
    if excluded.dtype == bool:
        if excluded.shape != (count,):
            raise SettingsError(
                f"The mask of excluded vertices must have {count:,} entries, one per vertex of "
                f"{surface.name}, got shape {excluded.shape}."
            )
        return
    if not np.issubdtype(excluded.dtype, np.integer):
        raise SettingsError("Excluded vertices must be given as whole numbers or as a mask.")
    if excluded.min() < 0 or excluded.max() >= count:
        raise SettingsError(
            f"An excluded vertex does not exist: the vertices of {surface.name} are numbered "
            f"0 to {count - 1}."
        )
    if len(excluded) == count and excluded.max() == 1:
        raise SettingsError(
            "The excluded vertices look like a mask of zeros and ones, but are whole numbers. "
            "Give a mask as booleans, or the numbers of the vertices."
        )


def _check_types(surface: Surface, settings: Settings | AuthorsSettings) -> None:
    """Say what is expected where a name was given for the thing."""
    if not isinstance(surface, Surface):
        raise SettingsError(f"Expected a Surface, got {surface!r}. Use gplandmark.read first.")
    if not isinstance(settings, Settings | AuthorsSettings):
        raise SettingsError(f"Expected Settings, got {settings!r}. Use gplandmark.preset.")


def _state(
    after: Landmarks | None,
    surface: Surface,
    settings: Settings | AuthorsSettings,
    weight: FloatArray | None,
    start: Sequence[int] | IndexArray,
) -> Selection | None:
    """Return the state to continue from, if surface and settings are those that made it."""
    if after is None:
        return None
    if after.state is None or after.record.input != describe_input(surface):
        raise SettingsError(
            f"These landmarks cannot be continued on {surface.name}: they were read from a file or "
            "placed on another surface. Give them as starting landmarks instead."
        )
    if after.record.settings != describe_settings(settings, surface, weight) or len(start):
        raise SettingsError(
            "Landmarks can be continued only with the settings that made them, and without "
            "starting landmarks. Place them anew."
        )
    return after.state


def _warn_short(selection: Selection, count: int | None) -> None:
    found = len(selection.indices)
    if count is not None and found < count and selection.stopped is not Stop.TARGET:
        warnings.warn(
            f"Only {found} of {count} landmarks were placed: with this kernel they determine the "
            "whole surface. A smaller bandwidth leaves room for more.",
            GplandmarkWarning,
            stacklevel=3,
        )


def _warn_skipped(selection: Selection) -> None:
    for index in selection.skipped:
        warnings.warn(
            f"The starting landmark at vertex {index} is determined by those before it and was "
            "skipped.",
            GplandmarkWarning,
            stacklevel=3,
        )
