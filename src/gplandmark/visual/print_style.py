# SPDX-License-Identifier: MIT
"""The style of all charts: fonts, lines, colours and marks. Change it here."""

from typing import Any

# Text stays text in vector files, and equal pictures are equal bytes.
STYLE: dict[str, Any] = {
    "font.family": ["DejaVu Sans", "sans-serif"],
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.frameon": False,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "gplandmark",
}

# Okabe and Ito's colours, which colour-blind readers can distinguish; black comes first.
COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F")
HUES = (*COLOURS[1:7], COLOURS[0])  # of groups, black last; grey is for those without a group
UNKNOWN = "#9a9a9a"
MARKERS = "osD^vPX<>*"
MARK_SIZES = {"^": 5.5, "v": 5.5, "<": 5.5, ">": 5.5, "P": 6.0, "X": 6.0, "*": 8.0}  # in points
MARK_SIZE = 5.0
LINES = ("-", "--")  # in turn, so that curves on top of each other both show
LOW, HIGH, MIDDLE = "#0072B2", "#D55E00", "#6f6f6f"  # ends of a component, and the consensus
OUTWARDS = "RdBu_r"  # colour map of displacements: blue inwards, red outwards
NAMED = 30  # specimens up to which each has its name beside it


def group_colour(number: int) -> str:
    """Colour of a group by its number in alphabetical order."""
    return HUES[number % len(HUES)]


def group_mark(number: int) -> str:
    """Mark of a group by its number in alphabetical order."""
    return MARKERS[number % len(MARKERS)]
