# SPDX-License-Identifier: MIT
"""A line that describes an object with large arrays, or the reason of an error."""

from dataclasses import fields, is_dataclass
from reprlib import repr as shortened
from typing import Any

import numpy as np


def short_repr(thing: Any) -> str:
    """Return the fields of a dataclass on one line, of arrays only kind and shape.

    In the body of a class: ``__repr__ = short_repr``.
    """
    shown = [f"{each.name}={_short(getattr(thing, each.name))}" for each in fields(thing)]
    return f"{type(thing).__name__}({', '.join(shown)})"


def with_reason(statement: str, reason: BaseException) -> str:
    """A sentence that ends with what an exception of somebody else's says, if anything."""
    text = " ".join(str(reason).split()).rstrip(".")
    return f"{statement}: {text}." if text else f"{statement}."


def _short(value: Any) -> str:
    if isinstance(value, float):
        return repr(float(f"{value:.6g}"))
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_short(each)}' for key, each in value.items())}}}"
    if isinstance(value, np.ndarray):
        return f"<{value.dtype} {value.shape}>"
    if isinstance(value, tuple) and len(value) > 3:
        return f"<{len(value)} of {type(value[0]).__name__}>"
    if is_dataclass(value) and not isinstance(value, type):
        return f"<{type(value).__name__}>"
    text = shortened(value)
    return text if "\n" not in text else f"<{type(value).__name__}>"
