# SPDX-License-Identifier: MIT
"""Settings out of a record: the method that made landmarks, to use it again."""

import warnings
from dataclasses import fields

from gplandmark.errors import GplandmarkWarning, SettingsError
from gplandmark.landmarks.authors import AuthorsSettings
from gplandmark.landmarks.presets import PRESETS
from gplandmark.landmarks.record import Record
from gplandmark.landmarks.settings import Settings

__all__ = ["recalled_settings"]


def recalled_settings(record: Record) -> Settings | AuthorsSettings | None:
    """Settings that a record tells; None if it tells none, as that of a person or a sampler.

    Where a weight was given as numbers, which no record holds, the curvature weight stands in for
    it, with a warning. A record with values that are none of ours tells nothing, with a warning.
    """
    told = record.settings
    if told.get("preset") in PRESETS:
        return PRESETS[told["preset"]]
    if "kernel" not in told:
        return None
    known = {each.name: told[each.name] for each in fields(Settings) if each.name in told}
    if known.get("bandwidth", 0) is None:  # eps was given in its place
        del known["bandwidth"]
    if known.get("weight") == "given":
        del known["weight"]
        _warn("the weight, which was given as numbers: the curvature weight is used")
    try:
        return Settings(**known)
    except (SettingsError, TypeError):
        _warn("settings that can be used: the default ones are")
        return None


def _warn(what: str) -> None:
    warnings.warn(
        f"The record of these landmarks does not tell {what}.", GplandmarkWarning, stacklevel=3
    )
