# SPDX-License-Identifier: MIT
"""The choice between the paper's method and the samplers that it is compared with."""

from collections.abc import Sequence
from pathlib import Path

from gplandmark.errors import SettingsError
from gplandmark.files.regions import RegionOptions
from gplandmark.landmarks import AuthorsSettings, Settings

__all__ = ["GAUSSIAN_PROCESS", "check_alone"]

GAUSSIAN_PROCESS = "gaussian-process"


def check_alone(
    method: str,
    settings: Settings | AuthorsSettings,
    files: Sequence[Path | None],
    regions: RegionOptions,
    others: Sequence[float],
) -> None:
    """Refuse options of the paper's method beside another sampler, where they do nothing.

    `others` are further options that are 0 or False where nobody gave them.
    """
    is_given = regions != RegionOptions() or any(others)
    if settings != Settings() or any(each is not None for each in files) or is_given:
        raise SettingsError(
            f"The method '{method}' takes only a count and a seed. Leave the options for kernel, "
            "weight, curvature, where landmarks may go (as --exclude), --start, --until and "
            "--between-vertices out."
        )
