# SPDX-License-Identifier: MIT
"""Public functions by name, for conveniences that lead to packages on the right."""

from importlib import import_module
from typing import Any


def public(name: str) -> Any:
    """Return what ``gplandmark.NAME`` is, imported when it is asked for.

    `place` reads the path of a scan, and landmarks save and draw themselves. Their modules lie to
    the left of those that do the work and import nothing from there.
    """
    module, _, attribute = f"gplandmark.{name}".rpartition(".")
    return getattr(import_module(module), attribute)
