# SPDX-License-Identifier: MIT
"""A set of landmarks that changes one at a time, with the variance at every point."""

import warnings
from copy import deepcopy

import numpy as np
import scipy

from gplandmark.errors import KernelError, SettingsError
from gplandmark.gp.conditioning import ConditionedProcess, checked_landmarks, variance_given
from gplandmark.gp.kernels import Kernel, kernel_of
from gplandmark.gp.limits import check_memory
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.arguments import whole_number
from gplandmark.numerics.arrays import FloatArray, IndexArray


class Design:
    """A set of landmarks: add one, remove one or move one, and read the variance given all of them.

    The design keeps the rows U = R^-1 K(X, .) of the landmarks X, where K(X, X) = R R^T. Then
    v(x) = K(x, x) - sum_i U_i(x)^2, and U(X) = R^T is upper triangular.

    - Adding a landmark appends a row.
    - Removing one deletes its column of U(X). This leaves one entry below the diagonal in each
      later column, and plane rotations of neighbouring rows remove these. Rotations keep sums of
      squares, and the last row, which the other landmarks no longer need, is what the variance
      gains.

    Both take time O(n m) for n points and m landmarks. Neither divides by a small number, unlike
    the block inverse of the paper's second remark.

    Parameters
    ----------
    kernel : over n points
    landmarks : those to begin with, in this order, or what `select` returned

    Raises
    ------
    SettingsError
        A landmark does not exist, or is given twice, or there is not memory enough.
    KernelError
        A landmark is determined by those before it, or the kernel is not a covariance.
    """

    def __init__(self, kernel: Kernel, landmarks: npt.ArrayLike = ()) -> None:
        kernel = kernel_of(kernel)
        indices = checked_landmarks(landmarks, kernel.size)
        self._process = ConditionedProcess(kernel)
        if not 0 < self._process.initial < np.inf:
            raise KernelError("The kernel's diagonal must be finite, and positive somewhere.")
        check_memory(kernel.size, self._process.bytes_per_landmark(), len(indices))
        self._diagonal = self._process.variances
        self._held: list[int] = []  # in the order of the user
        self._factored: list[int] = []  # in the order of the rows
        for index in indices:
            self.add(int(index))

    def __len__(self) -> int:
        return len(self._held)

    @property
    def landmarks(self) -> IndexArray:
        """The landmarks, shape (m,); one that was moved keeps its position in the order."""
        return np.array(self._held, dtype=np.int64)

    @property
    def variance(self) -> FloatArray:
        """Variance at every point given the landmarks, shape (n,)."""
        return self._process.variances.copy()

    @property
    def rows(self) -> FloatArray:
        """The rows U, shape (m, n), those of landmarks that were moved last; a view, to be read."""
        return self._process.rows[: self._process.count]

    @property
    def diagonal(self) -> FloatArray:
        """Variance at every point before any landmark, shape (n,); to be read."""
        return self._diagonal

    @property
    def floor(self) -> float:
        """Variance at or below which a landmark adds nothing."""
        return self._process.noise * self._process.initial

    def add(self, index: int) -> None:
        """Add a landmark after the others."""
        index = self._checked_new(index)
        self._append(index)
        self._held.append(index)

    def remove(self, index: int) -> None:
        """Remove a landmark."""
        index = self._checked_held(index)
        self._remove(index)
        self._held.remove(index)

    def move(self, index: int, to: int) -> None:
        """Move a landmark to another vertex; it keeps its position among the others.

        If it cannot go there, it stays where it was.
        """
        index, to = self._checked_held(index), whole_number(to, "A landmark")
        if to == index:
            return
        to = self._checked_new(to)
        # Asked beforehand, and with a margin, so that what is removed can always be replaced.
        if self._variance_without(index, to) <= 2 * self.floor:
            raise KernelError(_adds_nothing(to))
        self._remove(index)
        self._append(to)
        self._held[self._held.index(index)] = to

    def copy(self) -> "Design":
        """Return a design of its own: changes of one do not reach the other."""
        return deepcopy(self, {id(self._process.kernel): self._process.kernel})

    __copy__ = copy

    def take(self, index: int) -> None:
        """Deprecated: use `add`."""
        warnings.warn("Design.take is deprecated: use add.", DeprecationWarning, stacklevel=2)
        self.add(index)

    def give_back(self, index: int) -> None:
        """Deprecated: use `remove`."""
        warnings.warn("Design.give_back is deprecated: use remove.", DeprecationWarning, 2)
        self.remove(index)

    def _append(self, index: int) -> None:
        if self._process.condition(index) is None:
            raise KernelError(_adds_nothing(index))
        self._factored.append(index)

    def _remove(self, index: int) -> None:
        process = self._process
        place = self._factored.index(index)
        self._factored.remove(index)
        rows = process.rows[: process.count]
        for k in range(place, process.count - 1):
            above, below = rows[k, self._factored[k]], rows[k + 1, self._factored[k]]
            length = np.hypot(above, below)
            turn = above / length, below / length
            rows[k], rows[k + 1] = scipy.linalg.blas.drot(
                *rows[k : k + 2], *turn, overwrite_x=1, overwrite_y=1
            )
        process.count -= 1
        process.allowed[index] = True
        # Summed again, not updated: then its rounding does not grow with the number of changes.
        process.variances = variance_given(self._diagonal, rows[:-1])
        process.variances[self._factored] = 0.0

    def _variance_without(self, index: int, at: int) -> float:
        """Variance at a point if a landmark were removed: q U(X) vanishes at all others."""
        rows = self._process.rows[: self._process.count]
        unit = np.zeros(len(rows))
        unit[self._factored.index(index)] = 1.0
        direction = scipy.linalg.solve_triangular(rows[:, self._factored], unit, trans=1)
        gain = direction @ rows[:, at] / np.linalg.norm(direction)
        return float(self._process.variances[at] + gain**2)

    def _checked_new(self, index: int) -> int:
        index = whole_number(index, "A landmark")
        checked_landmarks([index], self._process.kernel.size)
        if index in self._held:
            raise SettingsError(f"Vertex {index} is a landmark already.")
        return index

    def _checked_held(self, index: int) -> int:
        index = whole_number(index, "A landmark")
        if index not in self._held:
            raise SettingsError(f"Vertex {index} is not a landmark: there is none to remove.")
        return index


def _adds_nothing(index: int) -> str:
    return (
        f"A landmark at vertex {index} would add nothing: the others determine it. "
        "Choose a vertex farther from them."
    )
