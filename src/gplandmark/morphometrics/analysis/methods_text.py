# SPDX-License-Identifier: MIT
"""How an analysis was computed, in sentences that can go into a paper."""

from gplandmark.landmarks.record import software_versions
from gplandmark.morphometrics.analysis.analysis import Analysis
from gplandmark.morphometrics.analysis.procrustes import TOLERANCE

__all__ = ["methods"]


def methods(analysis: Analysis) -> list[str]:
    """Return one paragraph for each step that was taken."""
    aligned = analysis.aligned
    size = (
        "sizes were kept (size-and-shape), and the consensus is the plain mean"
        if aligned.keep_size
        else "each specimen was scaled to centroid size 1, and so was the consensus"
    )
    mirror = "mirror images were allowed" if aligned.reflect else "mirror images were not allowed"
    said = [
        f"Superimposition: generalised Procrustes analysis (Gower 1975; Rohlf and Slice 1990). "
        f"Specimens were centred; {size}; {mirror}. The consensus was renewed {aligned.rounds} "
        f"times, until it moved by less than {TOLERANCE:g} of its size; the Procrustes sum of "
        f"squares is {aligned.sum_of_squares:.6g}. The principal axes of the consensus lie along "
        "x, y and z."
    ]
    if aligned.missing.any():
        said.append(
            "Missing landmarks were estimated by the thin-plate spline from the consensus to the "
            "landmarks that a specimen has, and renewed with the consensus in every round. "
            "Estimates lie close to the mean by construction: they lessen the variance, and "
            "distances between incomplete specimens are too small rather than too large."
        )
    said += [
        "Principal components: singular values of the coordinates "
        + ("" if aligned.keep_size else "projected orthogonally into the tangent space at the "
           "consensus ")
        + "about their mean. Variances have the divisor s - 1.",
        "Procrustes distance: each two specimens laid upon each other for themselves by the best "
        + ("rotation or mirror image" if aligned.reflect else "rotation")
        + (", in file units." if aligned.keep_size else ", at centroid size 1."),
    ]  # fmt: skip
    if analysis.continuous is not None:
        said.append(
            "Continuous Procrustes distance (Al-Aifari, Daubechies and Lipman 2013): the maps of "
            "the matching carry the evenly spread points of the reference to every specimen; each "
            "two specimens, scaled to area 1, were laid upon each other for themselves by the best "
            + ("rigid motion or mirror image" if aligned.reflect else "rigid motion")
            + "; points count by the mean of their shares of the two areas."
        )
    if analysis.test is not None:
        said.append(
            "Permutation test: MRPP (Mielke and Berry 2001) with groups weighted by their members "
            "on the distances; A = 1 - delta / mean distance; p = (1 + number of "
            "permutations with a delta not larger) / (1 + permutations)."
        )
    versions = software_versions()
    return [*said, f"Software: gplandmark {versions['gplandmark']}, NumPy {versions['numpy']}, "
                   f"SciPy {versions['scipy']}, Python {versions['python']}."]  # fmt: skip
