# SPDX-License-Identifier: MIT
"""The command ``gplandmark``: all commands, and error messages of one sentence."""

import sys
import warnings
from collections.abc import Mapping
from io import TextIOWrapper
from typing import NoReturn

import click

from gplandmark.cli.options.common import HeadedGroup
from gplandmark.cli.terminal import echo, visible
from gplandmark.errors import GplandmarkError
from gplandmark.numerics.memory import keep_freed_memory

COMMANDS: Mapping[str, Mapping[str, str]] = {
    "One scan": {
        "demo": "Make a synthetic molar with landmarks, to try it out.",
        "inspect": "Describe scans: size, holes, components, defects, verdict.",
        "surface": "Make a mesh of a CT volume or a label map.",
        "place": "Place landmarks on a scan.",
        "pairs": "Place pairs of landmarks on a symmetric specimen.",
        "view": "View and correct scans, or whole folders, in the browser.",
        "picture": "Draw a scan with its landmarks.",
        "share": "Write a web page that shows the landmarks of a scan.",
    },
    "Folders of scans": {
        "batch": "Place landmarks on each scan of folders, independently.",
        "match": "Find the same landmarks on every scan of folders.",
        "transfer": "Carry an expert's landmarks from one scan to others.",
        "predict": "Put an expert's landmarks on all scans, from a few of them.",
        "slide": "Slide semilandmarks along curves and surfaces.",
        "align": "Write scans in a common pose.",
        "evaluate": "Measure the errors of a match by observers' landmarks.",
        "analyze": "Compare shapes: Procrustes, principal components, groups.",
    },
    "Landmark files": {
        "convert": "Convert landmark files from one format to another.",
        "check": "Check whether landmarks fit a scan, or are mirrored.",
        "compare": "Compare the quality of landmark files on a scan.",
    },
    "How many landmarks": {
        "curve": "Find out how many landmarks a scan needs.",
        "study": "Plot how fast the variance falls on scans of a folder.",
        "repeatability": "Find out how far landmarks move on another mesh.",
    },
}
"""What each command is for, by its name: the function of that name in the module of that name."""

INTERRUPTED = 130  # the usual exit code after Ctrl-C


@click.group(
    cls=HeadedGroup,
    headings=COMMANDS,
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


def main() -> None:
    """Run the command line; errors become one sentence and a non-zero exit code."""
    warnings.formatwarning = lambda message, *_args, **_kwargs: f"note: {visible(str(message))}\n"
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # for names that the terminal cannot encode
    keep_freed_memory()
    try:
        status = cli.main(prog_name="gplandmark", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        echo(*error.format_message().splitlines())
        echo("", "'gplandmark view' does all this in the browser.")
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
            stop = "" if sentence.endswith("?") else "."
            return f"{sentence}{stop} Try '{command} --help'.", error.exit_code
        case click.ClickException():
            return error.format_message(), error.exit_code
        case MemoryError():
            return "Not enough memory for this surface. Decimate it, or use a larger machine.", 1
        case OSError():
            return f"The output cannot be written ({error.strerror}).", 1
    return "Stopped. No half-written file is left behind.", INTERRUPTED


def fail(sentence: str, status: int) -> NoReturn:
    """Print an error and exit."""
    echo(f"gplandmark: {sentence}", err=True)
    sys.exit(status)
