"""Claim: experts' landmarks are carried to other specimens closer than the peers carry them.

From templates to other mouse skulls and mandibles: ours with no option, similarity ICP with the
nearest vertex, with `--alpaca` ALPACA's own steps, and the published answers of MALPACA; then the
median over several templates, by coordinate. Across species (teeth, heel bones) all ordered pairs:
ours by `match_sample` and `evaluate`, and similarity ICP. All landmarks count, also those that ours
calls doubtful. Errors are in the units of the files, times are of a core.

ALPACA's random search is seeded by the clock, though the closest points after it end in one pose
unless it fails; all else is the same in every run. `--ransac 0` starts it from our similarity ICP.
"""

import argparse
import time
import warnings
from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np
from alpaca_rigid_steps import ITERATIONS, packages
from landmarked_collections import READERS, Collection, collection
from tables_of_errors import (
    distances,
    known,
    root_mean_square,
    say_by_landmark,
    say_expected,
    say_heads,
    say_row,
    summary,
)
from ways_to_carry import ICP, OURS, Outcome, Pair, Workers, carry_all, outcome, ways

from gplandmark import GplandmarkWarning, Landmarks, SampleMatch, evaluate, match_sample
from gplandmark.morphometrics.matching.carried_points import MIN_CONFIDENCE


def chosen(each: Collection, asked: argparse.Namespace) -> tuple[list[int], list[int], list[Pair]]:
    """Templates that stand alone, those whose median is taken, and the pairs of both."""
    alone, many = (list(given[: asked.templates]) for given in (each.templates, each.many))
    others = [number for number in range(len(each)) if number not in each.many]
    targets = list(range(len(each)))
    if asked.targets is not None:
        places = np.linspace(0, len(others) - 1, min(asked.targets, len(others))).round()
        targets = others = [others[int(place)] for place in places]
    pairs = {(i, j) for i in alone for j in targets if i != j}
    if len(many) > 1:
        pairs |= {(i, j) for i in many for j in others}
    return alone, many, sorted(pairs)


def errors_of(each: Collection, carried: dict[Pair, Outcome], pairs: Sequence[Pair]) -> np.ndarray:
    """Errors (pairs, k)."""
    return np.array([distances(carried[i, j].points, each.points[j]) for i, j in pairs])


def published(each: Collection, targets: Sequence[int]) -> dict[str, np.ndarray]:
    """Errors (targets, k) of what other programs answered."""
    return {
        name: distances(answers[targets], each.points[targets])
        for name, answers in each.answers.items()
    }


def from_templates(workers: Workers, each: Collection, asked: argparse.Namespace) -> None:
    """Tables of a collection whose landmarks are carried from templates."""
    alone, many, pairs = chosen(each, asked)
    singly = [pair for pair in pairs if pair[0] in alone]
    targets = sorted({target for _, target in singly})
    names = ", ".join(each.surfaces[number].name for number in alone)
    print(f"one template ({names}), {len(singly)} pairs")
    say_heads("", ["mean", "median", "90 %", "worst", "RMSE", "doubt %", "s/pair"])
    found, errors = {}, {}
    for name, way in ways(each, asked.ransac if asked.alpaca else None).items():
        found[name], seconds = carry_all(workers, each, way, pairs)
        errors[name] = errors_of(each, found[name], singly)
        doubt = 100 * np.mean([found[name][pair].doubtful for pair in singly])
        row = [*summary(errors[name]), root_mean_square(errors[name]), doubt, seconds]
        say_row(name, row)
    answers = published(each, targets)
    for name, row in answers.items():
        say_row(f"{name}, published", [*summary(row), root_mean_square(row)])
    medians = medians_of(each, found, many, pairs) if len(many) > 1 else answers
    say_by_landmark(errors, medians, OURS)
    if asked.expected:
        say_calibration(errors[OURS], [found[OURS][pair] for pair in singly])


def medians_of(
    each: Collection,
    found: dict[str, dict[Pair, Outcome]],
    many: Sequence[int],
    pairs: Sequence[Pair],
) -> dict[str, np.ndarray]:
    """Errors (targets, k) by method of the median over the templates, by coordinate; printed."""
    targets = sorted({target for _, target in pairs} - set(each.many))
    errors = {}
    for name, carried in found.items():
        middle = [np.nanmedian([carried[i, j].points for i in many], axis=0) for j in targets]
        errors[name] = distances(np.array(middle), each.points[targets])
    errors |= published(each, targets)
    print(f"\nmedian of {len(many)} templates, {len(targets)} targets")
    say_heads("", ["mean", "RMSE"])
    for name, row in errors.items():
        say_row(name, [known(row).mean(), root_mean_square(row)])
    return errors


def across(workers: Workers, each: Collection, asked: argparse.Namespace) -> None:
    """Tables of a collection where all are compared with all."""
    pairs = [(i, j) for i in range(len(each)) for j in range(len(each)) if i != j]
    print(f"{len(pairs)} ordered pairs")
    say_heads("", ["mean", "median", "90 %", "worst", "/size", "genus", "doubt %", "s/pair"])
    sample, errors, sizes, costs = evaluated(workers, each, pairs)
    say_across(each, OURS, pairs, errors, sizes, costs)
    icp, seconds = carry_all(workers, each, ways(each)[ICP], pairs)
    say_across(each, ICP, pairs, errors_of(each, icp, pairs), sizes, [np.nan, seconds])
    print("/size: mean in sqrt(area) of the target; genus: the same within a genus")
    if asked.expected:
        outcomes = [outcome(sample.carry(each.points[i], i, j)) for i, j in pairs]
        carried = dict(zip(pairs, outcomes, strict=True))
        say_calibration(errors_of(each, carried, pairs), outcomes)


def evaluated(
    workers: Workers, each: Collection, pairs: Sequence[Pair]
) -> tuple[SampleMatch, np.ndarray, np.ndarray, list[float]]:
    """Our maps, their errors (pairs, k), sizes (pairs, 1), share of doubtful, and s/pair."""
    start, before = time.process_time(), workers.seconds
    sample = match_sample(each.surfaces, run=workers)
    experts = {
        surface.name: Landmarks.at(points, surface.name)
        for surface, points in zip(each.surfaces, each.points, strict=True)
    }
    found = evaluate(sample, experts, pairs=len(pairs))
    seconds = time.process_time() - start
    if workers.count > 1:  # what other processes took does not show in the time of this one
        seconds += workers.seconds - before
    sizes = np.array([[found.sizes[j]] for _, j in pairs])
    errors = np.array([found.errors[pair] for pair in pairs]) * sizes
    doubt = 100 * np.mean([found.confidence[pair] < MIN_CONFIDENCE for pair in pairs])
    return sample, errors, sizes, [doubt, seconds / len(pairs)]


def say_across(
    each: Collection,
    name: str,
    pairs: Sequence[Pair],
    errors: np.ndarray,
    sizes: np.ndarray,
    costs: Sequence[float],
) -> None:
    same = [each.groups[i] is not None and each.groups[i] == each.groups[j] for i, j in pairs]
    shares = errors / sizes
    within = known(shares[same]).mean() if any(same) else np.nan
    say_row(name, [*summary(errors), known(shares).mean(), within, *costs])


def say_calibration(errors: np.ndarray, outcomes: Sequence[Outcome]) -> None:
    expected = np.array([one.error for one in outcomes])
    if np.isnan(expected).all():
        print("\nexpected errors: this version tells none")
    else:
        say_expected(errors, expected, np.array([one.radius for one in outcomes]))


def say_alpaca(asked: argparse.Namespace) -> None:
    if asked.ransac and packages() is not None:
        print(f"ALPACA: its own rigid steps, random search of {asked.ransac:,} iterations\n")
    else:
        print("ALPACA: without its rigid steps, given the pose of our similarity ICP\n")


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("names", nargs="*", metavar="collection", help=", ".join(READERS))
    parser.add_argument("--targets", type=int, help="only so many targets, evenly spaced")
    parser.add_argument("--templates", type=int, help="only so many templates")
    parser.add_argument("--alpaca", action="store_true", help="ALPACA's own steps, too: hours")
    parser.add_argument("--ransac", type=int, default=ITERATIONS, help="iterations of its search")
    parser.add_argument("--expected", action="store_true", help="are expected errors right?")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    asked = parser.parse_args()
    for name in asked.names:
        if name not in READERS:
            parser.error(f"There is no collection {name}. Choose from {', '.join(READERS)}.")
    if asked.alpaca and find_spec("cpdalp") is None:
        parser.error("ALPACA needs cpdalp. Install the extra 'benchmark'.")
    return asked


def main() -> None:
    warnings.simplefilter("ignore", GplandmarkWarning)
    asked = options()
    workers = Workers(asked.workers)
    if asked.alpaca:
        say_alpaca(asked)
    for name in asked.names or READERS:
        each = collection(name)
        if each is None:
            continue
        off = each.off
        print(
            f"{each.name}: {len(each)} specimens, {off.shape[1]} landmarks, which lie "
            f"{off.mean():.3f} off the surface in the mean and {off.max():.3f} at most"
        )
        (from_templates if each.templates else across)(workers, each, asked)
        print()


if __name__ == "__main__":
    main()
