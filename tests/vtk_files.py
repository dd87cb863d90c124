"""Surfaces as VTK's own library writes them; tests that need it skip where it is absent."""

import pytest


def polydata(surface):
    """A surface as the library holds it."""
    vtk = pytest.importorskip("vtk")
    from vtk.util.numpy_support import numpy_to_vtk

    points, cells, data = vtk.vtkPoints(), vtk.vtkCellArray(), vtk.vtkPolyData()
    points.SetData(numpy_to_vtk(surface.points, deep=True))
    for triangle in surface.triangles.tolist():
        cells.InsertNextCell(3, triangle)
    data.SetPoints(points)
    data.SetPolys(cells)
    return vtk, data


def write_legacy(vtk, data, path, version, *, binary):
    """Write a legacy file of some version."""
    writer = vtk.vtkPolyDataWriter()
    writer.SetInputData(data)
    writer.SetFileVersion(version)
    (writer.SetFileTypeToBinary if binary else writer.SetFileTypeToASCII)()
    writer.SetFileName(str(path))
    writer.Write()
