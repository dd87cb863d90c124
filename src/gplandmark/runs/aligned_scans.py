# SPDX-License-Identifier: MIT
"""Scans in a common pose: rotated and moved so that their landmarks coincide."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gplandmark.io.csv_tables import table_text
from gplandmark.io.scans import as_ply, read
from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.analysis import Aligned
from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.rotations import kabsch_rotations

POSES = "poses.csv"


@dataclass(frozen=True, eq=False)
class CommonPose:
    """How a specimen comes into the common pose: x becomes scale (x - centre) R.

    Attributes
    ----------
    specimen : its name
    centre : (3,) centroid of its landmarks, in its file
    rotation : (3, 3) R; its determinant is -1 for a mirror image
    scale : 1 unless sizes are made equal
    """

    specimen: str
    centre: FloatArray
    rotation: FloatArray
    scale: float

    def apply(self, surface: Surface) -> Surface:
        """Return the surface in the common pose; triangles of mirror images are flipped."""
        points = self.scale * (surface.points - self.centre) @ self.rotation
        faces = surface.faces()
        turned = faces[:, ::-1].copy() if np.linalg.det(self.rotation) < 0 else faces
        return replace(surface, points=points, triangles=turned, source=None)


def common_poses(aligned: Aligned, *, equal_sizes: bool = False) -> tuple[CommonPose, ...]:
    """Poses of superimposed specimens; with equal sizes, all have the mean centroid size."""
    found = []
    mean = float(aligned.centroid_sizes.mean())
    for number, name in enumerate(aligned.names):
        centre = aligned.points[number].mean(axis=0)
        moments = (aligned.points[number] - centre).T @ aligned.shapes[number]
        sign = np.float64(-1.0 if aligned.mirrored[number] else 1.0)
        scale = mean / float(aligned.centroid_sizes[number]) if equal_sizes else 1.0
        found.append(CommonPose(name, centre, kabsch_rotations(moments, sign), scale))
    return tuple(found)


def aligned_scans(
    poses: tuple[CommonPose, ...], scans: Mapping[str, Path], folder: Path
) -> Iterator[dict[Path, str | bytes]]:
    """Yield the content of each scan in the common pose, as PLY, and at last a table of poses."""
    for pose in poses:
        surface = pose.apply(read(scans[pose.specimen]))
        yield {folder / f"{pose.specimen.replace('/', '_')}.ply": as_ply(surface)}
    axes = ("x", "y", "z")
    yield {
        folder / POSES: table_text(
            ("specimen", *(f"centre_{axis}" for axis in axes),
             *(f"rotation_{row}{column}" for row in axes for column in axes), "scale", "mirrored"),
            (
                (each.specimen, *each.centre, *each.rotation.ravel(), each.scale,
                 bool(np.linalg.det(each.rotation) < 0))
                for each in poses
            ),
        )
    }  # fmt: skip
