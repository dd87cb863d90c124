"""Claim: a volume of 512 x 512 x 600 becomes a surface within 4 GB, at a few times VTK's time.

A generated skull-like shell with bumps and noise, 16-bit, compressed as NRRD. Each way runs in a
process of its own, so that its peak of memory is its own: ours from the file to triangles, and then
to the cleaned surface that other commands take; and SimpleITK with VTK's flying edges at the same
threshold, which gives triangles only. ``--small`` takes 128 x 128 x 150.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

LARGE, SMALL = (512, 512, 600), (128, 128, 150)
THICKNESS = 0.06  # of the shell, of the radius


def shell(size: tuple[int, int, int], noise: float) -> np.ndarray:
    """16-bit values (z, y, x) of a bumpy ellipsoidal shell, slice by slice."""
    rng = np.random.default_rng(0)
    x, y, z = (np.linspace(-1.15, 1.15, count, dtype=np.float32) for count in size)
    values = np.empty(size[::-1], dtype=np.int16)
    for number, height in enumerate(z):
        radius = np.sqrt(x**2 + (y**2)[:, None] + height**2)
        bumps = 0.03 * np.sin(25 * x) * np.sin(25 * y)[:, None] * np.sin(25 * height)
        away = np.abs(radius - 0.95 - bumps) - THICKNESS / 2
        bone = 1200 / (1 + np.exp(np.clip(away * size[0] / 1.5, -30, 30)))
        values[number] = bone + noise * rng.standard_normal(bone.shape, dtype=np.float32)
    return values


def ours(path: Path) -> dict[str, float]:
    """Seconds of our steps."""
    from gplandmark.io.scans.clean import clean
    from gplandmark.io.scans.content import Scan
    from gplandmark.io.volumes.isosurface import isosurface
    from gplandmark.io.volumes.libraries import load
    from gplandmark.io.volumes.read_header import read_header
    from gplandmark.io.volumes.threshold import cut_at, histogram
    from gplandmark.io.volumes.voxels import read_voxels

    load("skimage.measure")
    times = [time.perf_counter()]

    def took() -> float:
        times.append(time.perf_counter())
        return times[-1] - times[-2]

    found: dict[str, float] = {}
    values = read_voxels(read_header(path), 1, lambda part: part)
    found["read"] = took()
    level = cut_at(histogram(values, path.name), None, path.name).threshold
    found["threshold"] = took()
    points, triangles = isosurface(values, level)
    found["mesh"] = took()
    found |= {"level": level, "vertices": len(points), "triangles": len(triangles)}
    found["memory"] = peak()
    clean(Scan(points, triangles))
    found["clean"] = took()
    found["memory of all"] = peak()
    return found


def flying_edges(path: Path, level: float) -> dict[str, float]:
    """Seconds of SimpleITK and VTK."""
    import SimpleITK
    import vtk
    from vtk.util import numpy_support

    began = time.perf_counter()
    values = SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(path)))
    read = time.perf_counter() - began
    image = vtk.vtkImageData()
    image.SetDimensions(*values.shape[::-1])
    image.GetPointData().SetScalars(numpy_support.numpy_to_vtk(values.ravel()))
    edges = vtk.vtkFlyingEdges3D()
    edges.SetInputData(image)
    edges.SetValue(0, level)
    edges.ComputeNormalsOff()
    edges.ComputeGradientsOff()
    began = time.perf_counter()
    edges.Update()
    mesh = time.perf_counter() - began
    mesh_of = edges.GetOutput()
    return {
        "read": read, "mesh": mesh, "vertices": mesh_of.GetNumberOfPoints(),
        "triangles": mesh_of.GetNumberOfCells(), "memory": peak(),
    }  # fmt: skip


def peak() -> float:
    """Largest memory of this process so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def in_child(*arguments: str) -> dict[str, float]:
    words = [sys.executable, __file__, *arguments]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def compare(folder: Path, size: tuple[int, int, int], noise: float) -> None:
    import SimpleITK

    path = folder / "shell.nrrd"
    image = SimpleITK.GetImageFromArray(shell(size, noise))
    SimpleITK.WriteImage(image, str(path), useCompression=True, compressionLevel=1)
    us = in_child("--ours", str(path))
    them = in_child("--vtk", str(path), str(us["level"]))
    print(f"{' x '.join(map(str, size))}, noise {noise:g}, threshold {us['level']:g}")
    print(f"  {'':14}{'gplandmark':>12}{'VTK':>12}{'ratio':>8}")
    for name in ("read", "mesh", "memory"):
        unit = "GB" if name == "memory" else "s"
        ratio = us[name] / them[name]
        print(f"  {name + ', ' + unit:14}{us[name]:12.2f}{them[name]:12.2f}{ratio:8.1f}")
    print(f"  threshold, s  {us['threshold']:12.2f}")
    print(f"  clean, s      {us['clean']:12.2f}")
    print(f"  with it, GB   {us['memory of all']:12.2f}")
    for name in ("vertices", "triangles"):
        print(f"  {name:14}{us[name]:12,}{them[name]:12,}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--ours", type=Path)
    parser.add_argument("--vtk", nargs=2)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.ours:
        print(json.dumps(ours(asked.ours)))
    elif asked.vtk:
        print(json.dumps(flying_edges(Path(asked.vtk[0]), float(asked.vtk[1]))))
    else:
        for noise in (0.0, 60.0):
            with tempfile.TemporaryDirectory() as folder:
                compare(Path(folder), SMALL if asked.small else LARGE, noise)


if __name__ == "__main__":
    main()
