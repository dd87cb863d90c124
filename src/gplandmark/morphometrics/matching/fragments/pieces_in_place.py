# SPDX-License-Identifier: MIT
"""Whether the pieces of a specimen are in place, and what is said of them.

Pieces have one frame, that of their file. Each is found in a whole specimen on its own. Where they
lie there tells whether they are still in place.
"""

from collections.abc import Sequence

import numpy as np

from gplandmark.morphometrics.matching.carry import PairMap
from gplandmark.morphometrics.matching.points import SampledSurface

DISPLACED = 3.0  # times the error that the maps explain: pieces are then not in place
LEAST_ERROR = 0.012  # of a pose, in units of size


def in_place(maps: Sequence[PairMap]) -> bool:
    """Whether pieces, each mapped from the same whole specimen, lie in one frame as they do in it.

    The pose of each is compared with those of the others, on both pieces. Poses may differ by a
    multiple of what the specimens differ by, as the maps show it.
    """
    return all(_agree(one, two) for k, one in enumerate(maps) for two in maps[:k])


def _agree(one: PairMap, two: PairMap) -> bool:
    if one.backward.pose.reflects != two.backward.pose.reflects:
        return False
    places = np.vstack(
        [each.target.in_file(each.target.levels[0].positions) for each in (one, two)]
    )
    here, there = (each.backward.pose.at(each.target.in_unit(places)) for each in (one, two))
    apart = float(np.sqrt(((here - there) ** 2).sum(axis=1).mean()))
    squares = [each.backward.displacement**2 for each in (one, two)]
    return apart < DISPLACED * float(np.sqrt(sum(squares) + LEAST_ERROR**2))


def remark_on_pieces(pieces: Sequence[SampledSurface], maps: Sequence[PairMap]) -> str:
    """What is said of a specimen in pieces; `maps` from one whole specimen to them, if known."""
    shares = " and ".join(f"{100 * each.share:.0f}" for each in pieces)
    said = (
        f"{pieces[0].name} is in {len(pieces)} pieces, which have about {shares} % of the surface "
        "of a whole specimen."
    )
    if len(maps) < len(pieces):
        return said
    if in_place(maps):
        return f"{said} Their relative pose is plausible."
    return (
        f"{said} Their relative pose is not plausible: they are not in place. Distances between "
        "landmarks on different pieces mean nothing."
    )
