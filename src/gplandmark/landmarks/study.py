# SPDX-License-Identifier: MIT
"""Variance curves of many specimens, for several kernels: the numbers of figure 3 of the paper."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO

import numpy as np

from gplandmark.numerics.arrays import FloatArray

__all__ = ["Study", "deviation"]


@dataclass(frozen=True, eq=False)
class Study:
    """Variance left after 1 to m landmarks on each specimen, for each kernel.

    Attributes
    ----------
    specimens : names, in the order of their files
    largest : for each kernel (specimens, m), the largest variance left, which is the MSPE, as
        a share of the largest before: without unit, so that specimens can be averaged
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
        return _csv(header, rows)

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
        return _csv(header, rows)


def deviation(curves: FloatArray) -> FloatArray:
    """Standard deviation over specimens, shape (m,); 0 for a single one."""
    return np.asarray(curves.std(axis=0, ddof=1 if len(curves) > 1 else 0))


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()
