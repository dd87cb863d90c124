# SPDX-License-Identifier: MIT
"""The command ``gplandmark``: all commands, and error messages of one sentence."""

import sys
import warnings
from io import TextIOWrapper
from typing import NoReturn

import click

from gplandmark.cli.analyze import analyze
from gplandmark.cli.batch import batch
from gplandmark.cli.check import check
from gplandmark.cli.compare import compare
from gplandmark.cli.convert import convert
from gplandmark.cli.curve import curve
from gplandmark.cli.demo import demo
from gplandmark.cli.evaluate import evaluate
from gplandmark.cli.inspect import inspect
from gplandmark.cli.match import match
from gplandmark.cli.options.common import HeadedGroup
from gplandmark.cli.pairs import pairs
from gplandmark.cli.picture import picture
from gplandmark.cli.place import place
from gplandmark.cli.share import share
from gplandmark.cli.slide import slide
from gplandmark.cli.study import study
from gplandmark.cli.transfer import transfer
from gplandmark.cli.view import view
from gplandmark.errors import GplandmarkError

INTERRUPTED = 130  # the usual exit code after Ctrl-C


@click.group(
    cls=HeadedGroup,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "show_default": True,
    },
)
@click.version_option(package_name="gplandmark")
def cli() -> None:
    """Place landmarks on the surfaces of teeth, skulls and bones, automatically.

    \b
    Example:
      gplandmark place tooth.ply -n 40 -o tooth.mrk.json
    """


cli.add_under(
    {
        "One scan": (demo, inspect, place, pairs, view, picture, share),
        "Folders of scans": (batch, match, transfer, slide, evaluate, analyze),
        "Landmark files": (convert, check, compare),
        "How many landmarks": (curve, study),
    }
)


def main() -> None:
    """Run the command line; errors become one sentence and a non-zero exit code."""
    warnings.formatwarning = lambda message, *_args, **_kwargs: f"note: {message}\n"
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # for names that the terminal cannot encode
    try:
        status = cli.main(prog_name="gplandmark", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(0)
    except BrokenPipeError:
        sys.exit(1)  # the reader of our output is gone
    except (
        GplandmarkError, click.ClickException, click.Abort, KeyboardInterrupt, MemoryError, OSError
    ) as error:  # fmt: skip
        fail(*explanation(error))
    sys.exit(status or 0)


def explanation(error: BaseException) -> tuple[str, int]:
    """Return the sentence for an error, and the exit code."""
    match error:
        case GplandmarkError():
            return str(error), 1
        case click.UsageError():
            command = "gplandmark" if error.ctx is None else error.ctx.command_path
            sentence = error.format_message().rstrip(".")
            return f"{sentence}. Try '{command} --help'.", error.exit_code
        case click.ClickException():
            return error.format_message(), error.exit_code
        case MemoryError():
            return "Not enough memory for this surface. Decimate it, or use a larger machine.", 1
        case OSError():
            return f"The output cannot be written ({error.strerror}).", 1
    return "Stopped. No half-written file is left behind.", INTERRUPTED


def fail(sentence: str, status: int) -> NoReturn:
    """Print an error and exit."""
    click.echo(f"gplandmark: {sentence}", err=True)
    sys.exit(status)
