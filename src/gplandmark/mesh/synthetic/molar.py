# SPDX-License-Identifier: MIT
"""A synthetic lower molar: cusps, ridges, a basin and an open rim, all at known places.

The crown is the image of the unit disc under a smooth map, so that a point (u, v) of the
disc names the same anatomical place on every molar of any shape. A family of molars
with different seeds therefore comes with true homologous points.
"""

from dataclasses import dataclass, fields, replace

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arguments import whole_number
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.representation import short_repr

CUSP_NAMES = ("protoconid", "metaconid", "hypoconid", "entoconid", "hypoconulid")
# Places in the disc: mesial is +u, buccal is +v. The order is that of CUSP_NAMES.
CUSP_PLACES = np.array([[0.36, 0.36], [0.30, -0.38], [-0.26, 0.40], [-0.32, -0.36], [-0.56, 0.04]])
CUSP_HEIGHTS = np.array([1.0, 0.95, 0.85, 0.8, 0.6])
CUSP_WIDTHS = np.array([0.21, 0.2, 0.21, 0.2, 0.16])
CRESTS = ((0, 1), (0, 2), (1, 3), (2, 4), (3, 4))  # ridges run from cusp to cusp
BROW = 0.74  # radius in the disc where the chewing surface turns into the wall


@dataclass(frozen=True)
class MolarShape:
    """The proportions of a molar; lengths in millimetres.

    Attributes
    ----------
    length, width : of the crown, mesial to distal and buccal to lingual
    wall_height : from the open rim at the neck of the tooth to the brow
    cusp_height : of the tallest cusp above the brow
    ridge_height : of the crests between cusps, as a fraction of `cusp_height`
    basin_depth : of the basin between the cusps below the brow
    variation : how much two molars of a family differ, 0 for no difference
    """

    length: float = 5.2
    width: float = 4.2
    wall_height: float = 2.2
    cusp_height: float = 1.4
    ridge_height: float = 0.35
    basin_depth: float = 0.6
    variation: float = 0.08

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not (np.isfinite(value) and value >= 0):
                raise SettingsError(f"A molar's {each.name} must be 0 or more, got {value}.")
        if min(self.length, self.width) == 0:
            raise SettingsError("A molar needs a length and a width above 0.")


@dataclass(frozen=True, eq=False)
class Molar:
    """A synthetic molar with its true places and proportions.

    Attributes
    ----------
    surface : the crown, an open disc with one rim
    places : (n, 2) the point of the disc that each vertex comes from
    plan : the proportions and the cusps of this individual
    """

    surface: Surface
    places: FloatArray
    plan: "MolarPlan"

    __repr__ = short_repr

    @property
    def cusps(self) -> FloatArray:
        """Tips of the cusps, shape (5, 3), in the order of `cusp_names`."""
        return self.at(self.plan.places)

    @property
    def cusp_names(self) -> tuple[str, ...]:
        """Anatomical names of the cusps."""
        return CUSP_NAMES

    def at(self, places: FloatArray) -> FloatArray:
        """Points (k, 3) of the smooth crown at places (k, 2) of the disc: true homologues."""
        return _crown(places, self.plan)

    def homologues(self, places: FloatArray) -> FloatArray:
        """Points (k, 3) of the crown at places (k, 2) of the type that move with the cusps.

        The disc is deformed by d(p) = sum_i K(p, c_i) a_i, which takes the type's cusps c_i to this
        molar's and leaves the rim, with K(p, q) = (1 - |p|^2)(1 - |q|^2) exp(-|p - q|^2 / 0.25). So
        cusps are homologous to cusps, and the points between are interpolated.
        """
        moved = np.linalg.solve(_bending(CUSP_PLACES), self.plan.places - CUSP_PLACES)
        return self.at(places + _bending(places) @ moved)


@dataclass(frozen=True, eq=False)
class MolarPlan:
    """One individual: its proportions, and the place, height and width of each cusp."""

    shape: MolarShape
    places: FloatArray
    heights: FloatArray
    widths: FloatArray


def make_molar(
    seed: int = 0, *, vertex_count: int = 5000, shape: MolarShape | None = None
) -> Molar:
    """Make the molar of one individual.

    Parameters
    ----------
    seed : the individual; 0 is the type specimen, which has exactly the given shape. Others
        vary around it by `shape.variation`. The triangulation differs too.
    vertex_count : about how many vertices, at least 100
    shape : the proportions of the type specimen

    Returns
    -------
    Molar
        ``molar.at(places)`` are homologous points of every molar; the cusps are homologous
        by their number.
    """
    if whole_number(seed, "A molar's seed") < 0:
        raise SettingsError(f"A molar's seed must be 0 or more, got {seed}.")
    if whole_number(vertex_count, "The number of vertices") < 100:
        raise SettingsError(f"A molar needs at least 100 vertices, got {vertex_count}.")
    plan = _individual(seed, shape or MolarShape())
    places = _disc(vertex_count, seed)
    surface = Surface(_crown(places, plan), _triangulate(places), f"molar-{seed}")
    return Molar(surface, places, plan)


def _individual(seed: int, shape: MolarShape) -> MolarPlan:
    """Vary the proportions and the cusps around those of the type specimen."""
    if seed == 0:
        return MolarPlan(shape, CUSP_PLACES, CUSP_HEIGHTS, CUSP_WIDTHS)
    random = np.random.default_rng(seed)
    spread = shape.variation

    def factors(count: int) -> FloatArray:
        return np.exp(spread * random.standard_normal(count))

    names = [each.name for each in fields(shape) if each.name != "variation"]
    scaled = factors(len(names)) * [getattr(shape, name) for name in names]
    values = dict(zip(names, scaled.tolist(), strict=True))
    return MolarPlan(
        replace(shape, **values),
        CUSP_PLACES + spread * 0.3 * random.standard_normal(CUSP_PLACES.shape),
        CUSP_HEIGHTS * factors(len(CUSP_HEIGHTS)),
        CUSP_WIDTHS * factors(len(CUSP_WIDTHS)),
    )


def _crown(places: FloatArray, plan: MolarPlan) -> FloatArray:
    """Map the disc to the crown, shape (n, 3): flat inside the brow, a wall outside it."""
    shape = plan.shape
    radius = np.linalg.norm(places, axis=1)
    inner = radius == 0  # the centre of the disc has no direction; any suffices
    direction = np.where(inner[:, None], [1.0, 0.0], places / np.where(inner, 1.0, radius)[:, None])
    wall = np.clip((radius - BROW) / (1 - BROW), 0, 1)  # 0 on top, 1 at the rim
    # The wall bulges outwards below the brow and narrows again towards the neck.
    reach = np.minimum(radius, BROW) / BROW * 0.86 + 0.16 * np.sin(0.75 * np.pi * wall)
    # A rounded rectangle: the fourth powers pull the outline towards its corners.
    outline = np.maximum((direction**4).sum(axis=1), 0.49) ** -0.12  # 1/2 or more, 0 in the middle
    flat = direction * (reach * outline)[:, None] * np.array([shape.length, shape.width]) / 2
    height = shape.wall_height * (1 - wall**1.5) + _relief(places, plan) * (1 - wall) ** 2
    return np.column_stack([flat, height])


def _relief(places: FloatArray, plan: MolarPlan) -> FloatArray:
    """Height above the brow: cusps and crests, and the basin below it, shape (n,)."""
    shape = plan.shape
    tall = shape.cusp_height * plan.heights
    offsets = places[:, None] - plan.places
    distance = np.linalg.norm(offsets, axis=2) / plan.widths
    # exp(-r) is a pointed cone; the square root rounds its very tip.
    cusps = (tall * np.exp(0.25 - np.sqrt(0.0625 + distance**2))).sum(axis=1)
    crests = np.zeros(len(places))
    for start, end in CRESTS:
        along, across = _segment(places, plan.places[start], plan.places[end])
        crest = shape.ridge_height * ((1 - along) * tall[start] + along * tall[end])
        # Level at both ends, so that the tips of the cusps stay where they are.
        crests += crest * np.exp(-((across / 0.07) ** 2)) * (along * (1 - along) * 4) ** 2
    basin = shape.basin_depth * np.exp(-((np.linalg.norm(places, axis=1) / 0.45) ** 2))
    return np.asarray(cusps + crests - basin)


def _bending(places: FloatArray) -> FloatArray:
    """Covariance (k, 5) of places with the type's cusps, none at the rim."""
    apart = ((places[:, None] - CUSP_PLACES) ** 2).sum(axis=2)
    rim = np.maximum(1 - (places**2).sum(axis=1), 0.0)
    return np.asarray(rim[:, None] * (1 - (CUSP_PLACES**2).sum(axis=1)) * np.exp(-apart / 0.25))


def _segment(
    places: FloatArray, start: FloatArray, end: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Position along a segment, from 0 to 1, and distance from it, both of shape (n,)."""
    direction = end - start
    along = np.clip((places - start) @ direction / (direction @ direction), 0, 1)
    nearest = start + along[:, None] * direction
    return along, np.linalg.norm(places - nearest, axis=1)


def _disc(count: int, seed: int) -> FloatArray:
    """Spread about `count` points over the unit disc, the last ring exactly on its rim."""
    rim_count = int(np.ceil(np.sqrt(4 * np.pi * count)))
    inner_count = count - rim_count
    index = np.arange(inner_count) + 0.5
    radius = np.sqrt(index / inner_count) * (1 - 0.75 * np.pi / rim_count)
    # Sunflower spiral: the golden angle spreads points evenly at every radius.
    angle = np.pi * (1 + np.sqrt(5)) * index + seed
    inner = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    turn = 2 * np.pi * np.arange(rim_count) / rim_count
    return np.vstack([inner, np.column_stack([np.cos(turn), np.sin(turn)])])


def _triangulate(places: FloatArray) -> IndexArray:
    """Delaunay triangles of the disc, turned so that they face out of the crown."""
    from scipy.spatial import Delaunay

    triangles: IndexArray = Delaunay(places).simplices.astype(np.int64)
    first, second, third = (places[triangles[:, corner]] for corner in range(3))
    one, two = second - first, third - first
    turn = one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]
    proper = np.abs(turn) > 1e-12  # no slivers between points of the rim
    triangles, turn = triangles[proper], turn[proper]
    triangles[turn < 0] = triangles[turn < 0][:, [0, 2, 1]]
    return triangles
