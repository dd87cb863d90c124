# SPDX-License-Identifier: MIT
"""Fragments: recognised by what they lack, and found in whole specimens.

The size of a fragment is that of the whole specimen it belonged to, as the overlap shows it. All
lengths then mean the same on both.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from gplandmark.morphometrics.matching.fragments.fragment_choice import best_pose, distinct_poses
from gplandmark.morphometrics.matching.fragments.fragment_search import (
    LARGEST,
    NATURAL,
    SMALLEST,
    is_believable,
)
from gplandmark.morphometrics.matching.fragments.one_way_registration import refine_one_way
from gplandmark.morphometrics.matching.fragments.open_border import (
    border_length,
    border_points,
    distance_from_border,
    outside_border,
)
from gplandmark.morphometrics.matching.mirror_images import SYMMETRIC
from gplandmark.morphometrics.matching.points import (
    SampledSurface,
)
from gplandmark.morphometrics.matching.pose_search import Alignment
from gplandmark.morphometrics.matching.registration import Pose
from gplandmark.morphometrics.matching.sampling import sample_surface
from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.threads import single_threaded

# Lengths of open borders, in units of size: from which a surface may be broken, and from which it
# has a border that belongs to it. Skulls with small holes have up to 0.9, crowns of teeth 2.4.
BROKEN, OPEN = 0.5, 1.2
# Distance from the border beyond which a part of the whole counts as lacking: of a closed one, and
# of one with a border of its own.
OUTSIDE, FAR_OUTSIDE = 0.02, 0.05
# Fraction of the whole that a fragment lacks: of a closed one, and of one with a border of its own,
# as the crowns of teeth have, which are cut off at different heights. To the latter is added a part
# of the fraction of the fragment's border that lies deep inside the whole one: there it is broken.
LACKING, LACKING_OF_OPEN = 0.06, 0.195
DEEP, BREAK = 0.2, 0.8  # distance from the border of the whole; weight of that fraction
# Size over what it is after the loss of so much area: a smaller one does not lack, it differs.
SHRUNK = 0.9
# Certainty of a pose below which, and distance above which, a fragment is searched in all poses.
DOUBTFUL, UNLIKE = 0.5, 0.06
RIVAL = 1.12  # distance over that of the best pose, up to which another one may be right
WHOLE = 0.99  # largest fraction of the whole that a fragment may have


@dataclass(frozen=True, eq=False)
class FragmentTask:
    """A specimen that may be a fragment of another, and a pose of the first on the second.

    Attributes
    ----------
    fragment, whole : the specimens, each in units of its own size
    alignment : of the fragment to the whole, as of two whole specimens; None to search at once
    asymmetric : asymmetry of the whole; infinite if reflections are to be tried in any case
    reflections : whether one may be the mirror image of the other
    same_scale : whether the files share a unit, so that sizes differ only as those of specimens do
    """

    fragment: SampledSurface
    whole: SampledSurface
    alignment: Alignment | None = None
    asymmetric: float = np.inf
    reflections: bool = True
    same_scale: bool = field(default=False, metadata={"later": True})

    @property
    def known_scale(self) -> float | None:
        """Scale between specimens of equal size, by the units of the files.

        None if it is unknown, or cannot be that of a fragment: then the units differ.
        """
        scale = self.fragment.size / self.whole.size
        is_possible = SMALLEST < scale < LARGEST * NATURAL
        return scale if self.same_scale and is_possible else None


def may_be_broken(specimen: SampledSurface) -> bool:
    """Whether a surface has an open border as long as a break would leave it."""
    return border_length(specimen) > BROKEN


def recognise_fragment(task: FragmentTask) -> Alignment | None:
    """The pose of a fragment in a whole specimen, with its scale; None if it is no fragment."""
    if not may_be_broken(task.fragment):
        return None
    share, found = _compared(task)
    return _at_known_scale(task, found or _search(task)) if share > 1 else None


def lacking_share(task: FragmentTask) -> float:
    """What a specimen lacks of another, over what is significant; above 1 it is a fragment."""
    return _compared(task)[0]


@single_threaded
def _compared(task: FragmentTask) -> tuple[float, Alignment | None]:
    """What a specimen lacks, and its pose where all were tried.

    From the pose that two whole specimens have, it is refined in one direction, with scale. If that
    pose is uncertain, and fits badly or shows a lack, all are tried. A fragment leaves a part of
    the whole beyond its open border, in each pose that may be right.
    """
    fragment, whole, given = task.fragment, task.whole, task.alignment
    if given is not None:
        pose = refine_one_way(fragment.levels, whole.levels, given.pose, task.known_scale)
        share = _lacking(task, pose)
        if given.certainty >= DOUBTFUL or (share <= 1 and given.distance < UNLIKE):
            return share, None
    poses, distances = _poses(task)
    found = best_pose(poses, distances)
    if found.certainty >= DOUBTFUL:
        return _lacking(task, found.pose), found
    rivals = np.flatnonzero(distances < RIVAL * distances.min())
    return min(_lacking(task, poses[row]) for row in rivals), found


def _lacking(task: FragmentTask, pose: Pose) -> float:
    """Fraction of the whole beyond the fragment's border, over the fraction that is significant."""
    fragment, whole = task.fragment, task.whole
    if not is_believable(pose.scale, task.known_scale):
        return 0.0
    points = whole.levels[2]
    outside = pose.scale * outside_border(fragment, pose.inverse().at(points.positions))[0]
    share = float(points.weights @ (outside > OUTSIDE))
    if border_length(whole) <= OPEN:
        return share / LACKING
    if pose.scale < SHRUNK * np.sqrt(1 - share):
        return 0.0
    far = float(points.weights @ (outside > FAR_OUTSIDE))
    deep = distance_from_border(whole, pose.at(border_points(fragment))) > DEEP
    return (far + BREAK * float(deep.mean())) / LACKING_OF_OPEN


@single_threaded
def search_fragment(task: FragmentTask) -> Alignment:
    """The pose of a fragment in a whole specimen, with its scale, of all poses."""
    return _at_known_scale(task, _search(task))


def _at_known_scale(task: FragmentTask, found: Alignment) -> Alignment:
    """The alignment; without any certainty, if files share a unit that contradicts its scale."""
    if task.same_scale and units_differ(task.whole.size, task.fragment.size / found.pose.scale):
        return replace(found, turned=found.distance)
    return found


def _search(task: FragmentTask) -> Alignment:
    return best_pose(*_poses(task))


def _poses(task: FragmentTask) -> tuple[list[Pose], FloatArray]:
    """Possible poses of a fragment, and their distances, (n,)."""
    own, given = task.fragment, task.alignment
    signs = (1, -1) if task.reflections and task.asymmetric >= SYMMETRIC else (1,)
    further = [] if given is None or given.pose.reflects > (-1 in signs) else [given.pose]
    return distinct_poses(own, task.whole, signs, further, task.known_scale)


def units_differ(one: float, other: float) -> bool:
    """Whether sizes of two whole specimens, in file units, differ more than those of a sample."""
    return not 1 / NATURAL < one / other < NATURAL


def at_whole_size(job: tuple[SampledSurface, float]) -> SampledSurface:
    """A fragment sampled again, with the size of the whole specimen, in units of its file."""
    fragment, length = job
    found = sample_surface(fragment.surface, length).with_share(WHOLE)
    return found if fragment.scan is None else found.of_scan(fragment.scan)


def rescaled(alignment: Alignment, factor: float) -> Alignment:
    """An alignment of a specimen whose unit of length is so many times the one before."""
    pose = alignment.pose
    return replace(alignment, pose=Pose(pose.rotation, pose.shift, pose.scale * factor))
