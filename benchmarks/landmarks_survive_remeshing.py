"""Claim: landmarks stay where they are when a mesh is subdivided or decimated.

Share of the first 40 landmarks that have one of the new 40 within 0.02 sqrt(area), after every
triangle was split in four, and after the mesh was decimated to half its triangles.
"""

import fast_simplification
import igl
import numpy as np
from scipy.spatial import cKDTree
from specimens import specimens, subdivided

from gplandmark import Settings, Surface, place, preset
from gplandmark.mesh import surface_area

COUNT = 40
NEAR = 0.02
METHODS = {
    "vertices": (Settings(), False),
    "between vertices": (Settings(), True),
    "authors' code": (preset("authors"), False),
}


def decimated(surface: Surface) -> Surface:
    """Half the triangles: quadric error of libigl, or fast_simplification where that gives up."""
    centre = surface.points.mean(axis=0)
    points, triangles = surface.points - centre, surface.triangles
    found = igl.qslim(points, triangles, len(triangles) // 2)
    if len(found[0]):
        return Surface(found[0] + centre, found[1], surface.name)
    points, triangles = fast_simplification.simplify(
        points, triangles.astype(np.int32), target_reduction=0.5
    )
    return Surface(points + centre, triangles, surface.name)


def kept(before: Surface, after: Surface, settings: Settings, between: bool) -> float:
    first, second = (
        place(each, COUNT, settings=settings, between_vertices=between).points
        for each in (before, after)
    )
    distances = cKDTree(second).query(first)[0]
    return float(np.mean(distances < NEAR * np.sqrt(surface_area(before))))


def main() -> None:
    print(f"share of {COUNT} landmarks kept within {NEAR} sqrt(area)\n")
    columns = [f"{method}, {change}" for method in METHODS for change in ("split", "halved")]
    print(f"{'':<12}" + "".join(f"{column:>24}" for column in columns))
    rows = []
    for each in specimens():
        surface = each.surface
        row = [
            kept(surface, changed, *method)
            for method in METHODS.values()
            for changed in (subdivided(surface), decimated(surface))
        ]
        rows.append(row)
        print(f"{surface.name:<12}" + "".join(f"{value:>24.0%}" for value in row), flush=True)
    print(f"{'mean':<12}" + "".join(f"{value:>24.1%}" for value in np.mean(rows, axis=0)))


if __name__ == "__main__":
    main()
