# SPDX-License-Identifier: MIT
"""A card for each specimen: its picture with numbered landmarks, and how far to trust them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from gplandmark.landmarks.record import EXPECTED, NOT_ON_FRAGMENT, SHARE
from gplandmark.numerics.arrays import FloatArray
from gplandmark.runs.journal import JournalEntry
from gplandmark.runs.reports.thumbnails import stored_thumbnail
from gplandmark.runs.reports.viewer_links import open_command
from gplandmark.visual.html_page import badge, card, embedded, link, paragraph, safe
from gplandmark.visual.pictures.annotations import label_offsets

RADIUS = 4.2  # pixels, of a landmark
LETTERS = 1.22  # pixels for a point of `label_offsets`
ROOM = 12.0  # pixels on either side of the widest picture, for numbers
BEYOND = 1.5  # a picture larger than this times the median is drawn smaller than the others
GRADES = (0.6, 0.7, 0.8, 0.9)  # of confidence
COLOURS = ("#fca636", "#e16462", "#b12a90", "#6a00a8", "#0d0887")
STYLE = (
    """
.specimen { display: block; width: 100%; height: auto; overflow: visible; }
.specimen text { font: 600 10.5px system-ui, sans-serif; fill: #111; stroke: #fff;
  stroke-width: 2.6px; paint-order: stroke; stroke-linejoin: round; text-anchor: middle;
  dominant-baseline: central; pointer-events: none; }
.specimen circle, .legend circle { stroke: #fff; stroke-width: 1; }
.specimen .hidden circle, .legend .hidden { fill: none; stroke-width: 1.6; }
.legend .hidden { stroke: var(--soft); }
.specimen .hidden { opacity: .65; }
.specimen .hidden text { font-size: 8.5px; font-weight: 400; stroke-width: 1.6px; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; margin: .6rem 0 1rem; }
.legend span { white-space: nowrap; } .legend svg { width: 14px; height: 14px;
  vertical-align: -2px; margin-right: .3rem; }
"""
    + "".join(f".g{k} {{ fill: {colour}; }}\n" for k, colour in enumerate(COLOURS))
    + "".join(
        f".specimen .hidden .g{k} {{ stroke: {colour}; }}\n" for k, colour in enumerate(COLOURS)
    )
)


@dataclass(frozen=True)
class CardLayout:
    """What all cards have in common.

    Attributes
    ----------
    numbers : short text beside each landmark
    labels : their full names
    window : width and height that pictures share, so that all have one scale
    anchors : anchors of the cards on the page, by key
    reference : key of the reference
    """

    numbers: tuple[str, ...]
    labels: tuple[str, ...]
    window: tuple[float, float]
    anchors: Mapping[str, str]
    reference: str

    @classmethod
    def of(
        cls, entries: Sequence[JournalEntry], labels: tuple[str, ...], reference: str
    ) -> "CardLayout":
        """The layout of the specimens on the page."""
        short = all(len(label) <= 3 for label in labels)
        numbers = labels if short else tuple(str(k + 1) for k in range(len(labels)))
        anchors = {entry.key: f"specimen-{k}" for k, entry in enumerate(entries)}
        sizes = [each.facts["picture"]["size"] for each in entries if each.facts.get("picture")]
        return cls(numbers, labels, _window(np.array(sizes, dtype=np.float64)), anchors, reference)

    def link(self, key: str) -> str:
        """A key, with a link to its card if it has one."""
        anchor = self.anchors.get(key)
        return safe(key) if anchor is None else link(key, anchor)


def legend() -> str:
    """What the colours of landmarks mean."""
    names = [f"below {GRADES[0]}"]
    names += [f"{low} to {high}" for low, high in pairwise(GRADES)]
    names += [f"{GRADES[-1]} and more"]
    dots = [(f"g{k}", name) for k, name in enumerate(names)]
    dots.append(("hidden", "hidden behind the specimen"))
    shapes = "".join(
        f'<span><svg viewBox="-7 -7 14 14"><circle class="{kind}" r="5"/></svg>{name}</span>'
        for kind, name in dots
    )
    return f'<div class="legend"><span>Confidence:</span>{shapes}</div>'


def specimen_card(
    entry: JournalEntry, output: Path, layout: CardLayout, reasons: Sequence[str]
) -> str:
    """The card of one specimen that has landmarks; `reasons` say why it is an outlier."""
    facts = entry.facts
    badges = ["annotated"] if facts.get("expert") else []
    badges += ["reference"] if entry.key == layout.reference else []
    badges += ["mirror image"] if is_mirrored(entry) else []
    badges += ["fragment"] if SHARE in facts else []
    badges += ["edited"] if entry.reason else []
    marks = "".join(map(badge, badges))
    if reasons:
        marks += badge("outlier", reason=" ".join(reasons))
    parts = [f"<h3>{safe(entry.key)}{marks}</h3>", *_lines(entry, layout)]
    notes = (facts.get("repairs", ""), *facts.get("notes", ()))
    parts += [paragraph(each, soft=True) for each in notes if each]
    parts.append(open_command(entry.key))
    return card(layout.anchors[entry.key], [_picture(entry, output, layout), *parts])


def is_mirrored(entry: JournalEntry) -> bool:
    """Whether a specimen is a mirror image of the reference; unknown of one without landmarks."""
    return bool(entry.facts.get("mirrored")) and entry.facts.get("landmarks") != 0


def _lines(entry: JournalEntry, layout: CardLayout) -> list[str]:
    """What is known of the landmarks, and who is nearest."""
    facts, said = entry.facts, []
    if entry.reason:
        said.append(f"<p>{safe(entry.reason.capitalize())}.</p>")
    elif facts.get("mean_confidence") is not None:
        words = f"mean confidence {facts['mean_confidence']:.2f}"
        if facts.get("mean_expected_error"):  # 0 where the landmarks of others come from
            words += (
                f"; expected error {facts['mean_expected_error']:.3g}, 90 % within "
                f"{facts['mean_radius_90']:.3g}"
            )
        said.append(f"<p>{words}</p>")
    said += _missing(entry, layout)
    if facts.get("nearest"):
        near = f"nearest: {layout.link(facts['nearest'])}, {facts['nearest_distance']:.3f} away"
        said.append(f"<p>{near}</p>")
    return said


def _missing(entry: JournalEntry, layout: CardLayout) -> list[str]:
    """Which landmarks are missing: because the specimen is a fragment, and for other reasons."""
    facts, said = entry.facts, []
    if SHARE in facts:
        said.append(f"<p>about {100 * facts[SHARE]:.0f} % of a whole specimen</p>")
    if entry.reason or not facts.get("missing"):
        return said
    places = (facts.get("picture") or {}).get("places", [])
    gone = [number for number, place in enumerate(places) if place is None]
    lacking = [k for k in gone if layout.labels[k] in facts.get(NOT_ON_FRAGMENT, ())]
    if lacking:
        listed = safe(_ranges(lacking, layout.numbers))
        why = "not on this fragment" if SHARE in facts else "painted as not bone"
        said.append(f'<p class="unlike">{why}: {listed}</p>')
    if len(lacking) < len(gone) or not gone:
        uncertain = [number for number in gone if number not in lacking]
        listed = _ranges(uncertain, layout.numbers) or str(facts["missing"])
        said.append(f'<p class="unlike">missing: {safe(listed)}</p>')
    return said


def _ranges(chosen: Sequence[int], names: Sequence[str]) -> str:
    """Names of some landmarks, as "2, 5-8, 12"."""
    runs = [
        [number for _, number in group]
        for _, group in groupby(enumerate(chosen), key=lambda pair: pair[1] - pair[0])
    ]
    return ", ".join(
        f"{names[run[0]]}-{names[run[-1]]}" if len(run) > 2 else ", ".join(names[k] for k in run)
        for run in runs
    )


def _window(sizes: FloatArray) -> tuple[float, float]:
    """The largest width and height of pictures (n, 2), without those that are far larger."""
    if not len(sizes):
        return 1.0, 1.0
    width, height = np.where(sizes <= BEYOND * np.median(sizes, axis=0), sizes, 0).max(axis=0)
    return float(width) + 2 * ROOM, float(height)


def _picture(entry: JournalEntry, output: Path, layout: CardLayout) -> str:
    """The picture with its landmarks, in a window that is the same for all."""
    picture = entry.facts.get("picture")
    content = stored_thumbnail(entry, output)
    if not picture or content is None:
        return ""
    width, height = picture["size"]
    wide, high = max(width, layout.window[0]), max(height, layout.window[1])
    left, top = (width - wide) / 2, (height - high) / 2
    return (
        f'<svg class="specimen" viewBox="{left:g} {top:g} {wide:g} {high:g}" role="img" '
        f'aria-label="{safe(entry.key)} with its landmarks">'
        f'<image width="{width}" height="{height}" href="{embedded(content)}"/>'
        f"{_marks(picture, entry.facts, layout)}</svg>"
    )


def _marks(picture: Mapping[str, Any], facts: Mapping[str, Any], layout: CardLayout) -> str:
    """Hidden landmarks below, then those that show, then their numbers."""
    present = [k for k, place in enumerate(picture["places"]) if place is not None]
    order = sorted(present, key=lambda k: not picture["shown"][k])
    places = np.array([picture["places"][k] for k in order]).reshape(-1, 2)
    names = [layout.numbers[k] for k in order]
    texts = places + LETTERS * label_offsets(places / LETTERS, names, 2 * RADIUS / LETTERS)
    circles: dict[bool, list[str]] = {False: [], True: []}
    numbers: dict[bool, list[str]] = {False: [], True: []}
    for k, (x, y), (across, down) in zip(order, places.tolist(), texts.tolist(), strict=True):
        sure, error, radius = (_known(facts, name, k) for name in EXPECTED)
        hover_text = safe(layout.labels[k]) + ("" if sure is None else f": confidence {sure:.2f}")
        if error and radius:
            hover_text += f", expected error {error:.3g}, 90 % within {radius:.3g}"
        circles[picture["shown"][k]].append(
            f'<circle class="g{_grade(sure)}" cx="{x:g}" cy="{y:g}" r="{RADIUS}">'
            f"<title>{hover_text}</title></circle>"
        )
        text = f'<text x="{across:.1f}" y="{down:.1f}">{safe(layout.numbers[k])}</text>'
        numbers[picture["shown"][k]].append(text)
    hidden = "".join(circles[False] + numbers[False])
    return f'<g class="hidden">{hidden}</g>{"".join(circles[True] + numbers[True])}'


def _known(facts: Mapping[str, Any], name: str, landmark: int) -> float | None:
    """What is known of one landmark; None if nothing is."""
    values: Sequence[float | None] = facts.get(name, ())
    return values[landmark] if landmark < len(values) else None


def _grade(confidence: float | None) -> int:
    """The number of the colour; what was not carried is certain."""
    return len(GRADES) if confidence is None else int(np.searchsorted(GRADES, confidence, "right"))
