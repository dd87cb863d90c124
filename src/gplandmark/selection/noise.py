# SPDX-License-Identifier: MIT
"""Where the variance ends and the error of the kernel's entries begins."""

import numpy as np

from gplandmark.kernel import FieldKernel, Kernel

__all__ = ["noise_floor"]


def noise_floor(kernel: Kernel) -> float:
    """Share of the largest entry below which a variance is the error of the kernel's entries."""
    if isinstance(kernel, FieldKernel):
        return 4.0 * kernel.tolerance
    return 256 * float(np.finfo(float).eps)
