"""Samples of shapes whose truth is known, for the tests of the analysis."""

import numpy as np
from scipy.spatial.transform import Rotation

from gplandmark import Landmarks

COUNT = 12


def base_shape(random, count=COUNT):
    return random.normal(size=(count, 3)) * [3.0, 2.0, 1.0]


def moved(points, random, scale=True):
    """The same shape elsewhere, turned, and of another size."""
    turn = Rotation.random(random_state=int(random.integers(2**31))).as_matrix()
    size = np.exp(0.3 * random.normal()) if scale else 1.0
    return size * points @ turn + 100 * random.normal(size=3)


def sample(random, specimens=8, noise=0.1, count=COUNT):
    """Configurations (s, k, 3) around one shape, each in a pose and size of its own."""
    shape = base_shape(random, count)
    return np.stack(
        [moved(shape + noise * random.normal(size=shape.shape), random) for _ in range(specimens)]
    )


def landmarks(points, **details):
    """One `Landmarks` for each configuration, called s0, s1, ..."""
    return [Landmarks.at(each, f"s{number}", **details) for number, each in enumerate(points)]
