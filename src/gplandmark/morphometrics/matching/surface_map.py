# SPDX-License-Identifier: MIT
"""The map between two surfaces: homologous points of one on the other."""

from dataclasses import dataclass, replace

from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.matching.carried_points import Carried
from gplandmark.morphometrics.matching.carry import MapChain, PairMap, Route
from gplandmark.morphometrics.matching.deformation import Deformation, fit_deformation
from gplandmark.morphometrics.matching.fragments.fragment_map import fit_fragment
from gplandmark.morphometrics.matching.fragments.pieces import large_pieces, sampled_pieces
from gplandmark.morphometrics.matching.fragments.pieces_in_place import remark_on_pieces
from gplandmark.morphometrics.matching.fragments.recognition import (
    FragmentTask,
    at_whole_size,
    recognise_fragment,
    rescaled,
    units_differ,
)
from gplandmark.morphometrics.matching.mirror_images import aligner, asymmetry
from gplandmark.morphometrics.matching.points import Levels, SampledSurface
from gplandmark.morphometrics.matching.pose_search import UNLIKE, Alignment
from gplandmark.morphometrics.matching.registration import Pose, refine_similarity
from gplandmark.morphometrics.matching.sampling import sample_surface
from gplandmark.numerics import array_types as npt
from gplandmark.numerics.threads import single_threaded

NEVER_MIRRORED = "If no specimen is the mirror image of another, use --never-mirrored."
CLEAR = 0.5  # certainty of a pose below which it is called ambiguous


@dataclass(frozen=True, eq=False)
class SurfaceMap:
    """A map from one surface to another, and back.

    Attributes
    ----------
    step : the two specimens and the deformations between them
    alignment : the initial pose, and how clearly it was the best
    same_scale : whether both files share a unit
    others : if one specimen is in pieces, the maps of its other pieces; the largest is here
    """

    step: PairMap
    alignment: Alignment
    same_scale: bool = False
    others: "tuple[SurfaceMap, ...]" = ()

    @property
    def reflects(self) -> bool:
        """Whether one specimen is a left and the other a right."""
        return self.alignment.pose.reflects

    @property
    def overlap(self) -> float | None:
        """Fraction of the whole specimen that the fragment covers; None if both are whole.

        That of pieces is the sum.
        """
        shares = [min(each.step.source.share, each.step.target.share) for each in self.maps]
        return min(sum(shares), 1.0) if shares[0] < 1 else None

    @property
    def maps(self) -> "tuple[SurfaceMap, ...]":
        """The map of each piece; only this one if both are in one piece."""
        return (self, *self.others)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Warnings about the map, as sentences."""
        source, target = self.step.source, self.step.target
        found = remarks_on(source.name, target.name, self.alignment)
        ordered = [source, target][:: 1 if target.is_fragment else -1]
        parts = [each for each in (source, target) if each.is_fragment]
        if self.same_scale and parts and (other := remark_on_units(*ordered)):
            return (other,)
        if self.others:
            steps = [each.step for each in self.maps]
            if not target.is_fragment:
                steps = [each.reversed() for each in steps]
            return (remark_on_pieces([each.target for each in steps], steps), *found)
        return (*map(remark_on_fragment, parts), *found)

    @property
    def route(self) -> Route:
        """The route from source to target, of a single map."""
        chains = (MapChain((self.step,)),)
        ends = self.step.source, self.step.target
        others = tuple(each.route for each in self.others)
        return Route(*ends, chains, self.alignment.certainty, self.reflects, others)

    def carry(self, points: npt.ArrayLike, *, on_surface: bool = False) -> Carried:
        """Carry points (m, 3) of the source, in its file's coordinates, to the target.

        A point off the surface keeps its offset, unless `on_surface` is set.
        """
        return self.route.carry(points, on_surface=on_surface)

    def reversed(self) -> "SurfaceMap":
        """The map from target to source."""
        back = replace(self.alignment, pose=self.alignment.pose.inverse())
        others = tuple(each.reversed() for each in self.others)
        return replace(self, step=self.step.reversed(), alignment=back, others=others)


def match_pair(
    source: Surface, target: Surface, *, reflections: bool = True, same_scale: bool = False
) -> SurfaceMap:
    """Find the map between two surfaces, in any pose, unit and size, left or right.

    Both are sampled evenly and scaled to unit size. From the best of 48 initial poses, reflections
    included, a deformation is fitted in each direction, from coarse to fine. Any topology will do.
    Without `reflections` neither may be the mirror image of the other. With `same_scale` both files
    share a unit, which helps to find a fragment. If one of them is in large pieces, and at least
    two of these are fragments of the other, each has a map of its own.

    Raises
    ------
    ScanError
        A surface has no triangles, or no area.
    """
    here, there = sample_surface(source), sample_surface(target)
    asymmetries = [asymmetry(each.levels) if reflections else 0.0 for each in (here, there)]
    options = reflections, same_scale
    if found := _of_pieces(here, there, asymmetries[0], *options):
        return found
    if found := _of_pieces(there, here, asymmetries[1], *options):
        return found.reversed()
    alignment = aligner(reflections)((here.levels, there.levels, max(asymmetries)))
    back = replace(alignment, pose=alignment.pose.inverse())
    of_target = FragmentTask(there, here, back, asymmetries[0], *options)
    of_source = FragmentTask(here, there, alignment, asymmetries[1], *options)
    task, pose = _surest_fragment(of_target, of_source)
    if pose:
        fitted = replace(_with_fragment(task.whole, task.fragment, pose), same_scale=same_scale)
        return fitted if task is of_target else fitted.reversed()
    forward, backward = fit_both_ways((here.levels, there.levels, alignment.pose))
    return SurfaceMap(PairMap(here, there, forward, backward), alignment, same_scale)


def _surest_fragment(*tasks: FragmentTask) -> tuple[FragmentTask, Alignment | None]:
    """The first task whose fragment is recognised with a clear pose, or else the surest of all.

    A whole specimen, in a wrong pose, may seem to lack a part of what is left of another.
    """
    tried: list[tuple[FragmentTask, Alignment | None]] = []
    for task in tasks:
        found = recognise_fragment(task)
        tried.append((task, found))
        if found and found.certainty >= CLEAR:
            return task, found
    return max(tried, key=lambda each: each[1].certainty if each[1] else -1.0)


def _of_pieces(
    whole: SampledSurface,
    scan: SampledSurface,
    asymmetric: float,
    reflections: bool,
    same_scale: bool,
) -> SurfaceMap | None:
    """The maps from a whole specimen to those pieces of a scan that are fragments of it.

    None if there are not at least two.
    """
    pieces = large_pieces(scan.surface)
    if not pieces or large_pieces(whole.surface):
        return None
    maps = []
    for piece in sampled_pieces(scan, map(sample_surface, pieces)):
        task = FragmentTask(piece, whole, None, asymmetric, reflections, same_scale)
        if found := recognise_fragment(task):
            maps.append(replace(_with_fragment(whole, piece, found), same_scale=same_scale))
    return replace(maps[0], others=tuple(maps[1:])) if len(maps) > 1 else None


def _with_fragment(whole: SampledSurface, part: SampledSurface, found: Alignment) -> SurfaceMap:
    """The map from a whole specimen to a fragment that was found in it."""
    fragment = at_whole_size((part, part.size / found.pose.scale))
    alignment = rescaled(found, fragment.size / part.size)
    forward, backward, share = fit_fragment((whole, fragment, alignment.pose))
    fragment = fragment.with_share(min(share, fragment.share))
    return SurfaceMap(
        PairMap(whole, fragment, forward, backward),
        replace(alignment, pose=alignment.pose.inverse()),
    )


@single_threaded
def fit_both_ways(job: tuple[Levels, Levels, Pose]) -> tuple[Deformation, Deformation]:
    """Fit deformations from source to target and from target to source.

    The given pose is refined first, with its scale.
    """
    source, target, start = job
    pose, _ = refine_similarity(source[-1], target[-1], start)
    return fit_deformation(source, target, pose), fit_deformation(target, source, pose.inverse())


def remark_on_fragment(fragment: SampledSurface, *, lacks: bool = True) -> str:
    """What is said of a fragment that `lacks` landmarks, or of one that has all, the reference."""
    return (
        f"{fragment.name} is a fragment: it has about {100 * fragment.share:.0f} % of the surface "
        "of a whole specimen. "
        + ("Landmarks on the rest are missing." if lacks else "All landmarks lie on this part.")
    )


def remark_on_units(whole: SampledSurface, fragment: SampledSurface) -> str:
    """What is said of a fragment that cannot have the unit of a whole specimen; or nothing."""
    if not units_differ(whole.size, fragment.size):
        return ""
    return (
        f"{fragment.name} does not fit at the scale of {whole.name}: by its form, the specimen "
        f"that it belonged to was {fragment.size / whole.size:.2g} times as large. Its landmarks "
        "are missing. If the files have different units, leave out --same-scale."
    )


def remarks_on(
    source: str, target: str, alignment: Alignment, *, sides: bool = True
) -> tuple[str, ...]:
    """Warnings about the pose of one specimen on another; with `sides`, about left and right."""
    remarks = []
    if sides and alignment.pose.reflects and alignment.certainty >= CLEAR:
        remarks.append(f"{target} is a mirror image of {source}: one is left, the other right.")
    if alignment.certainty < CLEAR:
        is_mirror = alignment.mirrored <= alignment.turned
        remarks.append(
            f"The pose of {source} on {target} is ambiguous: "
            f"{'mirrored' if is_mirror else 'rotated'}, it fits as well. "
            "The shape is symmetric, or the two have little in common."
            + (f" {NEVER_MIRRORED}" if is_mirror else "")
        )
    if alignment.distance > UNLIKE:
        remarks.append(
            f"{source} and {target} are dissimilar (distance {alignment.distance:.3f} of their "
            f"size; specimens of one kind have at most {UNLIKE:g}): other anatomy, or a fragment."
        )
    return tuple(remarks)
