# SPDX-License-Identifier: MIT
"""The command ``gplandmark``: its verbs, and one sentence for whatever goes wrong."""

import sys
import warnings
from typing import NoReturn

import click

from gplandmark.cli.demo import demo
from gplandmark.cli.place import place
from gplandmark.errors import GplandmarkError

__all__ = ["cli", "main"]

INTERRUPTED = 130  # what shells expect of a program that was stopped by Ctrl-C


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="gplandmark")
def cli() -> None:
    r"""Place landmarks on the surfaces of teeth, skulls and bones, automatically.

    \b
    Example:
      gplandmark place tooth.ply -n 40 -o tooth.mrk.json
    """


cli.add_command(place)
cli.add_command(demo)


def main() -> None:
    """Run the command line; errors become one sentence and a non-zero exit code."""
    warnings.formatwarning = lambda message, *_args, **_kwargs: f"note: {message}\n"
    try:
        status = cli.main(standalone_mode=False)
    except GplandmarkError as error:
        fail(str(error), 1)
    except click.ClickException as error:
        hint = " Try 'gplandmark --help'." if isinstance(error, click.UsageError) else ""
        fail(error.format_message() + hint, error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        fail("Stopped. Nothing was written.", INTERRUPTED)
    except MemoryError:
        fail("Not enough memory for this surface. Decimate it, or use a larger machine.", 1)
    except BrokenPipeError:
        sys.exit(1)  # the reader of our output has gone; there is nobody to tell
    sys.exit(status or 0)


def fail(sentence: str, status: int) -> NoReturn:
    """Say what went wrong on the error stream and leave."""
    click.echo(f"gplandmark: {sentence}", err=True)
    sys.exit(status)
