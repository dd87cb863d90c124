"""Claim: exact landmarks of a million vertices in seconds; alternatives need an n x n matrix.

150 landmarks with the default kernel. Kernel and selection are timed together; "whole" is reading a
binary PLY, curvature, kernel, selection and writing the file. Ratios are to farthest-point sampling
in its plain form, in the same run. Each contestant runs in its own process as far as it can go.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from contest import contest, measured
from scipy.linalg import lapack
from scipy.spatial.distance import cdist
from specimens import specimens, subdivided

from gplandmark import place, read, select, write
from gplandmark.gp.kernels import FieldKernel, ReweightedKernel
from gplandmark.io.scans import as_ply
from gplandmark.mesh import surface_area, voronoi_areas

COUNT = 150
FRACTION = 0.008


def formed(points, masses, eps):
    """W^T Lambda W, formed as fast as NumPy can."""
    heat = np.exp(-cdist(points, points, "sqeuclidean") / eps)
    return heat.T @ (masses[:, None] * heat)


def as_written(points, masses, eps):
    """Algorithm 1 with the product under `diag` formed as written: the reference of the tests."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from reference import algorithm_1

    return algorithm_1(formed(points, masses, eps), COUNT)[0]


def diagonal_only(points, masses, eps):
    kernel = formed(points, masses, eps)
    trace, picks = np.diag(kernel), []
    score = trace
    while len(picks) < COUNT:
        picks.append(int(np.argmax(score)))
        psi = kernel[:, picks]
        score = trace - np.einsum("ij,ji->i", psi, np.linalg.solve(psi[picks], psi.T))
    return picks


def lapack_pivoted(points, masses, eps):
    _, pivots, _, _ = lapack.dpstrf(formed(points, masses, eps), lower=1, overwrite_a=1)
    return pivots[:COUNT] - 1


def linear_operator_pivoted(points, masses, eps):
    import torch
    from linear_operator import to_linear_operator

    kernel = to_linear_operator(torch.from_numpy(formed(points, masses, eps)))
    _, pivots = kernel.pivoted_cholesky(COUNT, error_tol=1e-12, return_pivots=True)
    return pivots[:COUNT].tolist()


def farthest_point(points, _masses, _eps):
    """Three contiguous coordinates, one vectorised pass over all vertices per landmark."""
    x, y, z = (np.ascontiguousarray(column) for column in points.T)
    distance, picks = np.full(len(x), np.inf), [0]
    while len(picks) < COUNT:
        last = picks[-1]
        gap = (x - x[last]) ** 2 + (y - y[last]) ** 2 + (z - z[last]) ** 2
        np.minimum(distance, gap, out=distance)
        picks.append(int(distance.argmax()))
    return picks


def direct(points, masses, eps):
    return select(ReweightedKernel(points, masses, eps), COUNT).indices


def field(points, masses, eps):
    return select(FieldKernel.of(points, masses, eps), COUNT).indices


# How many times each can stand the tooth to be subdivided: n = 5, 20, 80, 320, 1280 thousand. At 20
# thousand the n x n matrix has 3.3 GB and forming it takes minutes; at 80 thousand, 52 GB.
CONTESTANTS = {
    "Algorithm 1 as written": (as_written, 0),
    "Algorithm 1, diagonal only": (diagonal_only, 1),
    "LAPACK dpstrf": (lapack_pivoted, 1),
    "linear_operator": (linear_operator_pivoted, 1),
    "gplandmark, direct": (direct, 1),
    "gplandmark, field": (field, 4),
    "gplandmark, whole": (None, 4),
    "farthest-point sampling": (farthest_point, 4),
}


DENSE = (
    "Algorithm 1, diagonal only",
    "LAPACK dpstrf",
    "linear_operator",
    "gplandmark, direct",
)


def whole(folder: Path) -> list[int]:
    surface = read(folder / "tooth.ply")
    landmarks = place(surface, COUNT)
    write(landmarks, folder / "tooth.mrk.json")
    return surface.vertices_of(landmarks.vertices)


def compete(name: str, folder: Path) -> None:
    """Run one contestant in this process."""
    if name == "gplandmark, whole":
        measured(lambda: whole(folder))
        return
    surface = read(folder / "tooth.ply")
    masses = voronoi_areas(surface) / surface_area(surface)
    points, eps = surface.points.copy(), FRACTION * surface_area(surface)
    measured(lambda: CONTESTANTS[name][0](points, masses, eps))


def main(deepest: int, is_patient: bool) -> None:
    tooth = specimens(1)[0].surface
    print("area weight, eps = 0.008 of the area; 'whole' has the curvature weight\n")
    print(f"{'n':>9}  {'':<28}{'seconds':>9}{'ratio':>9}{'MB':>8}{'same picks':>12}")
    for times in range(deepest + 1):
        surface = subdivided(tooth, times)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "tooth.ply").write_bytes(as_ply(surface))
            results = {
                each: contest(__file__, each, folder)
                for each, (_, most) in CONTESTANTS.items()
                if times <= most and (is_patient or not times or each not in DENSE)
            }
        yardstick = results["farthest-point sampling"].seconds
        for each, result in results.items():
            if result is None:
                print(
                    f"{surface.vertex_count:>9,}  {each:<28}{'not installed, or out of memory':>36}"
                )
                continue
            picks = (
                ""
                if each.startswith(("farthest", "gplandmark, whole"))
                else agreement(result.picks, results["gplandmark, field"].picks)
            )
            print(
                f"{surface.vertex_count:>9,}  {each:<28}{result.seconds:>9.2f}"
                f"{result.seconds / yardstick:>9.1f}{result.memory / 1e6:>8.0f}{picks:>12}",
                flush=True,
            )
        print()


def agreement(one: list[int], two: list[int]) -> str:
    return f"{sum(a == b for a, b in zip(one, two, strict=False))} of {len(two)}"


if __name__ == "__main__":
    # python faster_than_every_alternative.py [subdivisions] [patient: dense contestants at 20k too]
    if len(sys.argv) > 1 and sys.argv[1] in CONTESTANTS:
        compete(sys.argv[1], Path(sys.argv[2]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 4, "patient" in sys.argv)
