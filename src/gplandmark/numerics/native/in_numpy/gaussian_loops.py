# SPDX-License-Identifier: MIT
"""Sums of Gaussians and Cholesky downdates: the twins of ``_gaussian_loops.c``."""

import numpy as np
import scipy

from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.threads import chunks

BLOCK = 4096  # points at a time: bounds the temporary arrays of BLOCK * width^3


def horner(u: FloatArray, coefficients: FloatArray, width: int) -> tuple[IndexArray, FloatArray]:
    """First tap and tap weights of coordinates u, from the taps' polynomials."""
    shifted = u - 0.5 * width
    first = np.ceil(shifted)
    s = (2.0 * (first - shifted) - 1.0)[..., None]
    weights: FloatArray = np.broadcast_to(coefficients[-1], (*u.shape, coefficients.shape[1]))
    for row in coefficients[-2::-1]:
        weights = weights * s + row
    return first.astype(np.int64), weights


def spread(
    grid: FloatArray, points: FloatArray, masses: FloatArray, window: FloatArray, width: int
) -> None:
    """Add masses to the grid: ``grid[j] += mass * phi(j - u)`` axis by axis."""
    for piece in chunks(len(points), BLOCK):
        flat, weights = stencil(grid, points[piece], window, width)
        np.add.at(grid.reshape(-1), flat, weights * masses[piece, None])


def interpolate(
    grid: FloatArray, points: FloatArray, window: FloatArray, out: FloatArray, width: int
) -> None:
    """``out = sum_j grid[j] phi(u - j)``."""
    for piece in chunks(len(points), BLOCK):
        flat, weights = stencil(grid, points[piece], window, width)
        out[piece] = np.einsum("nk,nk->n", grid.ravel()[flat], weights)


def stencil(
    grid: FloatArray, points: FloatArray, window: FloatArray, width: int
) -> tuple[IndexArray, FloatArray]:
    """Flat grid indices and tensor weights (n, width^3) of the taps of every point."""
    first, weights = horner(points, window, width)
    if first.size and (first.min() < 0 or np.any(first + width > grid.shape)):
        raise ValueError("a point lies outside the grid")
    x, y, z = (first[:, axis, None] + np.arange(width) for axis in range(3))
    a, b, c = (weights[:, axis, :width] for axis in range(3))
    plane = x[:, :, None, None] * grid.shape[1] + y[:, None, :, None]
    flat = plane * grid.shape[2] + z[:, None, None, :]
    tensor = a[:, :, None, None] * b[:, None, :, None] * c[:, None, None, :]
    return flat.reshape(len(points), -1), tensor.reshape(len(points), -1)


def entries(
    grid: FloatArray,
    rows: FloatArray,
    columns: FloatArray,
    window: FloatArray,
    out: FloatArray,
    width: int,
    decay: float,
    cutoff: float,
) -> None:
    """``out[j, i] = exp(-decay |x_i - y_j|^2) g((x_i + y_j) / 2)``, zero beyond the cutoff."""
    for target, column in zip(out, columns, strict=True):
        exponent = decay * ((rows - column) ** 2).sum(axis=1)
        near = np.flatnonzero(exponent <= cutoff)
        values = np.empty(len(near))
        interpolate(grid, 0.5 * (rows[near] + column), window, values, width)
        target[:] = 0.0
        target[near] = np.exp(-exponent[near]) * values


def tensor_entries(
    grid: FloatArray,
    x: FloatArray,
    y: FloatArray,
    z: FloatArray,
    columns: FloatArray,
    window: FloatArray,
    out: FloatArray,
    width: int,
    decay: float,
) -> None:
    """Kernel entries of the nodes x * y * z with every column, interpolating axis by axis."""
    for target, column in zip(out, columns, strict=True):
        axes = zip((x, y, z), column, strict=True)
        found = [axis_matrix(nodes, pivot, window, width, decay) for nodes, pivot in axes]
        ranges, matrices = zip(*found, strict=True)
        if any(r.start < 0 or r.stop > size for r, size in zip(ranges, grid.shape, strict=True)):
            raise ValueError("a point lies outside the grid")
        values = np.einsum("abc,ai,bj,ck->ijk", grid[ranges], *matrices, optimize=True)
        target[:] = values.ravel()


def axis_matrix(
    nodes: FloatArray, pivot: float, window: FloatArray, width: int, decay: float
) -> tuple[slice, FloatArray]:
    """Grid planes and the matrix from them to the midpoints, Gaussian factors included."""
    first, weights = horner(0.5 * (nodes + pivot), window, width)
    matrix = np.zeros((first[-1] + width - first[0], len(nodes)))
    taps = first - first[0] + np.arange(width)[:, None]
    matrix[taps, np.arange(len(nodes))] = weights[:, :width].T
    return slice(first[0], first[-1] + width), matrix * np.exp(-decay * (nodes - pivot) ** 2)


def chebyshev_series(
    coefficients: FloatArray, box: FloatArray, points: FloatArray, out: FloatArray, threshold: float
) -> None:
    """``out = sum a_ijk T_i T_j T_k`` at points of a box given as (centre, 1 / half widths).

    In every row of coefficients the tail that sums to at most ``threshold`` is dropped.
    """
    tails = np.abs(coefficients[..., ::-1]).cumsum(axis=-1)[..., ::-1]
    kept = np.where(tails > threshold, coefficients, 0.0)
    for piece in chunks(len(points), BLOCK):
        unit = (points[piece] - box[0]) * box[1]
        x, y, z = (
            np.polynomial.chebyshev.chebvander(unit[:, k], kept.shape[k] - 1) for k in range(3)
        )
        inner = np.tensordot(z, kept, axes=(1, 2))
        out[piece] = np.einsum("nij,ni,nj->n", inner, x, y)


def convolve(table: FloatArray, taps: FloatArray, out: FloatArray) -> None:
    """``out[i] = sum_t taps[t] table[i + t - reach]`` along the first axis, 0 beyond the ends."""
    reach = len(taps) // 2
    out[:] = 0.0
    for shift in range(-min(reach, len(table) - 1), min(reach, len(table) - 1) + 1):
        low, high = max(shift, 0), len(table) + min(shift, 0)
        out[low - shift : high - shift] += taps[reach + shift] * table[low:high]


def downdate(
    factor: FloatArray, weights: FloatArray, scales: FloatArray, variances: FloatArray, known: int
) -> None:
    """``c_j = (K_j - sum_{i<j} w_ji c_i) / s_j`` and ``v -= c_j^2``, for rows from ``known`` on."""
    for j, scale in enumerate(scales):
        column = factor[known + j]
        column -= weights[j, : known + j] @ factor[: known + j]
        column /= scale
        variances -= column * column


def subtract_squares(
    columns: FloatArray, x: FloatArray, y: FloatArray, z: FloatArray, variances: FloatArray
) -> None:
    """``v -= sum_j (X Y Z c_j)^2``, the matrices along the axes of tensor nodes to other nodes."""
    for column in columns:
        table = column.reshape(x.shape[1], y.shape[1], z.shape[1])
        for matrix in (x, y, z):  # the first axis goes last: three times is the old order
            table = np.tensordot(table, matrix, axes=(0, 1))
        variances -= table.ravel() ** 2


def neighbour_sums(
    sources: FloatArray,
    masses: FloatArray,
    keys: IndexArray,
    starts: IndexArray,
    shape: IndexArray,
    points: FloatArray,
    out: FloatArray,
    decay: float,
) -> None:
    """Sum of ``mass exp(-decay |u - z|^2)`` over the 27 unit cells around every point."""
    cell = np.floor(points).astype(np.int64)
    out[:] = 0.0
    for x in (-1, 0, 1):
        for y in (-1, 0, 1):
            column = cell[:, :2] + (x, y)
            row = (column[:, 0] * shape[1] + column[:, 1]) * shape[2]
            low, high = np.clip(cell[:, 2] - 1, 0, shape[2]), np.clip(cell[:, 2] + 2, 0, shape[2])
            valid = np.all((column >= 0) & (column < shape[:2]), axis=1) & (low < high)
            begin = starts[np.searchsorted(keys, row + low)]
            end = starts[np.searchsorted(keys, row + high)]
            for i in np.flatnonzero(valid & (begin < end)):
                near = slice(begin[i], end[i])
                squares = ((points[i] - sources[near]) ** 2).sum(axis=1)
                out[i] += masses[near] @ np.exp(-decay * squares)


def pair_sums(
    points: FloatArray,
    others: FloatArray,
    values: FloatArray,
    factors: FloatArray,
    out: FloatArray,
    decay: float,
) -> None:
    """``out[r, k, i] += sum_jl factors[r, l] exp(-4^l decay |x_i - y_j|^2) values[j, k]``.

    Points are given by axis, (d, n). Each of the Gaussians has half the length of the one before.
    """
    squares = scipy.spatial.distance.cdist(points.T, others, "sqeuclidean")
    for number, column in enumerate(factors.T):
        sums = (np.exp(-decay * 4**number * squares) @ values).T
        out += column[:, None, None] * sums
