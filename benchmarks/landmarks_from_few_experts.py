"""Claim: a few annotated specimens predict the others better than the median of templates does.

For each collection, experts are chosen by `gplandmark.suggest` and at random. All others are
predicted and compared with their own experts' landmarks. Beside it, on the same maps: one template
alone, and the coordinate-wise median of the templates, which is what MALPACA does. MALPACA's own
published answers stand below the mandibles. Errors are in mm, or in sqrt(area) across species.

    python benchmarks/landmarks_from_few_experts.py skulls teeth calcanei mandibles
"""

import math
import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations

import numpy as np
from landmarked_collections import Collection, collection

from gplandmark import Landmarks, suggest
from gplandmark.morphometrics.evaluation.observers import observed_landmarks
from gplandmark.morphometrics.matching.build_sample import align_prepared
from gplandmark.morphometrics.matching.sample_maps import with_maps
from gplandmark.morphometrics.matching.sampling import sample_surface
from gplandmark.morphometrics.prediction.carried_experts import ExpertTask, carry_expert
from gplandmark.morphometrics.prediction.expert_curves import ExpertCurves
from gplandmark.morphometrics.prediction.predict import Predictor, nearest_experts

COUNTS = {"skulls": (3, 6), "teeth": (10,), "calcanei": (3,), "mandibles": (7, 15)}
POOL = {"mandibles": 12}  # experts of random sets; of the other collections all
SETS = 20  # random ones
TIMED = 8  # pairs whose time is measured
MILLIMETRES = ("skulls", "mandibles")


class Measured:
    """All estimates that are needed, from every expert of a pool to every specimen."""

    def __init__(self, name: str, given: Collection, run) -> None:
        self.name, self.given = name, given
        surfaces = [
            type(each)(each.points, each.faces(), f"specimen{number}", source=each.source)
            for number, each in enumerate(given.surfaces)
        ]
        sampled = list(run(sample_surface, surfaces))
        sample = align_prepared(sampled, reflections=given.reflections, run=run)
        largest = min(max(COUNTS[name]), len(sample) - 1)
        self.order = [each.number for each in suggest(sample, largest)]
        self.random = np.random.default_rng(0)
        count = POOL.get(name, len(sample))
        self.drawn = sorted(self.random.permutation(len(sample))[:count].tolist())
        pool = sorted({*self.order, *self.drawn})
        everyone = range(len(sample))
        self.sample = with_maps(sample, [(e, t) for e in pool for t in everyone], run=run)
        pairs = [(e, t) for e in pool for t in everyone if e != t]
        tasks = [
            ExpertTask(self.sample.direct_route(e, t), given.points[e].astype(float))
            for e, t in pairs
        ]
        self.carried = dict(zip(pairs, run(carry_expert, tasks), strict=True))
        start = time.process_time()
        for task in tasks[:TIMED]:
            carry_expert(task)
        self.seconds = (time.process_time() - start) / TIMED
        unit = 1.0 if name in MILLIMETRES else None
        self.units = np.array([unit or each.root_area for each in self.sample.specimens])

    def errors(self, points: np.ndarray, targets: list[int]) -> np.ndarray:
        """Distances from the experts' landmarks."""
        apart = np.linalg.norm(points - self.given.points[targets], axis=2)
        return apart / self.units[targets][:, None]

    def predicted(self, experts: list[int]):
        """The prediction from some experts, as `gplandmark.predict` makes it."""
        names = [each.name for each in self.sample.specimens]
        sets = {names[e]: Landmarks.at(self.given.points[e], names[e]) for e in experts}
        found = observed_landmarks(self.sample.specimens, sets, fewest=1)
        curves = ExpertCurves.of(list(sets.values()), found.given.labels)
        everyone = range(len(self.sample))
        nearest = [nearest_experts(self.sample, found.numbers, t) for t in everyone]
        carried = {
            (row, t): self.carried[int(found.numbers[row]), t]
            for t in everyone
            for row in nearest[t].tolist()
        }
        return Predictor(
            self.sample, found, nearest, carried, curves, ~found.given.missing
        ).predicted()

    def median(self, experts: list[int], targets: list[int]) -> np.ndarray:
        """Coordinate-wise median of what is carried from some experts."""
        return np.array(
            [np.median([self.carried[e, t].points[0] for e in experts], axis=0) for t in targets]
        )


def report(name: str, run) -> None:
    given = collection(name)
    if given is None:
        return
    measured = Measured(name, given, run)
    print(
        f"{name}: {len(given)} specimens, {given.points.shape[1]} landmarks, "
        f"{measured.seconds:.2f} s of a core for each target and expert, given the map"
    )
    print(f"{'':34}{'mean':>8}{'RMSE':>8}{'left out':>9}{'within 90 %':>12}{'tenth':>7}")
    for count in COUNTS[name]:
        rows = [("suggested", [measured.order[:count]])]
        possible = math.comb(len(measured.drawn), count)
        if 0 < possible <= SETS:
            rows = [("all sets", [list(each) for each in combinations(measured.drawn, count)])]
        elif possible:
            drawn = [
                sorted(measured.random.choice(measured.drawn, count, replace=False).tolist())
                for _ in range(SETS)
            ]
            rows.append((f"{SETS} random sets", drawn))
        for label, sets in rows:
            compared(measured, f"{count} experts, {label}", sets)
    for program, answers in given.answers.items():
        others = [t for t in range(len(given)) if t not in measured.order[: COUNTS[name][0]]]
        shown(f"{program}, published, same targets", [measured.errors(answers[others], others)])
    print(flush=True)


def compared(measured: Measured, label: str, sets: list[list[int]]) -> None:
    errors, medians, single, left_out, within, tenths = [], [], [], [], [], []
    for experts in sets:
        targets = [t for t in range(len(measured.sample)) if t not in experts]
        found = measured.predicted(experts)
        error = measured.errors(found.points[targets], targets)
        errors.append(error)
        medians.append(measured.errors(measured.median(experts, targets), targets))
        single += [measured.errors(measured.median([e], targets), targets) for e in experts]
        left_out.append(np.nanmean(found.errors / measured.units[found.experts][:, None]))
        expected = found.error[targets] / measured.units[targets][:, None]
        radii = found.radius[targets] / measured.units[targets][:, None]
        within.append(100 * (error < radii).mean())
        tenths.append(error[expected >= np.quantile(expected, 0.9)].mean() / error.mean())
    shown(
        label, errors,
        f"{np.mean(left_out):9.4f}{np.mean(within):12.1f}{np.mean(tenths):7.2f}",
    )  # fmt: skip
    shown("  median of the templates", medians)
    shown("  one template alone", single)


def shown(label: str, errors: list[np.ndarray], more: str = "") -> None:
    mean = np.mean([each.mean() for each in errors])
    rmse = np.mean([np.sqrt((each**2).mean()) for each in errors])
    print(f"{label:34}{mean:8.4f}{rmse:8.4f}{more}", flush=True)


def main() -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:

        def run(function, jobs):
            return list(pool.map(function, jobs))

        for name in sys.argv[1:] or COUNTS:
            report(name, run)


if __name__ == "__main__":
    main()
