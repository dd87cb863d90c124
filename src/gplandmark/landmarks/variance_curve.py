# SPDX-License-Identifier: MIT
"""How the variance falls with the number of landmarks, on one specimen or on many."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.gp.conditioning import ConditionedProcess, VarianceHistory, skipping_floor
from gplandmark.gp.kernels import Kernel
from gplandmark.gp.limits import check_memory
from gplandmark.gp.selection.dense_search import FactoredSearch
from gplandmark.landmarks.landmarks import Landmarks
from gplandmark.landmarks.spreadsheet_cells import csv_text
from gplandmark.mesh import vertex_areas
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray


def condition_on(
    surface: Surface, kernel: Kernel, vertices: Sequence[int] | IndexArray
) -> VarianceHistory:
    """Condition the process on landmarks in their order, by equation (uncertainty-score).

        largest_m = max_x v_m(x) / max_x v_0(x)
        mean_m    = sum_k nu(x_k) v_m(x_k) / sum_k nu(x_k) v_0(x_k)

    over the vertices that belong to a triangle, with nu their Voronoi areas; of a cloud, over all.
    """
    process = ConditionedProcess(*_process_of(surface, kernel, len(vertices)))
    return process.history(vertices, vertex_areas(surface)).relative()


def condition_greedily(surface: Surface, kernel: Kernel, count: int) -> VarianceHistory:
    """Condition the process on its own landmarks, each where the variance is largest.

    They are those of `gplandmark.select`. Where fewer than `count` determine the surface to
    the last digit, the others are skipped, and leave what those leave.
    """
    search = FactoredSearch(*_process_of(surface, kernel, count))
    greedy = (search.winner(None) for _ in range(count))  # each when those before are known
    return search.history(greedy, vertex_areas(surface)).relative()


def _process_of(
    surface: Surface, kernel: Kernel, count: int
) -> tuple[Kernel, BoolArray, int, float]:
    """Kernel, allowed vertices, landmarks expected and noise floor."""
    check_memory(kernel.size, 8.0 * kernel.size, count)
    return kernel, surface.covered(), count, skipping_floor(kernel)


FRACTIONS = (0.5, 0.2, 0.1, 0.05)
STRAIGHT = 0.01
COLUMNS = ("landmarks", "largest_variance")
FEWEST = 3  # landmarks before a curve can have a knee


@dataclass(frozen=True, eq=False)
class VarianceCurve:
    """The largest variance against the number of landmarks.

    Attributes
    ----------
    fractions : (m + 1,) largest variance left after 0 to m landmarks, as a fraction of the start
    reached : for each of `FRACTIONS` the fewest landmarks that bring the variance to it;
        None if m are not enough
    knee : number of landmarks at the knee; None where the curve has none
    """

    fractions: FloatArray
    reached: Mapping[float, int | None]
    knee: int | None

    def table(self) -> str:
        """Return the curve as a CSV table, one number of landmarks per row."""
        return csv_text(COLUMNS, enumerate(self.fractions.tolist()))


def variance_curve(landmarks: Landmarks) -> VarianceCurve:
    """Return the curve of landmarks that were placed by variance.

    Raises
    ------
    SettingsError
        The landmarks carry no variances, like those of a person.
    """
    outcome = landmarks.record.outcome
    if "largest_variance_after" not in outcome or np.isnan(landmarks.variances).any():
        raise SettingsError(
            f"The landmarks of {landmarks.specimen} carry no variances. Place them again."
        )
    variances = np.append(landmarks.variances, outcome["largest_variance_after"])
    return suggested_counts(variances, outcome["largest_variance_before"])


def suggested_counts(variances: FloatArray, initial: float) -> VarianceCurve:
    """Say where a variance curve falls below 50, 20, 10 and 5 % of its start, and its knee.

    The knee is the point farthest below the straight line from the first point of the curve
    (m, log v_m / v_0) to the last, both axes scaled to 1: before it every landmark adds more
    than the average, after it less. It belongs to the length of the curve, and moves with it.
    A curve that stays within a hundredth of the line has none.

    Parameters
    ----------
    variances : largest variance left after 0, 1, 2, ... landmarks
    initial : largest variance before any landmark

    Raises
    ------
    SettingsError
        There is no variance, one is negative or not finite, or the start is not positive.
    """
    array = np.asarray(variances, dtype=np.float64)
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all() or (array < 0).any():
        raise SettingsError("A variance curve needs one or more variances of 0 or more.")
    if not (np.isfinite(initial) and initial > 0):
        raise SettingsError(f"The variance at the start must be above 0, got {initial}.")
    fractions = np.minimum.accumulate(array / initial)  # accuracy aside, variance only falls
    reached = {
        fraction: next((m for m, left in enumerate(fractions) if left <= fraction), None)
        for fraction in FRACTIONS
    }
    return VarianceCurve(fractions, reached, _knee(fractions))


def _knee(fractions: FloatArray) -> int | None:
    positive = fractions[fractions > 0]
    if len(positive) <= FEWEST or positive[-1] == positive[0]:
        return None
    height = np.log(positive)
    across = np.linspace(0, 1, len(height))
    down = (height[0] - height) / (height[0] - height[-1])
    below = down - across
    return int(np.argmax(below)) if below.max() > STRAIGHT else None


@dataclass(frozen=True, eq=False)
class Study:
    """Variance left after 1 to m landmarks on each specimen, for each kernel.

    Attributes
    ----------
    specimens : names, in the order of their files
    largest : for each kernel (specimens, m), the largest variance left, which is the MSPE, as
        a fraction of the largest before: without unit, so that specimens can be averaged
    mean : the same of the mean variance over the area
    failed : for each scan that could not be used, why
    """

    specimens: tuple[str, ...]
    largest: Mapping[str, FloatArray]
    mean: Mapping[str, FloatArray]
    failed: Mapping[str, str]

    def table(self) -> str:
        """Return every number as a CSV table: specimen, kernel, landmarks, two variances."""
        header = ("specimen", "kernel", "landmarks", "largest_variance", "mean_variance")
        rows = (
            (specimen, kernel, count + 1, float(largest), float(mean))
            for kernel in self.largest
            for specimen, *curves in zip(
                self.specimens, self.largest[kernel], self.mean[kernel], strict=True
            )
            for count, (largest, mean) in enumerate(zip(*curves, strict=True))
        )
        return csv_text(header, rows)

    def summary(self) -> str:
        """Return the mean and standard deviation over specimens as a CSV table."""
        header = ["kernel", "landmarks", "specimens", "largest_variance", "largest_variance_sd"]
        header += ["mean_variance", "mean_variance_sd"]
        rows = (
            (kernel, count + 1, len(self.specimens), *map(float, values))
            for kernel in self.largest
            for count, values in enumerate(
                zip(
                    self.largest[kernel].mean(axis=0), deviation(self.largest[kernel]),
                    self.mean[kernel].mean(axis=0), deviation(self.mean[kernel]),
                    strict=True,
                )
            )
        )  # fmt: skip
        return csv_text(header, rows)


def deviation(curves: FloatArray) -> FloatArray:
    """Standard deviation over specimens, shape (m,); 0 for a single one."""
    return np.asarray(curves.std(axis=0, ddof=1 if len(curves) > 1 else 0))
