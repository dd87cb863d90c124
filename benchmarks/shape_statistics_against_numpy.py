"""Claim: models of shape and sliding agree with plain NumPy, and cost less.

The analysis of variance has 200 specimens with 500 landmarks, two terms and 999 permutations. The
alternative shuffles residuals and fits both models for each permutation, by their QR
decompositions. Sliding has 100 specimens
with 1,000 semilandmarks by bending energy, one round. The alternative writes the matrices of the
formula out, on a few of the specimens; its time is for all, in proportion.
"""

import argparse
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from gplandmark.landmarks.curves import Curve
from gplandmark.morphometrics.models import design_of, shape_anova
from gplandmark.morphometrics.semilandmarks import bending_energy_matrix, slide, sliders_along
from gplandmark.numerics.rotations import best_rotations

WIDTHS = (34, 12, 12, 8, 20)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


def plain_sums(table: np.ndarray, models: list[np.ndarray], orders: np.ndarray) -> np.ndarray:
    """Sums of squares of each term after those before it, for each order of the residuals."""
    sums = np.empty((len(models) - 1, len(orders)))
    bases = [np.linalg.qr(each)[0] for each in models]
    for term, (reduced, full) in enumerate(pairwise(bases)):
        fitted = reduced @ (reduced.T @ table)
        residuals = table - fitted
        for number, order in enumerate(orders):
            shuffled = fitted + residuals[order]
            left = [np.sum((shuffled - each @ (each.T @ shuffled)) ** 2)
                    for each in (reduced, full)]  # fmt: skip
            sums[term, number] = left[0] - left[1]
    return sums


def plain_slide(shape: np.ndarray, mean: np.ndarray, triples: np.ndarray) -> np.ndarray:
    """Slide one specimen by least bending energy: y - U (U'LU)^-1 U'L (y - m)."""
    count = len(shape)
    energy = np.kron(np.eye(3), bending_energy_matrix(mean))
    tangents = shape[triples[:, 2]] - shape[triples[:, 0]]
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    along = np.zeros((3 * count, len(triples)))
    for axis in range(3):
        along[axis * count + triples[:, 1], np.arange(len(triples))] = tangents[:, axis]
    offset = (shape - mean).T.ravel()
    steps = np.linalg.solve(along.T @ energy @ along, along.T @ energy @ offset)
    return np.asarray((shape.T.ravel() - along @ steps).reshape(3, count).T)


def print_row(name: str, slow: float, quick: float, difference: float) -> None:
    cells = (name, f"{slow:.2f}", f"{quick:.2f}", f"{slow / quick:.1f}", f"{difference:.0e}")
    print("".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=True)))


def anova(specimens: int, landmarks: int, permutations: int) -> None:
    random = np.random.default_rng(0)
    shapes = random.normal(size=(specimens, 3 * landmarks))
    size, group = random.normal(size=specimens), np.arange(specimens) % 3
    names = [str(number) for number in range(specimens)]
    design = design_of("shape ~ size + group", {"size": size, "group": group.astype(str)}, names)
    orders = np.array([np.arange(specimens)] + [random.permutation(specimens)
                                                for _ in range(permutations)])  # fmt: skip
    one = np.ones((specimens, 1))
    models = [one, np.column_stack([one, size]),
              np.column_stack([one, size, group == 1, group == 2]).astype(float)]  # fmt: skip
    slow, expected = timed(lambda: plain_sums(shapes, models, orders))
    shape_anova(shapes, design, orders=orders[:9])  # loads what it needs
    quick, found = timed(lambda: shape_anova(shapes, design, orders=orders))
    difference = np.abs(found.random_sums / expected - 1).max()
    print_row(f"ANOVA {specimens} x {landmarks}, {permutations}", slow, quick, difference)


def sliding(specimens: int, landmarks: int, plain: int) -> None:
    random = np.random.default_rng(0)
    angles = np.linspace(0, 6 * np.pi, landmarks)
    curve = np.column_stack([np.cos(angles), np.sin(angles), angles / 6])
    points = curve + 0.002 * random.normal(size=(specimens, landmarks, 3))
    sliders = sliders_along([Curve("helix", tuple(range(landmarks)))])
    quick, found = timed(lambda: slide(points, sliders, rounds=1, recentre=False))
    shapes = points - points.mean(axis=1, keepdims=True)
    shapes /= np.linalg.norm(shapes, axis=(1, 2), keepdims=True)
    shapes = shapes @ best_rotations(shapes, shapes[0], reflect=False)
    mean = shapes.mean(axis=0)
    slow, slid = timed(
        lambda: np.array([plain_slide(each, mean, sliders.curves) for each in shapes[:plain]])
    )
    slid = slid @ best_rotations(slid, mean, reflect=False)
    difference = np.abs(slid - found.shapes[:plain]).max()
    print_row(f"sliding {specimens} x {landmarks}", slow * specimens / plain, quick, difference)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--small", action="store_true", help="a tenth of the landmarks, permutations and slides"
    )
    parser.add_argument("--plain", type=int, default=3, help="specimens that plain NumPy slides")
    asked = parser.parse_args()
    part = 10 if asked.small else 1
    titles = ("", "NumPy, s", "ours, s", "ratio", "largest difference")
    print("".join(f"{title:>{width}}" for title, width in zip(titles, WIDTHS, strict=True)))
    anova(200, 500 // part, 999 // part)
    sliding(100 // part, 1000 // part, asked.plain)


if __name__ == "__main__":
    main()
