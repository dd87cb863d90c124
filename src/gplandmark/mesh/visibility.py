# SPDX-License-Identifier: MIT
"""The outer surface: vertices that can be seen from far away along some direction.

Rays from the vertices towards one direction are parallel, so that they are cast all at once:
in the plane across the direction every ray is a point, and a triangle blocks the points that it
covers and that lie behind it. A grid of cells finds the candidates.
"""

from dataclasses import replace

import numpy as np

from gplandmark.mesh.areas import principal_frame
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.numerics.native import choose_loops
from gplandmark.numerics.rotations import perpendicular_vectors
from gplandmark.numerics.threads import run_threaded, thread_count

DIRECTIONS = 128
NEARER = 1e-9  # of the size: what is not nearer than this does not block, e.g. a coincident vertex


def visible_from_outside(
    surface: Surface, directions: int = DIRECTIONS, among: IndexArray | None = None
) -> BoolArray:
    """Return which vertices are seen from outside along at least one direction, shape (n,).

    A vertex is seen along a direction when the ray from it meets no triangle but its own. So no
    vertex inside a closed shell is seen, however thin the shell. No line of sight is farther than
    17 degrees from one of the 128 directions: a vertex in a pit is certainly seen if the pit opens
    by a cone of that half-angle, and possibly if it is narrower.
    Triangles block from both sides, and their orientation does not matter.

    Parameters
    ----------
    surface : with triangles
    directions : how many, spread evenly over the sphere; rounded up to a multiple of 8. They lie
        in the frame of the specimen's principal axes and turn with it
    among : vertices that are looked at; all by default. Others count as not seen
    """
    triangles = surface.faces()
    centre, axes = principal_frame(surface)
    points = np.ascontiguousarray((surface.points - centre).T)
    asked = surface.covered()
    if among is not None:
        asked &= np.isin(np.arange(surface.vertex_count), among)
    hidden = asked.copy()
    views = viewing_directions(directions) @ axes
    together = thread_count()
    for start in range(0, len(views), together):
        rest = np.flatnonzero(hidden)
        some = views[start : start + together]
        batch = [(view, np.ones(len(rest), dtype=bool)) for view in some]

        def cast(item: tuple[FloatArray, BoolArray], rest: IndexArray = rest) -> None:
            item[1][:] = blocked_along(item[0], points, triangles, rest)

        if len(rest):
            run_threaded(cast, batch)
            hidden[rest] = np.all([blocked for _, blocked in batch], axis=0)
    return asked & ~hidden


def outer_part(surface: Surface) -> Surface:
    """The triangles with a corner that is seen from outside; vertices are numbered anew."""
    triangles = surface.faces()
    kept = triangles[visible_from_outside(surface)[triangles].any(axis=1)]
    used, corners = np.unique(kept, return_inverse=True)
    return replace(
        surface, points=surface.points[used], triangles=corners.reshape(-1, 3), numbers=None
    )


def viewing_directions(count: int) -> FloatArray:
    """Unit vectors over the sphere, shape (k, 3), symmetric under reflection of any axis.

    A spiral of points over one octant at equal areas, and its mirror images. Successive
    directions lie in different octants, so that few of them see most of a surface.
    """
    each = -(-count // 8)
    height = (np.arange(each) + 0.5) / each
    # The golden ratio spreads the angles; its start keeps them off the planes between the axes.
    angle = np.pi / 2 * ((0.5 + np.arange(each) * (np.sqrt(5) - 1) / 2) % 1)
    across = np.sqrt(1 - height**2)
    octant = np.column_stack([across * np.cos(angle), across * np.sin(angle), height])
    signs = np.array(np.meshgrid([1, -1], [1, -1], [1, -1])).reshape(3, 8).T
    return np.asarray((octant[:, None] * signs).reshape(-1, 3))


def blocked_along(
    view: FloatArray, points: FloatArray, triangles: IndexArray, asked: IndexArray
) -> BoolArray:
    """Return at which of the given vertices the ray towards `view` meets the surface, shape (k,).

    `points` are (3, n), one row per coordinate.
    """
    # Not as a matrix product: its threads would compete with ours.
    x, y, z = points
    axes = np.vstack([perpendicular_vectors(view), view])
    one, two, depth = (axis[0] * x + axis[1] * y + axis[2] * z for axis in axes)
    extent = np.array([np.ptp(one), np.ptp(two)])
    margin = NEARER * float(max(*extent, np.ptp(depth)))
    # Cells of about one ray each; rays in a line have cells too.
    least = max(1e-3 * float(extent.max()), np.finfo(float).tiny)
    side = np.sqrt(np.maximum(extent, least).prod() / len(asked))
    seen = np.stack([(one - one.min()) / side, (two - two.min()) / side, depth], axis=1)
    row, column = seen[asked, 0].astype(np.int64), seen[asked, 1].astype(np.int64)
    rows, columns = int(row.max()) + 1, int(column.max()) + 1
    code = row * columns + column
    order = np.argsort(code)
    starts = np.append(0, np.cumsum(np.bincount(code, minlength=rows * columns)))
    vertices = asked[order]
    met = np.zeros(len(asked), dtype=np.int64)
    choose_loops().block_rays(
        seen, triangles, seen[vertices], vertices, starts, met, columns, margin
    )
    blocked = np.zeros(len(asked), dtype=bool)
    blocked[order] = met.astype(bool)
    return blocked
