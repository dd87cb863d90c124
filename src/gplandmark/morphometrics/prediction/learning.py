# SPDX-License-Identifier: MIT
"""What annotated specimens teach, found by predicting each of them from the others.

With few of them everything is shrunk towards defaults: a noise of 1, the weighted mean of the
estimates, no offset, and the expected error of the maps.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.morphometrics.prediction.carried_experts import KINDS, TargetEstimates
from gplandmark.morphometrics.prediction.fusion import Fusion, fuse
from gplandmark.numerics.arrays import FloatArray

NOISES = np.geomspace(0.05, 20.0, 9)  # that are tried
DECADE = 1.0  # standard deviation of log10(noise) around 0, before anything is known
FREEDOM = 6.0  # independent errors of one specimen: those of its landmarks are correlated
CAP = 9.0  # squared errors above this times their median count as this
MIXED = 6.0  # specimens that the mixture of all landmarks counts for
DEFAULT = 0.1  # weight of the default mixture, divided by the number of specimens
UNMOVED = 10.0  # specimens that no offset counts for
MAPPED = 3.0  # specimens that the expected error of the maps counts for
POOLED = 2.0  # specimens that the errors of all landmarks count for
SPREAD, MAPS = 0.3, 0.65  # of the prior variance: factors of squared spread and of the maps'
ONE = 1e3  # weight of the condition that a mixture sums to 1


@dataclass(frozen=True, eq=False)
class Learned:
    """What e annotated specimens teach about m landmarks.

    Attributes
    ----------
    noise : of the kriging over specimens: how far to trust near ones more than far ones
    mixture : (m, k) weights of the kinds of estimate, e.g. of small and large patches
    residuals : (e, m, 3) true minus predicted position on each specimen, left out in turn, in
        units of its file; NaN where missing
    factors : (m,) of the prior variance
    """

    noise: float
    mixture: FloatArray
    residuals: FloatArray
    factors: FloatArray

    @classmethod
    def default(cls, residuals: FloatArray) -> "Learned":
        """What is used if there is nothing to learn from; `residuals` (e, m, 3) are unknown."""
        count = residuals.shape[1]
        return cls(1.0, np.tile(np.eye(KINDS)[0], (count, 1)), residuals, np.ones(count))


def mixed(fusion: Fusion, mixture: FloatArray) -> FloatArray:
    """Positions (m, 3): the mixture of the kinds of estimate."""
    return np.asarray(np.einsum("mk,kmi->mi", mixture, fusion.points))


def prior_variance(fusion: Fusion) -> FloatArray:
    """Expected squared error (m,) before anything is learned: 0.3 s^2 + 0.65 v.

    s is the spread of the experts, v the mean of the expected squared errors of their maps.
    """
    return np.asarray(SPREAD * fusion.spread**2 + MAPS * fusion.variance)


def learn(
    targets: Sequence[TargetEstimates], truth: FloatArray, extents: FloatArray, length: float
) -> Learned:
    """Learn from e annotated specimens, each predicted by all others.

    Parameters
    ----------
    targets : estimates on each specimen, from all but itself
    truth : (e, m, 3) the experts' landmarks, NaN where missing
    extents : (e,) of the specimens, in file units
    length : of the kriging, in the units of the distances
    """
    scaled = extents[:, None]

    def left_out(noise: float) -> list[Fusion]:
        rows = zip(targets, extents, strict=True)
        return [fuse(each, noise, length, extent) for each, extent in rows]

    tried = [left_out(noise) for noise in NOISES]
    scores = [
        _capped_mean(np.array([each.points[0] for each in found]) - truth, scaled)
        for found in tried
    ]
    noise = _noise(np.array(scores), len(targets))
    found = left_out(noise)
    errors = np.array([each.points for each in found]) - truth[:, None]  # (e, k, m, 3)
    mixture = _mixtures(errors / extents[:, None, None, None])
    predicted = np.array([mixed(each, mixture) for each in found])
    residuals = truth - predicted
    squares = (residuals**2).sum(axis=2)
    priors = np.array([prior_variance(each) for each in found])
    return Learned(noise, mixture, residuals, _factors(squares / priors))


def offset(
    learned: Learned, target: TargetEstimates, fusion: Fusion, sizes: FloatArray
) -> FloatArray:
    """Systematic offset (m, 3) on a target: n / (n + 10) times the median of rotated residuals.

    The residual of each expert's specimen is rotated as the map to the target rotates its
    surroundings, and scaled as the specimens are. n experts have the landmark.

    Parameters
    ----------
    sizes : (e,) size of the target relative to that of each expert's specimen
    """
    residuals = learned.residuals[target.experts]
    turned = np.einsum("emij,emj->emi", target.rotations, residuals) * sizes[:, None, None]
    usable = target.known & ~np.isnan(turned).any(axis=2) & (fusion.weights > 0)
    counts = usable.sum(axis=0)
    moves = np.zeros(turned.shape[1:])
    for landmark in np.flatnonzero(counts > 1):
        moves[landmark] = np.median(turned[usable[:, landmark], landmark], axis=0)
    return np.asarray(moves * (counts / (counts + UNMOVED))[:, None])


def _capped_mean(errors: FloatArray, scaled: FloatArray) -> float:
    """Mean squared length of errors (e, m, 3), large ones capped; 1 if there are none."""
    squares = ((errors / scaled[..., None]) ** 2).sum(axis=2)
    squares = squares[~np.isnan(squares)]
    if not len(squares):
        return 1.0
    return float(np.minimum(squares, CAP * np.median(squares)).mean() + np.finfo(float).tiny)


def _noise(scores: FloatArray, specimens: int) -> float:
    """Posterior mean of log noise, from mean squared errors (t,) of the noises that were tried.

    The errors of a specimen count as `FREEDOM` independent ones of equal variance.
    """
    logs = np.log10(NOISES)
    likelihood = -FREEDOM * specimens / 2 * np.log(scores) - (logs / DECADE) ** 2 / 2
    weights = np.exp(likelihood - likelihood.max())
    return float(10 ** (weights @ logs / weights.sum()))


def _mixtures(errors: FloatArray) -> FloatArray:
    """Mixtures (m, k) with the smallest squared errors, from errors (e, k, m, 3); NaN is skipped.

    a minimises a H a + c |a - a_0|^2 with a >= 0 and sum a = 1. H has the products of the errors
    of this landmark, and those of all landmarks as prior.
    """
    known = np.asarray(~np.isnan(errors).any(axis=(1, 3)))  # (e, m)
    clean = np.where(known[:, None, :, None], errors, 0.0)
    products = np.einsum("ekmi,elmi->mkl", clean, clean)
    count, kinds = known.sum(axis=0), errors.shape[1]
    default = np.eye(kinds)[0]
    scales = products[:, 0, 0] / np.maximum(count, 1)
    used = scales > 0
    if not used.any():
        return np.tile(default, (len(count), 1))
    relative = products[used] / scales[used, None, None]  # sums over the specimens
    pooled = relative.sum(axis=0) / count[used].sum()
    found = np.tile(default, (len(count), 1))
    for landmark, own, specimens in zip(np.flatnonzero(used), relative, count[used], strict=True):
        matrix = (own + MIXED * pooled) / (specimens + MIXED)
        found[landmark] = _on_simplex(matrix, default, DEFAULT / specimens)
    return found


def _on_simplex(matrix: FloatArray, default: FloatArray, pull: float) -> FloatArray:
    """Minimise a M a + pull |a - default|^2 over a >= 0 with sum 1."""
    from scipy.optimize import nnls

    values, vectors = np.linalg.eigh(matrix)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))).T
    kinds = len(default)
    rows = np.vstack([root, np.sqrt(pull) * np.eye(kinds), np.full((1, kinds), ONE)])
    goals = np.concatenate([np.zeros(kinds), np.sqrt(pull) * default, [ONE]])
    found = nnls(rows, goals)[0]
    return np.asarray(found / found.sum())


def _factors(ratios: FloatArray) -> FloatArray:
    """Factors (m,) of the prior variance, from squared errors over it, (e, m), NaN where missing.

    The mean of all ratios counts as `POOLED` specimens for each landmark, and 1 as `MAPPED` for
    that mean.
    """
    capped = np.minimum(ratios, CAP)
    known = np.asarray(~np.isnan(capped))
    sums = np.where(known, capped, 0.0).sum(axis=0)
    counts = known.sum(axis=0)
    if not counts.any():
        return np.ones(ratios.shape[1])
    specimens = counts.mean()
    overall = (MAPPED + specimens * sums.sum() / counts.sum()) / (MAPPED + specimens)
    return np.asarray((POOLED * overall + sums) / (POOLED + counts))
