# SPDX-License-Identifier: MIT
"""Curves of experts: the same on every annotated specimen, with points at equal distances."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gplandmark.errors import AnalysisError
from gplandmark.landmarks import Landmarks
from gplandmark.landmarks.curves import Curve
from gplandmark.landmarks.curves_on_surface import equidistant_curves
from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.evaluation.observers import Observed
from gplandmark.morphometrics.matching import SampleMatch
from gplandmark.numerics.arrays import FloatArray


@dataclass(frozen=True)
class ExpertCurves:
    """Labels, types and curves that all experts' landmarks have."""

    labels: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    curves: tuple[Curve, ...] = ()

    @classmethod
    def of(cls, experts: Sequence[Landmarks], labels: Sequence[str]) -> "ExpertCurves":
        """Types and curves of landmarks with these labels.

        A file that states no curve has those of the others.

        Raises
        ------
        AnalysisError
            Two experts' files state different curves.
        """
        place = {label: at for at, label in enumerate(labels)}
        stated = {each.specimen: _curves(each, place) for each in experts if each.curves}
        for name, curves in stated.items():
            first, others = next(iter(stated.items()))
            if curves != others:
                raise AnalysisError(
                    f"{first} and {name} do not have the same curves. Name them alike on every "
                    "annotated specimen, through the same landmarks."
                )
        kinds = next((dict(zip(each.labels, each.kinds, strict=True))
                      for each in experts if each.kinds), {})  # fmt: skip
        return cls(
            tuple(labels),
            tuple(kinds.get(label, "") for label in labels) if kinds else (),
            next(iter(stated.values()), ()),
        )

    def equidistant(self, surface: Surface, points: FloatArray) -> FloatArray:
        """Points (m, 3) of a specimen, those of curves at equal distances on its surface."""
        if not self.curves:
            return points
        found = Landmarks.at(
            points, surface.name, labels=self.labels, kinds=self.kinds, curves=self.curves
        )
        return equidistant_curves(surface, found).points

    def on_experts(self, sample: SampleMatch, found: Observed) -> Observed:
        """The experts' landmarks with equidistant curves, so that these can be compared."""
        surfaces = [sample.specimens[number].entire.surface for number in found.numbers.tolist()]
        points = [self.equidistant(surface, own)
                  for surface, own in zip(surfaces, found.given.points, strict=True)]  # fmt: skip
        return replace(found, given=replace(found.given, points=np.stack(points)))


def _curves(landmarks: Landmarks, place: dict[str, int]) -> tuple[Curve, ...]:
    """Curves of landmarks by their place among all labels; one that lacks a landmark is dropped."""
    named = [(each, [landmarks.labels[member] for member in each.members])
             for each in landmarks.curves]  # fmt: skip
    return tuple(
        replace(each, members=tuple(place[label] for label in own))
        for each, own in named
        if set(own) <= set(place)
    )
