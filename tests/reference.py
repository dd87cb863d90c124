"""Algorithm 1 with no cleverness at all: the truth that every faster path must reproduce."""

import numpy as np


def dense_kernel(points, masses, eps):
    """W^T Lambda W as an n x n matrix: steps 5, 6 and 10."""
    differences = points[:, None] - points
    heat = np.exp(-(differences**2).sum(axis=2) / eps)
    return heat.T @ np.diag(masses) @ heat


def algorithm_1(kernel, count):
    """Steps 11 to 22 for a dense kernel, with the product under `diag` formed as written."""
    trace = np.diag(kernel)
    picks = []
    peaks = []
    while len(picks) < count:
        if not picks:
            score = trace
        else:
            psi = kernel[:, picks]
            b = np.linalg.solve(psi[picks], psi.T)
            score = trace - np.diag(psi @ b)
        picks.append(int(np.argmax(score)))
        peaks.append(float(score.max()))
    return picks, peaks


def pivoted_cholesky(diagonal, column, count):
    """Return the picks, and for each the variance of every point just before it."""
    variance = diagonal.copy()
    rows, picks, before = [], [], []
    for _ in range(count):
        pick = int(np.argmax(variance))
        before.append(variance.copy())
        row = column(pick)
        for earlier in rows:
            row = row - earlier[pick] * earlier
        row = row / np.sqrt(variance[pick])
        rows.append(row)
        picks.append(pick)
        variance = variance - row**2
    return picks, before


def assert_same_picks(picks, expected, before, *, tie=1e-9):
    """Equal, up to the first tie within `tie` of the current variance."""
    for number, (pick, reference) in enumerate(zip(picks, expected, strict=True)):
        if pick != reference:
            variance = before[number]
            gap = 1 - variance[pick] / variance[reference]
            assert gap < tie, f"pick {number}: {pick}, not {reference}; {gap:.1e} below it"
            return
