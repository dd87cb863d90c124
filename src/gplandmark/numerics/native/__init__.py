# SPDX-License-Identifier: MIT
"""The inner loops, twice: compiled when the package is installed, and in NumPy.

Both have the same functions with the same arguments and give the same results to rounding. They
know arrays and nothing else.
"""

from importlib import import_module
from types import ModuleType
from typing import Any

from gplandmark.errors import SettingsError
from gplandmark.numerics.native import in_numpy

__all__ = ["COMPILED", "WithLoops", "choose_loops", "loops_name"]


COMPILED: ModuleType | None
try:
    COMPILED = import_module("gplandmark.numerics.native._compiled")
except ImportError:
    COMPILED = None


def choose_loops(name: str | None = None) -> ModuleType:
    """Return the loops called "compiled" or "numpy"; by default the faster ones that there are.

    Raises
    ------
    SettingsError
        The compiled loops were asked for, but were not built.
    """
    if name == "compiled" and COMPILED is None:
        raise SettingsError(
            "The compiled loops were not built when gplandmark was installed. "
            "Install a C compiler and then gplandmark again, or use the NumPy loops."
        )
    return in_numpy if name == "numpy" or COMPILED is None else COMPILED


def loops_name(loops: ModuleType) -> str:
    """Return "compiled" or "numpy"."""
    return "numpy" if loops is in_numpy else "compiled"


class WithLoops:
    """What has `loops`: pickled and copied with their name, as a module cannot be.

    Compiled loops become the fastest that there are where it is read.
    """

    loops: ModuleType

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "loops": loops_name(self.loops)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        loops = choose_loops("numpy" if state["loops"] == "numpy" else None)
        self.__dict__.update(state, loops=loops)
