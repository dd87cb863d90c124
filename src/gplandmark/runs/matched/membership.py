# SPDX-License-Identifier: MIT
"""Members of a sample in order of addition; adding specimens changes no earlier result."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gplandmark.errors import SettingsError
from gplandmark.io.files import read_regular, write_atomically
from gplandmark.io.formatting import counted
from gplandmark.morphometrics.matching import SampleMatch
from gplandmark.morphometrics.matching.build_sample import (
    align_prepared,
    extend_aligned,
    extend_prepared,
    match_prepared,
)
from gplandmark.morphometrics.matching.points import SampledSurface
from gplandmark.morphometrics.matching.sample_maps import Run
from gplandmark.runs.discover import HIDDEN
from gplandmark.runs.job_keys import content_key, job_key
from gplandmark.runs.job_runner import JobRunner, kept
from gplandmark.runs.matched.sample_scans import PreparedScans, prepare_scan
from gplandmark.runs.run_folder import command_of
from gplandmark.runs.store import Store

MEMBERS = "sample.json"  # file of the membership


@dataclass(frozen=True)
class Membership:
    """The members of a sample.

    Attributes
    ----------
    reference : key of the reference
    members : for each specimen by its key, in their order, a mark of what its scan holds and how
        that is cleaned
    kept : the name under which the store has each of them
    together : how many of them were matched together; the rest was added one by one
    reflections : whether one may be the mirror image of another
    version : of gplandmark, that computed them
    same_scale : whether all files share a unit
    """

    reference: str
    members: Mapping[str, str]
    kept: Mapping[str, str]
    together: int
    reflections: bool
    version: str
    same_scale: bool = False

    def is_sound(self) -> bool:
        """Whether all parts have the right type and fit together."""
        words = [self.reference, self.version, *self.members.values(), *self.kept.values()]
        return (
            all(isinstance(word, str) for word in words)
            and isinstance(self.together, int)
            and all(isinstance(each, bool) for each in (self.reflections, self.same_scale))
            and self.reference in self.members
            and set(self.kept) == set(self.members)
            and 1 <= self.together <= len(self.members)
        )


def store_path(output: Path) -> Path:
    """Where a folder of results keeps what its maps are made of."""
    return output / HIDDEN / "matching.sqlite"


def read_membership(output: Path) -> Membership | None:
    """Return the members of an earlier run; None if there are none that can be read."""
    try:
        membership = Membership(**json.loads(read_regular(output / HIDDEN / MEMBERS)))
        return membership if membership.is_sound() else None
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return None


def match_or_extend(
    specimens: Mapping[str, SampledSurface],
    membership: Membership | None,
    run: Run,
    *,
    reference: str | None = None,
    reflections: bool = True,
    same_scale: bool = False,
    maps: bool = True,
) -> SampleMatch:
    """Match specimens together, or add those that are new to the members of an earlier run.

    Where `run` remembers what was computed before, the sample is as it was. Without `maps`
    specimens are only brought into a common pose.
    """
    match_together, extend = (
        (match_prepared, extend_prepared) if maps else (align_prepared, extend_aligned)
    )
    if membership is None:
        root = None if reference is None else list(specimens).index(reference)
        return match_together(
            list(specimens.values()), reference=root, reflections=reflections,
            same_scale=same_scale, run=run,
        )  # fmt: skip
    order = [*membership.members, *(key for key in specimens if key not in membership.members)]
    first = order[: membership.together]
    sample = match_together(
        [specimens[key] for key in first],
        reference=first.index(membership.reference),
        reflections=membership.reflections,
        same_scale=membership.same_scale,
        run=run,
    )
    for key in order[membership.together :]:
        sample = extend(sample, specimens[key], run=run)
    return sample


def open_sample(folder: str | Path) -> SampleMatch:
    """Return the maps between all specimens of a folder that `gplandmark match` wrote.

    Nothing is computed or written: all of it was kept.

    Raises
    ------
    SettingsError
        It is no such folder, or what is kept in it is gone or of another version.
    LandmarkFileError
        The store cannot be read.
    """
    output = Path(folder)
    membership = read_membership(output)
    if membership is None or command_of(output) != "match":
        raise SettingsError(
            f"{output} is not what 'gplandmark match' wrote, or that did not end. Run it first, "
            "and name its folder."
        )
    if not store_path(output).exists():
        raise _lost(output)
    store = Store(store_path(output), readonly=True)  # it stays open as long as the sample lives

    def known(function: Callable[[Any], Any], name: str) -> Any:
        if (found := kept(store, name, function)) is None:
            raise _lost(output)
        return found["value"]

    def recalled(function: Callable[[Any], Any], jobs: Sequence[Any]) -> list[Any]:
        return [known(function, job_key(function, job)) for job in jobs]

    try:
        specimens = {
            key: known(prepare_scan, name).specimen for key, name in membership.kept.items()
        }
        return match_or_extend(specimens, membership, recalled)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        if isinstance(error, SettingsError):
            raise
        raise _lost(output) from None  # values that our own runs never keep


def _lost(output: Path) -> SettingsError:
    return SettingsError(
        f"{output} no longer holds all its maps, or they are of another version. Run the same "
        "'gplandmark match' again."
    )


def join_sample(
    scans: PreparedScans,
    output: Path,
    jobs: JobRunner,
    *,
    reference: str | None = None,
    reflections: bool = True,
    same_scale: bool = False,
    again: bool = False,
    maps: bool = True,
    earlier: Path | None = None,
) -> tuple[SampleMatch, tuple[str, ...]]:
    """Match all scans that could be read, and write who is a member.

    Specimens that an earlier run into the same folder did not have are added to its own. Where one
    of those has gone or changed, where something else is asked for, or with `again`, all are
    matched again. The sentences that come back say what was decided. If the folder is new, its
    members are those of the folder `earlier`, and what its run was told of mirror images and of
    scale holds on. `maps` is as of `match_or_extend`.
    """
    now = version("gplandmark")
    marks = {key: content_key(scan) for key, scan in scans.scans.items()}
    membership = None if again else read_membership(output)
    if earlier is not None and (first := read_membership(earlier)) is not None:
        membership = membership or first
        reflections = reflections and first.reflections
        same_scale = same_scale or first.same_scale
    note = ""
    if membership is not None:
        note = _why_not_extended(membership, marks, reference, reflections, same_scale)
    membership = None if note else membership
    specimens = {key: each.specimen for key, each in scans.ready.items()}
    sample = match_or_extend(
        specimens, membership, jobs.values, reference=reference, reflections=reflections,
        same_scale=same_scale, maps=maps,
    )  # fmt: skip
    names = [each.name for each in sample.specimens]
    if membership is not None and len(names) > len(membership.members):
        note = (
            f"{counted(len(names) - len(membership.members), 'specimen')} added to the "
            f"{len(membership.members)} matched before, which stay where they are; --overwrite "
            "matches all again."
        )
    kept = {name: job_key(prepare_scan, scans.scans[name]) for name in names}
    stored = {} if membership is None else membership.kept
    if membership is not None and (membership.version != now or not stored.items() <= kept.items()):
        before = "an earlier one" if membership.version == now else f"version {membership.version}"
        note = f"Version {now} computed again what {before} had stored. {note}".rstrip()
    membership = Membership(
        names[sample.reference],
        {name: marks[name] for name in names},
        kept,
        sample.together,
        sample.reflections,
        now,
        sample.same_scale,
    )
    write_atomically({output / HIDDEN / MEMBERS: json.dumps(asdict(membership), indent=1) + "\n"})
    return sample, (note,) if note else ()


def _why_not_extended(
    membership: Membership, marks: Mapping[str, str], reference: str | None, reflections: bool,
    same_scale: bool,
) -> str:  # fmt: skip
    """Say why an earlier sample cannot be extended; empty if it can."""
    if gone := [key for key, mark in membership.members.items() if marks.get(key) != mark]:
        others = f" (and {len(gone) - 1} more)" if len(gone) > 1 else ""
        return (
            f"All were matched again: {gone[0]}{others}, matched before, is no longer there, has "
            "changed, or is cleaned in another way."
        )
    if reference not in (None, membership.reference):
        return f"All were matched again: the reference was {membership.reference} before."
    if reflections != membership.reflections:
        return "All were matched again: before, mirror images were treated otherwise."
    if same_scale != membership.same_scale:
        before = "with" if membership.same_scale else "without"
        return f"All were matched again: before, it was {before} --same-scale."
    return ""
