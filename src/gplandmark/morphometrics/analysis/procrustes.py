# SPDX-License-Identifier: MIT
"""Generalised Procrustes analysis (GPA), with estimates for missing landmarks."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.errors import AnalysisError, warn
from gplandmark.io.homology import MATCHING
from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.analysis.configurations import Configurations, configurations
from gplandmark.numerics.arrays import BoolArray, FloatArray
from gplandmark.numerics.rotations import apply_similarity, best_rotations, principal_orientation

TOLERANCE = 1e-10  # relative change of the consensus at which iteration stops
MOST = 1000  # iterations
BETTER = 0.5  # fraction of the sum of squares below which reflections are suggested
SHARED = 3  # landmarks needed to superimpose one specimen on another
FLAT = 0.01  # thickness over length of the sources, below which bending across is undetermined


@dataclass(frozen=True, eq=False)
class Aligned:
    """Procrustes-aligned specimens.

    Attributes
    ----------
    names : of the s specimens
    labels : of the k landmarks
    shapes : (s, k, 3) Procrustes coordinates: centred, rotated onto the consensus, and of centroid
        size 1 unless size is kept
    consensus : (k, 3) the mean shape, of centroid size 1 unless size is kept; its principal axes
        lie along x, y and z
    centroid_sizes : (s,) in file units, estimated landmarks included
    mirrored : (s,) which specimens were reflected: mirror images of the reference of a match, or
        else not the majority
    missing : (s, k) which landmarks are estimates
    points : (s, k, 3) in the coordinates of each specimen's file, with the estimates
    reflect : whether reflections were allowed
    keep_size : whether sizes were kept
    rounds : number of iterations
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    shapes: FloatArray
    consensus: FloatArray
    centroid_sizes: FloatArray
    mirrored: BoolArray
    missing: BoolArray
    points: FloatArray
    reflect: bool
    keep_size: bool
    rounds: int

    @property
    def sum_of_squares(self) -> float:
        """Procrustes sum of squares: sum_i |X_i - C|^2, with C the consensus."""
        return float(np.sum((self.shapes - self.consensus) ** 2))

    def tangent_coordinates(self) -> FloatArray:
        """Shapes (s, k, 3) projected orthogonally into the tangent space at the consensus.

        X (I - c c^T) + c with c the consensus as one unit vector, as in geomorph and MorphoJ. If
        size is kept, shapes already lie in a linear space and are returned as they are.
        """
        if self.keep_size:
            return self.shapes
        along = np.einsum("ijk,jk->i", self.shapes, self.consensus)
        return np.asarray(self.shapes + (1 - along)[:, None, None] * self.consensus)


def generalised_procrustes(
    collection: Sequence[Landmarks], *, reflect: bool = False, keep_size: bool = False
) -> Aligned:
    """Generalised (partial) Procrustes analysis: superimpose specimens by their landmarks.

    Each X_i is centred and divided by its centroid size |X_i|, the root of the sum of squared
    distances to the centroid. Two steps then alternate: every X_i is rotated to minimise
    |X_i R_i - C|^2, and C becomes the mean of the X_i R_i at centroid size 1. Both decrease
    sum_i |X_i R_i - C|^2. Iteration stops when C moves by less than 1e-10 of its size. In every
    iteration missing landmarks are estimated again by the thin-plate spline from C, so that
    estimates agree with the consensus that they are part of.

    Parameters
    ----------
    collection : specimens with the same landmarks; a missing one is NaN
    reflect : allow reflections, for left and right sides in one sample
    keep_size : do not scale (size-and-shape); C is then the arithmetic mean, in file units

    Raises
    ------
    AnalysisError
        The specimens cannot be compared; see `configurations`.
    """
    given = configurations(collection)
    consensus, _ = _centred_and_scaled(_initial_consensus(given, reflect=reflect)[None], keep_size)
    consensus = consensus[0]
    rounds, moved = 0, np.inf
    while moved > TOLERANCE and rounds < MOST:
        points = _with_estimates(given, consensus, reflect=reflect)
        shapes, sizes = _centred_and_scaled(points, keep_size)
        rotations = best_rotations(shapes, consensus, reflect=reflect)
        shapes = shapes @ rotations
        updated = shapes.mean(axis=0)
        updated /= 1.0 if keep_size else np.linalg.norm(updated)
        moved = float(np.linalg.norm(updated - consensus) / np.linalg.norm(updated))
        consensus, rounds = updated, rounds + 1
    if moved > TOLERANCE:
        warn(
            f"The consensus still moves by {moved:.1g} of its size after {MOST} iterations: the "
            "shapes have little in common, or too few landmarks to estimate the missing ones."
        )
    mirrored = np.linalg.det(rotations) < 0
    # As the reference of a match; else the majority is not reflected, or the first of two halves.
    turn, wrong = np.eye(3), mirrored ^ _mirrored_by_record(collection, given.names)
    if (wrong.sum(), wrong[0]) > (len(wrong) / 2, False):
        turn, mirrored = np.diag([1.0, 1.0, -1.0]), ~mirrored
    turn = turn @ principal_orientation(consensus @ turn)
    return Aligned(
        given.names, given.labels, shapes @ turn, consensus @ turn, sizes, mirrored,
        given.missing, points, reflect, keep_size, rounds,
    )  # fmt: skip


def _mirrored_by_record(collection: Sequence[Landmarks], names: Sequence[str]) -> BoolArray:
    """Which specimens (s,) are mirror images of the reference of a match; none if it is unknown."""
    stated = {each.specimen: each.record.outcome.get("mirrored") for each in collection
              if MATCHING in each.record.request}  # fmt: skip
    return np.array([bool(stated.get(name)) for name in names])


def likely_mirror_images(aligned: Aligned) -> tuple[str, ...]:
    """Specimens that look like mirror images of the rest, e.g. a left side among right ones.

    They are those that a superimposition with reflections reflects, provided that it leaves less
    than half of the sum of squares.
    """
    if aligned.reflect:
        return ()
    collection = [
        Landmarks.at(shape, name) for name, shape in zip(aligned.names, aligned.shapes, strict=True)
    ]
    free = generalised_procrustes(collection, reflect=True, keep_size=aligned.keep_size)
    if free.sum_of_squares > BETTER * aligned.sum_of_squares:
        return ()
    return tuple(name for name, turned in zip(free.names, free.mirrored, strict=True) if turned)


def _centred_and_scaled(points: FloatArray, keep_size: bool) -> tuple[FloatArray, FloatArray]:
    """Centred points (s, k, 3), of centroid size 1 unless it is kept; and centroid sizes (s,)."""
    centred = points - points.mean(axis=1, keepdims=True)
    sizes = np.linalg.norm(centred, axis=(1, 2))
    return (centred if keep_size else centred / sizes[:, None, None]), sizes


def _initial_consensus(given: Configurations, *, reflect: bool) -> FloatArray:
    """All k landmarks (k, 3), from which a superimposition can start.

    They are those of the most complete specimen, the first of equals. Those it lacks come from the
    specimen that shares most landmarks with it, superimposed by the best similarity, and so on.

    Raises
    ------
    AnalysisError
        Specimens share fewer than 3 landmarks, so that they cannot be superimposed.
    """
    known = ~given.missing
    start = int(known.sum(axis=1).argmax())
    consensus: FloatArray = given.points[start].copy()
    filled = known[start].copy()
    left = [number for number in range(len(known)) if number != start]
    while not filled.all():
        gains = [number for number in left if (known[number] & ~filled).any()]
        best = max(gains, key=lambda number: int((known[number] & filled).sum()))
        shared, new = known[best] & filled, known[best] & ~filled
        if shared.sum() < SHARED:
            raise AnalysisError(
                f"{given.names[best]} shares {shared.sum()} landmarks with the others, and at "
                f"least {SHARED} are needed. Leave the specimen out."
            )
        points = given.points[best]
        consensus[new] = apply_similarity(
            points[new], points[shared], consensus[shared], reflect=reflect
        )
        filled |= new
        left.remove(best)
    return consensus


def _with_estimates(given: Configurations, consensus: FloatArray, *, reflect: bool) -> FloatArray:
    """Points (s, k, 3) of all specimens, with estimates for missing landmarks.

    The thin-plate spline from the consensus to the landmarks that a specimen has maps the other
    landmarks of the consensus to it, like `estimate.missing(method = "TPS")` of geomorph.
    """
    points = given.points.copy()
    for shape, missing in zip(points, given.missing, strict=True):
        if missing.any():
            known = ~missing
            shape[missing] = thin_plate_spline(
                consensus[missing], consensus[known], shape[known], reflect=reflect
            )
    return points


def thin_plate_spline(
    points: FloatArray, sources: FloatArray, targets: FloatArray, *, reflect: bool = False
) -> FloatArray:
    """Map points (n, 3) by the thin-plate spline from sources (k, 3) to targets (k, 3).

    In three dimensions the spline of least bending energy is f(x) = a + A x + sum_i w_i |x - x_i|,
    with f(x_i) = y_i and sum_i w_i = 0, sum_i w_i x_i = 0 (Bookstein 1989). Sources in a plane do
    not determine A across it. If there are fewer than four, or if they are flatter than 1 % of
    their length, the best similarity is used instead.
    """
    from scipy.interpolate import RBFInterpolator

    middle = sources.mean(axis=0)
    size = float(np.linalg.norm(sources - middle))
    spreads = np.linalg.svd(sources - middle, compute_uv=False)
    if len(sources) < 4 or spreads[2] < FLAT * spreads[0]:
        return apply_similarity(points, sources, targets, reflect=reflect)
    spline = RBFInterpolator((sources - middle) / size, targets, kernel="linear", degree=1)
    return np.asarray(spline((points - middle) / size))
