# SPDX-License-Identifier: MIT
"""Generalised Procrustes analysis: position, size and orientation taken out of landmarks."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.errors import GplandmarkWarning
from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.analysis.configurations import configurations
from gplandmark.morphometrics.analysis.missing_landmarks import first_consensus, with_estimates
from gplandmark.numerics.arrays import BoolArray, FloatArray
from gplandmark.numerics.rotations import best_rotations, principal_orientation

__all__ = ["Aligned", "align", "mirrored_by_reflection"]

TOLERANCE = 1e-10  # of its size: the consensus has come to rest when it moves less
MOST = 1000  # rounds
BETTER = 0.5  # of the sum of squares: what mirror images must save before they are suggested


@dataclass(frozen=True, eq=False)
class Aligned:
    """Specimens laid upon each other.

    Attributes
    ----------
    names : of the s specimens
    labels : of the k landmarks
    shapes : (s, k, 3) centred, turned onto the consensus, and of centroid size 1 unless size is
        kept
    consensus : (k, 3) their mean, of centroid size 1 unless size is kept; its principal axes
        lie along x, y and z
    centroid_sizes : (s,) in the units of the files, those of estimated landmarks included
    mirrored : (s,) which are mirror images; the majority is not
    missing : (s, k) which landmarks are estimates
    points : (s, k, 3) coordinates of each specimen's file, with the estimates
    reflect : whether mirror images were allowed
    keep_size : whether sizes were kept
    rounds : how often the consensus was renewed
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
        """Shapes (s, k, 3) in the tangent space at the consensus, the consensus as its origin.

        X (I - c c^T) + c with c the consensus as one unit vector: the orthogonal projection of
        geomorph and MorphoJ. Where size is kept there is nothing to project from.
        """
        if self.keep_size:
            return self.shapes
        along = np.einsum("ijk,jk->i", self.shapes, self.consensus)
        return np.asarray(self.shapes + (1 - along)[:, None, None] * self.consensus)


def align(
    collection: Sequence[Landmarks], *, reflect: bool = False, keep_size: bool = False
) -> Aligned:
    """Lay specimens upon each other by their landmarks.

    Generalised (partial) Procrustes analysis: each X_i is centred and divided by its centroid
    size |X_i| = sqrt(sum of squared distances to the centre); then, in turn, every X_i is turned
    to minimise |X_i R_i - C|^2 and C becomes the mean of the X_i R_i at centroid size 1. Both steps
    lessen sum_i |X_i R_i - C|^2; they end when C moves by less than 1e-10 of its size. In every
    round missing landmarks are estimated anew by the thin-plate spline from C, so that an
    estimate agrees with the consensus that it is part of.

    Parameters
    ----------
    collection : specimens with the same landmarks; a missing one is NaN
    reflect : allow mirror images, for left and right sides in one sample
    keep_size : leave sizes as they are; C is then the plain mean, in file units

    Raises
    ------
    AnalysisError
        The specimens cannot be compared; see `configurations`.
    """
    given = configurations(collection)
    consensus, _ = _standardised(first_consensus(given, reflect=reflect)[None], keep_size)
    consensus = consensus[0]
    rounds, moved = 0, np.inf
    while moved > TOLERANCE and rounds < MOST:
        points = with_estimates(given, consensus, reflect=reflect)
        shapes, sizes = _standardised(points, keep_size)
        rotations = best_rotations(shapes, consensus, reflect=reflect)
        shapes = shapes @ rotations
        renewed = shapes.mean(axis=0)
        renewed /= 1.0 if keep_size else np.linalg.norm(renewed)
        moved = float(np.linalg.norm(renewed - consensus) / np.linalg.norm(renewed))
        consensus, rounds = renewed, rounds + 1
    if moved > TOLERANCE:
        warnings.warn(
            f"The consensus still moves by {moved:.1g} of its size after {MOST} rounds: the shapes "
            "have little in common, or have too few landmarks to tell the missing ones.",
            GplandmarkWarning,
            stacklevel=2,
        )
    mirrored = np.linalg.det(rotations) < 0
    # The majority is as it was, and so is the first specimen when both sides are equally many.
    turn = np.eye(3)
    if (mirrored.sum(), mirrored[0]) > (len(mirrored) / 2, False):
        turn, mirrored = np.diag([1.0, 1.0, -1.0]), ~mirrored
    turn = turn @ principal_orientation(consensus @ turn)
    return Aligned(
        given.names, given.labels, shapes @ turn, consensus @ turn, sizes, mirrored,
        given.missing, points, reflect, keep_size, rounds,
    )  # fmt: skip


def mirrored_by_reflection(aligned: Aligned) -> tuple[str, ...]:
    """Specimens that look like mirror images of the rest: a left side among right ones.

    They are those that a superimposition with mirror images turns over, provided that it leaves
    less than half the sum of squares.
    """
    if aligned.reflect:
        return ()
    collection = [
        Landmarks.at(shape, name) for name, shape in zip(aligned.names, aligned.shapes, strict=True)
    ]
    free = align(collection, reflect=True, keep_size=aligned.keep_size)
    if free.sum_of_squares > BETTER * aligned.sum_of_squares:
        return ()
    return tuple(name for name, turned in zip(free.names, free.mirrored, strict=True) if turned)


def _standardised(points: FloatArray, keep_size: bool) -> tuple[FloatArray, FloatArray]:
    """Points (s, k, 3) about their centres, at size 1 unless it is kept; and their sizes (s,)."""
    centred = points - points.mean(axis=1, keepdims=True)
    sizes = np.linalg.norm(centred, axis=(1, 2))
    return (centred if keep_size else centred / sizes[:, None, None]), sizes


FLAT = 1e-12  # third singular value over the first: a mirror then gains nothing
