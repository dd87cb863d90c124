# SPDX-License-Identifier: MIT
"""The result of a prediction: landmarks of all specimens, with their expected errors."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gplandmark.landmarks import Landmarks, Record
from gplandmark.landmarks.record import describe_input, software_versions
from gplandmark.morphometrics.matching import SampleMatch
from gplandmark.morphometrics.matching.carried_points import (
    MIN_CONFIDENCE,
)
from gplandmark.morphometrics.matching.expected_error import mean_error, radius_90
from gplandmark.morphometrics.matching.sample_landmarks import fragment_facts
from gplandmark.morphometrics.prediction.expert_curves import ExpertCurves
from gplandmark.morphometrics.prediction.learning import Learned
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray


@dataclass(frozen=True, eq=False)
class PredictedSample:
    """Landmarks on all n specimens of a sample; those of experts are exactly as they were given.

    Points inside curves are the exception: they are at equal distances on every specimen.

    Attributes
    ----------
    sample : with maps from every annotated specimen
    labels : of the m landmarks
    experts : (e,) indices of the annotated specimens
    points : (n, m, 3) in the coordinates of each file; NaN where nothing is known
    variance : (n, m) expected squared error, in squared file units
    confidence : (n, m) from 0 to 1: the probability of an error below 0.1 of the size, times the
        plausibility of the maps
    off_surface : (n, m) whether the landmark lies off the surface by intention
    absent : (n, m) whether it lies on a part that the specimen, a fragment, lacks
    left_out : (e, m, 3) where the other experts put the landmarks of each annotated specimen
    errors : (e, m) distance of these from the expert's landmarks, in file units; NaN for those that
        are missing or doubtful
    learned : what the experts taught
    notes : about experts, as sentences
    curves : of the landmarks, and their types
    """

    sample: SampleMatch
    labels: tuple[str, ...]
    experts: IndexArray
    points: FloatArray
    variance: FloatArray
    confidence: FloatArray
    off_surface: BoolArray
    absent: BoolArray
    left_out: FloatArray
    errors: FloatArray
    learned: Learned
    notes: tuple[str, ...]
    curves: ExpertCurves

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the specimens."""
        return tuple(each.name for each in self.sample.specimens)

    @property
    def error(self) -> FloatArray:
        """Expected error (n, m) in file units; 0 for experts' own landmarks."""
        return mean_error(self.variance)

    @property
    def radius(self) -> FloatArray:
        """Radius (n, m) within which 90 % of the landmarks lie; likewise."""
        return radius_90(self.variance)

    def landmarks(self, number: int, least: float = MIN_CONFIDENCE) -> Landmarks:
        """Landmarks of one specimen; those of a confidence below `least` are missing."""
        specimen, is_expert = self.sample.specimens[number], number in self.experts
        sure = (self.confidence[number] >= least) & ~self.absent[number]
        points = np.where((sure | is_expert)[:, None], self.points[number], np.nan)
        annotated = [self.names[each] for each in self.experts]
        matching = {
            "from": annotated, "over": [], "specimens": len(self.sample), "least_confidence": least,
        }  # fmt: skip

        def there(values: FloatArray) -> FloatArray:
            return np.where(self.absent[number], np.nan, values)

        outcome: dict[str, Any] = {
            "expert": is_expert,
            "mirrored": bool(self.sample.mirrored[number]),
            "confidence": _listed(there(self.confidence[number]), ".4f"),
            "expected_error": _listed(there(self.error[number]), ".4g"),
            "radius_90": _listed(there(self.radius[number]), ".4g"),
        }
        names = np.array(self.labels)[self.absent[number]].tolist()
        pieces = [each.specimens[number] for each in self.sample.variants(number)]
        outcome |= fragment_facts((specimen, *pieces), names)
        record = Record(
            describe_input(specimen.entire.surface), {}, {"matching": matching}, outcome,
            self.sample.remark_on_pieces(number), software_versions(),
        )  # fmt: skip
        return Landmarks.at(
            points, specimen.name, labels=self.labels, record=record,
            system=specimen.surface.system, kinds=self.curves.kinds, curves=self.curves.curves,
        )  # fmt: skip


def _listed(values: FloatArray, spelling: str) -> list[float | None]:
    """Rounded values; None for those that are unknown."""
    return [None if np.isnan(each) else float(format(each, spelling)) for each in values.tolist()]
