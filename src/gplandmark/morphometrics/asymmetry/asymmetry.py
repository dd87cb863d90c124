# SPDX-License-Identifier: MIT
"""Symmetric and asymmetric components of shape, and their analysis of variance."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.errors import AnalysisError
from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.analysis import generalised_procrustes
from gplandmark.morphometrics.asymmetry.landmark_pairs import LandmarkPairs
from gplandmark.morphometrics.asymmetry.mirror import mirrored
from gplandmark.morphometrics.models.anova import PERMUTATIONS, Anova, shape_anova
from gplandmark.morphometrics.models.design_matrix import design_of
from gplandmark.numerics.arrays import FloatArray

INDIVIDUAL, SIDE = "individual", "side"


@dataclass(frozen=True, eq=False)
class Asymmetry:
    """Symmetric and asymmetric variation of n individuals.

    Attributes
    ----------
    individuals : their names
    symmetric : (n, k, d) mean of both sides
    differences : (n, k, d) original minus mirror image, or left minus right, in full
    sides : (2, k, d) mean shapes of the two sides
    anova : individual (symmetric variation), side (directional asymmetry) and individual:side
        (fluctuating asymmetry), each over the next; residuals are measurement error
    """

    individuals: tuple[str, ...]
    symmetric: FloatArray
    differences: FloatArray
    sides: FloatArray
    anova: Anova

    @property
    def directional(self) -> FloatArray:
        """Mean difference of the sides, (k, d): directional asymmetry."""
        return np.asarray(self.differences.mean(axis=0))

    @property
    def fluctuating(self) -> FloatArray:
        """Differences of individuals from the mean difference, (n, k, d): fluctuating asymmetry."""
        return np.asarray(self.differences - self.directional)

    @property
    def index(self) -> FloatArray:
        """Amount of asymmetry of each individual, (n,): norm of the difference of its sides."""
        return np.asarray(np.linalg.norm(self.differences, axis=(1, 2)))

    @property
    def geomorph_asymmetric(self) -> FloatArray:
        """Differences with the mean shape added, (n, k, d), as asymm.shape of geomorph.

        The norm of these is its unsigned.AI, which is near 1 for every specimen and no index.
        """
        return np.asarray(self.differences + self.sides.mean(axis=0))


def object_symmetry(
    points: FloatArray,
    names: Sequence[str],
    pairs: LandmarkPairs,
    individuals: Sequence[str] | None = None,
    *,
    project_first: bool = False,
    permutations_of: int = PERMUTATIONS,
    seed: int = 0,
) -> Asymmetry:
    """Asymmetry of specimens that have both sides, e.g. skulls (Klingenberg et al. 2002).

    Specimens and their relabelled mirror images are superimposed together.

    Parameters
    ----------
    points : (s, k, d); NaN where missing
    names : of the specimens
    individuals : of each specimen, if there are repeated measurements; by default the specimen
    project_first : superimpose the specimens alone and project them into the tangent space before
        they are mirrored, as bilat.symmetry of geomorph does. This distorts shapes slightly, and
        they are projected again afterwards

    Raises
    ------
    AnalysisError
        Pairs are for another number of landmarks, or there are fewer than three individuals.
    """
    if pairs.count != points.shape[1]:
        raise AnalysisError(f"The pairs are of {pairs.count} landmarks, but specimens have "
                            f"{points.shape[1]}.")  # fmt: skip
    if project_first:
        points = _superimposed(points, names)
    every = np.concatenate([points, mirrored(points, pairs)])
    labels = [*names, *(f"{name} mirrored" for name in names)]
    owners = list(names if individuals is None else individuals)
    sides = ["1"] * len(names) + ["2"] * len(names)
    return _asymmetry(every, labels, owners * 2, sides, permutations_of, seed)


def matching_symmetry(
    points: FloatArray,
    names: Sequence[str],
    individuals: Sequence[str],
    sides: Sequence[str],
    *,
    permutations_of: int = PERMUTATIONS,
    seed: int = 0,
) -> Asymmetry:
    """Asymmetry of separate sides, e.g. left and right wings, one of them mirrored beforehand.

    Raises
    ------
    AnalysisError
        There are not two sides, or an individual lacks one.
    """
    if len(set(sides)) != 2:
        raise AnalysisError(f"There must be two sides, got {len(set(sides))}.")
    return _asymmetry(points, names, individuals, sides, permutations_of, seed)


def _asymmetry(
    points: FloatArray,
    names: Sequence[str],
    individuals: Sequence[str],
    sides: Sequence[str],
    permutations_of: int,
    seed: int,
) -> Asymmetry:
    shapes = _superimposed(points, names)
    owners = tuple(dict.fromkeys(individuals))
    if len(owners) < 3:
        raise AnalysisError(f"Asymmetry needs at least three individuals, got {len(owners)}.")
    means = np.array([[_mean(shapes, individuals, sides, owner, side)
                       for side in sorted(set(sides))] for owner in owners])  # fmt: skip
    variables = {INDIVIDUAL: np.array(individuals), SIDE: np.array(sides)}
    design = design_of(f"shape ~ {INDIVIDUAL} * {SIDE}", variables, names)
    both = f"{INDIVIDUAL}:{SIDE}"
    anova = shape_anova(
        shapes, design, permutations_of=permutations_of, seed=seed,
        error_terms={INDIVIDUAL: both, SIDE: both},
    )  # fmt: skip
    return Asymmetry(
        owners, means.mean(axis=1), means[:, 0] - means[:, 1], means.mean(axis=0), anova
    )


def _mean(
    shapes: FloatArray, individuals: Sequence[str], sides: Sequence[str], owner: str, side: str
) -> FloatArray:
    """Mean shape of the measurements of one side of an individual."""
    own = [at for at, pair in enumerate(zip(individuals, sides, strict=True))
           if pair == (owner, side)]  # fmt: skip
    if not own:
        raise AnalysisError(f"{owner} has no measurement of side {side}. Leave it out.")
    return np.asarray(shapes[own].mean(axis=0))


def _superimposed(points: FloatArray, names: Sequence[str]) -> FloatArray:
    """Tangent coordinates (s, k, d) of configurations in the plane or in space."""
    given = zip(points, names, strict=True)
    collection = [Landmarks.at(_in_space(each), name) for each, name in given]
    return generalised_procrustes(collection).tangent_coordinates()[..., : points.shape[2]]


def _in_space(points: FloatArray) -> FloatArray:
    """Points (k, 3); those in the plane get a third coordinate 0."""
    return np.pad(points, ((0, 0), (0, 3 - points.shape[1])))
