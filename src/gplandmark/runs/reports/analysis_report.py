# SPDX-License-Identifier: MIT
"""The report of an analysis: one page that opens without a network."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from gplandmark.io.formatting import counted
from gplandmark.morphometrics.analysis.analyse import Analysis, methods
from gplandmark.morphometrics.analysis.analysis_tables import TABLES
from gplandmark.morphometrics.analysis.shape_distances import ContinuousAnalysis
from gplandmark.morphometrics.analysis.specimen_groups import Classification, Mrpp
from gplandmark.runs.reports.result_sentences import (
    about_components,
    about_distances,
    about_extremes,
    opening,
)
from gplandmark.runs.reports.supplement import Supplement
from gplandmark.visual.html_page import Section, data_table, facts, image, note, page, paragraph

PICTURES = {
    "pc-1-2": "Specimens along the first two principal components. Distances in the plot are "
    "approximately Procrustes distances, as far as these two components explain them.",
    "pc-3-4": "The same along the third and fourth component.",
    "scree": "Variance explained by each component, and cumulatively.",
    "ends": "Shapes at the lowest and the highest score of each component, as displacements of "
    "the landmarks from the consensus; seen along two of its principal axes.",
    "surfaces": "The surface warped by thin-plate splines to the lowest score, the consensus and "
    "the highest score of each component. Colours say how far it moves outwards or inwards from "
    "the consensus; between landmarks this is interpolated.",
    "distances": "Partial Procrustes distances between specimens; the lighter, the more similar.",
    "continuous-distances": "Continuous Procrustes distances between specimens, in units of the "
    "square root of the area; the lighter, the more similar.",
}
"""Sentences below the pictures, by the name of their files."""
SHOWN = 8  # components in the table
ENDS = 3  # components whose ends are drawn
MOST_ROWS = 400  # specimens in a table of the page; the .csv has all


def analysis_page(
    title: str,
    analysis: Analysis,
    pictures: Mapping[str, bytes],
    files: Sequence[str],
    supplements: Sequence[Supplement] = (),
) -> str:
    """Return the page.

    `pictures` are PNG by the names of `PICTURES` and of the captions of supplements, `files` the
    names of what lies beside the page.
    """
    captions = {**PICTURES}
    descriptions = {**TABLES}
    for each in supplements:
        captions |= each.captions
        descriptions |= each.descriptions
    drawn = {name: image(pictures[name], captions[name], width=_inches(pictures[name]))
             for name in pictures}  # fmt: skip
    sections = [
        Section("Principal components", (paragraph(about_components(analysis)),
                                         *_drawn(drawn, "pc-1-2", "pc-3-4", "scree"),
                                         _components(analysis))),
        Section("Shapes at the extremes", (paragraph(about_extremes(analysis, ENDS)),
                                           *_drawn(drawn, "surfaces", "ends"))),
        *(section for each in supplements for section in each.sections(drawn)),
        Section("Groups", tuple(_by_groups(analysis))),
        Section("Distances", (paragraph(about_distances(analysis)), *_drawn(drawn, "distances"))),
        *_continuous(analysis, _drawn(drawn, "continuous-distances")),
        Section("Specimens", (_specimens(analysis),)),
        Section("How it was computed", tuple(map(paragraph, methods(analysis)))),
        Section("Files beside this page", (facts(_described(files, descriptions, captions)),)),
    ]  # fmt: skip
    found = [each.summary for each in supplements if each.summary]
    first = [paragraph(" ".join([opening(analysis), *found])), *map(note, analysis.notes)]
    return page(title, first, [each for each in sections if each.parts])


def _described(
    files: Sequence[str], tables: Mapping[str, str], captions: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Descriptions of files; a picture in several formats has one row."""
    rows: dict[str, str] = {}
    for name in files:
        stem, dot, _ = name.rpartition(".")
        if name in tables or stem not in captions:
            rows[name] = tables.get(name, "settings, versions and notes")
        else:
            own = [other.removeprefix(stem) for other in files
                   if other.startswith(stem + dot) and other not in tables]  # fmt: skip
            rows[stem + ", ".join(own)] = captions[stem]
    return list(rows.items())


def _drawn(drawn: Mapping[str, str], *names: str) -> tuple[str, ...]:
    return tuple(drawn[name] for name in names if name in drawn)


def _components(analysis: Analysis) -> str:
    parts = analysis.components
    summed = np.cumsum(parts.variance_fractions)
    return data_table(
        ("component", "variance", "fraction", "cumulative"),
        (
            (
                f"PC{number + 1}", f"{parts.variances[number]:.4g}",
                f"{100 * parts.variance_fractions[number]:.2f} %", f"{100 * summed[number]:.2f} %",
            )
            for number in range(min(SHOWN, len(summed)))
        ),
    )  # fmt: skip


def _by_groups(found: Analysis | ContinuousAnalysis) -> list[str]:
    """Return what groups say; nothing where none were given."""
    names = found.aligned.names if isinstance(found, Analysis) else found.names
    parts = [] if found.classification is None else _classified(names, found.classification)
    return parts if found.test is None else [*parts, *_tested(found.test)]


def _continuous(analysis: Analysis, pictures: Sequence[str]) -> list[Section]:
    """Return what whole surfaces say; nothing where they were not matched."""
    if (found := analysis.continuous) is None:
        return []
    sentence = (
        "Landmarks compare surfaces in a few places; this distance compares them everywhere. It is "
        "how far corresponding points lie apart, the root of the mean square over the area, when "
        "two specimens of area 1 are laid upon each other as well as they can. It does not depend "
        f"on the landmarks. Compared are {counted(len(found.names), 'specimen')}."
    )
    return [Section("Continuous distances",
                    (paragraph(sentence), *pictures, *_by_groups(found)))]  # fmt: skip


def _classified(specimens: Sequence[str], found: Classification) -> list[str]:
    names = sorted({group for group, used in zip(found.groups, found.counted, strict=True)
                    if group is not None and used})  # fmt: skip
    rows = []
    for name in names:
        members = [number for number, group in enumerate(found.groups) if group == name]
        wrong = [str(found.predicted[number]) for number in members if not found.correct[number]]
        taken = [other if times == 1 else f"{other} ({times})"
                 for other, times in Counter(wrong).items()]  # fmt: skip
        rows.append((name, ", ".join(taken), str(len(members)), str(len(members) - len(wrong))))
    others = [
        (name, str(taken))
        for name, own, taken in zip(specimens, found.groups, found.predicted, strict=True)
        if own is None
    ][:MOST_ROWS]
    sentence = (
        f"Each specimen in turn is taken for one of the group of its nearest neighbour. Right: "
        f"{int(found.correct.sum())} of {int(found.counted.sum())} specimens, "
        f"{100 * found.rate:.1f} %; a neighbour drawn at random would be right for "
        f"{100 * found.chance:.1f} %. Only groups with two members and more count."
    )
    return [
        paragraph(sentence),
        data_table(("group", "taken for", "members", "right"), rows, words=2),
        *([data_table(("without a group", "taken for"), others, words=2)] if others else []),
    ]


def _tested(test: Mrpp) -> list[str]:
    sentence = (
        f"Multi-response permutation procedure: mean distance within groups delta = "
        f"{test.delta:.4g}, expected by chance {test.expected:.4g}; chance-corrected agreement "
        f"A = {test.agreement:.4f}; p = {test.p_value:.4g} from {test.permutations:,} random "
        f"permutations (seed {test.seed})."
    )
    rows = [(name, str(size), f"{mean:.4g}") for name, (size, mean) in test.within.items()]
    return [paragraph(sentence), data_table(("group", "members", "mean distance within"), rows)]


def _specimens(analysis: Analysis) -> str:
    aligned = analysis.aligned
    offsets = np.linalg.norm(aligned.shapes - aligned.consensus, axis=(1, 2))
    others = analysis.distances + np.where(np.eye(len(offsets)), np.inf, 0.0)
    groups = analysis.groups or (None,) * len(offsets)
    rows = [
        (
            aligned.names[number], groups[number] or "",
            "mirror image" if aligned.mirrored[number] else "",
            aligned.names[int(others[number].argmin())],
            f"{others[number].min():.4f}", f"{offsets[number]:.4f}",
            f"{aligned.centroid_sizes[number]:.5g}", str(aligned.missing[number].sum()),
        )
        for number in range(min(len(offsets), MOST_ROWS))
    ]  # fmt: skip
    header = ("specimen", "group", "", "nearest", "distance", "to the consensus",
              "centroid size", "estimated")  # fmt: skip
    more = len(offsets) - len(rows)
    said = paragraph(f"{more} more are in specimens.csv.", soft=True) if more else ""
    return data_table(header, rows, words=4) + said


def _inches(content: bytes) -> float:
    """Width of a PNG picture, from its header, at the resolution that we draw with."""
    from gplandmark.visual.pictures.image_files import RESOLUTION

    return int.from_bytes(content[16:20], "big") / RESOLUTION * 1.25
