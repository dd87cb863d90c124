"""What the tests share: small surfaces, and the real specimens where they are at hand."""

import os
from pathlib import Path

import numpy as np
import pytest

from gplandmark import Settings, Surface, make_molar
from gplandmark.specimens import sphere, torus

SPECIMENS = Path(os.environ.get("GPLANDMARK_SPECIMENS", Path(__file__).parents[2] / "shared"))

# On the small meshes of these tests the default radius would be less than two edges.
SMALL = Settings(curvature_radius=0.15)


def specimen(name: str) -> Path:
    """Path of a real specimen; the test is skipped where there are none."""
    path = SPECIMENS / name
    if not path.exists():
        pytest.skip(f"the specimen {name} is not at hand")
    return path


def teeth() -> list[Path]:
    return sorted((SPECIMENS / "data" / "teeth").glob("*_sas.off"))


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.fixture(scope="session")
def molar() -> Surface:
    return make_molar(1, vertex_count=700).surface


@pytest.fixture(scope="session", params=["sphere", "torus", "molar"])
def any_surface(request: pytest.FixtureRequest, molar: Surface) -> Surface:
    return {
        "sphere": sphere(2).surface,
        "torus": torus(24, 12).surface,
        "molar": molar,
    }[request.param]
