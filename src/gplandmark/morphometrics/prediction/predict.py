# SPDX-License-Identifier: MIT
"""Prediction of experts' landmarks on every specimen of a sample, with honest errors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.evaluation.observers import Observed, observed_landmarks
from gplandmark.morphometrics.matching import SampleMatch
from gplandmark.morphometrics.matching.carried_points import MIN_CONFIDENCE
from gplandmark.morphometrics.matching.expected_error import confidence, radius_90
from gplandmark.morphometrics.matching.points import nearest_on_surface
from gplandmark.morphometrics.matching.sample_maps import Run, one_by_one, with_maps
from gplandmark.morphometrics.prediction.carried_experts import (
    ExpertEstimates,
    ExpertTask,
    TargetEstimates,
    carry_expert,
    gather_estimates,
    on_largest_pieces,
)
from gplandmark.morphometrics.prediction.doubtful import describe_doubtful, doubtful_landmarks
from gplandmark.morphometrics.prediction.expert_curves import ExpertCurves
from gplandmark.morphometrics.prediction.fusion import fuse
from gplandmark.morphometrics.prediction.learning import (
    Learned,
    learn,
    mixed,
    offset,
    prior_variance,
)
from gplandmark.morphometrics.prediction.predicted_sample import PredictedSample
from gplandmark.morphometrics.prediction.suggestion import typical_length
from gplandmark.numerics.arguments import instance
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.numerics.threads import single_threaded

MOST = 20  # experts for one target, the most similar ones
ROUNDS = 3  # of leaving out landmarks that are not to be trusted
ONE_EXPERT = (
    "Only {} is annotated, so that nothing can be learned. Annotate more specimens: --suggest "
    "names them."
)
ALL_EXPERTS = "All specimens are annotated: there is nothing to predict but their own errors."
UNLIKE = (
    "{}: its landmarks can hardly be carried to other annotated specimens, so they are hardly "
    "used. It may be of another anatomy, or a fragment."
)


def predict(
    sample: SampleMatch,
    experts: Mapping[str, Landmarks],
    *,
    on_surface: bool = False,
    run: Run = one_by_one,
) -> PredictedSample:
    """Predict the landmarks of annotated specimens on all others.

    1. Every expert's landmarks are carried to every target, by several estimates.
    2. Each annotated specimen is predicted from the others. This teaches how far to trust near
       and far specimens, which estimates suit each landmark, systematic offsets, and the errors.
    3. The estimates are fused on every target.

    Points of curves are at equal distances along the surface, on annotated specimens as well.

    Parameters
    ----------
    sample : specimens in a common pose; maps that it lacks are computed
    experts : landmarks by name of their specimen, NaN where missing; the specimen 'site/a' may be
        called 'a' if it is unique
    on_surface : put all landmarks on the surface; otherwise those off it keep their offset
    run : calls a function on every job and returns the results in order, perhaps in parallel

    Raises
    ------
    AnalysisError
        No specimen is annotated, or the landmarks are not the same on all.
    LandmarkFileError, SettingsError
        A landmark lies far off its surface, or an argument is no sample or no landmarks.
    """
    instance(sample, SampleMatch, "Use gplandmark.match_sample first.")
    found = observed_landmarks([each.entire for each in sample.specimens], experts, fewest=1)
    curves = ExpertCurves.of(list(experts.values()), found.given.labels)
    found = curves.on_experts(sample, found)
    nearest = [nearest_experts(sample, found.numbers, target) for target in range(len(sample))]
    pairs = [(int(found.numbers[e]), t) for t, rows in enumerate(nearest) for e in rows]
    sample = with_maps(sample, pairs, run=run)
    usable = on_largest_pieces(sample, found)
    given = np.where(usable[..., None], found.given.points, np.nan)
    cut = [(one, t) for t in sample.pieces for one in sample.variants(t)]
    tasks = [
        ExpertTask(one.direct_route(int(found.numbers[e]), t), given[e], on_surface)
        for one, t in [*((sample, t) for t in range(len(sample))), *cut]
        for e in nearest[t]
    ]
    estimates = iter(run(carry_expert, tasks))
    carried = {(e, t): next(estimates) for t, rows in enumerate(nearest) for e in rows.tolist()}
    whole = Predictor(sample, found, nearest, carried, curves, usable)
    pieces = [
        replace(whole, sample=one, carried={(e, t): next(estimates) for e in nearest[t].tolist()})
        for one, t in cut
    ]
    of = {t: [each for each, (_, n) in zip(pieces, cut, strict=True) if n == t] for _, t in cut}
    return replace(whole, pieces=of).predicted()


def nearest_experts(sample: SampleMatch, experts: IndexArray, target: int) -> IndexArray:
    """Indices of the experts that are used for a target: the most similar, without itself."""
    order = np.argsort(sample.distances[target, experts], kind="stable")
    return np.sort(order[experts[order] != target][:MOST])


@dataclass(frozen=True, eq=False)
class Predictor:
    """Estimates of every expert on every target, `carried` by (index of the expert, target).

    Only landmarks of experts that are `usable` (e, m) are carried. `pieces` are other pieces of
    targets, each in the place of its specimen.
    """

    sample: SampleMatch
    found: Observed
    nearest: Sequence[IndexArray]
    carried: Mapping[tuple[int, int], ExpertEstimates]
    curves: ExpertCurves
    usable: BoolArray
    pieces: Mapping[int, Sequence["Predictor"]] = field(default_factory=dict)

    @single_threaded
    def predicted(self) -> PredictedSample:
        """Learn, leaving out doubtful landmarks, and fuse the estimates on every target."""
        given, numbers, sample = self.found.given, self.found.numbers, self.sample
        trusted, notes = self.usable, list(self._unlike())
        for _ in range(ROUNDS):
            learned, left_out, variance = self._learn(trusted)
            radii = radius_90(variance)
            doubtful = doubtful_landmarks(given.points, left_out, radii) & trusted
            if not doubtful.any():
                break
            for row in np.flatnonzero(doubtful.any(axis=1)):
                notes += describe_doubtful(
                    given.names[row], given.labels, given.points[row], left_out[row], doubtful[row]
                )
            trusted = trusted & ~doubtful
        shape = (len(sample), len(given.labels))
        points, variance = np.full((*shape, 3), np.nan), np.full(shape, np.nan)
        sure, (off, absent) = np.zeros(shape), np.zeros((2, *shape), dtype=np.bool_)
        for target in range(len(sample)):
            if target not in numbers:
                points[target], variance[target], sure[target], off[target], absent[target] = (
                    self._on_pieces(target, learned, trusted)
                )
        sure[absent] = 0.0
        points[numbers], off[numbers] = given.points, True
        variance[numbers] = np.where(given.missing, np.nan, 0.0)
        sure[numbers] = ~given.missing
        if len(numbers) == 1:
            notes.append(ONE_EXPERT.format(given.names[0]))
        if len(numbers) == len(sample):
            notes.append(ALL_EXPERTS)
        return PredictedSample(
            sample, given.labels, numbers, points, variance, sure, off, absent, left_out,
            np.where(trusted, np.linalg.norm(left_out - given.points, axis=2), np.nan), learned,
            tuple(notes), self.curves,
        )  # fmt: skip

    def _learn(self, trusted: BoolArray) -> tuple[Learned, FloatArray, FloatArray]:
        """What is learned, predictions (e, m, 3) of each expert by the others, their variance."""
        numbers, given = self.found.numbers, self.found.given
        if len(numbers) == 1:
            nothing = np.full(given.points.shape, np.nan)
            return Learned.default(nothing), nothing, nothing[..., 0]
        targets = [self._estimates(int(number), trusted) for number in numbers]
        sizes = np.array([self.sample.specimens[number].size for number in numbers])
        truth = np.where(trusted[..., None], given.points, np.nan)
        learned = learn(targets, truth, sizes, typical_length(self.sample.distances))
        rows = [self._fused(int(number), learned, trusted) for number in numbers]
        return learned, np.array([each[0] for each in rows]), np.array([each[1] for each in rows])

    def _estimates(self, target: int, trusted: BoolArray) -> TargetEstimates:
        rows = self.nearest[target]
        experts = self.found.numbers[rows]
        estimates = [self.carried[row, target] for row in rows.tolist()]
        distances = self.sample.distances
        return gather_estimates(
            rows, estimates, distances[experts, target], distances[np.ix_(experts, experts)],
            trusted[rows],
        )  # fmt: skip

    def _fused(
        self, target: int, learned: Learned, trusted: BoolArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
        """Positions (m, 3), variance (m,), plausibility (m,) and whether they lie off (m,)."""
        specimens, rows = self.sample.specimens, self.nearest[target]
        estimates, size = self._estimates(target, trusted), specimens[target].size
        fusion = fuse(estimates, learned.noise, typical_length(self.sample.distances), size)
        others = np.array([specimens[number].size for number in self.found.numbers[rows]])
        points = mixed(fusion, learned.mixture) + offset(learned, estimates, fusion, size / others)
        return (
            points, prior_variance(fusion) * learned.factors, fusion.plausibility,
            estimates.off_surface,
        )  # fmt: skip

    def _on_pieces(
        self, target: int, learned: Learned, trusted: BoolArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray, BoolArray]:
        """As `_on`, and which are absent; of several pieces, that with the smallest variance."""
        found = [
            (*each._on(target, learned, trusted), each._estimates(target, trusted).absent)
            for each in (self, *self.pieces.get(target, ()))
        ]
        costs = [np.where(absent, np.inf, variance) for _, variance, _, _, absent in found]
        rows, columns = np.argmin(costs, axis=0), np.arange(len(costs[0]))
        points, variance, sure, off, absent = (
            np.array(each)[rows, columns] for each in zip(*found, strict=True)
        )
        return points, variance, sure, off, absent

    def _on(
        self, target: int, learned: Learned, trusted: BoolArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
        """Positions on the surface, variance, confidence, and which lie off the surface."""
        specimen = self.sample.specimens[target]
        points, variance, likely, off = self._fused(target, learned, trusted)
        known = ~np.isnan(points).any(axis=1)
        laid = known & ~off
        points[laid] = specimen.in_file(
            nearest_on_surface(specimen, specimen.in_unit(points[laid]))
        )
        points = self.curves.equidistant(specimen.surface, points)
        variance = np.where(known, variance, np.nan)
        sure = np.where(known, likely * confidence(variance / specimen.size**2), 0.0)
        return points, variance, sure, off

    def _unlike(self) -> list[str]:
        """Sentences about annotated specimens that are unlike all others that are annotated."""
        notes = []
        for row, number in enumerate(self.found.numbers.tolist()):
            values = [
                each.plausibility
                for (expert, target), each in self.carried.items()
                if expert == row and target in self.found.numbers and target != number
            ]
            if values and np.nanmean(np.array(values)) < MIN_CONFIDENCE:
                notes.append(UNLIKE.format(self.found.given.names[row]))
        return notes
