# SPDX-License-Identifier: MIT
"""A volume becomes a surface: read it, cut it, make triangles, put them into space."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gplandmark.errors import ScanError, SettingsError
from gplandmark.io.formatting import abbreviated
from gplandmark.io.volumes.header import Header
from gplandmark.io.volumes.isosurface import isosurface
from gplandmark.io.volumes.options import ALL, VolumeOptions
from gplandmark.io.volumes.preview import Preview, preview_of
from gplandmark.io.volumes.read_header import read_header
from gplandmark.io.volumes.threshold import Cut, Histogram, cut_at, histogram
from gplandmark.io.volumes.voxel_grid import Grid, factor_within
from gplandmark.io.volumes.voxels import Voxels, read_voxels
from gplandmark.numerics.arrays import FloatArray, IndexArray

MOST_LABELS = 1000  # more different values are grey values
MOST_NAMED = 12  # labels in a message


@dataclass(frozen=True, eq=False)
class VolumeSurface:
    """The surface in a volume.

    Attributes
    ----------
    points : (n, 3) in physical coordinates, LPS
    triangles : (m, 3) facing outwards
    about : the threshold, how it was chosen, and the voxels, ready for JSON
    notes : what had to be decided, one sentence each
    preview : what the picture of the threshold shows
    """

    points: FloatArray
    triangles: IndexArray
    about: dict[str, Any]
    notes: tuple[str, ...]
    preview: Preview


def volume_surface(path: Path, options: VolumeOptions | None = None) -> VolumeSurface:
    """Make the surface in a volume.

    Raises
    ------
    ScanError
        The volume cannot be read, does not fit the memory, or has no surface at this threshold or
        with this label.
    """
    options = options or VolumeOptions()
    if options.label == ALL:
        raise SettingsError(
            "All labels are several specimens: use 'gplandmark batch', 'match' or 'surface', or "
            "name one label."
        )
    header = read_header(path, options.spacing)
    factor = factor_within(header.grid, options.budget)
    grid = header.grid.reduced(factor)
    values, found, cut = _cut_voxels(header, factor, options)
    sigma = _sigma(options, grid)
    points, triangles = isosurface(values, cut.threshold, sigma)
    if not len(triangles):
        raise ScanError.of(path, "has no surface: smoothing leaves nothing. Smooth it less.")
    preview = preview_of(values, grid, found, cut, sigma, points)
    if grid.is_mirrored:
        triangles = triangles[:, ::-1]
    about = {
        **cut.described(),
        "smooth": None if sigma is None else (sigma * grid.spacing).tolist(),
        "border": "open",
        **header.grid.described(),
        "reduced": factor,
    }
    notes = (*header.notes, *_notes(values, cut, factor, header))
    return VolumeSurface(grid.physical(points), triangles, about, notes, preview)


def labels_in(path: Path) -> list[int]:
    """Labels of a label map, from the lowest; 0 is the outside.

    Raises
    ------
    ScanError
        The volume cannot be read, or is not a label map.
    """
    header = read_header(path)
    values = read_voxels(header, 1, _unchanged)
    return _labels(histogram(values, str(path)), header)


def _cut_voxels(
    header: Header, factor: int, options: VolumeOptions
) -> tuple[Voxels, Histogram, Cut]:
    """Read the voxels, and find where to cut them."""
    name = str(header.path)
    if options.label is None:
        values = read_voxels(header, factor, _unchanged)
        found = histogram(values, name)
        if options.threshold is None and found.looks_like_labels():
            labels = _named(_labels(found, header))
            raise ScanError.of(
                name,
                f"looks like a label map, with the labels {labels}. Name one with --label, all "
                "with --label all, or give a --threshold.",
            )
        return values, found, cut_at(found, options.threshold, name)
    whole: list[Histogram] = []
    label = int(options.label)
    values = read_voxels(header, factor, _selected(label, header, whole))
    found = _joined(whole)
    labels_there = _labels(found, header)
    if label not in labels_there:
        raise ScanError.of(name, f"has no label {label}. Its labels are {_named(labels_there)}.")
    inside = float(found.counts[found.centres == label].sum() / found.counts.sum())
    ends = float(found.centres[0]), float(found.centres[-1])
    return values, found, Cut(0.5, "label", label, inside, (0.0, 1.0), *ends)


def _unchanged(values: Voxels) -> Voxels:
    return values


def _selected(label: int, header: Header, seen: list[Histogram]) -> Callable[[Voxels], Voxels]:
    """A function that finds one label in a part, and keeps the histogram of the part."""

    def select(part: Voxels) -> Voxels:
        seen.append(histogram(part, str(header.path)))
        return np.asarray(part == label).astype(np.uint8)

    return select


def _joined(parts: list[Histogram]) -> Histogram:
    """One histogram of whole numbers, of all slabs."""
    if not all(each.of_whole_numbers for each in parts):
        return parts[0]
    low = min(each.edges[0] for each in parts)
    high = max(each.edges[-1] for each in parts)
    edges = np.arange(low, high + 1)
    counts = np.zeros(len(edges) - 1, dtype=np.int64)
    for each in parts:
        first = int(each.edges[0] - low)
        counts[first : first + len(each.counts)] += each.counts
    return Histogram(counts, edges, True)


def _labels(found: Histogram, header: Header) -> list[int]:
    labels = [int(each) for each in found.values() if each != 0] if found.of_whole_numbers else []
    if not found.of_whole_numbers or len(labels) > MOST_LABELS:
        values = f"{len(labels):,} different values" if labels else "values of a large range"
        raise ScanError.of(
            header.path, f"is not a label map: it has {values}. Give a --threshold instead."
        )
    if not labels:
        raise ScanError.of(header.path, "has no labels: every voxel is 0.")
    return labels


def _named(labels: list[int]) -> str:
    return abbreviated([str(label) for label in labels], MOST_NAMED)


def _sigma(options: VolumeOptions, grid: Grid) -> FloatArray | None:
    """Standard deviations of the Gaussian in voxels; None for none."""
    if options.smooth is None:
        return None if options.label is None else np.ones(3)
    if options.smooth == 0:
        return None
    return options.smooth / np.array(grid.spacing)


def _notes(values: Voxels, cut: Cut, factor: int, header: Header) -> list[str]:
    notes = [cut.sentence()] if cut.choice == "otsu" else []
    if factor > 1:
        size = " x ".join(map(str, header.grid.size))
        notes.append(
            f"{size} voxels are more than the budget, and were averaged in blocks of "
            f"{factor} x {factor} x {factor}"
        )
    ends = (values[0], values[-1], values[:, 0], values[:, -1], values[:, :, 0], values[:, :, -1])
    if any((each >= cut.threshold).any() for each in ends):
        notes.append("it touches the border of the volume, and its surface is open there")
    return notes
