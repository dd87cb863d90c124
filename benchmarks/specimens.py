"""The specimens that the benchmarks run on: real teeth where they are at hand, else molars."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

import igl
import numpy as np

from gplandmark import Surface, make_molar, read

FOLDER = Path(os.environ.get("GPLANDMARK_SPECIMENS", Path(__file__).parents[2] / "shared"))
OBSERVED = 16  # the paper uses the first 16 of 18 observer landmarks


@dataclass(frozen=True)
class Specimen:
    """A surface and the points that an observer, or the generator, holds to be landmarks."""

    surface: Surface
    observed: np.ndarray


def specimens(count: int | None = None) -> list[Specimen]:
    """Return the 24 teeth of the paper's data set, or as many generated molars."""
    table = FOLDER / "data" / "teeth" / "landmarks.json"
    if not table.exists():
        molars = [make_molar(seed) for seed in range(count or 24)]
        return [Specimen(molar.surface, molar.cusps) for molar in molars]
    found = []
    for each in list(json.loads(table.read_text()).values())[:count]:
        path = table.parent / each["file"]
        if path.exists():
            surface = read(path)
            found.append(
                Specimen(surface, surface.points[surface.vertices_of(each["vertex"][:OBSERVED])])
            )
    return found


def subdivided(surface: Surface, times: int = 1) -> Surface:
    """Split every triangle in four, that many times."""
    points, triangles = surface.points, surface.triangles
    for _ in range(times):
        points, triangles = igl.upsample(points, triangles)
    return Surface(points, triangles, surface.name)
