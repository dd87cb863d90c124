# SPDX-License-Identifier: MIT
"""``gplandmark view SURFACE``: one scan in the browser, perhaps with another one beside it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gplandmark.cli.options.scans import check_count
from gplandmark.cli.progress import landmark_progress
from gplandmark.errors import LandmarkFileError
from gplandmark.io.files import check_writable
from gplandmark.io.overwrite import check_not_input
from gplandmark.io.scans import specimen_name
from gplandmark.landmarks import place
from gplandmark.runs.viewing.collection import NEW, Collection, Specimen, output_beside
from gplandmark.runs.viewing.collection_view import CollectionView, ViewOptions
from gplandmark.visual.editor import NotBoneEditor, check_output
from gplandmark.visual.editor.output_file import lock_output

PLACED = "placed here"


@dataclass(frozen=True)
class ViewedScan:
    """A scan, and its landmarks; without a file they are placed."""

    scan: Path
    landmarks: Path | None = None

    @property
    def landmark_name(self) -> str:
        """What its landmarks are called."""
        return PLACED if self.landmarks is None else self.landmarks.name


def open_specimens(
    first: ViewedScan,
    other: ViewedScan | None,
    output: Path | None,
    count: int,
    options: ViewOptions,
) -> CollectionView:
    """Open a scan for editing, and another one, or the same with other landmarks, beside it.

    Raises
    ------
    GplandmarkError
        A file cannot be read, landmarks belong to another scan, the count is impossible, or the
        named output cannot be written.
    """
    scans = [first] if other is None else [first, other]
    specimens = []
    for number, (each, key) in enumerate(zip(scans, _keys(scans), strict=True)):
        named = output if number == 0 and output is not None else _default_output(each)
        specimens.append(Specimen(key, each.scan, each.landmarks, named))
    folder = first.scan.absolute().parent
    shown = CollectionView(Collection(folder, "", tuple(specimens), is_single=True), options)
    for specimen in specimens:
        opened = shown.opened(specimen.key)
        if specimen.landmarks is None:
            check_count(count, opened.surface)
    if output is not None:
        check_not_input(output, [first.scan])
        check_output(output, shown.opened(specimens[0].key).surface, force=True)
        lock_output(output).release()  # says who edits it, if somebody does
    return shown


def place_missing(shown: CollectionView, count: int) -> Callable[[], None]:
    """A function that places landmarks on specimens without any; the page shows them then."""

    def placing() -> None:
        for each in shown.collection.specimens:
            opened = shown.opened(each.key)
            if each.landmarks is None and not opened.editor.state.marks:
                method = opened.method
                with landmark_progress(count, shown=True) as progress:
                    placed = place(
                        opened.surface, count, settings=method.settings, weight=method.weight,
                        exclude=NotBoneEditor(opened.editor).mask, progress=progress,
                    )  # fmt: skip
                opened.start_with(placed)

    return placing


def _keys(scans: list[ViewedScan]) -> list[str]:
    """Names that differ: of the scans, or of the landmarks if the scan is the same."""
    names = [specimen_name(each.scan) for each in scans]
    if len(set(names)) == len(names):
        return names
    keys = [f"{name}, {each.landmark_name}" for name, each in zip(names, scans, strict=True)]
    if len(set(keys)) == len(keys):
        return keys
    return [f"{key} ({number + 1})" for number, key in enumerate(keys)]


def _default_output(scan: ViewedScan) -> Path:
    """The opened landmarks if they are ours; a new file beside an expert's; or in this folder."""
    here = Path(f"{specimen_name(scan.scan)}{NEW}")
    if scan.landmarks is None:
        return here
    beside = output_beside(scan.scan, scan.landmarks)
    try:
        check_writable(beside)
    except LandmarkFileError:
        return here
    return beside
