"""Claim: our maps carry landmarks closer to observers' than closest points do, and know where not.

The observers' landmarks of every specimen are carried to every other: all ordered pairs. Errors are
in units of sqrt(area) of the target; ours are those of `gplandmark.evaluate`. A genus is right
where the nearest other specimen is of the same. Left and right are judged by the observers'
landmarks. Confidence is honest if the tenth of the landmarks with the lowest has at least twice the
average error. Continuous Procrustes distances by the points of the reference are compared with
those by the maps of each pair. Times are of the processor.

With `--molars` generated molars with known homologues, growing variation; with `--calcanei` the
heel bones; with `--many N` the cost for N specimens.
"""

import json
import sys
import time
import warnings

import numpy as np
from nearest_vertex_after_icp import Specimen, carried
from specimens import FOLDER

from gplandmark import (
    Evaluation,
    GplandmarkWarning,
    Landmarks,
    MolarShape,
    Surface,
    evaluate,
    make_molar,
    match_sample,
    read,
)
from gplandmark.morphometrics.analysis import (
    continuous_distance,
    continuous_distances,
    generalised_procrustes,
    nearest_neighbour,
    procrustes_distances,
)
from gplandmark.morphometrics.evaluation.accuracy import PairAccuracy, pair_accuracy
from gplandmark.morphometrics.matching.dense_points import correspondence, points_on

OBSERVED = 16  # the paper uses the first 16 of 18 observer landmarks
VARIATIONS = (0.0, 0.02, 0.04, 0.08, 0.16)


def teeth() -> tuple[list[Surface], list[np.ndarray], list[str | None]]:
    """Surfaces, vertices of the observers' landmarks, and genera; generated molars else."""
    table = FOLDER / "data" / "teeth" / "landmarks.json"
    if not table.exists():
        molars = [make_molar(seed) for seed in range(8)]
        near = [
            np.linalg.norm(each.surface.points[:, None] - each.cusps, axis=2).argmin(axis=0)
            for each in molars
        ]
        return [each.surface for each in molars], near, [None] * len(molars)
    rows = list(json.loads(table.read_text()).values())
    surfaces = [read(table.parent / row["file"]) for row in rows]
    observed = [
        surface.vertices_of(row["vertex"][:OBSERVED])
        for surface, row in zip(surfaces, rows, strict=True)
    ]
    return surfaces, observed, [row["genus"] for row in rows]


def calcanei() -> tuple[list[Surface], list[np.ndarray], list[str | None]]:
    folder = FOLDER / "data" / "calcaneus"
    rows = list(json.loads((folder / "landmarks.json").read_text()).values())
    surfaces = [read(folder / row["file"]) for row in rows]
    vertices = [
        surface.vertices_of(row["vertex_index_0based"])
        for surface, row in zip(surfaces, rows, strict=True)
    ]
    return surfaces, vertices, [None] * len(rows)


def line(
    name: str, errors: np.ndarray, within: PairAccuracy | None, right: float, seconds: float
) -> None:
    """One row: errors of the pairs, (n, n), and how often the genus is right."""
    each = pair_accuracy(errors)
    text = (
        f"{name:<34}{each.mean:>8.4f}{each.median:>8.4f}{each.worst:>8.3f}{100 * each.near:>8.1f}"
    )
    if within is not None:
        text += f"{within.mean:>8.4f}{100 * right:>8.1f}"
    print(f"{text}{seconds:>9.3f}")


def by_closest_points(surfaces, observed) -> tuple[np.ndarray, np.ndarray]:
    """Mean errors and distances of all ordered pairs, both (n, n)."""
    ready = [Specimen(each) for each in surfaces]
    errors, distances = np.full((len(ready),) * 2, np.nan), np.zeros((len(ready),) * 2)
    for i, source in enumerate(ready):
        for j, target in enumerate(ready):
            if i != j:
                found, distances[i, j] = carried(source, target, observed[i])
                offsets = target.vertices[found] - target.vertices[observed[j]]
                errors[i, j] = np.linalg.norm(offsets, axis=1).mean()
    return errors, (distances + distances.T) / 2


def timed(totals: dict[str, list[float]]):
    """A plain loop that notes how long each kind of job takes."""

    def run(function, jobs):
        start = time.process_time()
        results = [function(job) for job in jobs]
        totals[function.__name__] = [len(jobs), time.process_time() - start]
        return results

    return run


def say_costs(totals: dict[str, list[float]]) -> None:
    for name, (jobs, seconds) in totals.items():
        print(f"  {name:<16}{jobs:>6} jobs{seconds / max(jobs, 1):>9.3f} s each{seconds:>9.1f} s")


def compare(surfaces, observed, genera) -> None:
    count = len(surfaces)
    ordered = count * (count - 1)
    points = [each.points[found] for each, found in zip(surfaces, observed, strict=True)]
    print(f"{count} specimens, {len(points[0])} landmarks each, {ordered} ordered pairs\n")
    heads = ("mean", "median", "worst", "<0.15 %", "genus", "right %", "s/pair")
    print(f"{'':<34}" + "".join(f"{each:>8}" for each in heads))
    start = time.process_time()
    errors, distances = by_closest_points(surfaces, observed)
    seconds = (time.process_time() - start) / ordered
    same = np.array([[a is not None and a == b for b in genera] for a in genera])
    right = nearest_neighbour(distances, genera).rate if any(genera) else np.nan
    line("closest points", errors, pair_accuracy(errors[same]), right, seconds)
    totals: dict[str, list[float]] = {}
    start = time.process_time()
    sample = match_sample(surfaces, run=timed(totals))
    groups = {each.name: genus for each, genus in zip(surfaces, genera, strict=True)}
    found = evaluate(sample, landmarks(surfaces, points), groups if any(genera) else None)
    seconds = (time.process_time() - start) / ordered
    rates = {each.by: each.classification.rate for each in found.groupings}
    line("our maps", found.pair_errors, found.within_groups, rates.get("surfaces", np.nan), seconds)
    for by, rate in rates.items():
        print(f"right genus by {by}: {100 * rate:.1f} %")
    if any(genera):
        say_continuous(sample, points, genera)
    say_confidence(found)
    judged, right = found.sides.certain.sum(), found.sides.agree.sum()
    print(f"left and right as the observers' landmarks say: {right} of {judged}")
    print(f"reference {sample.specimens[sample.reference].name}; remarks {sample.remarks}")
    say_costs(totals)


def by_maps_of_pairs(sample) -> np.ndarray:
    """Continuous distances (n, n), each pair by its own maps, the mean of both directions."""
    distances = np.zeros((len(sample),) * 2)
    for i, source in enumerate(sample.specimens):
        own, shares = points_on(sample.route(i, i))
        for j, target in enumerate(sample.specimens):
            if i != j:
                points, weights = points_on(sample.route(i, j))
                distances[i, j] = continuous_distance(
                    own / source.root_area,
                    points / target.root_area,
                    shares + weights,
                    reflect=True,
                )
    return (distances + distances.T) / 2


def say_continuous(sample, points, genera) -> None:
    observed = [Landmarks.at(each, str(number)) for number, each in enumerate(points)]
    pairs = np.triu_indices(len(sample), 1)
    kinds = {
        "continuous, points of the reference": continuous_distances(
            correspondence(sample), reflect=True
        ),
        "continuous, maps of each pair": by_maps_of_pairs(sample),
        "of the matching": sample.distances,
        "observers' landmarks, Procrustes": procrustes_distances(
            generalised_procrustes(observed, reflect=True)
        ),
    }
    print(f"\n{'distances':<38}{'right %':>8}{'mean':>8}  correlations with these four")
    for name, table in kinds.items():
        alike = " ".join(
            f"{np.corrcoef(table[pairs], other[pairs])[0, 1]:.3f}" for other in kinds.values()
        )
        right = 100 * nearest_neighbour(table, genera).rate
        print(f"{name:<38}{right:>8.1f}{table[pairs].mean():>8.4f}  {alike}")


def landmarks(surfaces, points) -> dict[str, Landmarks]:
    """Points of each specimen as an observer's landmarks."""
    return {
        each.name: Landmarks.at(found, each.name)
        for each, found in zip(surfaces, points, strict=True)
    }


def say_confidence(found: Evaluation) -> None:
    known, each = ~np.isnan(found.errors), found.calibration
    error, sure = found.errors[known], found.confidence[known]
    print(f"\ntenth of largest expected error: {each.largest:.2f} x average error")
    print("confidence by tenths and share within 0.1:", end=" ")
    for part in np.array_split(np.argsort(sure), 10):
        print(f"{sure[part].mean():.2f}/{np.mean(error[part] < 0.1):.2f}", end=" ")
    print(f"\nmissing {100 * each.missing:.1f} %, within 0.1 of the others "
          f"{100 * each.kept_near:.1f} %")  # fmt: skip


def molars() -> None:
    """Mean error at places of the disc that move with the cusps, by variation."""
    turns = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    ring = np.column_stack([np.cos(turns), np.sin(turns)])
    places = np.vstack([radius * ring for radius in (0.15, 0.35, 0.55, 0.75, 0.9)])
    print(f"{'variation':<12}{'places':>9}{'cusps':>9}{'lowest confidence':>20}")
    for variation in VARIATIONS:
        family = [make_molar(seed, shape=MolarShape(variation=variation)) for seed in range(1, 7)]
        surfaces = [each.surface for each in family]
        sample = match_sample(surfaces)
        points = [np.vstack([each.homologues(places), each.cusps]) for each in family]
        found = evaluate(sample, landmarks(surfaces, points))
        every = np.nanmean(found.errors[:, :, : len(places)])
        cusps = np.nanmean(found.errors[:, :, len(places) :])
        print(f"{variation:<12}{every:>9.4f}{cusps:>9.4f}{np.nanmin(found.confidence):>20.2f}")


def many(count: int) -> None:
    """The cost of a large sample of generated molars of 5,000 vertices."""
    surfaces = [make_molar(seed).surface for seed in range(count)]
    totals: dict[str, list[float]] = {}
    start = time.process_time()
    match_sample(surfaces, run=timed(totals))
    print(f"{count} specimens: {time.process_time() - start:.0f} s of one core")
    say_costs(totals)


def main() -> None:
    warnings.simplefilter("ignore", GplandmarkWarning)
    if "--molars" in sys.argv:
        molars()
    elif "--calcanei" in sys.argv:
        compare(*calcanei())
    elif "--many" in sys.argv:
        many(int(sys.argv[sys.argv.index("--many") + 1]))
    else:
        compare(*teeth())


if __name__ == "__main__":
    main()
