# SPDX-License-Identifier: MIT
"""Arithmetic with landmarks: that of the array of their points."""

from typing import Any

import numpy as np


class PointArithmetic:
    """Sums, differences, products and quotients with the points (m, d), as NumPy has them."""

    def __neg__(self) -> Any:
        return -np.asarray(self)

    def __add__(self, other: Any) -> Any:
        return np.asarray(self) + other

    def __radd__(self, other: Any) -> Any:
        return other + np.asarray(self)

    def __sub__(self, other: Any) -> Any:
        return np.asarray(self) - other

    def __rsub__(self, other: Any) -> Any:
        return other - np.asarray(self)

    def __mul__(self, other: Any) -> Any:
        return np.asarray(self) * other

    def __rmul__(self, other: Any) -> Any:
        return other * np.asarray(self)

    def __truediv__(self, other: Any) -> Any:
        return np.asarray(self) / other

    def __matmul__(self, other: Any) -> Any:
        return np.asarray(self) @ other
