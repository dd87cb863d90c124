# SPDX-License-Identifier: MIT
"""The whole method on one page: from a surface to its landmarks, by Algorithm 1 of the paper.

1. Areas nu and curvatures kappa and eta of the vertices (`gplandmark.mesh`).
2. The weight, equation (weight-function-discrete): w prefers strongly curved places,

       w(x) = lambda |kappa(x)|^rho / sum_k |kappa(x_k)|^rho nu(x_k)
            + (1 - lambda) |eta(x)|^rho / sum_k |eta(x_k)|^rho nu(x_k)

3. The covariance, equation (location-prior-kernel-discrete):

       K = W Lambda W,    W_ij = exp(-|x_i - x_j|^2 / eps),    Lambda = diag(w(x_k) nu(x_k))

4. Landmarks one by one, each where the variance is largest, equation (uncertainty-score):

       x_{m+1} = argmax_x v_m(x),    v_m(x) = K(x, x) - K(x, X)^T K(X, X)^-1 K(x, X)

`covariance` does steps 1 to 3, `gplandmark.select` step 4. `place` adds what was asked of the
landmarks, and the record of how they were made.
"""

import logging
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gplandmark.errors import SettingsError, recorded_warnings, warn
from gplandmark.gp.selection import Progress, Selection, Stop, select
from gplandmark.landmarks.between_vertices import Mover, SurfacePoint
from gplandmark.landmarks.classes import classify
from gplandmark.landmarks.covariance import check_method, covariance, weight_per_vertex
from gplandmark.landmarks.landmarks import Landmarks
from gplandmark.landmarks.on_surface import candidates_on, starting_vertices
from gplandmark.landmarks.presets import MethodSettings
from gplandmark.landmarks.record import (
    describe_input,
    describe_settings,
    describe_vertices,
    record_of,
)
from gplandmark.landmarks.settings import Settings
from gplandmark.mesh.as_surface import as_surface
from gplandmark.mesh.regions import Region, allowed_by
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arguments import instance, seed_number, vertex_list
from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray
from gplandmark.numerics.threads import limited_threads

DEFAULT_COUNT = 40
LOG = logging.getLogger(__name__)


def place(
    surface: Surface,
    count: int | None = None,
    *,
    settings: MethodSettings | None = None,
    target: float = 0.0,
    weight: FloatArray | None = None,
    start: Sequence[int] | IndexArray = (),
    exclude: BoolArray | IndexArray | Sequence[int] = (),
    regions: Sequence[Region] = (),
    seed: "int | np.random.Generator | None" = None,
    after: Landmarks | None = None,
    between_vertices: bool = False,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Landmarks:
    """Place landmarks on a surface by Gaussian process landmarking, Algorithm 1 of the paper.

    Parameters
    ----------
    surface : with triangles, or a bare cloud of points in any dimension; or whatever `as_surface`
        takes: the path of a scan, arrays, a mesh of another library
    count : how many, starting landmarks included; by default 40, or as many as the target
        takes if there is one
    settings : how the covariance is made; by default the paper's method
    target : stop when the largest variance is at most this fraction of its start, 0 to 1
    weight : (n,) a weight per vertex in place of the one in `settings`
    start : vertices that come first, in this order, whatever their variance
    exclude : vertices that are never picked, as a mask (n,) or as numbers; they keep their
        weight and area in the kernel. Where cleaning removed vertices, all numbers are those of
        the file, and weight and mask may be as long as in the file
    regions : further vertices that are never picked, and how they were chosen, for the record;
        all regions must allow a landmark
    seed : break ties at random from this seed, as the paper does; by default the vertex
        farthest from the mean of all vertices wins. A generator of NumPy gives its next number,
        which the record states
    after : place more landmarks after these, without starting over; surface, settings, weight
        and exclusions must be those that made them
    between_vertices : move each landmark, except those of `start`, from its vertex to the largest
        variance on the triangles around it; `Landmarks.places` says where. Landmarks then depend
        far less on the triangles. Needs the reweighted kernel
    progress : called after every landmark with their number and the largest variance left, as
        a fraction of its start; an exception that it raises stops the work
    threads : how many to use at most; the result does not depend on them

    Returns
    -------
    Landmarks
        In the coordinates and units of the surface.

    Raises
    ------
    ScanError
        The surface has no area, or the settings need triangles that it does not have.
    SettingsError
        The count, the target, the weight, a starting or an excluded vertex is out of range.
    """
    settings = Settings() if settings is None else settings
    check_method(settings)
    _check_no_triangles(count)
    surface = as_surface(surface)
    weight = weight_per_vertex(surface, weight)
    starting = vertex_list(start, "Starting landmarks").tolist()
    seed = None if seed is None else seed_number(seed)
    if count is None and target == 0:
        count = DEFAULT_COUNT
    began = time.perf_counter()
    with limited_threads(threads), recorded_warnings() as notes:
        kernel = covariance(surface, _with_field(settings, between_vertices), weight)
        candidates = candidates_on(surface, exclude) & allowed_by(surface, regions)
        mover = Mover(surface, candidates) if between_vertices else None
        selection = select(
            kernel,
            count,
            target=target,
            start=starting_vertices(surface, starting),
            candidates=candidates,
            seed=seed,
            after=_state(after, surface, settings, weight, starting, between_vertices),
            move=mover,
            progress=progress,
        )
        for index in surface.in_file(np.array(selection.skipped, dtype=np.int64)):
            warn(
                f"The starting landmark at vertex {index} is determined by those before it and was "
                "skipped."
            )
        warn_short(selection, count)
    seconds = time.perf_counter() - began
    LOG.info("%s: %d landmarks in %.2f s", surface.name, len(selection.indices), seconds)
    request = {
        "count": count,
        "target": target,
        "start": starting,
        "after": 0 if after is None else len(after),
        "between_vertices": between_vertices,
        "excluded": describe_vertices(surface.in_file(np.flatnonzero(~candidates))),
        "regions": [region.describe() for region in regions],
        "seed": seed,
    }
    found = kernel, selection, candidates
    return Landmarks(
        surface.in_file(selection.indices),
        surface.points[selection.indices] if selection.points is None else selection.points,
        selection.variances,
        selection.variance,
        record_of(surface, settings, weight, request, found, notes),
        surface.name,
        classes=classify(surface, selection.indices, settings),
        state=selection,
        places=() if mover is None else _places(mover, selection, after),
        surface=surface,
    )


def _check_no_triangles(count: object) -> None:
    if isinstance(count, list | tuple) or (isinstance(count, np.ndarray) and count.ndim):
        raise SettingsError("Give vertices and triangles as a pair: place((vertices, triangles)).")


def _with_field(settings: MethodSettings, is_needed: bool) -> MethodSettings:
    """Settings whose kernel has values between vertices, where that is needed."""
    if is_needed and isinstance(settings, Settings) and settings.engine == "auto":
        return replace(settings, engine="field")
    return settings


def _places(
    mover: Mover, selection: Selection, after: Landmarks | None
) -> tuple[SurfacePoint, ...]:
    """Places of all landmarks: those that were there before, then those that were moved."""
    count = len(selection.indices) - len(mover.places)
    before = [mover.at_vertex(int(vertex)) for vertex in selection.indices[:count]]
    return (*(before if after is None else after.places), *mover.places)


def _state(
    after: Landmarks | None,
    surface: Surface,
    settings: MethodSettings,
    weight: FloatArray | None,
    start: Sequence[int] | IndexArray,
    between_vertices: bool,
) -> Selection | None:
    """Return the state to continue from, if surface and settings are those that made it."""
    if after is None:
        return None
    instance(after, Landmarks, "Use what place returned.")
    if after.state is None or after.record.input != describe_input(surface):
        raise SettingsError(
            f"These landmarks cannot be continued on {surface.name}: they were read from a file or "
            "placed on another surface. Give them as starting landmarks instead."
        )
    same = after.record.settings == describe_settings(settings, surface, weight)
    if not same or len(start) or bool(after.places) != between_vertices:
        raise SettingsError(
            "Landmarks can be continued only with the settings that made them, and without "
            "starting landmarks. Place them again."
        )
    return after.state


def warn_short(selection: Selection, count: int | None) -> None:
    """Warn if a selection ended because no variance was left, before it had that many points."""
    if count is not None and selection.stopped not in (Stop.COUNT, Stop.TARGET):
        warn(
            f"Only {len(selection.indices)} of {count} landmarks were placed: with this kernel "
            "they determine the whole surface. A smaller bandwidth leaves room for more."
        )
