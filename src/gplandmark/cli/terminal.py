# SPDX-License-Identifier: MIT
"""What people see: a progress bar on a terminal, and a short summary at the end."""

import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from gplandmark.gp.selection import Progress
from gplandmark.landmarks import Landmarks
from gplandmark.landmarks.record import method_text

__all__ = ["fixed", "number", "percent", "progress_bar", "summary"]

REASONS = {
    "count": "all landmarks that were asked for are placed",
    "target": "the target is reached",
    "rank": "the rest of the surface is determined to the last digit; more landmarks say nothing",
    "noise": "the variance fell to the accuracy of the kernel; more landmarks would be noise",
    "pair": "one place is left, but a pair was due",
    "exhausted": "there are no more places of this kind",
}


@contextmanager
def progress_bar(total: int | None, *, shown: bool) -> Iterator[Progress | None]:
    """Yield a callback that draws a bar on the error stream if that is a terminal."""
    if not shown or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("variance left {task.fields[left]}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Placing landmarks", total=total, left="100 %")

        def advance(count: int, left: float) -> None:
            bar.update(task, completed=count, left=percent(left))

        yield advance


def summary(landmarks: Landmarks, written: tuple[Path, ...], seconds: float) -> None:
    """Say in a few lines what was done, how far the variance fell and where the files are."""
    record = landmarks.record
    about, outcome = record.input, record.outcome
    rows = [
        ("surface", _surface(about)),
        ("method", method_text(record.settings)),
        *_where(record.request),
        ("landmarks", f"{len(landmarks)}: {REASONS[outcome['stopped']]}"),
        *_variance(outcome),
        ("time", f"{seconds:.1f} s"),
        ("written", ", ".join(map(str, written))),
    ]  # fmt: skip
    click.echo(click.style(landmarks.specimen, bold=True))
    for name, value in rows:
        click.echo(f"  {name:<10} {value}")


def _where(request: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the row that tells where landmarks may go, if not everywhere."""
    left_out = sum(last - first + 1 for first, last in request.get("excluded", ()))
    names = [each.get("exclude") or f"only {each['only']}" for each in request.get("regions", ())]
    told = f" ({', '.join(names)})" if names else ""
    rows = [("excluded", f"{left_out:,} vertices{told}")] if left_out or names else []
    if request.get("between_vertices"):
        rows.append(("places", "between vertices, where the variance is largest"))
    return rows


def _surface(about: Mapping[str, Any]) -> str:
    area = f"area {number(about['area'])} (file units squared"
    if about["triangles"]:
        return f"{about['vertices']:,} vertices, {about['triangles']:,} triangles, {area})"
    return f"{about['vertices']:,} points in R^{about['dimension']}, {area}, estimated)"


def number(value: float) -> str:
    """Four digits, without an exponent where a person would write none."""
    return f"{value:,.4g}" if 1e-3 <= abs(value) < 1e4 else f"{value:.4g}"


def fixed(values: Iterable[float], typical: float) -> list[str]:
    """Numbers with the same decimals, as many as give three digits of a typical one; NaN is ""."""
    digits = min(max(2 - math.floor(math.log10(typical)), 0), 9) if typical > 0 else 3
    return ["" if math.isnan(value) else f"{value:.{digits}f}" for value in values]


def percent(share: float) -> str:
    """Two digits of a share, as people write percentages."""
    return f"{100 * share:.3g} %" if share >= 0.1 else f"{100 * share:.2g} %"


def _variance(outcome: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the row that tells how far the variance fell; a sampler knows of no variance."""
    if "largest_variance_after" not in outcome:
        return []
    fallen = outcome["largest_variance_after"] / outcome["largest_variance_before"]
    return [("variance", f"largest left {percent(fallen)} of the start")]
