# SPDX-License-Identifier: MIT
"""Label maps in collections: every label is a specimen of its own."""

from collections.abc import Iterable
from dataclasses import replace

from gplandmark.errors import ScanError
from gplandmark.io.scans.rules import Rules
from gplandmark.io.volumes.options import ALL
from gplandmark.io.volumes.volume_files import is_volume
from gplandmark.runs.discover import Findings, ScanFile, unused_key


def with_labels(found: Findings, rules: Rules) -> Findings:
    """Return the findings with a specimen for each label of every volume, if all are asked for.

    One that cannot be read stays a single specimen, and reading it says what is wrong.
    """
    if rules.volume is None or rules.volume.label != ALL:
        return found
    taken = {each.key.casefold() for each in found.specimens}
    specimens: list[ScanFile] = []
    for each in found.specimens:
        if is_volume(each.path):
            specimens += _labelled(each, rules, taken)
        else:
            specimens.append(each)
    return replace(found, specimens=sorted(specimens))


def _labelled(specimen: ScanFile, rules: Rules, taken: set[str]) -> Iterable[ScanFile]:
    from gplandmark.io.volumes.volume_surface import labels_in

    assert rules.volume is not None
    try:
        labels = labels_in(specimen.path)
    except ScanError:
        return [replace(specimen, volume=replace(rules.volume, label=1))]
    return [
        ScanFile(
            unused_key(f"{specimen.key}-label{label}", taken),
            specimen.path,
            replace(rules.volume, label=label),
        )
        for label in labels
    ]
