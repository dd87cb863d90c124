# SPDX-License-Identifier: MIT
"""Text on the terminal. Whatever commands print goes through here, or through `tables`.

Names of files, specimens and landmarks come from others. Control characters in them could clear the
screen, change earlier lines or make new ones, so that they are shown as codes: ``\\x1b``.
"""

import json
import re
from typing import Any

import click

CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)  # also those that change the direction of writing, and halves of characters


def visible(text: str) -> str:
    """Return a text on one line, with codes for its control characters."""
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def echo(*lines: str, err: bool = False) -> None:
    """Print lines, on the error stream if asked for; without any, a blank one."""
    click.echo("\n".join(map(visible, lines)), err=err)


def echo_json(content: Any) -> None:
    """Print a value as JSON."""
    click.echo(json.dumps(content, indent=1))
