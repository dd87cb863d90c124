# SPDX-License-Identifier: MIT
"""The order of a scan and its landmarks on the command line."""

from pathlib import Path

import click

from gplandmark.errors import SettingsError
from gplandmark.scans import is_mesh

__all__ = ["check_order"]


def check_order(scan: Path, landmarks: Path | None) -> None:
    """Say so where the two arguments of the command that runs are swapped."""
    if landmarks is not None and is_mesh(landmarks) and not is_mesh(scan):
        command = click.get_current_context().info_name
        raise SettingsError(f"The scan comes first: gplandmark {command} {landmarks} {scan}")
