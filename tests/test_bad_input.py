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
