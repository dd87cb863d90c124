# SPDX-License-Identifier: MIT
"""The names of `numpy.typing`, without its import, which takes a tenth of the start of a command.

Type checkers see the real ones. When a program runs, annotations are only read by people.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import ArrayLike as ArrayLike
    from numpy.typing import DTypeLike as DTypeLike
    from numpy.typing import NDArray as NDArray
else:
    import numpy as np

    ArrayLike = DTypeLike = Any

    class NDArray:
        """An array, whatever its kind."""

        def __class_getitem__(cls, kind: object) -> type:
            """Leave out the kind."""
            return np.ndarray
