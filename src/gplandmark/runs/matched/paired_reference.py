# SPDX-License-Identifier: MIT
"""The reference of symmetric specimens: its pairs, and the maps of its mirror image."""

from dataclasses import dataclass, replace

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.landmarks import Landmarks
from gplandmark.landmarks.landmarks import UNKNOWN_VERTEX
from gplandmark.morphometrics.asymmetry import pairs_by_name
from gplandmark.morphometrics.matching import SampleMatch
from gplandmark.morphometrics.matching.mirrored_reference import (
    MirrorRoute,
    mirror_map,
    paired_on_specimen,
    reflection_in,
    with_mirrored_reference,
)
from gplandmark.morphometrics.matching.sample_maps import Run
from gplandmark.numerics.arrays import IndexArray
from gplandmark.runs.matched.sample_scans import ScanSource, named_after


@dataclass(frozen=True, eq=False)
class PairedReference:
    """Landmarks in pairs, and how they are carried from the mirror image of their specimen.

    Attributes
    ----------
    landmarks : of the reference, pairs by its own map of the sides
    mirrored : the sample with the reference taken for its own mirror image
    counterparts : (k,) number of the landmark on the other side of each
    """

    landmarks: Landmarks
    mirrored: SampleMatch
    counterparts: IndexArray

    def route(self, number: int) -> MirrorRoute:
        """The way from the mirror image of the reference to a specimen."""
        return MirrorRoute(self.mirrored.route(self.mirrored.reference, number), self.counterparts)


def pair_reference(
    sample: SampleMatch, landmarks: Landmarks, scan: ScanSource, run: Run
) -> PairedReference:
    """Fit the maps of the mirror image of the reference, and move its landmarks to true pairs.

    Parameters
    ----------
    landmarks : by `gplandmark.landmarks.symmetry.place_pairs`; their record states the plane
    scan : of the reference

    Raises
    ------
    SettingsError
        The reference is a fragment.
    """
    specimen = sample.specimens[sample.reference]
    if specimen.is_fragment:
        raise SettingsError(
            f"The reference {specimen.name} is a fragment, and landmarks in pairs need a whole "
            "specimen. Name another --reference."
        )
    surface = named_after(scan, scan.read().surface)
    plane = landmarks.record.request["symmetry"]
    reflection = reflection_in(specimen, np.array(plane["point"]), np.array(plane["normal"]))
    pairs = pairs_by_name(landmarks.labels)
    counterparts = np.arange(len(landmarks)) if pairs is None else pairs.order
    own = MirrorRoute(mirror_map(specimen, reflection, run=run).onto(surface), counterparts)
    moved = replace(
        landmarks,
        points=paired_on_specimen(landmarks.points, own),
        vertices=np.full(len(landmarks), UNKNOWN_VERTEX),
    )
    mirrored = with_mirrored_reference(sample, reflection, run=run)
    return PairedReference(moved, mirrored, counterparts)
