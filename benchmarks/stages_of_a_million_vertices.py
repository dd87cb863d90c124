"""Claim: no stage dominates at a million vertices, and cost grows linearly.

Stage by stage from a binary PLY to the landmark file, for a tooth subdivided three and four times,
beside farthest-point sampling; then how the cost varies with the bandwidth and with the number of
landmarks.
"""

import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
from contest import contest, measured, peak_memory
from specimens import specimens, subdivided

from gplandmark import Settings, read, select, write
from gplandmark.gp.kernels import FieldKernel, curvature_weight
from gplandmark.io.scans import as_ply
from gplandmark.landmarks import Landmarks, masses
from gplandmark.mesh import estimate_curvature, surface_area, voronoi_areas

COUNT = 150


def stages(path: Path) -> dict[str, float]:
    """Seconds of each stage."""
    marks = [("start", time.perf_counter())]

    def mark(name: str) -> None:
        marks.append((name, time.perf_counter()))

    surface = read(path)
    mark("read, with SHA-256")
    areas = voronoi_areas(surface)
    mark("areas")
    curvature = estimate_curvature(surface)
    mark("curvature")
    masses = curvature_weight(curvature, areas) * areas
    mark("weight")
    kernel = FieldKernel.of(surface.points, masses, 0.008 * surface_area(surface))
    mark("field")
    selection = select(kernel, COUNT)
    mark("selection")
    points = surface.points[selection.indices]
    write(Landmarks.at(points, "tooth"), path.with_suffix(".csv"))
    mark("write")
    return {name: end - begin for (_, begin), (name, end) in pairwise(marks)}


def farthest_point(surface) -> float:
    from faster_than_every_alternative import farthest_point as sample

    began = time.perf_counter()
    sample(surface.points, None, None)
    return time.perf_counter() - began


def by_stage(folder: Path) -> None:
    tooth = specimens(1)[0].surface
    columns = []
    for times in (3, 4):
        surface = subdivided(tooth, times)
        path = folder / f"{times}.ply"
        path.write_bytes(as_ply(surface))
        columns.append((surface.vertex_count, stages(path), farthest_point(surface)))
    print(
        f"{'seconds':<22}" + "".join(f"{count:>12,}" for count, _, _ in columns) + f"{'growth':>9}"
    )
    for name in columns[0][1]:
        values = [seconds[name] for _, seconds, _ in columns]
        print(f"{name:<22}" + "".join(f"{value:>12.2f}" for value in values)
              + f"{values[1] / max(values[0], 1e-9):>9.1f}")  # fmt: skip
    totals = [sum(seconds.values()) for _, seconds, _ in columns]
    samples = [sample for _, _, sample in columns]
    for name, values in (("total", totals), ("farthest-point", samples)):
        print(f"{name:<22}" + "".join(f"{value:>12.2f}" for value in values)
              + f"{values[1] / values[0]:>9.1f}")  # fmt: skip
    ratios = [total / sample for total, sample in zip(totals, samples, strict=True)]
    print(f"{'ratio':<22}" + "".join(f"{value:>12.1f}" for value in ratios))
    print(f"peak memory of this process {peak_memory() / 1e9:.1f} GB\n")


def search(path: Path, fraction: float, count: int) -> list[int]:
    surface = read(path)
    kernel = FieldKernel.of(
        surface.points,
        masses(surface, Settings(weight="uniform")),
        fraction * surface_area(surface),
    )
    return select(kernel, count).indices


def by_request(path: Path) -> None:
    print(f"{'eps / area':>10}{'landmarks':>11}{'found':>8}{'seconds':>10}{'MB':>8}")
    for fraction, count in (
        (0.0003, 150), (0.001, 150), (0.0031, 150), (0.008, 150), (0.03, 150),
        (0.008, 300), (0.008, 1000), (0.001, 1000),
    ):  # fmt: skip
        result = contest(__file__, path, fraction, count)
        print(f"{fraction:>10}{count:>11}{len(result.picks):>8}{result.seconds:>10.1f}"
              f"{result.memory / 1e6:>8.0f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) > 1:
        request = Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
        np.seterr(all="raise", under="ignore")
        measured(lambda: search(*request))
    else:
        with tempfile.TemporaryDirectory() as name:
            by_stage(Path(name))
            by_request(Path(name) / "4.ply")
