"""What the figures show: the paper's teeth where they are at hand, else molars of our own."""

import argparse
import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gplandmark import Surface, make_molar, read

FOLDER = Path(os.environ.get("GPLANDMARK_SPECIMENS", Path(__file__).parents[2] / "shared"))
TEETH = FOLDER / "data" / "teeth"
OBSERVED = 16  # the paper uses the first 16 of 18 observer landmarks


@dataclass(frozen=True)
class Specimen:
    """A surface, landmarks that are known on it and what they are, and the unit of both."""

    surface: Surface
    known: np.ndarray
    known_as: str
    unit: str


def specimen(name: str, *, molar: bool) -> Specimen:
    """Return the tooth of that name, or the molar of the type if there is none."""
    path = TEETH / f"{name}_sas.off"
    if molar or not path.exists():
        made = make_molar()
        return Specimen(made.surface, made.cusps, "cusps of the generator", "mm")
    surface = read(path)
    table = json.loads((TEETH / "landmarks.json").read_text())
    known = surface.points[table[name]["vertex"][:OBSERVED]]
    return Specimen(surface, known, "landmarks of an observer", "file units")


def arguments(description: str, default: str) -> argparse.Namespace:
    """Options that every figure has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("-o", "--output", type=Path, default=Path(default), help=f"[{default}]")
    parser.add_argument("--molar", action="store_true", help="use generated molars in any case")
    return parser.parse_args()
