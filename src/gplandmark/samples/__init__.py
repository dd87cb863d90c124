# SPDX-License-Identifier: MIT
"""Whole folders as matched samples: the same points on every specimen, and how good they are."""

from gplandmark.samples.matching import Asked, Matched, match_folder
from gplandmark.samples.opening import open_sample
from gplandmark.samples.results import write_results
from gplandmark.samples.running import StoppedError, Workshop
from gplandmark.samples.store import Store

__all__ = [
    "Asked",
    "Matched",
    "StoppedError",
    "Store",
    "Workshop",
    "match_folder",
    "open_sample",
    "write_results",
]
