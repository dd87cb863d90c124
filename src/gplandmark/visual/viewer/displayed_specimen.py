# SPDX-License-Identifier: MIT
"""A specimen as the viewer shows it: the mesh drawn, the landmarks step by step, the colours.

Every vertex of a display mesh is a vertex of the surface, so that values are carried over by
index and nothing is interpolated. Clicks are answered by the surface, not by this mesh.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gplandmark.errors import SettingsError
from gplandmark.gp.conditioning import ConditionedProcess, variance_given
from gplandmark.gp.kernels import Kernel, PartKernel
from gplandmark.landmarks import Landmarks
from gplandmark.landmarks.curves import Curve
from gplandmark.landmarks.on_surface import vertices_on
from gplandmark.mesh.decimation import coarse_mesh
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.visual.editor.curve_editor import CurvePaths
from gplandmark.visual.editor.open import origin_of
from gplandmark.visual.editor.placement import Finder
from gplandmark.visual.pictures.colour_maps import variance_scale

MOST_VERTICES = 100_000  # about 200,000 triangles, which current browsers turn smoothly
FEWEST_VERTICES = 1_000


@dataclass(frozen=True, eq=False)
class DisplayMesh:
    """What is drawn of a surface.

    Attributes
    ----------
    vertices : (k,) vertices of the surface that are drawn
    triangles : (m, 3) corners, which count `vertices`; None for a cloud
    is_whole : whether it is the surface itself
    """

    vertices: IndexArray
    triangles: IndexArray | None
    is_whole: bool


def display_mesh(surface: Surface, most: int = MOST_VERTICES) -> DisplayMesh:
    """The surface itself if it has at most `most` vertices, otherwise a coarser mesh.

    Raises
    ------
    SettingsError
        Fewer than 1,000 vertices are allowed, or the points do not lie in space.
    """
    if most < FEWEST_VERTICES:
        raise SettingsError(
            f"A display mesh needs at least {FEWEST_VERTICES:,} vertices to show anything, "
            f"got {most:,}."
        )
    if surface.points.shape[1] != 3:
        raise SettingsError(
            f"{surface.name} has points in {surface.points.shape[1]} dimensions; "
            "only those in space can be shown."
        )
    vertices, triangles = coarse_mesh(surface, most)
    return DisplayMesh(vertices, triangles, len(vertices) == int(surface.covered().sum()))


@dataclass(frozen=True, eq=False)
class Steps:
    """Landmarks in their order.

    Attributes
    ----------
    points : (m, 3) in the coordinates of the file, NaN where one is missing
    labels : their names
    largest : (m + 1,) largest remaining variance after 0 to m landmarks, a fraction of the initial
    variance : from a number of landmarks to the remaining variance at every vertex drawn, (k,), as
        fractions of the largest initial one
    name : of the set
    curves : through landmarks, whose members are their positions
    paths : of each curve the paths (k, 3) from each of its members to the next
    """

    points: FloatArray
    labels: tuple[str, ...]
    largest: FloatArray
    variance: Callable[[int], FloatArray]
    name: str = "landmarks"
    curves: tuple[Curve, ...] = ()
    paths: tuple[list[FloatArray], ...] = ()

    def __len__(self) -> int:
        return len(self.points)


def steps_of(
    surface: Surface, kernel: Kernel, landmarks: Landmarks, drawn: IndexArray, name: str
) -> Steps:
    """Condition the process on landmarks in their order, at the vertices that are drawn.

    A landmark between vertices counts at its nearest vertex; one that earlier ones determine,
    e.g. a duplicate, changes nothing. The largest variance is that of the vertices drawn.

    Raises
    ------
    LandmarkFileError
        A landmark is missing, or lies too far off the surface to belong to it.
    """
    vertices, _ = vertices_on(surface, landmarks, name)
    points, places = np.unique(np.append(drawn, vertices), return_inverse=True)
    process = ConditionedProcess(PartKernel(kernel, points), room=len(vertices))
    shown, scale = places[: len(drawn)], process.initial
    start = process.variances[shown] / scale
    history = process.history(places[len(drawn) :], np.ones(len(points))).relative()
    rows = process.rows[: process.count, shown] / np.sqrt(scale)
    rows = np.ascontiguousarray(rows, dtype=np.float32)

    def variance(count: int) -> FloatArray:
        return np.minimum(variance_given(start, rows[: history.ranks[count]]), 1)

    return Steps(
        landmarks.points, landmarks.labels, history.largest, variance, name,
        landmarks.curves, _curve_paths(surface, landmarks),
    )  # fmt: skip


def _curve_paths(surface: Surface, landmarks: Landmarks) -> tuple[list[FloatArray], ...]:
    if not landmarks.curves:
        return ()
    state = origin_of(Finder(surface), landmarks).state
    return tuple(list(paths) for paths in CurvePaths(surface).of(state))


VARIANCE = variance_scale(100)
LOWEST = 1e-3  # %: below this remaining variance, colours would show rounding errors


@dataclass(eq=False)
class DisplayedSpecimen:
    """A specimen in the viewer, and its landmarks if they are known yet.

    Attributes
    ----------
    surface : in the coordinates of its file
    title : written above it
    mesh : what is drawn of it
    steps : its landmarks; None until there are any
    """

    surface: Surface
    title: str
    mesh: DisplayMesh
    steps: Steps | None = None

    @property
    def size_in_words(self) -> str:
        """How many vertices it has, how many are drawn if not all, and how many landmarks."""
        text = f"{self.surface.vertex_count:,} vertices"
        if not self.mesh.is_whole:
            text += f", drawn with {len(self.mesh.vertices):,} of them"
        return text if self.steps is None else f"{text}, {len(self.steps)} landmarks"
