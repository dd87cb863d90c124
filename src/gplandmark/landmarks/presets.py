# SPDX-License-Identifier: MIT
"""Named settings."""

from collections.abc import Mapping

from gplandmark.errors import SettingsError
from gplandmark.landmarks.authors import AuthorsSettings
from gplandmark.landmarks.settings import Settings

__all__ = ["PRESETS", "preset", "preset_name"]

PRESETS: Mapping[str, Settings | AuthorsSettings] = {
    "paper": Settings(),
    "authors": AuthorsSettings(),
    "authors-uniform": AuthorsSettings(curvature_weighted=False),
}


def preset(name: str) -> Settings | AuthorsSettings:
    """Return the settings of that name: "paper", "authors" or "authors-uniform"."""
    if name not in PRESETS:
        raise SettingsError(f"There is no preset '{name}'. Choose one of {', '.join(PRESETS)}.")
    return PRESETS[name]


def preset_name(settings: Settings | AuthorsSettings) -> str:
    """Return the name of these settings, or "custom"."""
    return next((name for name, known in PRESETS.items() if known == settings), "custom")
