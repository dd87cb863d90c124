"""Laplacians, their spectra, and the heat kernels made of them, against exact ones."""

import sys

import numpy as np
import pytest
from scipy.special import eval_legendre

from gplandmark import (
    GplandmarkWarning,
    KernelError,
    ScanError,
    Settings,
    SettingsError,
    Surface,
    covariance,
    make_molar,
    place,
)
from gplandmark.gp.kernels import (
    MaternKernel,
    SquaredExponentialKernel,
    heat_cutoff,
    heat_kernel,
    reweighted_heat_kernel,
    spectral_matern_kernel,
)
from gplandmark.gp.kernels.spectral import embedding_constant, heat_features
from gplandmark.mesh import (
    boundary_vertices,
    cached_in,
    eigenpairs,
    laplacian,
    spectrum,
    surface_area,
    weyl_count,
)
from gplandmark.mesh.edges import edges
from gplandmark.mesh.spectrum import CACHE_VARIABLE
from gplandmark.mesh.synthetic import cylinder, ellipsoid, plane, sphere, torus

spectrum_module = sys.modules["gplandmark.mesh.spectrum"]  # hidden by its function
block_module = sys.modules["gplandmark.mesh.eigenpairs"]
every_laplacian = pytest.mark.parametrize("kind", ["robust", "cotangent"])


def sphere_heat(cosines, time):
    """Heat kernel of the unit sphere by the addition theorem: sum of Legendre polynomials."""
    return sum(
        (2 * degree + 1) / (4 * np.pi) * np.exp(-degree * (degree + 1) * time)
        * eval_legendre(degree, cosines)
        for degree in range(60)
    )  # fmt: skip


def torus_heat(u, v, time, major=1.0, minor=0.4, waves=30, nodes=65):
    """Heat kernel of the torus of revolution from the point (0, 0) to (u, v).

    By separation of variables: cos(m u) f(v), where f solves a periodic Sturm-Liouville problem,
    here by Fourier collocation, which converges faster than any power.
    """
    angles = 2 * np.pi * np.arange(nodes) / nodes
    ring = major + minor * np.cos(angles)
    gaps = angles[:, None] - angles
    signs = (-1.0) ** np.subtract.outer(np.arange(nodes), np.arange(nodes))
    np.fill_diagonal(gaps, np.inf)  # gives 0 on the diagonal
    with np.errstate(invalid="ignore"):
        difference = np.nan_to_num(0.5 * signs / np.sin(gaps / 2))
    # Values between nodes by trigonometric interpolation.
    frequency = np.fft.fftfreq(nodes, 1 / nodes)
    read = np.real(np.exp(1j * np.outer(v, frequency)) @ np.fft.fft(np.eye(nodes), axis=0)) / nodes
    total = np.zeros(len(u))
    for m in range(waves):
        stiff = difference.T @ (ring[:, None] * difference) / minor**2 + np.diag(m**2 / ring)
        root = 1 / np.sqrt(ring)
        values, functions = np.linalg.eigh(root[:, None] * stiff * root)
        functions = root[:, None] * functions
        norm = 2 * np.pi * minor * (2 * np.pi / nodes) * (0.5 if m else 1.0)
        part = read @ (functions * np.exp(-values * time)) @ functions[0]
        total += part * np.cos(m * u) / norm
    return total


def interval_heat(x, y, length, time, sign):
    """Heat kernel of an interval by images: sign 1 for Neumann, -1 for Dirichlet."""
    shifts = 2 * length * np.arange(-20, 21)
    images = [np.exp(-((x - side * y + s) ** 2) / (4 * time)) * (1 if side == 1 else sign)
              for s in shifts for side in (1, -1)]  # fmt: skip
    return np.sum(images, axis=0) / np.sqrt(4 * np.pi * time)


@every_laplacian
def test_the_laplacian_is_symmetric_kills_constants_and_weighs_the_area(any_surface, kind):
    operator = laplacian(any_surface, kind)
    matrix = operator.stiffness.toarray()
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-12)
    np.testing.assert_allclose(matrix.sum(axis=1), 0, atol=1e-9)
    functions = np.random.default_rng(0).standard_normal((len(matrix), 50))
    assert (np.einsum("ij,ij->j", functions, matrix @ functions) > 0).all()
    assert operator.mass.sum() == pytest.approx(surface_area(any_surface), rel=1e-9)


@every_laplacian
def test_eigenfunctions_are_orthonormal_and_solve_the_equation(molar, kind):
    operator = laplacian(molar, kind)
    found = spectrum(molar, 40, laplacian=kind, boundary="neumann")
    gram = found.functions.T @ (found.mass[:, None] * found.functions)
    np.testing.assert_allclose(gram, np.eye(40), atol=1e-10)
    left = operator.stiffness @ found.functions
    right = found.mass[:, None] * found.functions * found.values
    np.testing.assert_allclose(left, right, atol=1e-9 * np.abs(right).max())
    assert (np.diff(found.values) >= 0).all()
    assert found.values[0] == pytest.approx(0, abs=1e-9 * found.values[-1])


@every_laplacian
def test_eigenvalues_of_the_sphere_converge_at_second_order(kind):
    degrees = np.repeat(np.arange(5), 2 * np.arange(5) + 1)
    errors = []
    for subdivisions in (2, 3, 4):
        found = spectrum(sphere(subdivisions).surface, 25, laplacian=kind)
        assert len(found.values) == 25
        exact = degrees * (degrees + 1.0)
        errors.append(np.abs(found.values[1:] / exact[1:] - 1).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert errors[-1] < 0.01
    assert (orders > 1.7).all()


@every_laplacian
def test_the_heat_kernel_of_the_sphere_converges_to_the_exact_one(kind):
    errors = []
    for subdivisions in (2, 3, 4):
        surface = sphere(subdivisions).surface
        found = heat_kernel(spectrum(surface, 150, laplacian=kind), 0.1)
        column = found.columns(np.array([0]))[:, 0]
        exact = sphere_heat(surface.points @ surface.points[0], 0.1)
        errors.append(np.abs(column - exact).max() / exact.max())
    assert errors[-1] < 0.01
    assert (np.log2(np.array(errors[:-1]) / errors[1:]) > 1.7).all()


def test_the_embedding_by_the_heat_kernel_keeps_lengths():
    surface = sphere(4).surface
    features = heat_features(spectrum(surface, 150), 0.1)
    ends, _ = edges(surface)
    lengths, embedded = (
        np.linalg.norm(each[ends[:, 0]] - each[ends[:, 1]], axis=1)
        for each in (surface.points, features)
    )
    np.testing.assert_allclose(embedding_constant(0.1) * embedded, lengths, rtol=0.03)
    assert embedding_constant(2.0, dimension=6) == pytest.approx(
        np.sqrt(2) * (4 * np.pi) ** 1.5 * 4
    )


@every_laplacian
def test_the_heat_kernel_of_the_torus_converges_to_the_exact_one(kind):
    errors = []
    for around in (32, 64):
        surface = torus(around, around // 2).surface
        u, v = np.divmod(np.arange(around**2 // 2), around // 2)
        exact = torus_heat(2 * np.pi * u / around, 4 * np.pi * v / around, 0.05)
        found = heat_kernel(spectrum(surface, 180, laplacian=kind), 0.05)
        errors.append(np.abs(found.columns(np.array([0]))[:, 0] - exact).max() / exact.max())
    assert errors[1] < 0.04
    assert errors[0] / errors[1] > 3


@pytest.mark.parametrize(("boundary", "sign"), [("neumann", 1), ("dirichlet", -1)])
def test_the_heat_kernel_of_an_open_cylinder_heeds_its_rims(boundary, sign):
    surface = cylinder(64, 41).surface
    angle, height = np.arctan2(*surface.points.T[1::-1]), surface.points[:, 2]
    middle = 12  # a quarter of the way from one rim
    exact = interval_heat(height, height[middle], 2.0, 0.08, sign) * sum(
        np.exp(-((angle + 2 * np.pi * turn) ** 2) / 0.32) / np.sqrt(0.32 * np.pi)
        for turn in range(-3, 4)
    )
    found = heat_kernel(spectrum(surface, 200, boundary=boundary), 0.08)
    np.testing.assert_allclose(
        found.columns(np.array([middle]))[:, 0], exact, atol=0.01 * exact.max()
    )
    assert (found.diagonal()[boundary_vertices(surface)] == 0).all() == (sign == -1)


def test_with_weight_1_the_reweighted_kernel_is_the_plain_one(any_surface):
    time = 0.01 * surface_area(any_surface)
    pairs = spectrum(any_surface, 60)
    plain, weighted = heat_kernel(pairs, time), reweighted_heat_kernel(pairs, time, pairs.mass)
    picks = np.arange(12)
    np.testing.assert_allclose(
        weighted.columns(picks), plain.columns(picks), atol=1e-12 * plain.diagonal().max()
    )


def test_the_reweighted_kernel_is_its_formula(molar, random):
    pairs = spectrum(molar, 60)
    masses = random.random(molar.vertex_count) * pairs.mass
    half = heat_kernel(pairs, 0.4).columns(np.arange(molar.vertex_count))
    expected = half @ (masses[:, None] * half)
    found = reweighted_heat_kernel(pairs, 0.8, masses).columns(np.arange(molar.vertex_count))
    np.testing.assert_allclose(found, expected, atol=1e-12 * expected.max())


def test_heat_and_matern_are_those_of_the_plane_where_it_is_flat():
    surface = plane(41).surface
    eps, middle = 0.02, np.array([41 * 20 + 20])
    near = np.linalg.norm(surface.points - surface.points[middle], axis=1) < 0.35
    settings = {"eps": eps, "laplacian": "cotangent", "eigenpairs": 700}
    heat = covariance(surface, Settings(kernel="heat", **settings)).columns(middle)
    flat = SquaredExponentialKernel(surface.points, eps).columns(middle)
    np.testing.assert_allclose(heat[near], flat[near], atol=0.02)
    matern = covariance(surface, Settings(kernel="spectral-matern", **settings)).columns(middle)
    flat = MaternKernel(surface.points, eps).columns(middle)
    np.testing.assert_allclose(matern[near], flat[near], atol=0.03)


def test_a_very_smooth_matern_kernel_is_the_heat_kernel(molar):
    pairs = spectrum(molar, 60)
    eps = 0.1 * surface_area(molar)
    heat = heat_kernel(pairs, eps / 4).scaled(np.pi * eps).columns(np.arange(9))
    errors = [
        np.abs(spectral_matern_kernel(pairs, eps, nu).columns(np.arange(9)) - heat).max()
        for nu in (10, 20, 40)
    ]
    assert errors[2] < 0.03 * heat.max()
    assert errors[0] > 1.7 * errors[1] > 1.7 * 1.7 * errors[2]


def test_two_sides_of_a_thin_bone_do_not_see_each_other():
    surface = ellipsoid(4, (1.0, 1.0, 0.02)).surface
    top, bottom = (int(np.argmax(side * surface.points[:, 2])) for side in (1, -1))
    settings = {"eps": 0.1, "weight": "uniform"}
    for name, most in (("reweighted-heat", 1e-3), ("heat", 1e-3)):
        kernel = covariance(surface, Settings(kernel=name, **settings))
        seen = kernel.block(np.array([top]), np.array([bottom]))[0, 0]
        assert abs(seen) < most * kernel.diagonal()[top]
    kernel = covariance(surface, Settings(**settings))
    assert kernel.block(np.array([top]), np.array([bottom]))[0, 0] > 0.9 * kernel.diagonal()[top]


def test_multiple_eigenvalues_are_kept_whole_or_not_at_all():
    surface = sphere(3).surface
    assert len(spectrum(surface, 9).values) == 9
    assert len(spectrum(surface, 8).values) == 4
    assert len(spectrum(surface, 2).values) == 1


def test_numbering_changes_no_kernel_even_where_eigenvalues_are_multiple(random):
    surface = sphere(3).surface
    order = random.permutation(surface.vertex_count)
    shuffled = Surface(surface.points[order], np.argsort(order)[surface.triangles])
    one, two = (heat_kernel(spectrum(each, 150), 0.05) for each in (surface, shuffled))
    np.testing.assert_allclose(two.diagonal(), one.diagonal()[order], rtol=1e-8)


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_the_heat_kernel_scales_as_one_over_area(molar, scale):
    larger = Surface(scale * molar.points, molar.triangles)
    one = heat_kernel(spectrum(molar, 50), 0.5)
    other = heat_kernel(spectrum(larger, 50), 0.5 * scale**2)
    np.testing.assert_allclose(other.diagonal() * scale**2, one.diagonal(), rtol=1e-8)
    assert other.neglected == pytest.approx(one.neglected, rel=1e-6)


@every_laplacian
def test_lanczos_and_dense_eigenpairs_agree(molar, kind, monkeypatch):
    lanczos = spectrum(molar, 60, laplacian=kind)
    monkeypatch.setattr(eigenpairs, "DENSE", 10_000)
    dense = spectrum(molar, 60, laplacian=kind)
    np.testing.assert_allclose(lanczos.values, dense.values, atol=1e-9 * dense.values[-1])
    np.testing.assert_allclose(lanczos.functions, dense.functions, atol=1e-7)


def test_lanczos_finds_every_copy_of_a_multiple_eigenvalue(random):
    values = np.repeat(np.arange(60.0), [1 + k % 9 for k in range(60)])
    turn, _ = np.linalg.qr(random.standard_normal((600, 600)))
    spread = np.concatenate([values, np.linspace(60, 500, 600 - len(values))])
    matrix = (turn / (1 + spread)) @ turn.T
    found, vectors = block_module.block_lanczos(lambda block: matrix @ block, 600, 100)
    np.testing.assert_allclose(1 / found - 1, values[:100], atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(100), atol=1e-12)


def test_loose_vertices_and_slivers_and_fins_do_no_harm(molar):
    a, b = molar.triangles[len(molar.triangles) // 2, :2]
    tip = molar.points[[a, b]].mean(axis=0) + np.array([0, 0, 0.3])
    fin = np.vstack([molar.points, tip, [99, 99, 99]])
    n = molar.vertex_count
    triangles = np.vstack([molar.triangles, [a, b, n], [a, a, b]])
    found = spectrum(Surface(fin, triangles), 20, boundary="neumann")
    assert np.isfinite(found.functions).all()
    assert (found.functions[n + 1] == 0).all()
    whole = spectrum(molar, 20, boundary="neumann")
    np.testing.assert_allclose(found.values[1:8], whole.values[1:8], rtol=0.1)


def test_weyls_law_counts_eigenvalues_of_open_surfaces():
    for boundary in ("neumann", "dirichlet"):
        surface = plane(41).surface
        values = spectrum(surface, 150, boundary=boundary).values
        assert weyl_count(surface, values[100], boundary) == pytest.approx(100, rel=0.1)


def test_the_neglected_part_is_what_more_eigenpairs_would_add(molar):
    area = surface_area(molar)
    pairs = spectrum(molar, 500)
    for count in (30, 60, 90):
        time = 0.004 * area
        whole = np.exp(-pairs.values * time).sum()
        beyond = np.exp(-pairs.values[count:] * time).sum() / whole
        assert heat_kernel(spectrum(molar, count), time).neglected == pytest.approx(beyond, rel=0.5)
    assert heat_kernel(spectrum(molar, 10_000), 0.001 * area).neglected == 0


def test_the_number_of_eigenpairs_follows_the_bandwidth_and_is_recorded(molar):
    wide = covariance(molar, Settings(kernel="heat", bandwidth=0.04))
    wider = covariance(molar, Settings(kernel="heat", bandwidth=0.08))
    assert 0 < wide.neglected < 3e-3
    assert wide.features.shape[1] == pytest.approx(2 * wider.features.shape[1], rel=0.25)
    record = place(molar, 5, settings=Settings(kernel="heat", bandwidth=0.04)).record
    assert f"spectral, {wide.features.shape[1]} eigenpairs" in record.outcome["engine"]
    assert record.settings["boundary"] == "dirichlet"
    assert "robust-laplacian" in record.software


def test_too_few_eigenpairs_are_worth_a_warning(molar):
    with pytest.warns(GplandmarkWarning, match="20 eigenpairs leave out about"):
        place(molar, 5, settings=Settings(kernel="heat", eigenpairs=20))


def test_dirichlet_keeps_landmarks_from_the_rim(molar):
    rim = boundary_vertices(molar)
    settings = {"kernel": "heat", "bandwidth": 0.03}
    assert not rim[place(molar, 25, settings=Settings(**settings)).vertices].any()
    outer = place(molar, 25, settings=Settings(**settings, boundary="neumann"))
    assert rim[outer.vertices].any()


def test_a_solver_that_does_not_converge_says_so(molar, monkeypatch):
    monkeypatch.setattr(block_module, "LONGEST", 0.5)
    with pytest.raises(KernelError, match=r"Only \d+ of 101 eigenpairs .* converged"):
        spectrum(molar, 100)


def test_a_missing_eigenvalue_is_noticed(molar, monkeypatch):
    honest = eigenpairs._lanczos

    def forgetful(stiffness, mass, count):
        values, vectors = honest(stiffness, mass, count + 1)
        keep = np.arange(count + 1) != 5
        return values[keep], vectors[:, keep]

    monkeypatch.setattr(eigenpairs, "_lanczos", forgetful)
    with pytest.raises(KernelError, match="incomplete: 1 of"):
        spectrum(molar, 60)


def test_bad_input_is_refused(molar):
    triangle = Surface([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 1, 2], [1, 3, 2]])
    for call, error, words in (
        (lambda: spectrum(molar, 0), SettingsError, "at least 1"),
        (lambda: spectrum(molar, 5, boundary="robin"), SettingsError, "no boundary condition"),
        (lambda: spectrum(molar, 5, laplacian="graph"), SettingsError, "no Laplacian 'graph'"),
        (lambda: spectrum(triangle, 2, boundary="dirichlet"), ScanError, "lies on its rim"),
        (lambda: spectrum(Surface(molar.points), 5), ScanError, "no triangles"),
        (lambda: heat_kernel(spectrum(molar, 2), 0.0), SettingsError, "must be positive"),
        (lambda: heat_cutoff(np.nan), SettingsError, "must be positive"),
        (lambda: Settings(kernel="heat", eigenpairs=0), SettingsError, "at least 1"),
        (lambda: Settings(laplacian="graph"), SettingsError, "no Laplacian"),
        (lambda: Settings(boundary="robin"), SettingsError, "no boundary condition"),
    ):
        with pytest.raises(error, match=words):
            call()


def test_eigenpairs_are_found_on_disk_again(tmp_path, monkeypatch):
    surface = make_molar(5, vertex_count=300).surface
    plain = spectrum(surface, 20)
    with cached_in(tmp_path / "kept"):
        spectrum(surface, 20)
        (path,) = (tmp_path / "kept").iterdir()
        path.write_bytes(path.read_bytes()[:2000])  # damaged: computed again, and mended
        spectrum(surface, 20)
        monkeypatch.setattr(spectrum_module, "_compute", None)
        again = spectrum(surface, 20)
        with pytest.raises(TypeError):  # other options are another file
            spectrum(surface, 20, boundary="neumann")
    np.testing.assert_array_equal(again.functions, plain.functions)
    np.testing.assert_array_equal(again.mass, plain.mass)
    assert again.complete is False
    with pytest.raises(TypeError):  # outside of the block nothing is kept
        spectrum(surface, 20)


def test_the_environment_may_name_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "new"))
    spectrum(make_molar(5, vertex_count=300).surface, 10)
    assert len(list((tmp_path / "new").iterdir())) == 1


def test_a_cache_that_cannot_be_is_refused(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(SettingsError, match="cannot be made"), cached_in(file / "cache"):
        pass
    monkeypatch.setenv(CACHE_VARIABLE, str(file / "cache"))
    with pytest.warns(GplandmarkWarning, match="could not be kept"):
        assert len(spectrum(make_molar(5, vertex_count=300).surface, 10).values) == 10
