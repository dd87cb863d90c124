# SPDX-License-Identifier: MIT
"""Where the variance ends and the error of the kernel's entries begins."""

import numpy as np

from gplandmark.kernel import FieldKernel, Kernel, PartKernel

__all__ = ["noise_floor"]


def noise_floor(kernel: Kernel) -> float:
    """Share of the largest entry below which a variance is the error of the kernel's entries."""
    if isinstance(kernel, PartKernel):
        return noise_floor(kernel.whole)
    if isinstance(kernel, FieldKernel):
        return 4.0 * kernel.tolerance
    return 256 * float(np.finfo(float).eps)
