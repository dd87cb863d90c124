# SPDX-License-Identifier: MIT
"""Sets of landmarks side by side: the variance that each leaves, and how near they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

import scipy

from gplandmark.errors import SettingsError
from gplandmark.gp.conditioning import VarianceHistory
from gplandmark.gp.kernels import Kernel
from gplandmark.gp.theory import fill_distance
from gplandmark.landmarks.landmarks import Landmarks
from gplandmark.landmarks.on_surface import vertices_on
from gplandmark.landmarks.spreadsheet_cells import csv_text
from gplandmark.landmarks.variance_curve import condition_on
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray


@dataclass(frozen=True)
class SetQuality:
    """How well one set of landmarks describes a surface. Distances are in file units.

    Attributes
    ----------
    name : of the set
    landmarks : how many
    largest_variance : largest variance left on the surface, as a fraction of the largest before
    mean_variance : mean variance left over the area, as a fraction of the mean before
    fill_distance : largest distance in space from the surface to the nearest landmark
    geodesic_fill_distance : the same along the surface
    reference_mean : mean distance from the landmarks of the reference to the nearest of these
    reference_largest : the largest of those distances
    off_surface : how far the landmark farthest off the surface is from it
    left : the variance after each landmark
    """

    name: str
    landmarks: int
    largest_variance: float
    mean_variance: float
    fill_distance: float
    geodesic_fill_distance: float
    reference_mean: float
    reference_largest: float
    off_surface: float
    left: VarianceHistory = field(repr=False, compare=False)


COLUMNS = tuple(each.name for each in fields(SetQuality) if each.name != "left")


def compare(
    surface: Surface, kernel: Kernel, sets: Mapping[str, Landmarks], reference: str
) -> tuple[SetQuality, ...]:
    """Measure sets of landmarks on one surface, against one of them.

    Parameters
    ----------
    kernel : the covariance by which variance is measured, the same for all
    sets : by name; each landmark counts as the vertex nearest to it
    reference : name of the set that distances are taken from

    Raises
    ------
    SettingsError
        No set has the name of the reference.
    LandmarkFileError
        A set is empty, or does not lie on the surface.
    """
    if reference not in sets:
        raise SettingsError(f"There is no set of landmarks '{reference}' to refer to.")
    points = sets[reference].points
    return tuple(_quality(surface, kernel, *each, points) for each in sets.items())


def comparison_table(qualities: Sequence[SetQuality]) -> str:
    """Return the comparison as a CSV table, one set per row."""
    return csv_text(COLUMNS, ([getattr(each, name) for name in COLUMNS] for each in qualities))


def _quality(
    surface: Surface, kernel: Kernel, name: str, landmarks: Landmarks, reference: FloatArray
) -> SetQuality:
    vertices, off = vertices_on(surface, landmarks, name)
    left = condition_on(surface, kernel, vertices)
    nearest = scipy.spatial.cKDTree(landmarks.points).query(reference)[0]
    return SetQuality(
        name,
        len(landmarks),
        float(left.largest[-1]),
        float(left.mean[-1]),
        fill_distance(surface, vertices),
        fill_distance(surface, vertices, geodesic=True),
        float(nearest.mean()),
        float(nearest.max()),
        off,
        left,
    )
