"""Landmark sets of every kind, for the tests of files."""

import numpy as np
from hypothesis import strategies as st

from gplandmark import Landmarks

coordinates = st.floats(allow_nan=False, allow_infinity=False, width=64)
ordinary = st.floats(-1e6, 1e6)
names = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\x85\u2028\u2029"),
    min_size=1,
    max_size=12,
)
hard_names = names | st.sampled_from(
    ["LM3=4", "ID=x", "my SCALE=", "IMAGE", "a, b", 'say "A"', "Wilson's", "[names]", "landmarks",
     "labels", "#4", " a ", "two\nlines", "tab\tbed", "Dim=3", "1 2 3", "9999", "NA", "'", "é", "_",
     "half \ud800"]
)  # fmt: skip


@st.composite
def collections(draw, many=True, even=True, values=coordinates):
    """One specimen or several, with missing landmarks, types, a system and names."""
    specimens = draw(st.integers(1, 3 if many else 1))
    count = draw(st.integers(0 if specimens == 1 else 2, 5))
    numbered = draw(st.booleans())
    labels = tuple(draw(st.lists(hard_names, min_size=count, max_size=count)))
    found = []
    for name in draw(st.lists(hard_names, min_size=specimens, max_size=specimens, unique=True)):
        size = count if even else draw(st.integers(0, 5))
        points = np.array(
            draw(st.lists(st.tuples(values, values, values), min_size=size, max_size=size))
        ).reshape(-1, 3)
        points[draw(st.lists(st.booleans(), min_size=size, max_size=size))] = np.nan
        told = st.sampled_from(["", "fixed", "semi"])
        found.append(
            Landmarks.at(
                points,
                name,
                labels=() if numbered or not even else labels,
                kinds=tuple(draw(st.lists(told, min_size=size, max_size=size))),
            )
        )
    return found
