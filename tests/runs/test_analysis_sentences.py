"""The report of an analysis says its numbers in sentences."""

import numpy as np
import pytest
from shape_samples import base_shape, landmarks, moved

from gplandmark.morphometrics.analysis import analyse
from gplandmark.runs.reports.result_sentences import (
    about_components,
    about_distances,
    about_extremes,
    opening,
)

pytestmark = pytest.mark.filterwarnings("ignore::gplandmark.GplandmarkWarning")


@pytest.fixture
def analysis(random):
    """Twelve specimens of two groups; landmark c differs, and s3 is like s1 but for a little."""
    shape = base_shape(random)
    points = np.repeat(shape[None], 12, axis=0) + 0.002 * random.normal(size=(12, *shape.shape))
    points[::2, 2] += 0.5
    points[3] = points[1] + 1e-5
    points[7, 0] += 1.5
    points = np.array([moved(each, random) for each in points])
    labels = tuple("abcdefghijklmnopq"[: len(shape)])
    groups = {f"s{number}": "xy"[number % 2] for number in range(12)}
    return analyse(landmarks(points, labels=labels), groups, permutations=99)


def test_sentences_have_the_numbers(analysis):
    said = opening(analysis)
    assert said.startswith("12 specimens with 12 landmarks each were superimposed. Size is taken")
    rate = 100 * analysis.classification.rate
    assert f"{rate:.1f} % of 12 specimens are nearest to one of their own group" in said
    assert f"p = {analysis.test.p_value:.4g}" in said
    first, second = analysis.components.variance_fractions[:2]
    assert f"explains {100 * first:.1f} %" in about_components(analysis)
    assert f"the first two {100 * (first + second):.1f} %" in about_components(analysis)
    assert "Most similar are s1 and s3" in about_distances(analysis)
    assert "s7" in about_distances(analysis).split("least similar")[1]
    moves = np.linalg.norm(analysis.components.axes[0], axis=1)
    name = analysis.aligned.labels[int(moves.argmax())]
    assert about_extremes(analysis, 2).startswith(f"Along PC1, landmarks {name},")
    assert about_extremes(analysis, 2).count("Along") == 2
