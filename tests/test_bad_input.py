"""What is nearly a mesh or nearly a kernel: one sentence of ours, wherever it is given."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import scipy

import gplandmark
from gplandmark import GplandmarkError, GplandmarkWarning, place

RANDOM = np.random.default_rng(0)
POINTS = RANDOM.random((50, 3))
TRIANGLES = np.array([[i, i + 1, i + 2] for i in range(48)])
HALF = RANDOM.standard_normal((30, 30))
MATRIX = HALF @ HALF.T


class FailsToLoad:
    faces = TRIANGLES

    @property
    def vertices(self):
        raise RuntimeError("the file was closed")


class Own:
    """A kernel of a user's, with one thing wrong."""

    def __init__(self, size=30, diagonal=None, columns=None):
        self.size = size
        self.diagonal = diagonal or (lambda: np.diag(MATRIX))
        self.columns = columns or (lambda indices: MATRIX[:, indices])


def fails(*_):
    raise ZeroDivisionError("division by zero")


def mesh(vertices, faces):
    return SimpleNamespace(vertices=vertices, faces=faces)


MESHES = {
    "a property that fails": FailsToLoad(),
    "faces in words": mesh(POINTS, "abc"),
    "faces of unequal length": mesh(POINTS, [[0, 1], [1, 2, 3]]),
    "faces between vertices": mesh(POINTS, TRIANGLES + 0.5),
    "faces below 0": mesh(POINTS, TRIANGLES - 5),
    "faces beyond the vertices": mesh(POINTS, TRIANGLES + 1000),
    "four corners": (POINTS, np.array([[0, 1, 2, 3]])),
    "triangles in the plane": (POINTS[:, :2], TRIANGLES),
    "complex": (POINTS * 1j, TRIANGLES),
    "nan": (np.where(POINTS > 0.9, np.nan, POINTS), TRIANGLES),
    "infinite": (POINTS * np.inf, TRIANGLES),
    "no points": (np.zeros((0, 3)), TRIANGLES),
    "one point": np.zeros((1, 3)),
    "one place": np.zeros((9, 3)),
    "three things": (POINTS, TRIANGLES, TRIANGLES),
    "no file": "there-is-no-such-file.ply",
    "bytes": b"abc",
    "a table of names": {"vertices": POINTS},
    "a class": SimpleNamespace,
    "a module": np,
    "a number": 5,
    "nothing": None,
    "objects": np.array([None, 1], dtype=object),
    "a stack": np.zeros((3, 3, 3)),
    "dates": np.array(["2020-01-01"], dtype="M8[D]"),
    "a function for vertices": mesh(lambda: POINTS, TRIANGLES),
    "a generator": (point for point in POINTS),
    "too large": (POINTS * 1e300, TRIANGLES),
}

KERNELS = {
    "not symmetric": HALF,
    "negative": -MATRIX,
    "nan": np.where(MATRIX.max() * 0.9 < MATRIX, np.nan, MATRIX),
    "infinite": MATRIX * np.inf,
    "empty": np.zeros((0, 0)),
    "complex": MATRIX * 1j,
    "one row": MATRIX[0],
    "a stack": MATRIX[None],
    "words": "abc",
    "nothing": None,
    "unequal rows": [[1, 2], [3]],
    "objects": np.array([[None]]),
    "a short diagonal": Own(diagonal=lambda: np.ones(29)),
    "a diagonal in words": Own(diagonal=lambda: "abc"),
    "columns that fail": Own(columns=fails),
    "columns of another shape": Own(columns=lambda indices: np.ones(30)),
    "columns that are complex": Own(columns=lambda indices: MATRIX[:, indices] * 1j),
    "a negative size": Own(size=-3),
    "a broken size": Own(size=30.5),
    "a size beyond its diagonal": Own(size=10**12),
    "a function alone": lambda some, others: some @ others.T,
    "a function that returns nothing": (lambda some, others: None, POINTS),
    "a function of another shape": (lambda some, others: np.ones(3), POINTS),
    "a function that fails": (fails, POINTS),
    "a function of one argument": (lambda some: some, POINTS),
    "a function without points": (lambda some, others: some @ others.T, None),
    "a function with no points": (lambda some, others: some @ others.T, np.zeros((0, 3))),
    "a name with points": ("rbf", POINTS),
    "a table of names": {},
    "a class": Own,
    "an operator that is not square": scipy.sparse.linalg.aslinearoperator(np.ones((3, 4))),
    "an operator that is not symmetric": scipy.sparse.linalg.aslinearoperator(HALF),
    "an operator that fails": scipy.sparse.linalg.LinearOperator((5, 5), fails, dtype=float),
    "sparse and complex": scipy.sparse.csr_array(MATRIX * 1j),
    "sparse and not square": scipy.sparse.csr_array(np.ones((3, 4))),
}

USES = {
    "select": lambda kernel: gplandmark.select(kernel, 1),
    "design": lambda kernel: gplandmark.Design(kernel, [0]),
    "krige": lambda kernel: gplandmark.krige(kernel, [0], [1.0]),
    "learn": lambda kernel: gplandmark.learn(kernel, lambda _: 1.0, tolerance=0.1, count=1),
    "covariance": lambda kernel: gplandmark.posterior_covariance(kernel, [0], [0]),
}


def refused(work, *arguments):
    """One sentence of ours, and no warning but ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", GplandmarkWarning)
        with pytest.raises(GplandmarkError) as caught:
            work(*arguments)
    text = str(caught.value)
    assert text.endswith(".")
    assert "\n" not in text


@pytest.mark.parametrize("what", MESHES)
def test_what_is_nearly_a_mesh_is_refused_in_a_sentence(what):
    refused(place, MESHES[what], 3)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("what", KERNELS)
def test_what_is_nearly_a_kernel_is_refused_in_a_sentence(what, use):
    refused(USES[use], KERNELS[what])


@pytest.mark.parametrize("use", USES)
def test_a_kernel_of_zeros_is_refused_and_one_of_a_single_point_is_taken(use):
    refused(USES[use], np.zeros((5, 5)))
    USES[use](np.array([[2.0]]))


def fails_late(indices):
    return MATRIX[:, indices] if 7 not in indices else fails()


USES_OF_A_POINT = {
    "select": lambda kernel: gplandmark.select(kernel, 30),
    "start": lambda kernel: gplandmark.select(kernel, 2, start=[7]),
    "design": lambda kernel: gplandmark.Design(kernel, [7]),
    "krige": lambda kernel: gplandmark.krige(kernel, [7], [1.0]),
    "learn": lambda kernel: gplandmark.learn(kernel, float, tolerance=1e-9),
    "covariance": lambda kernel: gplandmark.posterior_covariance(kernel, [3], [7]),
}


@pytest.mark.parametrize("use", USES_OF_A_POINT)
def test_a_kernel_of_the_users_that_fails_later_is_named(use):
    with pytest.raises(gplandmark.KernelError, match=r"ZeroDivisionError .* division by zero\.$"):
        USES_OF_A_POINT[use](Own(columns=fails_late))


def test_what_a_kernel_of_the_users_offers_is_used():
    kernel = Own()
    kernel.noise_floor = 0.5
    kernel.block = fails
    assert len(gplandmark.select(kernel).indices) < 30
    known = gplandmark.gp.kernels.kernel_of(kernel)
    refused(known.block, [0], [1])
    assert not hasattr(known, "between")
    assert not hasattr(known, "anything_else")
    del kernel.block
    np.testing.assert_array_equal(known.block(np.arange(3), np.arange(2)), MATRIX[:3, :2])


def rounded_sphere():
    points = RANDOM.standard_normal((3000, 3))
    return np.round(points / np.linalg.norm(points, axis=1)[:, None])


@pytest.mark.parametrize("points", [rounded_sphere(), RANDOM.random((100, 3)) > 0.5])
def test_many_points_in_the_same_place_have_no_curvature(points):
    with pytest.raises(gplandmark.ScanError, match="points in the same place"):
        place(points, 5)


@pytest.mark.parametrize("unit", [1e-200, 1e-100, 1e100, 1e200, 1e308])
@pytest.mark.parametrize("with_triangles", [False, True])
def test_units_beyond_what_can_be_computed_with_are_refused(unit, with_triangles):
    points = (POINTS - 0.5) * unit
    with pytest.raises(gplandmark.ScanError, match=r"extends over .*another unit"):
        place((points, TRIANGLES) if with_triangles else points, 3)


class Tensor:
    """What PyTorch does with a tensor that needs gradients."""

    shape = (5, 3)

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")

    def __len__(self):
        return 5


class Detachable(Tensor):
    def detach(self):
        return SimpleNamespace(cpu=lambda: POINTS)


def linear(some, others):
    return some @ others.T


def test_points_and_answers_that_are_no_arrays_are_refused():
    refused(gplandmark.as_kernel, Tensor())
    refused(gplandmark.as_kernel, (linear, Tensor()))
    refused(gplandmark.as_kernel, (lambda some, others: Tensor(), POINTS))
    refused(lambda: gplandmark.learn(MATRIX, lambda _: Tensor(), tolerance=0.1))
    assert gplandmark.as_kernel((linear, Detachable())).size == 50


@pytest.mark.parametrize("kind", ["MaternKernel", "SquaredExponentialKernel"])
@pytest.mark.parametrize(
    "points",
    [POINTS * np.nan, POINTS + 1j, POINTS[:0], POINTS[:, 0], POINTS[None], "abc", None, Tensor()],
)
def test_points_of_a_kernel_in_space_are_checked_once(kind, points):
    refused(getattr(gplandmark.gp.kernels, kind), points, 1.0)


@pytest.mark.parametrize("kind", ["MaternKernel", "SquaredExponentialKernel"])
def test_lists_and_single_precision_are_welcome_as_points(kind):
    make = getattr(gplandmark.gp.kernels, kind)
    expected = gplandmark.select(make(POINTS, 1.0), 5).indices.tolist()
    for points in (POINTS.tolist(), POINTS.astype(np.float32)):
        assert gplandmark.select(make(points, 1.0), 5).indices.tolist() == expected
    assert make(POINTS, 1.0).points is POINTS


class UsersError(Exception):
    """Not one that we know."""


def family_that_fails(length):
    raise UsersError("the\nlab is closed.")


def family_that_fails_later(length):
    return gplandmark.gp.kernels.MaternKernel(POINTS, length) if length == 1 else fails()


@pytest.mark.parametrize(
    ("family", "words"),
    [
        (family_that_fails, r"The family raised UsersError for length=1: the lab is closed\.$"),
        (family_that_fails_later, "The family raised ZeroDivisionError for length="),
        (lambda length: (fails, POINTS), "The kernel raised ZeroDivisionError"),
    ],
)
def test_a_family_that_fails_is_named(family, words):
    with pytest.raises(gplandmark.KernelError, match=words):
        gplandmark.fit_kernel(family, np.arange(9), np.arange(9.0), start={"length": 1.0})


@pytest.mark.parametrize("use", USES)
def test_a_surface_in_place_of_a_kernel_is_told_its_covariance(use):
    surface = gplandmark.as_surface((POINTS, TRIANGLES))
    with pytest.raises(gplandmark.KernelError, match=r"gplandmark.covariance\(surface\)"):
        USES[use](surface)


@pytest.mark.parametrize("as_given", [np.array, np.ndarray.tolist])
def test_triangles_after_the_vertices_are_asked_for_in_a_pair(as_given):
    with pytest.raises(gplandmark.SettingsError, match=r"place\(\(vertices, triangles\)\)"):
        place(as_given(POINTS), as_given(TRIANGLES))


@pytest.mark.parametrize("target", [1, 1.5, -1])
def test_no_option_of_the_command_line_is_named_to_callers_from_python(target):
    for use in (
        lambda: gplandmark.select(MATRIX, target=target),
        lambda: place(POINTS, target=target),
    ):
        with pytest.raises(gplandmark.SettingsError, match="The target is a fraction") as caught:
            use()
        assert "--" not in str(caught.value)


def test_the_white_kernel_of_scikit_learn_is_noise():
    kernels = pytest.importorskip("sklearn.gaussian_process.kernels")
    with pytest.raises(gplandmark.KernelError, match="Leave WhiteKernel out"):
        gplandmark.krige((kernels.RBF() + kernels.WhiteKernel(0.1), POINTS), [1], [1.0])


def test_points_in_a_row_are_told_their_shape():
    kernels = pytest.importorskip("sklearn.gaussian_process.kernels")
    with pytest.raises(gplandmark.KernelError, match=r"points\[:, None\]") as caught:
        gplandmark.select((kernels.Matern(), POINTS[:, 0]), 3)
    assert ".." not in str(caught.value)


def test_an_error_without_a_text_ends_with_one_full_stop():
    with pytest.raises(gplandmark.KernelError, match=r"asked for\.$"):
        gplandmark.as_kernel((lambda some, others: _nothing(), POINTS))


def _nothing():
    raise AssertionError


def test_a_compiled_family_is_called_without_asking_what_it_takes():
    class Compiled:
        @property
        def __signature__(self):
            raise ValueError("no signature found")

        def __call__(self, length):
            return gplandmark.gp.kernels.MaternKernel(POINTS, length)

    values = np.sin(4 * POINTS).sum(axis=1)
    found = gplandmark.fit_kernel(Compiled(), np.arange(50), values, start={"length": 1.0})
    assert found.parameters["length"] > 0


def test_an_error_of_the_user_is_named_and_kept():
    with pytest.raises(gplandmark.KernelError, match="ZeroDivisionError") as caught:
        gplandmark.select((fails, POINTS), 3)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_tensors_that_need_gradients_are_refused_or_read():
    torch = pytest.importorskip("torch")
    refused(place, torch.tensor(POINTS, requires_grad=True), 3)
    refused(gplandmark.as_kernel, torch.tensor(-MATRIX))
    refused(gplandmark.as_kernel, torch.tensor(MATRIX, dtype=torch.bfloat16))
    kernel = torch.tensor(MATRIX, requires_grad=True)
    found, expected = (gplandmark.select(each, 5).indices for each in (kernel, MATRIX))
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("values", [[1j], ["a"], [np.nan], [[[1.0]]], [1.0, 2.0], None])
def test_values_that_are_no_observations_are_refused(values):
    refused(gplandmark.krige, MATRIX, [0], values)
