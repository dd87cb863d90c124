"""Volumes of shapes that are known exactly, and files of them in every format."""

import locale
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

import gplandmark
from gplandmark.io.volumes.voxel_grid import Grid

sitk = pytest.importorskip("SimpleITK")
pytest.importorskip("skimage")

OBLIQUE = np.array([[2, -1, 2], [2, 2, -1], [-1, 2, 2]]).T / 3  # a rotation
MIRRORED = OBLIQUE * [1, 1, -1]
INSIDE, OUTSIDE, LEVEL = 1800, 200, 1000.5  # grey values, and the middle between them


def centres(grid):
    """Physical coordinates of all voxels, (z, y, x, 3)."""
    z, y, x = np.indices(grid.size[::-1])
    indices = np.stack([x, y, z], axis=-1).reshape(-1, 3).astype(float)
    return grid.physical(indices).reshape(*grid.size[::-1], 3)


def around(low, high, spacing, direction, margin=2.0):
    """A grid whose voxels enclose a box, with `margin` voxels to spare."""
    spacing = np.array(spacing, dtype=float)
    corners = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T
    along = corners @ direction
    first = along.min(axis=0) - margin * spacing
    size = np.ceil((along.max(axis=0) - first) / spacing + margin).astype(int) + 1
    return Grid(tuple(map(int, size)), tuple(spacing), direction @ first, direction)


def ball(grid, centre, radius, depth=None):
    """16-bit values that cross the middle at the radius, linearly over `depth` on either side."""
    distance = radius - np.linalg.norm(centres(grid) - centre, axis=-1)
    return grey(distance, depth or 3 * max(grid.spacing))


def grey(distance, depth):
    """Values from OUTSIDE to INSIDE of signed distances, linear within `depth`."""
    part = np.clip(distance / depth, -1, 1)
    return np.rint(OUTSIDE + (INSIDE - OUTSIDE) * (part + 1) / 2).astype(np.int16)


@dataclass(frozen=True)
class MolarVolume:
    """A synthetic molar, closed at the neck, and a volume of it."""

    molar: object
    grid: Grid
    values: np.ndarray


@cache
def molar_volume(mirrored=False):
    """Signed distances from the synthetic molar on an oblique, anisotropic grid.

    Mirrored, the slices are in the opposite order, and so is the axis.
    """
    import igl

    if mirrored:
        plain = molar_volume()
        last = plain.grid.physical(np.array([[0.0, 0.0, plain.grid.size[2] - 1]]))[0]
        grid = Grid(plain.grid.size, plain.grid.spacing, last, MIRRORED)
        return MolarVolume(plain.molar, grid, plain.values[::-1].copy())
    spacing = (0.15, 0.15, 0.22)
    molar = gplandmark.make_molar()
    points, triangles = molar.surface.points, molar.surface.faces()
    rim = igl.boundary_loop(triangles)
    cap = np.stack([np.full(len(rim), len(points)), np.roll(rim, 1), rim], axis=1)
    whole = np.vstack([points, points[rim].mean(axis=0)])
    closed = np.vstack([triangles, cap[:, ::-1]])
    grid = around(whole.min(0), whole.max(0), spacing, OBLIQUE)
    at = centres(grid).reshape(-1, 3)
    found = igl.signed_distance(at, whole, np.ascontiguousarray(closed))
    distance = -np.asarray(found[0]).reshape(grid.size[::-1])
    return MolarVolume(molar, grid, grey(distance, 3 * max(spacing)))


def image_of(values, grid):
    """The volume as ITK has it."""
    image = sitk.GetImageFromArray(values)
    image.SetSpacing([float(each) for each in grid.spacing])
    image.SetOrigin(grid.origin.tolist())
    image.SetDirection(grid.direction.ravel().tolist())
    return image


def write_volume(values, grid, path, compressed=False):
    """Write a volume to a file of any format of ITK."""
    sitk.WriteImage(image_of(values, grid), str(path), useCompression=compressed)
    return path


def write_dicom(values, grid, folder, series="1.2.3.4", names=None):
    """Write a volume as a folder of DICOM slices; names need not be in order."""
    folder.mkdir(exist_ok=True)
    before = locale.setlocale(locale.LC_ALL)  # GDCM sets another one when it writes
    image = image_of(values, grid)
    writer = sitk.ImageFileWriter()
    writer.KeepOriginalImageUIDOn()
    direction = grid.direction.T.ravel()
    for number in range(grid.size[2]):
        one = image[:, :, number]
        origin = image.TransformIndexToPhysicalPoint((0, 0, number))
        tags = {
            "0008|0016": "1.2.840.10008.5.1.4.1.1.2",
            "0008|0018": f"{series}.{number + 1}",
            "0008|0060": "CT",
            "0008|103e": f"series {series}",
            "0020|000d": "1.2.3",
            "0020|000e": series,
            "0020|0013": str(number + 1),
            "0020|0032": "\\".join(f"{each:.10g}" for each in origin),
            "0020|0037": "\\".join(f"{each:.10g}" for each in direction[:6]),
            "0028|1052": "0",
            "0028|1053": "1",
        }
        for tag, value in tags.items():
            one.SetMetaData(tag, value)
        name = f"{number:04d}.dcm" if names is None else names[number]
        writer.SetFileName(str(folder / name))
        writer.Execute(one)
    locale.setlocale(locale.LC_ALL, before)
    return folder


def write_stack(values, folder, extension=".tif"):
    """Write a volume as a folder of numbered TIFF files."""
    folder.mkdir(exist_ok=True)
    for number, part in enumerate(values):
        sitk.WriteImage(sitk.GetImageFromArray(part), str(folder / f"slice{number}{extension}"))
    return folder
